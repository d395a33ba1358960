package columns

// This file has memory ready before rows come: to grow means to copy.

// Capacity is the memory that a Column takes.
type Capacity struct {
	sizes
	children []Capacity
}

// sizes are those of buffers, in bytes.
type sizes struct{ valid, fixed, offsets, data int }

// Capacity is what c's last Array took.
func (c *Column) Capacity() Capacity {
	r := Capacity{sizes: c.last}
	for _, child := range c.Children {
		r.children = append(r.children, child.Capacity())
	}
	return r
}

// And is r and such a part of it more.
func (r Capacity) And(part float64) Capacity {
	plus := func(n int) int { return n + int(float64(n)*part) }
	sum := Capacity{sizes: sizes{valid: plus(r.valid), fixed: plus(r.fixed), offsets: plus(r.offsets), data: plus(r.data)}}
	for _, child := range r.children {
		sum.children = append(sum.children, child.And(part))
	}
	return sum
}

// CapacityFor is what so many rows take that are like those that c has.
func (c *Column) CapacityFor(rows int) Capacity { return c.capacityFor(c.Len, rows) }

func (c *Column) capacityFor(n, of int) Capacity {
	r := Capacity{sizes: sizes{fixed: more(c.Fixed, n, of), offsets: more(bytesOf(c.Offsets), n, of), data: more(c.Data, n, of)}}
	for _, child := range c.Children {
		r.children = append(r.children, child.capacityFor(n, of))
	}
	return r
}

// Reserve gives c, which is empty, as much memory, and a little more.
func (c *Column) Reserve(r Capacity) {
	c.atLeast(&c.Valid, r.valid)
	c.atLeast(&c.Fixed, r.fixed+r.fixed/16)
	c.atLeast(&c.Data, r.data+r.data/8)
	if n := r.offsets + r.offsets/16; len(c.Offsets) > 0 && 4*cap(c.Offsets) < n && c.pool.spares(n) {
		had := bytesOf(c.Offsets)
		b := c.pool.Allocate(n)
		c.Offsets = ValuesOf[int32](b[:cap(b)])[:1]
		c.pool.Free(had)
		c.Offsets[0] = 0
	}
	for i := range r.children {
		c.Children[i].Reserve(r.children[i])
	}
}

// atLeast gives b, which is one of c's buffers, so much memory, if that can be spared.
func (c *Column) atLeast(b *[]byte, n int) {
	if had := *b; cap(had) < n && c.pool.spares(n) {
		*b = c.pool.Allocate(n)[:0]
		c.pool.Free(had)
	}
}

// Expect gives c memory for of rows that are like the n that it has. Of as many
// or fewer it has them already.
func (c *Column) Expect(n, of int) {
	if of <= n || !c.pool.spares(more(c.Data, n, of)+more(c.Fixed, n, of)) {
		return
	}
	c.Fixed = c.Grow(c.Fixed, more(c.Fixed, n, of)-len(c.Fixed))[:len(c.Fixed)]
	c.Data = c.Grow(c.Data, more(c.Data, n, of)-len(c.Data))[:len(c.Data)]
	if had := len(c.Offsets); had > 0 {
		c.GrowOffsets(more(bytesOf(c.Offsets), n, of)/4 - had)
		c.Offsets = c.Offsets[:had]
	}
	for _, child := range c.Children {
		child.Expect(n, of)
	}
}

// more is what a buffer of n rows takes with of rows, and a little more than
// that, but at most sixteen times as much, and no less than it has.
func more(b []byte, n, of int) int { return min(len(b)*max(of, n)/n+len(b)/8, 16*len(b)) }
