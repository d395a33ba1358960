package runtime_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// numberedFile is a file of so many rows "N,text N", written an hour ago: clocks are
// coarse, and what is written now must not look like then.
func numberedFile(t *testing.T, rows int) (path, text string) {
	t.Helper()
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%d,text %d\n", i, i)
	}
	path = filepath.Join(t.TempDir(), "in.csv")
	past := time.Now().Add(-time.Hour)
	if err := errors.Join(os.WriteFile(path, []byte(b.String()), 0o600), os.Chtimes(path, past, past)); err != nil {
		t.Fatal(err)
	}
	return path, b.String()
}

// TestFileChanges: a file that is written to, cut, or cut and written again while it
// is read makes the reading fail, mapped or not; the rows before are those that
// it had.
func TestFileChanges(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { a i64  b str }`)
	const rows = 30000

	for name, c := range map[string]struct {
		change func(path string, size int64) error
		want   string // in the error of a strict reading
		grow   string // of one of a file that may grow
	}{
		"cut in its last page": {func(path string, size int64) error { return os.Truncate(path, size-9) }, "has become shorter", "has become shorter"},
		"cut and grown by a hole": {func(path string, size int64) error {
			return errors.Join(os.Truncate(path, size-9), os.Truncate(path, size))
		}, "written to", "written to"},
		"cut and grown longer": {func(path string, size int64) error {
			return errors.Join(os.Truncate(path, 0), os.Truncate(path, size+9))
		}, "has grown", "written to"},
		"overwritten": {func(path string, size int64) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("7"), size-9)
			return errors.Join(err, f.Close())
		}, "written to", "written to"},
		"appended to": {func(path string, _ int64) error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("7,more\n")
			return errors.Join(err, f.Close())
		}, "has grown", ""},
		"not": {func(string, int64) error { return nil }, "", ""},
	} {
		for _, threads := range []int{1, 3} {
			for _, way := range []string{"file", "reader", "growing file", "growing reader"} {
				path, text := numberedFile(t, rows)
				opts := []runtime.Option{runtime.WithThreads(threads), runtime.WithPartitionSize(50000), runtime.WithBatchSize(1000)}
				want := c.want
				if strings.HasPrefix(way, "growing") {
					want, opts = c.grow, append(opts, runtime.WithGrowing())
				}
				var r *runtime.Reader
				f, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(way, "file") {
					r, err = runtime.ReadFile(path, p, byCPU(opts...)...)
				} else {
					r, err = runtime.NewReader(f, p, byCPU(opts...)...)
				}
				if err != nil {
					t.Fatal(err)
				}
				if !r.Next() {
					t.Fatal(r.Err())
				}
				if err := c.change(path, int64(len(text))); err != nil {
					t.Fatal(err)
				}
				n := 0
				for ok := true; ok; ok = r.Next() {
					a, b := r.Record().Column(0).(*array.Int64), r.Record().Column(1).(*array.String)
					for i := range a.Len() {
						if a.Value(i) != int64(n) || b.Value(i) != fmt.Sprintf("text %d", n) {
							t.Fatalf("%s, %s: row %d is %d, %q", name, way, n, a.Value(i), b.Value(i))
						}
						n++
					}
				}
				err = r.Err()
				var changed *runtime.ChangedError
				switch {
				case want == "" && (err != nil || n != rows):
					t.Errorf("%s, %s, %d threads: %d rows, %v", name, way, threads, n, err)
				case want != "" && (!errors.As(err, &changed) || !strings.Contains(err.Error(), want)):
					t.Errorf("%s, %s, %d threads: %d rows, %v, want %q", name, way, threads, n, err, want)
				}
				r.Release()
				f.Close()
			}
		}
	}
}

// TestGrowingFile: of a file that may grow the last line counts once it has an end.
func TestGrowingFile(t *testing.T) {
	p := spec(t, pairOf)
	path := filepath.Join(t.TempDir(), "in.csv")
	for text, rows := range map[string]int64{"": 0, "1,a\n2,b": 1, "1,a\n2,b\n": 2, "1,a": 1} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := runtime.ReadFile(path, p, runtime.WithEngine(cpu.Engine), runtime.WithGrowing())
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		if r.Err() != nil || r.Stats().Rows != rows {
			t.Errorf("%q: %+v, %v", text, r.Stats(), r.Err())
		}
		r.Release()
	}
}

// TestReadOpenFile: an open file is read from where it is, and stays there.
func TestReadOpenFile(t *testing.T) {
	path, text := numberedFile(t, 3000)
	p := spec(t, pairOf)
	for _, at := range []int64{0, int64(strings.Index(text, "1,")), int64(strings.Index(text, "1700,")), int64(len(text)), int64(len(text)) + 9} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		rest := text[min(at, int64(len(text))):]
		r, err := runtime.ReadOpenFile(f, p, runtime.WithEngine(cpu.Engine), runtime.WithPartitionSize(5000))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		want := read(t, p, strings.NewReader(rest)).stats
		if s := r.Stats(); r.Err() != nil || s.Rows != want.Rows || s.Bytes != want.Bytes {
			t.Errorf("from %d: %+v, %v, want %+v", at, s, r.Err(), want)
		}
		r.Release()
		if now, err := f.Seek(0, io.SeekCurrent); now != at || err != nil {
			t.Errorf("from %d: it is at %d, %v", at, now, err)
		}
		f.Close()
	}
}

// TestNoInput: what cannot be read is an error of the caller's goroutine.
func TestNoInput(t *testing.T) {
	p := spec(t, pairOf)
	for name, in := range map[string]io.Reader{
		"nil": nil, "file": (*os.File)(nil), "strings": (*strings.Reader)(nil), "func": readFunc(nil),
	} {
		if _, err := runtime.NewReader(in, p, runtime.WithEngine(cpu.Engine)); err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := runtime.ReadOpenFile(nil, p, runtime.WithEngine(cpu.Engine)); err == nil {
		t.Error("a nil file is read")
	}
	if _, err := runtime.NewReader(strings.NewReader(""), nil, runtime.WithEngine(cpu.Engine)); err == nil {
		t.Error("there is no Program")
	}
	if _, err := runtime.ReadFile("changed_test.go", nil, runtime.WithEngine(cpu.Engine)); err == nil {
		t.Error("there is no Program for a file")
	}
	if _, err := runtime.ReadBytes(nil, nil, runtime.WithEngine(cpu.Engine)); err == nil {
		t.Error("there is no Program for bytes")
	}
	for name, f := range map[string]readFunc{
		"no progress":   func([]byte) (int, error) { return 0, nil },
		"too much":      func(b []byte) (int, error) { return len(b) + 1, nil },
		"less than nil": func([]byte) (int, error) { return -1, nil },
	} {
		o := read(t, p, f)
		if o.err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(b []byte) (int, error) { return f(b) }
