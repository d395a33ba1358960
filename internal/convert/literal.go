package convert

import (
	"slices"
	"sort"

	"github.com/dfaparse/dfaparse/dfa"
)

// Most fields are what was written. In some, symbols were escaped, and what such a
// field means for its column is found in what was written, not in what it decodes
// to: whether it is a null token, which blanks around it are cut off, and where its
// parts or elements end. A Settler decides that, field by field; what is left for
// the conversion to know is which rows are literal.

// Literal is a row whose field is a value, whatever it looks like: it is neither
// trimmed nor compared with null tokens.
type Literal struct {
	Row   uint32
	Start uint32       // as in Fields: where the row has another field now, there is no such literal
	As    *dfa.Written // how it was written; nil unless it is taken apart
}

// Settler decides what becomes of the fields of a column in which something was
// escaped.
type Settler struct {
	nulls, decodedNulls []string
	trim                bool
	apart               bool // the column's values are taken apart
}

// NewSettler is the Settler of a column, nil if its fields are what they decode to,
// however they were written.
func NewSettler(col *dfa.Column) *Settler {
	nested := (col.Type.Kind == dfa.List || col.Type.Kind == dfa.Map) && !col.Type.Decoded
	s := &Settler{nulls: col.Nulls, decodedNulls: col.DecodedNulls, trim: col.Trim,
		apart: nested || col.Split != nil && !col.Split.Decoded}
	if len(s.nulls) == 0 && len(s.decodedNulls) == 0 && !s.trim && !s.apart {
		return nil
	}
	return s
}

// Settle decides row of f, whose field lies in f.Decoded and was written as w, which
// it does not keep.
func (s *Settler) Settle(f *Fields, row int, w *dfa.Written) {
	value, ok := f.At(row)
	if !ok {
		return
	}
	from, to := 0, len(value)
	if s.trim {
		blank := func(i int) bool { return (value[i] == ' ' || value[i] == '\t') && !w.Escaped(value, i) }
		for from < to && blank(from) {
			from++
		}
		for from < to && blank(to-1) {
			to--
		}
	}
	text := string(value[from:to])
	if slices.Contains(s.nulls, string(w.Of(from, to))) || slices.Contains(s.decodedNulls, text) {
		f.Start[row], f.End[row] = Absent, 0
		return
	}
	if !s.apart && !slices.Contains(s.nulls, text) && (!s.trim || len(trimBlanks(value)) == len(text)) {
		return
	}
	f.Start[row] += uint32(from)
	f.End[row] = f.Start[row]&^InDecoded + uint32(to-from)
	literal := Literal{Row: uint32(row), Start: f.Start[row]}
	if s.apart {
		literal.As = w.Slice(from, to)
		literal.As.Text = slices.Clone(literal.As.Text)
	}
	f.Literal = append(f.Literal, literal)
}

// literal is what is said of row i, nil if it is not literal.
func (f *Fields) literal(i int) *Literal {
	k := sort.Search(len(f.Literal), func(k int) bool { return f.Literal[k].Row > uint32(i) })
	if k == 0 || f.Literal[k-1].Row != uint32(i) || f.Literal[k-1].Start != f.Start[i] {
		return nil
	}
	return &f.Literal[k-1]
}

// Slice makes view the rows of f from from up to to. It keeps memory of view.
func (f *Fields) Slice(view *Fields, from, to int) {
	literal := view.Literal[:0]
	for _, l := range f.Literal {
		if int(l.Row) >= from && int(l.Row) < to {
			l.Row -= uint32(from)
			literal = append(literal, l)
		}
	}
	*view = Fields{f.Src, f.Decoded, f.Start[from:to], f.End[from:to], literal}
}
