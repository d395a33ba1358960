package columns

// Concat appends all rows of Columns of c's Form to c, one after the other, as AppendRows would,
// and gives the work that is left: any number of goroutines may do it, each part once, before
// anybody reads c or changes what is appended.
func (c *Column) Concat(parts []*Column) (left []func()) {
	all := make([]Range, len(parts))
	for i, p := range parts {
		all[i] = Range{p, 0, p.Len}
	}
	return c.ConcatRanges(all)
}

// Range is the rows of a Column from From up to To.
type Range struct {
	Of       *Column
	From, To int
}

// ConcatRanges is Concat of some rows of Columns.
func (c *Column) ConcatRanges(parts []Range) (left []func()) { return c.concat(parts, nil) }

// concat appends what has to be done in order, such as bits, whose bytes parts share, and gives the
// rest behind left: where that lies is known by then.
func (c *Column) concat(parts []Range, left []func()) []func() {
	nrows := 0
	for _, p := range parts {
		nrows += p.To - p.From
	}
	switch c.Form.Buffers {
	case Bits, Tokens:
		for _, p := range parts {
			c.AppendRows(p.Of, p.From, p.To)
		}
		return left
	case Texts:
		var texts []Range
		left, texts = c.concatOffsets(parts, nrows, len(c.Data), left)
		nbytes := 0
		for _, p := range texts {
			nbytes += p.To - p.From
		}
		at := len(c.Data)
		c.Data = c.Grow(c.Data, nbytes)
		for _, p := range texts {
			left = append(left, copies(c.Data[at:], p.Of.Data[p.From:p.To])...)
			at += p.To - p.From
		}
	case Lists, Maps:
		var items []Range
		left, items = c.concatOffsets(parts, nrows, c.Children[0].Len, left)
		for i, child := range c.Children {
			theirs := make([]Range, len(items))
			for k, p := range items {
				theirs[k] = Range{p.Of.Children[i], p.From, p.To}
			}
			left = child.concat(theirs, left)
		}
	default:
		w, at := c.Form.Width, len(c.Fixed)
		c.Fixed = c.Grow(c.Fixed, nrows*w)
		for _, p := range parts {
			left = append(left, copies(c.Fixed[at:], p.Of.Fixed[p.From*w:p.To*w])...)
			at += (p.To - p.From) * w
		}
	}
	for _, p := range parts {
		c.appendValid(p.Of, p.From, p.To)
	}
	return left
}

// concatOffsets makes room for the offsets of all rows, the first of which follows base, and gives
// the work of appending them, and which bytes or items of the parts they mean.
func (c *Column) concatOffsets(parts []Range, nrows, base int, left []func()) ([]func(), []Range) {
	at, to := make([]Range, len(parts)), c.GrowOffsets(nrows)
	for i, p := range parts {
		offsets := p.Of.Offsets[p.From : p.To+1]
		lo, hi := int(offsets[0]), int(offsets[len(offsets)-1])
		at[i] = Range{p.Of, lo, hi}
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
