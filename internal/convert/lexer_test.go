package convert

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// compareLexer compares the lexer of t with t, for a value that lies in memory with
// something behind it, and for one that does not.
func compareLexer(rt *rapid.T, t *dfa.Table, value []byte) (taken bool) {
	x := newLexer(t)
	if x == nil {
		return false
	}
	want, wantDecoded, code := t.Fields(value, nil, nil)
	for _, value := range [][]byte{slices.Clip(value), slices.Concat(value, make([]byte, 200))[:len(value)]} {
		got, decoded, ok := x.fields(value, nil, nil)
		if ok && (code != 0 || !slices.Equal(got, want) || string(decoded) != string(wantDecoded)) {
			rt.Fatalf("%q: %v, want %v, code %d", value, got, want, code)
		}
		taken = ok
	}
	return taken
}

// TestLexer compares with Table.Fields: lists and maps of built-in formats and of
// tests, and automata drawn at random.
func TestLexer(t *testing.T) {
	tables := []*dfa.Table{listLex(';').Table(), mapLex().Table(), groupLex().Table()}
	for _, name := range []string{"auditd", "logfmt", "syslog_rfc5424", "jsonl"} {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Columns {
			if lex := p.Columns[i].Type.Lex; lex != nil {
				tables = append(tables, lex.Table())
			}
		}
	}
	words := []string{"a", "key", "=", " ", ";", "\"", "\\", "[", "]", "x y", "a long value of some symbols, more than sixty-four of them all in all", "é", "\x00", ",", "\\x41", "1", "{", "}", ":", `"k":`, `{"k": 1}`}
	none := make([]bool, len(tables))
	for i := range none {
		none[i] = true
	}
	check := func(rt *rapid.T) {
		i := rapid.IntRange(0, len(tables)-1).Draw(rt, "table")
		var value []byte
		for _, w := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 60).Draw(rt, "words") {
			value = append(value, w...)
		}
		if rapid.Bool().Draw(rt, "good") {
			pairs := rapid.SampledFrom([][]string{{`a=1 `, `key="x y" `, `k= `, `flag `, `m="say \\"hi\\" \\x41" `}, {`a;`, `b=2;`}, {`g[a=1 b=2],`}, {`[id x="1" yy="z z"]`},
				{`{"a": 1, `, `"key": "x, \\"y\\" é z"`, `, "a\\u00e9":[1,{"b":"}"}]`, `,"n":-1.5e3 `, `} `, `"t" : null`, `}`, `{}`, `,"o":{"a long key":{"b": [1, 2]}}}`}}).Draw(rt, "kind")
			value = nil
			for range rapid.IntRange(1, 8).Draw(rt, "pairs") {
				value = append(value, rapid.SampledFrom(pairs).Draw(rt, "pair")...)
			}
			value = value[:max(0, len(value)-rapid.IntRange(0, 1).Draw(rt, "cut"))]
		}
		if compareLexer(rt, tables[i], value) {
			none[i] = false
		}
	}
	for range 40 { // of a quarter of that, one run in 200 took no value for some table
		rapid.Check(t, check)
	}
	for i, is := range none {
		if is && !testing.Short() { // of few draws, none may be good for a table
			t.Errorf("table %d: no value is taken", i)
		}
	}
}

func TestLexerOfDrawnAutomata(t *testing.T) {
	const alphabet = "az=;\" "
	taken := 0
	check := func(rt *rapid.T) {
		a := drawValueAutomaton(rt, alphabet)
		if a.Validate() != nil || a.ValidateValue() != nil {
			return
		}
		value := rapid.SliceOfN(rapid.SampledFrom([]byte(alphabet)), 0, 200).Draw(rt, "value")
		if compareLexer(rt, a.Table(), value) {
			taken++
		}
	}
	for range 20 {
		rapid.Check(t, check)
	}
	t.Logf("%d values are taken", taken)
}

// drawValueAutomaton draws states that do something at the symbols of the alphabet,
// where z is like all that are not in it.
func drawValueAutomaton(rt *rapid.T, alphabet string) *dfa.Automaton {
	n := rapid.IntRange(1, 4).Draw(rt, "states")
	b := dfa.NewBuilder()
	wrong := b.Message("wrong")
	for range n {
		b.AddState("S", "somewhere")
	}
	emission := func() dfa.Emission {
		next := int16(rapid.IntRange(-1, 1).Draw(rt, "column"))
		switch rapid.IntRange(0, 9).Draw(rt, "kind") {
		case 0:
			return dfa.Emission{Kind: dfa.Skip}
		case 1:
			return dfa.Emission{Kind: dfa.Skip, Escape: true}
		case 2:
			return dfa.Emission{Kind: dfa.Error, Code: wrong}
		case 3:
			return dfa.Emission{Kind: dfa.Field, Column: next}
		case 4:
			return dfa.Emission{Kind: dfa.Record, Column: next}
		case 5:
			return dfa.Emission{Kind: dfa.Field, Column: next, Lag: 1, Open: uint16(rapid.IntRange(0, 1).Draw(rt, "open"))}
		}
		if rapid.IntRange(0, 5).Draw(rt, "coded") == 0 {
			return dfa.Emission{Sub: dfa.ByByte, Byte: 'x'}
		}
		return dfa.Emission{}
	}
	for s := range n {
		from := dfa.StateID(s)
		to := func() dfa.StateID { return dfa.StateID(rapid.IntRange(0, n-1).Draw(rt, "next")) }
		for i := range len(alphabet) {
			if c := alphabet[i]; c != 'z' && rapid.Bool().Draw(rt, "special") {
				b.On(from, dfa.Bytes(c), to(), emission())
			}
		}
		if rapid.IntRange(0, 2).Draw(rt, "smooth") > 0 {
			b.Otherwise(from, from, dfa.Emission{})
		} else {
			b.Otherwise(from, to(), emission())
		}
		b.EOF(from, dfa.Emission{Kind: dfa.Record, Column: int16(rapid.IntRange(-1, 1).Draw(rt, "last"))})
	}
	a, err := b.Build()
	if err != nil {
		rt.Skip(err)
	}
	return a
}
