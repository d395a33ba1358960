package reference

import (
	"math/bits"
	"sort"

	"github.com/dfaparse/dfaparse/dfa"
)

// Symbols are the symbols that are part of some value, decoded, each with its
// tags (ParPaRaw, section 3.2, last step). Where the paper tags a symbol with
// its record, Span is finer: a span is a field of one record, so that an empty
// field and a column that a record has twice need no rule of their own.
type Symbols struct {
	Value  []byte
	Column []int32 // index into Shape.Wanted
	Span   []int32 // index into Shape.Spans
}

// Len is the number of symbols.
func (s *Symbols) Len() int { return len(s.Value) }

func makeSymbols(n int) *Symbols {
	return &Symbols{make([]byte, n), make([]int32, n), make([]int32, n)}
}

// Tag gives the symbols of all spans, in input order. Each chunk finds the
// span that its first symbol lies in by a binary search among their ends,
// counts its symbols, and writes them where the prefix sum of the counts says.
func Tag(g Grid, a *dfa.Automaton, data []byte, ix *Index, spans *SpanTable) *Symbols {
	n := g.Chunks(len(data))
	each := func(chunk int, yield func(span int, value byte)) {
		from, to := g.Bounds(chunk, len(data))
		i := sort.Search(spans.Len(), func(i int) bool { return spans.End[i] > from })
		for p := from; p < to; p++ {
			for i < spans.Len() && spans.End[i] <= p {
				i++
			}
			if i == spans.Len() {
				return
			}
			if p < spans.Start[i] {
				continue
			}
			if spans.Raw[i] {
				yield(i, data[p])
			} else if value, ok := ix.Value(a, data, p); ok {
				yield(i, value)
			}
		}
	}

	counts := make([]int, n)
	g.Each(n, func(chunk int) {
		each(chunk, func(int, byte) { counts[chunk]++ })
	})
	place, total := PrefixSum(counts)
	out := makeSymbols(total)
	g.Each(n, func(chunk int) {
		at := place[chunk]
		each(chunk, func(span int, value byte) {
			out.Value[at], out.Column[at], out.Span[at] = value, int32(spans.Column[span]), int32(span)
			at++
		})
	})
	return out
}

// radix is how many ways one pass of SortByColumn parts the symbols.
const (
	radixBits = 4
	radix     = 1 << radixBits
)

// SortByColumn is the stable partitioning of the symbols by their column tags,
// which makes the symbols of each column lie together, its CSS (ParPaRaw,
// section 3.3): a radix sort, the lowest bits of the tags first. The symbols
// given are overwritten.
func SortByColumn(g Grid, s *Symbols, ncolumns int) *Symbols {
	blocks := Grid{Chunk: max(g.Chunk, radix), Threads: g.Threads} // no more counters than symbols
	other := makeSymbols(s.Len())
	for shift := 0; shift < bits.Len(uint(max(ncolumns-1, 0))); shift += radixBits {
		radixPass(blocks, other, s, shift)
		s, other = other, s
	}
	return s
}

// radixPass moves the symbols of from to to, ordered by the radixBits of their
// column tags above shift: (1) a histogram a block, (2) the prefix sum over
// the histograms, all blocks of digit 0 first, (3) each block scatters.
func radixPass(g Grid, to, from *Symbols, shift int) {
	n := g.Chunks(from.Len())
	digit := func(i int) int { return int(from.Column[i]>>shift) & (radix - 1) }
	histogram := make([]int, radix*n) // entry digit*n + block
	g.Each(n, func(block int) {
		lo, hi := g.Bounds(block, from.Len())
		for i := lo; i < hi; i++ {
			histogram[digit(i)*n+block]++
		}
	})
	place, _ := PrefixSum(histogram)
	g.Each(n, func(block int) {
		lo, hi := g.Bounds(block, from.Len())
		for i := lo; i < hi; i++ {
			at := &place[digit(i)*n+block]
			to.Value[*at], to.Column[*at], to.Span[*at] = from.Value[i], from.Column[i], from.Span[i]
			*at++
		}
	})
}

// FieldIndex is the index into the CSSs (ParPaRaw, section 3.3): per span,
// where its symbols begin and end among the sorted ones. A span without
// symbols keeps 0, 0. It is the run-length encoding of the tags: a symbol that
// has another tag than the one before it begins its span, and likewise ends it.
func FieldIndex(g Grid, sorted *Symbols, nspans int) (start, end []int) {
	start, end = make([]int, nspans), make([]int, nspans)
	g.Each(sorted.Len(), func(i int) {
		span := sorted.Span[i]
		if i == 0 || sorted.Span[i-1] != span {
			start[span] = i
		}
		if i == sorted.Len()-1 || sorted.Span[i+1] != span {
			end[span] = i + 1
		}
	})
	return start, end
}
