package convert

import "github.com/dfaparse/dfaparse/internal/columns"

// present are the rows of a round without those that are absent, empty where that is null, or a null token in Src: the loops that
// read rows stop at none of these. They are copied after a round where more than one row in fewPresent was null.
type present[T comparable] struct {
	fields Fields
	rows   []uint32 // their numbers in the round
	values []T
	nulls  rowSet // the other rows
}

// Where fewer are null, copying all takes longer than stopping at these.
const fewPresent = 4

// apart converts the rows of f, the last of dst, those that are null apart from the others: easy converts fields from number i on,
// up to one that it leaves to row, and gives its number.
func (g *present[T]) apart(c *Converter, dst *columns.Column, f *Fields, out []T, errs []FieldError, easy func(values []T, fields *Fields, i int) int,
	row func(c *Converter, dst *columns.Column, f *Fields, out []T, i int, errs []FieldError) []FieldError) []FieldError {
	g.copy(c, f)
	dst.SetNulls(dst.Len-len(out), g.nulls)
	clear(out)
	values := g.values[:len(g.rows)]
	for k := 0; k < len(values); k++ {
		from := k
		k = easy(values, &g.fields, k)
		for j, v := range values[from:k] {
			out[g.rows[from+j]] = v
		}
		if k < len(values) {
			errs = row(c, dst, f, out, int(g.rows[k]), errs)
		}
	}
	g.fields.Src = nil
	return errs
}

// copy sets g to the rows of f, without a branch that depends on where a field is null for having no symbols.
func (g *present[T]) copy(c *Converter, f *Fields) {
	n := f.Len()
	if n > len(g.values) {
		g.fields.Start, g.fields.End, g.rows = make([]uint32, n), make([]uint32, n), make([]uint32, n)
		g.values, g.nulls = make([]T, n), make(rowSet, (n+63)/64)
	}
	starts, ends, rows := g.fields.Start[:n], g.fields.End[:n], g.rows[:n]
	lengths := (uint64(c.tokens.lengths[1])<<32 | uint64(c.tokens.lengths[0])) &^ 1
	end, k, set, empty := f.End[:n], 0, uint64(0), uint64(asBit(c.emptyIsNull))
	g.nulls = g.nulls[:(n+63)/64]
	for i, s := range f.Start {
		e := end[i]
		length := e - s&^InDecoded
		null := (uint64(s)+1)>>32 | (uint64(length)-1)>>63&empty // absent, or empty where that is null
		if lengths>>min(length, 63)&1 != 0 && s < InDecoded && c.tokens.null(c, f.Src[s:e]) {
			null = 1
		}
		starts[k], ends[k], rows[k] = s, e, uint32(i)
		k += int(1 - null)
		if set = set>>1 | null<<63; i&63 == 63 {
			g.nulls[i>>6] = set
		}
	}
	if rest := n & 63; rest > 0 {
		g.nulls[n>>6] = set >> (64 - rest)
	}
	g.fields = Fields{Src: f.Src, Start: starts[:k], End: ends[:k]}
	g.rows = rows[:k]
}
