package runtime_test

import (
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
)

// TestHeaders: headers of several records, and headers after empty lines, in every way.
func TestHeaders(t *testing.T) {
	const (
		joined = `delimited { sep ','  quote '"' doubled } header names 2 joined '/'`
		three  = `delimited { sep ','  comment "#" } skip 1 line header names 3 joined ""`
		again  = `delimited { sep ','  quote '"' doubled  comment "#" } header names after blank`
		anyEOL = `delimited { sep ','  eol any } header names after blank`
		text   = `delimited { sep ','  eol "@!;" } header names after blank`
		blanks = `delimited { sep ' '+ leading trailing  comment "#" after data } header names after blank`
		meta   = `delimited { sep ',' } header names after blank directive "##" metadata stop at "END"`
		typed  = `delimited { sep ',' } header names after blank fields { n u8  "t*" i8 ? }`
	)
	for _, c := range []struct{ spec, in, columns, rows string }{
		{joined, "a,b,c\nx,,\"y\nz\"\n1,2,3\n", "a/x|b|c/y\nz", `"1" "2" "3"`},
		{joined, "a\n\n,b\n1,2\n", "a|b", `"1" "2"`},
		{joined, "a,a\n,\n1,2\n", "a|a_2", `"1" "2"`},
		{joined, ",\n,\n1,2\n", "column_1|column_2", `"1" "2"`},
		{joined, "a,b\r\nc,d", "a/c|b/d", ``},
		{three, "what,ever\na,b\n#\nc,d\ne,f\n1,2\n", "ace|bdf", `"1" "2"`},
		{joined, "a,b\n", "", "the input ends before the header that names the columns"},
		{joined, "a,b\n\"c\"d,e\n1,2\n", "", `2:4: "," or the end of the record must follow`},
		{again, "a,b\n1,2\n\nb,c\n3,4\n", "a|b|c", `"1" "2" null | null "3" "4"`},
		{again, "\n\na,b\r\n1,2\r\n\r\n\r\n\"b,\",c\r\n3,4\r\n", "a|b|b,|c", `"1" "2" null null | null null "3" "4"`},
		{again, "# x\na\n1\n# y\n2\n\n# z\nb\n3", "a|b", `"1" null | "2" null | null "3"`},
		{again, "a\n\"x\n\ny\"\n\nb\n2\n", "a|b", `"x\n\ny" null | null "2"`},
		{again, "a b\n1\n", "a b", `"1"`},
		{again, "a,,a\n1,2,3\n", "a|column_2|a_2", `"1" "2" "3"`},
		{again, "a\n1\n\nb", "a|b", `"1" null`},
		{again, "a\n1\n\n\n", "a", `"1"`},
		{anyEOL, "a\r1\r\rb\r2", "a|b", `"1" null | null "2"`},
		{anyEOL, "a\r\n1\r\n\r\nb\r\n2\n\nc\n3", "a|b|c", `"1" null null | null "2" null | null null "3"`},
		{text, "a@!;1@!;@!;@;b@!;2", "a|@;b", `"1" null | null "2"`},
		{blanks, " a  b # names\n 1 2\n#\n\nb c\n3  4\n", "a|b|c", `"1" "2" null | null "3" "4"`},
		{meta, "##x\na\n1\n\n## y\nb\n2\nEND\n\nz\n", "a|b", `"1" null | null "2"`},
		{typed, "n,t1\n1,2\n\nt2,n\n3,4\n", "n|t1|t2", `1 2 null | 4 null 3`},
		{typed, "n\n1\n\nm\n2\n", "", `directive: column "n" is missing`},
		{again, "a\n1\n\n\"b\"c\n2\n", "", `4:1: directive: the header cannot be read: "," or the end of the record must follow`},
		{again, "a,b\n1\n", "", `2:2: record 1, the record has 1 field; expected 2`},
	} {
		sameNamed(t, c.spec, c.in, c.columns, c.rows, runtime.ErrDirective, runtime.ErrHeader, runtime.ErrTooFewFields)
	}
}
