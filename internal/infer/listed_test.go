package infer

import (
	"fmt"
	"strings"
	"testing"
)

// TestListed: what lines that begin alike are taken for, and what looks like them and is another
// table. The files of testdata/odd in cmd/dfaparse say more of what programs print.
func TestListed(t *testing.T) {
	for _, c := range []struct {
		in      string
		columns int // of the table whose last column is all that is left of the line; 0: it is another one
	}{
		{"a.go:1:x: y\na.go:2:z\nb.go:1:w w\n", 3},
		{"a.go:1:2: x\na.go:1:7: y\nb.go:3:1: z, w; v\n", 4},
		{"1:a b\n12:c:d\n", 2},
		{"12:a b\n1:c:d\n", 0},                                 // lines go up
		{"10:20:30 a b\n10:21:15 c d\n", 0},                    // times of day
		{"9:30 a b\n10:00 c d\n11:15 e f\n", 0},                // the same
		{"a.go:1:x\n10:y z\n", 0},                              // a file in some lines
		{"root:x:0:0:root:/root:/bin/sh\n", 0},                 // one line
		{"a.go:1:x y\na.go:2:z w\nBinary file b matches\n", 0}, // another line
		{"2024-01-01T10:20:30 a\n2024-01-01T10:20:31 b\n", 0},  // the zero of a time
		{"   1 a b\n  12 c\n 400 d, e; f\n", 2},                // counts
		{" 1 2 a b\n10 4 c\n", 0},                              // two columns of numbers
		{"  1   2 a\n 12  30 b c\n", 3},                        //
		{"   1 2 3\n   4 5 6\n", 0},                            // numbers alone
		{"   1 a 3\n   4 b 6\n", 0},                            // three columns
		{"1 a b\n12 c\n", 0},                                   // not below each other
		{"4df3c86 a b\n5f3e8e6 c: d, e\n", 2},                  // hashes
		{"defaced a b\neffaced c\n", 0},                        // words
		{"20240101 a b\n20240102 c\n", 0},                      // dates
		{"4df3c86 1 x\n5f3e8e6 2 y\n", 0},                      // three columns
		{"Name: a, b\nSize: 1\nFlags:\n", 2},                   // labels
		{"name: a\nsize: b c: d\n", 0},                         // two lines
		{"a: 1 kB\nb: 2 kB\nc: 3 kB\n", 0},                     // numbers with units
		{"http://a: b\nx: y\nz: w\n", 0},                       // a colon without a blank
		{"a: b: c\nd: e: f\ng: h: i\n", 0},                     //
		{"name,note: a\nAnn,b: c\nBob,d: e\nCid,f: g\n", 0},    // commas
		{"{\"a\": 1}\n{\"b\": 2}\n{\"c\": 3}\n", 0},            //
	} {
		r, ok := listed([]byte(c.in), true)
		got := 0
		if ok {
			got = r.Columns
		}
		if got != c.columns {
			t.Errorf("%q: %d columns, want %d", c.in, got, c.columns)
		}
	}
}

// TestListedAll: what stands behind the sample is read as what stands in it.
func TestListedAll(t *testing.T) {
	var text strings.Builder
	for n := range 10000 {
		fmt.Fprintf(&text, "src/main.go:%d:line %s\n", n+1, strings.Repeat("a:b ", n/9999))
	}
	table, err := inferText(text.String())
	if err != nil {
		t.Fatal(err)
	}
	if table.Records != 10000 || table.Rejected > 0 || len(table.Columns) != 3 || table.Columns[1].Type != "i64" {
		t.Errorf("%d records, %d rejected (%s), %d columns", table.Records, table.Rejected, table.Reject, len(table.Columns))
	}
}
