package cpu

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime/convert"
	"github.com/dfaparse/dfaparse/runtime/enginetest"
)

// TestSplit: fields are taken apart as the splitter does it, by the automaton of
// a format and by any.
func TestSplit(t *testing.T) {
	p, err := formats.Program("apache_combined")
	if err != nil {
		t.Fatal(err)
	}
	automata := map[string]*dfa.Automaton{}
	for i := range p.Columns {
		if s := p.Columns[i].Split; s != nil {
			automata["request"] = s.Automaton
		}
	}
	onEach(t, func(t *testing.T) {
		for name, draw := range map[string]func(t *rapid.T) (*dfa.Automaton, string){
			"request": func(*rapid.T) (*dfa.Automaton, string) { return automata["request"], "GET  /" },
			"delimited": func(t *rapid.T) (*dfa.Automaton, string) {
				m := enginetest.DrawDelimited(t)
				return m.Automaton, m.Alphabet + "bbbbbb"
			},
			"any": func(t *rapid.T) (*dfa.Automaton, string) {
				m := enginetest.DrawAutomaton(t, true)
				return m.Automaton, m.Alphabet
			},
		} {
			rapid.Check(t, func(t *rapid.T) {
				a, alphabet := draw(t)
				def := &dfa.Column{Split: &dfa.Split{Automaton: a, Strict: true, Columns: make([]dfa.Column, 3)}}
				if rapid.Bool().Draw(t, "null tokens") {
					def.Nulls = []string{"b", "GET"}
				}
				var f convert.Fields
				var src []byte
				for range rapid.IntRange(1, 8).Draw(t, "fields") {
					value := strings.Repeat(string(enginetest.DrawInput(t, alphabet, 30)), rapid.IntRange(1, 6).Draw(t, "times"))
					f.Push(uint32(len(src)), uint32(len(src)+len(value)))
					src = append(src, value...)
				}
				f.Src = src
				s := newSplit(def, 0, 0)
				s.run(&f)
				want := make([]convert.Fields, len(s.parts))
				misfits := convert.NewSplitter(def).Split(&f, want)
				if fmt.Sprint(misfits) != fmt.Sprint(s.misfits) {
					t.Fatalf("%s: %q: misfits %v, want %v", name, src, s.misfits, misfits)
				}
				for k := range want {
					for i := range f.Len() {
						got, ok := s.parts[k].At(i)
						part, has := want[k].At(i)
						if ok != has || string(got) != string(part) {
							t.Fatalf("%s: %q: part %d of field %d is %q, %v, want %q, %v", name, src, k, i, got, ok, part, has)
						}
					}
				}
			})
		}
	})
}
