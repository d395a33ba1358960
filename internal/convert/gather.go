package convert

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// AppendRows appends the rows from through to-1 of src, a Column of the same
// type, to c. It panics if they do not fit, see Fits.
func (c *Column) AppendRows(src *Column, from, to int) {
	n := to - from
	if n <= 0 {
		return
	}
	switch c.Type.Kind {
	case dfa.Bool:
		c.Fixed, _ = appendBitRange(c.Fixed, c.Len, src.Fixed, from, to)
	case dfa.String, dfa.Binary:
		lo, hi := src.Offsets[from], src.Offsets[to]
		c.appendOffsets(src.Offsets[from:to+1], len(c.Data))
		had := len(c.Data)
		c.Data = c.grow(c.Data, int(hi-lo))
		copy(c.Data[had:], src.Data[lo:hi])
	case dfa.List, dfa.Map:
		lo, hi := src.Offsets[from], src.Offsets[to]
		c.appendOffsets(src.Offsets[from:to+1], c.Children[0].Len)
		for i, child := range c.Children {
			child.AppendRows(src.Children[i], int(lo), int(hi))
		}
	case dfa.Dictionary:
		c.appendTokens(src, from, to)
	default:
		w := ByteWidth(c.Type)
		had := len(c.Fixed)
		c.Fixed = c.grow(c.Fixed, n*w)
		copy(c.Fixed[had:], src.Fixed[from*w:to*w])
	}
	if src.Nulls == 0 {
		c.appendValid(n)
		return
	}
	var nulls int
	c.Valid, nulls = appendBitRange(c.Valid, c.Len, src.Valid, from, to)
	c.Nulls += nulls
	c.Len += n
}

// appendOffsets appends all offsets but the first, which becomes base.
func (c *Column) appendOffsets(offsets []int32, base int) {
	first, rest := offsets[0], offsets[1:]
	if base+int(rest[len(rest)-1]-first) > maxData {
		panic("convert: more than 2 GiB of values in one Column")
	}
	delta := int32(base) - first
	to := c.growOffsets(len(rest))[:len(rest)]
	for i, o := range rest {
		to[i] = o + delta
	}
}

// Fits reports whether the rows from through to-1 of src can be appended to c:
// the offsets of a Column are 32 bits wide. It may say no of a dictionary
// that would fit by a little.
func (c *Column) Fits(src *Column, from, to int) bool {
	switch c.Type.Kind {
	case dfa.String, dfa.Binary:
		return len(c.Data)+int(src.Offsets[to]-src.Offsets[from]) <= maxData
	case dfa.List, dfa.Map:
		lo, hi := int(src.Offsets[from]), int(src.Offsets[to])
		if c.Children[0].Len+hi-lo > maxData {
			return false
		}
		for i, child := range c.Children {
			if !child.Fits(src.Children[i], lo, hi) {
				return false
			}
		}
	case dfa.Dictionary:
		return len(c.Children[0].Data)+len(src.Children[0].Data) <= maxData
	}
	return true
}

// remapping is where the tokens of a Column are in another one.
type remapping struct {
	of    *Column
	epoch uint32  // of it
	index []int32 // its token -> own token, -1: not met yet
}

// appendTokens appends the indices of src as indices into c's own tokens.
func (c *Column) appendTokens(src *Column, from, to int) {
	tokens := src.Children[0]
	m := &c.remap
	if m.of != src || m.epoch != src.epoch {
		*m = remapping{src, src.epoch, m.index[:0]}
	}
	if missing := tokens.Len - len(m.index); missing > 0 {
		had := len(m.index)
		m.index = slices.Grow(m.index, missing)[:tokens.Len]
		for i := had; i < tokens.Len; i++ {
			m.index[i] = -1
		}
	}
	in := values[int32](src.Fixed)
	out := appendValues[int32](c, to-from)
	for i := range out {
		k := in[from+i]
		if !src.IsValid(from + i) {
			out[i] = 0
			continue
		}
		if m.index[k] < 0 {
			token := tokens.Data[tokens.Offsets[k]:tokens.Offsets[k+1]]
			own, code := c.intern(token)
			if code != OK {
				panic("convert: more than 2 GiB of tokens in one Column")
			}
			m.index[k] = own
		}
		out[i] = m.index[k]
	}
}
