package runtime_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func wide(text string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

func wider(text string, big bool) string {
	var b strings.Builder
	for _, c := range text {
		if big {
			b.Write([]byte{0, byte(c >> 16), byte(c >> 8), byte(c)})
		} else {
			b.Write([]byte{byte(c), byte(c >> 8), byte(c >> 16), 0})
		}
	}
	return b.String()
}

func tarball(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: "data.csv", Mode: 0o644, Size: 8}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("a,b\n1,2\n")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return b.String()
}

// TestForeign: what is no text of the format at all is refused with a sentence;
// what only looks a little like it is read.
func TestForeign(t *testing.T) {
	const lax = `delimited { sep ','  quote '"' doubled  lax } header names ragged pad truncate`
	const quotedNames = `delimited { sep ','  quote '"' doubled  eol lf } header skip  fields { a str  b str }`
	for _, c := range []struct{ spec, in, want string }{
		{"csv", wide("a,b\n1,2\n", false), "looks like UTF-16LE"},
		{"csv_lax", wide("a,b\n1,2\n", true), "looks like UTF-16BE"},
		{"csv_lax", wide("имя,город\nАнна,Москва\nИван,Пермь\n", false), "looks like UTF-16LE"},
		{"csv_lax", wide("имя,город\nАнна,Москва\nИван,Пермь\n", true), "looks like UTF-16BE"},
		{"csv_lax", wide("a\r\n中国,1\r\n日本,2\r\n", false), "looks like UTF-16LE"},
		{"csv_lax", wider("a,b\n1,😀\n", false), "looks like UTF-32LE"},
		{"csv_lax", wider("a,b\n1,😀\n", true), "looks like UTF-32BE"},
		{"csv", "\xff\xfe" + wide("a\n", false), "is UTF-16 by its byte order mark"},
		{"csv", "\xff\xfe\x00\x00" + wider("a\n", false), "is UTF-32 by its byte order mark"},
		{"csv", "\x00\x00\xfe\xff" + wider("a\n", true), "is UTF-32 by its byte order mark"},
		{"csv", tarball(t), `is a tar archive, whose first member is "data.csv"`},
		{"csv", "PK\x03\x04\x14\x00", "is a zip archive"},
		{"csv", "\x1f\x8b\x08\x00", "is compressed with gzip"},
		{"csv", "\x02\x21\x4c\x18\x09\x00\x00\x00\x80a,b\n1,2\n", "is compressed with lz4 in its legacy frame"},
		{"csv", "\x5d\x00\x00\x80\x00" + strings.Repeat("\xff", 8) + "\x00\x30\x8b", "is compressed with LZMA as before xz"},
		{"csv", "\x5d\x00\x00\x00\x04" + "\x08\x00\x00\x00\x00\x00\x00\x00" + "\x00\x30\x8b", "is compressed with LZMA as before xz"},
		{"csv", "PAR1\x15\x04", "is a Parquet file"},
		{"csv", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\n", "is a file of an old Office"},
		{"csv", "\x89PNG\r\n\x1a\n\x00\n", "is a PNG image"},
		{"csv", "%PDF-1.4\n%\xe2\xe3\n", "is a PDF document"},
		{"csv_lax", "a,b\r1,2\r3,4\r", "has CR line ends and no LF, and"},
		{"csv_lax", "a,b\r1,2\r3,4\n", "has CR line ends and no LF before its end, and"},
		{lax, "a,\"b\rb\"\r1,2", "has CR line ends"},
		{lax + " skip 1 line", "5\" x\ra,b\r1,2", "has CR line ends"},
		{lax + " skip until \"a\"", "\"\ra,b\r1,2", "has CR line ends"},
		{lax, strings.Repeat("a,b\r", 20000), "has CR line ends"},

		// Read, with all that is in them.
		{"csv", "a\n", ""},
		{"csv", "a,b\n\x001,\x002\n", ""},
		{pairOf, "a\x00b\x00c\x00d\x00,x\n", ""},
		{pairOf, "\x00\x00\x00\x00,x\n", ""},
		{pairOf, "a\x00b\x00c\x00d\x00,xy\n", ""},
		{pairOf, "a\x00\x01\x00b\x00\x01\x00,\n", ""},
		{`dfa { group F='\x00' | R='\x1e' | X=*
			A : F f | A r | F d
			F : F f | A r | F d
			eof : A ok, F r }  header none ragged pad truncate`, "a\x00b\x00c\x00d\x00e\x00f\x00\x1e", ""},
		{`delimited { sep '\x00' } header none ragged pad truncate`, "a\x00b\x00c\x00d\x00e\x00f\x00\n", ""},
		{`dfa { group R='\x1e' | X=*
			A : A r | F d
			F : A r | F d
			eof : A ok, F r }  fields { a str }`, "a\rb\rc\x1e", ""},
		{pairOf, "PK,x\n", ""},
		{pairOf, "]\x00\x00\x01\x00" + strings.Repeat("\x00", 8) + "\x01,x\n", ""},
		{pairOf, "]" + strings.Repeat("\x00", 20) + ",x\n", ""},
		{pairOf, "PAR1,x\n", ""},
		{pairOf, strings.Repeat("7", 600) + ",1\n", ""},
		{lax, "a,b\r\n1,2\r\n", ""},
		{lax, "a,\"b\rb\"", ""},
		{lax, "a\rb,c\n1,2\n", ""},
		{lax, "a,b\r", ""},
		{quotedNames, "a,\"b\rc\"\n", ""},
		{quotedNames, "a,\"b\rc\"", ""},
		{quotedNames, "a,\"b\r\r\"\r\n", ""},
		{quotedNames, "a,b\"\"\r1,\"2\"\n", "has CR line ends"},
		{quotedNames, "\"\r1,2\n", "has CR line ends"},
		{lax, "a\n" + strings.Repeat("1\r", 100), ""},
		{`delimited { sep ','  eol cr } header names`, "a,b\r1,2\r", ""},
		{`delimited { sep ','  eol any } header names`, "a,b\r1,2\r", ""},
		{`delimited { sep ','  eol lf } header names`, "a,b\r1,2\r", "has CR line ends"},
		{"csv", "\xef\xbb\xbf\"a\r\",b", ""},
		{"csv", "", ""},
	} {
		o := everyWay(t, spec(t, c.spec), func() io.Reader { return strings.NewReader(c.in) })
		switch foreign := errors.Is(o.err, runtime.ErrForeign); {
		case c.want == "" && foreign, c.want != "" && (!foreign || !strings.Contains(o.err.Error(), "the input "+c.want)):
			t.Errorf("%s: %.60q: %v, want %q", c.spec, c.in, o.err, c.want)
		}
	}
}

// TestCRLineEnds: none of the built-in formats makes nothing of a file whose
// lines end in CR.
func TestCRLineEnds(t *testing.T) {
	for _, name := range gen.AllFormats() {
		s, err := gen.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, ex := range s.Examples {
			in := strings.ReplaceAll(strings.TrimRight(ex.Input, "\n"), "\n", "\r")
			if !strings.Contains(in, "\r") || strings.Contains(ex.Input, "\r") {
				continue
			}
			for _, in := range []string{in, in + "\r", in + "\n"} {
				o := read(t, s.Program, strings.NewReader(in))
				if o.err == nil || !errors.Is(o.err, runtime.ErrForeign) {
					t.Errorf("%s, example %d: %q gives %v, %d rows, %d rejected", name, i, in, o.err, o.stats.Rows, o.stats.Rejected)
				}
			}
		}
	}
}

// TestLookedAt: bytes that have been looked at are read again, and so is the
// error after them.
func TestLookedAt(t *testing.T) {
	broken := errors.New("broken")
	p := spec(t, pairOf)
	for n := range 2000 {
		if n > 100 && n%97 != 0 && n < 1000 || n > 1100 && n%97 != 0 {
			continue
		}
		in := strings.Repeat("1,2\n", 500)[:n]
		o := read(t, p, io.MultiReader(strings.NewReader(in), &brokenInput{broken}))
		if !errors.Is(o.err, broken) || int(o.stats.Rows) != n/4 || !strings.Contains(fmt.Sprint(o.err), fmt.Sprintf("after %d bytes", n)) {
			t.Errorf("%d bytes: %d rows, %v", n, o.stats.Rows, o.err)
		}
	}
}

// TestHints: one column that another separator would cut is read, and said.
func TestHints(t *testing.T) {
	for _, c := range []struct{ spec, in, want string }{
		{"csv", "a;b;c\n1;2;3\n", `the header names one column, "a;b;c", with ';' in it; if that separates columns, the format is another one`},
		{"csv", "a\tb\n1\t2\n", `'\t'`},
		{"csv_lax", "a|b\n", `'|'`},
		{"tsv", "a,b\n1,2\n", `"a,b", with ','`},
		{"tsv", "a;b\n1;2\n", `';'`},
		{pairOf[:strings.Index(pairOf, "fields")] + "header none", "a;b\n", `the first record has one column, "a;b", with ';'`},
		{"csv", "a;b,c\n", ""},
		{"csv", "a b\n", ""},
		{"tsv", "a\tb\n", ""},
		{pairOf, "a,b;c\n", ""},
	} {
		r, err := runtime.NewReader(strings.NewReader(c.in), spec(t, c.spec), runtime.WithEngine(cpu.Engine))
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if got := strings.Join(r.Hints(), "\n"); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q: hints %q, want %q", c.spec, c.in, got, c.want)
		}
		r.Release()
	}
}
