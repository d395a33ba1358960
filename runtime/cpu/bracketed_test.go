package cpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// listsAlike has records in brackets of two kinds, which nest twice, and strings without escapes, in which a symbol may
// stand that may not stand outside.
const listsAlike = `dfa lists {
  group    Q='\''     | O='<' | L='[' | C='>' | R=']' | W=' ' ';' | E='\n' | N='\x00' | X=*
  START    : !        | A d   | A d   | !     | !     | START .   | START . | !       | !
  DONE     : !        | !     | !     | !     | !     | START r   | START r | !       | !
  A        : AS d     | B d   | B d   | DONE d | !    | A d       | A d     | !       | A d
  AS       : A d      | AS d  | AS d  | AS d  | AS d  | AS d      | !       | AS d    | AS d
  B        : BS d     | !     | !     | A d   | A d   | B d       | B d     | !       | B d
  BS       : B d      | BS d  | BS d  | BS d  | BS d  | BS d      | !       | BS d    | BS d
  eof : START ok, DONE r, A|AS|B|BS !
  recover W | E
}
format lists { dfa lists  fields { value str } }`

// TestBracketedQuotesAtSomeDepths: where a symbol begins strings in some brackets alone, no masks of quotes are asked.
func TestBracketedQuotesAtSomeDepths(t *testing.T) {
	const spec = `dfa lists {
  group  Q='"'  | P='\''   | O='<' | C='>'  | W=' ' ';' '\n' | X=*
  START  : !    | !        | A d   | !      | START .  | !
  DONE   : !    | !        | !     | !      | START r  | !
  A      : AS d | AP d     | B d   | DONE d | A d      | A d
  AS     : A d  | AS d     | AS d  | AS d   | AS d     | AS d
  AP     : AP d | A d      | AP d  | AP d   | AP d     | AP d
  B      : BS d | B d      | !     | A d    | B d      | B d
  BS     : B d  | BS d     | BS d  | BS d   | BS d     | BS d
  eof : START ok, DONE r, A|AS|AP|B|BS !
  recover W
}
format lists { dfa lists  fields { value str } }`
	s, err := compile.Compile("f.dfp", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(`<a>;<a 'b> "' <c'> >;<x> <a '"' '>' >;<"'" <'">"'>>;`)
	want := readBy(t, reference.Engine, s.Program, text)
	if got := readBy(t, Engine, s.Program, text); got != want {
		t.Fatalf("%q gives\n%s\nwant\n%s", text, got, want)
	}
}

// TestBracketedEnds: values that end in two states are not found by masks, whichever numbers these have.
func TestBracketedEnds(t *testing.T) {
	const spec = `dfa lists {
  group  Q='"'  | O='<' | C='>'   | R=']'   | W=' ' '\n' | S=';'   | X=*
  START  : !    | A d   | !       | !       | START .   | START . | !
  DONE   : !    | !     | !       | !       | START r   | START r | !
  ENDED  : !    | !     | !       | !       | ENDED .   | START r | !
  A      : AS d | !     | DONE d  | ENDED d | A d       | A d     | A d
  AS     : A d  | AS d  | AS d    | AS d    | AS d      | AS d    | AS d
  eof : START ok, DONE|ENDED r, A|AS !
  recover W
}
format lists { dfa lists  fields { value str } }`
	s, err := compile.Compile("f.dfp", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	a := *s.Program.Automaton
	var done dfa.StateID
	for i, symbol := range []byte("<>") {
		if i == 0 {
			done = a.Start
		}
		done, _ = a.Step(done, symbol)
	}
	// The first of the two gets number 0, and the start its number.
	n := a.NStates()
	other := func(id dfa.StateID) dfa.StateID {
		switch id {
		case 0:
			return done
		case done:
			return 0
		}
		return id
	}
	swap := func(i, k int) {
		a.Next[i], a.Next[k], a.Emit[i], a.Emit[k] = a.Next[k], a.Next[i], a.Emit[k], a.Emit[i]
	}
	a.Next, a.Emit, a.AtEOF, a.States = slices.Clone(a.Next), slices.Clone(a.Emit), slices.Clone(a.AtEOF), slices.Clone(a.States)
	for row := 0; row < len(a.Next); row += n {
		swap(row, row+int(done))
	}
	for i, next := range a.Next {
		a.Next[i] = other(next)
	}
	a.AtEOF[0], a.AtEOF[done] = a.AtEOF[done], a.AtEOF[0]
	a.States[0], a.States[done] = a.States[done], a.States[0]
	a.Start = other(a.Start)
	p, err := dfa.NewProgram(dfa.Definition{Name: "lists", Automaton: &a, Columns: s.Program.Columns, Classes: s.Program.Classes})
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("<a>;<b] ;<c>\n<d];<\"]>\">;<e] x;<f>;")
	want := readBy(t, reference.Engine, p, text)
	if got := readBy(t, Engine, p, text); got != want {
		t.Fatalf("%q gives\n%s\nwant\n%s", text, got, want)
	}
}

// bracketedTexts are what objects and what is between them is made of.
var bracketedTexts = []string{
	`{"a": 1}`, `{"a":"b"}`, `{}`, `{"a": [1, {"b": "}]"}, []]}`, `{"a":"\"{"}`, `{"k":"\\"}`, `{"k":"\\\""}`, "{\n  \"a\" : {\n    \"b\": [ ]\n  }\n}", `{"größe":"ü€😀"}`,
	`{"a":"`, `"}`, `{`, `}`, `[`, `]`, `"`, `\`, `\"`, "\n", ",", ", ", ",\n  ", " ", "\x00", "\x01\"", "x", ":", "null", "{\"a\":\"b\nc\"}", `{"a":"\` + "\n" + `"}`, `{"a":\}`, `{"a":"\u00e9\n"}`,
	`{"a":[[[[[[[[[[[[[[]]]]]]]]]]]]]]}`, `{"a":[[[[[[[[[]]]]]]]]]}`, `{"a":[1}]}`, `{"a": -1.5e3, "b": true, "a": null}`, "<a <b> 'c>' >;", "<[[]]>", "<'", "'", "<", ">", "\xff", "\r\n",
}

// TestBracketed: records that are values in brackets are those that the reference reads, whatever is odd about them and
// wherever blocks, strips and chunks end.
func TestBracketed(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, name := range []string{"json", "lists"} {
		t.Run(name, func(t *testing.T) {
			p := bracketedProgram(t, name)
			if newMachine(p).brackets() == nil {
				t.Fatal("is not read by brackets")
			}
			n := 60
			if testing.Short() {
				n = 10
			}
			for range n {
				text := bracketedText(rng)
				opts := []runtime.Option{runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Reject, dfa.Null, dfa.Fail}[rng.IntN(4)])}
				if rng.IntN(4) == 0 {
					opts = append(opts, runtime.WithMaxRecord(1+rng.IntN(300)))
				}
				want := readBy(t, reference.Engine, p, text, opts...)
				for range 4 {
					threads, chunk := 1+rng.IntN(3), 1<<(4+rng.IntN(12))
					how := append(opts, runtime.WithThreads(threads), runtime.WithChunkSize(chunk), runtime.WithPartitionSize(chunk*(1+rng.IntN(4))))
					if got := readBy(t, Engine, p, text, how...); got != want {
						t.Fatalf("%d threads, chunks of %d: %q gives\n%s\nwant\n%s", threads, chunk, text, got, want)
					}
				}
			}
		})
	}
}

