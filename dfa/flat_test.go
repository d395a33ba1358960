package dfa

import (
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTableAgreesWithAutomaton(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAutomaton(t)
		table := newTable(a)
		for s := range a.NStates() {
			for symbol := range 256 {
				next, want := a.Step(StateID(s), byte(symbol))
				e := table.Entry(StateID(s), byte(symbol))
				if e.Next() != next || e.Row() != table.Row(next) || *table.Emission(e) != *want || e.Kind() != want.Kind ||
					e.Boundary() != want.Boundary() || e.Coded() != want.Coded() {
					t.Fatalf("state %d, symbol %#02x: %#x", s, symbol, e)
				}
			}
			if *table.EOF(StateID(s)) != *a.EOF(StateID(s)) {
				t.Fatalf("state %d at the end", s)
			}
		}
	})
}

func TestEntryLimits(t *testing.T) {
	e := newEntry(MaxStates-1, MaxEmissions-1, &Emission{Kind: Error})
	if e.Next() != MaxStates-1 || e.Emission() != MaxEmissions-1 || e.Kind() != Error || e.Coded() {
		t.Errorf("%#x: %d, %d, %s", uint32(e), e.Next(), e.Emission(), e.Kind())
	}
}

func TestTableIsMadeOnce(t *testing.T) {
	a := csvMachine(t, true, true)
	var wg sync.WaitGroup
	got := make([]*Table, 8)
	for i := range got {
		wg.Go(func() { got[i] = a.Table() })
	}
	wg.Wait()
	for _, table := range got {
		if table != got[0] {
			t.Fatal("two tables of one automaton")
		}
	}
}

func TestTableDiesWithItsAutomaton(t *testing.T) {
	count := func() (n int) {
		tables.Range(func(any, any) bool { n++; return true })
		return n
	}
	before := count()
	for range 50 {
		csvMachine(t, true, true).Table()
	}
	for end := time.Now().Add(time.Minute); count() > before && time.Now().Before(end); {
		goruntime.GC()
		time.Sleep(time.Millisecond)
	}
	if n := count(); n > before {
		t.Errorf("%d tables are left, %d before", n, before)
	}
}
