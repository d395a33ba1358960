package runtime_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestPreamble: what is passed over at the head are lines, which need not be
// well formed, and nothing else.
func TestPreamble(t *testing.T) {
	const (
		fields = ` fields { a str  b str }`
		pair   = `delimited { sep ','  quote '"' doubled  comment "//" } `
		lax    = `delimited { sep ','  quote '"' doubled  lax } `
		cr     = `delimited { sep ','  quote '"' doubled  eol cr } `
		anyEnd = `delimited { sep ','  quote '"' doubled  eol any } `
		named  = `dfa { group R='\n' | C=',' | X=*
			A : A r | B f | B d
			B : A r | B f | B d
			eof : A ok, B r } `
	)
	const one = `"1" "2"`
	for _, c := range []struct {
		spec, in string
		want     string // rows, or a part of the error
	}{
		// Lines need not be records: blank ones count, quotes and bad UTF-8 mean nothing.
		{pair + "header skip" + fields, "x\n1,2\n", one},
		{pair + "header skip 3" + fields, "\n\n\n1,2\n", one},
		{pair + "header skip 3" + fields, "say \"hi\nto \"\"\"all\n\xff\xfe\x00\n1,2\n", one},
		{lax + "header skip 2" + fields, "say \"hi\nto all\n1,2\n", one},
		{pair + "header skip 2" + fields, "// a comment\na,b\n1,2\n", one},
		{pair + "header skip 2" + fields, "x\r\ny\r\n1,2\r\n", one},
		{pair + "header skip 2" + fields, "x\ry\nz\n1,2\n", one}, // a CR alone ends no line here
		{pair + "header skip 9" + fields, "x\n1,2\n", ""},
		{pair + "header skip 9" + fields, "", ""},
		{pair + "header skip" + fields, "x\n\"1\",2", one},
		{pair + "header skip", "x\n1,2\n", one},

		// The last of several names the columns: a record, which may hold line ends.
		{pair + "header names 2", "it's 5\" long\na,b\n1,2\n", one},
		{pair + "header names 2", "x\n\n// c\n\"a\n\"\"a\"\"\",b\n1,2\n", one},
		{pair + "header names 4", "\n\n\n\na,b\n1,2\n", one},
		{pair + "header names 3", "x\n", "input:2:1: the input ends before the header"},
		{pair + "header names", "", "the input is empty"},
		{pair + "header names 2", "x\na,\"b\"c\n1,2\n", "input:2:6: "},

		// Lines as the format ends them.
		{cr + "header skip 2" + fields, "x\ry\r1,2\r", one},
		{anyEnd + "header skip 4" + fields, "a\rb\nc\r\n\r1,2\r", one},
		{anyEnd + "header skip 1" + fields, "a\r", ""},
		{anyEnd + "header skip 2" + fields, "\"\r\r1,2", one},
		{named + "header skip 2" + fields, "x,y,z\n\n1,2\n", one},
		{"record `{a} {b}` header skip 2", "x\n\n1 2\n", one},
		{"fixed { a 1 b 1 } header skip 2", "\n\n12\n", one},

		// skip, one after the other, before the header.
		{pair + "skip 2 lines" + fields, "\"\n\n1,2\n", one},
		{pair + "skip 1 line header skip" + fields, "\"\n\"\n1,2\n", one},
		{pair + "skip '#'" + fields, "# \"\n#\n1,2\n#,3\n", one + ` | "#" "3"`},
		{pair + "skip '#' \"--\"" + fields, "--\n#\n-1,2\n", `"-1" "2"`},
		{pair + "skip '#'" + fields, "1,2\n", one},
		{pair + "skip \"####\"" + fields, "#", "the record has 1 field"},
		{pair + "skip '#'" + fields, "#\n#", ""},
		{pair + "skip until \"Date,\" header names", "x \"\n\nDat\nDate,b\n1,2\n", one},
		{pair + "skip until 'a' 'b' header names", "x\nb,a\n1,2\n", one},
		{pair + "skip until \"Date,\" header names", "Date,b\n1,2\n", one},
		{pair + "skip until \"Date;\" header names", "x\nDate,b\n1,2", `input:3:4: no line begins with "Date;", up to which the format skips lines`},
		{pair + "skip until \"Date;\" \"Datum;\" header names", "x\n", `input:2:1: no line begins with "Date;" or "Datum;"`},
		{pair + "skip until \"Date;\" header names", "", `input:1:1: no line begins`},
		{pair + "skip until \"Date;\" header names", "Dat", `input:1:4: no line begins`},
		{pair + "skip 1 line skip '#' skip until 'x' skip 1 line header names 3", "\"\n#\n#\ny\nx\n\nz\na,b\n1,2\n", one},
		{anyEnd + "skip until \"a,\" header names", "x\ry\r\na,b\r1,2\r", one},
		{"delimited { sep ' ' } skip 1 line directive \"#Fields:\" schema", "#Fields: x\n#Fields: a b\n1 2\n", one},
		{"delimited { sep ' ' } skip 1 line directive \"#Fields:\" schema", "#Fields: x\n#Fields: a\n1\n#Fields: a b\n1 2\n", `"1" null | "1" "2"`},
		{"delimited { sep ' ' } header skip directive \"#Fields:\" schema", "\"\n#Fields: a b\n1 2\n", one},
		{"delimited { sep ' ' } skip until 'x' directive \"#Fields:\" schema", "#Fields: a b\n", "no line begins with"},
	} {
		for _, mark := range []string{"", "\xef\xbb\xbf"} {
			if mark != "" && strings.Contains(c.want, "input") {
				continue // positions are others
			}
			p := spec(t, c.spec)
			o := everyWay(t, p, func() io.Reader { return strings.NewReader(mark + c.in) })
			got := strings.Join(o.rows, " | ")
			switch {
			case o.err != nil && (c.want == "" || c.want[0] == '"' || !strings.Contains(o.err.Error(), c.want)),
				o.err == nil && got != c.want:
				t.Errorf("%s\n%q: rows %s, %v, want %s", c.spec, mark+c.in, got, o.err, c.want)
			}
			if o.err == nil && o.stats.Bytes != int64(len(mark+c.in)) {
				t.Errorf("%s\n%q: %d bytes read, there are %d", c.spec, mark+c.in, o.stats.Bytes, len(mark+c.in))
			}
		}
	}
}

