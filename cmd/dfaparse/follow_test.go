//go:build unix

package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestFollow: rows come out as their lines are complete; when another file takes the name,
// or the file is cut, what is there now is read from its beginning; an interrupt ends it with
// all complete rows out.
func TestFollow(t *testing.T) {
	for _, format := range []string{"-f", ""} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.csv")
		write := func(flags int, text string) {
			t.Helper()
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flags, 0o666)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString(text); err != nil {
				t.Fatal(err)
			}
		}
		write(0, "id,v\n1,a\n2,b\n3,")
		args := []string{"parse", "--follow", "--to", "csv", path}
		if format != "" {
			args = append(args, "-f", "csv")
		}
		cmd := dfaparse(t, args...)
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // nothing comes
		out := bufio.NewReader(stdout)
		want := func(lines ...string) {
			t.Helper()
			for _, line := range lines {
				if got, err := out.ReadString('\n'); got != line+"\n" {
					t.Fatalf("%q, %v; want %q; %s", got, err, line, said.String())
				}
			}
		}
		want("id,v", "1,a", "2,b")
		write(os.O_APPEND, "c\n4,d\n5")
		want("3,c", "4,d")
		write(os.O_APPEND, ",e\n")
		want("5,e")

		old, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, path+".1"); err != nil {
			t.Fatal(err)
		}
		if _, err := old.WriteString("6,f\n"); err != nil { // the writer has not noticed
			t.Fatal(err)
		}
		want("6,f")
		write(0, "id,v\n7,g\n")
		want("7,g")
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
		write(os.O_APPEND, "id,v\n8")
		write(os.O_APPEND, ",h\n9,not complete")
		want("8,h")
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if rest, _ := out.ReadString(0); rest != "" {
			t.Errorf("%q after the interrupt", rest)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, said.String())
		}
		old.Close()
	}
}

// TestFollowReturns: rows whose records end in a carriage return come out as soon as others do.
func TestFollowReturns(t *testing.T) {
	dir := t.TempDir()
	path, spec := filepath.Join(dir, "a.txt"), filepath.Join(dir, "f.dfp")
	for name, text := range map[string]string{path: "a,b\rc,d\re", spec: "format f { delimited { sep ','  eol cr }  header none  fields { x str  y str } }"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := dfaparse(t, "parse", "--follow", "--to", "csv", "-f", spec, path)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // nothing comes
	out := bufio.NewReader(stdout)
	for _, want := range []string{"x,y\n", "a,b\n", "c,d\n"} {
		if got, err := out.ReadString('\n'); got != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if rest, _ := out.ReadString(0); rest != "" {
		t.Errorf("%q after the interrupt", rest)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestFollowHead: who wants some rows of a file that is followed has them then; a file that is
// written is complete after an interrupt.
func TestFollowHead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a\n1\n2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := dfaparse(t, "head", "-n", "3", "--follow", "-f", "csv", "--to", "csv", path)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	out := bufio.NewReader(stdout)
	for _, want := range []string{"a\n", "1\n", "2\n"} {
		if got, err := out.ReadString('\n'); got != want {
			t.Fatal(got, err)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("3\n4\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if rest, _ := out.ReadString(0); rest != "3\n" {
		t.Errorf("%q, want the third row", rest)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
