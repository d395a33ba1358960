package dfaparse_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse"
)

// jsonl is what a reader gives, as JSON Lines, and how it ended.
func jsonl(r *dfaparse.Reader, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer r.Close()
	var b bytes.Buffer
	_, err = dfaparse.Write(&b, dfaparse.JSONL, r)
	return b.String(), err
}

// TestDialect: each option says what the flag of its name says, by what comes of it, for
// files, bytes, readers that can be sought and those that cannot.
func TestDialect(t *testing.T) {
	type options = []dfaparse.Option
	csv := dfaparse.Format("csv")
	latin := dfaparse.Spec(`format l extends csv { encoding "cp1252" }`)
	for _, c := range []struct {
		in   string
		opts options
		want string
	}{
		{"id;v\n1;a\n", options{dfaparse.Infer()}, `{"id":1,"v":"a"}`},
		{"id;v\n1;a\n", options{csv, dfaparse.WithSeparator(";")}, `{"id":"1","v":"a"}`},
		{"id::v\n1::a\n", options{dfaparse.WithSeparator("::")}, `{"id":1,"v":"a"}`},
		{"id,v\n1,'a,b'\n", options{csv, dfaparse.WithQuote("'")}, `{"id":"1","v":"a,b"}`},
		{"id,v\n1,\"a\n", options{csv, dfaparse.WithQuote(dfaparse.None)}, `{"id":"1","v":"\"a"}`},
		{"id,v\n1,\"a\\\"b\"\n", options{csv, dfaparse.WithEscape(`\`)}, `{"id":"1","v":"a\"b"}`},
		{"id,v\n%no\n1,a\n", options{csv, dfaparse.WithComment("%")}, `{"id":"1","v":"a"}`},
		{"1,a\n", options{csv, dfaparse.WithHeader(0)}, `{"column_1":"1","column_2":"a"}`},
		{"x\nid,v\n1,a\n", options{csv, dfaparse.WithHeader(2)}, `{"id":"1","v":"a"}`},
		{"id,v\r1,a\r", options{csv, dfaparse.WithLineEnd("cr")}, `{"id":"1","v":"a"}`},
		{"id,v\n1,?\n", options{dfaparse.WithNulls("?")}, `{"id":1,"v":null}`},
		{"id,v\n1,2\n", options{dfaparse.WithTypes("v: u8")}, `{"id":1,"v":2}`},
		{"id,v\n1,2\n", options{csv, dfaparse.WithTypes("v: u8")}, `{"id":"1","v":2}`},
		{"id,v\n1,2\n", options{dfaparse.WithAllStrings()}, `{"id":"1","v":"2"}`},
		{"id;v\n1;2,5\n", options{dfaparse.WithDecimal(",")}, `{"id":1,"v":2.5}`},
		{"id;v\n1;2,500\n", options{dfaparse.WithThousands(",")}, `{"id":1,"v":2500}`},
		{"id,v\n1,a\"b\n2\n", options{csv, dfaparse.WithLax()}, `{"id":"1","v":"a\"b"}{"id":"2","v":null}`},
		{"id,v\n1,\xe4\n", options{csv, dfaparse.WithEncoding("ISO-8859-1")}, `{"id":"1","v":"ä"}`},
		{"id,v\n1,\xe4\n", options{dfaparse.Infer()}, `{"id":1,"v":"ä"}`},
		{"id,v\n1,\xe4\n", options{latin}, `{"id":"1","v":"ä"}`},
		{"id,v\n1,ä\n", options{latin, dfaparse.WithEncoding("UTF-8")}, `{"id":"1","v":"ä"}`},
		{"i\x00d\x00,\x00v\x00\n\x001\x00,\x00\xe4\x00\n\x00", options{latin, dfaparse.WithEncoding("utf-16le")}, `{"id":"1","v":"ä"}`},
		{"ab1\n", options{dfaparse.Spec(`format w { fixed { a 2 n 1 } encoding "latin1" }`)}, `{"a":"ab","n":"1"}`},
		{"id,v\n1,a\n2,b\n3,c\n", options{dfaparse.Infer(), dfaparse.WithSkip(1), dfaparse.WithLimit(1), dfaparse.WithColumns("v")}, `{"v":"b"}`},
		{"x\nid,v\n1,a\n", options{dfaparse.Infer(), dfaparse.WithSkipLines(1)}, `{"id":1,"v":"a"}`},
		{strings.Repeat(`127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326 "-" "Mozilla/4.08"`+"\n", 9),
			options{dfaparse.Infer(), dfaparse.WithLimit(1), dfaparse.WithColumns("status")}, `{"status":200}`},
	} {
		path := filepath.Join(t.TempDir(), "in.txt")
		if err := os.WriteFile(path, []byte(c.in), 0o666); err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for name, open := range map[string]func() (*dfaparse.Reader, error){
			"Open":               func() (*dfaparse.Reader, error) { return dfaparse.Open(ctx, path, c.opts...) },
			"OpenFiles":          func() (*dfaparse.Reader, error) { return dfaparse.OpenFiles(ctx, []string{path}, c.opts...) },
			"OpenBytes":          func() (*dfaparse.Reader, error) { return dfaparse.OpenBytes(ctx, []byte(c.in), c.opts...) },
			"OpenReader, file":   func() (*dfaparse.Reader, error) { return dfaparse.OpenReader(ctx, f, c.opts...) },
			"OpenReader, sought": func() (*dfaparse.Reader, error) { return dfaparse.OpenReader(ctx, strings.NewReader(c.in), c.opts...) },
			"OpenReader, not sought": func() (*dfaparse.Reader, error) {
				return dfaparse.OpenReader(ctx, io.MultiReader(strings.NewReader(c.in)), c.opts...)
			},
		} {
			got, err := jsonl(open())
			if got = strings.ReplaceAll(got, "\n", ""); err != nil || got != c.want {
				t.Errorf("%s of %q: %s, %v; want %s", name, c.in, got, err, c.want)
			}
		}
	}
}

// TestMisfits: what becomes of a value that is not of the type that the first rows have.
func TestMisfits(t *testing.T) {
	var b strings.Builder
	b.WriteString("n\n")
	for range 2000 {
		b.WriteString("1\n")
	}
	b.WriteString("x\n")
	for _, c := range []struct{ what, last, err string }{
		{dfaparse.MisfitWiden, `{"n":"x"}`, ""},
		{dfaparse.MisfitNull, `{"n":null}`, ""},
		{dfaparse.MisfitFail, "", `row 2001: column "n": "x" is no i64`},
	} {
		got, err := jsonl(dfaparse.OpenBytes(context.Background(), []byte(b.String()), dfaparse.WithMisfits(c.what), dfaparse.WithSeparator(",")))
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) || !strings.HasSuffix(strings.TrimSpace(got), c.last) {
			t.Errorf("%s: %.40q, %v", c.what, got, err)
		}
	}
}

// TestDialectErrors: what cannot be meant is an OptionError that names the option.
func TestDialectErrors(t *testing.T) {
	for _, c := range []struct {
		opts   []dfaparse.Option
		option string
	}{
		{[]dfaparse.Option{dfaparse.WithQuote("ab")}, "WithQuote"},
		{[]dfaparse.Option{dfaparse.WithEscape("ab")}, "WithEscape"},
		{[]dfaparse.Option{dfaparse.WithHeader(-1)}, "WithHeader"},
		{[]dfaparse.Option{dfaparse.WithLineEnd("x")}, "WithLineEnd"},
		{[]dfaparse.Option{dfaparse.WithDecimal(";")}, "WithDecimal"},
		{[]dfaparse.Option{dfaparse.WithTypes("a")}, "WithTypes"},
		{[]dfaparse.Option{dfaparse.WithMisfits("x")}, "WithMisfits"},
		{[]dfaparse.Option{dfaparse.Format("csv"), dfaparse.WithEncoding("klingon")}, "WithEncoding"},
		{[]dfaparse.Option{dfaparse.Format("nginx"), dfaparse.WithQuote("'")}, "WithQuote"},
		{[]dfaparse.Option{dfaparse.Format("csv"), dfaparse.WithUnion("x")}, "WithUnion"},
		{[]dfaparse.Option{dfaparse.Format("csv"), dfaparse.WithHive()}, "WithHive"}, // data lies in no folder
	} {
		_, err := dfaparse.OpenBytes(context.Background(), []byte("a\n1\n"), c.opts...)
		if wrong := (*dfaparse.OptionError)(nil); !errors.As(err, &wrong) || wrong.Option != c.option || strings.Contains(err.Error(), "--") {
			t.Errorf("%s: %v", c.option, err)
		}
	}
	r, err := dfaparse.OpenBytes(context.Background(), []byte("a;b\n1;2\n"), dfaparse.Infer())
	if err != nil || r.Decided() != "separated by semicolon, a header, 2 columns" {
		t.Errorf("decided %q, %v", r.Decided(), err)
	}
	r.Close()
}

// TestOpenFiles: files are one table, as the command has them.
func TestOpenFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"y=1/a.csv": "id,v\n1,x\n", "y=2/b.csv": "v,id\ny,2\n", "w/c.csv": "id,w\n3,0.5\n", "p/d.csv": "a,b\n4,z\n", "none.csv": "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	type options = []dfaparse.Option
	csv, infer := dfaparse.Format("csv"), dfaparse.Infer()
	spec := dfaparse.Spec("format x extends csv { fields { id u8 v str } }")
	for _, c := range []struct {
		names string
		opts  options
		want  string // or the error
	}{
		{"y=1 y=2", nil, `{"id":"1","v":"x"}{"id":"2","v":"y"}`},
		{"y=*/*.csv", options{infer}, `{"id":1,"v":"x"}{"id":2,"v":"y"}`},
		{"y=*/*.csv", options{dfaparse.Spec("format x extends csv { fields { v enum(x y) } }")}, `{"id":"1","v":"x"}{"id":"2","v":"y"}`},
		{"y=*/*.csv", options{csv, dfaparse.WithHive(), dfaparse.WithFileColumn("f")}, `{"id":"1","v":"x","y":1,"f":"y=1/a.csv"}{"id":"2","v":"y","y":2,"f":"y=2/b.csv"}`},
		{"y=*/*.csv", options{infer, dfaparse.WithHive(), dfaparse.WithTypes("y: str"), dfaparse.WithColumns("y", "id")}, `{"y":"1","id":1}{"y":"2","id":2}`},
		{"y=*/*.csv", options{spec, dfaparse.WithHive(), dfaparse.WithTypes("y: str")}, `{"id":1,"v":"x","y":"1"}{"id":2,"v":"y","y":"2"}`},
		{"y=*/*.csv", options{spec, dfaparse.WithHive(), dfaparse.WithAllStrings()}, `{"id":1,"v":"x","y":"1"}{"id":2,"v":"y","y":"2"}`},
		{"y=*/*.csv", options{spec, dfaparse.WithHive(), dfaparse.WithTypes("y: str, id: str")}, "no folder is named id=…"},
		{"y=*/*.csv", options{spec, dfaparse.WithHive(), dfaparse.WithQuote("'")}, "the format says that too"},
		{"y=*/*.csv", options{spec, dfaparse.WithTypes("y: str")}, "the format says that too"},
		{"y=*/*.csv", options{csv, dfaparse.WithSkip(1), dfaparse.WithLimit(5)}, `{"id":"2","v":"y"}`},
		{"y=*/*.csv", options{csv, dfaparse.WithLimit(1)}, `{"id":"1","v":"x"}`},
		{"y=*/*.csv", options{dfaparse.Spec("format x extends csv { fields { v u8! } on_error reject }"), dfaparse.WithMaxRejects(2)}, ``},
		{"y=*/*.csv", options{dfaparse.Spec("format x extends csv { fields { v u8! } on_error reject }"), dfaparse.WithMaxRejects(1)}, `rejects; the last one`},
		{"y=1 w", options{infer, dfaparse.WithUnion(dfaparse.UnionByName)}, `{"id":1,"v":"x","w":null}{"id":3,"v":null,"w":0.5}`},
		{"y=1 p", options{infer, dfaparse.WithUnion(dfaparse.UnionByPosition)}, `{"id":1,"v":"x"}{"id":4,"v":"z"}`},
		{"y=1 w", options{csv}, `w/c.csv: its columns are not those of y=1/a.csv: there is no "v", but "w"`},
		{"y=1 w", options{csv, dfaparse.WithFileColumn("v")}, "there is such a column already"},
		{"none.csv y=1", options{infer}, `{"id":1,"v":"x"}`},
		{"none.csv", options{csv}, "the input is empty"},
		{"nothing.csv", options{csv}, "nothing.csv: no such file or directory"},
		{"nothing*", options{csv}, "nothing*: no file matches"},
	} {
		got, err := jsonl(dfaparse.OpenFiles(context.Background(), strings.Fields(c.names), c.opts...))
		if err != nil && strings.Contains(err.Error(), c.want) {
			continue
		}
		if got = strings.ReplaceAll(filepath.ToSlash(got), "\n", ""); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.names, got, err, c.want)
		}
	}
}

// TestEncodingOfSpec: what cannot be read in the encoding that a spec says is refused, in words.
func TestEncodingOfSpec(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("id,v\n1,\xe4\n2,b\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	latin := dfaparse.Spec(`format l extends csv { encoding "ISO-8859-1" }`)
	fixed := dfaparse.Spec(`format w { fixed { a 2 n 1 } encoding "ISO-8859-1" }`)
	for name, c := range map[string]struct {
		read func() error
		want string
	}{
		"splits": {func() error { _, err := dfaparse.SplitFile(ctx, path, 2, latin); return err }, "not with an encoding"},
		"index":  {func() error { return dfaparse.IndexFile(ctx, path, latin) }, "not with an encoding"},
		"bytes counted": {func() error { _, err := jsonl(dfaparse.OpenBytes(ctx, []byte("a\xe41\n"), fixed)); return err },
			"at byte 1 of text in ISO-8859-1: 'ä' has another length in UTF-8"},
		"binary": {func() error {
			_, err := dfaparse.OpenBytes(ctx, []byte("\x01\x00"), dfaparse.Spec(`format b { binary { n u16le } }`), dfaparse.WithEncoding("latin1"))
			return err
		}, "are binary, and no text in latin1"},
		"the mark of UTF-8": {func() error {
			_, err := jsonl(dfaparse.OpenBytes(ctx, []byte("\xef\xbb\xbfid,v\n"), latin))
			return err
		}, "the byte order mark of UTF-8"},
	} {
		if err := c.read(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	found, err := dfaparse.AggregateFile(ctx, path, dfaparse.Query{By: "v"}, latin)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Release()
	var groups strings.Builder
	if _, err := dfaparse.Write(&groups, dfaparse.CSV, found); err != nil || !strings.Contains(groups.String(), "ä,1\n") {
		t.Errorf("groups: %q, %v", groups.String(), err)
	}
}
