package compile_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	_ "github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestManualTestsPass runs the tests inside the examples of docs/spec.md.
func TestManualTestsPass(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "docs", "spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, m := range regexp.MustCompile("(?s)```dfp\n(.*?)```\n").FindAllSubmatch(src, -1) {
		f, err := compile.Parse("spec.md", m[1])
		if err != nil {
			t.Errorf("%v\n%s", err, m[1])
			continue
		}
		for _, name := range f.FormatNames() {
			spec, err := compile.Build(f, name, func(string) (*compile.File, error) {
				return compile.Parse("csv.dfp", []byte("format csv { delimited { sep ','  quote '\"' doubled }  header names }"))
			})
			if err != nil {
				t.Errorf("%v\n%s", err, m[1])
				continue
			}
			if err := runtime.Verify(spec.Program, spec.Examples); err != nil {
				t.Errorf("format %s: %v", name, err)
			}
			ran += len(spec.Examples)
		}
	}
	if ran < 12 {
		t.Errorf("only %d tests in docs/spec.md", ran)
	}
}
