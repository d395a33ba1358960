package convert

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
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
	Empty bool         // it is the empty value, of lists and maps too
}

// Settler decides what becomes of the fields of a column in which something was
// escaped.
type Settler struct {
	nulls, decodedNulls []string
	empties             []string
	openers             string // of fields in which there are no tokens
	keep                *dfa.Kept
	trim                bool
	apart               bool // the column's values are taken apart
}

// NewSettler is the Settler of a column, nil if its fields are what they decode to,
// however they were written. Openers are those of the Program, "" for fields of another
// field.
func NewSettler(col *dfa.Column, openers string) *Settler {
	nested := (col.Type.Kind == dfa.List || col.Type.Kind == dfa.Map) && !col.Type.Decoded
	s := &Settler{nulls: col.Nulls, decodedNulls: col.DecodedNulls, empties: col.Empties, openers: openers, keep: col.Keep, trim: col.Trim,
		apart: nested || col.Split != nil && !col.Split.Decoded}
	if len(s.nulls) == 0 && len(s.decodedNulls) == 0 && len(s.empties) == 0 && s.keep == nil && !s.trim && !s.apart {
		return nil
	}
	return s
}

// IsNull reports whether a field that was written as text, with something escaped in it, is
// a null token for that alone. If not, Settle says what it is.
func (s *Settler) IsNull(text []byte) bool {
	return !s.trim && isOneOf(s.nulls, text) && !s.opens(text)
}

// LeavesNull reports whether a field that was written as text, with something escaped in it, may stay as it was written,
// since the Converter of its column finds it null.
func (s *Settler) LeavesNull(text []byte) bool {
	return s.IsNull(text) && !s.apart && s.keep == nil && len(s.empties) == 0
}

// SettleEnclosed is Settle of a field in Src that open opens, in which nothing is escaped or doubled, and which is not
// trimmed or taken apart. It reports whether it is such.
func (s *Settler) SettleEnclosed(f *Fields, row int, open byte) bool {
	value, _ := f.At(row)
	if s.apart || s.keep != nil || strings.IndexByte(s.openers, open) < 0 || s.trim && len(trimBlanks(value)) < len(value) {
		return false
	}
	switch {
	case isOneOf(s.decodedNulls, value):
		f.Start[row], f.End[row] = Absent, 0
	case isOneOf(s.nulls, value) || isOneOf(s.empties, value):
		f.set(row, value)
		f.literally(Literal{Row: uint32(row), Start: f.Start[row]})
	}
	return true
}

// SettleText is Settle where it does not matter which symbols of text, as which the field was
// written, were escaped. It reports whether it does not.
func (s *Settler) SettleText(f *Fields, row int, text []byte) bool {
	if s.trim || s.apart || s.keep != nil || len(s.empties) > 0 || s.opens(text) {
		return false
	}
	value, _ := f.At(row)
	if isOneOf(s.nulls, text) || isOneOf(s.decodedNulls, value) {
		f.Start[row], f.End[row] = Absent, 0
	} else if isOneOf(s.nulls, value) {
		f.literally(Literal{Row: uint32(row), Start: f.Start[row]})
	}
	return true
}

