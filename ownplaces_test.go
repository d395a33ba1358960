package dfaparse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/dfa"
)

// utf16Of is text in UTF-16, with its mark.
func utf16Of(text string) []byte {
	b := []byte{0xff, 0xfe}
	for _, c := range utf16.Encode([]rune(text)) {
		b = append(b, byte(c), byte(c>>8))
	}
	return b
}

// TestOwnPlaces: places of rejects and errors are in the bytes of the files, whatever their encoding,
// and however many are asked for them, in whatever order; and in the text of what is no file.
func TestOwnPlaces(t *testing.T) {
	text := "a,b\n" + strings.Repeat("1,é\n", 5000) + "x,é,z\n" + "2,ü\n" + strings.Repeat("y\n", 3) + "3,€\n"
	bad := []string{"x,é,z", "y\ny\ny", "y\ny\n3", "y\n3,"}
	dir := t.TempDir()
	var names []string
	data := map[string][]byte{"a.csv": utf16Of(text), "b.csv": utf16Of("a,b\n1,2\n" + text[4:]), "c.csv": utf16Of(text)}
	for _, name := range []string{"a.csv", "b.csv", "c.csv"} {
		names = append(names, filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), data[name], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var want []string // the records, each with where its file has it
	for _, name := range names {
		data := data[filepath.Base(name)]
		for _, b := range bad {
			want = append(want, fmt.Sprintf("%s %d", filepath.Base(name), bytes.Index(data, utf16Of(b)[2:])))
		}
	}
	begins := func(r *dfaparse.Reject) string {
		return fmt.Sprintf("%s %d", filepath.Base(r.File), r.Offset-r.Column+1)
	}
	for _, encoding := range []string{"UTF-16", "auto"} {
		for _, handled := range []bool{false, true} {
			var got []string
			opts := []dfaparse.Option{dfaparse.Format("csv"), dfaparse.WithEncoding(encoding), dfaparse.WithErrorMode(dfa.Reject)}
			if handled {
				opts = append(opts, dfaparse.WithRejects(func(r *dfaparse.Reject) error { got = append(got, begins(r)); return nil }))
			}
			r, err := dfaparse.OpenFiles(context.Background(), names, opts...)
			if err != nil {
				t.Fatal(err)
			}
			for r.Next() {
				if !handled {
					r.Rejects()
				}
			}
			if err := r.Err(); err != nil {
				t.Fatal(err)
			}
			for _, x := range r.Rejects() {
				got = append(got, begins(x))
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, handled: %v: %v, want %v", encoding, handled, got, want)
			}
			r.Close()
		}
		r, err := dfaparse.Open(context.Background(), names[0], dfaparse.Format("csv"), dfaparse.WithEncoding(encoding))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		at := bytes.Index(data["a.csv"], utf16Of("x,é,z")[2:]) + len(utf16Of("x,é,")[2:])
		for range 2 {
			if parse := (*dfaparse.ParseError)(nil); !errors.As(r.Err(), &parse) || parse.Offset != int64(at) || parse.Column != 9 || parse.Line != 5002 {
				t.Errorf("%s: %v, want column 9 of line 5002, byte %d", encoding, r.Err(), at)
			}
		}
		r.Close()
		r, err = dfaparse.OpenReader(context.Background(), bytes.NewReader(data["a.csv"]), dfaparse.Format("csv"), dfaparse.WithEncoding(encoding))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		at = strings.Index("\ufeff"+text, "x,é,z") + len("x,é,") // the mark is a part of it
		if parse := (*dfaparse.ParseError)(nil); !errors.As(r.Err(), &parse) || parse.Offset != int64(at) {
			t.Errorf("%s: %v, want byte %d", encoding, r.Err(), at)
		}
		r.Close()
	}
}

// TestOwnPlacesOfAHandler: an error that a handler gives back has its place changed once, and what is
// asked for behind the end leaves no file open.
func TestOwnPlacesOfAHandler(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.csv")
	data := utf16Of("a,b\n" + strings.Repeat("1,é\n", 50) + "x,é,z\n" + strings.Repeat("1,é\n", 500))
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	at := int64(bytes.Index(data, utf16Of("x,é,z")[2:]))
	for _, given := range []bool{false, true} {
		opts := []dfaparse.Option{dfaparse.Format("csv"), dfaparse.WithEncoding("UTF-16"), dfaparse.WithErrorMode(dfa.Reject)}
		if given {
			opts = append(opts, dfaparse.WithRejects(func(r *dfaparse.Reject) error { return &r.ParseError }))
		}
		r, err := dfaparse.Open(context.Background(), name, opts...)
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		r.Close()
		if rejects := r.Rejects(); !given && (len(rejects) != 1 || rejects[0].Offset-rejects[0].Column+1 != at) {
			t.Errorf("rejects %v, want one of the line at byte %d", rejects, at)
		}
		if parse := (*dfaparse.ParseError)(nil); given && (!errors.As(r.Err(), &parse) || parse.Offset-parse.Column+1 != at) {
			t.Errorf("%v, want one of the line at byte %d", r.Err(), at)
		}
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			continue // another system
		}
		for _, fd := range open {
			if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == name {
				t.Errorf("given back: %v: the file is open", given)
			}
		}
	}
}
