package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dfaparse/dfaparse/internal/output"
)

// These tests let each call fail that the command makes to read and write, one at
// a time. What must come of it: the whole output and exit code 0 (3 with
// rejects), or an error and no file under the final name.

var errFault = errors.New("the disk is on fire")

// faulty is a System, and the streams beside it, of which one call fails.
type faulty struct {
	mu    sync.Mutex
	at    int    // the call that fails, from 0
	calls int    // so far
	what  string // the one that failed
	short bool   // a write that fails has written half
}

// fails reports whether this call is to fail.
func (f *faulty) fails(what string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.calls-1 != f.at {
		return false
	}
	f.what = what
	return true
}

func (f *faulty) call(what string, do func() error) error {
	if f.fails(what) {
		return &fs.PathError{Op: what, Path: "x", Err: errFault}
	}
	return do()
}

func (f *faulty) OpenFile(name string, flag int, perm os.FileMode) (h output.Handle, err error) {
	err = f.call("open", func() error {
		h, err = output.OS{}.OpenFile(name, flag, perm)
		return err
	})
	return faultyFile{h, f}, err
}

func (f *faulty) Rename(from, to string) error {
	return f.call("rename", func() error { return os.Rename(from, to) })
}

func (f *faulty) Remove(name string) error {
	return f.call("remove", func() error { return os.Remove(name) })
}

func (f *faulty) Mkdir(name string, perm fs.FileMode) error {
	return f.call("mkdir", func() error { return os.Mkdir(name, perm) })
}

func (f *faulty) RemoveAll(name string) error { return os.RemoveAll(name) }

type faultyFile struct {
	output.Handle
	f *faulty
}

func (h faultyFile) Write(p []byte) (n int, err error) {
	if h.f.fails("write") {
		if h.f.short {
			n, _ = h.Handle.Write(p[:len(p)/2])
		}
		return n, &fs.PathError{Op: "write", Path: "x", Err: errFault}
	}
	return h.Handle.Write(p)
}

func (h faultyFile) Chmod(m os.FileMode) error {
	return h.f.call("chmod", func() error { return h.Handle.Chmod(m) })
}

func (h faultyFile) Sync() error { return h.f.call("sync", func() error { return nil }) }

func (h faultyFile) Close() error {
	err := h.Handle.Close()
	return h.f.call("close", func() error { return err })
}

// faultyReader reads r, some bytes at a time, as one of the calls of f.
type faultyReader struct {
	r    io.Reader
	f    *faulty
	some int
	data bool // a failure comes together with the last bytes before it
}

func (r *faultyReader) Read(p []byte) (int, error) {
	fails := r.f.fails("read")
	if fails && !r.data {
		return 0, errFault
	}
	n, err := r.r.Read(p[:min(len(p), r.some)])
	if fails {
		err = errFault
	}
	return n, err
}

type faultyWriter struct {
	w io.Writer
	f *faulty
}

func (w *faultyWriter) Write(p []byte) (int, error) {
	if w.f.fails("stdout") {
		return 0, &fs.PathError{Op: "write", Path: "stdout", Err: errFault}
	}
	return w.w.Write(p)
}

// faultInput is an input of so many rows, the last of which but one cannot be read.
func faultInput(rows int) string {
	var b strings.Builder
	b.WriteString("a,b,c\n")
	for i := range rows {
		if i == rows-2 {
			b.WriteString("too,few\n")
		}
		fmt.Fprintf(&b, "%d,text %d,x%d\n", i, i, i%7)
	}
	return b.String()
}

