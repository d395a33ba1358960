package runtime

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSequence: a turn is the first when all before it have ended, in whatever order they did.
func TestSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s sequence
		var turns []*turn
		ended := map[int]bool{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if open := len(turns) - len(ended); open == 0 || open < 8 && rapid.Bool().Draw(t, "begins") {
				turns = append(turns, s.begin())
			} else {
				k := rapid.IntRange(0, len(turns)-1).Filter(func(k int) bool { return !ended[k] }).Draw(t, "ends")
				s.end(turns[k])
				ended[k] = true
			}
			before := true
			for k, turn := range turns {
				first := false
				select {
				case <-turn.first:
					first = true
				default:
				}
				if first != before {
					t.Fatalf("turn %d is first: %v, want %v", k, first, before)
				}
				before = before && ended[k]
			}
		}
	})
}
