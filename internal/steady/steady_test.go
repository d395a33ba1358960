package steady_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/internal/steady"
)

// begin is a file of text, open.
func begin(t *testing.T, text string) (*os.File, *steady.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// A clock may be coarse: what is written now must not look like then.
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return f, steady.Of(f, info)
}

func TestCheck(t *testing.T) {
	text := strings.Repeat("a line\n", 3000)
	appended := func(f *os.File) { f.WriteAt([]byte("more\n"), int64(len(text))) }
	for name, c := range map[string]struct {
		change       func(f *os.File)
		strict, grow string // in the error, "" for none
	}{
		"nothing":                   {func(*os.File) {}, "", ""},
		"append":                    {appended, "has grown while it was read, from 21000 bytes to 21005", ""},
		"cut":                       {func(f *os.File) { f.Truncate(20999) }, "has become shorter while it was read, from 21000 bytes to 20999", "has become shorter"},
		"overwrite":                 {func(f *os.File) { f.WriteAt([]byte("b"), 0) }, "written to while it was read", "written to"},
		"cut and grown by a hole":   {func(f *os.File) { f.Truncate(0); f.Truncate(30000) }, "has grown", "written to"},
		"cut and written again":     {func(f *os.File) { f.Truncate(0); f.WriteAt([]byte(strings.Repeat("b", 21000)), 0) }, "written to", "written to"},
		"its last byte overwritten": {func(f *os.File) { appended(f); f.WriteAt([]byte("x"), int64(len(text)-1)) }, "has grown", "written to"},
	} {
		for _, grows := range []bool{false, true} {
			f, s := begin(t, text)
			want := c.strict
			if grows {
				if want = c.grow; s.MayGrow(int64(len(text))) != nil {
					t.Fatal(name)
				}
			}
			c.change(f)
			err := s.Check()
			var changed *steady.ChangedError
			switch {
			case want == "" && err != nil, want != "" && !(errors.As(err, &changed) && strings.Contains(err.Error(), want)):
				t.Errorf("%s, grows %t: %v, want %q", name, grows, err, want)
			case grows && want == "" && s.Check() != nil:
				t.Errorf("%s: not twice", name)
			}
		}
	}
}

func TestOf(t *testing.T) {
	if _, s := begin(t, ""); s != nil || s.Check() != nil || s.MayGrow(0) != nil {
		t.Error("a file without bytes can change")
	}
	f, s := begin(t, "x")
	f.Close()
	if err := s.Check(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestLastLine(t *testing.T) {
	long := strings.Repeat("x", 200000)
	for text, want := range map[string]int64{
		"a\nb": 2, "a\nb\n": 4, "ab": 2, "a\n" + long: 2, long: 200000, long + "\n" + long: 200001,
	} {
		f, _ := begin(t, text)
		if got, err := steady.LastLine(f, 0, int64(len(text))); got != want || err != nil {
			t.Errorf("%.10q: %d, %v, want %d", text, got, err, want)
		}
	}
}
