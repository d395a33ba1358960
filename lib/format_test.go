//go:build cgo && (linux || darwin)

package main

import "testing"

// TestWidthWithoutAHeader: the columns are those of most records, as the command and the readers in Go have it, whatever
// the first has.
func TestWidthWithoutAHeader(t *testing.T) {
	for in, want := range map[string]int{
		"1,2,3\n1,2\n3,4\n5,6\n7,8\n": 2,
		"1,2\n1,2,3\n3,4,5\n5,6,7\n":  3,
	} {
		for _, said := range []dialect{{Header: "none"}, {Header: "none", AllStrings: true}, {Header: "none", Types: "column_1: u8"}} {
			f, err := newFormat(t.Context(), &formatOptions{Format: "csv", dialect: said}, []byte(in))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(f.program.Columns); n != want {
				t.Errorf("%q, %+v: %d columns, want %d", in, said, n, want)
			}
		}
	}
}
