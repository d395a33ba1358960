// Package golden compares what tests make with files that hold what is
// expected, and writes these files when tests are run with -update.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Update says that what is expected is to be written anew.
var Update = flag.Bool("update", false, "write anew what is expected")

// File compares got with the file at path, or writes it there.
func File(tb testing.TB, path, got string) {
	tb.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if d := Difference(string(b), got); d != "" {
		tb.Errorf("%s: %s\nrun with -update to accept", path, d)
	}
}

// Difference says where two texts begin to differ, and nothing of equal ones.
func Difference(want, got string) string {
	if got == want {
		return ""
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d: got\n%s\nwant\n%s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
