package compile_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestManualTestsPass runs the tests inside the examples of docs/spec.md, and
// those of testdata/constructs.dfp.
func TestManualTestsPass(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "docs", "spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, m := range regexp.MustCompile("(?s)```dfp\n(.*?)```\n").FindAllSubmatch(src, -1) {
		ran += verify(t, "spec.md", m[1])
	}
	if ran < 14 {
		t.Errorf("only %d tests in docs/spec.md", ran)
	}
	constructs, err := os.ReadFile(filepath.Join("testdata", "constructs.dfp"))
	if err != nil {
		t.Fatal(err)
	}
	if n := verify(t, "constructs.dfp", constructs); n < 14 {
		t.Errorf("only %d tests in constructs.dfp", n)
	}
}

// verify runs the tests of all formats of a spec, and gives their number.
func verify(t *testing.T, file string, src []byte) (ran int) {
	f, err := compile.Parse(file, src)
	if err != nil {
		t.Errorf("%v\n%s", err, src)
		return 0
	}
	for _, name := range f.FormatNames() {
		spec, err := compile.Build(f, name, func(parent string) (*compile.File, error) {
			if parent != "csv" {
				return formats.Resolve(parent)
			}
			return compile.Parse("csv.dfp", []byte("format csv { delimited { sep ','  quote '\"' doubled }  header names }"))
		})
		if err != nil {
			t.Errorf("%v\n%s", err, src)
			continue
		}
		for _, engine := range []runtime.Engine{cpu.Engine, reference.Engine} {
			if err := runtime.Verifier(engine)(spec.Program, spec.Examples); err != nil {
				t.Errorf("format %s: %v", name, err)
			}
		}
		ran += len(spec.Examples)
	}
	return ran
}
