package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/drawn"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// TestSplit: fields are taken apart as the splitter does it, by the automaton of
// a format and by any.
func TestSplit(t *testing.T) {
	p, err := gen.Program("apache_combined")
	if err != nil {
		t.Fatal(err)
	}
	automata := map[string]*dfa.Automaton{}
	for i := range p.Columns {
		if s := p.Columns[i].Split; s != nil {
			automata["request"] = s.Automaton
		}
	}
	defer func(n int) { wordFields = n }(wordFields)
	onEach(t, func(t *testing.T) {
		for name, draw := range map[string]func(t *rapid.T) (*dfa.Automaton, string){
			"request": func(*rapid.T) (*dfa.Automaton, string) { return automata["request"], "GET  /abcde" },
			"template": func(t *rapid.T) (*dfa.Automaton, string) {
				a, _, err := lower.BuildSplit(drawTemplate(t), nil)
				if err != nil {
					t.Fatal(err)
				}
				return a, "aaaaabcdef/: "
			},
			"delimited": func(t *rapid.T) (*dfa.Automaton, string) {
				m := enginetest.DrawDelimited(t)
				return enginetest.Splitter(m.Automaton), m.Alphabet + "bbbbbb"
			},
			"any": func(t *rapid.T) (*dfa.Automaton, string) {
				m := enginetest.DrawAutomaton(t, true)
				return enginetest.Splitter(m.Automaton), m.Alphabet
			},
		} {
			nseparated, byMasks, nwords := 0, 0, 0
			rare := name == "delimited" || name == "any" // few of these have parts that are separated
			enough := func() bool { return rare || nseparated > 0 && byMasks > 0 && nwords > 0 }
			drawn.Check(t, name+": no fields were taken apart by masks", enough, func(t *rapid.T) {
				a, alphabet := draw(t)
				def := &dfa.Column{Split: &dfa.Split{Automaton: a, Strict: true, Columns: make([]dfa.Column, rapid.IntRange(2, 3).Draw(t, "columns"))}}
				if len(def.Split.Columns) == 2 && rapid.IntRange(0, 5).Draw(t, "from end") == 0 {
					def.Split.FromEnd = []string{"", rapid.SampledFrom(strings.Split(alphabet, "")).Draw(t, "text"), ""}
				}
				if rapid.Bool().Draw(t, "null tokens") {
					def.Nulls = []string{"b", "GET"}
				}
				var f convert.Fields
				var src []byte
				for range rapid.IntRange(1, 8).Draw(t, "fields") {
					value := strings.Repeat(string(enginetest.DrawInput(t, alphabet, 30)), max(1, rapid.IntRange(-4, 6).Draw(t, "times")))
					f.Push(uint32(len(src)), uint32(len(src)+len(value)))
					src = append(src, value...)
				}
				f.Src = src
				wordFields = rapid.IntRange(0, 3).Draw(t, "fields before words are looked for")
				s := newSplit(def, 0, 0)
				s.run(&f)
				for i := range s.words {
					if s.words[i].text != nil {
						nwords++
						break
					}
				}
				if s.separated != nil {
					nseparated++
					byMasks += f.Len() - len(s.left)
					checkSeparated(t, s, &f)
				}
				want := make([]convert.Fields, len(s.parts))
				misfits := convert.NewPlainSplitter(def).Split(&f, want)
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
			t.Logf("%s: %d splits have separated parts, %d fields were taken apart by masks, %d have words", name, nseparated, byMasks, nwords)
		}
	})
}

// drawTemplate draws what stands between parts, mostly the same symbol.
func drawTemplate(t *rapid.T) (parts []lower.Part) {
	symbol := rapid.SampledFrom([]string{" ", "/", ":", "b"}).Draw(t, "separator")
	around := func(where string) {
		if rapid.IntRange(0, 3).Draw(t, where) == 0 {
			parts = append(parts, lower.Literal{Text: rapid.SampledFrom([]string{"a", ":", "/ ", "::"}).Draw(t, where+" text")})
		}
	}
	around("before")
	for i := range rapid.IntRange(1, 3).Draw(t, "parts") {
		if i > 0 {
			text := symbol
			if rapid.IntRange(0, 5).Draw(t, "other") == 0 {
				text = rapid.SampledFrom([]string{" ", "/:", "::"}).Draw(t, "text")
			}
			parts = append(parts, lower.Literal{Text: text})
		}
		parts = append(parts, lower.Hole{Name: string(rune('x' + i))})
	}
	around("after")
	return parts
}

// checkSeparated compares what run has left, and what it has not, with the twin.
func checkSeparated(t *rapid.T, s *split, f *convert.Fields) {
	twin := make([]convert.Fields, len(s.parts))
	convert.ResetParts(f, twin)
	left := s.separated.separateGeneric(f, twin, nil)
	if !slices.Equal(left, s.left) {
		t.Fatalf("%q: rows %v are left, in Go %v", f.Src, s.left, left)
	}
	for i := range f.Len() {
		if slices.Contains(left, uint32(i)) {
			continue
		}
		for _, k := range s.separated.columns {
			if s.parts[k].Start[i] != twin[k].Start[i] || s.parts[k].End[i] != twin[k].End[i] {
				t.Fatalf("%q: part %d of field %d is from %d to %d, in Go from %d to %d", f.Src, k, i, s.parts[k].Start[i], s.parts[k].End[i], twin[k].Start[i], twin[k].End[i])
			}
		}
	}
}

// TestSeparate compares the parts of fields of all lengths that are taken apart by
// masks with what strings.Split makes of them.
func TestSeparate(t *testing.T) {
	onEach(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			n := 2 + rng.IntN(4)
			s := split{parts: make([]convert.Fields, n), separated: &separated{separator: '/', columns: rng.Perm(n)}}
			var f convert.Fields
			for range 1 + rng.IntN(20) {
				from := len(f.Src)
				for range rng.IntN(n + 2) {
					f.Src = append(append(f.Src, "abcdefghijklmnopqrstuvwxyz0123456789"[rng.IntN(36):]...), '/')
				}
				if from < len(f.Src) {
					f.Src = f.Src[:len(f.Src)-rng.IntN(2)]
				}
				switch rng.IntN(20) {
				case 0:
					f.Push(convert.Absent, 0)
				case 1:
					f.Push(convert.InDecoded, convert.InDecoded+4)
				default:
					f.Push(uint32(from), uint32(len(f.Src)))
				}
			}
			for k := range s.parts {
				s.parts[k].Start, s.parts[k].End = make([]uint32, f.Len()), make([]uint32, f.Len())
			}
			s.separate(&f)
			var left []uint32
			for i, start := range f.Start {
				var want []string
				if start < convert.InDecoded && f.End[i]-start <= maxSeparated {
					want = strings.Split(string(f.Src[start:f.End[i]]), "/")
				}
				if len(want) != n {
					left = append(left, uint32(i))
					continue
				}
				for k, c := range s.separated.columns {
					if got := string(f.Src[s.parts[c].Start[i]:s.parts[c].End[i]]); got != want[k] {
						t.Fatalf("part %d of %q is %q", k, want, got)
					}
				}
			}
			if !slices.Equal(left, s.left) {
				t.Fatalf("%q: rows %v are left, want %v", f.Src, s.left, left)
			}
		}
	})
}

