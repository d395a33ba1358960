package fuzz

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// templates are formats whose records need more of an automaton than those of the
// built-in ones, shapes for one: their tests are read in every way.
//
//go:embed testdata/templates.dfp
var templates []byte

func TestTemplatesConform(t *testing.T) {
	specs, err := compile.CompileAll("templates.dfp", templates, compile.WithVerifier(runtime.Verifier(cpu.Engine)))
	if err != nil {
		t.Fatal(err)
	}
	all := settings(true)
	for _, spec := range specs {
		t.Run(spec.Program.Name, func(t *testing.T) {
			for i := range spec.Examples {
				in := spec.Examples[i].Input
				for j, input := range append(damaged(in), strings.Repeat(in, 40)) { // enough to be read side by side
					for mode, m := range modes {
						conform(t, fmt.Sprintf("example %d, damage %d, mode %s", i, j, mode), spec.Program, input, m, rotated(all, i+j+int(m)))
						if shapes := spec.Program.ShapeNames(); len(shapes) > 0 && j%3 == int(m) {
							shape := shapes[j%len(shapes)]
							one, err := spec.Program.OnlyShape(shape)
							if err != nil {
								t.Fatal(err)
							}
							conform(t, fmt.Sprintf("example %d, damage %d, mode %s, shape %s", i, j, mode, shape), one, input, m, rotated(all, i+j))
						}
					}
				}
			}
		})
	}
}
