//go:build cuda

package gpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestEngine holds the engine to what all engines must do, in flights so small
// that inputs have several, by both paths and with symbols moved together in
// each way.
func TestEngine(t *testing.T) {
	newBench(t)
	t.Cleanup(func() { allBy.tiles, allBy.quoted = false, false })
	for _, test := range []struct {
		name string
		opts []Option
	}{
		{"fused", []Option{WithFlight(48)}},
		{"quoted", []Option{WithFlight(50)}},
		{"contexts", []Option{WithFlight(60), WithoutMasks()}},
		{"general", []Option{WithFlight(100), WithGeneralPath()}},
		{"tagged", []Option{WithFlight(400), WithTagging(Tagged)}},
		{"terminated", []Option{WithFlight(700), WithTagging(Terminated)}},
		{"delimited", []Option{WithFlight(200), WithTagging(Delimited)}},
		{"whole", nil},
	} {
		if sanitized && (test.name == "tagged" || test.name == "delimited") { // TestTaggingUTF8 has each
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			quoted := test.name == "quoted"
			allBy.tiles, allBy.quoted = !quoted, quoted
			enginetest.Run(t, New(test.opts...))
		})
	}
}

// TestTagging looks at the device after flights have been parsed: values were
// taken from where symbols were moved to, but of a flight with the terminator in
// one of them.
func TestTagging(t *testing.T) {
	newBench(t)
	plan, b := formatPlan(t, "csv")
	for _, tagging := range []Tagging{TaggingNone, Tagged, Terminated, Delimited} {
		for _, in := range []string{"1,\"a,\"\"b\",x\n2,,y\n", "1,a\x1fb,x\n"} {
			p, err := New(WithTagging(tagging)).openParser(plan, runtime.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Parse(t.Context(), &runtime.Partition{Data: []byte(in), Binding: b, State: plan.Program.Automaton.Start, Final: true}); err != nil {
				t.Fatal(err)
			}
			s := p.slots[0]
			report := make([]byte, len(s.outputs)*sizeOf[kernels.Output]())
			if err := p.parse.Download(report, s.delivery.Outputs); err != nil {
				t.Fatal(err)
			}
			if err := p.parse.Synchronize(); err != nil {
				t.Fatal(err)
			}
			for i := range s.outputs {
				source := valueOf[kernels.Output](report[i*sizeOf[kernels.Output]():]).Source
				moved := s.css.Size > 0 && source-s.css.Symbols < s.css.Size
				if want := tagging != TaggingNone && (tagging != Terminated || in[3] != unitSeparator); moved != want {
					t.Errorf("tagging %d of %q: the symbols of output %d were moved: %v", tagging, in, i, moved)
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Sequences that end where a field does, and go on in the next one, are none,
// even if fields lie side by side; those within fields are.
func TestTaggingUTF8(t *testing.T) {
	newBench(t)
	spec, err := gen.Spec("csv")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	texts := []string{"\xc3", "\xa9", "é", "\xf0\x9f", "\x98\x80", "😀", "a", "", "bc", strings.Repeat("d", 60), strings.Repeat("é", 40), "\"\"", " "}
	for round := range 30 {
		var in strings.Builder
		in.WriteString("a,b,c\n")
		for range r.IntN(200) {
			for c := range 3 {
				in.WriteByte('"')
				for range r.IntN(4) {
					in.WriteString(texts[r.IntN(len(texts)-round%2)])
				}
				in.WriteByte('"')
				in.WriteByte(",,\n"[c])
			}
		}
		read := func(e runtime.Engine) string {
			rows, _, err := readRows(e, spec.Program, in.String(), runtime.WithUTF8(dfa.ReplaceUTF8))
			if err != nil {
				t.Fatal(err)
			}
			return rows
		}
		want := read(cpu.Engine)
		for _, tagging := range []Tagging{TaggingNone, Tagged, Terminated, Delimited} {
			if got := read(New(WithTagging(tagging))); got != want {
				t.Fatalf("tagging %d of %q: rows\n%s\nwant\n%s", tagging, in.String(), got, want)
			}
		}
	}
}
