package output

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// tableOf writes rows of an int64 and some string columns; "\x00" is null.
func tableOf(t *testing.T, o TableOptions, names []string, rows ...[]string) string {
	t.Helper()
	fields := []arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}
	for _, n := range names {
		fields = append(fields, arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for i, row := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		for k, s := range row {
			if s == "\x00" {
				b.Field(k + 1).AppendNull()
			} else {
				b.Field(k + 1).(*array.StringBuilder).Append(s)
			}
		}
	}
	var out bytes.Buffer
	w := newTable(&out, b.Schema(), o)
	if err := w.Write(b.NewRecord()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTable(t *testing.T) {
	got := tableOf(t, TableOptions{}, []string{"name", "note"},
		[]string{"Köln", "\x00"}, []string{"北京", "two\nlines\x1b[31m\xff"}, []string{"", "x"})
	want := `   id  name    note
int64  string  string
─────  ──────  ──────────────────────
    0  Köln    null
    1  北京    two\nlines\x1b[31m\xff
    2          x
(3 rows)
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTableFits(t *testing.T) {
	names := strings.Fields("a_rather_long_name b c d e f g h i j")
	row := make([]string, len(names))
	for i := range row {
		row[i] = strings.Repeat("é漢", 5*i)
	}
	for width := 20; width < 300; width++ {
		out := tableOf(t, TableOptions{Width: width}, names, row)
		lines := strings.Split(out, "\n")
		for _, line := range lines[:len(lines)-2] { // the footer may wrap
			if w := displayWidth(line); w > width {
				t.Fatalf("width %d: a line of %d columns\n%s", width, w, out)
			}
		}
		if !strings.HasPrefix(lines[0], "   id") {
			t.Fatalf("width %d: no first column\n%s", width, out)
		}
	}
}

func TestTableHidesTheMiddle(t *testing.T) {
	out := tableOf(t, TableOptions{Width: 50}, strings.Fields("b c d e f g h"), strings.Fields("twelve_long_1 twelve_long_2 twelve_long_3 x y z last"))
	if !strings.Contains(out, "columns hidden") || !strings.Contains(out, "last") || !strings.Contains(out, "  …  ") {
		t.Error(out)
	}
}

func TestTableRows(t *testing.T) {
	var rows [][]string
	for i := range 3000 {
		rows = append(rows, []string{strings.Repeat("x", i/100)})
	}
	out := tableOf(t, TableOptions{MaxRows: 40}, []string{"s"}, rows...)
	if n := strings.Count(out, "\n"); n != 44 || !strings.Contains(out, "(40 of 3,000 rows shown, --to table shows all)") {
		t.Errorf("%d lines, ends %q", n, out[len(out)-80:])
	}
	out = tableOf(t, TableOptions{}, []string{"s"}, rows...)
	if n := strings.Count(out, "\n"); n != 3004 || !strings.Contains(out, "(3,000 rows)") {
		t.Errorf("%d lines", n)
	}
	if !strings.Contains(out, " 2999  xxxxxxxx…\n") { // as wide as the first thousand
		t.Errorf("ends %q", out[len(out)-80:])
	}
}

func TestTableOfNothing(t *testing.T) {
	out := tableOf(t, TableOptions{Width: 80}, []string{"s"})
	if want := "   id  s\nint64  string\n─────  ──────\n(0 rows)\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
}

func TestTableColour(t *testing.T) {
	out := tableOf(t, TableOptions{Color: true}, []string{"s"}, []string{"\x00"})
	if !strings.Contains(out, "\x1b[2mnull\x1b[0m") || !strings.HasPrefix(out, "\x1b[1m") {
		t.Errorf("%q", out)
	}
}

func TestTypeName(t *testing.T) {
	var names []string
	for _, f := range manyTypes.Fields() {
		names = append(names, TypeName(f))
	}
	want := "int64 bool int8 int16 int32 uint8 uint16 uint32 uint64 float32 float64 decimal(12,2) date time(ms) time(us) " +
		"timestamp(us) timestamp(ns, UTC) timestamp(ms, Europe/Berlin) duration(ms) string binary dictionary ip(binary) uuid " +
		"list(int32) list(dictionary) map(string, string) map(string, map(string, string))"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRuneCut(t *testing.T) {
	s := strings.Repeat("é漢", 4)
	for n := 4; n < len(s); n++ {
		if got := runeCut(s, n); !strings.HasPrefix(s, got) || len(got) < n-3 || strings.ContainsRune(got, '\uFFFD') {
			t.Errorf("%d: %q", n, got)
		}
	}
	if got := runeCut("\x80\x80\x80\x80\x80\x80", 5); len(got) != 5 {
		t.Errorf("%q", got)
	}
}
