// Package near finds the word that a mistyped one was meant to be: a column, a format, a
// flag or a word of a language.
//
//	near.Word("colums", []string{"columns", "limit"}) // columns
package near

import (
	"fmt"
	"strings"
)

// longest is how many bytes a word has at most for which another one is looked for: what it
// takes grows with the product of both.
const longest = 64

// Word is the known word that word was probably meant to be: another one, with the fewest
// edits, at most three and a third of its letters, whatever their case; else "".
func Word(word string, known []string) string {
	best, least := "", min(len(word)/3, 3)+1
	for _, k := range known {
		if k == word {
			continue // it is known, and something else is wrong with it
		}
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// Hint goes behind a message about a name that there is not: the known one that is written almost
// like it, or else all of them, which all says what they are.
func Hint(name, all string, known []string) string {
	if meant := Word(name, known); meant != "" {
		return fmt.Sprintf(", did you mean %q?", meant)
	}
	return "; " + all + strings.Join(known, ", ")
}

// distance is the number of edits between a and b: insertions, deletions,
// substitutions and swaps of neighbours.
func distance(a, b string) int {
	const far = 1 << 10
	if len(a) > longest || len(b) > longest {
		return far
	}
	var two, one, row []int
	for i := 0; i <= len(a); i++ {
		row = make([]int, len(b)+1)
		for j := range row {
			switch {
			case i == 0:
				row[j] = j
				continue
			case j == 0:
				row[j] = i
				continue
			}
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, one = one, row
	}
	return row[len(b)]
}
