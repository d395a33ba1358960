package columns

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"
)

// Ranges of rows of changing Columns, against the same rows appended one by one.
func TestAppendRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom(forms).Draw(rt, "form")
		var kept []any
		dst, src := New(f), New(f)
		if rapid.Bool().Draw(rt, "used before") {
			old := columnOf(f, rowsOf(rt, f, 0, 20))
			dst.AppendRows(old, 0, old.Len)
			dst.Reset()
		}
		for range rapid.IntRange(1, 4).Draw(rt, "columns") {
			if rapid.Bool().Draw(rt, "reset") {
				src.Reset()
			}
			rows, had := rowsOf(rt, f, 0, 40), src.Len
			addAll(src, rows)
			check(t, src)
			for from := 0; from < len(rows); {
				from = rapid.IntRange(from, len(rows)).Draw(rt, "from")
				to := rapid.IntRange(from, len(rows)).Draw(rt, "to")
				if !dst.Fits(src, had+from, had+to) {
					rt.Fatal("does not fit")
				}
				dst.AppendRows(src, had+from, had+to)
				kept = append(kept, rows[from:to]...)
				from = to + 1
			}
		}
		check(t, dst)
		if want := columnOf(f, kept); !same(dst, want) {
			rt.Fatalf("%s: gathered %+v, one by one %+v", f.Arrow, dst, want)
		}
	})
}

// TestArrayCopies: an Array in memory of somebody else's has the same values as one
// that takes the buffers over, and both are the type that the Form says.
func TestArrayCopies(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom(forms).Draw(rt, "form")
		rows := rowsOf(rt, f, 0, 40)
		checked := memory.NewCheckedAllocator(memory.DefaultAllocator)
		defer checked.AssertSize(t, 0)
		own, copied := columnOf(f, rows).Array(memory.DefaultAllocator), columnOf(f, rows).Array(checked)
		defer own.Release()
		defer copied.Release()
		if own.String() != copied.String() || own.Len() != len(rows) || own.DataType().String() != f.Arrow.String() {
			rt.Fatalf("%v of type %s, copied %v, want %d rows of %s", own, own.DataType(), copied, len(rows), f.Arrow)
		}
	})
}

func TestFits(t *testing.T) {
	list, src := listOf(Text), columnOf(Text, []any{"abc", "d"})
	full := &Column{Form: list, Offsets: []int32{0}, Children: []*Column{{Form: Text, Len: MaxData - 1, Offsets: []int32{0}}}}
	two := &Column{Form: list, Len: 1, Offsets: []int32{0, 2}, Children: []*Column{src}}
	if full.Fits(two, 0, 1) {
		t.Error("a list of 2^31 elements fits")
	}
	if !full.Fits(two, 1, 1) || !New(list).Fits(two, 0, 1) {
		t.Error("a short list does not fit")
	}
}

func BenchmarkAppendRows(b *testing.B) {
	for _, f := range []*Form{values(8), Text, tokens} {
		src := New(f)
		for i := range 16 << 10 {
			v := string([]byte{'1' + byte(i%9), '0' + byte(i%7)})
			switch {
			case v == "12":
				add(src, nil)
			case f.Buffers == Values:
				add(src, []byte("0000"+v+"00"))
			default:
				add(src, v)
			}
		}
		dst := New(f)
		b.Run(f.Arrow.String(), func(b *testing.B) {
			for b.Loop() {
				dst.Reset()
				dst.AppendRows(src, 3, 16<<10)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(16<<10), "ns/value")
		})
	}
}

// TestAppendRowsBy: what is copied later goes where the rows are, if there was room for all
// of them.
func TestAppendRowsBy(t *testing.T) {
	for _, f := range []*Form{Text, {Buffers: Values, Width: 8}} {
		src, want, got := New(f), New(f), New(f)
		for i := range 50 {
			if f == Text {
				src.Data = append(src.Data, strings.Repeat(string(rune('a'+i%26)), i*37)...)
				src.Offsets = append(src.Offsets, int32(len(src.Data)))
			} else {
				src.Fixed = append(src.Fixed, byte(i), 1, 2, 3, 4, 5, 6, byte(i))
			}
			src.AppendValid(1)
		}
		var later []func()
		parts := [][2]int{{3, 20}, {0, 50}, {49, 50}, {7, 7}}
		text := 0
		for _, p := range parts {
			want.AppendRows(src, p[0], p[1])
			text += src.TextBetween(p[0], p[1])
		}
		got.Room(text)
		for _, p := range parts {
			got.AppendRowsBy(src, p[0], p[1], func(to, from []byte) { later = append(later, func() { copy(to, from) }) })
		}
		if n := len(later); f == Text && n == 0 {
			t.Error("nothing is left to be copied later")
		}
		for _, f := range later {
			f()
		}
		if !bytes.Equal(got.Data, want.Data) || !bytes.Equal(got.Fixed, want.Fixed) || !slices.Equal(got.Offsets, want.Offsets) || got.Len != want.Len {
			t.Errorf("%v: other rows than those that are copied at once", f.Buffers)
		}
	}
}
