package convert

import "testing"

// TestLiterals: rows asked for in order are literal where they are if asked for alone, also where what is said of a row is of a
// record that was left out.
func TestLiterals(t *testing.T) {
	f := &Fields{Start: []uint32{1, 2, 3, 4, 5}, Literal: []Literal{{Row: 0, Start: 9}, {Row: 0, Start: 1}, {Row: 1, Start: 7}, {Row: 3, Start: 8}, {Row: 3, Start: 4}, {Row: 3, Start: 6}}}
	l := literals(f.Literal)
	for i, want := range []bool{true, false, false, true, false} {
		if got, alone := l.has(f, i), f.isLiteral(i); got != want || alone != want {
			t.Errorf("row %d: %v, alone %v, want %v", i, got, alone, want)
		}
	}
}
