package lower

import (
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

func hole(name string) Part { return Hole{Name: name} }
func lit(text string) Part  { return Literal{text} }

var digit = dfa.Range('0', '9')

// dated is how a record begins with a date: 2024-
func dated() []dfa.Set { return append(slices.Repeat([]dfa.Set{digit}, 4), Text("-")...) }

func TestMultilineStart(t *testing.T) {
	s, err := BuildRecord(&Record{
		Parts:     []Part{hole("date"), lit(" "), hole("msg")},
		Multiline: &Multiline{Start: dated()},
	})
	if err != nil {
		t.Fatal(err)
	}
	cases{
		{"", ""},
		{"2024-01 a", "2024-01|a"},
		{"2024-01 a\n", "2024-01|a"},
		{"2024-01 a\n2024-02 b\n", "2024-01|a\n2024-02|b"},
		{"2024-01 a\n\tat x\n\n\tat y\n2024-02 b", `2024-01|a\n\tat x\n\n\tat y` + "\n2024-02|b"},
		{"2024-01 a\n\n", `2024-01|a\n`},
		{"2024-01 a\n2024\n2024-02 b", `2024-01|a\n2024` + "\n2024-02|b"},
		{"2024-01 a\n2024", `2024-01|a\n2024`},
		{"2024-01 a\n202\n", `2024-01|a\n202`},
		{"2024-01 a\r\n more\r\n2024-02 b\r\n", `2024-01|a\n more` + "\n2024-02|b"},
		{"2024-01 a\rb\n2024-02 c\n", "! 10 a carriage return is part of a line end, so \"\\n\" must follow it\n2024-02|c"},
		{"2024-01 \n2024-02 b", "2024-01|\n2024-02|b"},
		{"2024-01\n more\n2024-02 b", "! 7 the record ends in field date: expected \" \"\n2024-02|b"},
		{"junk\nmore\n2024-01 a", "! 0 the line does not begin as a record begins\n2024-01|a"},
		{"20\n2024-01 a", "! 2 the line does not begin as a record begins\n2024-01|a"},
		{"\n\n2024-01 a", "#1 \"\"\n#1 \"\"\n2024-01|a"},
		{"2024-", `! 5 the record ends in field date: expected " "`},
	}.run(t, s.Automaton, nil)
}

func TestMultilineBracket(t *testing.T) {
	s, err := BuildRecord(&Record{
		Parts:     []Part{lit("["), hole("date"), lit("] "), hole("msg")},
		Multiline: &Multiline{Start: append(Text("["), digit)},
	})
	if err != nil {
		t.Fatal(err)
	}
	cases{
		{"[1] a\n[x] b\n[2] c\n", `1|a\n[x] b` + "\n2|c"},
		{"[1] a\n[2]c\n[3] d\n", "1|a\n! 10 the record ends in field date: expected \"] \"\n3|d"},
	}.run(t, s.Automaton, nil)
}

func TestMultilineContinue(t *testing.T) {
	s, err := BuildRecord(&Record{
		Parts:     []Part{lit("<"), hole("pri"), lit("> "), hole("msg")},
		Multiline: &Multiline{Continue: []string{" ", "\t", "Caused by:"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	cases{
		{"<1> a\n  b\n<2> c", `1|a\n  b` + "\n2|c"},
		{"<1> a\nCaused by: b\n<2> c", `1|a\nCaused by: b` + "\n2|c"},
		{"<1> a\nC <2> c", "1|a\n! 8 expected \"<\""},
		{"<1> a\nx\n<2> c\n", "1|a\n! 6 expected \"<\"\n2|c"},
		{"x\n<2> c\n", "! 0 expected \"<\"\n2|c"},
		{" x\n<2> c\n", "! 0 the line does not begin as a record begins\n2|c"},
	}.run(t, s.Automaton, nil)
}
