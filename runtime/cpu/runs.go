package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/internal/symbols"
)

// This file reads records in which separators in a row are one: see dfa.Runs. A field ends where a run begins, and the
// next one begins behind the run, so both places are listed.
//
//	symbols    ␣␣Oslo␣␣␣1.2␣⏎Rome␣3⏎
//	begins       1      1    1    1
//	ends             1     1     1 1   where leading and trailing runs separate nothing
//	lasts                   1      1
//
//	begins     1 1      1   11    1
//	ends       1     1     111   1 1   where an empty field is before and behind them

// runs is what a marker has beside marks for records with runs.
type runs struct {
	lookup
	leading, trailing bool
	starts            []mark // starts[i] is where the data of the field begins that ends at marks[i]; there may be one more
	nstarts           int
	lines             []mark // lines[i+1] is the end of record i of those marked, lines[0] that of the record before

	emitter marker // of emit

	// Of a strip:
	begins, ends    [stripBlocks]uint64
	within          *[stripBlocks]uint64 // what is passed over
	quoted, doubled [stripBlocks]uint64  // ends of fields in quotes, and of those in which some are doubled

	plain   []plainColumn // masked.plain, of which the starts are the ends
	columns []scatterColumn
	kept    []mark // of withRest

	// What the blocks before leave to the next. 1 if the symbol before it …
	afterRecord uint64 // ended a record, or is of the run with which one begins, where that separates nothing
	afterRun    uint64 // is of a run
	afterOpen   uint64 // opens quotes
}

// reset is for symbols of other roles.
func (x *runs) reset(r *roles) {
	x.leading, x.trailing = r.runs.Leading, r.runs.Trailing
	x.lookup.reset(r)
}

// Where so many records come for one of these, they are read faster otherwise. Tests have other numbers.
var (
	fewRuns  = 16 // a run that is not one separator between two fields: by masks to which it is odd
	fewTurns = 8  // a record that has not as many of those as the one before, or doubled quotes: by hops
)

// many reports whether there are many runs in data, by the first symbols of it, at least a block. If alike, those do not
// count of which there are as many in the next record.
func (x *runs) many(k *marker, data []byte, alike bool) bool {
	n := min(len(data)/blockSize, stripBlocks)
	if n >= laneBlocks {
		n -= n % laneBlocks
	}
	of, _ := x.find(k, data[:n*blockSize])
	nruns, nrecords, turns, before := 0, 0, 0, uint64(1)
	passed, usual := 0, -1 // of the records up to the last, and in that
	for at, last := range of[recordRole][:n] {
		seps := of[fieldRole][at]
		in := seps&((seps|last)<<1|before) | last&(seps<<1)
		for set := last; set != 0; set &= set - 1 {
			own := nruns + bits.OnesCount64(in&(set^(set-1))) - passed
			if passed += own; own != usual && usual >= 0 {
				turns++
			}
			usual = own
		}
		quote := of[quoteRole][at]
		turns += bits.OnesCount64(quote & (quote << 1))
		nruns += bits.OnesCount64(in)
		nrecords += bits.OnesCount64(last)
		before = (seps | last) >> (blockSize - 1)
	}
	if alike {
		return turns*fewTurns > nrecords
	}
	return nruns*fewRuns > nrecords
}

// begin is for the beginning of a record.
func (x *runs) begin() { x.afterRecord, x.afterRun, x.afterOpen = 1, 0, 0 }

// keep leaves those starts that are behind mark number last, and forgets the records that were marked, of which the last
// ended at before.
func (x *runs) keep(last int, before mark) {
	x.nstarts = 1 + copy(x.starts[1:], x.starts[min(last+1, x.nstarts):x.nstarts])
	x.lines[0] = before
}

// stripRuns is strip for records with runs.
func (k *marker) stripRuns(src []byte, marks []mark, records []uint32) (read int) {
	x, n, offset := k.runs, len(src)/blockSize, mark(k.offset)
	of, none := x.find(k, src)
	found := *of
	passing := k.takePassed(of, n)
	if x.within = none; passing {
		x.within = &k.over.within
	}
	quotes := of[quoteRole] != none || k.quoted|k.afterQuote|k.afterQuoteReturn|k.doubled|x.afterOpen != 0
	for read < n && x.block(k, of, read, quotes, records) {
		read++
	}
	if passing {
		*of = found
		k.leavePassed(read)
	}
	if k.all == 0 {
		k.nmarks = k.nrecords + 1
		return read
	}
	k.nmarks += x.emit(marks[k.nmarks:], &x.ends, read, offset, quotes)
	x.nstarts += x.emit(x.starts[x.nstarts:], &x.begins, read, offset, false)
	return read
}