func bracketedProgram(t testing.TB, name string) *dfa.Program {
	t.Helper()
	if name == "lists" {
		spec, err := compile.Compile("f.dfp", []byte(listsAlike))
		if err != nil {
			t.Fatal(err)
		}
		return spec.Program
	}
	p, err := formats.Program(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bracketedText is objects, mostly good ones, with things between them, and strings that end anywhere in a block.
func bracketedText(rng *rand.Rand) []byte {
	var text bytes.Buffer
	odd := 1 + rng.IntN(60)
	for range rng.IntN(300) {
		switch {
		case rng.IntN(odd) == 0:
			text.WriteString(bracketedTexts[rng.IntN(len(bracketedTexts))])
		case rng.IntN(8) == 0:
			fmt.Fprintf(&text, `{"%s\\":"%s\"}","c":[{"%s":1},2]},`, strings.Repeat("k", rng.IntN(70)), strings.Repeat(`\\`, rng.IntN(70)), strings.Repeat("[", rng.IntN(70)))
		case rng.IntN(100) == 0:
			fmt.Fprintf(&text, `{"long":"%s"}`+"\n", strings.Repeat("0123]}\\\" 89", rng.IntN(1000)))
		case rng.IntN(300) == 0:
			text.WriteString(strings.Repeat(" \n", rng.IntN(2000)))
		default:
			text.WriteString(bracketedTexts[rng.IntN(9)])
			text.WriteString([]string{",", ", ", ",\n  ", "\n", " ", "]"}[rng.IntN(6)])
		}
	}
	if rng.IntN(3) == 0 {
		text.Truncate(rng.IntN(text.Len() + 1))
	}
	return text.Bytes()
}
