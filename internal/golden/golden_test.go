package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/internal/golden"
)

// failing keeps what a test would be told.
type failing struct {
	testing.TB
	said []string
}

func (f *failing) Helper() {}

func (f *failing) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "testdata", "a.txt")
	*golden.Update = true
	golden.File(t, path, "a\nb\n")
	*golden.Update = false
	if b, err := os.ReadFile(path); err != nil || string(b) != "a\nb\n" {
		t.Fatalf("%q was written, error %v", b, err)
	}
	for got, want := range map[string]string{
		"a\nb\n":   "",
		"a\nc\n":   "line 2: got\nc\nwant\nb\n",
		"a\nb\n\n": "4 lines, want 3\n",
		"a\nb":     "2 lines, want 3\n",
		"a\r\nb\n": "line 1: got\na\r\nwant\na\n",
	} {
		f := &failing{TB: t}
		golden.File(f, path, got)
		said := strings.Join(f.said, "|")
		if want != "" {
			want = path + ": " + want + "run with -update to accept"
		}
		if said != want {
			t.Errorf("of %q is said %q, want %q", got, said, want)
		}
	}
}
