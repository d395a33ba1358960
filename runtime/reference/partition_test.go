package reference

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawGrid draws a layout for n symbols.
func drawGrid(t *rapid.T, n int) Grid {
	return Grid{Chunk: rapid.IntRange(1, n+1).Draw(t, "chunk"), Threads: rapid.IntRange(1, 4).Draw(t, "threads")}
}

func TestSortByColumnIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ncolumns := rapid.SampledFrom([]int{0, 1, 2, 15, 16, 17, 255, 256, 257, 5000}).Draw(t, "columns")
		n := rapid.IntRange(0, 300).Draw(t, "symbols")
		if ncolumns == 0 {
			n = 0
		}
		s := makeSymbols(n)
		type item struct {
			column int32
			value  byte
			span   int32
		}
		var want []item
		for i := range n {
			s.Column[i] = int32(rapid.IntRange(0, ncolumns-1).Draw(t, "column"))
			s.Value[i], s.Span[i] = byte(i), int32(i)
			want = append(want, item{s.Column[i], s.Value[i], s.Span[i]})
		}
		slices.SortStableFunc(want, func(a, b item) int { return int(a.column - b.column) })
		s = SortByColumn(drawGrid(t, n), s, ncolumns)
		for i, w := range want {
			if got := (item{s.Column[i], s.Value[i], s.Span[i]}); got != w {
				t.Fatalf("symbol %d is %v, want %v", i, got, w)
			}
		}
	})
}

func TestFieldIndexFindsEverySpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOf(rapid.IntRange(0, 4)).Draw(t, "lengths")
		s := makeSymbols(0)
		for span, n := range lengths {
			for range n {
				s.Value, s.Column, s.Span = append(s.Value, 0), append(s.Column, 0), append(s.Span, int32(span))
			}
		}
		start, end := FieldIndex(drawGrid(t, s.Len()), s, len(lengths))
		at := 0
		for span, n := range lengths {
			if end[span]-start[span] != n || n > 0 && start[span] != at {
				t.Fatalf("span %d is %d-%d, want %d symbols at %d", span, start[span], end[span], n, at)
			}
			at += n
		}
	})
}

func TestSelectKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flags := rapid.SliceOf(rapid.Bool()).Draw(t, "flags")
		want := []int{}
		for i, f := range flags {
			if f {
				want = append(want, i)
			}
		}
		if got := Select(drawGrid(t, 1), len(flags), func(i int) bool { return flags[i] }); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestGridCoversEverySymbolOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 70).Draw(t, "symbols")
		g := drawGrid(t, n)
		seen := make([]int, n)
		g.Each(g.Chunks(n), func(i int) {
			for from, to := g.Bounds(i, n); from < to; from++ {
				seen[from]++
			}
		})
		for i, times := range seen {
			if times != 1 {
				t.Fatalf("symbol %d of %d in %d chunks", i, n, times)
			}
		}
	})
}
