package columns

// Spread makes nulls stand between the last rows, from row first on: rows, in order, are what
// these become, and of n rows that there are then all others are null.
func (c *Column) Spread(first int, rows []int32, n int) {
	m := len(rows)
	c.AppendValid(n - m)
	c.spreadValid(first, rows, n)
	switch c.Form.Buffers {
	case Texts, Lists, Maps:
		c.GrowOffsets(n - m)
		spreadEnds(c.Offsets[first:][:n+1], rows)
	case Bits:
		c.Fixed = GrowBits(c.Fixed, first+m, n-m)
		spreadBits(c.Fixed, first, rows)
	default:
		w := c.Form.Width
		c.Fixed = c.Grow(c.Fixed, (n-m)*w)
		values := c.Fixed[first*w:][:n*w]
		switch w {
		case 1:
			spreadValues(values, rows)
		case 2:
			spreadValues(ValuesOf[uint16](values), rows)
		case 4:
			spreadValues(ValuesOf[uint32](values), rows)
		case 8:
			spreadValues(ValuesOf[uint64](values), rows)
		default:
			clear(values[m*w:])
			for k := m - 1; k >= 0 && int(rows[k]) > k; k-- {
				copy(values[int(rows[k])*w:][:w], values[k*w:])
				clear(values[k*w:][:w])
			}
		}
	}
}

// spreadValid makes the rows from row first on valid that were before they were spread, 32 at a time from the last on:
// those that are looked at are not behind these.
func (c *Column) spreadValid(first int, rows []int32, n int) {
	const some = 32
	c.Nulls += n - len(rows)
	k := len(rows)
	for from := (n - 1) / some * some; from >= 0; from -= some {
		all, valid := uint64(1)<<min(some, n-from)-1, uint64(0)
		for k > 0 && int(rows[k-1]) >= from {
			k--
			i := first + k
			valid |= uint64(c.Valid[i>>3]>>(i&7)&1) << (int(rows[k]) - from)
		}
		clearBits(c.Valid, first+from, all)
		orBits(c.Valid, first+from, valid)
	}
}

// spreadValues moves values to their rows, the last one first, as none moves to before where it was.
func spreadValues[T any](values []T, rows []int32) {
	var zero T
	clear(values[len(rows):])
	for k := len(rows) - 1; k >= 0 && int(rows[k]) > k; k-- {
		v := values[k]
		values[k] = zero
		values[rows[k]] = v
	}
}

// spreadBits is spreadValues for the bits of b from row first on; those behind rows are 0.
func spreadBits(b []byte, first int, rows []int32) {
	for k := len(rows) - 1; k >= 0 && int(rows[k]) > k; k-- {
		i, to := first+k, first+int(rows[k])
		bit := b[i>>3] >> (i & 7) & 1
		b[i>>3] &^= 1 << (i & 7)
		b[to>>3] |= bit << (to & 7)
	}
}

// spreadEnds is spreadValues for offsets: rows without a value end where they begin.
func spreadEnds(offsets []int32, rows []int32) {
	ends := offsets[1:]
	next := len(ends)
	for k := len(rows) - 1; k >= 0; k-- {
		row := int(rows[k])
		fill(ends[row:next], ends[k])
		next = row
	}
	fill(ends[:next], offsets[0])
}

// fill sets all of to, first a few, and then as many again as there are.
func fill(to []int32, value int32) {
	const few = 16
	for i := range min(few, len(to)) {
		to[i] = value
	}
	for n := few; n < len(to); n *= 2 {
		copy(to[n:], to[:n])
	}
}
