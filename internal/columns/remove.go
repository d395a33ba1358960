package columns

import (
	"encoding/binary"
	"unsafe"
)

// Remove takes rows out of c: those of number first and rows[0], rows[1], and so
// on, which grow. The rows after each move up.
func (c *Column) Remove(first int, rows []int) {
	if len(rows) == 0 {
		return
	}
	n := c.Len - len(rows)
	switch c.Form.Buffers {
	case Bits:
		c.Fixed, _ = removeBits(c.Fixed, c.Len, first, rows)
	case Texts:
		c.Data = c.Data[:c.removeTexts(first, rows)]
		c.Offsets = c.Offsets[:n+1]
	case Lists, Maps:
		c.removeChildren(first, rows)
		c.Offsets = c.Offsets[:n+1]
	default:
		c.removeFixed(first, rows)
	}
	if c.Nulls == 0 {
		c.Valid = c.Valid[:(n+7)>>3]
		if n&7 != 0 {
			c.Valid[n>>3] &= 1<<(n&7) - 1
		}
	} else {
		var nulls int
		c.Valid, nulls = removeBits(c.Valid, c.Len, first, rows)
		c.Nulls -= nulls
	}
	c.Len = n
}

// runs gives what stays after each of the rows that are removed, from through
// end-1, and where it goes.
func runs(length, first int, rows []int, yield func(from, end, to int)) {
	to := first + rows[0]
	for i, row := range rows {
		from, end := first+row+1, length
		if i+1 < len(rows) {
			end = first + rows[i+1]
		}
		if from < end {
			yield(from, end, to)
			to += end - from
		}
	}
}

func (c *Column) removeFixed(first int, rows []int) {
	w := c.Form.Width
	runs(c.Len, first, rows, func(from, end, to int) { copy(c.Fixed[to*w:], c.Fixed[from*w:end*w]) })
	c.Fixed = c.Fixed[:(c.Len-len(rows))*w]
}

// removeTexts gives how many bytes stay.
func (c *Column) removeTexts(first int, rows []int) int {
	at := c.Offsets[first+rows[0]]
	runs(c.Len, first, rows, func(from, end, to int) {
		lo, hi := c.Offsets[from], c.Offsets[end]
		if lo != at { // what was removed so far had text
			copy(c.Data[at:], c.Data[lo:hi])
		}
		c.moveOffsets(from, end, to, lo-at)
		at += hi - lo
	})
	return int(at)
}

// moveOffsets moves the ends of the rows from through end-1, and makes them less.
func (c *Column) moveOffsets(from, end, to int, less int32) {
	src := c.Offsets[from+1 : end+1]
	dst := c.Offsets[to+1:][:len(src)]
	if less == 0 {
		copy(dst, src)
		return
	}
	if n := len(src) &^ 1; n > 0 { // two at a time: no offset becomes negative, so that none borrows of the other
		from, to := unsafe.Pointer(&src[0]), unsafe.Pointer(&dst[0])
		for i := 0; i < n; i += 2 {
			*(*uint64)(unsafe.Add(to, 4*i)) = *(*uint64)(unsafe.Add(from, 4*i)) - uint64(less)*(1<<32+1)
		}
		src, dst = src[n:], dst[n:]
	}
	for i, o := range src {
		dst[i] = o - less
	}
}

func (c *Column) removeChildren(first int, rows []int) {
	var gone []int
	for _, row := range rows {
		for i := c.Offsets[first+row]; i < c.Offsets[first+row+1]; i++ {
			gone = append(gone, int(i))
		}
	}
	at := c.Offsets[first+rows[0]]
	runs(c.Len, first, rows, func(from, end, to int) {
		lo, hi := c.Offsets[from], c.Offsets[end]
		c.moveOffsets(from, end, to, lo-at)
		at += hi - lo
	})
	for _, child := range c.Children {
		child.Remove(0, gone)
	}
}

// removeBits is Remove for a bitmap of had bits. It counts the bits removed that
// were 0.
func removeBits(b []byte, had, first int, rows []int) ([]byte, int) {
	zeros := 0
	for _, row := range rows {
		i := first + row
		zeros += int(^b[i>>3] >> (i & 7) & 1)
	}
	runs(had, first, rows, func(from, end, to int) {
		for from < end {
			k := min(end-from, 56)
			putBits(b, to, k, loadBits(b, from))
			from, to = from+k, to+k
		}
	})
	n := had - len(rows)
	b = b[:(n+7)>>3]
	if n&7 != 0 {
		b[n>>3] &= 1<<(n&7) - 1
	}
	return b, zeros
}

// putBits makes the n bits from bit i on, at most 56, those of w.
func putBits(b []byte, i, n int, w uint64) {
	p, mask := b[i>>3:], uint64(1<<n-1)<<(i&7)
	w <<= i & 7
	if len(p) >= 8 {
		binary.LittleEndian.PutUint64(p, binary.LittleEndian.Uint64(p)&^mask|w&mask)
		return
	}
	for k := 0; mask != 0; k++ {
		p[k] = p[k]&^byte(mask) | byte(w&mask)
		w, mask = w>>8, mask>>8
	}
}
