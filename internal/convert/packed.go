package convert

import (
	"math/bits"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// This file makes columns of texts of what pairing finds without a list of places: the symbols of
// all keys of a block are put side by side at once, and those of all values. A lead of escapes is
// left out; rows that have other escapes go the longer way, and so do those with a key twice.

// packPairsGeneric puts the symbols of keys side by side, and those of values, and says where each ends;
// there are some blocks of them.
func packPairsGeneric(b *pairBlocks, nblocks int, src []byte, t *packedPairs) {
	keys := textPacker{data: unsafe.Pointer(t.keys), ends: unsafe.Pointer(t.keyEnds), at: uintptr(t.keysAt)}
	values := textPacker{data: unsafe.Pointer(t.values), ends: unsafe.Pointer(t.valueEnds), at: uintptr(t.valuesAt)}
	var last [maskBlock + packStep]byte
	for i := range nblocks {
		base := b.base[i]
		text := unsafe.Pointer(unsafe.SliceData(src[base:]))
		if base+uint64(len(last)) > uint64(len(src)) {
			copy(last[:], src[base:])
			text = unsafe.Pointer(&last)
		}
		keys.block(text, b.places[0][i], b.places[1][i], 0)
		values.block(text, b.places[2][i], b.places[3][i], b.leads[i])
	}
	t.keysAt, t.valuesAt = uint64(keys.at), uint64(values.at)
}

// textPacker puts texts side by side, block by block.
type textPacker struct {
	data unsafe.Pointer // of bytes, so many of which are there,
	at   uintptr
	ends unsafe.Pointer // and of the next int32 that says where a text ends
	open uint64         // 1 if a text goes on in the next block
}

// packStep bytes are copied at once.
const packStep = 16

// block adds the symbols of texts that begin and end in a block, but for leads. Behind the block
// packStep bytes can be read.
func (p *textPacker) block(text unsafe.Pointer, starts, ends, leads uint64) {
	starts |= p.open
	at, to := p.at, p.ends
	for ; ends != 0; ends &= ends - 1 {
		from, end := uintptr(bits.TrailingZeros64(starts)), uintptr(bits.TrailingZeros64(ends))
		starts &= starts - 1
		if leads != 0 {
			at = p.copyWithout(leads, text, from, end, at)
		} else {
			at = p.copy(text, from, end, at)
		}
		*(*int32)(to) = int32(at)
		to = unsafe.Add(to, 4)
	}
	if p.open = 0; starts != 0 {
		p.open = 1
		at = p.copyWithout(leads, text, uintptr(bits.TrailingZeros64(starts)), maskBlock, at)
	}
	p.at, p.ends = at, to
}

// copy copies text[from:end] behind at bytes, and gives how many there are then.
func (p *textPacker) copy(text unsafe.Pointer, from, end, at uintptr) uintptr {
	src, dst := unsafe.Add(text, from), unsafe.Add(p.data, at)
	*(*[packStep]byte)(dst) = *(*[packStep]byte)(src)
	for i := uintptr(packStep); i < end-from; i += packStep {
		*(*[packStep]byte)(unsafe.Add(dst, i)) = *(*[packStep]byte)(unsafe.Add(src, i))
	}
	return at + end - from
}

// copyWithout is copy for all symbols but leads.
func (p *textPacker) copyWithout(leads uint64, text unsafe.Pointer, from, end, at uintptr) uintptr {
	for leads = leads >> from << from; leads != 0; leads &= leads - 1 {
		lead := uintptr(bits.TrailingZeros64(leads))
		if lead >= end {
			break
		}
		at = p.copy(text, from, lead, at)
		from = lead + 1
	}
	return p.copy(text, from, end, at)
}

// packSlack is what packPairs may write behind the bytes, and as many ends behind those.
const packSlack = 64

// packer puts the texts of maps into columns of texts.
type packer interface {
	// pack appends some rows of f from row i on to dst, whose converter is c and p, and gives how many;
	// ok is false if it stops before a row that is not for this.
	pack(p *nested, c *Converter, dst *columns.Column, f *Fields, i int, errs []FieldError) (rows int, ok bool, _ []FieldError)
}

// packAll appends rows of f from row i on to dst, as many as it can, and gives how many.
func (p *nested) packAll(c *Converter, dst *columns.Column, f *Fields, i int, errs []FieldError) (rows int, _ []FieldError) {
	for i+rows < f.Len() {
		n, ok := 0, false
		n, ok, errs = p.packer.pack(p, c, dst, f, i+rows, errs)
		if rows += n; ok {
			continue
		}
		if rows < packFew {
			p.unpack = min(2*p.unpack, packFew*batchRows)
		} else {
			p.unpack = max(p.unpack/2, 1)
		}
		break
	}
	return rows, errs
}

// packFew rows are hardly worth to begin with.
const packFew = 16

// pack appends at most batchRows rows.
func (x *pairing) pack(p *nested, c *Converter, dst *columns.Column, f *Fields, i int, errs []FieldError) (rows int, ok bool, _ []FieldError) {
	m := p.maps
	pairs, blocks := x.mark(c, f, i, f.Len(), true)
	rows, ok = len(x.ends), !x.stopped
	if rows == 0 {
		return 0, ok, errs
	}
	keys, values := dst.Children[0], dst.Children[1]
	nbytes, base, nulls := blocks*maskBlock, keys.Len, values.Nulls
	if len(keys.Data)+nbytes > columns.MaxData || len(values.Data)+nbytes > columns.MaxData || base+pairs > columns.MaxData {
		return 0, false, errs
	}
	from := [2]int{len(keys.Data), len(values.Data)}
	t := packedPairs{keysAt: uint64(from[0]), valuesAt: uint64(from[1])}
	t.keys, t.keyEnds = packInto(keys, pairs, nbytes)
	t.values, t.valueEnds = packInto(values, pairs, nbytes)
	packPairs(x.blocks, blocks, f.Src, &t)
	keys.Data, values.Data = keys.Data[:t.keysAt], values.Data[:t.valuesAt]
	utf8 := m.keys[0].converter.impl.(*text).policy == dfa.KeepUTF8 || validRows(keys, base, from[0], noUTF8) && validRows(values, base, from[1], noUTF8)
	first := pairs
	if differ := m.keyed.distinctRows(keys, base, x.ends); !utf8 || differ < rows {
		rows, ok, first = 0, false, 0
		if utf8 && differ > 0 {
			rows, first = differ, int(x.ends[differ-1])
		}
		keys.Truncate(base+first, keys.Nulls)
		values.Truncate(base+first, nulls)
	}
	for _, k := range x.lone {
		if int(k) < first {
			values.SetNull(base + int(k))
		}
	}
	dst.AppendValid(rows)
	offsets := dst.GrowOffsets(rows)
	for k := range offsets {
		offsets[k] = int32(base) + x.ends[k]
	}
	return rows, ok, errs
}

// packInto makes room for so many rows of c, which are valid, and so many bytes, and gives where
// its bytes begin, and the ends of the rows are to be.
func packInto(c *columns.Column, rows, nbytes int) (data *byte, ends *int32) {
	had := len(c.Offsets)
	ends = &c.GrowOffsets(rows + packSlack)[0]
	c.Offsets = c.Offsets[:had+rows]
	c.AppendValid(rows)
	all := c.Grow(c.Data, nbytes+packSlack)
	c.Data = all[:len(c.Data)]
	return &all[0], ends
}
