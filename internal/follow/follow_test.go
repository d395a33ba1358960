package follow

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
)

// TestFollow: lines are given once they are complete, of the file that has the name, whether
// the system tells of changes or it is looked for them.
func TestFollow(t *testing.T) {
	for _, watched := range []bool{true, false} {
		t.Run(map[bool]string{true: "told", false: "looked for"}[watched], func(t *testing.T) {
			defer func(poll, anyway time.Duration) { followPoll, followAnyway = poll, anyway }(followPoll, followAnyway)
			followPoll, followAnyway = time.Millisecond, time.Hour
			path := filepath.Join(t.TempDir(), "a.log")
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
			write(0, "a\nb\nc")
			stop := make(chan struct{})
			f, err := New(path, stop)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if !watched && f.watcher != nil {
				f.watcher.Close()
				f.watcher = nil
			}
			lines := make(chan string)
			ended := make(chan error, 1)
			go func() { // all inputs, one after the other
				for !f.Stopped() {
					in, err := f.Next(context.Background(), dfa.Bytes('\n'))
					if err != nil {
						ended <- err
						return
					}
					lines <- "a file"
					for s := bufio.NewScanner(in); s.Scan(); {
						lines <- s.Text()
					}
					in.Close()
				}
				ended <- nil
			}()
			want := func(all ...string) {
				t.Helper()
				for _, line := range all {
					select {
					case got := <-lines:
						if got != line {
							t.Fatalf("%q, want %q", got, line)
						}
					case err := <-ended:
						t.Fatalf("ended (%v), want %q", err, line)
					case <-time.After(time.Minute):
						t.Fatalf("nothing, want %q", line)
					}
				}
			}
			want("a file", "a", "b")
			write(os.O_APPEND, "c\nd")
			want("cc")
			write(os.O_APPEND, "d\n")
			want("dd")

			// Renamed, and another one made; who has not noticed writes to the old one.
			old, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o666)
			if err != nil {
				t.Fatal(err)
			}
			defer old.Close()
			if err := os.Rename(path, path+".1"); err != nil {
				t.Fatal(err)
			}
			if _, err := old.WriteString("late\nnobody completes it"); err != nil {
				t.Fatal(err)
			}
			want("late")
			write(0, "")
			write(os.O_APPEND, "e\n")
			want("nobody completes it", "a file", "e")

			// Copied and cut, and as long again before anybody looks; then longer, then shorter. What was read of a line
			// is a line then, too.
			write(os.O_TRUNC, "f\n")
			want("a file", "f")
			write(os.O_TRUNC, "ghi\nj\n")
			want("a file", "ghi", "j")
			write(os.O_APPEND, "m\ncut off")
			want("m")
			write(os.O_TRUNC, "n\ncut off again")
			want("cut off", "a file", "n")
			write(os.O_TRUNC, "o, and more than there was\n")
			want("cut off again", "a file", "o, and more than there was")
			write(os.O_TRUNC, "l\n")
			want("a file", "l")

			// Gone for a while.
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			write(0, "k\n")
			want("a file", "k")
			close(stop)
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCutAndTheSame: what was written behind a cut is read from its beginning, though it begins as what there was.
func TestCutAndTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a\npart")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r := &followed{follow: &File{path: path, stop: make(chan struct{})}, file: file, ends: dfa.Bytes('\n'), closed: make(chan struct{}), buf: make([]byte, 64)}
	defer r.Close()
	want := func(text string, end error) {
		t.Helper()
		p := make([]byte, 64)
		if n, err := r.Read(p); string(p[:n]) != text || err != end {
			t.Fatalf("%q, %v, want %q, %v", p[:n], err, text, end)
		}
	}
	want("a\n", nil)
	write("")
	want("part", nil)
	write("a\npartial\n")
	want("", io.EOF)
}

// TestNoneHasTheName: of a file whose name nobody has for a while the next one is waited for.
func TestNoneHasTheName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	if err := os.WriteFile(path, []byte("a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := New(path, make(chan struct{}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	given := make(chan error, 1)
	go func() {
		in, err := f.Next(context.Background(), dfa.Bytes('\n'))
		if err == nil {
			in.Close()
		}
		given <- err
	}()
	select {
	case err := <-given:
		t.Fatalf("%v, and none has the name", err)
	case <-time.After(10 * time.Millisecond):
	}
	if err := os.Rename(path+".1", path); err != nil {
		t.Fatal(err)
	}
	if err := <-given; err != nil {
		t.Error(err)
	}
}

// TestEnds: what is read of a file goes up to where a record has ended, whatever ends records; of those that end where the
// next one begins, up to a line's end.
func TestEnds(t *testing.T) {
	for spec, want := range map[string]dfa.Set{
		"delimited { sep ',' }  header none  fields { a str }":                                     dfa.Bytes('\n'),
		"delimited { sep ','  eol cr }  header none  fields { a str }":                             dfa.Bytes('\r'),
		"delimited { sep ','  eol any }  header none  fields { a str }":                            dfa.Bytes('\n', '\r'),
		`delimited { sep ','  eol "\x1e" }  header none  fields { a str }`:                         dfa.Bytes(0x1e),
		`delimited { sep ','  eol "<>" }  header none  fields { a str }`:                           dfa.Bytes('>'),
		"record `{t} {m...}`  fields { t ts(\"%F %T\")  m str }  multiline { start `{t}` into m }": dfa.Bytes('\n'),
	} {
		made, err := compile.Compile("f.dfp", []byte("format f { "+spec+" }"))
		if err != nil {
			t.Fatal(err)
		}
		if got := Ends(made.Program.Automaton); got != want {
			t.Errorf("%s: %s, want %s", spec, dfa.FormatSet(got), dfa.FormatSet(want))
		}
	}
}
