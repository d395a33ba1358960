package cpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// smallHops makes windows and batches small, until the test ends.
func smallHops(t *testing.T, window, records int) {
	w, warm, least := hopWindow, warmRecords, minAbreast
	hopWindow, warmRecords, minAbreast = window, records, records
	t.Cleanup(func() { hopWindow, warmRecords, minAbreast = w, warm, least })
}

// hopFormats are templates of every kind, and what lines of them are made of: of each
// group of texts one is drawn. An empty line after a line goes on with it.
var hopFormats = []struct {
	name, spec string
	line       [][]string
}{
	{"optional groups", "format f { record `{a} {b}[ ({c})][ <{d}>]: {e...}` }", [][]string{
		{"a", "", "a-b", "x(y", "long-long-long-long"}, {" ", "  "}, {"b", ":", "b:", ""}, {"", " (c)", " (", " ()"}, {"", " <d>", " <d", " <>"}, {": "}, {"e", "", "e: f (g) <h>"}, {"\n", "\n", "\n", "\r\n", "\r"}}},
	{"two ways", "format f { record `{a} {b}[ ({c})]: {d}[ <{e}>] {f...}` fields { d u16 } }", [][]string{
		{"a", "longer"}, {" "}, {"b", "b", "bb"}, {"", " (c)"}, {": "}, {"1", "22"}, {"", "", " <e>"}, {" "}, {"f", "g h"}, {"\n"}}},
	{"times and runs", "format f { record `{ts} {level}{ }[[{thread}] {logger} - {msg...}`  fields { ts ts(\"%F %T.%f\") } }", [][]string{
		{"2024-05-06 07:08:09.123", "2024-05-06 07:08:09.5", "2024-5-6 07:08:09.1", "2024-05-06 07:08:61.1", "no"}, {" "}, {"INFO", "WARN", ""}, {" ", "  ", "\t ", ""}, {"[main]", "[]", "[a]b]", "main"}, {" a.B", " ", " a - b"}, {" - ", " -", " - - "}, {"msg", "", "a] [b - c"}, {"\n"}}},
	{"several lines", "format f { record `{ts} {level} {msg...}`  fields { ts ts(\"%F %T\") }  multiline { start `{ts}`  into msg } }", [][]string{
		{"2024-05-06 07:08:09 INFO ", "2024-05-06 07:08:09 WARN ", "\tat a.b", "2024-05-06 07:08", "", "2024-05-06 07:08:09 x"}, {"msg", "", "2024-05-06", "2024-05-06 07:08:09 y"}, {"\n", "\n", "\n\n", "\r\n"}}},
	{"stack traces", "format f { record `{ts} {level} - {msg...}`  fields { ts ts(\"%F %T\") }  multiline { start `{ts}`  into msg } }", [][]string{
		{"2024-05-06 07:08:09 INFO - ", "2024-05-06 07:08:09 WARN - ", "2024-05-06 07:08:09 x"}, {"msg", "", "2024-05-06"}, {"\n", "\n\tat a.b(c)\n", "\r\n"},
		{"", "\tat a.B(B.java:1)\n\tat a.C(C.java:2)\n", "\n", "\n\n", "20 more\n", "2024-05-06 07:08\n2\n", "java.io: no\r\n\tat a\n", "\n2024-05-06 07:08:0\n", "x\n2\n\n\ty\n"},
		{"", "\tat a.D(D.java:1)\n", "", "2024-05-06 07:08:09\n", "\r"}}},
	{"stack traces in CR LF", "format f { record `{ts} {level} - {msg...}`  fields { ts ts(\"%F %T\") }  multiline { start `{ts}`  into msg } }", [][]string{
		{"2024-05-06 07:08:09 INFO - ", "2024-05-06 07:08:09 WARN - ", "2024-05-06 07:08:09 x"}, {"msg", "", "2024-05-06"}, {"\r\n", "\r\n\tat a.b(c)\r\n", "\r\n", "\r\n\r\n", "\n", "\r"},
		{"", "\tat a.B(B.java:1)\r\n\tat a.C(C.java:2)\r\n", "\r\n", "20 more\r\n", "2024-05-06 07:08\r\n2\r\n", "\r\n2024-05-06 07:08:0\r\n", "x\r\n2\r\n\r\n\ty\r\n", "\n", "\r\r\n", "\tat\n"},
		{"", "\tat a.D(D.java:1)\r\n", "", "2024-05-06 07:08:09\r\n", "\r"}}},
	{"lines that go on", "format f { record `{a} {b} {msg...}`  multiline { continue '\\t' into msg } }", [][]string{
		{"a b ", "\ta b c", "a  ", "a"}, {"msg", "", "\t"}, {"\n", "\n", "\n\n"}}},
	{"marked", "format f { record `<{a}> {msg...}`  multiline { continue '\\t' into msg } }", [][]string{
		{"<a> ", "<> ", "<a>", "a ", "x"}, {"msg", "", "<"}, {"\n", "\n\tb\n", "\n\n"}, {"", "\tc\n\td\n", "x\n\td\n", "\n\te\n", "\tf\nx\n\ty\n"}}},
	{"prefixes", "format f { record `{a} {b} {msg...}`  multiline { continue \"  \" \"--> \" into msg } }", [][]string{
		{"a b ", "a  ", "a"}, {"msg", "", "\t"}, {"\n", "\n", "\n\n"}, {"", "  more\n--> and more\n", " \n", "-->\n", "--> \n", "  \n  \n"}, {"", "--> x\r\n"}}},
	{"escapes", "escape c = '\\' { '\"' '\\' n t x:hex2 }\nformat f { record `[[{a}] \"{b:c}\" {c:-} \"{d:c:-}\"` }", [][]string{
		{"[a] ", "[] ", "[a]] ", "a "}, {`"b"`, `""`, `"b\"c"`, `"\\"`, `"b" c"`, `"b\q"`}, {" c", " -", " "}, {` "d"`, ` "-"`, ` "\x41"`, ""}, {"\n"}}},
	{"escapes in texts", "escape c = '\\' { '\"' '\\' n t x:hex2 }\nformat f { record `{ts} [[{level}] user={user:-} msg=\"{msg:c}\" path=\"{path:c:-}\"[ <{d:c}>] took={took}` fields { took u16 } }", [][]string{
		{"2024-05-06T07:08:09", "x"}, {" [INFO] ", " [WARN] ", " [] "}, {"user=-", "user=ann", "user=a=b"},
		{` msg="started"`, ` msg="said \"no\""`, ` msg="\"first"`, ` msg="last\\"`, ` msg="\\"`, ` msg=""`, ` msg="\q"`, ` msg="a\x41\x0a\n"`, ` msg="\x4"`, " msg=\"a\nb\"", ` msg="a\\\"\\\" path=\"x"`},
		{` path="/a"`, ` path="-"`, ` path="\-"`, ` path="/\t\"x"`, ` path=""`}, {"", "", " <d>", ` <\">`, ` <d\\>`}, {" took=1", " took=70000", " took=", ""}, {"\n", "\n", "\n", "\r\n"}}},
	{"escapes over several lines", "escape c = '\\' { '\"' '\\' '\\n' n }\nformat f { record `{ts} \"{a:c}\" {msg...}`  fields { ts ts(\"%F %T\") }  multiline { start `{ts}`  into msg } }", [][]string{
		{"2024-05-06 07:08:09 ", "2024-05-06 07:08:09 ", "2024-05-06 07:08 ", "x"}, {`"a"`, `"\""`, `"a\\\"b"`, `"\q"`, "\"\\\n\"", `""`}, {" msg", " ", "", ` \"`}, {"\n", "\n", "\r\n", "\r"},
		{"", "", "\tat a.B\n", "2024-05-06 07:08\n", "2024-05-06 07:08:0\n\n", "\n", "\"\\\"\r\n"}}},
	{"many shapes", "format f { record `{a}[ ({b})] c={c}[ d={d}] e={e}[ f={f}]: {g}[ - {h}][ <{i}>]; {j...}` fields { c u8  e u16 } }", [][]string{
		{"a", "", "a b", "a (", "a c"}, {"", " (b)", " ()", " (b"}, {" c=1", " c=", " c=x", " c=2 "}, {"", " d=d", " d=", " d= e"}, {" e=300", " e="}, {"", " f=f:", " f="}, {": "}, {"g", "g - ", "g <", "g -h", ""}, {"", " - h", " -- h", " - "}, {"", " <i>", " <i>;", " <"}, {"; "}, {"j", "", "; j - k"}, {"\n", "\n", "\r\n"}}},
	{"one place after the other", "format f { record `{a} {b}/{c}/{d} {e} {f:-}[ <{g}>] {h}:{i}/{j} {k...}` fields { b u8  d u16  i i8 } }", [][]string{
		{"a", "", "a/b", "a b"}, {" 1", " 22", " x", " "}, {"/"}, {"c", "", "c c", "c:c"}, {"/4 ", "/70000 ", "/", " "}, {"e", "", "e/e", "e  e", "<"}, {" f", " -", " ", " /", ""}, {"", " <g>", " <g", " <g/>", " <>"},
		{" h:", " h h:", " h/h:", " :", " h"}, {"-1/", "/", "x/", "1/2/"}, {"j ", " ", "j", "j  "}, {"k", "", "k/k k:k"}, {"\n", "\n", "\n", "\r\n", "\n\n"}}},
	{"literals and times in a series", "format f { record `{a}:{b} [[{t}] {c} {d}/{e}=({f}) \"{g} {h}\" {i}` fields { b u16  t ts(\"%d/%b/%Y:%T\")  d u8 } }", [][]string{
		{"a", "", "a b", "a:"}, {":1", ":x", ":", "1"}, {" [", " ", "  ["}, {"06/Feb/2009:12:14:14", "06/Feb/2009:12:14:15", "6/Feb/2009:12:14:14", "06/Feb/2009", "06:Feb/2009:12:14:14", "06/Feb 2009:12:14:14", "06/Feb/2009:12:14:14]", "/////", "", "06 Feb (2009) [12:14"},
		{"] ", "]", "]  ", "] ] "}, {"c", "", "c/c", "c c"}, {" 1/", " /", " 256/", "/"}, {"e", "", "e=", "e=[e", "e/e:e"}, {"=(", "=", "("}, {"f", "", "f)", "f (f)", "f=(f/"}, {") \"", ") ", ")\"", ")  \""}, {"g ", " ", "g", "g g "}, {"h\"", "\"", "h", "h\"\"", "/h:h\""}, {" i", " ", "", " i i]/"}, {"\n", "\n", "\n", "\r\n", "\n\n"}}},
	{"runs between fields", "format f { delimited { sep \" \\t\"+ leading trailing  quote '\"' doubled }  null \"-\"  ragged pad truncate  skip \"#\"  fields { a str  b u8?  c u8?  d str?  e str?  f str? } }", [][]string{
		{"a", "", " a", `"a"`, "#a"}, {" 1", "\t1", "  1", " -", " x", " "}, {" 2", "\t\t2", " -", " 256", "  "}, {" d", " -", ` "d "" d"`, ` d"d`, "  d\t"}, {" e", "   e", " ", ""}, {" f", "\tf", " -", " f g", " ", ` "f`}, {"\n", "\n", " \n", "\r\n", "\n\n"}}},
	{"two beginnings", "format f { record `[<{p}>]{ts} {host} {msg...}`  fields { p u8  ts ts(\"%b %e %T\" | \"%F %T\") }  multiline { continue '\\t' ' ' into msg } }", [][]string{
		{"", "", "<1>", "<2", "<>"}, {"Feb  3 09:23:38", "2024-05-06 07:08:09", "Feb 30 09:23:38", "x", ""}, {" h ", " ", " h"}, {"msg", "", "Feb  3 09:23:38 x"}, {"\n", "\n", "\r\n", "\n\n", "\n\tat a\n", "\n<3\n"}}},
	{"rest and comments", "format f { record `{a} {b:-} {c}`  rest more  skip \"#\" }", [][]string{
		{"a ", "", "# a ", "#"}, {"b ", "- ", " "}, {"c", "", "c d e", "c  \"d"}, {"\n", "\n", "\n\n"}}},
	{"a rest behind what may be absent", "format f { record `{a} \"{b:-}\"[ <{c}>] {d}` rest more  fields { a u16  d u8 } }", [][]string{
		{"1", "22", "x", ""}, {` "b"`, ` "-"`, ` "b" "`, " b"}, {"", " <c>", " <c"}, {" 7", " 256", "", " -"}, {"", "", " more", " m \"o\" <r>  e ", "  ", " "}, {"\n", "\n", "\n", "\r\n", "\n\n"}}},
	{"quotes", "format f { delimited { sep ';' | '|'  quote '\"' doubled  escape '\\'  blanks }  fields { a str  b u16  c str } }", [][]string{
		{"a", "", `"a"`, ` "a;b" `, `"a""b"`, `"a\"b"`, ` a `}, {";", "|"}, {"1", "", "x", "65536"}, {";", "|"}, {"c", `"c` + "\n" + `d"`, "", " c "}, {"\n", "\n", ";d\n"}}},
	{"values", "format f { record `{a} <{b}>{ }{c}[ ({d})]: {e} {f:-}, {g...}` fields { a u8  b i16  c date(\"%F\")  d u8  e f32  f u8 } skip \"#\" }", [][]string{
		{"1", "#", "x", "", "256"}, {" <"}, {"-7", "y", "", "7 "}, {">"}, {" 2024-05-06", "2024-05-06", "  2024-13-01", " no", "\t", ""}, {"", " (8)", " (z)", " ()", " (8"}, {": "}, {"1.5", ".", "", "e"},
		{" 9, ", " -, ", " z, ", " , ", "  9, ", ","}, {"", "text", "a: b, c"}, {"\n", "\n", "\n", "\r\n", " \n"}}},
	{"values in a table", `dfa t {
  group E=';' | N='\n' | S=' ' | Q='"' | X=*
  A : T . | ! "open" | A f | Q . | A d
  T : ! | A r | ! | ! | !
  Q : Q d | ! "open" | Q d | U . | Q d
  U : T . | ! | A f | ! | !
  eof : A|T|U r, Q ! "open"
}
format f { dfa t  fields { a u8  b u8  c u8 } }`, [][]string{
		{"1", "x", `"2"`, `"y"`, "", `"`, "1 2"}, {" "}, {"3", `"4`, "z", `"z"`, ""}, {" 5", "", ` "6"`, " u", ` "`, ` "7;8"`, " 9 10"}, {";\n", ";\n", ";", "\n", ";;\n"}}},
	{"comments behind data", "format f { delimited { sep \" = \"  comment \"#\" after data }  fields { a u8  b str  c str ? }  ragged pad }", [][]string{
		{"1", "12", "x", "", "#", "  # 1", " "}, {" = ", " =", " = = ", "= "}, {"b", "", "b#", "b # c", "b = c", "b = c # d = e", " = #"}, {"\n", "#\n", " # d\n", "\r\n", "#\r\n", "\n\n", "\n#\n", "\n# x = y\n\n", "\n" + strings.Repeat("#", 90) + "\n"}}},
	{"comments behind the data of named columns", "format f { record one `:{a}: {b} ({c})`  record other `;{a}; {d...}`  lines { comment \"#\" after blanks }  blank skip  shape kind  fields { b u8  c u16 } }", [][]string{
		{":a: 1 (", ";a; ", ":a b: 2 (", "#", "", ":a: x (", "  # :a: 1 ("}, {"12)", "300)", ")", "70000)", "d e", "12"}, {"\n", "#\n", " # x\n", "\r\n", " #\r\n", "\n\n", "\n#\n#\n", "\n# (y)\n\n"}}},
	{"words of a few", "format f { record up `{at} {h} %{l}: Up {d} {p} conn {n} for {i}/{o} ({m}) to {x...}`  record down `{at} {h} %{l}: Down {p} conn {n} for {i}/{o} took {s}[ {r}]`  shape kind  fields { at ts(\"%F %T\")  l u8  d enum(in out)  p enum(TCP UDP ICMP)  n u32  i ip  o u16  m u16  s f32 } }", [][]string{
		{"2024-05-06 07:08:09 h %4: ", "2024-05-06 07:08:09 host %40: ", "2024-05-06 07:08:09 h %: ", "2024-05-06 07:08:9 h %4: ", "2024-05-06 07:08:09  %4: "}, {"Up in ", "Up out ", "Down ", "Up ", "Up inn ", "Up o "}, {"TCP conn ", "UDP conn ", "ICMP conn ", "TCP  conn ", "UDPconn ", "U conn "},
		{"4711", "47", strings.Repeat("0", 70) + "1", "", "4 7", "4x", "99999999999"}, {" for "}, {"10.0.0.7/80", "fe80::1/8080", "10.0.0.7/", "/80", "10.0.0.7:80", "1234567890.1234567890.1234567890/80"}, {" (443) to x", " () to ", " (443) to", " took 1.5", " took .5", " took 1. r", " took 1", " took 12.25 a reason"}, {"\n", "\n", "\r\n", "\n\n"}}},
	{"levels", "format f { record `{at} [{level}] ({n}) {a}={b}; {c}: {msg...}`  fields { at ts(\"%F %T\")  level enum(info warn error)  n u16  b enum(yes no)  c u8 } }", [][]string{
		{"2024-05-06 07:08:09 ", "2024-05-06 07:08:0 "}, {"[info] ", "[warn] ", "[error] ", "[] ", "[in] ", "[information] "}, {"(1) ", "(12) ", "() ", "(70000) "}, {"a=", "=", "a b="}, {"yes; ", "no; ", "; ", "yes ; ", "n; "}, {"1: ", "255: ", "256: ", ": "}, {"msg", "", "no; 1: msg"}, {"\n", "\n", "\r\n"}}},
	{"a table", `dfa t {
  group N='\n' | S=' ' | D='0'-'9' | X=*
  A "in a" : A r | B f | A d | A d
  B "in b" : A r | B . | C d | !
  C "in digits" : A r | A f | C d | !
  eof : A | B | C r
}
format f { dfa t  fields { a str  b str  c str }  ragged pad }`, [][]string{
		{"a", "", "abc"}, {" ", "  "}, {"1", "", "12", "x"}, {" c", ""}, {"\n"}}},
}

