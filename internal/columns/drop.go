package columns

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Drop takes the first n rows away. Values stay where they are, and the memory before
// them goes with the rest.
func (c *Column) Drop(n int) {
	if n == 0 {
		return
	}
	if c.Nulls == 0 { // one row's bit is like another's
		c.Valid = cutBits(c.Valid, c.Len-n)
	} else {
		_, nulls := appendBitRange(nil, 0, c.Valid, 0, n)
		c.Nulls -= nulls
		c.Valid = dropBits(c.Valid, c.Len, n)
	}
	switch c.Form.Buffers {
	case Bits:
		c.Fixed = dropBits(c.Fixed, c.Len, n)
	case Texts:
		behindOf(&c.whole.data, &c.Data, c.dropOffsets(n))
	case Lists, Maps:
		at := c.dropOffsets(n)
		for _, child := range c.Children {
			child.Drop(at)
		}
	default:
		behindOf(&c.whole.fixed, &c.Fixed, n*c.Form.Width)
	}
	c.Len -= n
}

// dropOffsets takes the first n offsets away, and makes the next the new 0. It
// is what that was before.
func (c *Column) dropOffsets(n int) int {
	at := c.Offsets[n]
	from := bytesOf(c.Offsets)[4*n:]
	c.Offsets = c.Offsets[:len(c.Offsets)-n]
	rebase(bytesOf(c.Offsets), from, at)
	return int(at)
}

// behindOf lets b begin n bytes further back in its memory, which is whole.
func behindOf(whole, b *[]byte, n int) {
	if *whole == nil {
		*whole = *b
	}
	*b = (*b)[n:]
}

// memoryOf is the memory of b, which is one of c's buffers and is to be replaced.
func (c *Column) memoryOf(b []byte) []byte {
	for _, whole := range []*[]byte{&c.whole.fixed, &c.whole.data} {
		if w := *whole; cap(w) > 0 && cap(b) > 0 && &w[:cap(w)][cap(w)-1] == &b[:cap(b)][cap(b)-1] {
			*whole = nil
			return w
		}
	}
	return b
}

// undrop gives c the memory of dropped rows again.
func (c *Column) undrop() {
	if c.whole.fixed != nil {
		c.Fixed, c.whole.fixed = c.whole.fixed, nil
	}
	if c.whole.data != nil {
		c.Data, c.whole.data = c.whole.data, nil
	}
}

// cutBits is the first n bits of a bitmap that has as many.
func cutBits(b []byte, n int) []byte {
	b = b[:(n+7)>>3]
	if n&7 != 0 {
		b[n>>3] &= 1<<(n&7) - 1
	}
	return b
}

// dropBits takes the first n bits of a bitmap of had bits away.
func dropBits(b []byte, had, n int) []byte {
	nbytes, shift := (had-n+7)>>3, n&7
	src := b[n>>3:]
	i := 0
	for ; i+8 < len(src); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], binary.LittleEndian.Uint64(src[i:])>>shift|uint64(src[i+8])<<(64-shift))
	}
	for ; i < nbytes; i++ {
		v := src[i] >> shift
		if i+1 < len(src) {
			v |= src[i+1] << (8 - shift)
		}
		b[i] = v
	}
	return b[:nbytes]
}

// behind is the Allocator of a buffer that begins within memory of another one,
// which is what is given back.
type behind struct {
	memory.Allocator
	whole []byte
}

// Free implements memory.Allocator.
func (b behind) Free([]byte) { b.Allocator.Free(b.whole) }
