package cpu

import (
	"math/bits"
	"slices"
)

// laneBlocks is the number of blocks of which vector code reads the masks at once,
// each in a lane of its own.
const laneBlocks = 8

// bitmaps are the masks of the blocks of a strip, as the code for AVX-512 has them
// on the way from symbols to marks:
//
//	masks, of   bits by role: one mask a block
//	emit …      bits of ends: by logic on eight masks at once
//	marks       offsets: packed, block by block, of those that have ends
//
// The fields up to numbers are what the vector code is handed.
type bitmaps struct {
	of      [nroles]*[stripBlocks]uint64 // the symbols of each role
	present uint64                       // bit i: there are symbols of role i, or what they left to this strip
	some    uint64                       // bit i: there are ends in block i
	lasts   uint64                       // and ends of records
	emit    [stripBlocks]uint64          // symbols that get a mark
	ends    [stripBlocks]uint64          // symbols that end fields
	records [stripBlocks]uint64          // or records
	quoted  [stripBlocks]uint64          // ends of fields in quotes
	other   [stripBlocks]uint64          // ends that get the other bit of a mark
	leads   [stripBlocks]uint64          // in fields, if hasLeads
	numbers [stripBlocks]uint64          // of the first end of a block

	masks  [nroles][stripBlocks]uint64 // by key
	none   [stripBlocks]uint64
	keys   [nroles]byte // the bits that roles have of the classes that are looked for
	nkeys  int
	wanted uint8  // the classes that are looked for
	seen   uint8  // those of the strips since they were renewed,
	read   int    // and how many blocks these have
	last   uint8  // those of the last strip
	roles  uint64 // of these

	hasQuotes, hasBrackets, hasLeads bool // or they left something to this strip
}

// reset is for symbols of other roles, of which none has been seen.
func (b *bitmaps) reset(r *roles) {
	*b = bitmaps{}
	b.want(r, 0)
}

// want makes the masks those of some classes; roles that have the same of them
// share their masks.
func (b *bitmaps) want(r *roles, classes uint8) {
	b.wanted, b.nkeys = classes, 0
	for role := range b.of {
		key := r.bits[role] & classes
		if key == 0 {
			b.of[role] = &b.none
			continue
		}
		i := slices.Index(b.keys[:b.nkeys], key)
		if i < 0 {
			i = b.nkeys
			b.keys[i] = key
			b.nkeys++
		}
		b.of[role] = &b.masks[i]
	}
}

// renewal is after how many blocks classes are forgotten.
const renewal = 256

// renew forgets classes that have not been seen for a while, before n blocks are read.
func (b *bitmaps) renew(r *roles, n int) {
	if b.read < renewal {
		b.read += n
		return
	}
	if b.seen != b.wanted {
		b.want(r, b.seen)
	}
	b.seen, b.read = 0, n
}

// begin prepares for a strip with symbols of some classes that k is to read.
func (b *bitmaps) begin(k *marker, classes uint8) {
	if b.seen |= classes; classes != b.last {
		b.last, b.roles = classes, 0
		for role, bits := range k.bits[:nroles] {
			if bits&classes != 0 {
				b.roles |= 1 << role
			}
		}
	}
	b.some, b.lasts, b.present = 0, 0, b.roles
	if k.afterReturn|k.afterQuoteReturn|k.afterBracketReturn != 0 {
		b.present |= 1 << returnRole
	}
	b.hasLeads = b.roles>>leadRole&1|k.afterLead != 0
	b.hasQuotes = b.roles>>quoteRole&1|k.quoted|k.afterQuote|k.afterQuoteReturn|k.doubled != 0
	b.hasBrackets = b.roles>>openRole&3|k.bracketed|k.afterBracket|k.afterBracketReturn != 0
}

// note notes the leads in the first n blocks of a strip, that begins at offset, and whose first mark has
// a number.
func (b *bitmaps) note(l *leads, n, number, offset int) {
	for i, leads := range b.leads[:n] {
		if leads != 0 {
			l.blocks[l.n] = ledBlock{leads, b.ends[i], number, offset + i*blockSize}
			l.n++
		}
		number += bits.OnesCount64(b.ends[i])
	}
}

// cut leaves the ends of the first n blocks.
func (b *bitmaps) cut(n int) {
	b.some &= 1<<n - 1
	b.lasts &= 1<<n - 1
}

// cutAt leaves the ends of the first n blocks, and of the next those before the first of some symbols.
func (b *bitmaps) cutAt(n int, symbols uint64) {
	before := symbols&-symbols - 1
	b.ends[n], b.records[n], b.emit[n] = b.ends[n]&before, b.records[n]&before, b.emit[n]&before
	b.cut(n)
	b.some |= min(b.ends[n], 1) << n
	b.lasts |= min(b.records[n], 1) << n
}

// without takes the symbols before one of a block out of it, and gives what was there.
func (b *bitmaps) without(block int, first uint) (whole [nroles]uint64) {
	for i := range b.masks[:b.nkeys] {
		mask := &b.masks[i][block]
		whole[i], *mask = *mask, *mask>>first<<first
	}
	return whole
}

// restore makes a block what it was.
func (b *bitmaps) restore(block int, whole *[nroles]uint64) {
	for i := range b.masks[:b.nkeys] {
		b.masks[i][block] = whole[i]
	}
}
