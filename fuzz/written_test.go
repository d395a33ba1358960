package fuzz

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// What a field means is found in what was written: null tokens, blanks that are cut
// off, separators, signs and quotes of values that are taken apart. "after escape"
// asks for what it decodes to.
var written = []struct {
	name, spec, input, rows string
}{
	{"PostgreSQL COPY", `format f extends pgcopy { fields { a i32  b str  c str } }`,
		"1\t\\N\tN\n2\t\\\\N\t\\N\n\\N\t\\x5cN\t\\x4e\n3\t\t\\t\n\\.\n",
		`1 null "N"|2 "\\N" null|null "\\N" "N"|3 "" "\t"`},
	{"PostgreSQL COPY, numbers", `format f extends pgcopy { fields { a i32 default "7"  b f64  c bool  d date } }`,
		"\\N\t\\N\t\\N\t\\N\n\\x31\t1\\x2e5\t\\164\t2024-01\\x2d02\n",
		`7 null null null|1 1.5 true "2024-01-02"`},
	{"after escape", `format f extends pgcopy { fields { a str null after escape "N" "x"  b u8 null after escape "0" } }`,
		"\\N\t\\N\nN\t0\n\\\\N\t\\x30\n\\x78\t1\n", `null null|null null|"\\N" null|null 1`},
	{"after escape, in every column", `format f extends pgcopy { fields { a str  b str }  null after escape "-" }`,
		"\\x2d\t-\n\\N\tx\n", `null null|null "x"`},
	{"after escape, in columns that the file names", `format f { delimited { sep ','  escape '\' }  header names  null "\\N"  null after escape "-" }`,
		"a,b\n\\N,\\-\nN,-\n\\\\N,\\\\-\n", `null null|"N" null|"\\N" "\\-"`},
	{"a Zeek log", `escape hex = '\' { x:hex2 }
		format f { delimited { sep '\t'  escape hex }  null "-"  fields { a str  b list(str, sep ',')  c list(u16, sep ',')  d str  e dict  g enum("-" up) null "?" } }`,
		"-\ta\\x2cb,c\t1,2\t(empty)\t-\tup\n\\x2d\t\\x2d\t-\t-\\x2d\t\\x2d\t\\x2d\n\\x2d\\x2d\t-\t\\x31,\\x32\t\\x2d \t\\x61\t-\n",
		`null ["a,b","c"] [1,2] "(empty)" null "up"|"-" ["-"] null "--" "-" "-"|"--" null [1,2] "- " "a" null`},
	{"values taken apart as they are decoded", `escape hex = '\' { x:hex2 }
		format f { delimited { sep '\t'  escape hex }  fields { a list(str, sep ',', after escape)  b map(str, pairs ';', after escape) } }`,
		"a\\x2cb,c\tx=1\\x3by=2\n", `["a","b","c"] {"x":"1","y":"2"}`},
	{"MySQL, quoted", `format f { delimited { sep ','  quote '"'  escape '\' }  null "\\N"  fields { a str  b str } }`,
		"\\N,N\n\"\\N\",\"N\"\n\"\\\\N\",\"a\\\"b\"\n", `null "N"|null "N"|"\\N" "a\"b"`},
	{"quoted tokens and doubled quotes", `format f { delimited { sep ','  quote '"' doubled }  fields { a str null "NA" "\"" ""  b u8 null "0" } }`,
		"\"NA\",\"0\"\nNA,0\n\"\"\"\",1\n\"\",\"\"\n", `null null|null null|null 1|null null`},
	{"trimmed", `format f { delimited { sep ','  escape '\' }  null "-"  fields { a str trim  b u8 trim  c str trim null "\\ -" } }`,
		" a , 1 ,\\ - \n\\ a\\ , \\1 ,  \\ -\\ \n - , - , \\\\ - \n \\-\\ ,2, \\-\\\t \n",
		`"a" 1 null|" a " 1 " - "|null null "\\ -"|"- " 2 "-\t"`},
	{"JSON in CSV", `format f { delimited { sep ','  quote '"' doubled }  fields { a list(str, open '[', close ']', quote '"', sep ',')  b str } }`,
		"\"[\"\"a,b\"\",\"\"c\"\"]\",x\n[],y\n", `["a,b","c"] "x"|[] "y"`},
	{"JSON in CSV, escaped", `format f { delimited { sep ','  quote '"'  escape '\' }
		fields { a list(str, open '[', close ']', quote '"', sep ',', after escape)  b list(str, open '[', close ']', quote '"', sep ',') } }`,
		"\"[\\\"a,b\\\",\\\"c\\\"]\",\"[\\\"a,b\\\",\\[c]\"\n", `["a,b","c"] ["\"a","b\"","[c"]`},
	{"escapes of the value itself", `escape both = '\' { '\' ',' n }
		format f { delimited { sep '\t' }  fields { a list(str, sep ',', escape both)  b str } }`,
		"a\\,b,c\\n\tx\n", `["a,b","c\n"] "x"`},
	{"escapes of the value in those of the record", `format f { delimited { sep '\t'  escape '\' }
		fields { a list(str, sep ',', escape '^')  b list(str, sep ',', escape '\')  c list(str, sep ',', escape '\', after escape) } }`,
		"a^,b,c\\,\\^,d\ta\\\\,b\ta\\\\,b\n", `["a,b","c,^","d"] ["a\\","b"] ["a,b"]`},
	{"kept escapes", `escape keep = '\' { other keep }
		format f { delimited { sep '\t'  escape keep }  fields { a list(str, sep ',', escape '\')  b str null "\\N" } }`,
		"a\\,b,c\t\\N\nx\\\ty\tN\n", `["a,b","c"] null|["x\ty"] "N"`},
	{"escapes of which some are kept", `escape some = '\' { '\' n x:hex2 other keep }
		format f { delimited { sep ','  quote '"'  escape some everywhere }  null "\\N" "a"  fields { a str  b str trim  c list(str, sep ';') } }`,
		"\\d+\\\\,\\n\\q ,x\\;y;\\x3b\n\\N,\"a\\\"\\,\\n\",\\x61\n\\x61,\\ \\ ,a\n",
		`"\\d+\\" "\n\\q" ["x\\","y",";"]|null "a\\\"\\,\n" ["a"]|"a" "\\ \\" null`},
	{"escapes of which some are kept, in columns that the file names", `escape some = '\' { t other keep }
		format f { delimited { sep ','  escape some }  header names }`,
		"\\a\\t,b\n\\t,\\q\\\n\\x\n", `"\t" "\\q\\\n\\x"`},
	{"escapes of which some are kept, in a template", "escape some = '\\' { '\"' other keep }\nformat f { record `{a} \"{b:some:-}\" {c...}` split b `{d} {e...}` fields { e str null \"\\\\e\" } }",
		"1 \"\\d \\e\" x\\y\n2 \"\\\"\\\\\" x\n3 \"a \\\"\\e\" x\n", `"1" "\\d \\e" "\\d" null "x\\y"|"2" "\"\\\\" null null "x"|"3" "a \"\\e" "a" "\"\\e" "x"`},
	{"escapes of which some are kept, in a split", "escape some = '\\' { '-' other keep }\nformat f { delimited { sep ',' }  split a `{b:some:-} {c:some}` fields { n u8  a str } }",
		"1,\\d\\- \\ x\n2,- \\-\n3,\\- y\n", `1 "\\d\\- \\ x" "\\d-" "\\ x"|2 "- \\-" null "-"|3 "\\- y" "-" "y"`},
	{"maps", `escape q = '\' { '"' '\' x:hex2 ' ' '=' }
		format f { delimited { sep ','  quote '"'  escape q }  fields { a map(str, pairs ' ', kv '=', quote "'")  b map(map(str), open '[', close ']', pairs ' ', kv '=', quote "'") } }`,
		"\"k=\\\"v\\\" l=a\\ b m\\==\\x27\",\"[id a='x' b='\\\"']\"\n",
		`{"k":"\"v\"","l":"a b","m=":"'"} {"id":{"a":"x","b":"\""}}`},
	{"a template", "escape clf = '\\' { '\"' '\\' n t r v b x:hex2 }\nformat f { record `{a:-} \"{b:clf:-}\" [[{c:-}] {d...}` fields { d str null \"-\" } }",
		"- \"-\" [-] -\n\\x2d \"\\x2d\" [\\x2d] \\x2d\n", `null null null null|"\\x2d" "-" "\\x2d" "\\x2d"`},
	{"split", "escape clf = '\\' { '\"' '\\' ' ' '-' x:hex2 }\nformat f { record `{n} \"{r:clf:-}\"` split r `{a} {b}[?{c}] {d}` fields { b str null \"-\" c str null \"-\" d date } }",
		"1 \"G\\x20T /a?- 2024-01-02\"\n2 \"G \\x2d?\\- 2024\\x2d01-02\"\n3 \"G - 2024-01-02\"\n4 \"-\"\n5 \"\\x2d\"\n6 \"G /\\x3fq 2024-01-02\"\n",
		`"1" "G T /a?- 2024-01-02" "G T" "/a" null "2024-01-02"|"2" "G -?- 2024-01-02" "G" "-" "-" "2024-01-02"|"3" "G - 2024-01-02" "G" null null "2024-01-02"|` +
			`"4" null null null null null|"5" "-" null null null null|"6" "G /?q 2024-01-02" "G" "/?q" null "2024-01-02"`},
	{"split after escape", "escape clf = '\\' { x:hex2 }\nformat f { record `{n} \"{r:clf:-}\"` split r `{a} {b}` after escape fields { b str null \"-\" } }",
		"1 \"G\\x20\\x2d\"\n2 \"a b\"\n", `"1" "G -" "G" null|"2" "a b" "a" "b"`},
	{"split with escapes of its own", "escape clf = '\\' { '\\' '-' ' ' }\nformat f { delimited { sep ','  escape '^' }  split r `{a:clf:-} {b:clf}` fields { n u8  r str  b str null \"\\\\-\" \"^-\" } }",
		"1,- x\n2,\\- \\-\n3,a\\ b -\n4,^- ^-\n5,\\^- \\^ x\n", `1 "- x" null "x"|2 "\\- \\-" "-" null|3 "a\\ b -" "a b" "-"|4 "- -" "-" null|5 "\\- \\ x" "-" " x"`},
	{"a trimmed value is split trimmed", "format f { delimited { sep ',' }  split r `{a} {b}` fields { n u8  r str trim null \"-\" } }",
		"1,  x y \n2, - \n", `1 "x y" "x" "y"|2 null null null`},
	{"a field that begins with an escape after a run", `format f { delimited { sep ' '+ leading trailing  escape '\' }  null "\\N"  fields { a str  b str  c str } }`,
		"\\N  \\N N \n N \\\\N   \\N\n", `null null "N"|"N" "\\N" null`},
	{"a hole that begins with an escape after blanks", "escape e = '\\' { 'N' '\\' }\nformat f { record `{a:e}{ }{b:e}[ {c:e}]` null \"\\\\N\" }",
		"\\N  \\N\nN \\\\N N\nx N \\N\n", `null null null|"N" "\\N" "N"|"x" "N" null`},
	{"a table", `dfa plus {
			group                       C=',' | N='\n' | P='+'     | B='\' | X=*
			SOR "at the start"        : SOF f | SOR r drop | FLD d=' ' | ESC e | FLD d
			SOF "at the start"        : SOF f | SOR r      | FLD d=' ' | ESC e | FLD d
			FLD "in a field"          : SOF f | SOR r      | FLD d=' ' | ESC e | FLD d
			ESC "after a backslash"   : FLD d | FLD d      | FLD d     | FLD d | FLD d
			eof : SOR ok, SOF|FLD r, ESC !
		}
		format f { dfa plus  fields { a str null "\\N" "a b" "+"  b list(str, sep ' ') } }`,
		"\\N,x+y\nN,x y\na+b,\\ z\n+,\na b,\n\\+,\n", `null ["x y"]|"N" ["x","y"]|"a b" [" z"]|null null|null null|"+" null`},
}

