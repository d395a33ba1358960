package convert

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// TestMoveUp: rows that move up keep their places in the input and their literals, over rows before them and among them.
func TestMoveUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.IntRange(0, 5).Draw(t, "rows before")
		gap := rapid.IntRange(0, 5).Draw(t, "rows forgotten")
		moving := rapid.IntRange(1, 40).Draw(t, "rows that move")
		behind := rapid.IntRange(0, 3).Draw(t, "rows behind")
		from, to := before+gap, before+gap+moving
		var f Fields
		var left columns.Removal
		for row := range to + behind {
			f.Push(uint32(100+row), uint32(200+row))
			if rapid.IntRange(0, 3).Draw(t, "literal") == 0 {
				f.Literal = append(f.Literal, Literal{Row: uint32(row), Start: uint32(100 + row)})
			}
			if row >= from && row < to && rapid.IntRange(0, 2).Draw(t, "left out") == 0 {
				left.Rows = append(left.Rows, row-from)
			}
		}
		if len(left.Rows) > 0 {
			left.Prepare(moving, nil)
		}
		var starts, ends []uint32
		var literal []Literal
		for row := range to + behind {
			stays := row < before || row >= from && row < to && !slices.Contains(left.Rows, row-from)
			i := slices.IndexFunc(f.Literal, func(l Literal) bool { return int(l.Row) == row })
			if i >= 0 && (stays || row >= to) {
				l := f.Literal[i]
				if stays {
					l.Row = uint32(len(starts))
				}
				literal = append(literal, l)
			}
			if stays {
				starts, ends = append(starts, f.Start[row]), append(ends, f.End[row])
			}
		}
		f.MoveUp(from, to, gap, &left)
		if n := len(starts); !slices.Equal(f.Start[:n], starts) || !slices.Equal(f.End[:n], ends) || f.Len() != to+behind {
			t.Fatalf("%v up to %v, want %v up to %v", f.Start, f.End, starts, ends)
		}
		same := func(a, b Literal) bool { return a.Row == b.Row && a.Start == b.Start }
		if !slices.EqualFunc(f.Literal, literal, same) {
			t.Fatalf("literals %v, want %v", f.Literal, literal)
		}
	})
}
