package compile

import (
	"cmp"
	"errors"
	"fmt"
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

// TestFaultsOf: of errors that are joined or wrapped all faults are given, in their order.
func TestFaultsOf(t *testing.T) {
	_, one := Compile("one", []byte("format a { x }"))
	_, two := Compile("two", []byte("format b { y }"))
	other := errors.New("there is no third")
	for _, c := range []struct {
		err  error
		want string // the files of the faults
	}{
		{one, "one"},
		{fmt.Errorf("again: %w", one), "one"},
		{errors.Join(one, two), "one two"},
		{errors.Join(other, fmt.Errorf("again: %w", errors.Join(one, two))), "- one two"},
		{other, "-"},
	} {
		var got []string
		for _, f := range FaultsOf(c.err) {
			got = append(got, cmp.Or(f.Pos.Filename, "-"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: faults of %q, want %q", c.err, got, c.want)
		}
	}
}
