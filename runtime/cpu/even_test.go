package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/internal/convert"
)

// TestEven: records get as many marks as there are columns and one more, and fields that they have not are absent.
func TestEven(t *testing.T) { onEach(t, testEven) }

func testEven(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for range 3000 {
		most, last := 1+rng.IntN(20), rng.IntN(9)
		records, number := make([]uint32, 1+rng.IntN(40)), last
		for i := range records {
			number += 1 + rng.IntN(most+2)
			records[i] = uint32(number)
		}
		marks, at := make([]mark, number+1+rng.IntN(3*scatterRows)), 0
		for i := range marks {
			at += 3 + rng.IntN(9)
			marks[i] = mark(at)
			if rng.IntN(5) == 0 {
				marks[i] |= markQuoted
			}
		}
		to := make([]mark, len(records)*(most+1)+rng.IntN(2)*scatterRows)
		makeEven(to, most, marks, last, records)

		room, least := len(records)+rng.IntN(9), most
		for i, before := 0, last; i < len(records); i, before = i+1, int(records[i]) {
			least = min(least, int(records[i])-before)
		}
		columns, checks := make([]plainColumn, most+1), make([]scatterColumn, most+1)
		for c := range columns {
			columns[c].start, columns[c].end = make([]uint32, room), make([]uint32, room)
			checks[c].start, checks[c].end = &columns[c].start[0], &columns[c].end[0]
		}
		scatterGeneric(columns, checks, append(to, make([]mark, most+1)...), 0, len(records), 0)
		missing(columns[:most], least, 0, last, records)
		for c, x := range columns[:most] {
			start, end, before := []uint32(nil), []uint32(nil), last
			for _, number := range records {
				s, e := convert.Absent, uint32(0)
				if m := before + c + 1; m <= int(number) {
					around := uint32(min(marks[m]>>markEnclosed, 1))
					s, e = uint32(marks[m-1].offset())+1+around, uint32(marks[m].offset())-around
				}
				start, end, before = append(start, s), append(end, e), int(number)
			}
			if !slices.Equal(x.start[:len(records)], start) || !slices.Equal(x.end[:len(records)], end) {
				t.Fatalf("column %d of %d: %d to %d, want %d to %d", c, most, x.start, x.end, start, end)
			}
		}
	}
}
