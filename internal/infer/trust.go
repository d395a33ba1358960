package infer

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// Trust lets an input be read once, with the types that its first rows have, while every value is
// held against them: if none is amiss, these are the types that Infer would have found.
type Trust struct {
	columns map[string]trusted
	typed   []string
	amiss   atomic.Bool
}

// trusted is what a column's values have to be.
type trusted struct {
	kind    dfa.TypeKind        // of plain numbers and time stamps, else 0
	accepts func(b []byte) bool // whether a value that converts is what it was; nil: it always is
	isNull  func(b []byte) bool
}

// Trust is for a table whose types are those of some rows; nil if these do not decide what all
// columns are.
func (t *Table) Trust() *Trust {
	x := &Trust{columns: map[string]trusted{}, typed: []string{}}
	for _, c := range t.Columns {
		of := trusted{isNull: c.isNull}
		if c.Given || c.begun && len(c.live) == 0 { // as somebody said, or text
			continue
		}
		switch {
		case !c.begun:
			of.accepts = func(b []byte) bool { return false }
		case c.lead == nil, c.paired(c.lead):
			return nil
		default:
			if of.accepts = c.lead.accepts; c.lead.number || c.lead.typ.Kind == dfa.Timestamp {
				of.kind = c.lead.typ.Kind
			}
			if w := c.lead.witness; c.questions(c.lead) && !w.sure(c.lead.shown) {
				of.kind, of.accepts = 0, w.raisesNone(c.lead.shown, of.accepts)
			}
		}
		x.columns[c.Name] = of
		x.typed = append(x.typed, c.Name)
	}
	return x
}

// Typed are the columns whose values have to be read: those of the others may be anything. Of some,
// dates among them, each value is what it was if it converts, so that Look has nothing to look for.
func (x *Trust) Typed() []string { return x.typed }

// Amiss reports whether a value has been met that is not of its column's type, or would be of
// another one; of a nil Trust that there is none.
func (x *Trust) Amiss() bool { return x != nil && x.amiss.Load() }

// Look is for runtime.WithLook.
func (x *Trust) Look(column string) func(*convert.Fields) {
	c := x.columns[column]
	if c.accepts == nil {
		return nil
	}
	return func(f *convert.Fields) {
		for i := c.odd(f, 0); i < f.Len(); i = c.odd(f, i+1) {
			b, ok := f.At(i)
			if !ok || len(b) == 0 {
				continue
			}
			if blank(b[0]) || blank(b[len(b)-1]) {
				b = bytes.Trim(b, " \t")
			}
			if len(b) > 0 && !c.accepts(b) && (len(b) > longestNull || !c.isNull(b)) {
				x.amiss.Store(true)
				return
			}
		}
	}
}

// odd is the first of fields, from i on, of which it takes more than a glance to say that one that
// converts is what it was.
func (c *trusted) odd(f *convert.Fields, i int) int {
	switch c.kind {
	case dfa.Int64, dfa.Uint64:
		return oddInteger(f, i)
	case dfa.Float64:
		return oddFloat(f, i)
	case dfa.Timestamp:
		return oddClock(f, i)
	}
	return i
}

// oddInteger: an integer that converts is a plain one if its first digit is no zero, or the only one.
func oddInteger(f *convert.Fields, i int) int {
	text, ends := f.Src, f.End[:len(f.Start)]
	for ; i < len(ends); i++ {
		from := f.Start[i]
		if uint64(from) >= uint64(len(text)) || text[from]-'1' >= 9 && (text[from] != '0' || ends[i]-from > 1) {
			break
		}
	}
	return i
}

// oddFloat: a number of at most eight symbols, all from '-' to '9', has no exponent, and an f64
// keeps its digits; its first digit is looked at as that of an integer is, and may be the point.
// All of it is found out without a branch: which numbers begin how nobody can foresee.
func oddFloat(f *convert.Fields, i int) int {
	text, ends := f.Src, f.End[:len(f.Start)]
	for ; i < len(ends); i++ {
		from, n := f.Start[i], uint(ends[i]-f.Start[i])
		if n-1 >= 8 || uint64(from)+8 > uint64(len(text)) {
			break
		}
		own := ^uint64(0) >> ((64 - 8*n) & 63)
		word := binary.LittleEndian.Uint64(text[from:])&own | points&^own
		begin := ^usualBegin[uint16(word)>>6] >> (word & 63) & 1
		if ((word+aboveDigits)|(word-fromMinus)|word)&highBits|begin != 0 {
			break
		}
	}
	return i
}

const points = '.' * uint64(ones)

// usualBegin has by its first two symbols, the first in the lower byte, whether a plain number may
// begin so. One of one symbol is taken as if a point followed.
var usualBegin = func() (set [1 << 10]uint64) {
	for two := range 1 << 16 {
		if digit := byte(two); digit-'1' < 9 || digit == '.' || digit == '0' && two>>8 == '.' {
			set[two>>6] |= 1 << (two & 63)
		}
	}
	return set
}()

// oddClock: a time stamp whose seconds, if it has the usual length, are none of a leap second.
func oddClock(f *convert.Fields, i int) int {
	const seconds = uint32(len("2006-01-02 15:04:"))
	text, ends := f.Src, f.End[:len(f.Start)]
	for ; i < len(ends); i++ {
		from := f.Start[i]
		if ends[i]-from != seconds+2 || uint64(from)+uint64(seconds) >= uint64(len(text)) || text[from+seconds-1] != ':' || text[from+seconds] == '6' {
			break
		}
	}
	return i
}
