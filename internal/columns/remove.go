package columns

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Packer puts those of nrows values of so many bytes side by side that stay, of each of which stay has a bit. It does
// so as far as it can, for the first done of them, of which so many stay.
type Packer func(values unsafe.Pointer, width int, stay []uint64, nrows int) (stayed, done int)

// Removal are rows that are taken out of several columns.
type Removal struct {
	Rows []int // which grow
	stay []uint64
	pack Packer
}

// fewRemoved rows are taken out as fast without a Packer.
const fewRemoved = 4

// Prepare is called after Rows has been filled, from nrows rows; pack may be nil.
func (r *Removal) Prepare(nrows int, pack Packer) {
	if r.pack = pack; pack == nil || len(r.Rows) < fewRemoved {
		r.pack = nil
		return
	}
	nwords := (nrows + 63) / 64
	if cap(r.stay) < nwords {
		r.stay = make([]uint64, nwords)
	}
	r.stay = r.stay[:nwords]
	for i := range r.stay {
		r.stay[i] = ^uint64(0)
	}
	for _, row := range r.Rows {
		r.stay[row>>6] &^= 1 << (row & 63)
	}
}

// Pack takes r.Rows out of values, one for each of the rows that r is prepared for, and gives those that stay.
func (r *Removal) Pack(values []uint32) []uint32 {
	stayed, done := r.Rows[0], r.Rows[0]
	if r.pack != nil {
		stayed, done = r.pack(unsafe.Pointer(unsafe.SliceData(values)), 4, r.stay, len(values))
	}
	for _, row := range r.Rows {
		if row >= done {
			stayed += copy(values[stayed:], values[done:row])
			done = row + 1
		}
	}
	return values[:stayed+copy(values[stayed:], values[done:])]
}

// RemoveAll is Remove of r.Rows, of the rows from first on that r is prepared for, which are the last.
func (c *Column) RemoveAll(first int, r *Removal) { c.remove(first, r.Rows, r) }

// Remove takes rows out of c: those of number first and rows[0], rows[1], and so
// on, which grow. The rows after each move up.
func (c *Column) Remove(first int, rows []int) { c.remove(first, rows, nil) }

func (c *Column) remove(first int, rows []int, r *Removal) {
	if len(rows) == 0 {
		return
	}
	n := c.Len - len(rows)
	switch c.Form.Buffers {
	case Bits:
		c.Fixed = RemoveBits(c.Fixed, c.Len, first, rows)
	case Texts:
		if r == nil || !c.packEmpty(first, r) {
			c.Data = c.Data[:c.removeTexts(first, rows)]
		}
		c.Offsets = c.Offsets[:n+1]
	case Lists, Maps:
		c.removeChildren(first, rows)
		c.Offsets = c.Offsets[:n+1]
	default:
		if r == nil || r.pack == nil || !c.packFixed(first, r) {
			c.removeFixed(first, rows)
		}
	}
	nulls := c.nullsOf(first, rows)
	if nulls == c.nullsFrom(first+rows[0]) { // what stays from there on is valid
		if nulls > 0 {
			fillBits(c.Valid, first+rows[0], c.Len-first-rows[0])
		}
		c.Valid = cutBits(c.Valid, n)
	} else {
		c.Valid = RemoveBits(c.Valid, c.Len, first, rows)
	}
	c.Nulls -= nulls
	c.Len = n
}

// nullsOf is how many of rows are null, counted from row first.
func (c *Column) nullsOf(first int, rows []int) (n int) {
	if c.Nulls == 0 {
		return 0
	}
	for _, row := range rows {
		i := first + row
		n += int(^c.Valid[i>>3] >> (i & 7) & 1)
	}
	return n
}

// nullsFrom is how many rows are null from one on.
func (c *Column) nullsFrom(row int) (n int) {
	if c.Nulls == 0 {
		return 0
	}
	for ; row < c.Len; row += loadable {
		k := min(c.Len-row, loadable)
		n += k - bits.OnesCount64(loadBits(c.Valid, row)&(1<<k-1))
	}
	return n
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

// packFixed is removeFixed by r, if it can.
func (c *Column) packFixed(first int, r *Removal) bool {
	w, nrows := c.Form.Width, c.Len-first
	word := r.Rows[0] >> 6 // what is before it stays where it is
	from, stay := first+word<<6, r.stay[word:]
	stayed, done := r.pack(unsafe.Pointer(unsafe.SliceData(c.Fixed[from*w:])), w, stay, nrows-word<<6)
	if done == 0 {
		return false
	}
	for to := from + stayed; done < nrows-word<<6; done++ {
		if stay[done>>6]>>(done&63)&1 != 0 {
			copy(c.Fixed[to*w:(to+1)*w], c.Fixed[(from+done)*w:])
			to++
		}
	}
	c.Fixed = c.Fixed[:(c.Len-len(r.Rows))*w]
	return true
}

// packEmpty is removeTexts by r of rows that are all empty, if they are: only their ends go.
func (c *Column) packEmpty(first int, r *Removal) bool {
	if r.pack == nil {
		return false
	}
	offsets, length := c.Offsets[first:c.Len+1], int32(0)
	for _, row := range r.Rows {
		length |= offsets[row+1] - offsets[row]
	}
	if length == 0 {
		r.Pack(unsafe.Slice((*uint32)(unsafe.Pointer(&offsets[1])), len(offsets)-1))
	}
	return length == 0
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

// MoveTexts moves the texts of rows from up to end to where others were that begin at row to, before them. What is behind
// those then counts no more: see Truncate.
func (c *Column) MoveTexts(from, end, to int) {
	if from == to || from == end {
		return
	}
	lo, hi, at := c.Offsets[from], c.Offsets[end], c.Offsets[to]
	copy(c.Data[at:], c.Data[lo:hi])
	c.moveOffsets(from, end, to, lo-at)
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

// RemoveBits is Remove for a bitmap of had bits, of which it takes out some.
func RemoveBits(b []byte, had, first int, rows []int) []byte {
	n := had - len(rows)
	for from, to := first+rows[0], first+rows[0]; from < had; {
		k := min(had-from, loadable)
		w, stay := loadBits(b, from), k
		for len(rows) > 0 && first+rows[0] < from+k {
			below := uint64(1)<<(first+rows[0]-from-(k-stay)) - 1
			w = w&below | w>>1&^below
			stay, rows = stay-1, rows[1:]
		}
		putBits(b, to, stay, w&(1<<stay-1))
		from, to = from+k, to+stay
	}
	return cutBits(b, n)
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
