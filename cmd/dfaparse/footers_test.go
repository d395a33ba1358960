package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestFootersOfLargeFiles: what stands at the end of files of which the beginning alone is looked at
// to find out how they are written.
func TestFootersOfLargeFiles(t *testing.T) {
	const rows = 6000
	path := filepath.Join(t.TempDir(), "large.csv")
	for _, c := range []struct {
		name, head, row, middle, foot string
		left                          int    // lines that are left out
		want                          string // of the last row, as CSV; "" for an error
	}{
		{"totals", "id;name;amount\n", "%d;name %[1]d;%[1]d.5\n", "", "Total;123\n", 1, "5999,name 5999,5999.5"},
		{"a count", "id;name;amount\n", "%d;name %[1]d;%[1]d.5\n", "", "(6000 rows)\n\n", 1, "5999,name 5999,5999.5"},
		{"an empty line", "id;name;amount\n", "%d;name %[1]d;%[1]d.5\n", "", "\nSome words\nand others\n", 2, "5999,name 5999,5999.5"},
		{"CRLF", "id;name;amount\r\n", "%d;name %[1]d;%[1]d.5\r\n", "", "\r\n-- end\r\n", 1, "5999,name 5999,5999.5"},
		{"lines above", "Report\n\nid;name;amount\n", "%d;name %[1]d;%[1]d.5\n", "", "\nmade by x\n", 1, "5999,name 5999,5999.5"},
		{"in quotes it is none", "id,name\n", "%d,\"a\nTotal;%[1]d\"\n", "", "(6000 rows)\n", 1, "5999,\"a\nTotal;5999\""},
		{"totals of all columns", "id,name\n", "a%d,%[1]d\n", "", "Total,7\n", 0, "Total,7"},
		{"a balance apart", "id;name;amount\n", "%d;name %[1]d;%[1]d.5\n", "", "\nBalance;;12.5\n", 1, "5999,name 5999,5999.5"},
		{"the same in the middle", "id;name;amount\n", "%d;name %[1]d;%[1]d.5\n", "Total;5\n", "Total;123\n", 0, ""},
		{"an empty line in the middle", "id;name;amount\n", "%d;name %[1]d;%[1]d.5\n", "\n", "\nmade by x\n", 1, "5999,name 5999,5999.5"},
		{"an empty line in the middle, and what begins alike", "id;name;amount\n", "%d;name %[1]d;%[1]d.5\n", "\nmade by y\n", "\nmade by x\n", 0, ""},
		{"cut off", "id;name;amount\n", "%d;name %[1]d;%[1]d.5\n", "", "6000;na", 0, ""},
	} {
		var text strings.Builder
		text.WriteString(c.head)
		for n := range rows {
			if fmt.Fprintf(&text, c.row, n); n == rows/2 {
				text.WriteString(c.middle)
			}
		}
		text.WriteString(c.foot)
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		packed, wide := filepath.Join(filepath.Dir(path), "packed"), filepath.Join(filepath.Dir(path), "wide")
		if err := errors.Join(os.WriteFile(packed, gzipped(t, text.String()), 0o600), os.WriteFile(wide, utf16LE(text.String()), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, packed, wide} {
			code, out, said := told([]string{"parse", "--to", "csv", path}, nil)
			if code == 0 != (c.want != "") || code == 0 && !strings.HasSuffix(out, c.want+"\n") {
				t.Errorf("%s, %s: exit %d, %s, the end is %q", c.name, path, code, said, out[max(0, len(out)-40):])
			}
			if strings.Contains(said, "a footer") != (c.left > 0) && code == 0 || c.left > 0 && !strings.Contains(said, fmt.Sprintf("a footer of %d line", c.left)) {
				t.Errorf("%s, %s: %s", c.name, path, said)
			}
		}
		for _, given := range []string{text.String(), string(gzipped(t, text.String())), string(utf16LE(text.String()))} {
			code, out, said := told([]string{"parse", "--to", "csv", "-"}, inPieces(given))
			if code == 0 != (c.want != "") || code == 0 && !strings.HasSuffix(out, c.want+"\n") {
				t.Errorf("%s, piped: exit %d, %s, the end is %q", c.name, code, said, out[max(0, len(out)-40):])
			}
			if strings.Contains(said, "a footer") != (c.left > 0) && code == 0 || c.left > 0 && !strings.Contains(said, fmt.Sprintf("a footer of %d line", c.left)) {
				t.Errorf("%s, piped: %s", c.name, said)
			}
		}
		for _, path := range []string{path, packed, wide} {
			if code, out, said := told([]string{"count", path}, nil); code == 0 != (c.want != "") || code == 0 && c.left > 0 && out != fmt.Sprintln(rows) {
				t.Errorf("%s, %s: exit %d, %s, %s records", c.name, path, code, said, out)
			}
		}
		spec := filepath.Join(filepath.Dir(path), "inferred.dfp")
		inferred(t, path, spec)
	}
}

// TestOwnFooters: each of several inputs has a footer of its own, with other words in it.
func TestOwnFooters(t *testing.T) {
	drawn := "+----+------+\n| id | name |\n+----+------+\n|  1 | a    |\n|  2 | b    |\n+----+------+\n"
	psql := " id | name \n----+------\n  1 | a\n  2 | b\n"
	sheet := "id;name;n\n1;a;2\n2;b;3\n3;c;4\n;;\n"
	for _, c := range []struct {
		table string
		foots []string
		rows  int
	}{
		{drawn, []string{"2 rows in set (0.02 sec)\n", "3 rows in set (0.00 sec)\n", "", "\nTime: 1 ms\n"}, 2},
		{psql, []string{"(2 rows)\n\n", "Time: 3.4 ms\n", "(2 rows)\n\nTime: 1.2 ms\n", ""}, 2},
		{sheet, []string{"Total;;9\n", "made by x;;\n", "x;;\n;;\nz;;\n"}, 4},
	} {
		for first := range c.foots {
			dir := t.TempDir()
			for i := range c.foots {
				foot := c.foots[(first+i)%len(c.foots)]
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i)), []byte(c.table+foot), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			code, out, said := told([]string{"parse", "--to", "csv", dir}, nil)
			if want := 1 + c.rows*len(c.foots); code != 0 || strings.Count(out, "\n") != want || !strings.Contains(said, "footers of") {
				t.Errorf("%s: exit %d, %s\n%s", c.foots, code, said, out)
			}
		}
	}
}

// inPieces reads text a piece at a time, of any size.
func inPieces(text string) io.Reader {
	r := rand.New(rand.NewPCG(uint64(len(text)), 1))
	return readerFunc(func(p []byte) (int, error) {
		if text == "" {
			return 0, io.EOF
		}
		n := copy(p[:min(len(p), 1+r.IntN(5000))], text)
		text = text[n:]
		return n, nil
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// gzipped is text as gzip compresses it.
func gzipped(t *testing.T, text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// utf16LE is text in UTF-16 with a byte order mark.
func utf16LE(text string) []byte {
	b := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}
