package dfa

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func sameFields(t interface{ Fatalf(string, ...any) }, a *Automaton, value []byte) {
	pre, scratch := []Piece{{Column: 77}}, []byte("kept")
	pieces, decoded, code := newTable(a).Fields(value, pre, scratch)
	if pieces[0] != pre[0] || !bytes.HasPrefix(decoded, scratch) {
		t.Fatalf("%q: what was there is gone", value)
	}
	pieces = pieces[1:]
	var want RawRecord
	if all := walkAll(a, value, a.Start); len(all) > 0 {
		want = all[0]
	}
	if code != want.Code || len(pieces) != len(want.Fields) {
		t.Fatalf("%q: %d fields, code %d, want %d, %d", value, len(pieces), code, len(want.Fields), want.Code)
	}
	for i, f := range want.Fields {
		p := &pieces[i]
		if got := p.Of(value, decoded); int(p.Column) != f.Column || p.Class != f.Class || !bytes.Equal(got, f.Value) {
			t.Fatalf("%q: field %d is %+v %q, want %+v", value, i, *p, got, f)
		}
	}
}

func TestFieldsAgreesWithWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { sameFields(t, drawAutomaton(t), drawInput(t, 20)) })
}

func TestFieldsOfMachines(t *testing.T) {
	for name, a := range machines(t) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			in := rapid.SliceOfN(rapid.SampledFrom([]byte("ab\",|>\\x1o7n \r\n")), 0, 20).Draw(t, "value")
			sameFields(t, a, in)
		}))
	}
}

func TestFieldsDoesNotAllocate(t *testing.T) {
	table := csvMachine(t, true, true).Table()
	value := []byte(`plain,"quoted","with "" inside",,last`)
	var pieces []Piece
	var decoded []byte
	n := testing.AllocsPerRun(100, func() { pieces, decoded, _ = table.Fields(value, pieces[:0], decoded[:0]) })
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(pieces) != 5 || string(decoded) != `with " inside` || !pieces[2].Decoded || pieces[1].Decoded {
		t.Errorf("%+v, %q", pieces, decoded)
	}
}

func BenchmarkFields(b *testing.B) {
	table := csvMachine(b, true, true).Table()
	value := []byte(`plain,"quoted","with some words inside",,last`)
	var pieces []Piece
	b.SetBytes(int64(len(value)))
	for b.Loop() {
		pieces, _, _ = table.Fields(value, pieces[:0], nil)
	}
}
