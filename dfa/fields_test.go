package dfa

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/drawn"
)

// valueOf is what Fields is to find: the fields of all records that Walk gives,
// but of those dropped. At the end of the value nothing ends where the automaton
// says that nothing is open; Walk, which knows no value, is made to end a field
// there, which is then taken back.
func valueOf(a *Automaton, value []byte) (fields []RawField, code ErrorCode) {
	s := a.Start
	for _, symbol := range value {
		s, _ = a.Step(s, symbol)
	}
	ended := *a
	ended.AtEOF = slices.Clone(a.AtEOF)
	open := a.EOF(s).Kind == Skip
	if open {
		ended.Emissions = append(slices.Clone(a.Emissions), Emission{Kind: Record, Column: NextColumn})
		ended.AtEOF[s] = EmissionID(len(a.Emissions))
	}
	all := walkAll(&ended, value, a.Start)
	for i := range all {
		r := &all[i]
		if code == 0 {
			code = r.Code
		}
		if open && i == len(all)-1 {
			r.Fields = r.Fields[:len(r.Fields)-1]
		}
		if r.Kind == DataRecord {
			fields = append(fields, r.Fields...)
		}
	}
	return fields, code
}

func sameFields(t interface{ Fatalf(string, ...any) }, a *Automaton, value []byte) {
	pre, scratch := []Piece{{Column: 77}}, []byte("kept")
	pieces, decoded, code := newTable(a).Fields(value, pre, scratch)
	if pieces[0] != pre[0] || !bytes.HasPrefix(decoded, scratch) {
		t.Fatalf("%q: what was there is gone", value)
	}
	pieces = pieces[1:]
	want, wantCode := valueOf(a, value)
	if code != wantCode || len(pieces) != len(want) {
		t.Fatalf("%q: %d fields, code %d, want %d, %d", value, len(pieces), code, len(want), wantCode)
	}
	for i, f := range want {
		p := &pieces[i]
		if got := p.Of(value, decoded); int(p.Column) != f.Column || p.Class != f.Class || !bytes.Equal(got, f.Value) {
			t.Fatalf("%q: field %d is %+v %q, want %+v", value, i, *p, got, f)
		}
	}
}

func TestFieldsAgreesWithWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { sameFields(t, drawAutomaton(t), drawInput(t, 20)) })
}

// TestFieldsOfAllRecords: the symbols after one that ends a record are read as
// those before it are, and fields that have ended stand where nothing is open.
func TestFieldsOfAllRecords(t *testing.T) {
	b := NewBuilder()
	key, value, lost := b.AddState("KEY", "at a key"), b.AddState("VALUE", "at a value"), b.AddState("LOST", "in a comment")
	dropped := record
	dropped.Record = DroppedRecord
	b.On(key, Bytes('='), value, field)
	b.On(key, Bytes('#'), lost, skip)
	b.Otherwise(key, key, data)
	b.On(value, Bytes(';'), key, record)
	b.Otherwise(value, value, data)
	b.On(lost, Bytes(';'), key, dropped)
	b.On(lost, Bytes('='), lost, field)
	b.Otherwise(lost, lost, data)
	b.EOF(key, skip)
	b.EOF(value, record)
	b.EOF(lost, dropped)
	a := mustBuild(t, b)
	table := newTable(a)
	for in, want := range map[string]string{
		"":                      "",
		"a=1":                   "0a 1=1",
		"a=1;b=2;c=3":           "0a 1=1 0b 1=2 0c 1=3",
		"a=1;b=2;":              "0a 1=1 0b 1=2",
		"a=1;#x=y;b=2;":         "0a 1=1 0b 1=2",
		"a=1;#x=y":              "0a 1=1",
		"a=1;b=2;c=":            "0a 1=1 0b 1=2 0c 1=",
		"=;=":                   "0 1= 0 1=",
		"a=1;" + "#=====" + ";": "0a 1=1",
	} {
		pieces, decoded, code := table.Fields([]byte(in), nil, nil)
		var got []string
		for _, p := range pieces {
			got = append(got, fmt.Sprintf("%d%s%s", p.Column, map[bool]string{true: "="}[p.Column == 1], p.Of([]byte(in), decoded)))
		}
		if text := strings.Join(got, " "); text != want || code != 0 {
			t.Errorf("%q: %s, code %d, want %s", in, text, code, want)
		}
		sameFields(t, a, []byte(in))
	}
}

// TestFieldsLosesNothing: of a value that an automaton of lists and maps reads
// without a code, every data symbol is in a field, in its order, unless a
// boundary that lags takes it back or a record is dropped, which the automaton
// says; all other symbols are skipped or end a field.
func TestFieldsLosesNothing(t *testing.T) {
	whole, coded := 0, 0
	drawn.Check(t, "no value was read, or none has a code", func() bool { return whole > 0 && coded > 0 }, func(t *rapid.T) {
		a := drawReader(t, true)
		value := drawInput(t, 30)
		pieces, decoded, code := newTable(a).Fields(value, nil, nil)
		if code != 0 {
			coded++
			return
		}
		whole++
		var got []byte
		for i := range pieces {
			got = append(got, pieces[i].Of(value, decoded)...)
		}
		if want := accounted(a, value); !bytes.Equal(got, want) {
			t.Fatalf("%q: the fields hold %q, but %q are data", value, got, want)
		}
	})
}

// accounted goes over the symbols of a value, each of which is data, or not
// because an emission says so, and gives what the data decode to.
func accounted(a *Automaton, value []byte) (out []byte) {
	const other = -1
	is := make([]int, len(value)) // the byte that the symbol is
	for p := range is {
		is[p] = other
	}
	s, first := a.Start, 0 // first: of the record
	boundary := func(p int, e *Emission) {
		for q := p - int(e.Lag); q <= min(p, len(value)-1); q++ {
			is[q] = other // the boundary, and what is open after it
			if q >= e.Opens(p) {
				is[q] = int(value[q])
			}
		}
		if e.Kind == Record {
			end := min(p-int(e.Lag), len(value))
			if e.Record == DroppedRecord {
				for q := first; q < end; q++ {
					is[q] = other
				}
			}
			first = end
		}
	}
	for p, symbol := range value {
		next, e := a.Step(s, symbol)
		switch {
		case e.Kind == Data:
			is[p] = int(Decode(value, p, e))
		case e.Boundary():
			boundary(p, e)
		}
		s = next
	}
	if e := a.EOF(s); e.Kind == Record {
		boundary(len(value), e)
	}
	for _, b := range is {
		if b != other {
			out = append(out, byte(b))
		}
	}
	return out
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
