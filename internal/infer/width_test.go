package infer

import (
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestLongFirstRecord: without a header, a first record with more fields than most keeps them where short ones have nulls,
// and is rejected elsewhere.
func TestLongFirstRecord(t *testing.T) {
	for _, c := range []struct {
		in               string
		given            Given
		ncolumns, nwrong int
	}{
		{"a b,1,2,3\nc d,4\ne f,5\ng h,6,7\ni j,8\nk l\nm n,9\n", Given{}, 4, 0},
		{"a b,1,2,3\nc d,4\ne f,5\ng h,6,7\ni j,8\nk l\nm n,9\n", Given{AllStrings: true}, 4, 0},
		{"1,2,3\n1,2\n3,4\n5,6\n7,8\n", Given{Lax: true}, 3, 0},
		{"1,2,3\n1,2\n3,4\n5,6\n7,8\n", Given{}, 2, 1},
		{"1,2\n1,2,3\n3,4,5\n5,6,7\n", Given{Lax: true}, 3, 0},
	} {
		table, err := Infer(t.Context(), "x", &Input{Sample: []byte(c.in), Whole: true}, &c.given, runtime.WithEngine(cpu.Engine))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(table.Columns); n != c.ncolumns || table.Rejected != int64(c.nwrong) {
			t.Errorf("%q, %+v: %d columns, %d rejected; want %d, %d", c.in, c.given, n, table.Rejected, c.ncolumns, c.nwrong)
		}
	}
}

// TestExclamations: behind an exclamation mark with no blank stands something, and no comment.
func TestExclamations(t *testing.T) {
	for in, want := range map[string]string{
		"! made by x\n! for y\na b\nc d\n":                            "!",
		"!\n! x\na,1\nb,2\n":                                          "!",
		"!Type:Bank\nD11/30'26\nT-1.5\n^\n!Type:Cash\nD12/01'26\n^\n": "",
		"@SEQ_1 1:N:0\nGATT\n+\n!*((\n@SEQ_2 1:N:0\nGATT\n+\n!*((\n":  "",
	} {
		table, err := Guess([]byte(in), true, &Given{})
		if err != nil || table.Comment != want {
			t.Errorf("%q: %v, %v, want %q", in, table, err, want)
		}
	}
}

// TestLevelledColumns: a message may hold what separates the columns of a log, where one of these is a level.
func TestLevelledColumns(t *testing.T) {
	for in, want := range map[string]bool{
		"2025-01-06 10:00:00;INFO;a\n2025-01-06 10:00:01;WARN;b; c\n2025-01-06 10:00:02;INFO;d\n":             true,
		"2025-01-06 10:00:00\t[info]\ta\n2025-01-06 10:00:01\t[warn]\tb\tc\n2025-01-06 10:00:02\t[info]\td\n": true,
		"2025-01-06 10:00:00,7,INFO,a\n2025-01-06 10:00:01,8,WARN,b, c\n2025-01-06 10:00:02,9,INFO,d\n":       true,
		"2025-01-06 10:00:00;7;INFO\n2025-01-06 10:00:01;8;WARN;c\n2025-01-06 10:00:02;9;INFO\n":              false,
		"2025-01-06 10:00:00;x;a\n2025-01-06 10:00:01;y;b;c\n2025-01-06 10:00:02;z;d\n":                       false,
	} {
		table, err := Guess([]byte(in), true, &Given{})
		if err != nil || table.Open != want {
			t.Errorf("%q: %v, %v", in, table, err)
		}
	}
}
