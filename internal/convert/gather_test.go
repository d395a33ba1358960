package convert

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
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

// Ranges of rows of changing Columns, against the same rows converted at once.
func TestAppendRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := rapid.SampledFrom(gathered).Draw(rt, "type")
		col := &dfa.Column{Type: g.typ, Nulls: []string{"null"}}
		whole := rapid.SliceOfN(rapid.SampledFrom(g.fields), 0, 400)
		var kept []string
		dst := NewColumn(&g.typ)
		if rapid.Bool().Draw(rt, "used before") {
			old, _ := convertAll(t, col, Options{}, false, 0, g.fields...)
			dst.AppendRows(old, 0, old.Len)
			dst.Reset()
		}
		src := NewColumn(&g.typ)
		conv, err := NewConverter(col, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(rt, "columns") {
			fields := whole.Draw(rt, "fields")
			var f Fields
			for _, s := range fields {
				f.PushDecoded([]byte(s))
			}
			if rapid.Bool().Draw(rt, "reset") {
				src.Reset()
			}
			had := src.Len
			conv.Append(src, &f, nil)
			checkColumn(t, src)
			from := 0
			for from < len(fields) {
				from = rapid.IntRange(from, len(fields)).Draw(rt, "from")
				to := rapid.IntRange(from, len(fields)).Draw(rt, "to")
				if !dst.Fits(src, had+from, had+to) {
					rt.Fatal("does not fit")
				}
				dst.AppendRows(src, had+from, had+to)
				kept = append(kept, fields[from:to]...)
				from = to + 1
			}
		}
		checkColumn(t, dst)
		if len(kept) == 0 {
			return
		}
		want, _ := convertAll(t, col, Options{}, true, 0, kept...)
		if !sameColumn(dst, want) {
			rt.Fatalf("%s: gathered %+v, converted at once %+v", Name(&g.typ), dst, want)
		}
	})
}

// sameColumn compares buffers, not just values.
func sameColumn(a, b *Column) bool {
	return a.Len == b.Len && a.Nulls == b.Nulls && bytes.Equal(a.Valid, b.Valid) && bytes.Equal(a.Fixed, b.Fixed) &&
		slices.Equal(a.Offsets, b.Offsets) && bytes.Equal(a.Data, b.Data) && slices.EqualFunc(a.Children, b.Children, sameColumn)
}

// A batch at once against the same batch in pieces: buffers and errors.
func TestAppendInPieces(t *testing.T) {
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
			rt.Fatalf("%s: in pieces %+v %v, at once %+v %v", Name(&g.typ), dst, errs, want, wantErrs)
		}
	})
}

func TestFits(t *testing.T) {
	src, _ := convertAll(t, &dfa.Column{}, Options{}, false, 0, "abc", "d")
	list := &Column{Type: &dfa.Type{Kind: dfa.List, Elem: stringType}, Offsets: []int32{0}, Children: []*Column{{Type: stringType, Len: maxData - 1, Offsets: []int32{0}}}}
	two := &Column{Type: list.Type, Len: 1, Offsets: []int32{0, 2}, Children: []*Column{src}}
	if list.Fits(two, 0, 1) {
		t.Error("a list of 2^31 elements fits")
	}
	if !list.Fits(two, 1, 1) || !NewColumn(list.Type).Fits(two, 0, 1) {
		t.Error("a short list does not fit")
	}
}

func BenchmarkAppendRows(b *testing.B) {
	for _, typ := range []dfa.Type{{Kind: dfa.Int64}, {}, {Kind: dfa.Dictionary}} {
		src := NewColumn(&typ)
		c, err := NewConverter(&dfa.Column{Type: typ, Nulls: []string{"12"}}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		var f Fields
		for i := range 16 << 10 {
			f.PushDecoded([]byte{'1' + byte(i%9), '0' + byte(i%7)})
		}
		c.Append(src, &f, nil)
		dst := NewColumn(&typ)
		b.Run(Name(&typ), func(b *testing.B) {
			for b.Loop() {
				dst.Reset()
				dst.AppendRows(src, 3, 16<<10)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(16<<10), "ns/value")
		})
	}
}