// TestFaultsOfFiles: each call for the files that are written fails.
func TestFaultsOfFiles(t *testing.T) {
	in := faultInput(6000)
	dict := filepath.Join(t.TempDir(), "dict.dfp")
	if err := os.WriteFile(dict, []byte("format d { delimited { sep ',' } header skip 1 fields { a i64 b str c dict } test \"t\" \"h\\n1,x,y\\n\" => { a 1 } }"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{"jsonl", "csv", "tsv", "arrow", "arrows", "parquet"} {
		for _, there := range []bool{false, true} {
			for at, whole := -1, []byte(nil); ; at++ {
				dir := t.TempDir()
				out, bad := filepath.Join(dir, "out."+ext), filepath.Join(dir, "bad.jsonl")
				if there {
					if err := os.WriteFile(out, []byte("what was there"), 0o640); err != nil {
						t.Fatal(err)
					}
				}
				f := &faulty{at: at, short: at%2 == 0}
				var stderr bytes.Buffer
				code := execute(context.Background(), []string{"parse", "-f", dict, "--threads", "1", "-o", out, "--rejects", bad, "-"},
					&streams{in: strings.NewReader(in), out: io.Discard, err: &stderr, sys: f})
				got, err := os.ReadFile(out)
				switch {
				case at < 0:
					if whole = got; code != exitRejected || err != nil || len(whole) < 10000 {
						t.Fatalf("%s: exit code %d, %d bytes, %v, %s", ext, code, len(whole), err, &stderr)
					}
				case code == exitRejected:
					if rejects, _ := os.ReadFile(bad); !bytes.Equal(got, whole) || bytes.Count(rejects, []byte("\n")) != 1 {
						t.Errorf("%s, call %d (%s): exit code %d, %d bytes of %d, rejects %q", ext, at, f.what, code, len(got), len(whole), rejects)
					}
				case code != exitFailed || !strings.Contains(stderr.String(), errFault.Error()) || strings.Contains(stderr.String(), ".tmp"):
					t.Errorf("%s, call %d (%s): exit code %d, %s", ext, at, f.what, code, &stderr)
				case there && string(got) != "what was there" || !there && !errors.Is(err, fs.ErrNotExist):
					t.Errorf("%s, call %d (%s): there is an output of %d bytes", ext, at, f.what, len(got))
				}
				if left := glob(t, filepath.Join(dir, ".*")); len(left) > 0 {
					t.Errorf("%s, call %d (%s): left %q", ext, at, f.what, left)
				}
				if at >= 0 && f.what == "" {
					if at < 8 {
						t.Errorf("%s: only %d calls", ext, at)
					}
					break
				}
			}
		}
	}
}

// TestFaultsOfFolders: each call fails by which rows are written into folders. Then there are
// no folders, or those from before.
func TestFaultsOfFolders(t *testing.T) {
	before := map[string]string{"a=1/part-0.csv": "what was there"}
	for _, ext := range []string{"csv", "parquet"} {
		for _, there := range []bool{false, true} {
			for at, whole := -1, map[string]string(nil); ; at++ {
				dir := t.TempDir()
				out := filepath.Join(dir, "out")
				if there {
					writeTree(t, out, before)
				}
				f := &faulty{at: at, short: at%2 == 0}
				code, stderr := toldBy(f, []string{"parse", "-f", "csv", "--threads", "1", "-o", out, "--to", ext, "--partition-by", "a", "--overwrite", "-"},
					strings.NewReader("a,b\n1,x\n2,y\n1,z\n"))
				got := tree(t, out)
				switch {
				case at < 0:
					if whole = got; code != exitOK || len(whole) != 2 {
						t.Fatalf("%s: exit code %d, %d files, %s", ext, code, len(whole), stderr)
					}
				case f.what == "open" && code == exitOK: // a folder that is to be synced
				case code == exitOK:
					if !maps.Equal(got, whole) {
						t.Errorf("%s, call %d (%s): exit code 0, %d files of %d", ext, at, f.what, len(got), len(whole))
					}
				case code != exitFailed || !strings.Contains(stderr, errFault.Error()) || strings.Contains(stderr, ".tmp"):
					t.Errorf("%s, call %d (%s): exit code %d, %s", ext, at, f.what, code, stderr)
				case there && !maps.Equal(got, before) || !there && len(got) > 0:
					t.Errorf("%s, call %d (%s): there are %d files", ext, at, f.what, len(got))
				}
				if left := glob(t, filepath.Join(dir, ".*")); len(left) > 0 {
					t.Errorf("%s, call %d (%s): left %q", ext, at, f.what, left)
				}
				if at >= 0 && f.what == "" {
					if at < 12 {
						t.Errorf("%s: only %d calls", ext, at)
					}
					break
				}
			}
		}
	}
}

// tree are the files below a folder, and what is in them.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFaultsOfInputs: each read of an input fails, with and without bytes, whatever
// compresses it.
func TestFaultsOfInputs(t *testing.T) {
	inputs := compressed(t, faultInput(30))
	inputs["plain"] = []byte(faultInput(30))
	for name, data := range inputs {
		for _, with := range []bool{false, true} {
			for at, rows := -1, ""; ; at++ {
				dir := t.TempDir()
				out := filepath.Join(dir, "out.csv")
				f := &faulty{at: at}
				code, stderr := toldBy(unsynced{}, []string{"parse", "-f", "csv", "--on-error", "reject", "-o", out, "-"}, &faultyReader{bytes.NewReader(data), f, 5 + 7*(at&1), with})
				got, err := os.ReadFile(out)
				switch {
				case at < 0:
					if rows = string(got); code != exitRejected && code != exitOK || err != nil || rows == "" {
						t.Fatalf("%s: exit code %d, %q, %v, %s", name, code, rows, err, stderr)
					}
				case f.what != "" && (code != exitFailed || err == nil || !strings.Contains(stderr, errFault.Error())):
					t.Errorf("%s, read %d, with bytes %t: exit code %d, %q, %s", name, at, with, code, got, stderr)
				case f.what == "" && string(got) != rows:
					t.Errorf("%s, no fault: %q, want %q", name, got, rows)
				}
				if left := glob(t, filepath.Join(dir, ".*")); len(left) > 0 {
					t.Errorf("%s, read %d: left %q", name, at, left)
				}
				if at >= 0 && at%2 == 0 && f.what == "" {
					break
				}
			}
		}
	}
}

// TestFaultsOfTheStandardOutput: each write to it fails.
func TestFaultsOfTheStandardOutput(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(in, []byte(strings.Replace(faultInput(9000), "too,few\n", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := [][]string{
		{"head", in}, {"count", in}, {"count", in, in}, {"count", "--json", in}, {"schema", in}, {"schema", "--json", in}, {"explain", "--at", "3", in},
		{"bench", "--repeat", "1", in}, {"bench", "--repeat", "1", "--json", in}, {"formats"}, {"formats", "csv"}, {"check", "csv"}, {"check", "-v", "csv", "tsv"},
		{"compile", "--dump", "csv"}, {"graph", "csv"}, {"graph", "--svg", "csv"}, {"gen", "taxi", "--size", "300KB"}, {"version"}, {"help"}, {"parse", "--help"},
		{"completion", "bash"},
	}
	for _, kind := range output.Kinds() {
		if kind != "none" && kind != "binary" { // of which the input is none
			lines = append(lines, []string{"parse", "--to", kind, in})
		}
	}
	for _, args := range lines {
		for at := 0; ; at++ {
			var stdout, stderr bytes.Buffer
			f := &faulty{at: at}
			code := execute(context.Background(), args, &streams{in: strings.NewReader(""), out: &faultyWriter{&stdout, f}, err: &stderr})
			if f.what == "" {
				if code != exitOK || at == 0 {
					t.Errorf("%q: exit code %d after %d writes, %s", args, code, at, &stderr)
				}
				break
			}
			if code != exitFailed || !strings.Contains(stderr.String(), errFault.Error()) {
				t.Errorf("%q, write %d: exit code %d, %q", args, at, code, stderr.String())
			}
		}
	}
}

// toldBy is told, with files of sys.
func toldBy(sys output.System, args []string, in io.Reader) (code int, stderr string) {
	var out, err bytes.Buffer
	code = execute(context.Background(), args, &streams{in: in, out: &out, err: &err, sys: sys})
	return code, err.String()
}

// TestFaultsEndARun: a file that cannot be written is no reason to read all of an input again, as types are that the
// first rows have and others have not.
func TestFaultsEndARun(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	rows := strings.Replace(faultInput(200_000), "too,few\n", "", 1)
	if err := os.WriteFile(in, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	for at := range 20 {
		f := &faulty{at: at}
		var stderr bytes.Buffer
		code := execute(context.Background(), []string{"parse", "-o", filepath.Join(dir, "out.arrows"), in}, &streams{in: strings.NewReader(""), out: io.Discard, err: &stderr, sys: f})
		if f.what != "write" {
			continue
		}
		const after = 2 // the file is closed and removed
		if more := f.calls - at - 1; code != exitFailed || more > after {
			t.Errorf("exit code %d, %d calls after the one that failed", code, more)
		}
		if !strings.HasSuffix(stderr.String(), "\ndfaparse: cannot write "+filepath.Join(dir, "out.arrows")+": "+errFault.Error()+"\n") {
			t.Error(stderr.String())
		}
		return
	}
	t.Fatal("nothing is written")
}
