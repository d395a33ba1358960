package dfa

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestNothingEscapedIsFields: without escapes outside of the value, FieldsWritten is
// Fields, and tells how each piece was written: as Walk does of the same field.
func TestNothingEscapedIsFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAutomaton(t)
		in := drawInput(t, 30)
		table := a.Table()
		want, wantDecoded, code := table.Fields(in, nil, nil)
		var written []Written
		got, decoded, gotCode := table.FieldsWritten(in, nil, nil, nil, nil, &written)
		if code != gotCode || len(got) != len(want) || len(written) != len(got) {
			t.Fatalf("%d pieces, %d written, code %d; want %d and %d", len(got), len(written), gotCode, len(want), code)
		}
		for i := range got {
			value := got[i].Of(in, decoded)
			if string(value) != string(want[i].Of(in, wantDecoded)) || got[i].Column != want[i].Column || len(written[i].End) != len(value) {
				t.Fatalf("piece %d of %q is %q, written %+v; want %q", i, in, value, written[i], want[i].Of(in, wantDecoded))
			}
		}
	})
}

// TestEscapedIsData: what was escaped separates nothing.
func TestEscapedIsData(t *testing.T) {
	b := NewBuilder()
	in := b.AddState("IN", "in a part")
	b.On(in, Bytes(','), in, Emission{Kind: Field, Column: NextColumn})
	b.Otherwise(in, in, Emission{Kind: Data})
	b.EOF(in, Emission{Kind: Record, Column: NextColumn})
	a, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	value := []byte("a,b,c")
	w := Written{Text: []byte(`a\,b,\x63`), End: []uint32{1, 3, 4, 5, 9}}
	var written []Written
	pieces, decoded, code := a.Table().FieldsWritten(value, &w, nil, nil, nil, &written)
	var got []string
	for i := range pieces {
		got = append(got, fmt.Sprintf("%s %s", pieces[i].Of(value, decoded), written[i].Text))
	}
	if want := []string{`a,b a\,b`, `c \x63`}; code != 0 || !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if part := w.Slice(3, 5); string(part.Text) != `,\x63` || !slices.Equal(part.End, []uint32{1, 5}) || part.Escaped(value[3:], 0) || !part.Escaped(value[3:], 1) {
		t.Errorf("%+v", part)
	}
}
