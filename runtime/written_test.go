package runtime_test

import (
	"io"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestErrorsShowPartsAsTheyWereTakenApart: an escaped separator is data of the part
// that an error shows, and of a list in which something was escaped no byte is blamed
// that was not looked at.
func TestErrorsShowPartsAsTheyWereTakenApart(t *testing.T) {
	spec, err := compile.Compile("f.dfp", []byte(`escape hex = '\' { x:hex2 }
		format f { delimited { sep '\t'  escape hex }  split r `+"`{a} {n}`"+` else error fields { r str  n u8  l list(u8, sep ',', open '[', close ']') } }`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, want string }{
		{"a 1\\x20x\t[1]\n", `not an integer: "1 x"`},
		{"a 1\t[1\\x2c2]\n", `"[1,2]"`},
	} {
		r, err := runtime.NewReader(strings.NewReader(c.in), spec.Program, runtime.WithEngine(cpu.Engine), runtime.WithErrorMode(dfa.Fail))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		if r.Err() == nil || !strings.Contains(r.Err().Error(), c.want) || strings.Contains(r.Err().Error(), "at byte") {
			t.Errorf("%q: %v, want %q", c.in, r.Err(), c.want)
		}
		r.Release()
	}
}

// TestRejectedBeforeRow: what was settled of a field of a record that is rejected says nothing about the next record,
// which has its row, even if the field had no symbols.
func TestRejectedBeforeRow(t *testing.T) {
	for _, more := range []string{"", "  keyed m { b str }"} {
		p := spec(t, `escape e = '\' { '"' '\' n x:hex2 }
format test { delimited { sep '\t' quote '"' doubled escape e everywhere } fields { id str  m map(str, pairs "; ", quote '"') trim }`+more+"}")
		for _, in := range []string{
			"\t\\\n\"\"\t\"\"\"\"\"\"\t",
			"a\t\\\n\"\"\t\"\"\"b\"\"=1\"\n",
			"a\t\\\n\"\"\t\"x\"\"=\"\"1\"\na\t\"  \\\n\"\"\t\"x\"\"=\"\"1\"\n",
			strings.Repeat("a\t\"b=1\"\n", 70) + "b\t\\\t1\n\"\"\t\"b\"\"=1\"\r\n" + strings.Repeat("a\t\"b\"\"=1\"\n", 70),
		} {
			for _, mode := range []dfa.ErrorMode{dfa.Null, dfa.Reject} {
				everyWay(t, p, func() io.Reader { return strings.NewReader(in) }, runtime.WithErrorMode(mode))
			}
		}
	}
}

// TestEscapedBehindAQuote: of a separator of two symbols behind a quote in a list or a map none is one that was escaped, and no
// escaped quote is the second of two.
func TestEscapedBehindAQuote(t *testing.T) {
	const lexed = `dfa table {
  group EQ='=' | END=';' | Q="'" | X=*
  START "before a key" : ! | ! | ! | KEY d
  KEY "in a key" : VALUE f | ! | ! | KEY d
  VALUE "before a value" : VALUE d | START r | EMPTY . | VALUE d
  EMPTY "in quotes" : ENC d | ENC d | NONE . | ENC d
  NONE "after two quotes" : ! | START r | ENC d | !
  ENC "in quotes, further on" : ENC d | ENC d | QUOTE . | ENC d
  QUOTE "after the closing quote" : ! | START r | ENC d | !
  eof : START ok, KEY !, VALUE r, EMPTY !, NONE r, ENC !, QUOTE r
}
`
	list, pairs, keys := `list(str, sep "||", quote "'")`, `map(str, pairs "||", kv "=>", quote "'")`, `map(str, pairs "||", kv "=>", quote "'", keys quoted)`
	two := func(of string) string { return strings.Replace(of, `quote "'"`, `quote "'", doubled`, 1) }
	table := `map(str, lex table)`
	for _, c := range []struct {
		of, in string
		want   int64
	}{
		{list, "'a'||b", 0}, {list, `'a'\||b`, 1}, {list, `'a'|\|b`, 1}, {list, `a\||b`, 0},
		{pairs, "k=>'a'||l=>b", 0}, {pairs, `k=>'a'\||l=>b`, 1}, {pairs, `k=>'a'|\|l=>b`, 1}, {pairs, `k=>a\||l=>b`, 0},
		{keys, "'k'=>a||'l'=>b", 0}, {keys, `'k'\=>a`, 1}, {keys, `'k'=\>a`, 1}, {keys, `'k'\||'l'=>b`, 1},
		{two(list), "'a''b'", 0}, {two(list), `'a'\'b'`, 1}, {two(list), `'a\''b'`, 1}, {two(list), `'a\'b'`, 0},
		{two(pairs), "k=>'a''b'", 0}, {two(pairs), `k=>'a'\'b'`, 1}, {two(pairs), `k=>'\''`, 0},
		{two(keys), "'a''b'=>c", 0}, {two(keys), `'a'\'b'=>c`, 1}, {two(keys), `'a\'b'=>c`, 0},
		{table, "k='a''b'", 0}, {table, "k='''b'", 0}, {table, `k='a'\'b'`, 1}, {table, `k=''\'b'`, 1}, {table, `k='\''`, 0},
	} {
		p := spec(t, lexed+`format f { delimited { sep '\t'  escape '\' }  fields { a `+c.of+` } }`)
		r, err := runtime.NewReader(strings.NewReader(c.in+"\n"), p, runtime.WithEngine(cpu.Engine), runtime.WithErrorMode(dfa.Reject))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		if got := r.Stats().Rejected; r.Err() != nil || got != c.want {
			t.Errorf("%s, %q: %d rejected, want %d; %v", c.of, c.in, got, c.want, r.Err())
		}
		r.Release()
	}
}
