package columns

// AppendRows appends the rows from through to-1 of src, a Column of the same
// Form, to c. It panics if they do not fit, see Fits.
func (c *Column) AppendRows(src *Column, from, to int) {
	c.AppendRowsBy(src, from, to, func(to, from []byte) { copy(to, from) })
}

// AppendRowsBy is AppendRows, which has move copy values and the bytes of texts. It may do
// so later, but before anybody reads them, if there is Room for all rows that are appended.
func (c *Column) AppendRowsBy(src *Column, from, to int, move func(to, from []byte)) {
	n := to - from
	if n <= 0 {
		return
	}
	switch c.Form.Buffers {
	case Bits:
		c.Fixed, _ = appendBitRange(c.Fixed, c.Len, src.Fixed, from, to)
	case Texts:
		lo, hi := src.Offsets[from], src.Offsets[to]
		c.appendOffsets(src.Offsets[from:to+1], len(c.Data))
		had := len(c.Data)
		c.Data = c.Grow(c.Data, int(hi-lo))
		move(c.Data[had:], src.Data[lo:hi])
	case Lists, Maps:
		lo, hi := src.Offsets[from], src.Offsets[to]
		c.appendOffsets(src.Offsets[from:to+1], c.Children[0].Len)
		for i, child := range c.Children {
			child.AppendRows(src.Children[i], int(lo), int(hi))
		}
	case Tokens:
		c.translate(AppendValues[int32](c, n), src, from)
	default:
		w := c.Form.Width
		had := len(c.Fixed)
		c.Fixed = c.Grow(c.Fixed, n*w)
		copy(c.Fixed[had:], src.Fixed[from*w:to*w])
	}
	c.appendValid(src, from, to)
}

// Room gives c, if it is of texts, memory for so many more bytes of them.
func (c *Column) Room(nbytes int) {
	if c.Form.Buffers == Texts {
		c.Data = c.Grow(c.Data, nbytes)[:len(c.Data)]
	}
}

// appendValid appends the bitmap of rows of src.
func (c *Column) appendValid(src *Column, from, to int) {
	n := to - from
	if src.Nulls == 0 {
		c.AppendValid(n)
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
	if base+int(rest[len(rest)-1]-first) > MaxData {
		panic(tooMuch)
	}
	addOffsets(c.GrowOffsets(len(rest)), rest, int32(base)-first)
}

const tooMuch = "columns: more than 2 GiB of values in one Column"

// addOffsets puts offsets plus delta into to.
func addOffsets(to, offsets []int32, delta int32) {
	to = to[:len(offsets)]
	for i, o := range offsets {
		to[i] = o + delta
	}
}

// Fits reports whether the rows from through to-1 of src can be appended to c:
// the offsets of a Column are 32 bits wide. It may say no of Tokens
// that would fit by a little.
func (c *Column) Fits(src *Column, from, to int) bool {
	switch c.Form.Buffers {
	case Texts:
		return len(c.Data)+int(src.Offsets[to]-src.Offsets[from]) <= MaxData
	case Lists, Maps:
		lo, hi := int(src.Offsets[from]), int(src.Offsets[to])
		if c.Children[0].Len+hi-lo > MaxData {
			return false
		}
		for i, child := range c.Children {
			if !child.Fits(src.Children[i], lo, hi) {
				return false
			}
		}
	case Tokens:
		return len(c.Children[0].Data)+len(src.Children[0].Data) <= MaxData
	}
	return true
}

// Over makes c the lists or maps of which each begins where first says, among the
// rows of its children.
func (c *Column) Over(first []int32, children ...*Column) *Column {
	c.Len, c.epoch = len(first), c.epoch+1
	c.Valid = appendBits(c.Valid[:0], 0, c.Len, true)
	c.Offsets = append(append(c.Offsets[:0], first...), int32(children[0].Len))
	c.Children = children
	return c
}