// TestHops: records read by hops, one by one and side by side, are those that the
// reference reads, whatever is odd about them and however they lie across windows.
func TestHops(t *testing.T) {
	onEach(t, testHops)
}

func testHops(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, f := range hopFormats {
		t.Run(f.name, func(t *testing.T) {
			spec, err := compile.Compile("f.dfp", []byte(f.spec))
			if err != nil {
				t.Fatal(err)
			}
			n, turns := 10, 2
			if testing.Short() {
				n, turns = 2, 3
			}
			for round := range n {
				// Mostly the first text of each, so that most records are alike.
				odd := 1 + rng.IntN(40)
				var text bytes.Buffer
				for range rng.IntN(400) {
					for _, group := range f.line {
						i := 0
						if rng.IntN(odd) == 0 {
							i = rng.IntN(len(group))
						}
						text.WriteString(group[i])
						if rng.IntN(500) == 0 {
							text.WriteString(strings.Repeat("w ", rng.IntN(300)))
						}
					}
				}
				opts := []runtime.Option{runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Reject, dfa.Null, dfa.Fail}[rng.IntN(4)])}
				if rng.IntN(4) == 0 {
					opts = append(opts, runtime.WithMaxRecord(1+rng.IntN(60)))
				}
				want := readBy(t, reference.Engine, spec.Program, text.Bytes(), opts...)
				for i, window := range []int{64, 256, 1024, windowMin} {
					for k, records := range []int{1, 4, 16} {
						if (i+k+round)%turns > 0 {
							continue // each with another text
						}
						smallHops(t, window, records)
						threads, chunk := 1+rng.IntN(3), 1<<(4+rng.IntN(12))
						how := append(opts, runtime.WithThreads(threads), runtime.WithChunkSize(chunk), runtime.WithPartitionSize(chunk*(1+rng.IntN(4))))
						if got := readBy(t, Engine, spec.Program, text.Bytes(), how...); got != want {
							t.Fatalf("window of %d, %d records, %d threads, chunks of %d: %q gives\n%s\nwant\n%s", window, records, threads, chunk, text.String(), got, want)
						}
					}
				}
			}
		})
	}
}

// readBy is the rows of in as JSON, and the errors, in one text.
func readBy(t *testing.T, e runtime.Engine, p *dfa.Program, in []byte, opts ...runtime.Option) string {
	var b strings.Builder
	r, err := runtime.ReadBytes(in, p, append([]runtime.Option{runtime.WithEngine(e), runtime.WithThreads(1), runtime.WithErrorMode(dfa.Reject),
		runtime.WithRejectHandler(func(j *runtime.Reject) error {
			fmt.Fprintf(&b, "reject %v %d %q\n", j, j.Start, j.Raw)
			return nil
		})}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rec := r.Record()
		text, err := rec.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	fmt.Fprintf(&b, "%v\n%+v\n", r.Err(), r.Stats().Account)
	return b.String()
}
