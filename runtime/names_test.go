package runtime_test

import (
	"io"
	"strings"
	"testing"
)

// TestNamesMadeUp: a name that is made up for a column is never one that the
// input has.
func TestNamesMadeUp(t *testing.T) {
	const words = `delimited { sep ' ' } directive "#F" schema ragged pad`
	for _, c := range []struct{ spec, in, want string }{
		{"csv", "a,a,a_2\n", "a a_3 a_2"},
		{"csv", "a_2,a,a\n", "a_2 a a_3"},
		{"csv", "a,a,a,a_2,a_4,a\n", "a a_3 a_5 a_2 a_4 a_6"},
		{"csv", "a,a_2,a_2,a\n", "a a_2 a_2_2 a_3"},
		{"csv", ",column_1,\n", "column_1_2 column_1 column_3"},
		{"csv", ",,column_1,column_1,column_1_2\n", "column_1_3 column_2 column_1 column_1_4 column_1_2"},
		{"csv_lax", "\xff,\xff,\"\ufffd_2\"\n", "\ufffd \ufffd_3 \ufffd_2"},
		// A spec gives the second of a name its type by the name that it gets.
		{`delimited { sep ',' } header names fields { a str  a_2 i32 }`, "a,a\nx,1\n", "a a_2"},
		{`delimited { sep ',' } header names fields { a str  a_2 i32 }`, "a,a,a_2\nx,y,1\n", "a a_3 a_2"},

		{words, "#F a a\n1 2\n#F a a\n3 4\n", "a a_2"},
		{words, "#F a_2\n1\n#F a a\n3 4\n", "a_2 a a_3"},
		{words, "#F a a\n1 2\n#F a a_2\n3 4\n", `3:1: directive: names a column "a_2", which another "a" of an earlier line is called`},
	} {
		o := everyWay(t, spec(t, c.spec), func() io.Reader { return strings.NewReader(c.in) })
		var got []string
		if o.opened {
			for _, f := range o.schema.Fields() {
				got = append(got, f.Name)
			}
		}
		if s := strings.Join(got, " "); o.err == nil && s != c.want || o.err != nil && !strings.Contains(o.err.Error(), c.want) {
			t.Errorf("%q: %s, %v, want %s", c.in, s, o.err, c.want)
		}
	}
}