func TestWritten(t *testing.T) {
	all := settings(testing.Short())
	for _, c := range written {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			spec, err := compile.Compile("f.dfp", []byte(c.spec), compile.WithResolver(formats.Resolve))
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range spec.Warnings {
				if !strings.Contains(c.spec, `enum("-"`) {
					t.Errorf("warning: %v", w)
				}
			}
			p, err := dfa.DecodeProgram(spec.Program.Encode())
			if err != nil {
				t.Fatal(err)
			}
			got := outcome(t, p, strings.NewReader(c.input), runtime.WithEngine(reference.Engine))
			rows := strings.Split(c.rows, "|")
			if !strings.Contains(got, "\n"+strings.Join(rows, "\n")+"\n") || !strings.Contains(got, " Rejected:0 ") {
				t.Errorf("got\n%s\nwant the rows\n%s", got, strings.Join(rows, "\n"))
			}
			for mode, m := range modes {
				conform(t, mode, p, c.input, m, all)
				for i, damage := range append(damaged(c.input), strings.Repeat(c.input, 20)) {
					if i%3 == int(m) {
						conform(t, mode, p, damage, m, rotated(all, i/3))
					}
				}
			}
			for _, f := range spec.Program.Columns { // a column alone
				if !f.Hidden {
					conform(t, f.Name, p, c.input, dfa.Null, rotated(all, len(f.Name)), runtime.WithColumns(f.Name))
				}
			}
		})
	}
}
