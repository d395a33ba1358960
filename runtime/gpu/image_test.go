package gpu

import (
	"encoding/binary"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
)

// automata are those of the built-in formats and those made by hand.
func automata(t testing.TB) map[string]*dfa.Automaton {
	t.Helper()
	found := map[string]*dfa.Automaton{}
	for _, name := range gen.VariedFormats() {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = p.Automaton
	}
	for _, m := range enginetest.Machines(t) {
		found["machine "+m.Name] = m.Automaton
	}
	return found
}

// entries reads n values of an image that was placed at base.
func entries[T any](t *testing.T, im *image, base, address uint64, n int) []T {
	t.Helper()
	if address%imageAlign != base%imageAlign || address < base {
		t.Fatalf("a table at %#x of an image at %#x", address, base)
	}
	v := make([]T, n)
	if _, err := binary.Decode(im.blob[address-base:], binary.LittleEndian, v); err != nil {
		t.Fatalf("a table at %#x of an image at %#x: %v", address, base, err)
	}
	return v
}

func TestImage(t *testing.T) {
	const base = 0x7f00_0000_1000
	for name, a := range automata(t) {
		im := newImage(a, chooseTrack(a, dfa.Analyse(a), 2*sharedRows))
		im.place(base)
		p := entries[kernels.Program](t, im, base, base, 1)[0]
		if p != im.program {
			t.Fatalf("%s: the image holds %+v, want %+v", name, p, im.program)
		}
		n := a.NStates()
		group := entries[uint8](t, im, base, p.Group, 256)
		table := entries[uint32](t, im, base, p.Table, n*a.NGroups)
		flat := entries[uint32](t, im, base, p.Flat, n*256)
		emissions := entries[kernels.Emission](t, im, base, p.Emissions, len(a.Emissions))
		atEOF := entries[uint16](t, im, base, p.AtEOF, n)
		seen := uint32(0)
		for s := range n {
			if dfa.EmissionID(atEOF[s]) != a.AtEOF[s] {
				t.Errorf("%s: state %d ends with emission %d, want %d", name, s, atEOF[s], a.AtEOF[s])
			}
			for symbol := range 256 {
				next, e := a.Step(dfa.StateID(s), byte(symbol))
				x := flat[s*256+symbol]
				if x != table[int(group[symbol])*n+s] {
					t.Fatalf("%s: state %d, symbol %d: the tables differ", name, s, symbol)
				}
				id := x >> kernels.EmissionShift & kernels.EmissionMask
				if dfa.StateID(x&kernels.NextMask) != next || &a.Emissions[id] != e || dfa.Kind(x>>kernels.KindShift&kernels.KindMask) != e.Kind {
					t.Fatalf("%s: state %d, symbol %d: transition %#x, want to state %d with %s", name, s, symbol, x, next, e)
				}
				if lagged, coded := x&kernels.Lagged != 0, x&kernels.Coded != 0; lagged != (e.Lag > 0) || coded != (e.Sub != dfa.Itself) {
					t.Fatalf("%s: state %d, symbol %d: transition %#x of %s", name, s, symbol, x, e)
				}
				if x&kernels.Lagged != 0 {
					seen |= kernels.HasLag
				}
				if x&kernels.Coded != 0 {
					seen |= kernels.HasCoded
				}
			}
		}
		if missing := seen &^ p.Flags; missing != 0 {
			t.Errorf("%s: flags %#x are not set", name, missing)
		}
		for i, e := range emissions {
			w := a.Emissions[i]
			w.Escape = false // no kernel knows it, see escapesLeft
			if (dfa.Emission{
				Kind: dfa.Kind(e.Kind), Sub: dfa.Substitution(e.Sub), Byte: e.Byte, Column: int16(e.Column), Class: e.Cls,
				Record: dfa.RecordKind(e.Record), Lag: e.Lag, Open: e.Open, Code: dfa.ErrorCode(e.Code), Blame: dfa.Blame(e.Blame),
			}) != w {
				t.Errorf("%s: emission %d is %+v, want %s", name, i, e, w)
			}
		}
	}
}

func TestProgramFlags(t *testing.T) {
	for _, c := range []struct {
		emission dfa.Emission
		want     uint32
	}{
		{dfa.Emission{Kind: dfa.Data}, 0},
		{dfa.Emission{Kind: dfa.Data, Sub: dfa.ByHex}, kernels.HasCoded},
		{dfa.Emission{Kind: dfa.Skip}, 0},
		{dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn}, 0},
		{dfa.Emission{Kind: dfa.Field, Column: 0}, kernels.HasColumns},
		{dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn, Class: 1}, kernels.HasClasses},
		{dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Lag: 1, Open: 1}, kernels.HasLag},
		{dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.DroppedRecord}, kernels.HasKinds},
		{dfa.Emission{Kind: dfa.Error, Code: 1}, 0},
	} {
		a := &dfa.Automaton{Emissions: []dfa.Emission{{Kind: dfa.Skip}, c.emission}}
		if got := programFlags(a); got != c.want {
			t.Errorf("%s: flags %#x, want %#x", c.emission, got, c.want)
		}
	}
}