// TestFindSeparated: which splits have parts separated by a symbol.
func TestFindSeparated(t *testing.T) {
	x, y := lower.Hole{Name: "x"}, lower.Hole{Name: "y"}
	text := func(s string) lower.Part { return lower.Literal{Text: s} }
	for _, test := range []struct {
		parts []lower.Part
		nulls []string
		want  bool
	}{
		{[]lower.Part{x, text("/"), y}, nil, true},
		{[]lower.Part{x, text("/"), y}, []string{"-", "a//"}, true},
		{[]lower.Part{x, text("/"), y}, []string{"-", "/"}, false},
		{[]lower.Part{x}, nil, false},
		{[]lower.Part{x, text("//"), y}, nil, false},
		{[]lower.Part{text("/"), x, text("/"), y}, nil, false},
		{[]lower.Part{x, text("/"), y, text(":"), lower.Hole{Name: "z"}}, nil, false},
	} {
		a, names, err := lower.BuildSplit(test.parts, nil)
		if err != nil {
			t.Fatal(err)
		}
		def := &dfa.Column{Nulls: test.nulls, Split: &dfa.Split{Automaton: a, Columns: make([]dfa.Column, len(names))}}
		if got := newSplit(def, 0, 0).separated; (got != nil) != test.want {
			t.Errorf("%v, nulls %q: %+v", test.parts, test.nulls, got)
		}
	}
}
