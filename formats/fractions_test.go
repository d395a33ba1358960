package formats

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

var clockOfRecord = regexp.MustCompile(`^(.{0,40}?\d\d:\d\d:\d\d)([.,]\d+)?`)

// TestFractions: a record whose time lacks the fraction of a second that those of its format have, or has one where
// these have none, is read, or is rejected; it is not lost in the one before.
func TestFractions(t *testing.T) {
	formats := 0
	for _, name := range Names() {
		s, err := Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(s.Examples[0].Input, "\n")
		other := clockOfRecord.ReplaceAllString(first, "$1")
		if other == first {
			other = clockOfRecord.ReplaceAllString(first, "$1.123")
		}
		count := func(text string) (rows, rejected int64) {
			r, err := runtime.ReadBytes([]byte(text), s.Program, runtime.WithEngine(reference.Engine), runtime.WithErrorMode(dfa.Reject))
			if err != nil {
				return 0, 0 // without the lines that it skips
			}
			defer r.Release()
			for r.Next() {
			}
			return r.Stats().Rows, r.Stats().Rejected
		}
		if rows, _ := count(first + "\n"); rows != 1 || other == first {
			continue // a header, or a record of several lines
		}
		formats++
		if rows, rejected := count(first + "\n" + other + "\n"); rows+rejected != 2 {
			t.Errorf("%s: %d rows, %d rejected, of %q", name, rows, rejected, other)
		}
	}
	if formats < 40 {
		t.Errorf("%d formats", formats)
	}
}
