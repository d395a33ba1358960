package convert

import "github.com/dfaparse/dfaparse/internal/columns"

// apart are the rows of a column that are not null. Maps are read in batches, which would end at each null: so nulls are
// left out, and put in between afterwards.
type apart struct {
	rows   []int32 // their numbers
	fields Fields
}

// appendApart is append for rows of which some are null; ok is false if none is.
func (p *nested) appendApart(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) (_ []FieldError, ok bool) {
	x := &p.apart
	if !x.take(c, f) {
		return errs, false
	}
	base, had := dst.Len, len(errs)
	if x.fields.Len() > 0 {
		errs = p.appendRows(c, dst, &x.fields, errs)
	}
	dst.Spread(base, x.rows, f.Len())
	x.number(errs[had:], base)
	x.numberReplaced(p.replaced)
	x.fields.Src, x.fields.Decoded = nil, nil
	return errs, true
}

// number gives errors of rows that were appended from row base on the numbers that these have since.
func (x *apart) number(errs []FieldError, base int) {
	for i := range errs {
		e := &errs[i]
		e.Row = base + int(x.rows[e.Row-base])
	}
}

// numberReplaced is number for rows in which bytes are replaced, which have numbers of the round.
func (x *apart) numberReplaced(rows []replacedRow) {
	for i := range rows {
		rows[i].row = int(x.rows[rows[i].row])
	}
}

// take takes the rows of f that are not null; it is false if there are no others.
func (x *apart) take(c *Converter, f *Fields) bool {
	first, ends := 0, f.End[:f.Len()]
	for i, s := range f.Start {
		size := ends[i] - s
		if (s >= InDecoded || size == 0 || c.tokens.length(size)) && isNullRow(c, f, i) {
			break
		}
		first++
	}
	if first == f.Len() {
		return false
	}
	x.rows = x.rows[:0]
	for i := range first {
		x.rows = append(x.rows, int32(i))
	}
	x.fields.Src, x.fields.Decoded = f.Src, f.Decoded
	x.fields.Start, x.fields.End = append(x.fields.Start[:0], f.Start[:first]...), append(x.fields.End[:0], f.End[:first]...)
	for i := first + 1; i < f.Len(); i++ {
		if !isNullRow(c, f, i) {
			x.rows = append(x.rows, int32(i))
			x.fields.Push(f.Start[i], f.End[i])
		}
	}
	return true
}

// isNullRow reports whether row i is null, as far as that can be told where it lies.
func isNullRow(c *Converter, f *Fields, i int) bool {
	s := f.Start[i]
	if s >= InDecoded {
		return s == Absent
	}
	size := f.End[i] - s
	return (size == 0 || c.tokens.length(size)) && c.isNull(f.Src[s:s+size])
}
