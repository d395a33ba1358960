package output

import (
	"bytes"
	"io"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/render"
)

// rowWriter writes text, row by row, about flushAt bytes at once.
type rowWriter struct {
	w      io.Writer
	fields []arrow.Field
	buf    []byte
	// row appends row i of the columns.
	row func(dst []byte, cols []arrow.Array, i int) []byte
}

const flushAt = 128 << 10

func (t *rowWriter) Write(rec arrow.Record) error {
	cols := rec.Columns()
	for i := range int(rec.NumRows()) {
		t.buf = t.row(t.buf, cols, i)
		if len(t.buf) >= flushAt {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return t.flush() // whoever reads along sees whole records
}

func (t *rowWriter) flush() error {
	_, err := t.w.Write(t.buf)
	t.buf = t.buf[:0]
	return err
}

func (t *rowWriter) Close() error { return t.flush() }

// newJSONL writes one JSON object a line, its members in column order, null
// where there is no value.
func newJSONL(w io.Writer, schema *arrow.Schema, _ Options) (Writer, error) {
	t := &rowWriter{w: w, fields: schema.Fields()}
	keys := make([][]byte, len(t.fields)) // with what stands before and after
	for k, f := range t.fields {
		before := byte(',')
		if k == 0 {
			before = '{'
		}
		keys[k] = append(render.AppendQuoted([]byte{before}, f.Name), ':')
	}
	t.row = func(dst []byte, cols []arrow.Array, i int) []byte {
		if len(cols) == 0 {
			return append(dst, "{}\n"...)
		}
		for k, a := range cols {
			dst = append(dst, keys[k]...)
			dst = render.AppendJSON(dst, t.fields[k], a, i)
		}
		return append(dst, '}', '\n')
	}
	return t, nil
}

// freeText reports whether the text of a type may hold any symbol; that of the
// others holds none that a form of output means something by.
func freeText(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.DICTIONARY, arrow.LIST, arrow.MAP:
		return true
	}
	return false
}

// symbols is a set of bytes.
type symbols [256]bool

var tsvEscaped = symbols{'\t': true, '\\': true, '\r': true, '\n': true}

func needs(field []byte, set *symbols) bool {
	for _, c := range field {
		if set[c] {
			return true
		}
	}
	return false
}

// newTSV writes tab separated values with a header, in the dialect of
// PostgreSQL's COPY and ClickHouse's TabSeparated: \t, \n, \r and \\ stand for
// what they escape, \N for null.
func newTSV(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	t := &rowWriter{w: w, fields: schema.Fields()}
	if !o.CSV.NoHeader {
		for k, f := range t.fields {
			if k > 0 {
				t.buf = append(t.buf, '\t')
			}
			t.buf = append(t.buf, f.Name...)
			t.buf = escapeTSV(t.buf, len(t.buf)-len(f.Name))
		}
		t.buf = append(t.buf, '\n')
	}
	t.row = func(dst []byte, cols []arrow.Array, i int) []byte {
		for k, a := range cols {
			if k > 0 {
				dst = append(dst, '\t')
			}
			if a.IsNull(i) {
				dst = append(dst, '\\', 'N')
				continue
			}
			from := len(dst)
			dst = render.AppendText(dst, t.fields[k], a, i)
			dst = escapeTSV(dst, from)
		}
		return append(dst, '\n')
	}
	return t, nil
}

// escapeTSV escapes the field dst[from:].
func escapeTSV(dst []byte, from int) []byte {
	if !needs(dst[from:], &tsvEscaped) {
		return dst
	}
	field := bytes.Clone(dst[from:])
	dst = dst[:from]
	for _, c := range field {
		switch c {
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\\':
			dst = append(dst, '\\', '\\')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
