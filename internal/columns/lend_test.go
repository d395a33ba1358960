package columns

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"
)

// TestLend: rows that are lent are an array like the one that a Column of these
// rows alone makes, to the last byte of its buffers, and hold the Lease until it is
// released.
func TestLend(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom(forms).Draw(rt, "form")
		if hasTokens(f) || f.Texts != nil {
			if f.Lends() {
				rt.Fatalf("%s is lent", f.Arrow)
			}
			return
		}
		rows := rowsOf(rt, f, 0, 200)
		from := rapid.IntRange(0, len(rows)).Draw(rt, "from")
		to := rapid.IntRange(from, len(rows)).Draw(rt, "to")
		ended := 0
		lease := NewLease(func() { ended++ })
		c := columnOf(f, rows)
		got := c.Lend(lease, from, to, &Pool{})
		check(t, c)
		if !same(c, columnOf(f, rows)) {
			rt.Fatalf("%s has changed", f.Arrow)
		}
		want := columnOf(f, rows[from:to]).Array(memory.DefaultAllocator)
		if !array.Equal(got, want) {
			rt.Fatalf("%s, rows %d to %d: %v, want %v", f.Arrow, from, to, got, want)
		}
		sameBuffers(rt, got.Data(), want.Data())
		lease.Release()
		if ended != 0 && got.Len() > 0 && (f.Buffers == Values || f.Buffers == Texts) {
			rt.Fatalf("%s: the lease ends before the array", f.Arrow)
		}
		slice := array.NewSlice(got, 0, int64(got.Len()))
		got.Release()
		slice.Release()
		if ended != 1 {
			rt.Fatalf("%s: the lease ended %d times", f.Arrow, ended)
		}
	})
}

func sameBuffers(t *rapid.T, a, b arrow.ArrayData) {
	if a.Offset() != 0 || a.NullN() != b.NullN() || len(a.Buffers()) != len(b.Buffers()) {
		t.Fatalf("offset %d, %d nulls, %d buffers, want 0, %d, %d", a.Offset(), a.NullN(), len(a.Buffers()), b.NullN(), len(b.Buffers()))
	}
	for i, x := range a.Buffers() {
		y := b.Buffers()[i]
		if (x == nil) != (y == nil) || x != nil && !bytes.Equal(x.Bytes(), y.Bytes()) {
			t.Fatalf("buffer %d of %s is %v, want %v", i, a.DataType(), x, y)
		}
	}
	for i, child := range a.Children() {
		sameBuffers(t, child, b.Children()[i])
	}
}