// Settle decides row of f, whose field lies in f.Decoded and was written as w, which
// it does not keep.
func (s *Settler) Settle(f *Fields, row int, w *dfa.Written) {
	value, ok := f.At(row)
	if !ok {
		return
	}
	w, enclosed := s.bared(value, w)
	if whole, as := s.keep.Restore(value, w); len(whole) > len(value) {
		f.set(row, whole)
		value, w = whole, as
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
	text := value[from:to]
	token := func(of []string) bool { return !enclosed && isOneOf(of, w.Of(from, to)) }
	if token(s.nulls) || isOneOf(s.decodedNulls, text) {
		f.Start[row], f.End[row] = Absent, 0
		return
	}
	empty := token(s.empties)
	if empty {
		to = from
	} else if !s.apart && !isOneOf(s.nulls, text) && !isOneOf(s.empties, text) && (!s.trim || len(trimBlanks(value)) == len(text)) {
		return
	}
	f.Start[row] += uint32(from)
	f.End[row] = f.Start[row]&^InDecoded + uint32(to-from)
	literal := Literal{Row: uint32(row), Start: f.Start[row], Empty: empty}
	if s.apart && !empty {
		literal.As = w.Slice(from, to)
		literal.As.Text = slices.Clone(literal.As.Text)
	}
	f.literally(literal)
}

// literally adds a literal. No other field begins where it does, even if it is of no symbols: a record that is left
// out has the row of the next one.
func (f *Fields) literally(l Literal) {
	i := len(f.Literal)
	for i > 0 && f.Literal[i-1].Row > l.Row { // records that are read abreast settle their fields in another order
		i--
	}
	if i == len(f.Literal) {
		f.Literal = append(f.Literal, l)
	} else {
		f.Literal = slices.Insert(f.Literal, i, l)
	}
	if l.Start&^InDecoded == uint32(len(f.Decoded)) {
		f.Decoded = append(f.Decoded, 0)
	}
}

// MoveUp moves the rows from from up to to over as many before them as gap says, which are forgotten, and over those of
// left, which are counted from from on.
func (f *Fields) MoveUp(from, to, gap int, left *columns.Removal) {
	if gap > 0 {
		copy(f.Start[from-gap:], f.Start[from:to])
		copy(f.End[from-gap:], f.End[from:to])
	}
	if len(left.Rows) > 0 {
		left.Pack(f.Start[from-gap : to-gap])
		left.Pack(f.End[from-gap : to-gap])
	}
	if len(f.Literal) == 0 {
		return
	}
	first := sort.Search(len(f.Literal), func(k int) bool { return int(f.Literal[k].Row) >= from-gap })
	literal := f.Literal[:first]
	for _, l := range f.Literal[first:] {
		switch row := int(l.Row); {
		case row < from:
			continue
		case row < to:
			before, isLeft := slices.BinarySearch(left.Rows, row-from)
			if isLeft {
				continue
			}
			l.Row -= uint32(gap + before)
		}
		literal = append(literal, l)
	}
	f.Literal = literal
}

// opens reports whether there is an opener in text.
func (s *Settler) opens(text []byte) bool {
	for i := range s.openers {
		if bytes.IndexByte(text, s.openers[i]) >= 0 {
			return true
		}
	}
	return false
}

// isOneOf reports whether text is one of the tokens, which are short: symbols are compared here and now.
func isOneOf(tokens []string, text []byte) bool {
next:
	for _, token := range tokens {
		if len(token) != len(text) {
			continue
		}
		for i, symbol := range text {
			if token[i] != symbol {
				continue next
			}
		}
		return true
	}
	return false
}

// bared is w without the symbol that opened the field, and whether there was one: it
// stands in front of the field's value, or behind blanks that are data of it.
func (s *Settler) bared(value []byte, w *dfa.Written) (_ *dfa.Written, enclosed bool) {
	at := 0
	for at < len(value) && blank(value[at]) && !w.Escaped(value, at) {
		at++
	}
	if at >= len(w.Text) || strings.IndexByte(s.openers, w.Text[at]) < 0 || at < len(value) && int(w.End[at]) == at+1 {
		return w, false
	}
	bare := &dfa.Written{Text: slices.Delete(slices.Clone(w.Text), at, at+1), End: slices.Clone(w.End)}
	for i := at; i < len(bare.End); i++ {
		bare.End[i]--
	}
	return bare, true
}

// emptied is f where the fields that are tokens for empty are empty, in memory of c's.
func (c *Converter) emptied(f *Fields) *Fields {
	e := &c.empty
	found := false
	for i := range f.Len() {
		b, ok := f.At(i)
		if !ok || f.isLiteral(i) {
			continue
		}
		start := f.Start[i]
		if c.trim {
			bare := trimBlanks(b)
			start, b = start+uint32(cap(b)-cap(bare)), bare
		}
		if !isOneOf(c.empties, b) {
			continue
		}
		if !found {
			found = true
			*e = Fields{f.Src, f.Decoded, append(e.Start[:0], f.Start...), append(e.End[:0], f.End...), append(e.Literal[:0], f.Literal...)}
		}
		e.Start[i], e.End[i] = start, start&^InDecoded
		e.Literal = append(e.Literal, Literal{Row: uint32(i), Start: start, Empty: true})
	}
	if !found {
		return f
	}
	if len(f.Literal) > 0 {
		slices.SortStableFunc(e.Literal, func(a, b Literal) int { return int(a.Row) - int(b.Row) })
	}
	return e
}

// literal is what is said of row i, nil if it is not literal.
func (f *Fields) literal(i int) *Literal {
	k := min(i+1, len(f.Literal)) // where all rows are
	if behind := k < len(f.Literal) && f.Literal[k].Row == uint32(i); k <= i || behind || f.Literal[i].Row != uint32(i) {
		k = sort.Search(len(f.Literal), func(k int) bool { return f.Literal[k].Row > uint32(i) })
	}
	for k > 0 && f.Literal[k-1].Row == uint32(i) {
		if k--; f.Literal[k].Start == f.Start[i] {
			return &f.Literal[k]
		}
	}
	return nil
}

func (f *Fields) isLiteral(i int) bool { return len(f.Literal) > 0 && f.literal(i) != nil }

// literals are those of the rows that have not been asked for, which are asked for in order.
type literals []Literal

// has reports whether row i of f is literal.
func (l *literals) has(f *Fields, i int) bool {
	all := *l
	for len(all) > 0 && all[0].Row < uint32(i) {
		all = all[1:]
	}
	*l = all
	for len(all) > 0 && all[0].Row == uint32(i) && all[0].Start != f.Start[i] {
		all = all[1:]
	}
	return len(all) > 0 && all[0].Row == uint32(i)
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
