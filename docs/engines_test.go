package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnginesAreKnown: an engine is a package below runtime, and each is in the table
// of engines.md, chosen by the command, and compared by the conformance matrix.
func TestEnginesAreKnown(t *testing.T) {
	dirs, err := os.ReadDir(filepath.Join(root, "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, of := range []string{"cmd/dfaparse/engine*.go", "fuzz/*_test.go"} {
		found, err := filepath.Glob(filepath.Join(root, of))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			files[of] += string(b)
		}
	}
	n := 0
	for _, d := range dirs {
		name := d.Name()
		if !d.IsDir() || name == "testdata" {
			continue
		}
		n++
		if !strings.Contains(read(t, "docs/engines.md"), "\n| `"+name+"` | ") {
			t.Errorf("the table of docs/engines.md does not have %s", name)
		}
		for of, text := range files {
			if !strings.Contains(text, `"`+module+`runtime/`+name+`"`) {
				t.Errorf("%s do not know runtime/%s", of, name)
			}
		}
	}
	if n < 3 {
		t.Errorf("only %d engines", n)
	}
}