// TestSkipLines: the option's lines come before those of the Program.
func TestSkipLines(t *testing.T) {
	for _, c := range []struct {
		spec, in string
		n        int64
		want     string
	}{
		{"csv", "\"\n\na,b\n1,2\n", 2, `"1" "2"`},
		{"csv", "a,b\n1,2\n", 0, `"1" "2"`},
		{pairOf + " skip '#' header skip", "\"\n#\n\"\n1,2\n", 1, `"1" "2"`},
		{pairOf, "1,2\n", 5, ""},
		{"w3c", "#Fields: x\n#Fields: a b\n1 2\n", 1, `"1" "2"`},
	} {
		o := everyWay(t, spec(t, c.spec), func() io.Reader { return strings.NewReader(c.in) }, runtime.WithSkipLines(c.n))
		if got := strings.Join(o.rows, " | "); o.err != nil || got != c.want {
			t.Errorf("%s, %d lines of %q: %s, %v, want %s", c.spec, c.n, c.in, got, o.err, c.want)
		}
	}
	if _, err := runtime.NewReader(strings.NewReader(""), spec(t, pairOf), runtime.WithEngine(cpu.Engine), runtime.WithSkipLines(-1)); err == nil || !strings.Contains(err.Error(), "-1 lines to skip") {
		t.Errorf("%v", err)
	}
}

// TestLongPreamble: lines that are passed over are of any length, in bounded
// memory, and a failing input is what it is.
func TestLongPreamble(t *testing.T) {
	p := spec(t, pairOf+" skip 1 line skip until \"a,\" header skip")
	in := strings.Repeat("\"x\n", 1<<16) + strings.Repeat("y", 3<<20)
	o := read(t, p, strings.NewReader(in+"\na,b\n1,2\n"), runtime.WithMaxRecord(10), runtime.WithPartitionSize(1<<12))
	if got := fmt.Sprint(o.rows); o.err != nil || got != `["1" "2"]` {
		t.Errorf("%s, %v", got, o.err)
	}
	broken := errors.New("broken")
	for _, n := range []int{0, 1, 3, len(in)} {
		o := read(t, p, io.MultiReader(strings.NewReader(in[:n]), &brokenInput{broken}), runtime.WithPartitionSize(1<<12))
		if !errors.Is(o.err, broken) {
			t.Errorf("an input that fails after %d bytes: %v", n, o.err)
		}
	}
}

type brokenInput struct{ err error }

func (b *brokenInput) Read([]byte) (int, error) { return 0, b.err }

// TestPreambleOfRealFiles: files with lines before the header that nobody here
// wrote.
func TestPreambleOfRealFiles(t *testing.T) {
	dir := filepath.Join("..", "..", "shared", "corpora", "duckdb", "data_csv")
	for _, c := range []struct {
		file, spec string
		rows       int64
		columns    int
	}{
		{"17738.csv", "header names 7", 5, 6},
		{"17738.csv", "header names 8", 5, 6},
		{"17738.csv", "skip 7 lines header names", 5, 6},
		{"17738.csv", "skip 7 lines header none", 6, 6},
		{"17738.csv", "skip until \"John,\" header none", 6, 6},
		{"17738_rn.csv", "skip 7 lines header none", 6, 6},
	} {
		f, err := os.Open(filepath.Join(dir, c.file))
		if err != nil {
			t.Skip(err)
		}
		o := read(t, spec(t, `delimited { sep ','  quote '"' doubled } `+c.spec), f)
		f.Close()
		if o.err != nil || o.stats.Rows != c.rows || o.schema.NumFields() != c.columns {
			t.Errorf("%s, %s: %d rows, %v, %v, want %d of %d columns", c.file, c.spec, o.stats.Rows, o.schema, o.err, c.rows, c.columns)
		}
	}
}
