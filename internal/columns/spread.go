package columns

// Spread makes nulls stand between the last rows of Lists or Maps, from row first on: rows, in order, are what
// these become, and of n rows that there are then all others are null.
func (c *Column) Spread(first int, rows []int32, n int) {
	m := len(rows)
	c.AppendValid(n - m)
	c.GrowOffsets(n - m)
	ends := c.Offsets[first+1:][:n]
	empty := c.Offsets[first:] // where row i would end if nothing were in it
	for i := n - 1; m < i+1; i-- {
		if m == 0 || int(rows[m-1]) != i {
			ends[i] = empty[m]
			c.Valid[(first+i)>>3] &^= 1 << ((first + i) & 7)
			c.Nulls++
			continue
		}
		m--
		ends[i] = ends[m]
		bit := byte(1) << ((first + i) & 7)
		if at := &c.Valid[(first+i)>>3]; c.IsValid(first + m) {
			*at |= bit
		} else {
			*at &^= bit
		}
	}
}
