package cpu

import "slices"

// laneBlocks is the number of blocks of which vector code reads the masks at once,
// each in a lane of its own.
const laneBlocks = 8

// bitmaps are the masks of the blocks of a strip, as the code for AVX-512 has them
// on the way from symbols to marks:
//
//	classes     a byte a symbol: looked up
//	masks, of   bits by role: one mask a block
//	emit …      bits of ends: by logic on eight masks at once
//	marks       offsets: packed, block by block, of those that have ends
//
// The fields up to numbers are what the vector code is handed.
type bitmaps struct {
	of      [nroles]*[stripBlocks]uint64 // the symbols of each role
	present uint64                       // bit i: there are symbols of role i, or what they left to this strip
	some    [stripBlocks / 64]uint64     // the blocks in which there are ends
	lasts   [stripBlocks / 64]uint64     // and ends of records
	emit    [stripBlocks]uint64          // symbols that get a mark
	ends    [stripBlocks]uint64          // symbols that end fields
	records [stripBlocks]uint64          // or records
	quoted  [stripBlocks]uint64          // ends of fields in quotes
	other   [stripBlocks]uint64          // ends that get the other bit of a mark
	numbers [stripBlocks]uint64          // of the first end of a block

	classes [stripBlocks * blockSize]byte // of the symbols
	masks   [nroles][stripBlocks]uint64   // by key
	none    [stripBlocks]uint64
	keys    [nroles]byte // the bits of classes that roles have of those present
	nkeys   int
	bound   uint64 // the classes that the keys are made for
	symbols uint64 // present, without what is left

	hasQuotes, hasBrackets bool // or they left something to this strip
}

// bind prepares for the symbols of a strip that k is to read, among which there
// are those of some classes.
func (b *bitmaps) bind(k *marker, classes uint64) {
	if classes != b.bound || b.of[0] == nil {
		b.bindRoles(k.roles, classes)
	}
	b.some, b.lasts, b.present = [len(b.some)]uint64{}, [len(b.lasts)]uint64{}, b.symbols
	if k.afterReturn|k.afterQuoteReturn|k.afterBracketReturn != 0 {
		b.present |= 1 << returnRole
	}
	b.hasQuotes = b.symbols>>quoteRole&1|k.quoted|k.afterQuote|k.afterQuoteReturn|k.doubled != 0
	b.hasBrackets = b.symbols>>openRole&3|k.bracketed|k.afterBracket|k.afterBracketReturn != 0
}

// bindRoles finds the keys of the roles among some classes; roles that have the
// same share their masks.
func (b *bitmaps) bindRoles(r *roles, classes uint64) {
	b.bound, b.symbols, b.nkeys = classes, 0, 0
	for role := range b.of {
		key := r.bits[role] & byte(classes)
		if key == 0 {
			b.of[role] = &b.none
			continue
		}
		b.symbols |= 1 << role
		i := slices.Index(b.keys[:b.nkeys], key)
		if i < 0 {
			i = b.nkeys
			b.keys[i] = key
			b.nkeys++
		}
		b.of[role] = &b.masks[i]
	}
}

// cut leaves the ends of the first n blocks.
func (b *bitmaps) cut(n int) {
	for i := range b.some {
		keep := ^(^uint64(0) << max(0, min(n-i*64, 64)))
		b.some[i] &= keep
		b.lasts[i] &= keep
	}
}
