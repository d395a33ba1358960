package lower

import (
	"errors"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

func optional(parts ...Part) Part { return Optional{Parts: parts} }

func TestRecord(t *testing.T) {
	for _, c := range []struct {
		name string
		r    *Record
		cases
	}{
		{"literal of several bytes", &Record{Parts: []Part{hole("a"), lit(" => "), hole("b"), lit(";")}}, cases{
			{"x = y => z;\n", "x = y|z"},
			{"x => =>;", "x|=>"},
			{"x => y;z", `! 7 expected the end of the record`},
			{"x =>", `! 4 the record ends in field a: expected " => "`},
			{"\n\r\nx => y;\r\n", "#1 \"\"\n#1 \"\\r\"\nx|y"},
		}},
		{"overlap", &Record{Parts: []Part{hole("a"), lit("||"), hole("b")}}, cases{
			{"a|||b", "a||b"},
		}},
		{"optional groups", &Record{Parts: []Part{hole("ts"), lit(" "), hole("level"), optional(lit(" ("), hole("thread"), lit(")")),
			lit(" "), hole("logger"), lit(`: msg="`), clfHole("msg"), lit(`"`), optional(lit(" user="), hole("user")), optional(lit(" took="), hole("ms"), lit("ms"))}}, cases{
			{`T I l: msg="x"`, "T|I|3=l|x"},
			{`T I (t) l:l: msg="\"" user=u took=3ms`, `T|I|t|l:l|"|u|3`},
			{`T I l: msg="" took=3ms`, "T|I|3=l||6=3"},
			{`T I l: msg="" user=u t`, "T|I|3=l||u t"},
			{`T I (t l: msg=""`, `! 16 the record ends in field thread: expected ")"`},
			{`T I l: msg="" took=3`, `! 20 the record ends in field ms: expected "ms"`},
			{`T I l: msg="" x`, `! 14 expected "user=" or "took="`},
			{`T I l: msg="\q"`, `! 13 field msg: after '\\' only one of "\"\\bnrtvx" is an escape`},
		}},
		{"nested groups", &Record{Parts: []Part{hole("a"), optional(lit(" "), hole("b"), optional(lit("/"), hole("c")))}}, cases{
			{"a", "a"}, {"a b", "a|b"}, {"a b/c", "a|b|c"}, {"a/c", "a/c"},
		}},
		{"group after a closer of several bytes", &Record{Parts: []Part{lit("<<"), hole("a"), lit(">>"), optional(lit(" "), hole("b"))}}, cases{
			{"<<x>>", "x"}, {"<<x>y>>", "x>y"}, {"<<x>> z", "x|z"}, {"<<x>>>", `! 5 expected " " or the end of the record`}, {"<x", `! 1 expected "<"`},
			{"<<x>>\r\n<<y>> z\r\n", "x\ny|z"},
		}},
		{"group that begins at the same symbol", &Record{Parts: []Part{lit(`"`), hole("a"), lit(`"`), optional(hole("b"))}}, cases{
			{`"x"`, "x"}, {`"x"y`, "x|y"}, {`"x"` + "\n" + `"y"z` + "\n", "x\ny|z"},
		}},
		{"blanks", &Record{Parts: []Part{hole("a"), Blanks{}, hole("b"), Blanks{}, lit("#"), Hole{Name: "c", ToEnd: true}}}, cases{
			{"a \t b   # c ", "a|b| c "}, {"a b", "! 3 the record ends in field b: expected a space or tab"},
			{"a b c", "! 4 expected \"#\""},
		}},
		{"rest", &Record{Parts: []Part{lit("<"), hole("a"), lit(">")}, Rest: "more"}, cases{
			{"<x>", "x"}, {"<x> ", "x|"}, {"<x> y z\r\n", "x|y z"},
		}},
		{"rest of a list", &Record{Parts: []Part{hole("a"), lit(` "`), hole("b"), lit(`"`)}, Rest: "more"}, cases{
			{`a "b"` + "\r\n" + `a "b"c" d "e"`, "a|b\na|b\"c|d \"e\""},
			{`a "b" d "e`, `! 6 a field that '"' opens is never closed by '"'`},
		}},
		{"enclosed list", &Record{Parts: []Part{hole("a"), lit(" ["), hole("b"), lit("] "), hole("c"), lit(" "), hole("d")}}, cases{
			{"x [y z] w v\r\n", "x/1|y z/2|w/1|v/1"},
			{"x [y]z", `! 5 " " or the end of the record must follow the closing ']'`},
			{"x [y\nz", "! 2 a field that '[' opens is never closed by ']'\nz/1"},
		}},
		{"lax", &Record{Parts: []Part{hole("a"), lit(":"), hole("b")}, Lines: Lines{Lax: true}}, cases{
			{"a\r:b\rc\r\nd:\r\n", `a\r|b\rc` + "\nd|"},
		}},
		{"comments", &Record{Parts: []Part{lit("["), hole("a"), lit("]")}, Lines: Lines{Comments: []string{"##"}}}, cases{
			{"##x\n[y]\n#x\n#\n##", "#1 \"##x\"\ny\n! 9 expected \"[\"\n! 12 expected \"[\"\n#1 \"##\""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := BuildRecord(c.r)
			if err != nil {
				t.Fatal(err)
			}
			c.run(t, s.Automaton, nil)
		})
	}
}

func TestEmbedded(t *testing.T) {
	sd, err := BuildMap(&Map{Pair: one(" "), KeyValue: []byte("="), Quote: '"', Escape: backslash, Open: '[', Close: ']', Groups: true, Nil: '-'})
	if err != nil {
		t.Fatal(err)
	}
	s, err := BuildRecord(&Record{Parts: []Part{hole("host"), lit(" "), Hole{Name: "sd", Embedded: sd}, optional(lit(" "), Hole{Name: "msg", ToEnd: true})}})
	if err != nil {
		t.Fatal(err)
	}
	cases{
		{"h -", "h|-"},
		{"h - m m", "h|-|m m"},
		{`h [a b="] \" \]"][c] m` + "\n", `h|[a b="] \" \]"][c]|m`},
		{"h [a", `! 4 the record ends in field sd: '[' is never closed by ']'`},
		{"h x", "! 2 field sd: expected '['"},
		{"h [a]x", `! 5 after field sd expected " " or the end of the record`},
		{"h ", `! 2 the record ends too early: expected field sd`},
	}.run(t, s.Automaton, nil)
}

func TestRecordColumns(t *testing.T) {
	s := build(t, &Record{Parts: []Part{hole("a"), optional(lit(":"), hole("b"))}, Rest: "c"})
	want := []HoleColumn{{Name: "a"}, {Name: "b", Optional: true}, {Name: "c", Optional: true}}
	if len(s.Columns) != 3 || s.Columns[0] != want[0] || s.Columns[1] != want[1] || s.Columns[2] != want[2] || !s.HasRest || s.Factored {
		t.Errorf("got %+v", s)
	}
	s = build(t, &Record{Parts: []Part{hole("a"), lit(" "), hole("b"), lit(" ["), hole("c"), lit("]")}})
	if s.Columns[0].Class != 1 || s.Columns[2].Class != 2 || s.Classes[2] != "enclosed in []" || !s.Factored {
		t.Errorf("got %+v", s)
	}
	if s = build(t, &Record{Parts: []Part{hole("a"), lit(" "), hole("b")}}); s.Columns[0].Class != 0 || !s.Factored {
		t.Errorf("got %+v", s)
	}
}

// TestNotFactored are templates that are no lists.
func TestNotFactored(t *testing.T) {
	for _, parts := range [][]Part{
		{hole("a")},
		{hole("a"), lit(" "), Hole{Name: "b", ToEnd: true}},
		{hole("a"), lit(" "), hole("b"), lit(","), hole("c")},
		{hole("a"), lit(" "), optional(lit("("), hole("b"), lit(")"))},
		{lit("<"), hole("a"), lit("> "), hole("b"), lit(" <<"), hole("c"), lit(">>")},
		{lit(`"`), hole("a"), lit(`" "`), clfHole("b"), lit(`"`)},
		{lit(`"`), hole("a"), lit(`" "`), hole("b"), lit(`'`)},
		{hole("a"), lit(" "), clfHole("b")},
		{hole("a"), Blanks{}, hole("b")},
		{hole("a"), lit(" ["), hole("b"), lit("] "), hole("c")},
		{lit(`"`), hole("a"), lit(`" `), hole("b"), lit(` "`), hole("c"), lit(`"`)},
	} {
		if s := build(t, &Record{Parts: parts}); s.Factored {
			t.Errorf("%v: factored", parts)
		}
	}
}

func TestRecordFaults(t *testing.T) {
	for _, c := range []struct {
		want string
		r    *Record
	}{
		{"template: it has no field", &Record{Parts: []Part{lit("x")}}},
		{"template: every field of it is optional; let one field always be there", &Record{Parts: []Part{lit("x"), optional(hole("a"))}}},
		{"field a: nothing stands between it and field b", &Record{Parts: []Part{hole("a"), hole("b")}}},
		{"field b: nothing stands between it and field c", &Record{Parts: []Part{hole("a"), optional(lit(":"), hole("b")), hole("c")}}},
		{`template: field b or field c may come here, and nothing tells which (as in " a")`,
			&Record{Parts: []Part{hole("a"), optional(lit(" "), hole("b")), lit(" "), hole("c")}}},
		{`template: field b or field c may come here, and nothing tells which (as in " x=a")`,
			&Record{Parts: []Part{hole("a"), optional(lit(" x="), hole("b")), lit(" x="), hole("c")}}},
		{"field a: it takes all up to the end of the record, but more follows", &Record{Parts: []Part{Hole{Name: "a", ToEnd: true}, lit(":"), hole("b")}}},
		{`field a: '\\' both ends it and leads an escape (as in "\\")`, &Record{Parts: []Part{clfHole("a"), lit(`\ `), hole("b")}}},
		{"template: a literal holds a line end; a line end always ends the record; lines that go on are said by multiline, records of several lines by a dfa", &Record{Parts: []Part{hole("a"), lit("\n"), hole("b")}}},
		{`comment: "[x" begins as a record begins (as in "[")`, &Record{Parts: []Part{lit("["), hole("a"), lit("]")}, Lines: Lines{Comments: []string{"[x"}}}},
	} {
		_, err := BuildRecord(c.r)
		var fault *Fault
		if !errors.As(err, &fault) || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

func TestSplit(t *testing.T) {
	split := func(parts ...Part) *dfa.Automaton {
		a, _, err := BuildSplit(parts, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	cases{
		{"GET /a HTTP/1.1", "GET|/a|HTTP/1.1"},
		{"GET  HTTP/1.1", "GET||HTTP/1.1"},
		{"GET /a b c", `! 8 the value must end after field proto, so ' ' cannot follow`},
		{"-", `! 1 the value ends in field method: expected " "`},
		{"", `! 0 the value ends too early: expected field method`},
		{"a\nb c\r\n d", `a\nb|c\r\n|d`},
	}.run(t, split(hole("method"), lit(" "), hole("path"), lit(" "), hole("proto")), nil)
	cases{
		{"a/b", "a|b"}, {"a/b?c", "a|b|c"}, {"a", `! 1 the value ends in field x: expected "/"`},
	}.run(t, split(hole("x"), lit("/"), hole("y"), optional(lit("?"), hole("z"))), nil)
	a, names, err := BuildSplit([]Part{hole("x"), lit("/"), hole("y")}, nil)
	if err != nil || len(names) != 2 || names[1] != "y" {
		t.Errorf("%v, %v, %v", a, names, err)
	}
}
