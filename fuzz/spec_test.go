package fuzz

import (
	"fmt"
	"sync"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestSpecs runs the tests inside every built-in spec, and in those of testdata.
func TestSpecs(t *testing.T) {
	for _, name := range append(gen.AllFormats(), ownFormats...) {
		t.Run(name, func(t *testing.T) {
			s, err := specOf(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := runtime.Verifier(cpu.Engine)(s.Program, s.Examples); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEveryFormat reads the examples of every built-in format in a few ways; of the
// varied ones TestConformance has the others.
func TestEveryFormat(t *testing.T) {
	few := []setting{{"reference", 1, whole, whole}, {"both", 2, 3, 64}, {"both", 1, whole, 7}}
	for _, name := range gen.AllFormats() {
		s, err := gen.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Examples {
			conform(t, fmt.Sprintf("%s, example %d", name, i), s.Program, s.Examples[i].Input, dfa.Reject, few)
		}
	}
}

var csvNoHeader = sync.OnceValues(func() (*dfa.Program, error) {
	s, err := compile.Compile("test.dfp", []byte(`format plain { delimited { sep ','  quote '"' doubled }  header none }`))
	if err != nil {
		return nil, err
	}
	return s.Program, nil
})
