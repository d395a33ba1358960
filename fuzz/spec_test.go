package fuzz

import (
	"sync"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestSpecs runs the tests inside every built-in spec.
func TestSpecs(t *testing.T) {
	for _, name := range gen.AllFormats() {
		t.Run(name, func(t *testing.T) {
			s, err := gen.Spec(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := runtime.Verifier(cpu.Engine)(s.Program, s.Examples); err != nil {
				t.Error(err)
			}
		})
	}
}

var csvNoHeader = sync.OnceValues(func() (*dfa.Program, error) {
	s, err := compile.Compile("test.dfp", []byte(`format plain { delimited { sep ','  quote '"' doubled }  header none }`))
	if err != nil {
		return nil, err
	}
	return s.Program, nil
})
