package pace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/golden"
	"github.com/dfaparse/dfaparse/internal/pace"
)

// TestFind: of specs as people write them, what is slow and where. What is said
// stands beside each spec.
func TestFind(t *testing.T) {
	files, err := filepath.Glob("testdata/*.dfp")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			spec, err := compile.Compile(filepath.Base(file), src)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, f := range pace.Find(spec) {
				got.WriteString(f.String() + "\n")
				line := strings.Split(string(src), "\n")[f.Pos.Line-1]
				if f.Pos.Column > len(line) {
					t.Errorf("%s: there is no such place", f)
				}
			}
			golden.File(t, strings.TrimSuffix(file, ".dfp")+".txt", got.String())
		})
	}
}

// TestFastFormats: nothing is said of formats that are fast.
func TestFastFormats(t *testing.T) {
	for _, name := range []string{"csv", "csv_lax", "tsv", "taxi", "yelp", "lineitem", "apache_combined", "apache_common",
		"nginx", "haproxy", "syslog", "java", "java_multiline", "fixed", "stations"} {
		spec, err := gen.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range pace.Find(spec) {
			t.Errorf("%s: %s", name, f)
		}
	}
}

// TestSaved: a Program without a spec names what is slow, and no place.
func TestSaved(t *testing.T) {
	spec, err := gen.Spec("logfmt")
	if err != nil {
		t.Fatal(err)
	}
	p, err := dfa.DecodeProgram(spec.Program.Encode())
	if err != nil {
		t.Fatal(err)
	}
	found := pace.Find(&compile.Spec{Program: p})
	if len(found) != 1 || !strings.HasPrefix(found[0].String(), `slow: column "fields", map: `) {
		t.Errorf("%v", found)
	}
}
