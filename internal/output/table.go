package output

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/render"
)

// TableOptions say what room a table has.
type TableOptions struct {
	Width   int   // of the terminal in columns; 0: as wide as it needs
	MaxRows int   // rows to show, 0: all; all are counted
	Rows    int64 // how many there are, if the table is not given all of them; else 0
	Color   bool  // dim what is not data
}

// sampleRows is how many rows decide how wide the columns are.
const sampleRows = 1000

// table writes aligned columns under their names and types. The first rows
// are held back until the widths are known; later ones are cut to fit.
type table struct {
	w       io.Writer
	o       TableOptions
	fields  []arrow.Field
	pending [][]cell
	layout  *layout // nil while rows are held back
	rows    int64   // written to the table
	shown   int64
	buf     []byte
}

// cell is a value as it is shown.
type cell struct {
	text string
	null bool
}

func newTable(w io.Writer, schema *arrow.Schema, o TableOptions) *table {
	return &table{w: w, o: o, fields: schema.Fields()}
}

func (t *table) Write(rec arrow.Record) error {
	for i := range int(rec.NumRows()) {
		t.rows++
		if t.o.MaxRows > 0 && t.shown >= int64(t.o.MaxRows) {
			continue
		}
		t.shown++
		row := t.cells(rec, i)
		if t.layout != nil {
			t.appendRow(row)
		} else if t.pending = append(t.pending, row); len(t.pending) == sampleRows {
			t.begin()
		}
		if len(t.buf) >= flushAt {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return t.flush()
}

func (t *table) Close() error {
	if t.layout == nil {
		t.begin()
	}
	t.appendFooter()
	return t.flush()
}

func (t *table) flush() error {
	if len(t.buf) == 0 {
		return nil
	}
	_, err := t.w.Write(t.buf)
	t.buf = t.buf[:0]
	return err
}

// cells renders row i. Text is cut long before it is laid out: no column is
// ever as wide as cellBytes.
func (t *table) cells(rec arrow.Record, i int) []cell {
	cellBytes := 4 * max(maxCell, t.o.Width)
	row := make([]cell, rec.NumCols())
	var scratch [256]byte
	for k, a := range rec.Columns() {
		if a.IsNull(i) || a.DataType().ID() == arrow.NULL {
			row[k] = cell{"null", true}
			continue
		}
		if s, ok := a.(*array.String); ok && len(s.Value(i)) > cellBytes {
			row[k].text = render.Printable(runeCut(s.Value(i), cellBytes)) + "…"
			continue
		}
		row[k].text = render.Printable(string(render.AppendText(scratch[:0], t.fields[k], a, i)))
	}
	return row
}

// runeCut is the first n bytes of s, or some few less, so that no code point is
// cut in two.
func runeCut(s string, n int) string {
	for k := n; k > n-utf8.UTFMax; k-- {
		if utf8.RuneStart(s[k]) {
			return s[:k]
		}
	}
	return s[:n]
}

func (t *table) begin() {
	t.layout = newLayout(t.fields, t.pending, t.o.Width)
	t.appendHeader()
	for _, row := range t.pending {
		t.appendRow(row)
	}
	t.pending = nil
}

const gap = "  " // between columns

const (
	dim    = "\x1b[2m"
	bold   = "\x1b[1m"
	normal = "\x1b[0m"
)

func (t *table) style(s string) {
	if t.o.Color {
		t.buf = append(t.buf, s...)
	}
}

func (t *table) appendHeader() {
	if len(t.fields) == 0 {
		return
	}
	line := func(style string, text func(f arrow.Field) string) {
		t.style(style)
		t.appendLine(func(k int) string { return text(t.fields[k]) }, nil)
		t.style(normal)
		t.buf = append(t.buf, '\n')
	}
	line(bold, func(f arrow.Field) string { return render.Printable(f.Name) })
	line(dim, func(f arrow.Field) string { return render.Printable(TypeName(f)) })
	t.style(dim)
	for i, c := range t.layout.columns {
		if i > 0 {
			t.buf = append(t.buf, gap...)
		}
		t.buf = append(t.buf, strings.Repeat("─", c.width)...)
	}
	t.style(normal)
	t.buf = append(t.buf, '\n')
}

func (t *table) appendRow(row []cell) {
	t.appendLine(func(k int) string { return row[k].text }, func(k int) bool { return row[k].null })
	t.buf = append(t.buf, '\n')
}

// appendLine appends one line of the table, without spaces at its end.
func (t *table) appendLine(text func(k int) string, null func(k int) bool) {
	spaces := 0
	for i, c := range t.layout.columns {
		if i > 0 {
			spaces += len(gap)
		}
		s := "…" // stands for the hidden columns
		if c.field >= 0 {
			s = fit(text(c.field), c.width)
		}
		fill := c.width - displayWidth(s)
		if c.right {
			spaces += fill
		}
		if s != "" {
			for ; spaces > 0; spaces-- {
				t.buf = append(t.buf, ' ')
			}
		}
		dimmed := null != nil && (c.field < 0 || null(c.field))
		if dimmed {
			t.style(dim)
		}
		t.buf = append(t.buf, s...)
		if dimmed {
			t.style(normal)
		}
		if !c.right {
			spaces += fill
		}
	}
}

func (t *table) appendFooter() {
	var notes []string
	t.rows = max(t.rows, t.o.Rows)
	switch {
	case t.shown < t.rows:
		notes = append(notes, fmt.Sprintf("%s of %s rows shown, --to table shows all", grouped(t.shown), grouped(t.rows)))
	case t.rows == 1:
		notes = append(notes, "1 row")
	default:
		notes = append(notes, grouped(t.rows)+" rows")
	}
	if hidden := len(t.layout.hidden); hidden > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d columns hidden, --columns chooses", hidden, len(t.fields)))
	}
	t.style(dim)
	t.buf = append(t.buf, '(')
	t.buf = append(t.buf, strings.Join(notes, "; ")...)
	t.buf = append(t.buf, ')')
	t.style(normal)
	t.buf = append(t.buf, '\n')
}

// grouped is n with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
