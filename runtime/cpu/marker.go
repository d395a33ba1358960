package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/internal/symbols"
)

//go:generate sh -c "cd asm && go run . -out ../kernels_amd64.s -stubs ../kernels_stub_amd64.go -pkg cpu"

// blockSize is the number of symbols that a mask has bits for.
const blockSize = symbols.Block

// A mark is where a field ends.
//
//	bit  31      30         29..0
//	     in      in         offset of the end, from a marker's base
//	     quotes  brackets
//
// Both bits: in quotes, of which some inside are doubled.
type mark uint32

const (
	markEnclosed = 30
	markQuoted   = mark(1) << 31
	markBracket  = mark(1) << 30
	markDoubled  = markQuoted | markBracket
	markOffset   = markBracket - 1

	// maxMarked bounds how far a marker goes from its base.
	maxMarked = 1 << 29
)

func (m mark) offset() int { return int(m & markOffset) }

// marker finds the ends of fields by masks: see dfa.Masks. It reads blocks, from
// the beginning of a record on, up to the first in which something is odd.
// The fields up to counts are what the vector code is handed.
type marker struct {
	src       *byte
	left      int     // blocks to read; afterwards how many were read
	marks     *mark   // gets the ends, beginning at nmarks
	records   *uint32 // gets the number of the last mark of each record
	nmarks    int
	nrecords  int
	all       uint64 // all ones, or 0: only the ends of records get a mark, but all have a number
	number    int    // of the mark that comes next
	offset    int    // of the next block from base
	doubling  uint64 // all ones if quotes may be doubled
	ledBare   uint64 // all ones if leads are some in bare fields
	ledQuotes uint64 // and in quotes

	// What the blocks before leave to the next. All ones if it is inside:
	quoted, bracketed uint64
	// 1 if the symbol before it …
	afterRecord, afterField  uint64 // ended a record, or another field
	afterQuote, afterBracket uint64 // closed an enclosure
	afterReturn              uint64 // is a return,
	afterQuoteReturn         uint64 // after a quote,
	afterBracketReturn       uint64 // after a bracket
	afterLead                uint64 // is a lead, where it is no matter in which field
	afterBlank               uint64 // would end a field if it were not in brackets
	doubled                  uint64 // 1 if quotes in the field so far are doubled

	// What there was: not 0 if
	anyDoubled uint64 // some marks are markDoubled
	anyReturn  uint64 // some ends of records are preceded by a return
	odd        uint64 // the next block has something odd, where there are bits

	// Of a block, for vector code: symbols that are not escaped, in quotes and elsewhere, and leads.
	unled, unledBare, leadsIn uint64

	*roles
	leads       *leads   // nil if there are no escapes
	bitmaps     *bitmaps // nil if there is no use for them
	nblocks     int      // to read; less afterwards if something is odd, or no room is left
	maxMarks    int      // stop where more might come
	inGo        *strips  // nil if there is no use for them
	runs        *runs    // nil if separators in a row are several
	passes      bool     // records that begin with one of OddFirst may be passed over, see dfa.Masks,
	passing     int      // and are, in so many blocks,
	inGoAtOnce  int      // of which so many are read at once where others are not read in Go,
	sincePassed int      // so many of which came since
	over        *passed  // nil until some are
	afterPassed uint64   // 1 if the symbol before a block is of such a record
}

// stripBlocks is how many blocks are read before it is asked again whether there
// is room for their marks: as many as a set of them has bits.
const stripBlocks = 64

// marksRoom is how many marks are written beyond maxMarks, at most.
const marksRoom = (stripBlocks + 1) * blockSize

// run reads the next blocks of data, as many as k.nblocks says. What is less than
// eight blocks is a strip of its own.
func (k *marker) run(data []byte, marks []mark, records []uint32) {
	k.runBy((*marker).strip, data, marks, records)
}

// runInGo is run without vector code.
func (k *marker) runInGo(data []byte, marks []mark, records []uint32) {
	k.runBy((*marker).stripGeneric, data, marks, records)
}

// runBy is run, of which read reads a strip where separators in a row are not one.
func (k *marker) runBy(read func(*marker, []byte, []mark, []uint32) int, data []byte, marks []mark, records []uint32) {
	all := k.roles
	if k.runs != nil {
		read = (*marker).stripRuns
	} else if k.passes && all.blankless != nil {
		k.roles = all.blankless
	}
	if k.bitmaps != nil {
		k.bitmaps.renew(k.roles, k.nblocks)
	}
	n := k.nblocks
	for k.nblocks = 0; k.nblocks < n && k.odd == 0 && max(k.nmarks, k.nrecords) <= k.maxMarks; { // records that are passed over may have no mark
		strip := min(n-k.nblocks, stripBlocks)
		if strip >= laneBlocks {
			strip -= strip % laneBlocks
		}
		src, from := data[k.nblocks*blockSize:], k.offset
		if k.passing == 0 {
			k.sincePassed += strip
		}
		k.nblocks += read(k, src[:strip*blockSize], marks, records)
		if k.leads != nil && k.leads.n > 0 {
			k.leads.note(src, from, &k.wrong)
		}
	}
	if k.oddIsPassed(data) {
		k.oddPassed()
	}
	k.roles = all
}

// oddIsPassed reports whether something is odd in the next block of data that begins what is passed over.
func (k *marker) oddIsPassed(data []byte) bool {
	return k.odd != 0 && k.passes && k.sets[oddFirstRole].Has(data[k.nblocks*blockSize+bits.TrailingZeros64(k.odd)])
}

// begin makes the marker read from the beginning of a record on, which is base+1.
func (k *marker) begin() {
	k.quoted, k.bracketed, k.afterField, k.afterQuote, k.afterBracket = 0, 0, 0, 0, 0
	k.afterReturn, k.afterQuoteReturn, k.afterBracketReturn, k.doubled = 0, 0, 0, 0
	k.afterRecord, k.afterBlank, k.afterLead, k.afterPassed = 1, 1, 0, 0
	if k.leads != nil {
		k.leads.n, k.leads.fields, k.leads.passed = 0, k.leads.fields[:0], 0
	}
	if k.runs != nil {
		k.runs.begin()
	}
	k.anyDoubled, k.anyReturn, k.odd = 0, 0, 0
	k.offset = 1
}
