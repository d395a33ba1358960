package dfa

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func everySymbolMatches(t interface{ Fatalf(string, ...any) }, a *Automaton, l *LookupRegisters) {
	for symbol, want := range a.Group {
		if got := l.Match(byte(symbol)); got != want {
			t.Fatalf("symbol %#02x is in group %d, want %d", symbol, got, want)
		}
	}
}

// grouping is an automaton of which only the groups matter.
func grouping(listed []byte, groups []GroupID) *Automaton {
	a := &Automaton{NGroups: 1}
	for _, g := range groups {
		a.NGroups = max(a.NGroups, int(g)+2)
	}
	for i := range a.Group {
		a.Group[i] = GroupID(a.NGroups - 1)
	}
	for i, b := range listed {
		a.Group[b] = groups[i]
	}
	return a
}

func TestLookupRegisters(t *testing.T) {
	l, err := NewLookupRegisters(csvMachine(t, true, false))
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Registers) != 1 || l.Registers[0] != uint32('\n')|uint32('\r')<<8|uint32('"')<<16|uint32(',')<<24 {
		t.Errorf("registers %08x", l.Registers)
	}
	for name, a := range machines(t) {
		l, err := NewLookupRegisters(a)
		if name == "escapes" {
			if err == nil || !strings.Contains(err.Error(), "29 symbols outside the largest group, at most 16") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		everySymbolMatches(t, a, l)
	}
}

func TestLookupRegistersOfAnySymbols(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		listed := rapid.SliceOfNDistinct(rapid.Byte(), 0, MaxLookupSymbols, rapid.ID).Draw(t, "listed")
		var groups []GroupID
		for range listed {
			groups = append(groups, GroupID(rapid.IntRange(0, 4).Draw(t, "group")))
		}
		a := grouping(listed, groups)
		l, err := NewLookupRegisters(a)
		if err != nil {
			t.Fatal(err)
		}
		everySymbolMatches(t, a, l)
	})
}

// TestLookupNeighbours has the symbols that Mycroft's test confuses: of one
// register, one above the other, and different in the lowest bit only.
func TestLookupNeighbours(t *testing.T) {
	for low := 0; low < 256; low += 2 {
		a := grouping([]byte{byte(low), byte(low + 1)}, []GroupID{0, 1})
		l, err := NewLookupRegisters(a)
		if err != nil {
			t.Fatal(err)
		}
		everySymbolMatches(t, a, l)
	}
}

func TestNullBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, want := uint32(0), uint32(0)
		for i := range 4 {
			b := rapid.SampledFrom([]byte{0, 1, 0x7f, 0x80, 0xff}).Draw(t, "byte")
			x |= uint32(b) << (8 * i)
			if b == 0 {
				want |= 0x80 << (8 * i)
			}
		}
		if got := nullBytes(x); got != want {
			t.Fatalf("%08x: %08x, want %08x", x, got, want)
		}
	})
}
