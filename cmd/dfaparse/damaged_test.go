package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/output"
)

// TestDamagedCompression: a compressed input that is cut anywhere, has a byte that
// was flipped or others after its end gives all rows, or an error and no output.
func TestDamagedCompression(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,b\n")
	for i := range 12 {
		fmt.Fprintf(&b, "%d,%d\n", i, i*i)
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out.csv")
	// run reads data as a file, or from the standard input, and gives what was
	// written: nothing together with an error.
	run := func(t *testing.T, ext string, data []byte, stdin bool) (string, bool) {
		t.Helper()
		os.Remove(out)
		args, in := []string{"parse", "-f", "csv", "-o", out, "-"}, bytes.NewReader(data)
		if !stdin {
			path := filepath.Join(dir, "in.csv."+ext)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			args[len(args)-1] = path
		}
		var stdout, stderr bytes.Buffer
		code := execute(context.Background(), args, &streams{in: in, out: &stdout, err: &stderr, sys: unsynced{}})
		text, err := os.ReadFile(out)
		if ok := code == exitOK; ok != (err == nil) || ok != (stderr.Len() == 0) {
			t.Fatalf("exit code %d, output %q, %v, stderr %q", code, text, err, &stderr)
		}
		if left := glob(t, filepath.Join(dir, ".*")); len(left) > 0 {
			t.Fatalf("left %q", left)
		}
		return string(text), code == exitOK
	}
	for ext, whole := range compressed(t, b.String()) {
		want, ok := run(t, ext, whole, false)
		if !ok || !strings.HasPrefix(want, "a,b\n") {
			t.Fatalf("%s: %q", ext, want)
		}
		for _, stdin := range []bool{false, true} {
			for cut := range whole {
				got, ok := run(t, ext, whole[:cut], stdin)
				if ok && !(stdin && cut < 5 && got == string(whole[:cut])+"\n") { // so few bytes may be text
					t.Errorf("%s, cut after %d of %d bytes, stdin %t: %q", ext, cut, len(whole), stdin, got)
				}
			}
			for at := range whole {
				data, bit := bytes.Clone(whole), byte(1)<<(at%8)
				data[at] ^= bit
				// Without its magic an input is no compressed one, if its name does not say so.
				if got, ok := run(t, ext, data, stdin); ok && got != want && !(stdin && !input.Compressed(data)) {
					t.Errorf("%s, byte %d of %d flipped by %#x, stdin %t: %q", ext, at, len(whole), bit, stdin, got)
				}
			}
			for _, after := range []string{"x", "garbage", "\n", "\x00", "\x00\x00\x00\x00", strings.Repeat("\x00", 512), strings.Repeat("a,b\n", 300), "\x1f", "\x1f\x8b", "BZ"} {
				if got, ok := run(t, ext, append(bytes.Clone(whole), after...), stdin); ok && got != want {
					t.Errorf("%s, followed by %.9q, stdin %t: %q", ext, after, stdin, got)
				} else if ok && strings.Trim(after, "\x00") != "" {
					t.Errorf("%s, followed by %.9q, stdin %t: no error", ext, after, stdin)
				}
			}
			// Several members are one input.
			twice, _ := strings.CutPrefix(want, "a,b\n")
			if got, ok := run(t, ext, append(bytes.Clone(whole), whole...), stdin); !ok || got != want+"a,b\n"+twice {
				t.Errorf("%s, twice, stdin %t: %t, %q", ext, stdin, ok, got)
			}
			if stdin {
				continue
			}
			for cut := 1; cut < len(whole); cut++ {
				if got, ok := run(t, ext, append(bytes.Clone(whole), whole[:cut]...), stdin); ok {
					t.Errorf("%s, twice, the second cut after %d of %d bytes, stdin %t: %q", ext, cut, len(whole), stdin, got)
				}
			}
		}
	}
}

// unsynced is the system, but nothing waits for the disk.
type unsynced struct{ output.OS }

func (u unsynced) OpenFile(name string, flag int, perm os.FileMode) (output.Handle, error) {
	f, err := u.OS.OpenFile(name, flag, perm)
	return unsyncedFile{f}, err
}

type unsyncedFile struct{ output.Handle }

func (unsyncedFile) Sync() error { return nil }

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
