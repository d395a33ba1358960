package infer

import (
	"strings"
	"testing"
)

// TestInPlaces: columns that only their places tell, and tables that are read better otherwise.
func TestInPlaces(t *testing.T) {
	for _, c := range []struct{ in, names string }{ // "": it is another one
		{"NAME  SIZE  NOTE\nweb      5  a b\ndb           c\n", "NAME SIZE NOTE"},                                               // an empty cell
		{"NAME  STATE       AGE\nweb   Up 2 hours  5d\ndb    Up 3 hours  7d\n", "NAME STATE AGE"},                               // blanks in a cell
		{"Proto Local Address  State\ntcp   0.0.0.0:22     LISTEN\ntcp   0.0.0.0:8080   LISTEN\n", "Proto Local_Address State"}, // blanks in a name
		{"List of things\n\nNAME  SIZE  NOTE\nweb      5  a\ndb           c\n", "NAME SIZE NOTE"},                               // lines above
		{"      total  used  free\nMem:     10     5     1\nSwap:     0     0     0\n", " total used free"},                     // a column without a name
		{"NAME  SIZE  NOTE\nweb      5  a\ndb       7  c\n", ""},                                                                // as many words in each line
		{"NAME  SIZE  NOTE\nweb      5  a b\ndb       7  c d\n", ""},                                                            // blanks in the last column alone
		{"NAME  SIZE  NOTE\nweb 5 a b\nlongername 7 c\n", ""},                                                                   // not below each other
		{"NAME  SIZE  NOTE\nweb      5  a\n\ndb           c\n", ""},                                                             // more than one table
		{"name; size; note\nweb ;    5; a\ndb  ;     ; c\n", ""},                                                                // separators
		{"NAME  SIZE  NOTE\nwéb      5  a\ndb           c\n", ""},                                                               // bytes are no places
		{"id  name      price\n--  --------  -----\n1   Ann Lee   2.5\n2             3.25\n", "id name price"},                  // a line drawn under names
		{"USER  FROM   WHAT\nann   x.ex   a b\njoe   y.ex   c\n", "USER FROM WHAT"},                                             // blanks in the last column alone, and no figures
		{"-- a --  -- b --\nx  y  z\n1     2\n3     4\n", "x y z"},                                                              // groups of columns
		{"NAME  SIZE  NOTE\nweb      5  a b\ndb           c\nx        6  d\n\n3 things listed.\n", "NAME SIZE NOTE"},            // a footer
		{"NAME  SIZE  NOTE\nweb      5  a b\ndb           c\nx        6  d\n\nSIZE = of the whole thing\n", "NAME SIZE NOTE"},   // more of what no column holds
		{"NAME  SIZE  NOTE\nweb      5  a b\ndb           c\nx        6  d\n    \n", "NAME SIZE NOTE"},                          // no more than blanks below
		{"id  name\n--- -------\n  1 Ann Lee\n  2\n\n(2 rows affected)\n", ""},                                                  // two names
		{"id  name    n\n--- ------- -\n  1 Ann Lee 5\n  2 Bob     6\n\n(2 rows affected)\n", "id name n"},                      // a line drawn under names says where columns are
		{"=== ====== =\nid  name   n\n=== ====== =\n1   Ann    2\n2   Bob B  3\n=== ====== =\n", "id name n"},                   // one above and below, too
		{"ORDER ID   SUM\n1          2\n3          4\n", "ORDER_ID SUM"},                                                        // two columns, of which one name has two words
		{"Sales by month\n1, 2, 3\n4, 5, 6\n", ""},                                                                              // words above commas
		{"a b c\n- - -\n1 2 3\n4 5 6\n", ""},                                                                                    // no more than words
		{"The above notice and\nthis one permission\nshall be in all of it\n\nThat was all of it.\n", ""},                       // more words
		{"It was late and\nshe had nothing to\nsay about it all\n", ""},                                                         // words
	} {
		r, ok := inPlaces([]byte(c.in), true)
		names := ""
		if ok {
			for i := range r.names {
				r.names[i] = strings.ReplaceAll(r.names[i], " ", "_")
			}
			names = strings.Join(r.names, " ")
		}
		if names != c.names {
			t.Errorf("%q: %q, want %q", c.in, names, c.names)
		}
		if _, ok := inPlaces([]byte(c.in), false); ok {
			t.Errorf("%q is no more than a sample", c.in)
		}
	}
}

// TestFootersOfPlaces: what is below a table in places, and where its records end by that.
func TestFootersOfPlaces(t *testing.T) {
	const above = "id  name    n\n--- ------- -\n  1 Ann Lee 5\n  2 Bob     6\n"
	for _, c := range []struct {
		below string
		lines int
		stop  string
	}{
		{"", 0, ""},
		{"\n(2 rows affected)\n", 1, ""},
		{"\n(2 rows affected)\n\nDone.\n", 3, ""},
		{"--- ------- -\n", 1, "--- ------- -"},
		{"--- ------- -\n\n2 rows\n", 3, "--- ------- -"},
	} {
		r, ok := inPlaces([]byte(above+c.below), true)
		if !ok || r.Foot != c.lines || r.StopAt != c.stop || len(r.rows) != 3 {
			t.Errorf("below %q: %+v, %v", c.below, r, ok)
		}
	}
}
