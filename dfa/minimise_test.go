package dfa

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// meaning is what Walk finds, without the numbers that minimising may change.
func meaning(a *Automaton, in []byte) string {
	s := ""
	for _, r := range walkAll(a, in, a.Start) {
		code := r.Code
		r.Code, r.State = 0, 0
		s += fmt.Sprintf("%+v %q\n", r, a.Message(code))
	}
	return s
}

// equivalent tells apart the states of a by brute force (Moore's algorithm on
// pairs) and gives two that are equivalent.
func equivalent(a *Automaton) (StateID, StateID, bool) {
	n := a.NStates()
	differ := make([]bool, n*n)
	same := func(x, y EmissionID) bool { return a.Emissions[x] == a.Emissions[y] }
	for changed := true; changed; {
		changed = false
		for s := range n {
			for t := range n {
				if differ[s*n+t] {
					continue
				}
				d := !same(a.AtEOF[s], a.AtEOF[t])
				for g := range a.NGroups {
					i, j := g*n+s, g*n+t
					d = d || !same(a.Emit[i], a.Emit[j]) || differ[int(a.Next[i])*n+int(a.Next[j])]
				}
				if d {
					differ[s*n+t], changed = true, true
				}
			}
		}
	}
	for s := range n {
		for t := range s {
			if !differ[s*n+t] {
				return StateID(t), StateID(s), true
			}
		}
	}
	return 0, 0, false
}

func TestMinimisePreservesRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAutomaton(t)
		m := a.Minimise()
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		in := drawInput(t, 24)
		if got, want := meaning(m, in), meaning(a, in); got != want {
			t.Fatalf("minimised:\n%swas:\n%s", got, want)
		}
	})
}

func TestMinimiseIsMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawAutomaton(t).Minimise()
		if s, u, ok := equivalent(m); ok {
			t.Fatalf("states %d and %d are equivalent", s, u)
		}
		if got := len(m.reachable()); got != m.NStates() {
			t.Fatalf("%d of %d states reachable", got, m.NStates())
		}
		if m.Start != 0 {
			t.Fatalf("start state %d", m.Start)
		}
		n, seen := m.NStates(), map[string]bool{}
		for g := range m.NGroups {
			seen[fmt.Sprint(m.Next[g*n:(g+1)*n], m.Emit[g*n:(g+1)*n])] = true
		}
		if len(seen) != m.NGroups {
			t.Fatalf("%d groups, %d distinct", m.NGroups, len(seen))
		}
		if again := m.Minimise(); !reflect.DeepEqual(again, m) {
			t.Fatalf("minimised twice: %+v, once: %+v", again, m)
		}
	})
}

func TestMinimiseOrder(t *testing.T) {
	a := csvMachine(t, false, true)
	var names []string
	for _, s := range a.States {
		names = append(names, s.Name)
	}
	if want := []string{"EOR", "EOF", "FLD", "ENC", "ESC", "INV"}; !reflect.DeepEqual(names, want) {
		t.Errorf("states %q, want %q", names, want)
	}
	if a.NGroups != 4 {
		t.Fatalf("%d groups", a.NGroups)
	}
	for i, b := range []byte("\n\",x") {
		if int(a.Group[b]) != i {
			t.Errorf("%q is in group %d, want %d", b, a.Group[b], i)
		}
	}
}

func TestMinimiseMerges(t *testing.T) {
	b := NewBuilder()
	s := b.AddState("S", "at the start")
	var twins []StateID
	for i := range 3 {
		twins = append(twins, b.AddState(fmt.Sprintf("T%d", i), "in a field"))
	}
	lost := b.AddState("LOST", "never")
	for i, u := range twins {
		b.On(s, Bytes(byte('a'+i)), u, data)
		b.On(u, Bytes('\n'), s, record)
		b.Otherwise(u, twins[(i+1)%3], data)
		b.EOF(u, record)
	}
	b.Otherwise(s, s, skip)
	b.EOF(s, skip)
	b.Otherwise(lost, lost, Emission{Kind: Error, Code: b.Message("never said")})
	b.EOF(lost, skip)
	a := mustBuild(t, b)
	if a.NStates() != 2 || a.States[1].Name != "T0" || a.NGroups != 3 || len(a.Messages) != 0 {
		t.Errorf("got states %v, %d groups, messages %q", a.States, a.NGroups, a.Messages)
	}
}

// chain is a machine of n states that only differ in the distance to the last,
// the worst case of refinement in rounds.
func chain(n int) *Automaton {
	a := &Automaton{NGroups: 256, Emissions: []Emission{data, record}}
	for i := range n {
		a.States = append(a.States, State{fmt.Sprint(i), ""})
	}
	a.Next, a.Emit, a.AtEOF = make([]StateID, 256*n), make([]EmissionID, 256*n), make([]EmissionID, n)
	for g := range 256 {
		a.Group[g] = GroupID(g)
		for s := range n {
			a.Next[g*n+s] = StateID((s + 1 + g%64*s/7) % n)
		}
		a.Emit[g*n+n-1] = 1
	}
	for s := range n {
		a.AtEOF[s] = 1
	}
	return a
}

func TestMinimiseLarge(t *testing.T) {
	a := chain(MaxStates)
	began := time.Now()
	m := a.Minimise()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("%d states took %v", MaxStates, took)
	}
	if err := m.Validate(); err != nil || m.NStates() != MaxStates {
		t.Errorf("%d states, %v", m.NStates(), err)
	}
}

func BenchmarkMinimise(b *testing.B) {
	for _, n := range []int{16, 300, MaxStates} {
		a := chain(n)
		b.Run(fmt.Sprintf("states=%d", n), func(b *testing.B) {
			for b.Loop() {
				a.Minimise()
			}
		})
	}
}
