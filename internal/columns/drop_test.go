package columns

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"
)

// TestDrop: without its first rows a Column is as if the others had been appended
// to an empty one; and what comes after it finds all its memory again.
func TestDrop(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom(forms).Draw(rt, "form")
		if hasTokens(f) {
			return // tokens of dropped rows stay
		}
		rows := rowsOf(rt, f, 1, 200)
		c := columnOf(f, rows)
		n := rapid.IntRange(0, len(rows)).Draw(rt, "dropped")
		size := cap(c.Fixed) + cap(c.Data)
		c.Drop(n)
		check(t, c)
		if want := columnOf(f, rows[n:]); !same(c, want) {
			rt.Fatalf("%s without %d of %d rows: %+v, want %+v", f.Arrow, n, len(rows), c, want)
		}
		second := rapid.IntRange(0, len(rows)-n).Draw(rt, "dropped then")
		c.Drop(second)
		more := rowsOf(rt, f, 0, 20)
		rows = append(rows[n+second:], more...)
		before := cap(c.Fixed) + cap(c.Data)
		addAll(c, more)
		check(t, c)
		if want := columnOf(f, rows); !same(c, want) {
			rt.Fatalf("%s without %d rows and with %d more: %+v, want %+v", f.Arrow, n+second, len(more), c, want)
		}
		grew := cap(c.Fixed)+cap(c.Data) > before
		c.Reset()
		if !grew && cap(c.Fixed)+cap(c.Data) != size {
			rt.Errorf("%s: %d bytes of memory, before %d", f.Arrow, cap(c.Fixed)+cap(c.Data), size)
		}
	})
}

func hasTokens(f *Form) bool {
	for _, child := range f.Children {
		if hasTokens(child) {
			return true
		}
	}
	return f.Buffers == Tokens
}

// TestDropGivesMemoryBack: the release of an array without its first rows gives
// all the memory that the Column had to its Pool.
func TestDropGivesMemoryBack(t *testing.T) {
	for _, f := range []*Form{Text, values(8)} {
		pool := &Pool{}
		c := pool.New(f)
		for range 100000 {
			if f == Text {
				add(c, "1234567")
			} else {
				add(c, []byte("12345678"))
			}
		}
		all := cap(c.Fixed) + cap(c.Data)
		before := pool.kept
		c.Drop(50000)
		arr := c.Array(memory.DefaultAllocator)
		if arr.Len() != 50000 || arr.NullN() != 0 {
			t.Fatalf("%s: %d rows", f.Arrow, arr.Len())
		}
		arr.Release()
		if pool.kept-before < all {
			t.Errorf("%s: %d bytes have come back, of %d", f.Arrow, pool.kept-before, all)
		}
	}
}

// TestGrowGivesMemoryBack: a buffer that begins further back, and grows, gives all of its memory to
// the Pool, once.
func TestGrowGivesMemoryBack(t *testing.T) {
	for _, nbytes := range []int{100000, 8, 0} {
		pool := &Pool{}
		c := pool.New(Text)
		c.Data = pool.Allocate(100000)[:nbytes]
		c.Offsets = append(c.Offsets, int32(nbytes))
		c.AppendValid(1)
		size := cap(c.Data)
		c.Drop(1)
		c.Data = c.Grow(c.Data, size+1)
		if pool.kept != size || len(pool.take(size)) != size || pool.kept != 0 {
			t.Errorf("%d bytes dropped: %d kept, want %d", nbytes, pool.kept, size)
		}
		size = cap(c.Data)
		c.Free()
		if pool.kept < size || pool.kept >= size+4<<10 || c.Data != nil { // offsets may be kept, too
			t.Errorf("%d bytes dropped: %d kept in all, want %d", nbytes, pool.kept, size)
		}
	}
}
