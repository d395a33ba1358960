package convert

import (
	"math/bits"
	"unicode/utf8"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// This file makes columns of texts of what pairing finds without a list of places: the symbols of
// all keys of a block are put side by side at once, and those of all values. A lead of escapes is
// left out; rows that have other escapes go the longer way, and so do those with a key twice.

// packPairsGeneric puts the symbols of keys side by side, and those of values, and says where each ends,
// those of blocks from up to to.
func packPairsGeneric(b *pairBlocks, from, to int, src []byte, t *packedPairs) {
	keys := textPacker{data: unsafe.Pointer(t.keys), ends: unsafe.Pointer(t.keyEnds), at: uintptr(t.keysAt), open: t.keyOpen}
	values := textPacker{data: unsafe.Pointer(t.values), ends: unsafe.Pointer(t.valueEnds), at: uintptr(t.valuesAt), open: t.valueOpen}
	var last [maskBlock + packStep]byte
	for i := from; i < to; i++ {
		base := b.base[i]
		text := unsafe.Pointer(unsafe.SliceData(src[base:]))
		if base+uint64(len(last)) > uint64(len(src)) {
			copy(last[:], src[base:])
			text = unsafe.Pointer(&last)
		}
		keys.block(text, b.places[0][i], b.places[1][i], 0)
		values.block(text, b.places[2][i], b.places[3][i], b.leads[i])
	}
	t.keyEnds, t.valueEnds = (*int32)(keys.ends), (*int32)(values.ends)
	t.keysAt, t.valuesAt = uint64(keys.at), uint64(values.at)
	t.keyOpen, t.valueOpen = keys.open, values.open
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
	// begin is told of rows that pack will be asked for.
	begin(c *Converter, f *Fields)
	// pack appends some rows of f from row i on to dst, whose converter is c and p, and gives how many;
	// ok is false if it stops before a row that is not for this.
	pack(p *nested, c *Converter, dst *columns.Column, f *Fields, i int, errs []FieldError) (rows int, ok bool, _ []FieldError)
}

// packAll appends rows of f from row i on to dst, as many as it can, and gives how many.
func (p *nested) packAll(c *Converter, dst *columns.Column, f *Fields, i int, errs []FieldError) (rows int, _ []FieldError) {
	p.alone = 0
	for i+rows < f.Len() {
		n, ok := 0, false
		n, ok, errs = p.packer.pack(p, c, dst, f, i+rows, errs)
		if rows += n; ok {
			continue
		}
		if rows-aloneCost*p.alone < packFew {
			p.unpack = min(2*p.unpack, packFew*batchRows)
		} else {
			p.unpack, p.tries = 1, tries{}
		}
		break
	}
	return rows, errs
}

// packFew rows are hardly worth to begin with.
const packFew = 16

// aloneCost is how many rows take as long otherwise as one among those that are packed which is read by itself.
const aloneCost = 8

func (x *pairing) begin(*Converter, *Fields) {}

// pack appends at most batchRows rows.
func (x *pairing) pack(p *nested, c *Converter, dst *columns.Column, f *Fields, i int, errs []FieldError) (rows int, ok bool, _ []FieldError) {
	m := p.maps
	pairs, blocks := x.mark(p, c, f, i, f.Len())
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
	areUTF8 := [2]bool{x.areUTF8(m, m.keys[0].converter, keys, base, from[0]), x.areUTF8(m, m.values.converter, values, base, from[1])}
	isUTF8 := areUTF8[0] && areUTF8[1]
	mended := !isUTF8 && m.unique.replaces
	if mended {
		clear(x.replaced[:rows])
		isUTF8 = (areUTF8[0] || x.mend(m.keys[0].converter, keys, base, from[0], x.ends)) &&
			(areUTF8[1] || x.mend(m.values.converter, values, base, from[1], x.ends))
	}
	good := x.settle(m, keys, values, base, isUTF8)
	if x.flawed {
		x.leaveOut(keys, values, base)
	}
	for _, k := range x.lone {
		values.SetNull(base + int(k))
	}
	if good < rows {
		x.moveRest(keys, values, base, good, nulls)
	}
	first := dst.Len
	appendRows(dst, base, x.ends[:good])
	for k, code := range x.codes[:good] {
		if !x.flawed && !mended {
			break
		}
		if code != OK {
			dst.SetNull(first + k)
			errs = append(errs, FieldError{first + k, code})
		} else if mended {
			x.noteMended(p, k, i+k)
		}
	}
	if good < rows {
		good, errs = x.packRest(p, c, dst, f, i, good, isUTF8, mended, errs)
	}
	return good, ok && good == rows, errs
}

// settle is how many rows of the batch are as most are, or have a fault, before the first that may be otherwise: it
// finds those with a key twice, where that is a fault. Keys that are the same stay so when what is no UTF-8 is replaced.
func (x *pairing) settle(m *maps, keys, values *columns.Column, base int, isUTF8 bool) (rows int) {
	for n := len(x.ends); rows < n; {
		to := x.flawless(rows)
		if rows < to {
			rows += m.like(keys, values, base, x.first(rows), x.ends[rows:to], isUTF8)
		}
		if rows < to {
			if m.unique.policy != dfa.NoDuplicates || !m.repeated(keys, base+int(x.first(rows)), base+int(x.ends[rows])) {
				break
			}
			x.codes[rows], x.flawed = DuplicateKey, true
		}
		rows = min(rows+1, n)
	}
	return rows
}

// flawless is the first row of the batch from one on that is known to have a fault, or its end.
func (x *pairing) flawless(row int) int {
	if !x.flawed {
		return len(x.ends)
	}
	for row < len(x.ends) && x.codes[row] == OK {
		row++
	}
	return row
}

// first is the number of the first pair of a row.
func (x *pairing) first(row int) int32 {
	if row == 0 {
		return 0
	}
	return x.ends[row-1]
}

// repeated reports whether a key is there twice among those of keys from one up to another.
func (m *maps) repeated(keys *columns.Column, from, to int) bool {
	m.unique.forget()
	for i := from; i < to; i++ {
		if k := keyOf(keys.Data[keys.Offsets[i]:keys.Offsets[i+1]]); m.unique.seen(&k) {
			return true
		}
	}
	return false
}

// leaveOut takes the pairs of rows with a fault out of the batch, which are valid and the last of keys and values, from
// pair base on.
func (x *pairing) leaveOut(keys, values *columns.Column, base int) {
	lone, left := x.lone[:0], x.lone
	to, end := int32(0), int32(0) // of what stays, and of the rows so far
	for row := 0; row < len(x.ends); {
		from, less := end, end-to
		for ; row < len(x.ends) && x.codes[row] == OK; row++ {
			end = x.ends[row]
			x.ends[row] -= less
		}
		for len(left) > 0 && left[0] < end {
			lone, left = append(lone, left[0]-less), left[1:]
		}
		keys.MoveTexts(base+int(from), base+int(end), base+int(to))
		values.MoveTexts(base+int(from), base+int(end), base+int(to))
		to += end - from
		for ; row < len(x.ends) && x.codes[row] != OK; row++ {
			end = x.ends[row]
			x.ends[row] = to
		}
		for len(left) > 0 && left[0] < end {
			left = left[1:]
		}
	}
	x.lone = lone
	keys.Truncate(base+int(to), keys.Nulls)
	values.Truncate(base+int(to), values.Nulls)
}

// areUTF8 reports whether the texts of the batch are taken as they are. If others were mended before they are not, so that
// they are looked through once.
func (x *pairing) areUTF8(m *maps, c *Converter, texts *columns.Column, base, from int) bool {
	t := c.impl.(*text)
	return t.policy == dfa.KeepUTF8 || !(m.unique.replaces && t.expected) && validRows(texts, base, from, noUTF8)
}

// mend replaces what is no UTF-8 in texts of the batch, which are the rows of dst from base on, their bytes those
// from an offset on; ends are by row of the batch. What it replaces counts once it is known which rows stay. It
// reports whether there was room for all of that.
func (x *pairing) mend(c *Converter, dst *columns.Column, base, from int, ends []int32) bool {
	t := c.impl.(*text)
	before, errs := c.replaced, []FieldError(nil)
	t.replaced = t.replaced[:0]
	ok := t.mend(c, dst, base, from, &errs, 0)
	c.replaced = before
	k := 0
	for _, r := range t.replaced {
		for int(ends[k]) <= r.row {
			k++
		}
		x.replaced[k] += r.nbytes
	}
	return ok
}

// noteMended notes what mend has replaced in row k of the batch, which is row i.
func (x *pairing) noteMended(p *nested, k, i int) {
	if n := x.replaced[k]; n > 0 {
		p.maps.values.converter.replaced += n
		p.replaced = append(p.replaced, replacedRow{i, n})
	}
}

// like is how many rows are as most are, which have UTF-8 and no key twice, before the first that may not be. Their
// pairs begin at first and end at ends, from pair base on; isUTF8 if all of them are UTF-8.
func (m *maps) like(keys, values *columns.Column, base int, first int32, ends []int32, isUTF8 bool) int {
	if !isUTF8 {
		from := base + int(first)
		for k, end := range ends {
			to := base + int(end)
			if !validTexts(keys, from, to) || !validTexts(values, from, to) {
				ends = ends[:k]
				break
			}
			from = to
		}
	}
	if len(ends) == 0 {
		return 0
	}
	return m.keyed.distinctRows(keys, base, first, ends, true)
}

// validTexts reports whether the rows from up to to are UTF-8, each for itself.
func validTexts(c *columns.Column, from, to int) bool {
	if isASCII(c.Data[c.Offsets[from]:c.Offsets[to]]) {
		return true
	}
	for i := from; i < to; i++ {
		if !utf8.Valid(c.Data[c.Offsets[i]:c.Offsets[i+1]]) {
			return false
		}
	}
	return true
}

// appendRows appends rows to dst whose pairs are there, from number base on, and end at ends.
func appendRows(dst *columns.Column, base int, ends []int32) {
	dst.AppendValid(len(ends))
	offsets := dst.GrowOffsets(len(ends))
	for k, end := range ends {
		offsets[k] = int32(base) + end
	}
}

// moveRest takes the pairs of the rows from row from on out of keys and values, where they begin at base behind
// so many nulls, and keeps them.
func (x *pairing) moveRest(keys, values *columns.Column, base, from, nulls int) {
	first := x.first(from)
	for _, k := range x.lone {
		if k < first {
			nulls++
		}
	}
	for k, c := range []*columns.Column{keys, values} {
		rest := x.rest[k]
		if rest == nil {
			rest = (*columns.Pool)(nil).New(c.Form)
			x.rest[k] = rest
		}
		rest.Reset()
		rest.AppendRows(c, base+int(first), c.Len)
		rest.Data = rest.Grow(rest.Data, packSlack)[:len(rest.Data)]
	}
	keys.Truncate(base+int(first), keys.Nulls)
	values.Truncate(base+int(first), nulls)
	x.restEnds = x.restEnds[:0]
	for _, end := range x.ends[from:] {
		x.restEnds = append(x.restEnds, end-first)
	}
}

// packRest appends the rows that moveRest has kept, of which the first is not as most are: it and its like are read
// by themselves. It gives how many rows of the batch there are then, which is not all if such rows are many.
func (x *pairing) packRest(p *nested, c *Converter, dst *columns.Column, f *Fields, i, from int, isUTF8, mended bool, errs []FieldError) (rows int, _ []FieldError) {
	keys, values, rest, ends := dst.Children[0], dst.Children[1], x.rest, x.restEnds
	alone := 0
	for k := 0; k < len(ends); {
		row := i + from + k
		_, errs = p.appendBlock(c, dst, f, row, row+1, false, errs)
		first := ends[k]
		k++
		alone++
		p.alone++
		if alone >= packFew-1 && aloneCost*alone > k {
			return from + k, errs
		}
		n := 0
		if to := x.flawless(from+k) - from; k < to {
			n = p.maps.like(rest[0], rest[1], 0, first, ends[k:to], isUTF8)
		}
		if n == 0 {
			continue
		}
		to := int(ends[k+n-1])
		if !keys.Fits(rest[0], int(first), to) || !values.Fits(rest[1], int(first), to) {
			return from + k, errs
		}
		base := keys.Len - int(first)
		keys.AppendRows(rest[0], int(first), to)
		values.AppendRows(rest[1], int(first), to)
		appendRows(dst, base, ends[k:k+n])
		for ; n > 0; n-- {
			if mended {
				x.noteMended(p, from+k, i+from+k)
			}
			k++
		}
	}
	return from + len(ends), errs
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