// emitGeneric writes the marks of the first n sets of a strip, and gives their number. If enclosed, they are ends of fields,
// some of which are in quotes.
func (x *runs) emitGeneric(marks []mark, sets *[stripBlocks]uint64, n int, offset mark, enclosed bool) int {
	nmarks := emit(marks, sets[:n], offset)
	if enclosed {
		enclose(marks, sets[:n], x.quoted[:], x.doubled[:])
	}
	return nmarks
}

// block reads block number at of a strip. It reports whether there is nothing odd in it, without which it does nothing.
// Without quotes there are none in the strip, nor left to it.
func (x *runs) block(k *marker, of *[nroles]*[stripBlocks]uint64, at int, quotes bool, records []uint32) bool {
	seps, last, returns, odd := of[fieldRole][at], of[recordRole][at], of[returnRole][at], of[oddRole][at]
	var quoted, opens, closes, afterQuote uint64
	if quotes {
		quote := of[quoteRole][at]
		quoted = symbols.PrefixXor(quote) ^ k.quoted
		opens, closes = quote&quoted, quote&^quoted
		afterQuote = closes<<1 | k.afterQuote
		seps, last, returns, odd = seps&^quoted, last&^quoted, returns&^quoted, odd&^quoted|of[oddQuotedRole][at]&quoted
	}
	behind := seps<<1 | x.afterRun
	next, run, spare := last<<1|x.afterRecord, seps, x.within[at] // the latter end no field
	if x.trailing {
		run |= returns & behind
		behind |= run << 1
		spare |= last & behind
	}
	first, leading, afterRecord := next, uint64(0), uint64(0)
	if x.leading { // the sum carries the begin of a record over the run there
		var sum uint64
		sum, afterRecord = bits.Add64(next, seps, 0)
		first, leading = sum&^seps, next
	}
	starts := behind &^ run
	begins, ends := (starts|first)&^spare, run&^behind&^leading|last&^spare
	odd |= of[oddFirstRole][at]&first | of[oddNextRole][at]&behind&^seps&^first
	odd |= (returns<<1 | k.afterReturn) &^ last
	var again uint64
	if quotes {
		again = opens & afterQuote & k.doubling
		odd |= opens&^(begins|again) | afterQuote&^(seps|last|returns|again)
		opens &= begins
		begins = begins&^opens | opens<<1 | x.afterOpen
	}
	if k.odd = odd; odd != 0 {
		return false
	}

	const top = blockSize - 1
	x.begins[at], x.ends[at] = begins, ends
	if quotes {
		inQuotes := (afterQuote | (afterQuote&returns)<<1 | k.afterQuoteReturn) & ends
		// A doubled quote is carried through what is no end, up to the next end.
		sum, doubled := bits.Add64(^ends, again, k.doubled)
		x.quoted[at], x.doubled[at] = inQuotes, sum&ends
		x.afterOpen = opens >> top
		k.anyDoubled |= sum & ends
		k.quoted, k.afterQuote, k.doubled = uint64(int64(quoted)>>top), closes>>top, doubled
		k.afterQuoteReturn = (afterQuote & returns) >> top
	}
	for set := last; set != 0; set &= set - 1 {
		records[k.nrecords] = uint32(k.number + bits.OnesCount64(ends&(set^(set-1))) - 1)
		k.nrecords++
		x.lines[k.nrecords] = mark(k.offset + bits.TrailingZeros64(set))
	}
	k.number += bits.OnesCount64(ends)
	k.offset += blockSize
	x.afterRecord, x.afterRun, k.afterRecord, k.afterReturn = last>>top|afterRecord, run>>top, last>>top, returns>>top
	k.anyReturn |= returns
	return true
}

// bind prepares for fields that go to columns.
func (x *runs) bind(columns []plainColumn, sink []uint32) {
	x.plain, x.columns = x.plain[:0], x.columns[:0]
	for _, c := range columns {
		x.plain = append(x.plain, plainColumn{start: sink, end: c.start})
		x.columns = append(x.columns, scatterColumn{start: &sink[0], end: &c.start[0]})
	}
}

// scatter fills the starts of rows of some of the columns. Those of the first row are behind starts[0].
func (x *runs) scatter(from, to int, starts []mark, first, nrows int, delta uint32) {
	scatter(x.plain[from:to], x.columns[from:to], starts, first, nrows, delta)
}
