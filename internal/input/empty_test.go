package input

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestWithoutEmpty: of several inputs those are left out that hold nothing, compressed or not, or a byte order mark alone,
// unless all do.
func TestWithoutEmpty(t *testing.T) {
	var nothing bytes.Buffer
	if err := gzip.NewWriter(&nothing).Close(); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a": "x\n", "none": "", "none.gz": nothing.String(), "broken.gz": "\x1f\x8b", "dir/x": "y", "mark": "\ufeff", "marks": "\ufeff\ufeff", "mark16": "\xff\xfe", "half": "\xef\xbb", "marked": "\ufeffa"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ paths, kept, empty []string }{
		{[]string{"none"}, []string{"none"}, nil},
		{[]string{"none", "none.gz"}, []string{"none", "none.gz"}, nil},
		{[]string{"none", "a", "none.gz", "-"}, []string{"a", "-"}, []string{"none", "none.gz"}},
		{[]string{"mark", "none"}, []string{"mark", "none"}, nil},
		{[]string{"mark", "marks", "mark16", "half", "marked"}, []string{"marks", "half", "marked"}, []string{"mark", "mark16"}},
		{[]string{"broken.gz", "missing", "dir", "none"}, []string{"broken.gz", "missing", "dir"}, []string{"none"}},
	} {
		if kept, empty := WithoutEmpty(context.Background(), c.paths); !slices.Equal(kept, c.kept) || !slices.Equal(empty, c.empty) {
			t.Errorf("%q: %q and %q, want %q and %q", c.paths, kept, empty, c.kept, c.empty)
		}
	}
}
