package lower

import (
	"errors"
	"strings"
	"testing"
)

func csv() *Delimited {
	return &Delimited{Separators: []Separator{one(",")}, Quote: '"', Doubled: true}
}

func (d *Delimited) with(change func(*Delimited)) *Delimited { change(d); return d }

func TestDelimited(t *testing.T) {
	const (
		mustEnclose = `a field that holds '"' must be enclosed in it`
		mustFollow  = `"," or the end of the record must follow the closing '"'; inside the field it is written "\"\""`
		neverClosed = `a field that '"' opens is never closed by '"'`
		tooMany     = `a field that '"' opens holds more line ends than max_lines 2 allows`
		loneCR      = `a carriage return is part of a line end, so "\n" must follow it`
	)
	for _, c := range []struct {
		name string
		d    *Delimited
		cases
	}{
		{"strict", csv(), cases{
			{"", ""},
			{"a", "a"},
			{"a,b\n", "a|b"},
			{"a,b\r\nc\r\n", "a|b\nc"},
			{"a\r", "a"},
			{",", "|"},
			{",\n,", "|\n|"},
			{`"a,b","c""d","e` + "\r\n" + `f"`, `a,b|c"d|e\r\nf`},
			{`"",""`, "|"},
			{"a\n\nb", "a\n#1 \"\"\nb"},
			{"a\r\n\r\nb", "a\n#1 \"\\r\"\nb"},
			{"a\"b,c\nd", "! 1 " + mustEnclose + "\nd"},
			{`a,"b"c` + "\nd", "! 5 " + mustFollow + "\nd"},
			{"a\rb\nc", "! 2 " + loneCR + "\nc"},
			{"a\r\r\nc", "! 2 " + loneCR + "\nc"},
			{`a,"b`, "! 2 " + neverClosed},
			{`"b"",` + "\nc", "! 0 " + neverClosed},
		}},
		{"max_lines", csv().with(func(d *Delimited) { d.MaxLines = 2 }), cases{
			{"a,\"b\nc\r\nd\",e\nf", "a|b\\nc\\r\\nd|e\nf"},
			{"a,\"b\nc\"\"\nd\",\"e\n\n\"\nf", "a|b\\nc\"\\nd|e\\n\\n\nf"},
			{"a,\"b\nc\nd\ne,f\n\"g\"", "! 2 " + tooMany + "\ne|f\ng"},
			{"a,\"b\nc\"\"\nd\"\"\r\ne,f", "! 2 " + tooMany + "\ne|f"},
			{"\"\n\n\"\n\"\n\n\n\"", "\\n\\n\n! 5 " + tooMany + "\n! 9 " + neverClosed},
			{"a,\"b\nc", "! 2 " + neverClosed},
		}},
		{"max_lines, lax, escape", csv().with(func(d *Delimited) {
			d.MaxLines, d.Lax, d.Doubled, d.EOL = 1, true, false, LF
			d.Escape = &Escape{Lead: '\\', Other: DropLead}
		}), cases{
			{"\"a\\\nb\"c\nd", "a\\nbc\nd"},
			{"\"a\\\nb\\\nc\nd", "! 0 " + strings.Replace(tooMany, "2", "1", 1) + "\nc\nd"},
			{"\"a\nb", "a\\nb"},
		}},
		{"lax", csv().with(func(d *Delimited) { d.Lax = true }), cases{
			{`a"b,c`, `a"b|c`},
			{`"a"b,"c" "d"`, `ab|c "d"`},
			{"a\rb\r\nc\rd\r", `a\rb` + "\n" + `c\rd`},
			{"a\r\r\nb", `a\r` + "\nb"},
			{"\r\na\r\n\r\nb", "#1 \"\"\na\n#1 \"\"\nb"},
			{`"a` + "\n", `a\n`},
		}},
		{"blank kept", csv().with(func(d *Delimited) { d.Blank = KeepBlank }), cases{
			{"a\n\nb\r\n\r\n", "a\n\nb\n"},
		}},
		{"blank kept, blanks passed over", csv().with(func(d *Delimited) { d.Blank, d.Blanks = KeepBlank, true }), cases{
			{"a\n  \n", "a\n"}, {"a\n  ", "a\n"}, {"a\n  \r", "a\n"}, {"a\n", "a"}, {" a", "a"},
		}},
		{"blank kept, stop at blank", csv().with(func(d *Delimited) { d.Blank, d.Blanks, d.StopAtBlank = KeepBlank, true, true }), cases{
			{"a\n  ", "a\n#1 \"  \""}, {"a\n  \nb\n", "a\n#1 \"  \"\n#1 \"b\""},
		}},
		{"lf", csv().with(func(d *Delimited) { d.EOL = LF }), cases{
			{"a\r\nb\rc\n", `a\r` + "\n" + `b\rc`},
		}},
		{"crlf", csv().with(func(d *Delimited) { d.EOL = CRLF }), cases{
			{"a\r\nb\nc\r\nd\r\n", "a\n! 4 a line ends in \"\\r\\n\" here, not in \"\\n\" alone\nd"},
			{"a\rb\r\nc", "! 2 " + loneCR + "\nc"},
		}},
		{"crlf lax", csv().with(func(d *Delimited) { d.EOL, d.Lax = CRLF, true }), cases{
			{"a\r\nb\nc\r\n\r\n", "a\n" + `b\nc` + "\n#1 \"\""},
		}},
		{"cr", csv().with(func(d *Delimited) { d.EOL = CR }), cases{
			{"a\rb\nc\r", "a\n" + `b\nc`},
		}},
		{"any", csv().with(func(d *Delimited) { d.EOL = AnyEOL }), cases{
			{"a\rb\nc\r\nd", "a\nb\nc\n#1 \"\"\nd"},
			{"a\r\n", "a\n#1 \"\""},
			{"a\n\rb", "a\n#1 \"\"\nb"},
			{"a\"\r\nb", "! 1 " + mustEnclose + "\n#1 \"\"\nb"},
		}},
		{"two bytes", csv().with(func(d *Delimited) { d.Separators = []Separator{one("||")} }), cases{
			{"a||b|c||", "a|b|c|"},
			{"a|||b", "a||b"},
			{"a||||b", "a||b"},
			{"a|\n|", "a|\n|"},
			{`"x||y"||"z"`, "x||y|z"},
			{`"x"|y`, `! 4 "||" or the end of the record must follow the closing '"'; inside the field it is written "\"\""`},
			{`"x"|`, `! 4 "||" or the end of the record must follow the closing '"'; inside the field it is written "\"\""`},
			{`a||"x`, "! 3 " + neverClosed},
		}},
		{"overlap", &Delimited{Separators: []Separator{one("aab")}}, cases{
			{"aaab", "a|"},
			{"aaaab-aab", "aa|-|"},
		}},
		{"two separators", &Delimited{Separators: []Separator{one(","), one("::")}}, cases{
			{"a,b::c:,d", "a|b|c:|d"},
		}},
		{"run or tab", &Delimited{Separators: []Separator{run(" "), one("\t")}, Quote: '"'}, cases{
			{"a   b\tc", "a|b|c"},
			{" a", "|a"},
			{"a \tb ", "a||b|"},
			{`a  "b c"  d`, "a|b c|d"},
		}},
		{"run around", &Delimited{Separators: []Separator{run(" \t")}, Quote: '"', Leading: true, Trailing: true}, cases{
			{"  a \t b  ", "a|b"},
			{"  a  \n  \n\tb\t\r\n", "a\n#1 \"  \"\nb"},
			{`"a"  "b" ` + "\n", "a|b"},
		}},
		{"escape in quotes", &Delimited{Separators: []Separator{one(",")}, Quote: '"', Escape: backslash}, cases{
			{`"a\"b\n",c\`, `a"b\n|c\`},
			{`"a\q"` + "\nb", `! 3 after '\\' only one of "\"\\]n" is an escape` + "\nb"},
		}},
		{"escape without quotes", &Delimited{Separators: []Separator{one("\t")}, Escape: &Escape{Lead: '\\', To: map[byte]byte{'t': '\t', 'n': '\n'}, Hex: 'x', Octal: true, Other: DropLead}}, cases{
			{`a\tb` + "\t" + `\x41\102\\`, `a\tb|AB\`},
			{"a\\\nb", `a\nb`},
			{"a\\\tb", `a\tb`},
			{`a\x4g` + "\nb", `! 4 two hexadecimal digits must follow "\\x"` + "\nb"},
			{`a\18` + "\nb", `! 3 three octal digits up to 377 must follow '\\'` + "\nb"},
			{`a\`, "! 2 the record ends inside an escape"},
		}},
		{"escapes kept", &Delimited{Separators: []Separator{one(",")}, Escape: &Escape{Lead: '\\', Other: KeepBoth}}, cases{
			{`a\,b,c\\,d`, `a\,b|c\\|d`},
		}},
		{"brackets and classes", &Delimited{Separators: []Separator{one(" ")}, Quote: '"', Brackets: [][2]byte{{'[', ']'}}, Classes: true}, cases{
			{`a "b" [c d] e[f]`, "a/1|b/2|c d/3|e[f]/1"},
			{` ""`, "/1|/2"},
			{"[a]b", `! 3 " " or the end of the record must follow the closing ']'`},
		}},
		{"comments", csv().with(func(d *Delimited) {
			d.Comments, d.Directives = []string{"#", "//"}, []string{"#Fields:", "#Version"}
		}), cases{
			{"#x\n//\"\n/a,b\n#Fields: a\r\n#Fie\n#Version", "#1 \"#x\"\n#1 \"//\\\"\"\n/a|b\n#2 \"#Fields: a\\r\"\n#1 \"#Fie\"\n#3 \"#Version\""},
			{"a,#b\n\"#\"\n", "a|#b\n#"},
			{"/\n", "/"},
			{"#", "#1 \"#\""},
			{"#\rx\na", "#1 \"#\\rx\"\na"},
			{"#\rFields:\n", "#1 \"#\\rFields:\""},
		}},
		{"prefix with separator", &Delimited{Separators: []Separator{one("\t")}, Lines: Lines{Comments: []string{"#"}, Directives: []string{"#fields\t"}}}, cases{
			{"#fields\ta\tb\na\tb\n#types\tx", "#2 \"#fields\\ta\\tb\"\na|b\n#1 \"#types\\tx\""},
		}},
		{"prefix that ends a word", csv().with(func(d *Delimited) {
			d.Comments, d.Directives, d.Words = []string{"#-", "//"}, []string{"#fields", "#Date:", "#fields-of", "#x"}, []bool{true, true, false}
		}), cases{
			{"#fields,a\n#fields a\n#fields\n#fields\r\n#fields", "#2 \"#fields,a\"\n#2 \"#fields a\"\n#2 \"#fields\"\n#2 \"#fields\\r\"\n#2 \"#fields\""},
			{"#fieldset,a\n#fields_,1\n#field,2\n#fields\xc3\xa9", "#fieldset|a\n#fields_|1\n#field|2\n#fields\xc3\xa9"},
			{"#fields-of,a\n#fields-offer\n#fields-o,1", "#4 \"#fields-of,a\"\n#4 \"#fields-offer\"\n#fields-o|1"},
			{"#Date:a\n#Date,1\n#xy\n#-\n", "#3 \"#Date:a\"\n#Date|1\n#5 \"#xy\"\n#1 \"#-\""},
			{"#fields\"\n#fieldsx\"\n", "#2 \"#fields\\\"\"\n! 17 " + mustEnclose},
			{"#fields\rx\n", "#2 \"#fields\\rx\""},
		}},
		{"word in quotes", &Delimited{Separators: []Separator{one(",")}, Quote: '"', Doubled: true, Lines: Lines{EOL: AnyEOL, Directives: []string{"f\"s"}, Words: []bool{true}}}, cases{
			{"f\"s,a\rf\"st,b\rf\"s\r\nx", "#2 \"f\\\"s,a\"\n! 9 " + mustEnclose + "\n#2 \"f\\\"s\"\n#1 \"\"\nx"},
		}},
		{"lax, quotes after blanks", csv().with(func(d *Delimited) { d.Lax, d.Brackets = true, [][2]byte{{'[', ']'}} }), cases{
			{`1970,  73, "Hi, Mom!"`, "1970|  73| Hi, Mom!"},
			{"  \"a,\nb\" ,\t \"\"\"x\"\"\",c", "  a,\\nb |\\t \"x\"|c"},
			{`a, b"c,  ,` + "\n , \n \r\n", "a| b\"c|  |\n | \n "},
			{` [a,b],"c" "d",e`, " a,b|c \"d\"|e"},
			{` 5" pipe,1`, ` 5" pipe|1`},
			{"x, \"", "x| "},
			{"x, ", "x| "},
		}},
		{"lax, quotes after blanks that separate", csv().with(func(d *Delimited) { d.Lax, d.Separators = true, []Separator{one("\t"), one(" | ")} }), cases{
			{"a\t\"b\"\t \"c\"", "a|b| \"c\""},
		}},
		{"blanks", csv().with(func(d *Delimited) { d.Blanks = true }), cases{
			{`1970,  73, "Hi, Mom!"`, "1970|73|Hi, Mom!"},
			{"  a , \" b \" \t,c \n", "a | b |c "},
			{"  \n ,\n \"\" ", "#1 \"  \"\n|\n"},
			{`a, "b" "c"` + "\nd", "! 7 " + mustFollow + "\nd"},
			{`a, "b""c" ` + "\r\nd", "a|b\"c\nd"},
			{`a, b"` + "\nd", "! 4 " + mustEnclose + "\nd"},
			{" ", ""},
			{"a, ", "a|"},
		}},
		{"blanks, lax", csv().with(func(d *Delimited) { d.Blanks, d.Lax = true, true }), cases{
			{`a, "b" "c" , d`, "a|b\"c\" |d"},
		}},
		{"blanks beside tabs", &Delimited{Separators: []Separator{one("\t")}, Blanks: true}, cases{
			{" a \t  b\t\t c", "a |b||c"},
		}},
		{"blanks beside runs", &Delimited{Separators: []Separator{run("|")}, Quote: '"', Leading: true, Trailing: true, Blanks: true}, cases{
			{"| a || \"b\" || \nc| ", "a |b|\nc|"},
		}},
		{"blanks and two bytes", &Delimited{Separators: []Separator{one("||")}, Quote: '"', Blanks: true}, cases{
			{` "a" || b`, "a|b"},
			{`"a" |b`, `! 5 "||" or the end of the record must follow the closing '"'`},
		}},
		{"comment after blanks", csv().with(func(d *Delimited) { d.Comments, d.AfterBlanks = []string{"%"}, []string{"#", "//"} }), cases{
			{" #x\n\t //y\n#z\n//\n % a\n%b\n /a, #b\n  /", "#1 \" #x\"\n#1 \"\\t //y\"\n#1 \"#z\"\n#1 \"//\"\n % a\n#1 \"%b\"\n /a| #b\n  /"},
			{"  ", "  "},
			{" \"#", "! 1 " + mustEnclose},
		}},
		{"comment after data", csv().with(func(d *Delimited) { d.AfterData, d.Blanks = []string{"#", "//"}, true }), cases{
			{"a, b#c\"\nd//e\r\nf/g,\"#\" # h # i\n", "a|b\n#1 \"c\\\"\"\nd\n#1 \"e\\r\"\nf/g|#\n#1 \" h # i\""},
			{"# x\n  # y, z\n // \n/\na,#", "#1 \"# x\"\n#1 \"  # y, z\"\n#1 \" // \"\n/\na|"},
			{"\"a\"//b\nc", "a\n#1 \"b\"\nc"},
			{"\"a\"/b\nc", "! 4 " + mustFollow + "\nc"},
			{"\"a#\nb\"#\r\n", "a#\\nb\n#1 \"\\r\""},
		}},
		{"comment after data, lines that end in CRLF", csv().with(func(d *Delimited) { d.AfterData, d.EOL = []string{"//"}, CRLF }), cases{
			{"a//\r\nb,\"c\"//x\ry\nz\r\r\nd\r\ne//\r", "a\n#1 \"\\r\"\nb|c\n#1 \"x\\ry\\nz\\r\\r\"\nd\ne\n#1 \"\\r\""},
		}},
		{"comment after data and a run", &Delimited{Separators: []Separator{run(" ")}, Leading: true, Trailing: true, AfterData: []string{"#"}, Lines: Lines{Blank: KeepBlank}}, cases{
			{" a  b  # c\n  # d\ne#", "a|b\n#1 \" c\"\n#1 \"  # d\"\ne"},
		}},
		{"ended by a symbol", csv().with(func(d *Delimited) { d.End = []byte{30}; d.Comments = []string{"#"} }), cases{
			{"a,b\nc\x1e\"d\x1e\"\x1e\x1e#\r\n\x1ee\r", "a|b\\nc\nd\\x1e\n#1 \"\"\n#1 \"#\\r\\n\"\ne\\r"},
			{"a\"\x1eb", "! 1 " + mustEnclose + "\nb"},
		}},
		{"ended by a text", csv().with(func(d *Delimited) { d.End, d.Comments = []byte("|#\n"), []string{"--"} }), cases{
			{"a,b|#\n\"c|#\nd\"|#\ne|#f||#\n|#\n--x|#|#\ng|#", "a|b\nc|#\\nd\ne|#f|\n#1 \"\"\n#1 \"--x|#\"\ng|#"},
			{"\"a\"|#x\nb|#\nc", "! 5 " + mustFollow + "\nc"},
			{"\"a\"||#\nc", "! 4 " + mustFollow + "\nc"},
			{"-|#\n-|x", "-\n-|x"},
		}},
		{"stops, ended by a text", csv().with(func(d *Delimited) { d.End, d.Stops = []byte("\r\r"[:1]+"\n"), []string{"T"} }), cases{
			{"a\nb\r\nT\rx\r\n\r\nc", "a\\nb\n#1 \"T\\rx\"\n#1 \"\"\n#1 \"c\""},
		}},
		{"prefix that is no field", csv().with(func(d *Delimited) { d.Comments = []string{`-"-`} }), cases{
			{"-\"-x\n-\"x\n-", "#1 \"-\\\"-x\"\n! 7 " + mustEnclose + "\n-"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, _, err := BuildDelimited(c.d)
			c.run(t, a, err)
		})
	}
}

func TestDelimitedFaults(t *testing.T) {
	for _, c := range []struct {
		want string
		d    *Delimited
	}{
		{"separator: there is none", &Delimited{}},
		{"separator: it is empty", &Delimited{Separators: []Separator{one("")}}},
		{`separator: ", " begins as "," does (as in ", ")`, &Delimited{Separators: []Separator{one(","), one(", ")}}},
		{`separator: "a\n" holds a line end`, &Delimited{Separators: []Separator{one("a\n")}}},
		{`in quotes ,: ',' is also in the separator "," (as in ",")`, &Delimited{Separators: []Separator{one(",")}, Quote: ','}},
		{`in brackets "": '"' also opens a field that is in quotes " (as in "\"")`, csv().with(func(d *Delimited) { d.Brackets = [][2]byte{{'"', '"'}} })},
		{`in quotes ": '"' both closes the field and leads an escape (as in "\"\""); say doubled where two of them are one`,
			&Delimited{Separators: []Separator{one(",")}, Quote: '"', Escape: &Escape{Lead: '"'}}},
		{`blanks: spaces and tabs are separators here, and so no blanks beside them`, &Delimited{Separators: []Separator{run(" \t")}, Blanks: true}},
		{`quote: max_lines without a quote`, &Delimited{Separators: []Separator{one(",")}, MaxLines: 1}},
		{`quote: max_lines 256, want 1 to 255`, csv().with(func(d *Delimited) { d.MaxLines = 256 })},
		{`quote: max_lines is for lines that end in "\n"; eol lf|crlf, which is the default, or eol lf`, csv().with(func(d *Delimited) { d.MaxLines, d.EOL = 1, AnyEOL })},
		{`quote: max_lines is for lines that end in "\n"; eol lf|crlf, which is the default, or eol lf`, csv().with(func(d *Delimited) { d.MaxLines, d.EOL = 1, CRLF })},
		{`comment: "#,", which begins a comment after data, has ',' in common with the separator "," (as in "#,")`, csv().with(func(d *Delimited) { d.AfterData = []string{"#,"} })},
		{`comment: "\"", which begins a comment after data, holds '"', which encloses a field (as in "\"")`, csv().with(func(d *Delimited) { d.AfterData = []string{`"`} })},
		{`comment: "##", which begins a comment after data, holds "#", which begins one too (as in "##")`, csv().with(func(d *Delimited) { d.AfterData = []string{"#", "##"} })},
		{`comment: a line that begins with "a#" holds "#", which begins a comment after data (as in "a#")`, csv().with(func(d *Delimited) { d.AfterData, d.Stops = []string{"#"}, []string{"a#"} })},
		{`comment: "//" stands after a run that may end the record: such a comment begins with one symbol`,
			&Delimited{Separators: []Separator{run(" ")}, Trailing: true, AfterData: []string{"//"}}},
		{`comment: " #" begins with a blank, and blanks may stand before a comment (as in " ")`, csv().with(func(d *Delimited) { d.AfterBlanks = []string{" #"} })},
		{`eol: "x\n" ends records, and 'x' is also in the separator "xy" (as in "x")`, &Delimited{Separators: []Separator{one("xy")}, Lines: Lines{End: []byte("x\n")}}},
		{`eol: "\n" is in "\n\n" twice: where it ends a record could be told only by what follows (as in "\n\n")`, csv().with(func(d *Delimited) { d.End = []byte("\n\n") })},
		{`eol: "\"" ends records, and '"' also encloses a field (as in "\"")`, csv().with(func(d *Delimited) { d.End = []byte(`"`) })},
		{`quote: doubled without a quote`, &Delimited{Separators: []Separator{one(",")}, Doubled: true}},
		{`separator: only one run can be passed over at the start or end of a record`, csv().with(func(d *Delimited) { d.Trailing = true })},
		{`comment: "\"x" begins as a record begins (as in "\"")`, csv().with(func(d *Delimited) { d.Comments = []string{`"x`} })},
		{`comment: ",x" begins with a separator (as in ",")`, csv().with(func(d *Delimited) { d.Comments = []string{`,x`} })},
		{`comment: an empty prefix begins every line`, csv().with(func(d *Delimited) { d.Comments = []string{``} })},
		{`directive: two kinds of lines begin with "#" (as in "#")`, csv().with(func(d *Delimited) { d.Comments, d.Directives = []string{`#`}, []string{"#"} })},
		{`line ends: this combination cannot be read without looking ahead; use any`, csv().with(func(d *Delimited) { d.EOL = CR | CRLF })},
		{`in quotes ": an escape rule that decodes some symbols cannot keep the others as they are written; let other symbols be an error, or drop the lead`,
			&Delimited{Separators: []Separator{one(",")}, Quote: '"', Escape: &Escape{Lead: '\\', Hex: 'x', Other: KeepBoth}}},
		{`escape: 'x' stands for a symbol and introduces a number`, &Delimited{Separators: []Separator{one(",")}, Escape: &Escape{Lead: '\\', Hex: 'x', To: map[byte]byte{'x': 1}}}},
	} {
		_, _, err := BuildDelimited(c.d)
		var fault *Fault
		if !errors.As(err, &fault) || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	a, err := BuildLines(&Lines{Comments: []string{"*"}})
	cases{
		{"ab  c\r\n\n*x\nd", "ab  c\n#1 \"\"\n#1 \"*x\"\nd"},
	}.run(t, a, err)
	a, err = BuildLines(&Lines{Stops: []string{"==", "=x"}, Comments: []string{"="}, StopAtBlank: true, EOL: AnyEOL})
	cases{
		{"a\n=b\nc\n==\nd\n\ne", "a\n#1 \"=b\"\nc\n#1 \"==\"\n#1 \"d\"\n#1 \"\"\n#1 \"e\""},
		{"a\r\n\r\nb\r\n", "a\n#1 \"\"\n#1 \"\"\n#1 \"\"\n#1 \"b\"\n#1 \"\""},
		{"a\r=x", "a\n#1 \"=x\""},
		{"\na", "#1 \"\"\n#1 \"a\""},
	}.run(t, a, err)
}
