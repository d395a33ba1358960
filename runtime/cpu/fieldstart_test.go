package cpu

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestFieldStarts: where fields with problems begin is what the reference engine finds by reading their
// records, whatever stands in front of their data.
func TestFieldStarts(t *testing.T) {
	programs, inputs := map[string]*dfa.Program{}, map[string][]string{}
	for _, name := range gen.AllFormats() {
		s, err := gen.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Program.Widths) > 0 {
			continue
		}
		programs[name] = s.Program
		for _, e := range s.Examples {
			inputs[name] = append(inputs[name], string(e.Input))
		}
	}
	for name, x := range map[string][2]string{
		"colons":  {"`{a}[{[}{b}{]}]: {c}{ }{d}`  fields { a u8  b u8?  c u8  d u8 }", "1[2]: 3  4\n5: 6 7\n"},
		"signs":   {"`{a} \"{b}\" {c}: {d}`  fields { a u8  b u8  c u8  d u8 }", "1 \"2\" 3: 4\n"},
		"parts":   {"`{a}[{[}{b}{]}]: {c...}` split c `{d} for {e}` else null  fields { a u8  b u8  e u8 }", "1[2]: x for 3\n5: for 4\n"},
		"aligned": {"`{a}{ }{b}{ }|{ }{c}`  fields { a u8  b u8  c u8 }", "1   2 |  3\n"},
	} {
		s, err := compile.Compile(name+".dfp", []byte("format "+name+" { record "+x[0]+" }"))
		if err != nil {
			t.Fatal(err)
		}
		programs[name], inputs[name] = s.Program, []string{x[1]}
	}
	rng := rand.New(rand.NewPCG(19, 20))
	for name, p := range programs {
		var data []byte
		for range 6 {
			for _, input := range inputs[name] {
				for line := range bytes.Lines([]byte(input)) {
					line = append(bytes.TrimSuffix(bytes.Clone(line), []byte("\n")), '\n')
					for range rng.IntN(3) {
						line[rng.IntN(len(line))] = `xx" :]-9`[rng.IntN(8)]
					}
					if at := rng.IntN(len(line)); rng.IntN(3) == 0 && line[at] == ' ' {
						line = append(line[:at:at], line[at-min(at, 1):]...)
					}
					data = append(data, line...)
				}
			}
		}
		want := outcomeOf(t, p, data, runtime.WithEngine(reference.Engine), runtime.WithErrorMode(dfa.Null))
		if got := outcomeOf(t, p, data, runtime.WithEngine(Engine), runtime.WithErrorMode(dfa.Null)); got != want {
			t.Errorf("%s: %q gives\n%s\nwant\n%s", name, data, got, want)
		}
	}
}
