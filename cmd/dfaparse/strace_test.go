//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// straceCalls are the calls of the system that fail, and how.
var straceCalls = []struct{ name, errs string }{
	{"read", "EIO EINTR"}, {"pread64", "EIO"}, {"write", "EIO ENOSPC EINTR EPIPE"}, {"openat", "EIO EMFILE EINTR"}, {"close", "EIO EINTR"},
	{"fsync", "EIO ENOSPC EINTR"}, {"renameat", "EIO EINTR"}, {"rename", "EIO"}, {"renameat2", "EIO"}, {"unlinkat", "EIO"}, {"fchmod", "EIO"},
	{"fstat", "EIO"}, {"newfstatat", "EIO"}, {"lseek", "EIO"}, {"mmap", "ENOMEM"}, {"madvise", "EIO"}, {"munmap", "EINVAL"}, {"fcntl", "EINVAL"},
	{"readlinkat", "EIO"}, {"epoll_ctl", "EPERM"}, {"ftruncate", "EIO"},
}

// TestFaultsOfTheSystem runs the command itself under strace, which lets one call
// of the system fail at a time. "make faults" has all of them fail; without it
// some few do.
func TestFaultsOfTheSystem(t *testing.T) {
	if err := exec.Command("strace", "-qq", "-o", os.DevNull, "true").Run(); err != nil {
		t.Skipf("there is no strace, or it may not trace: %v", err)
	}
	all := os.Getenv("DFAPARSE_FAULTS") != ""
	rows := strings.Replace(faultInput(3000), "too,few\n", "", 1)
	files := map[string][]byte{
		"in.csv": []byte(rows), "small.csv": []byte(rows[:strings.Index(rows, "\n140,")+1]), "in.csv.gz": compressed(t, rows)["gz"], "bad.csv": []byte(faultInput(3000)),
		"dict.dfp": []byte("format d { delimited { sep ',' } header skip 1 fields { a i64 b str c dict } test \"t\" \"h\\n1,x,y\\n\" => { a 1 } }"),
	}
	for name, line := range map[string]string{
		"a mapped file to CSV":          "dfaparse parse --threads 2 -o out.csv in.csv",
		"gzip to Parquet":               "dfaparse parse -o out.parquet in.csv.gz",
		"a pipe to the standard output": "cat in.csv | dfaparse parse -f csv --to csv - >out.csv",
		"a file as standard input":      "dfaparse parse -f csv --to csv - <in.csv >out.csv",
		"dictionaries to Arrow":         "dfaparse parse -f dict.dfp --threads 1 -o out.arrow in.csv",
		"rejects":                       "dfaparse parse -f dict.dfp --threads 1 --on-error reject --rejects rejects.jsonl -o out.jsonl bad.csv",
		"two inputs":                    "dfaparse parse -o out.csv small.csv in.csv",
		"a count":                       "dfaparse count in.csv small.csv in.csv.gz >out.txt",
		"a Program":                     "dfaparse compile dict.dfp -o out.dfac",
	} {
		if !all && name != "a mapped file to CSV" && name != "rejects" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := straced{dir: t.TempDir(), line: line}
			for file, data := range files {
				if err := os.WriteFile(filepath.Join(s.dir, file), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			names := make([]string, len(straceCalls))
			for i, c := range straceCalls {
				names[i] = "?" + c.name // not every architecture has all
			}
			want := s.run(t, "-o", "log", "-e", "trace="+strings.Join(names, ","))
			if want.code != exitOK && want.code != exitRejected || len(want.files) == 0 {
				t.Fatalf("without a fault: exit code %d, %q", want.code, want.stderr)
			}
			log, err := os.ReadFile(filepath.Join(s.dir, "log"))
			if err != nil {
				t.Fatal(err)
			}
			faults, failed := 0, 0
			for _, c := range straceCalls {
				n := len(regexp.MustCompile(`(?m)^\d+ +`+c.name+`\(`).FindAll(log, -1))
				step := 1
				if !all {
					step = max(1, n/4)
				}
				for _, e := range strings.Fields(c.errs) {
					for when := 1; when <= min(n, 60); when += step {
						what := fmt.Sprintf("%s:error=%s:when=%d", c.name, e, when)
						got := s.run(t, "-o", os.DevNull, "-e", "trace="+c.name, "-e", "inject="+what)
						if strings.Contains(got.stderr, "runtime: netpollBreak write failed") {
							continue // the call was one of Go's scheduler, which ends the process then
						}
						faults++
						if got.code != want.code {
							failed++
						}
						s.judge(t, what, got, want)
					}
				}
			}
			t.Logf("%d faults, of which %d made it fail", faults, failed)
			if failed == 0 {
				t.Error("no fault was seen")
			}
		})
	}
}

// straced is a command line for a shell, in a folder.
type straced struct{ dir, line string }

// outcome is what came of it: its outputs are the files named out.* and rejects.*.
type outcome struct {
	code   int
	stderr string
	files  map[string]string
}

// run runs the command in it under strace.
func (s *straced) run(t *testing.T, flags ...string) (o outcome) {
	t.Helper()
	for _, old := range s.glob(t) {
		os.Remove(old)
	}
	line := strings.Replace(s.line, "dfaparse ", "strace -f -qq "+strings.Join(flags, " ")+" dfaparse ", 1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = s.dir, &stderr
	cmd.Env = append(os.Environ(), "DFAPARSE_PATH=")
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s hangs", line)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o = outcome{cmd.ProcessState.ExitCode(), stderr.String(), map[string]string{}}
	for _, path := range s.glob(t) {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		o.files[filepath.Base(path)] = string(text)
	}
	return o
}

func (s *straced) glob(t *testing.T) []string {
	return append(append(glob(t, filepath.Join(s.dir, "out.*")), glob(t, filepath.Join(s.dir, "rejects.*"))...), glob(t, filepath.Join(s.dir, ".*.tmp"))...)
}

// judge compares an outcome with that without a fault.
func (s *straced) judge(t *testing.T, what string, got, want outcome) {
	t.Helper()
	toShell := strings.Contains(s.line, ">")
	gone := toShell && strings.HasPrefix(what, "write:error=EPIPE") // the reader went away, which is no failure
	silenced := strings.HasPrefix(what, "write:")                   // by the same fault
	// Go's own words for want of memory differ by what it was for, and its collector may have none and
	// take what is nil for a queue (goroutine 0 is its own): nobody can tidy up then, and what is complete stays.
	crashed := regexp.MustCompile(`(?m)^fatal error: (runtime: |.*memory)|^SIGSEGV: segmentation violation\nPC=.* m=.*\n\ngoroutine 0 `).MatchString(got.stderr)
	switch {
	case got.code == want.code:
		for name, text := range want.files {
			if got.files[name] != text && !gone {
				t.Errorf("%s: exit code %d, but %s has %d bytes of %d", what, got.code, name, len(got.files[name]), len(text))
			}
		}
	case got.stderr == "" && !silenced:
		t.Errorf("%s: exit code %d without a word", what, got.code)
	default:
		for name, text := range got.files {
			left := strings.HasSuffix(name, ".tmp") && (crashed || strings.HasPrefix(what, "unlinkat"))
			complete := crashed && text == want.files[name]
			if !toShell && !left && !complete && !strings.HasPrefix(name, "rejects") { // rejects say what to do about a failure
				t.Errorf("%s: exit code %d, %q, but there is %s", what, got.code, got.stderr, name)
			}
		}
	}
}
