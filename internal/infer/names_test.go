package infer

import (
	"strings"
	"testing"
)

// TestNames: what names columns, and what is data or something else.
func TestNames(t *testing.T) {
	for _, c := range []struct{ in, names string }{ // "": none are named
		{"# TYPE NAME VALUE\na 1 2\nb 3 4\n", "TYPE NAME VALUE"},
		{"# TYPE foo gauge\nfoo 1 2\nfoo 3 4\n", ""}, // a metric
		{"# HELP foo that\nfoo 1 2\nfoo 3 4\n", ""},
		{"Type,Name,50%\nGET,/,N/A\n,all,12\n", "Type Name 50%"},
		{"one,50%\ntwo,done\nthree,done\n", ""}, // no numbers below a share
		{"a,b\n1,2,\"x\"\n3,4,\"y\"\n", "a b column_3"},
		{"a,b\nx,y,\"z\"\nu,v,\"w\"\n", "a b column_3"},
	} {
		table, err := Guess([]byte(c.in), true, nil)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		names := table.names
		if names == nil && table.Header {
			for _, f := range table.first[0].fields {
				names = append(names, string(f.text))
			}
		}
		if got := strings.Join(names, " "); got != c.names {
			t.Errorf("%q: %q, want %q", c.in, got, c.names)
		}
	}
}

// TestFilledUp: blanks fill up fields between tabs where they do in two columns or more.
func TestFilledUp(t *testing.T) {
	for in, padded := range map[string]bool{
		"NAME\tNODE \tAGE\nweb \tone  \t5d\ndb  \tthree\t6d\n": true,
		"id\tcode\tn\n10\tab  \t2\n30\tcd  \t4\n":              false,
		"a\tb\tc\nx\t \ty\nz\t \tw\n":                          false,
	} {
		table, err := Guess([]byte(in), true, nil)
		if err != nil || table.Padded != padded {
			t.Errorf("%q: %v, %v", in, table.Padded, err)
		}
	}
}
