package convert

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// gathered are types of every layout of buffers, with fields for them.
var gathered = []struct {
	typ    dfa.Type
	fields []string
}{
	{dfa.Type{}, []string{"", "a", "bc", "a longer text"}},
	{dfa.Type{Kind: dfa.Bool}, []string{"1", "0", "", "x"}},
	{dfa.Type{Kind: dfa.Int8}, []string{"1", "-2", "", "x"}},
	{dfa.Type{Kind: dfa.Time, Unit: dfa.Second}, []string{"10:05:03", "", "x"}},
	{dfa.Type{Kind: dfa.Decimal, Precision: 9, Scale: 2}, []string{"1.5", "-2", ""}},
	{dfa.Type{Kind: dfa.UUID}, []string{"123e4567-e89b-12d3-a456-426614174000", ""}},
	{dfa.Type{Kind: dfa.Enum, Tokens: []string{"A", "B"}}, []string{"A", "B", "", "C"}},
	{dfa.Type{Kind: dfa.Dictionary}, []string{"", "a", "b", "c", "d", "\xff", "null"}},
	{dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.Dictionary}, Lex: listLex(';')}, []string{"a;b", "", "c", "a;\xff", "null", ";;a;d"}},
	{dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.Bool}, Lex: listLex(';')}, []string{"1;0;1", "", "0", "x", ";1", "1;1;1;0;0;0;1;0;1;1"}},
	{dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Int16}}, Lex: groupLex()}, []string{"a[x=1 y=2],b", "c", "", "d[x=u],e", "f[],g[h=3],i"}},
}

// sameColumn compares buffers, not just values.
func sameColumn(a, b *columns.Column) bool {
	return a.Len == b.Len && a.Nulls == b.Nulls && bytes.Equal(a.Valid, b.Valid) && bytes.Equal(a.Fixed, b.Fixed) &&
		slices.Equal(a.Offsets, b.Offsets) && bytes.Equal(a.Data, b.Data) && slices.EqualFunc(a.Children, b.Children, sameColumn)
}

// A round at once against the same round in parts: buffers and errors.
func TestAppendInParts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := rapid.SampledFrom(gathered).Draw(rt, "type")
		col := &dfa.Column{Type: g.typ, Required: rapid.Bool().Draw(rt, "required")}
		fields := rapid.SliceOfN(rapid.SampledFrom(g.fields), 1, 100).Draw(rt, "fields")
		want, wantErrs := convertAll(t, col, Options{}, false, 0, fields...)
		conv, err := NewConverter(col, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		dst := NewColumn(&g.typ)
		var errs []FieldError
		for len(fields) > 0 {
			n := rapid.IntRange(1, len(fields)).Draw(rt, "rows")
			var f Fields
			for _, s := range fields[:n] {
				f.PushDecoded([]byte(s))
			}
			errs = conv.Append(dst, &f, errs)
			fields = fields[n:]
		}
		checkColumn(t, dst)
		if !sameColumn(dst, want) || !slices.Equal(errs, wantErrs) {
			rt.Fatalf("%s: in parts %+v %v, at once %+v %v", Name(&g.typ), dst, errs, want, wantErrs)
		}
	})
}
