package convert

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestDrop: without its first rows a Column is as if the others had been appended
// to an empty one; and what comes after it finds all its memory again.
func TestDrop(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := rapid.SampledFrom(gathered).Draw(rt, "type")
		if hasTokens(&g.typ) {
			return // tokens of dropped rows stay
		}
		fields := rapid.SliceOfN(rapid.SampledFrom(g.fields), 1, 400).Draw(rt, "fields")
		c, _ := convertAll(t, &dfa.Column{Type: g.typ, Nulls: []string{"null"}}, Options{}, false, 0, fields...)
		n := rapid.IntRange(0, len(fields)).Draw(rt, "rows")
		want := NewColumn(&g.typ)
		want.AppendRows(c, n, c.Len)
		size := cap(c.Fixed) + cap(c.Data)
		c.Drop(n)
		checkColumn(t, c)
		if !sameColumn(c, want) {
			rt.Fatalf("%s without %d of %d rows: %+v, want %+v", Name(&g.typ), n, len(fields), c, want)
		}
		c.Reset()
		if cap(c.Fixed)+cap(c.Data) != size {
			rt.Errorf("%s: %d bytes of memory, before %d", Name(&g.typ), cap(c.Fixed)+cap(c.Data), size)
		}
	})
}

func hasTokens(t *dfa.Type) bool {
	return t.Kind == dfa.Dictionary || t.Elem != nil && hasTokens(t.Elem)
}

// TestDropGivesMemoryBack: the release of an array without its first rows gives
// all the memory that the Column had to its Pool.
func TestDropGivesMemoryBack(t *testing.T) {
	for _, typ := range []*dfa.Type{{Kind: dfa.String}, {Kind: dfa.Int64}} {
		pool := &Pool{}
		c := pool.NewColumn(typ)
		conv, err := NewConverter(&dfa.Column{Type: *typ}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var f Fields
		for range 100000 {
			f.PushDecoded([]byte("1234567"))
		}
		conv.Append(c, &f, nil)
		all := cap(c.Fixed) + cap(c.Data)
		before := pool.kept
		c.Drop(50000)
		arr := c.Array(memory.DefaultAllocator)
		if arr.Len() != 50000 || arr.NullN() != 0 {
			t.Fatalf("%s: %d rows", Name(typ), arr.Len())
		}
		arr.Release()
		if pool.kept-before < all {
			t.Errorf("%s: %d bytes have come back, of %d", Name(typ), pool.kept-before, all)
		}
	}
}
