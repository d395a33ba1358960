package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/guard"
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
		n := len(records) * (most + 1)
		size := n + rng.IntN(2)*scatterRows
		whole, want := slices.Repeat([]mark{7}, size+scatterRows), make([]mark, n+most+1)
		makeEven(whole[:size], most, marks, last, records)
		evenGeneric(want, most, marks, last, records)
		if !slices.Equal(whole[:n], want[:n]) || slices.Max(whole[size:]) > 7 {
			t.Fatalf("%d columns: %x, want %x and nothing behind", most, whole, want[:n])
		}

		first, least := rng.IntN(9), most
		room := first + len(records) + rng.IntN(9)
		for i, before := 0, last; i < len(records); i, before = i+1, int(records[i]) {
			least = min(least, int(records[i])-before)
		}
		columns, checks := make([]plainColumn, most+1), make([]scatterColumn, most+1)
		for c := range columns { // rows before and behind are others', and stay
			columns[c].start, columns[c].end = slices.Repeat([]uint32{9}, room+scatterRows)[:room], slices.Repeat([]uint32{3}, room+scatterRows)[:room]
			checks[c].start, checks[c].end = &columns[c].start[0], &columns[c].end[0]
		}
		scatterGeneric(columns, checks, want, first, len(records), 0)
		missing(columns[:most], least, first, last, records)
		for c, x := range columns[:most] {
			start, end, before := slices.Repeat([]uint32{9}, first), slices.Repeat([]uint32{3}, first), last
			for _, number := range records {
				s, e := convert.Absent, uint32(0)
				if m := before + c + 1; m <= int(number) {
					around := uint32(min(marks[m]>>markEnclosed, 1))
					s, e = uint32(marks[m-1].offset())+1+around, uint32(marks[m].offset())-around
				}
				start, end, before = append(start, s), append(end, e), int(number)
			}
			if n := len(start); !slices.Equal(x.start[:n], start) || !slices.Equal(x.end[:n], end) {
				t.Fatalf("column %d of %d: %d to %d, want %d to %d", c, most, x.start, x.end, start, end)
			}
			if behind := room + scatterRows; slices.Max(x.start[room:behind]) > 9 || slices.Min(x.end[room:behind]) < 3 {
				t.Fatalf("column %d of %d: %d to %d behind %d rows", c, most, x.start[room:behind], x.end[room:behind], room)
			}
		}
	}
}

// TestEvenAtEnd: of the marks that there may be none is read behind the last.
func TestEvenAtEnd(t *testing.T) {
	data, free := guard.Bytes(4<<10, false)
	defer free()
	marks := unsafe.Slice((*mark)(unsafe.Pointer(&data[0])), len(data)/int(unsafe.Sizeof(mark(0))))
	for most := 1; most < 40; most++ {
		to := make([]mark, 3*(most+1)+scatterRows)
		for behind := range most + 2*scatterRows {
			for _, n := range []int{1, most, most + 1} {
				last := len(marks) - 1 - behind
				makeEven(to, most, marks, last-3*n, []uint32{uint32(last - 2*n), uint32(last - n), uint32(last)})
			}
		}
	}
}
