package output

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/render"
)

// CSVStyle is how CSV is written. The zero CSVStyle is RFC 4180 but for the line ends,
// which are LF.
type CSVStyle struct {
	Separator byte   // 0 is a comma
	Quote     byte   // 0 is "
	QuoteAll  bool   // all fields, and not only those that need it; never nulls
	Null      string // the text of nulls; values that look like it are quoted
	NoHeader  bool   // no names of columns; of TSV too
	CRLF      bool   // lines end in CR LF
}

// Check says what cannot be read back.
func (c *CSVStyle) Check() error {
	sep, quote := c.separator(), c.quote()
	for _, f := range []struct {
		what string
		c    byte
	}{{"separator", sep}, {"quote", quote}} {
		if f.c == '\r' || f.c == '\n' || f.c >= 0x80 {
			return fmt.Errorf("%q cannot be the %s of CSV: want a symbol of ASCII that ends no line", f.c, f.what)
		}
	}
	if sep == quote {
		return fmt.Errorf("%q cannot separate fields and quote them as well", sep)
	}
	if i := strings.IndexAny(c.Null, string([]byte{sep, quote, '\r', '\n'})); i >= 0 {
		return fmt.Errorf("%q cannot stand for null: %q in it ends the field, or quotes it", c.Null, c.Null[i])
	}
	return nil
}

func (c *CSVStyle) separator() byte {
	if c.Separator == 0 {
		return ','
	}
	return c.Separator
}

func (c *CSVStyle) quote() byte {
	if c.Quote == 0 {
		return '"'
	}
	return c.Quote
}

// csvRows writes rows in a style.
type csvRows struct {
	style  CSVStyle
	sep    byte
	quote  byte
	end    string
	quoted symbols // what a bare field has not
}

// newCSV writes a header and the rows. Unless a text stands for null, a null is an empty
// field and an empty string is "", so that they stay apart; where a null is the whole
// record, it is "" too, because an empty line is no record.
func newCSV(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	if err := o.CSV.Check(); err != nil {
		return nil, err
	}
	c := &csvRows{style: o.CSV, sep: o.CSV.separator(), quote: o.CSV.quote(), end: "\n"}
	for _, symbol := range []byte{c.sep, c.quote, '\r', '\n'} {
		c.quoted[symbol] = true
	}
	if o.CSV.CRLF {
		c.end = "\r\n"
	}
	t := &rowWriter{w: w, fields: schema.Fields()}
	if !o.CSV.NoHeader {
		for k, f := range t.fields {
			if k > 0 {
				t.buf = append(t.buf, c.sep)
			}
			t.buf = append(t.buf, f.Name...)
			t.buf = c.close(t.buf, len(t.buf)-len(f.Name))
		}
		t.buf = append(t.buf, c.end...)
	}
	free := make([]bool, len(t.fields)) // fields that may hold what has to be quoted, or nothing
	for k, f := range t.fields {
		free[k] = freeText(f.Type) || f.Type.ID() == arrow.BINARY || c.meets()
	}
	t.row = func(dst []byte, cols []arrow.Array, i int) []byte {
		for k, a := range cols {
			if k > 0 {
				dst = append(dst, c.sep)
			}
			from := len(dst)
			if a.IsNull(i) {
				if dst = append(dst, c.style.Null...); len(dst) == from && len(cols) == 1 {
					dst = append(dst, c.quote, c.quote)
				}
				continue
			}
			dst = render.AppendText(dst, t.fields[k], a, i)
			if free[k] {
				dst = c.close(dst, from)
			}
		}
		return append(dst, c.end...)
	}
	return t, nil
}

// meets reports whether numbers, times and the like may hold what has to be quoted.
func (c *csvRows) meets() bool {
	return c.style.QuoteAll || c.style.Null != "" || strings.IndexByte(",;\t|", c.sep) < 0 || strings.IndexByte("\"'`", c.quote) < 0
}

// close quotes the field dst[from:] if it must be, or if it is empty.
func (c *csvRows) close(dst []byte, from int) []byte {
	field := dst[from:]
	if len(field) == 0 {
		return append(dst, c.quote, c.quote)
	}
	if !c.style.QuoteAll && field[0] != ' ' && field[len(field)-1] != ' ' && !needs(field, &c.quoted) && (c.style.Null == "" || string(field) != c.style.Null) {
		return dst
	}
	nquotes := bytes.Count(field, []byte{c.quote})
	n := len(field)
	dst = append(dst, make([]byte, nquotes+2)...)
	dst[len(dst)-1] = c.quote
	at := len(dst) - 2
	for i := from + n - 1; i >= from; i-- { // backwards, in place
		b := dst[i]
		dst[at] = b
		at--
		if b == c.quote {
			dst[at] = c.quote
			at--
		}
	}
	dst[from] = c.quote
	return dst
}
