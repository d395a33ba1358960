//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLongLines: lines of millions of symbols are looked at in little processor time, of which far more is given than
// it takes.
func TestLongLines(t *testing.T) {
	const most = 5 * time.Second
	spent := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	path := filepath.Join(t.TempDir(), "long")
	for _, text := range []string{",", `"`} {
		long, short := strings.Repeat(text, 5<<20), strings.Repeat(text, 1<<19)+"\n"
		for _, given := range []string{long, `{"a":"` + long, short + short} {
			if err := os.WriteFile(path, []byte(given), 0o600); err != nil {
				t.Fatal(err)
			}
			before := spent()
			_, _, said := told([]string{"parse", "--to", "none", path}, nil)
			if took := spent() - before; took > most || len(said) > 10_000 {
				t.Errorf("%q…: took %v, says %q", given[:20], took, said[:min(len(said), 200)])
			}
		}
	}
}

// TestLongObjects: an object that the sample does not hold is read as a map, if it is alone in a line.
func TestLongObjects(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.json")
	line := `{"a": 1, "b": "` + strings.Repeat("x", 5<<20) + "\"}\n"
	if err := os.WriteFile(path, []byte(line+line), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, said := told([]string{"count", path}, nil)
	if code != 0 || out != "2\n" || !strings.Contains(said, "long.json: jsonl; -f jsonl says so") {
		t.Errorf("count: exit %d, %q, %q", code, out, said)
	}
}
