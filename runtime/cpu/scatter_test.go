package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestScatter compares what fills rows with what marks mean.
func TestScatter(t *testing.T) { onEach(t, testScatter) }

func testScatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for range 3000 {
		n, nrows, first := 1+rng.IntN(20), rng.IntN(70), rng.IntN(5)
		room := first + nrows + rng.IntN(2)*rng.IntN(2*scatterRows) // more or fewer than vector code writes
		delta, enclosed := uint32(rng.IntN(100)), rng.IntN(3)
		marks := make([]mark, 1+n*nrows, 1+n*max(nrows, rng.IntN(2)*scatterRows)+scatterRows)
		at := rng.IntN(50)
		for i := range marks {
			marks[i] = mark(at)
			if enclosed > 0 && rng.IntN(20) < 10*enclosed-9 {
				marks[i] |= []mark{markQuoted, markBracket, markDoubled}[rng.IntN(3)]
			}
			at += 3 + rng.IntN(50)
		}
		marks = marks[:cap(marks)-rng.IntN(scatterRows)] // more or fewer than vector code reads
		for i := range marks[1+n*nrows:] {               // of the next records, or of none
			marks[1+n*nrows+i] = mark(rng.Uint32()) >> (32 * rng.IntN(2))
		}
		columns, checks := make([]plainColumn, n), make([]scatterColumn, n)
		for c := range columns {
			columns[c].start, columns[c].end = make([]uint32, room), make([]uint32, room)
			if room > 0 {
				checks[c].start, checks[c].end = &columns[c].start[0], &columns[c].end[0]
			}
			if rng.IntN(30) == 0 {
				checks[c].check = []mark{markQuoted, markBracket, markDoubled}[rng.IntN(3)]
				checks[c].want = checks[c].check & mark(-rng.IntN(2))
			}
		}
		got := scatter(columns, checks, marks, first, nrows, delta)
		want := true
		for c := range columns {
			start, end := make([]uint32, first+nrows), make([]uint32, first+nrows)
			for r := range nrows {
				before, m := marks[r*n+c], marks[r*n+c+1]
				start[first+r], end[first+r] = uint32(before.offset())+delta+1, uint32(m.offset())+delta
				if m >= markBracket {
					start[first+r]++
					end[first+r]--
				}
				want = want && m&checks[c].check == checks[c].want
			}
			if columns[c].start, columns[c].end = columns[c].start[:first+nrows], columns[c].end[:first+nrows]; !slices.Equal(columns[c].start, start) || !slices.Equal(columns[c].end, end) {
				t.Fatalf("column %d of %d, rows from %d on: %d to %d, want %d to %d", c, n, first, columns[c].start, columns[c].end, start, end)
			}
		}
		if got != want {
			t.Fatalf("%d columns, checks %x, marks %x: %v, want %v", n, checks, marks, got, want)
		}
	}
}
