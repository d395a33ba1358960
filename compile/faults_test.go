package compile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/internal/golden"
)

// TestFaults compiles every spec of testdata/faults.txt, which holds cases of
// the form
//
//	== name
//	spec text
//	-- faults
//	file:line:col: message
//
// and compares the faults, all of them, in order.
func TestFaults(t *testing.T) {
	path := filepath.Join("testdata", "faults.txt")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, c := range strings.Split(string(src), "== ")[1:] {
		name, rest, _ := strings.Cut(c, "\n")
		text, want, ok := strings.Cut(rest, "-- faults\n")
		if !ok && !*golden.Update {
			t.Fatalf("%s: no -- faults", name)
		}
		got := "none\n"
		spec, err := Compile("x.dfp", []byte(text))
		if err != nil {
			got = err.Error() + "\n"
			var faults Faults
			if !errors.As(err, &faults) {
				t.Errorf("%s: the error is a %T, want Faults", name, err)
			}
		} else {
			for _, w := range spec.Warnings {
				got += w.String() + "\n"
			}
		}
		if want = strings.TrimRight(want, "\n") + "\n"; got != want && !*golden.Update {
			t.Errorf("%s:\ngot:\n%swant:\n%s", name, got, want)
		}
		out.WriteString("== " + name + "\n" + text + "-- faults\n" + got + "\n")
	}
	if *golden.Update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
