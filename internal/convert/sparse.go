package convert

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// sparse are the rows of a column that most records lack: as of records of several shapes, or of keys that few have.
// Only those that are there are converted, one behind the other, and nulls are put in between afterwards.
type sparse struct {
	apart
	absent rowSet
	likely bool // of the last round most were null
	idle   int  // rounds to come that are not tried
}

const (
	// fewRows are converted as fast as they are.
	fewRows = 64
	// mostSparse: one row of so many may be there.
	mostSparse = 3
)

// appendRows is Append for fields of which nobody has to see what they are.
func (c *Converter) appendRows(dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	x, n := &c.sparse, f.Len()
	if x.idle > 0 || n < fewRows {
		x.idle = max(x.idle-1, 0)
		return c.appendAll(dst, f, errs)
	}
	if x.likely && c.def == nil && !c.required && len(f.Literal) == 0 {
		if x.takePresent(f, c.emptyIsNull || c.tokens.length(0)) {
			return c.appendPresent(dst, n, errs)
		}
		x.idle = pause
	}
	had := dst.Nulls
	errs = c.appendAll(dst, f, errs)
	x.likely = (n-(dst.Nulls-had))*mostSparse <= n
	return errs
}

// appendPresent appends the rows that have been taken, and nulls between them, n in all.
func (c *Converter) appendPresent(dst *columns.Column, n int, errs []FieldError) []FieldError {
	x, base, had := &c.sparse, dst.Len, len(errs)
	t, isText := c.impl.(*text)
	switch {
	case len(x.rows) > 0:
		errs = c.appendAll(dst, &x.fields, errs)
	case isText:
		t.replaced = t.replaced[:0] // those of the round before
	}
	dst.Spread(base, x.rows, n)
	x.number(errs[had:], base)
	if isText {
		x.numberReplaced(t.replaced)
	}
	x.fields.Src, x.fields.Decoded = nil, nil
	return errs
}

// takePresent takes the rows of f that are there; it is false if they are many.
func (x *sparse) takePresent(f *Fields, emptyIsNull bool) bool {
	n := f.Len()
	nwords := (n + 63) / 64
	if nwords > cap(x.absent) {
		x.absent = make(rowSet, nwords)
	}
	x.absent = x.absent[:nwords]
	clear(x.absent)
	x.absent.addAbsent(f.Start, f.End[:n], emptyIsNull, findAbsent(x.absent, f.Start, f.End[:n], emptyIsNull))
	there := n
	for _, w := range x.absent {
		there -= bits.OnesCount64(w)
	}
	if there*mostSparse > n {
		return false
	}
	if there > cap(x.rows) {
		x.rows, x.fields.Start, x.fields.End = make([]int32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n)
	}
	rows, starts, ends := x.rows[:there], x.fields.Start[:there], x.fields.End[:there]
	k := 0
	for j, absent := range x.absent {
		w := ^absent
		if rest := n - 64*j; rest < 64 {
			w &= 1<<rest - 1
		}
		for ; w != 0; w &= w - 1 {
			i := 64*j + bits.TrailingZeros64(w)
			rows[k], starts[k], ends[k] = int32(i), f.Start[i], f.End[i]
			k++
		}
	}
	x.rows, x.fields = rows, Fields{Src: f.Src, Decoded: f.Decoded, Start: starts, End: ends}
	return true
}

// addAbsent adds the rows from row i on that are absent, or empty where that is null.
func (s rowSet) addAbsent(start, end []uint32, emptyIsNull bool, i int) {
	empty := uint64(asBit(emptyIsNull))
	for ; i < len(start); i++ {
		at := start[i]
		size := end[i] - at&^InDecoded
		s[i>>6] |= ((uint64(at)+1)>>32 | (uint64(size)-1)>>63&empty) << (i & 63)
	}
}
