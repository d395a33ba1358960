package enginetest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// drawCounted draws an automaton whose records are told by the first few symbols: behind these it counts, and what a
// symbol does depends on its number alone, up to the end of the line. So are records that are cut by widths.
func drawCounted(t *rapid.T) Machine {
	pick := func(most int, what string) int { return rapid.IntRange(0, most).Draw(t, what) }
	odds := func(n int, what string) bool { return pick(n-1, what) == 0 }
	b := dfa.NewBuilder()
	start, wrong := b.AddState("START", "at the start of a record"), b.AddState("WRONG", "after an error")
	bad := dfa.Emission{Kind: dfa.Error, Code: b.Message("wrong")}
	feed, comes := dfa.Bytes('\n'), dfa.Bytes('\r')
	returns := odds(2, "returns")
	// ends adds the end of the lines that end in a state.
	ends := func(s dfa.StateID, end dfa.Emission) {
		b.On(s, feed, start, end)
		b.EOF(s, end)
		if !returns {
			return
		}
		cr := b.AddState(fmt.Sprintf("CR%d", s), "after a return")
		end.Lag, end.Open = 1, 1
		b.On(s, comes, cr, skip)
		b.On(cr, feed, start, end)
		b.Otherwise(cr, wrong, bad)
		b.EOF(cr, end)
	}
	does := []dfa.Emission{data, data, data, skip, field, {Kind: dfa.Field, Column: dfa.NextColumn, Touch: true}, {Kind: dfa.Field, Column: int16(pick(3, "column")), Touch: true}}
	// count adds states behind s, in which records of a class end.
	count := func(s dfa.StateID, class uint8) {
		for i := range 1 + pick(9, "states") {
			end := record
			end.Class = class
			if odds(6, "too short") {
				end.Code = bad.Code
			}
			ends(s, end)
			if odds(12, "stays") {
				b.Otherwise(s, s, data)
				return
			}
			next := b.AddState(fmt.Sprintf("S%d_%d", s, i), "")
			b.Otherwise(s, next, does[pick(len(does)-1, "does")])
			s = next
		}
		ends(s, record)
		b.Otherwise(s, wrong, bad)
	}
	end := record
	end.Record = dfa.DroppedRecord
	b.On(start, feed, start, end)
	b.EOF(start, skip)
	b.On(wrong, feed, start, record)
	b.Otherwise(wrong, wrong, skip)
	b.EOF(wrong, record)
	comment := b.AddState("COMMENT", "in a comment")
	b.On(start, dfa.Bytes('#'), comment, skip)
	b.On(comment, feed, start, end)
	b.Otherwise(comment, comment, data)
	b.EOF(comment, end)
	for class, first := range []byte("ab")[:1+pick(1, "heads")] {
		s := b.AddState(fmt.Sprintf("HEAD%d", class), "")
		b.On(start, dfa.Bytes(first), s, data)
		if odds(2, "longer") {
			next := b.AddState(fmt.Sprintf("HEAD%d_2", class), "")
			ends(s, record)
			b.On(s, dfa.Bytes('0'), next, data)
			b.Otherwise(s, wrong, bad)
			s = next
		}
		count(s, uint8(class))
	}
	b.Otherwise(start, wrong, bad)
	a := build(t, b)
	return Machine{"counted", a, "aab00000#\r\n\n", []string{"a0", "a0000", "b000", "b00000000", "a", "00"}, ""}
}
