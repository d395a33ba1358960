package columns

// Concat appends all rows of Columns of c's Form to c, one after the other, as AppendRows would,
// and gives the work that is left: any number of goroutines may do it, each part once, before
// anybody reads c or changes what is appended.
func (c *Column) Concat(parts []*Column) (left []func()) {
	all := make([]rowRange, len(parts))
	for i, p := range parts {
		all[i] = rowRange{p, 0, p.Len}
	}
	return c.concat(all, nil)
}

// rowRange is rows of a Column.
type rowRange struct {
	of       *Column
	from, to int
}

// concat appends what has to be done in order, such as bits, whose bytes parts share, and gives the
// rest behind left: where that lies is known by then.
func (c *Column) concat(parts []rowRange, left []func()) []func() {
	nrows := 0
	for _, p := range parts {
		nrows += p.to - p.from
	}
	switch c.Form.Buffers {
	case Bits, Tokens:
		for _, p := range parts {
			c.AppendRows(p.of, p.from, p.to)
		}
		return left
	case Texts:
		var texts []rowRange
		left, texts = c.concatOffsets(parts, nrows, len(c.Data), left)
		nbytes := 0
		for _, p := range texts {
			nbytes += p.to - p.from
		}
		at := len(c.Data)
		c.Data = c.Grow(c.Data, nbytes)
		for _, p := range texts {
			left = append(left, copies(c.Data[at:], p.of.Data[p.from:p.to])...)
			at += p.to - p.from
		}
	case Lists, Maps:
		var items []rowRange
		left, items = c.concatOffsets(parts, nrows, c.Children[0].Len, left)
		for i, child := range c.Children {
			theirs := make([]rowRange, len(items))
			for k, p := range items {
				theirs[k] = rowRange{p.of.Children[i], p.from, p.to}
			}
			left = child.concat(theirs, left)
		}
	default:
		w, at := c.Form.Width, len(c.Fixed)
		c.Fixed = c.Grow(c.Fixed, nrows*w)
		for _, p := range parts {
			left = append(left, copies(c.Fixed[at:], p.of.Fixed[p.from*w:p.to*w])...)
			at += (p.to - p.from) * w
		}
	}
	for _, p := range parts {
		c.appendValid(p.of, p.from, p.to)
	}
	return left
}

// concatOffsets makes room for the offsets of all rows, the first of which follows base, and gives
// the work of appending them, and which bytes or items of the parts they mean.
func (c *Column) concatOffsets(parts []rowRange, nrows, base int, left []func()) ([]func(), []rowRange) {
	at, to := make([]rowRange, len(parts)), c.GrowOffsets(nrows)
	for i, p := range parts {
		offsets := p.of.Offsets[p.from : p.to+1]
		lo, hi := int(offsets[0]), int(offsets[len(offsets)-1])
		at[i] = rowRange{p.of, lo, hi}
		if base+hi-lo > MaxData {
			panic(tooMuch)
		}
		mine, delta := to[:len(offsets)-1], int32(base-lo)
		left = append(left, func() { addOffsets(mine, offsets[1:], delta) })
		to, base = to[len(mine):], base+hi-lo
	}
	return left, at
}

// longCopy is what is copied at once at most, in bytes.
const longCopy = 1 << 20

// copies is the work of copying from to where to begins.
func copies(to, from []byte) (left []func()) {
	for len(from) > 0 {
		n := min(len(from), longCopy)
		t, f := to[:n], from[:n]
		left = append(left, func() { copy(t, f) })
		to, from = to[n:], from[n:]
	}
	return left
}
