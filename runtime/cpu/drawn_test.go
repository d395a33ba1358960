package cpu

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// drawnFormats are of kinds that are read in different ways, and what their records are made of.
var drawnFormats = []struct {
	name, spec string
	line       [][]string
	odd        []string
}{
	{"nested", `format f extends jsonl { keyed fields json path '.' { at ts  "user.id" u32  "user.name.last" str  n dec(5,2)  "a.b" str } }`, [][]string{
		{`{"at": "2024-05-06T07:08:09Z", `, `{"at":"2024-05-06T07:08:09Z",`, `{`, `{"at": null, `},
		{`"user": {"id": 7, "name": {"first": "Ann", "last": "Lee"}}, `, `"user":{"name":{"last":"L\"e\\"},"id":7},`, `"user": null, `, `"user": {"id": 7, "id": 8}, `, `"user": {"i\u0064": 8, "x": [1, "}"], "name": {"last": "\u00fc\ud83d\ude00"}}, `, `"user": {"id" : 1 , "name" : {}}, `, `"user": {"name": {"last": "eight or more\\"}, "id": "9"}, `, `"user": {"id": 7, "name": {"last": "Lee", "last": "B"}}, `, `"user": [1], `, `"user": {"id": 7,}, `},
		{`"n": 1.25, `, `"n": "x", `, ``, `"n": 1, "n": 2, `, `"n": 1e2, `},
		{`"a": {"b": "text"}}`, `"a": {"b": "text \" a"}}`, `"a": {"b": {"c": [1, 2]}}}`, `"a": "\u0061"}`, `"a": {"c": "unended}}`, `"a": {}}`, `"a": {"b": "\\"}}`},
		{"\n", "\n", "\r\n", "\n\n", ""}}, []string{`"`, `\`, `{`, `}`, `,`, "\xff", "\x00", "\r", `\u`, `\"`, " ", ":"}},
	{"keyed", `format f extends jsonl { keyed fields json { at ts  id u32  s str  t list(str, sep ';') } }`, [][]string{
		{`{"at": "2024-05-06T07:08:09Z", `, `{"at":"x\n",`, `{`},
		{`"id": 7, `, `"id": "7", `, `"id": 7, "id": 8, `, `"i\u0064": 4, `},
		{`"s": "text", `, `"s": "a\\", `, `"s": "\"", `, `"s": "\\\"", `, `"s": [1, "\""], `, ``, `"s": "", `, `"s": "é\u00e9", `},
		{`"t": "a;b"}`, `"t": "a\u003bb"}`, `"t": null}`, `"t": "open}`, `"z": {"t": 1}}`},
		{"\n", "\n", "\r\n", "\n\n", ""}}, []string{`"`, `\`, `{`, `}`, `,`, "\xff", "\x00", "\r", `\u`, `\"`, " ", ":"}},
	{"keyed pairs", "escape q = '\\\\' { '\"' '\\\\' n }\nformat f { record `{m...}`  fields { m map(str, pairs ' ', kv '=', quote '\"', escape q, duplicates first) }  keyed m { a u32  b str  c bool  f dict  a_key_of_twenty_five_char str  one_of_more_than_thirty_two_symbols u32 } }", [][]string{
		{"a=1", "a=x", "b=1", "a", "=", "z=3"}, {" b=\"t u\"", " b=t", "", " c", " a=2", " b=\"\\\"q\\\"\"", "  "}, {"", "", " d=4", " d=4 e=\"x y\" d=5", " e=\"\\n\"", " d", " \xc3\xa9=1", " \xff=1", " " + strings.Repeat("k", 200) + "=1", " f=x", " f=y", " a_key_of_twenty_five_char=1 f=x", " a_key_of_twenty_fiVe_char=1", " one_of_more_than_thirty_two_symbols=7", " one_of_more_than_thirty_Two_symbols=7"}, {"\n", "\n", "\r\n", "\n\n", ""}}, []string{"\"", " ", "=", "\\", "\n", "\r", "\xff", "\x00"}},
	{"keyed pairs with two separators", "format f { record `{m...}`  fields { m map(str, pairs \"; \", kv ' ', quote '\"', duplicates last) }  keyed m { a u32  b str } }", [][]string{
		{"a \"1\"", "a x", "b 1", "a", " ", "z 3", "a;b 2", "a; b 2"}, {"; b \"t; u\"", "; b t;u", "", ";", "; ", "; a 2", "; b  t"}, {"", "; d \"4\"", "; d 4; e \"x y\"; d 5", "; d", ";", "; e \"x\"y"}, {"\n", "\n", "\r\n", "\n\n", ""}}, []string{"\"", " ", ";", "; ", "\n", "\r", "\xff", "\x00"}},
	{"maps in brackets", `format f { record "{a} {m...}"  fields { a map(u32, open '{', close '}', pairs ',', kv ':', duplicates last)  m map(str, open '[', close ']', pairs ',', kv ':') }  keyed m { k u32  b str } }`, [][]string{
		{"{} ", "{} ", "{a:1} ", "{a:1,b:2,a:3} ", "{,} ", "{a:x} ", "a:1 ", "} ", " ", "{" + strings.Repeat("a:1,", 40) + "b:2} "}, {"[]", "[k:1]", "[k:1,b:x]", "[z:9,b:y,k:2]", "[k]", "[,]", "k:1,b:2", "[k:1]]", "[", "]", ""}, {"\n", "\n", "\r\n", "\n\n", ""}}, []string{"{", "}", "[", "]", ",", ":", "\xff", "\x00", "{}", "[]"}},
	{"w3c", `format f extends w3c { }`, [][]string{
		{"", "#Fields: date time cs-method cs-uri-stem sc-status\n", "#Fields: date time cs-method cs-uri-stem sc-status\n", "#Fields: date time cs-method cs-uri-stem sc-status\n", "#Software: x\n", "#Fields: date time sc-status cs-method\r\n", "#Fields: \n", "#Fields: sc-status\n", "#", "#Fields"},
		{"2024-05-06 ", "2024-05-66 ", "- ", ""}, {"07:08:09 ", "- ", "x "}, {"GET ", "\"a b\" ", "#Fields: "}, {"/a/b ", "- ", strings.Repeat("/long", 300) + " "}, {"200", "-", "x", "70000", "200 5"}, {"\n", "\r\n", "\n\n", "\r", "\n#", "\n#Fields: date"}}, []string{"\n#Fields: time\n", "\n#Date: x\n", "\r", "\n", "#", " ", "\x00", "\xff", "\n#Fields:"}},
	{"java", "format f { record `{ts} {level} [{thread}] {msg...}`  fields { ts ts(\"%F %T\") thread str ? }  multiline { start `{ts}`  into msg } }", [][]string{
		{"2024-05-06 07:08:09 ", "2024-05-06 07:08", "\tat a.b", "", "2024-13-06 07:08:09 "}, {"INFO ", "", "W\r"}, {"[main] ", "[] ", "["}, {"msg", "", "2024-05-06", strings.Repeat("long ", 40)}, {"\r\n\tat x\r\n\tat y\r\n", "\r\n", "\n", "\r\n\r\n", "\r\n\tat x\n\tat y\r\n", "\r\n\tat\r x\r\n", "\r\r\n"}}, []string{"\r", "\n", "\r\n", "\xff", "\x00", "[", "]", " ", "\n\r"}},
	{"java folded", "format f { record `{ts} {level} [{thread}] {msg...}`  fields { ts ts(\"%F %T\") thread str ? }  multiline { continue '\\t'  into msg } }", [][]string{
		{"2024-05-06 07:08:09 ", "2024-05-06 07:08", "\tat a.b", "", "2024-13-06 07:08:09 "}, {"INFO ", "", "W\r"}, {"[main] ", "[] ", "["}, {"msg", "", "2024-05-06", strings.Repeat("long ", 40)}, {"\n\tat x\n\tat y\n", "\n", "\r\n", "\r\n\tat x\r\n\tat y\r\n", "\n\n", "\r\n\r\n", "\r\n\tat x\n\tat y\r\n", "\r\n\tat\r x\r\n", "\r\r\n"}}, []string{"\r", "\n", "\r\n", "\xff", "\x00", "[", "]", " ", "\n\r"}},
	{"java any", "format f { record `{ts} {level} [{thread}] {msg...}`  fields { ts ts(\"%F %T\") thread str ? }  multiline { start `{ts}`  into msg } }", [][]string{
		{"2024-05-06 07:08:09 ", "2024-05-06 07:08", "\tat a.b", "", "2024-13-06 07:08:09 "}, {"INFO ", "", "W\r"}, {"[main] ", "[] ", "["}, {"msg", "", "2024-05-06", strings.Repeat("long ", 40)}, {"\n\tat x\n\tat y\n", "\n", "\r\n", "\r\n\tat x\r\n\tat y\r\n", "\n\n", "\r\n\r\n", "\r\n\tat x\n\tat y\r\n", "\r\n\tat\r x\r\n", "\r\r\n"}}, []string{"\r", "\n", "\r\n", "\xff", "\x00", "[", "]", " ", "\n\r"}},
	{"lists of maps", `format f { record "{n} {k} {m...}"  fields { n u32  k map(i16, pairs ';', kv '=', duplicates list) ?  m map(str, pairs ' ', kv '=', quote '"', doubled, duplicates list) } }`, [][]string{
		{"1 ", "x ", " "}, {"a=1;b=2;a=3 ", "a=1;b=x;a=y ", "a;a=;b=1;a=2 ", " ", "k=1;" + strings.Repeat("a=1;b=2;", 80) + "k=3 "}, {"a=1 ", "a=1 b=2 ", "\xff=1 é=2 ", ""}, {"c=\"x \"\"y\" a=2 c=3 a", "c=\"\" c c= c=\"", "\xfe=3 \xff=4 \xff=5", "a=\xff", "=1 =2"}, {"\n", "\r\n", "\n\n"}}, []string{"\"", " ", "=", ";", "\n", "\r", "\xff", "\x00"}},
	{"rest", `format f { delimited { sep ';'  quote '"' doubled }  fields { a u32  b str }  rest more }`, [][]string{
		{"1;", "x;", ";"}, {"b", "\"b;\"\"\"", "\"", ""}, {"", ";c;d", ";\"e;\n\";f", ";g;\"h", ";;;;", ";" + strings.Repeat("w;", 60)}, {"\n", "\r\n", "\n\n"}}, []string{"\"", ";", "\n", "\r", "\"\"", "\xff", "\x00"}},
	{"rest list", `format f { delimited { sep ';'  escape '\\'  comment "#" }  fields { a u32  b list(i16, sep ';') }  rest b  }`, [][]string{
		{"1;", "x;", ";"}, {"3", "", "70000"}, {"", ";4;5", ";\\;;6", ";;;;", ";" + strings.Repeat("7;", 60), "\\\n;8"}, {"\n", "\r\n", "\n\n", "\n# c;d\n"}}, []string{"\\", ";", "\n", "\r", "#", "\n#", "\xff", "\x00"}},
	{"shapes", "format f { lines { comment \";\"  after blanks }  record section `[[{section}]`  record e `k {k} = {v}`  record eightlon `: {k} {b}`  record an_entry_of_more_than_sixteen `-> {n} {b...}`  shape kind  null \"section\" \"\"  fields { n u8 ? } }", [][]string{
		{"k a = ", "[", ": b ", "-> 1 ", "-> x ", "; ", "", "k a=", "  ;"}, {"v", "v]", "", "section", "[v]", "a b"}, {"\n", "\n", "\r\n", "\n\n", ""}}, []string{"[", "]", "=", " = ", ": ", "-> ", "\r", "\n", "\xff", "\x00", ";", " "}},
	{"escapes that begin fields", "escape q = '\\\\' { '\"' '\\\\' n t r x:hex2 }\nformat f { record `n={n}{ }a=\"{a:q}\" b=\"{b:q:-}\"[ c=\"{c:q}\"] d={d:-}`  fields { n u16  d u64 } }", [][]string{
		{"n=7 ", "n=7  ", "n=x ", "n="}, {`a="`}, {"", `\"`, `\n`, `ab`, `\x41`, `a\\`, `\x4`, `\q`}, {`" b="\n`, `" b="-`, `" b="-`, `" b="`, `" b="\\`, `" b="\x41\x42\x43`, `" b="-\t`, `" b="\q`}, {``, `x`, `y\"`, `\`}, {`" `, `" c="" `, `" c="\"c\"" `, `" c="\x2d" `, `" c="c\`, `"`}, {"d=5", "d=-", "d=", "d=x"}, {"\n", "\r\n", "\n\n", ""}}, []string{`\`, `"`, "\n", "\r", "-", "\xff", "\x00", " ", `\\`, `\x4`, `\"`}},
	{"no dash before an escape", `dfa d {
		group                  E='\\' | C=',' | D='-'       | N='\n'    | L='n'     | X=*
		A0 "before the first"  : AE e | B0 f  | ! "no dash" | A0 r drop | A d       | A d
		A  "in the first"      : AE e | B0 f  | A d         | !         | A d       | A d
		AE "behind its lead"   : A d  | A d   | A d         | !         | A d='\n'  | A d
		B0 "before the second" : BE e | B d   | ! "no dash" | A0 r      | B d       | B d
		B  "in the second"     : BE e | B d   | B d         | A0 r      | B d       | B d
		BE "behind its lead"   : B d  | B d   | B d         | !         | B d='\n'  | B d
		eof : A0 ok, B0|B r, A|AE|BE ! "unfinished"
	}
	format f { dfa d  fields { a str  b str ? } }`, [][]string{
		{`a`, `-`, `\`, `\-`, `a-\na`, ``}, {`,`, `\,,`}, {`\nb`, `-`, `-b`, `\n`, ``, `b\\`}, {"", `-`, `\`}, {"\n", "\n", "\n\n", ""}}, []string{`\`, `,`, "\n", "-", "\xff", "\x00", `\\`, `\-`}},
	{"ragged", `format f { delimited { sep ','  quote '"' doubled }  fields { a u32  b str  c str ?  d u8 ?  e str ? }  ragged pad }`, [][]string{
		{"1", "x", "", "1\n2", "1,b\n2,b\n3"}, {",b", ",\"b,\"", "", ",\"b\"\"\""}, {",\"c\"", ",c", "", "", ",\"\n\""}, {",4", "", "", ",x"}, {",e", "", "", ",\"e,\"", ",e,f"}, {"\n", "\r\n", "\n\n", "\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n1,b\n"}}, []string{"\"", ",", "\n", "\r", "\"\"", "\xff", "\x00"}},
	{"runs", `format f { delimited { sep ' '+ leading trailing }  null "-"  fields { a u32 ?  b str  c f64 ?  d str ? }  ragged pad  header skip 1 }`, [][]string{
		{"1", "  12", " x", "-", "\ufeff1", ""}, {"  b ", " b  ", " ", "\t", "      bee  "}, {"1.5 ", "-  ", "1.5", "  2 "}, {"   dee", "", " ", "  dee ", "  d  e f"}, {"\n", "\r\n", "\n\n", " \n", "  \r\n", "\n  \n", "\n \r\n"}}, []string{" ", "\n", "\r", "  ", " \n", "\n ", " \r", "\xff", "\x00"}},
	{"runs of empty fields", `format f { delimited { sep " \t"+  comment "#" after blanks }  fields { z str  a u32 ?  b str  c str ? }  ragged pad truncate }`, [][]string{
		{" 1", "  12", "1", "\t\tx", "#"}, {"  b", " b", "\tb", " \tbee"}, {"  c", " ", "", "\t c d", "\r"}, {"\n", "\r\n", "\n\n", " \n", "\t\r\n", "\n# x\n", "\n  # x\n"}}, []string{" ", "\n", "\r", "\t ", " \n", "\n ", "\n#", " #", "\xff", "\x00"}},
	{"runs and quotes", `format f { delimited { sep ' '+ leading  quote '"' doubled }  fields { a u32 ?  b str  c str }  rest d }`, [][]string{
		{"1 ", "  \"12\"  ", " x ", "\"1\"\"2\" "}, {"bee ", "\"b  e\" ", "\"b \"\" e\"   ", "\"b\n e\" ", "b\"e "}, {"c", "\"c  c\"", "\" \"\"\"", "", "\""}, {"", " d", "  \"d d\"  e ", " \"", " ", " d  d  d  d  d  d  d  d  d  d  d"}, {"\n", "\r\n", "\n\n", " \n", "  \r\n"}}, []string{" ", "\"", "\n", "\r", "  ", "\"\"", "\" ", " \"", "\xff", "\x00"}},
	{"runs to the end and quotes", `format f { delimited { sep ' '+ leading trailing  quote '"' doubled }  fields { a u32 ?  b str  c str  d str ? }  ragged pad truncate }`, [][]string{
		{"1 ", "  \"12\"  ", " x ", "\"1\"\"2\" "}, {"bee ", "\"b  e\" ", "\"b \"\" e\"   ", "\"b\n e\" ", "b\"e "}, {"c", "\"c  c\"", "\" \"\"\"", "", "\""}, {"", " d", "  \"d d\"  e ", " \"", " ", " d  d  d  d  d  d  d  d  d  d  d"}, {"\n", "\r\n", "\n\n", " \n", "  \r\n"}}, []string{" ", "\"", "\n", "\r", "  ", "\"\"", "\" ", " \"", "\xff", "\x00"}},
	{"runs and a rest", `format f { delimited { sep ' '+ leading }  fields { a u32  b str ? }  rest d }`, [][]string{
		{"1", "  12", " x", "-"}, {"  b ", " b  ", " ", "      bee  ", ""}, {"d e f", "d", "", "d  ", strings.Repeat("w  ", 90)}, {"\n", "\r\n", "\n\n", " \n"}}, []string{" ", "\n", "\r", "  ", " \n", "\n ", " \r", "\xff", "\x00"}},
	{"runs and comments", `format f { delimited { sep " \t"+  quote '"' doubled  comment "#"  eol lf|crlf }  fields { a u32  b str  c str ? }  ragged pad }`, [][]string{
		{"1", "", "#", "# ", "#1 2 3\n1", "\n", "\r\n", "\"1\"", "\r", "x"}, {"  b", " \"b  \"\"\"", "", " #b", "\t\"#\n#\""}, {"\tc", "", " c d", " \"\n#x\""}, {"\n", "\n", "\n\n", "\n# x  \"y\" z\n", "\r\n", "\r\n#\r\n", "\n#" + strings.Repeat("long ", 40) + "\n", "\n\n\n#\n#\n1 b c\n2 b c\n#\n3 b c\n"}}, []string{"\"", " ", "\n", "\r", "#", "\n#", "\n\n", "\r\n\r", "\xff", "\x00"}},
	{"comments", `format f { delimited { sep ','  quote '"' doubled  comment "#" ";"  eol lf|crlf }  fields { a u32  b str  c str }  on_error reject }`, [][]string{
		{"1", "", "#", ";,", "#1,2,3\n1", "\n", "\r\n", "\"1\"", "\r", "x"}, {",b", ",\"b,\"\"\"", "", ",#b", ",\"#\n#\""}, {",c", ",", ",c,d", ",\"\n#x\""}, {"\n", "\n", "\n\n", "\n# x,\"y\",z\n", "\r\n", "\r\n#\r\n", "\n#" + strings.Repeat("long,", 40) + "\n", "\n\n\n#\n;\n1,b,c\n2,b,c\n#\n3,b,c\n"}}, []string{"\"", ",", "\n", "\r", "#", "\n#", "\n\n", "\r\n\r", "\xff", "\x00"}},
	{"comments between records of a few fields", `format f { delimited { sep ','  comment "#" }  fields { a u32  b str  c str ? }  ragged pad truncate }`, [][]string{
		{"1", "1", "", "#", "\n", "#,,,,,\n\n2"}, {",b", ",b", ",", ""}, {",c", ",c", "", ",c,d,e"}, {"\n", "\n", "\n\n", "\n#,\n", "\r\n", "\r\n\r\n"}}, []string{",", "\n", "\r", "#", "\n#", "\n\n", "\xff", "\x00"}},
	{"comments and a rest", `format f { delimited { sep ','  comment "#" }  fields { a u32  b str }  rest c }`, [][]string{
		{"1", "", "#", "\n"}, {",b", ""}, {",c,d,e", "", ",", ",c"}, {"\n", "\n\n", "\n#,\n", "\r\n", "\n#\n#\n1,b\n#\n1,b\n"}}, []string{",", "\n", "\r", "#", "\n#", "\n\n", "\xff", "\x00"}},
	{"runs in a template", "format f { record `{a}{ }{b}{ }{c}`  lines { comment \"#\" }  fields { a u32  b str  c str trim } }", [][]string{
		{"1", "", " ", "#", "\n", "1\r", "x"}, {"  b", "\tb", " \t b", "", " "}, {"  c", " c", "\tc", "", " c  d", " c ", " c\r", " c" + strings.Repeat(" d", 70)}, {"\n", "\n", "\r\n", " \n", "\n\n", "\n#x y\n", " \r\n", "\n1 b c\n2  b c\n1 b  c\n1 b c  d\n2  b c  d\n3 b c  d\n1 b c\n"}}, []string{" ", "\n", "\r", "  ", " \n", "\n ", " \r", "#", "\t", "\xff", "\x00"}},
	{"comments between records of any fields", `format f { delimited { sep ','  quote '"' doubled  comment "#" }  fields { a str  b str ?  c str ? }  ragged pad }`, [][]string{
		{"1", "1", "", "#", "\n", "#,,,,,\n\n2", "1\n2\n#\n3\n\n4\n5,b\n"}, {",b", "", ",", ",\"\n#\""}, {",c", "", ",c"}, {"\n", "\n", "\n\n", "\n#,\n", "\r\n", "\r\n\r\n", "\r\n#\r\n"}}, []string{",", "\n", "\r", "#", "\n#", "\n\n", "\"", "\xff", "\x00"}},
	{"lines of one field", `format f { delimited { sep ','  comment "#" }  fields { a str }  on_error null }`, [][]string{
		{"1", "1", "", "#", "\n", "#,,,,,\n\n2", "1\n2\n#\n3\n\n4\n5,b\n"}, {"", "", ","}, {"\n", "\n", "\n\n", "\n#,\n", "\r\n", "\r\n\r\n", "\r\n#\r\n"}}, []string{",", "\n", "\r", "#", "\n#", "\n\n", "\xff", "\x00"}},
	{"truncated", `format f { delimited { sep ','  quote '"' doubled }  fields { a u32  b str  c str ?  d u8 ? }  ragged pad truncate }`, [][]string{
		{"1", "x", "", "1\n2", "1,b\n2,b\n3", "1,2,3,4,5,6\n1"}, {",b", ",\"b,\"", "", ",\"b\"\"\""}, {",\"c\"", ",c", "", ",\"\n\""}, {",4", "", "", ",x", ",5,e,\"f,\"", ",6,,,"}, {"\n", "\r\n", "\n\n", strings.Repeat("\n1,b,c,4", 40) + "\n"}}, []string{"\"", ",", "\n", "\r", "\"\"", "\xff", "\x00"}},
	{"blanks", `format f { delimited { sep ','  quote '"' doubled  blanks  comment "#" }  fields { a u32  b str  c str ?  d u8 ? }  ragged pad }`, [][]string{
		{"1", "x", " 1", "  2\t", ""}, {",b", ", b ", ",\"b\" ", ",  \"b,\"", ", \"b\"\"\"", ", \"b"}, {", c", ",\tc", "", ", \"\n\" "}, {",4", ", 4", "", ", x", ",  "}, {"\n", "\n", " \n", "\r\n", "\n\n", "\n#c, \"\n", "\n 1, b, c\n 2, \"b\", c\n 1, b, c\n 1,b,c\n 1, b, \"c\" \n"}}, []string{"\"", ",", " ", "\n", "\r", "\"\"", "#", "\xff", "\x00"}},
	{"lines of blanks kept", `format f { delimited { sep ','  quote '"' doubled  blanks  comment "#" after blanks }  blank keep  fields { a str  b str ? }  ragged pad }`, [][]string{
		{"", " ", "\t ", "1", " \"a\" ", "#", " #c"}, {"", "", ",b", ", \"\n\"", ","}, {"\n", "\n", "\n  ", "\r\n", "\n \n", "\n  \r", ""}}, []string{"\"", ",", " ", "\n", "\r", "#", "\xff", "\x00"}},
	{"lines of separators kept", `format f { delimited { sep ' '+ leading trailing  eol any }  stop at "!"  fields { a str }  ragged truncate }`, [][]string{
		{"", " ", "  ", "1", " a ", "!"}, {"", "", " b"}, {"\n", "\n", "\n  ", "\r\n", "\n \n", "\r", "\r  ", ""}}, []string{" ", "\n", "\r", "!", "\xff", "\x00"}},
	{"blanks by schema", `format f { delimited { sep ','  quote '"' doubled  blanks }  directive "#Fields:" schema  directive "#" skip  fields { a u32 ?  b str ?  c str ?  d str ? }  ragged pad }`, [][]string{
		{"", "", "#Fields: a,b,c,d\n", "#Fields: a,d\n", "#x\n", "1, b\n1, b\n1,b,c,d\n1,b,c,d\n1,b,c,d\n1,b,c,d\n1,b,c,d\n1,b,c,d\n1,b,c,d\n1,b,c,d\n"}, {"1", " 1", "x", ""}, {",b", ", b ", ",\"b\" ", "", ", \"b\"\"\""}, {",c", ", c", "", "", ", \"\n\""}, {",d", ", d", "", "", ", d,e"}, {"\n", "\r\n", "\n\n", "\n1\n1,b\n", "\n1, b\n1,b\n"}}, []string{"\"", ",", " ", "\n", "\r", "\"\"", "#", "\n#Fields: b,a\n", "\xff", "\x00"}},
	{"widths by shape", "format f { fixed a when \"AB\" { k 2  n 3  _ 1  s 4  t 2 }  fixed b when \"AC\" { k 3  s 4 }  fixed c when \"X\" { k 1  n 2  d 10 }  shape kind  lines { comment \"#\" }  fields { n u8  s str trim  d date } }", [][]string{
		{"AB  7 text", "ACCtext", "X 72024-05-06", "X12", "AB", "ABx", "A", "AC", "#", "", "X\xff"}, {"t", "", "tt", "ttt", strings.Repeat("t", 9)}, {"\n", "\n", "\nAB  1four\nAB  2four\nAB  3four\nAB  4four\n", "\r\n", "\r\nAB  1four\r\nAB  2four\r\nAB  3four\n", "\n\n", ""}}, []string{"A", "C", "X", "#", "\n", "\r", "\r\n", "\xff", "\x00", "\n#"}},
	{"widths in a template", "format f { record `{a:2}{b:3}{c:1}{d...}`  fields { a u8  c enum(x y) } }", [][]string{
		{"12", "ab", "", "1"}, {"abc", "a", "\xff\xfe\xfd"}, {"x", "z"}, {"", "", "rest", strings.Repeat("long ", 900)}, {"\n", "\n", "\n12abcx\n12abcx\n12abcy\n", "\r\n", "\r", ""}}, []string{"x", "\n", "\r", "\xff", "\x00"}},
	{"null bare", `format f { delimited { sep ','  quote '"' doubled }  null bare "" "NA" "a\"b"  empty "none"  fields { a u32 ?  b str ?  c str trim ?  d dict ?  e list(str, sep ';') ? }  ragged pad truncate }`, [][]string{
		{"1", "\"1\"", "\"\"", "NA", "\"NA\"", "", "\"x\""}, {",b", ",\"b,\"", ",\"\"", ",NA", ",\"NA\"", ",", ",\"a\"\"b\"", ",\"none\"", ",none", ",\"b\"\"\"\"\""}, {",c", ",\" c\"", ",\"  \"", ",\" NA\"", ", NA ", ",\"\"", "", ",\"a\"\"b \""}, {",d", ",\"NA\"", ",\"\"", ",", ",\"d\"", ""}, {",e;f", ",\"e;\"", ",\"none\"", ",\"NA;NA\"", ",\"\"", "", ",e,\"f\",\"\"", ",none"}, {"\n", "\r\n", "\n\n", strings.Repeat("\n1,\"b\",\"\",d,\"e\"", 40) + "\n"}}, []string{"\"", ",", "\n", "\r", "\"\"", "\xff", "\x00", ",\"\"", "NA"}},
	{"null bare and escapes", `format f { delimited { sep ','  quote '"'  escape '\\' }  null bare "" "NA" "\\N"  fields { a u32 ?  b str ?  c str ? }  rest more }`, [][]string{
		{"1", "\"1\"", "\"\"", "NA", "\"NA\""}, {",b", ",\"b,\"", ",\"\"", ",\"NA\"", ",", ",\"\\N\"", ",\\N", ",\"N\\A\"", ",\"\\\"\""}, {",c", ",\"c\n\"", ",\"NA\"", ",\"\"", ",NA", ""}, {"", ",d", ",\"d\",\"\"", ",\"NA\""}, {"\n", "\r\n", "\n\n"}}, []string{"\"", ",", "\n", "\r", "\\", "\xff", "\x00", ",\"\"", "NA", "\\N"}},
	{"null bare by names", `format f { delimited { sep ','  quote '"' doubled }  header names  null bare "NA" ""  fields { a u32 ?  b str ?  c str null after escape "x\"x" ? } }`, [][]string{
		{"", "", "b,a,c\n", "a,c\n"}, {"1", "\"1\"", "\"\"", "NA", "\"NA\""}, {",b", ",\"b,\"", ",\"\"", ",\"NA\"", ",", ",NA"}, {",c", ",\"c\n\"", ",\"NA\"", ",\"\"", ",\"x\"\"x\"", ",NA", ""}, {"\n", "\r\n", "\n\n"}}, []string{"\"", ",", "\n", "\r", "\"\"", "\xff", "\x00", ",\"\"", "NA"}},
	{"words of a few", "format f { record up `{at} %{l}: Built {d} {p} connection {n} for {i}/{o} to {x...}`  record down `{at} %{l}: Teardown {p} connection {n} for {i}/{o} took {s}[ {r}]`  shape kind  fields { at ts(\"%F %T\")  l u8  d enum(inbound outbound)  p enum(TCP UDP)  n u64  i ip  o u16  s f32 } }", [][]string{
		{"2024-05-06 07:08:09 %4: ", "2024-05-06 07:08:09 %40: ", "2024-05-06 07:08 %4: ", ""}, {"Built inbound ", "Built outbound ", "Teardown ", "Built in Built inbound ", "Built outbond "}, {"TCP", "UDP", "UDP", "TCPP", ""}, {" connection "}, {"4711", "7", strings.Repeat("7", 18), strings.Repeat("7", 40), ""}, {" for 10.0.0.7/80", " for 193.111.222.103/8080", " for fe80::1/1", " for /"},
		{" to x", " to ", " took 1.5", " took 12.25 r"}, {"\n", "\r\n", "\n\n"}}, []string{" ", "/", "7", ".", "\n", "\r", "in", "UDP ", "\xff", "\x00", strings.Repeat("1", 70)}},
	{"comments behind data", `format f { delimited { sep " = "  comment "#" after data }  fields { a u8  b str  c str ? }  ragged pad }`, [][]string{
		{"1", "12", "x", "", "#", "  # 1"}, {" = ", " =", " = = "}, {"b", "", "b # c", "b = c # d = e", " = #"}, {"\n", "#\n", " # d\n", "\r\n", "\n\n", "\n#\n", "\n" + strings.Repeat("#", 90) + "\n"}}, []string{"#", " = ", "=", "\n", "\r", "\n#", "#\n", "\xff", "\x00"}},
	{"surplus", `format f { delimited { sep ' '  quote '"' doubled  escape '\\' }  fields { a u32  b str  c str }  ragged pad truncate  utf8 reject }`, [][]string{
		{"1 ", "x "}, {"b ", "\"b \"\"\" ", "\" "}, {"c", "\"c\n\"", "\\\n"}, {"", " d e f", " \"g\nh\" i", " \"j", " \\", " \xff"}, {"\n", "\r\n", "\n\n"}}, []string{"\"", " ", "\n", "\r", "\\", "\xff", "\x00"}},
}

// TestDrawn: records of drawn formats, whole and damaged, are what they are by reference, however they are cut and
// whatever of the faster ways comes to be taken.
func TestDrawn(t *testing.T) { onEach(t, testDrawn) }

func testDrawn(t *testing.T) {
	defer func(trial, stepped, region, vectors, from, blocks, warm, least, groups, detour int) {
		hopTrial, steppedMin, laneRegion, mostVectors, vectorsFrom = trial, stepped, region, vectors, from
		windowBlocks, warmRecords, minAbreast, maxHopGroups, hopDetour = blocks, warm, least, groups, detour
	}(hopTrial, steppedMin, laneRegion, mostVectors, vectorsFrom, windowBlocks, warmRecords, minAbreast, maxHopGroups, hopDetour)
	defer func(runs, turns, span int) { fewRuns, fewTurns, choiceSpan = runs, turns, span }(fewRuns, fewTurns, choiceSpan)
	groups := maxHopGroups
	rng := rand.New(rand.NewPCG(35, 36))
	one := func(of ...int) int { return of[rng.IntN(len(of))] }
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for _, f := range drawnFormats {
		spec, err := compile.Compile("f.dfp", []byte(f.spec), compile.WithResolver(formats.Resolve))
		if err != nil {
			t.Fatal(f.name, err)
		}
		for range rounds {
			data := drawDamaged(rng, f.line, f.odd)
			what := []runtime.Option{
				runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Null, dfa.Fail}[rng.IntN(3)]),
				runtime.WithBatchSize(one(1+rng.IntN(50), 1<<16)),
			}
			if rng.IntN(6) == 0 {
				what = append(what, runtime.WithMaxRecord(1+rng.IntN(600)))
			}
			by := func(how ...runtime.Option) string {
				return outcomeOf(t, spec.Program, data, append(how, what...)...)
			}
			want := by(runtime.WithEngine(reference.Engine))
			for range 4 {
				hopTrial, steppedMin, laneRegion = one(1, 8, 64, 16<<10), 1+rng.IntN(600), one(64, 128, 1024, laneSymbols)
				mostVectors, vectorsFrom = one(1, 3, 1<<12), one(1, 7, stripSize)
				windowBlocks, warmRecords, minAbreast, maxHopGroups = one(1, 3, 256), one(1, 4, 64), 1+rng.IntN(8), one(0, groups, groups)
				fewRuns, fewTurns, choiceSpan = one(0, 16, 1<<20), one(0, 8, 1<<20), one(64, 256<<10)
				hopDetour = one(1, detourMin+20, 1<<20)
				threads, chunk, partition := one(1, 2, 5), 1+rng.IntN(len(data)+10), 1+rng.IntN(4*len(data)+100)
				got := by(runtime.WithEngine(Engine), runtime.WithThreads(threads), runtime.WithChunkSize(chunk), runtime.WithPartitionSize(partition))
				if got != want {
					t.Fatalf("%s, %d threads, chunks of %d, partitions of %d: %q gives\n%s\nwant\n%s", f.name, threads, chunk, partition, data, got, want)
				}
			}
		}
	}
}

// drawDamaged is records of parts, of each the first or, now and then, another, with something taken away or odd put in.
func drawDamaged(rng *rand.Rand, record [][]string, odd []string) []byte {
	var text bytes.Buffer
	every := 1 + rng.IntN(40)
	for range rng.IntN([]int{5, 60, 300}[rng.IntN(3)]) {
		for _, part := range record {
			i := 0
			if rng.IntN(every) == 0 {
				i = rng.IntN(len(part))
			}
			text.WriteString(part[i])
		}
	}
	data := text.Bytes()
	for n := rng.IntN(4); n > 0 && len(data) > 0; n-- {
		at := rng.IntN(len(data))
		behind := data[at:]
		switch rng.IntN(4) {
		case 0:
			behind = nil
		case 1:
			behind = data[min(len(data), at+1+rng.IntN(3)):]
		default:
			behind = append([]byte(odd[rng.IntN(len(odd))]), behind...)
		}
		data = append(data[:at:at], behind...)
	}
	return data
}
