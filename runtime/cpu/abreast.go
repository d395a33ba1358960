package cpu

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// Where most records take the same path, they are read side by side: a hop of all of
// them, and then the next. Nothing that one record does has to wait for another, and
// what is known of a hop is loaded once.
//
//	      hop 1    hop 2   hop 3
//	a     ──────▶  ─────▶  ────▶
//	b     ───▶     ──▶     ─────▶
//	c     ────▶    ✗                a stray: it is read by itself afterwards
//
// Records are taken to begin behind line feeds. Whether each ends where the next
// begins is checked afterwards. A record keeps its row, whichever way it is read.

// maxAbreast is how many records are read side by side.
const maxAbreast = 256

// maxPath bounds the hops of a path.
const maxPath = 512

// How many paths are tried, one after the other: of records of several shapes, each of which has its own, and of others.
const maxPaths, fewPaths = 16, 6

// Records that are read one by one before a path is looked for: the first, and one
// more after it was of no use.
var warmRecords = 64 // less in tests

const warmAgain = 4096

// path is hops from the beginning of a record to its end.
type path struct {
	hops   []pathHop
	next   []int32  // what stands behind each of the hops
	passed []uint32 // places that a record has gone by, at least, before each of the hops
	last   *recordLast
	ended  int // records that took it
	joint  joint
	series []series
	byways []byway
	tried  int // records that were to take a series, of late
	// Of each path before it: how many hops they have in common.
	common [maxPaths]int
}

// pathHop is a hop of a path, and whether its run must not be empty: see runLead.
type pathHop struct {
	hop     int32
	lead    bool
	watched uint8 // so many times it is looked whether records leave there, see rejoin
	slow    bool  // it is in no series, as too many records
	halted  int   // did not take one that it was in

	looked bool    // whether most records go over
	over   []uint8 // places of these groups in its run
}

func (x pathHop) is(of pathHop) bool { return x.hop == of.hop && x.lead == of.lead }

// abreast is records side by side.
type abreast struct {
	records int
	start   [maxAbreast + 17]uint32 // offsets in the window; one more says where the last ends
	first   [maxAbreast + 17]uint32 // the first place of each
	end     [maxAbreast]uint32      // their boundaries, noEnd as long as it is not known
	skips   bool                    // some lines looked like records and are further lines:
	next    [maxAbreast]uint32      // then this one begins behind a record, unless it is 0
	shape   [maxAbreast]uint8       // see rowPlace
	passes  bool                    // some lines, or what is left of them, are passed over:
	passed  [maxAbreast]uint32      // then from here on, unless it is noEnd
	dropped bool                    // some lines have been left out, see drop
	others  [maxAbreast / 16]uint16 // see takeGeneric

	// Lines that have been joined to the first line of a record, see joint.
	joining   bool   // lines have been looked at for it
	joint     uint32 // the state in which they are, as a row,
	crlf      bool   // and whether they end in CR LF
	further   [maxAbreast + 1]furtherLines
	lineEnd   [maxAbreast + 1]uint32 // of the first line of a record with joinedLines
	lineStart [maxLines + 17]uint32  // of all lines
	lineFirst [maxLines + 17]uint32

	// Those that take a path.
	walkers
	whole    bool // they are all of those abreast, in order
	leap     leap
	inSeries seriesLeap
	// Where the runs of a hop end, see advance.
	reached [maxAbreast]uint32
	found   [maxAbreast]uint32 // the place there

	// Those that have left one.
	strays walkers
	ran    [maxAbreast]uint8 // the path they left

	waiting    int     // records that wait for the others, see rejoin
	halted     []uint8 // those that have not taken a series
	haltedSets [maxAbreast / 64]uint64
	gone       gone
	rowless    columns.Removal // see settle
}

func newAbreast() *abreast {
	b := &abreast{}
	b.inSeries = seriesLeap{
		at: unsafe.Pointer(&b.at), place: unsafe.Pointer(&b.place), value: unsafe.Pointer(&b.value), ended: unsafe.Pointer(&b.ended),
		left: unsafe.Pointer(&b.left), halted: unsafe.Pointer(&b.haltedSets), onWay: onWay, offsets: placeOffset, one: 1,
	}
	b.leap = leap{
		record: unsafe.Pointer(&b.record), at: unsafe.Pointer(&b.at), place: unsafe.Pointer(&b.place),
		value: unsafe.Pointer(&b.value), ended: unsafe.Pointer(&b.ended), left: unsafe.Pointer(&b.left),
		onWay: onWay, offsets: placeOffset, one: 1, half: 32, groups: noGroup, top: 0x80, below: 0x7F,
		highNibbles: highNibbles & (1<<32 - 1), threes: threes & (1<<32 - 1), sevenBits: sevenBits & (1<<32 - 1), sixes: sixes & (1<<32 - 1),
		seven: 7, bits: 32, bias: 127,
	}
	return b
}

// walkers are records on their way, each before the hop of its path that it has not
// taken: number left if the path is not its own, or else onWay.
type walkers struct {
	n      int
	record [maxAbreast]uint32 // in those abreast
	left   [maxAbreast]uint32
	at     [maxAbreast]uint32
	place  [maxAbreast]uint32 // less path.passed
	value  [maxAbreast]uint32
	ended  [maxAbreast]uint32 // where data ended; then boundaries
}

// put makes walker i what walker r of x is.
func (t *walkers) put(i int, x *walkers, r int) {
	t.record[i], t.left[i], t.at[i], t.place[i], t.value[i], t.ended[i] = x.record[r], x.left[r], x.at[r], x.place[r], x.value[r], x.ended[r]
}

const onWay = 1<<32 - 1

const noEnd = 1<<32 - 1

// ready reports whether there is a path for records that begin in row, and looks for
// one if it is time.
func (k *hopper) ready(row uint32) bool {
	if k.warm <= 0 {
		k.warm = warmAgain
		k.findPath(row)
	}
	return len(k.paths) > 0 && k.pathRow == row
}

// trace is the hops of records that were read one by one, and how many took them.
type trace struct {
	row     uint32 // in which they began
	hops    []uint32
	records int
}

// maxTraces bounds how many are remembered.
const maxTraces = 512

// remember counts a record that was read by itself, began in a row and took some hops.
func (k *hopper) remember(row uint32, hops []uint32) {
	k.warm--
	hash := uint64(row)
	for _, h := range hops {
		hash = (hash ^ uint64(h)) * 0x9E3779B97F4A7C15
		hash ^= hash >> 29
	}
	if t := k.traces[hash]; t != nil {
		t.records++
		return
	}
	if len(k.traces) == maxTraces {
		clear(k.traces)
	}
	k.traces[hash] = &trace{row, slices.Clone(hops), 1}
}

// findPath makes what most records took that were read one by one a path.
func (k *hopper) findPath(row uint32) {
	if k.listed>>k.feed&1 == 0 || len(k.paths) > 0 && k.pathRow != row {
		return
	}
	var most *trace
	for _, t := range k.joinTraces(row) {
		if k.isPath(t.hops) {
			continue
		}
		if most == nil || t.records > most.records || t.records == most.records && slices.Compare(t.hops, most.hops) < 0 {
			most = t
		}
	}
	clear(k.traces)
	if most == nil || most.records < minStrays {
		return
	}
	p := path{}
	for _, x := range most.hops {
		p.hops, p.next = append(p.hops, pathHop{hop: int32(x >> 1), lead: x&1 != 0}), append(p.next, k.hops[x>>1].next)
	}
	p.last = &k.lasts[k.hops[p.hops[len(p.hops)-1].hop].last]
	p.joint = k.findJoint(most.hops)
	if k.addByway(&p) {
		k.warm = warmRecords
		for i := range k.paths {
			k.findSeries(&k.paths[i])
		}
		return
	}
	if len(k.paths) == k.mostPaths { // in the place of the least used
		least := 0
		for i := range k.paths {
			if p := &k.paths[i]; p.ended < k.paths[least].ended {
				least = i
			}
		}
		k.paths = slices.Delete(k.paths, least, least+1)
	}
	for i := range k.paths {
		k.paths[i].ended /= 2
	}
	k.listLiterals(&p, len(k.paths) == 0)
	k.paths, k.pathRow = append(k.paths, p), row
	for i := range k.paths {
		for q := range k.paths[:i] {
			k.paths[i].common[q] = commonHops(k.paths[i].hops, k.paths[q].hops)
		}
		k.passes(&k.paths[i]) // by what is listed now, so that paths agree
		for y := range k.paths[i].byways {
			k.passesBy(&k.paths[i], &k.paths[i].byways[y])
		}
		k.findSeries(&k.paths[i])
	}
	k.warm = warmRecords
}

// isPath reports whether there is a path of some hops, as they are traced.
func (k *hopper) isPath(trace []uint32) bool {
	hops := make([]pathHop, len(trace))
	for i, x := range trace {
		hops[i] = pathHop{hop: int32(x >> 1), lead: x&1 != 0}
	}
	return slices.ContainsFunc(k.paths, func(p path) bool { return p.covers(hops) })
}

// passes counts the symbols of the hops of p, behind their runs, that are listed whatever they
// are.
func (k *hopper) passes(p *path) {
	var digits uint64
	for c := byte('0'); c <= '9'; c++ {
		digits |= 1 << k.group[c]
	}
	n := uint32(0)
	add := func(groups uint64) {
		if groups&^k.listed == 0 {
			n++
		}
	}
	p.passed = p.passed[:0]
	for _, x := range p.hops {
		p.passed = append(p.passed, n)
		h := &k.hops[x.hop]
		add(h.accept)
		for i := 0; i < 64; i += 8 {
			switch {
			case h.mask>>i&0xFF != 0:
				add(1 << k.group[byte(h.same>>i)])
			case h.digits>>i&0xFF != 0:
				add(digits)
			}
		}
	}
}

// abreast reads records of the window side by side. It reports whether it read some.
func (w *worker) abreast(ck *chunk, limit int) (some bool, why ended) {
	k := w.hopper
	if k.abreast == nil {
		k.abreast = newAbreast()
	}
	b := k.abreast
	if !w.collect(ck.part.Data, limit) {
		return false, goOn
	}
	from := w.at
	for i := range k.paths {
		p, number := &k.paths[i], 0
		if i > 0 {
			if number = b.recall(p); b.n == 0 {
				continue
			}
		}
		ahead, over := p.series, false
		for ; number < len(p.hops); number++ {
			x, passed := p.hops[number], p.passed[number]
			h := &k.hops[x.hop]
			if passed > uint32(k.nplaces+maxSymbols) {
				break // no record is on its way: see list
			}
			b.goOn(number)
			if number == p.joint.hop {
				b.toLastLine(&p.joint, passed)
			}
			for len(ahead) > 0 && ahead[0].first < number {
				ahead = ahead[1:]
			}
			if len(ahead) > 0 && ahead[0].first == number && k.takeSeries(w, ck.part.Data, p, &ahead[0]) {
				number = ahead[0].end - 1
				continue
			}
			k.toLineEnd(ck.part.Data, h, passed)
			looks := k.before(&p.hops[number])
			if !k.leap(w, ck.part.Data, h, number, x.lead, passed) {
				k.advance(w, ck.part.Data, h, number, x.lead, passed)
			}
			if looks && k.behind(&p.hops[number], passed) {
				over = true
			}
			if number == 0 && p.last.back > 0 && b.whole && h.does&stores == 0 {
				k.drop(ck.part.Data)
			}
			k.takeByways(w, ck.part.Data, p, number)
			w.rejoin(ck.part.Data, p, number, passed)
			if x := &p.hops[number]; x.watched > 0 && b.tooManyLeft(number) {
				b.letGo(uint8(i), uint32(number))
				x.watched = watchedFor
			}
		}
		b.goOn(len(p.hops))
		if over {
			k.findSeries(p)
		}
		if w.sift(ck, p, i); b.strays.n < minStrays {
			break
		}
	}
	records, row := b.records, w.nrows
	why = w.settle(ck, limit)
	k.pace(records, w.nrows-row)
	return w.at > from, why
}

// Records that are read by themselves after so few were read side by side that it was of
// no use: at first, and at most.
const pauseRecords, mostPauseRecords = 16, 1 << 10

// pace says how many records are collected next, if of some so many have been used: what
// the last stray made useless was for nothing.
func (k *hopper) pace(records, used int) {
	switch {
	case used >= records/2:
		k.most, k.again = min(2*k.most, maxAbreast), 0
	case used >= minUsed:
		k.most = max(2*used, 2*minUsed)
	default:
		k.again = min(max(2*k.again, pauseRecords), mostPauseRecords)
		k.most, k.pause = max(2*minUsed, k.most/2), k.again
	}
}

// minUsed is the fewest records for which it is of use.
const minUsed = 8

// recall takes the strays that left a path just where p leaves it, and gives the hop at
// which they go on: what they did before is what it does.
func (b *abreast) recall(p *path) (number int) {
	b.n, b.whole, b.waiting = 0, false, 0
	s, first := &b.strays, 0
	for first < s.n && int(s.left[first]) != p.common[b.ran[first]] {
		first++
	}
	if first == s.n {
		return 0
	}
	number = int(s.left[first])
	paths := uint32(0)
	for i, c := range p.common {
		if c == number {
			paths |= 1 << i
		}
	}
	b.recallStrays(uint32(number), paths)
	return number
}

// recallGeneric takes the strays that left one of some paths, which are bits, at hop number.
func (b *abreast) recallGeneric(number, paths uint32) {
	n, s := 0, &b.strays
	for r := range s.n {
		if s.left[r] == number && paths>>b.ran[r]&1 != 0 {
			b.put(b.n, s, r)
			b.left[b.n] = onWay
			b.n++
			continue
		}
		s.put(n, s, r)
		b.ran[n] = b.ran[r]
		n++
	}
	s.n = n
}

// straysGeneric makes those that have left path number i strays.
func (b *abreast) straysGeneric(i uint8) {
	s := &b.strays
	for r := range b.n {
		if b.left[r] != onWay {
			s.put(s.n, &b.walkers, r)
			b.ran[s.n] = i
			s.n++
		}
	}
}

// tooManyLeft reports whether as many records have left a path at a hop as are better let go: without vector code each
// hop behind has to guess of each record whether it is on its way, with it all of them take a lane.
func (b *abreast) tooManyLeft(hop int) bool {
	switch {
	case !hasLeaps():
		return b.numberLeft(hop) >= manyLeft
	case hasWalkers():
		return b.numberLeft(hop) > max(b.n/2, manyLeft)
	}
	return false
}

// letGoGeneric makes those that have left path number i at a hop strays before it ends.
func (b *abreast) letGoGeneric(i uint8, hop uint32) {
	s, n := &b.strays, 0
	for r := range b.n {
		if b.left[r] == hop {
			s.put(s.n, &b.walkers, r)
			b.ran[s.n] = i
			s.n++
			continue
		}
		if n < r {
			b.put(n, &b.walkers, r)
		}
		n++
	}
	b.n, b.whole = n, false
}

func commonHops(a, b []pathHop) (n int) {
	for n < len(a) && n < len(b) && a[n].is(b[n]) {
		n++
	}
	return n
}

// sift sets the records apart that path number i has read.
func (w *worker) sift(ck *chunk, p *path, i int) {
	b := w.hopper.abreast
	s := &b.strays
	fields, maxLength := p.last.column, uint32(min(w.plan.MaxRecord, windowMax))
	isRecord := p.last.kind == dfa.DataRecord
	pad := fields < len(w.dest) && !w.sparse && isRecord
	first, before := w.nrows, s.n
	b.strayed(uint8(i))
	for _, left := range s.left[before:s.n] {
		if int(left) < len(p.hops) {
			p.hops[left].watched = watchedFor
		}
	}
	take := func(r int, record uint32) {
		if b.ended[r]-b.start[record] > maxLength {
			return // it is read by itself
		}
		switch at := b.at[r]; {
		case at == b.start[record+1]:
		case !isRecord: // what is passed over is a line, and no more or less than one
			return
		case w.passesBehind(record, at, p.last.behind):
			b.pass(record, at)
		case !b.skip(record, at):
			return
		}
		if !isRecord {
			b.pass(record, b.start[record])
		}
		b.end[record], b.shape[record] = b.ended[r], p.last.class
		p.ended++
		if b.joining && b.crlf && b.further[record] == joinedLines {
			w.unreturn(ck, p, first+int(record))
		}
		if pad {
			w.nrows = first + int(record)
			w.pad(fields)
		}
	}
	if b.whole && !pad && isRecord && !(b.joining && b.crlf) {
		p.ended += b.take(maxLength, p.last.class)
		for i, set := range b.others[:(b.n+15)/16] {
			for ; set != 0; set &= set - 1 {
				r := 16*i + bits.TrailingZeros16(set)
				take(r, uint32(r))
			}
		}
	} else {
		for r, record := range b.record[:b.n] {
			if b.left[r] == onWay {
				take(r, record)
			}
		}
	}
	w.nrows = first
	w.decodeTaken(ck, p)
}

// takeGeneric gives the records abreast, which are whole, their ends and a shape, if they are not too
// long and end where the next begins, and gives their number; others are the others on their way.
func (b *abreast) takeGeneric(longest uint32, class uint8) (took int) {
	clear(b.others[:])
	for r := range b.n {
		switch {
		case b.left[r] != onWay:
		case b.at[r] == b.start[r+1] && b.ended[r]-b.start[r] <= longest:
			b.end[r], b.shape[r] = b.ended[r], class
			took++
		default:
			b.others[r/16] |= 1 << (r % 16)
		}
	}
	return took
}

// skip notes which of those abreast begins at an offset, behind a record and lines of it that looked
// like records. It reports whether one does.
func (b *abreast) skip(record, at uint32) bool {
	next := record + 1
	for int(next) < b.records && b.start[next] < at {
		next++
	}
	if b.start[next] != at {
		return false
	}
	if !b.skips {
		b.skips = true
		clear(b.next[:b.records])
	}
	b.next[record] = next
	return true
}

// minStrays is the fewest records that another path is tried for.
const minStrays = 4

// minAbreast is the fewest records that are worth it.
var minAbreast = 8 // less in tests

// collect takes the records that begin behind line ends of the window, and end before
// limit. It reports whether there are enough.
func (w *worker) collect(data []byte, limit int) bool {
	k := w.hopper
	b := k.abreast
	at, j, places := uint32(w.at-k.from), k.at, k.places[:k.nplaces]
	for j < len(places) && places[j]&placeOffset < at {
		j++
	}
	feed := (placeMark | uint32(k.feed)) << placeGroup
	most := min(k.most, w.maxRows-w.nrows)
	until := uint32(min(max(limit-k.from, 0), placeOffset)) // CR LF may lie across it, and the window begin behind
	b.start[0], b.first[0] = at, uint32(j)
	n, lines := 0, 0
	if t := &k.paths[0].joint; k.joins(t) {
		b.joining, b.joint, b.crlf = true, t.row, t.crlf
		n, lines = w.collectLines(data, at, j, feed, most)
	} else {
		b.joining = false
		n = min(feeds(places, j, feed, b.start[1:], b.first[1:], most), most)
		clear(b.further[:n+1])
	}
	for n > 0 && b.start[n] > until {
		n--
	}
	if n < minAbreast && (n == 0 || !b.joining || lines < minAbreast) {
		return false
	}
	b.records, b.n, b.whole, b.strays.n, b.waiting, b.skips, k.detoured = n, n, true, 0, 0, false, k.detoured[:0]
	b.passes, b.dropped = false, false
	for r := range n {
		b.record[r], b.end[r], b.left[r] = uint32(r), noEnd, onWay
	}
	copy(b.at[:n], b.start[:n])
	copy(b.value[:n], b.start[:n])
	copy(b.place[:n], b.first[:n])
	return true
}

// feedsGeneric writes where the lines behind the places of line feeds begin, and their
// first places, for those from place j on, and gives their number: at most so many are of
// use. start and first have room for one more.
//
// The group of line feeds is the highest, so that the top bit of what a place is more than the first of them
// says whether it is one. Two places are a word, in which none borrows from the other, as all have that bit.
func feedsGeneric(places []uint32, j int, feed uint32, start, first []uint32, most int) (n int) {
	const tops = 1<<63 | 1<<31
	least := uint64(feed&^(1<<31)) * (1<<32 | 1)
	for ; n < most && j+feedsAtOnce <= len(places); j += feedsAtOnce {
		pairs := (*[feedsAtOnce / 2]uint64)(unsafe.Pointer(unsafe.SliceData(places[j:])))
		all := uint64(0)
		for i := 0; i < len(pairs); i += 4 {
			all = all>>8 | (pairs[i]-least)&tops>>6 | (pairs[i+1]-least)&tops>>4 | (pairs[i+2]-least)&tops>>2 | (pairs[i+3]-least)&tops
		}
		for set := uint64(uint32(all)>>1 | uint32(all>>32)); set != 0 && n < most; set &= set - 1 {
			q := j + firstBit(set)&(feedsAtOnce-1)
			start[n], first[n] = places[q]&placeOffset+1, uint32(q+1)
			n++
		}
	}
	for ; n < most && j < len(places); j++ {
		start[n], first[n] = places[j]&placeOffset+1, uint32(j+1)
		n += int(uint64(int64(feed)-1-int64(places[j])) >> 63)
	}
	return n
}

// feedsAtOnce is how many places are looked at before it is asked whether there are feeds enough.
const feedsAtOnce = 32

// drop leaves out lines that begin as no record does, but for the first: they belong
// to the record before, which will be seen when that is read.
func (k *hopper) drop(data []byte) {
	b := k.abreast
	n, dropped := 1, false
	for r := 1; r < b.n; r++ {
		if dropped = b.left[r] != onWay && !k.mayBegin(data, b.start[r]); dropped {
			if further := &b.further[n-1]; !b.joining || b.further[r] == otherLines || !k.joined(data, k.from+int(b.start[r])-1, b.joint) {
				*further = otherLines
			} else if *further == noLines {
				*further, b.lineEnd[n-1] = joinedLines, b.start[r]-1
			}
			continue
		}
		b.start[n], b.first[n], b.further[n], b.lineEnd[n] = b.start[r], b.first[r], b.further[r], b.lineEnd[r]
		b.put(n, &b.walkers, r)
		b.record[n] = uint32(n)
		n++
	}
	b.start[n], b.first[n] = b.start[b.n], b.first[b.n]
	if dropped && b.further[n-1] != joinedLines {
		b.start[n] = noEnd // nobody knows where the last record ends
	}
	b.dropped = n < b.n
	b.n, b.records = n, n
}

// mayBegin reports whether some hop is known that a record takes first that begins at an offset of
// the window.
func (k *hopper) mayBegin(data []byte, at uint32) bool {
	first := k.roots[k.pathRow]
	if h := &k.hops[first]; h.run == runLead {
		if h.alt >= 0 && k.fitting(&k.hops[h.alt], data, k.from+int(at), k.group[data[k.from+int(at)]]) != nil {
			return true
		}
		first = h.next
	}
	h := &k.hops[first]
	if h.run == runNear {
		return false
	}
	p, _ := k.runEnd(data, nil, h, at, 0)
	return p != placeOffset && k.fitting(h, data, k.from+int(p), k.group[data[k.from+int(p)]]) != nil
}

// settle makes rows of the records of those abreast, and reads those that no path has read
// one by one. Where one takes no row, those behind it move up.
func (w *worker) settle(ck *chunk, limit int) (why ended) {
	k := w.hopper
	b, from, first, root := k.abreast, k.from, w.nrows, k.pathRow
	gap, moved := 0, 0 // rows that are left out; records up to here have been moved up
	out := &b.rowless  // of those behind, which take no row
	out.Rows = out.Rows[:0]
	pack := packer()
	move := func(to int) {
		if gap > 0 && moved < to {
			if len(out.Rows) > 0 {
				out.Prepare(to-moved, pack)
			}
			for i := range w.fields {
				w.fields[i].MoveUp(first+moved, first+to, gap-len(out.Rows), out)
			}
		}
		moved, out.Rows = to, out.Rows[:0]
	}
	for r := 0; r < b.records; {
		for rows := w.rows[first+r-gap:]; r < b.records && b.end[r] != noEnd; r, rows = r+1, rows[1:] {
			rows[0].set(from+int(b.start[r]), from+int(b.end[r]), state(root), b.shape[r])
			if b.skips && b.next[r] > 0 || b.passes && b.passed[r] != noEnd {
				break
			}
		}
		if r == b.records {
			break
		}
		if b.end[r] != noEnd && b.passes && b.passed[r] != noEnd {
			ck.extents.Pass(dfa.DroppedRecord, int(b.start[r+1]-b.passed[r]))
			if b.passed[r] == b.start[r] { // it takes no row
				if pack != nil {
					out.Rows = append(out.Rows, r-moved)
				} else { // many at once take longer
					move(r)
					moved = r + 1
				}
				gap++
			}
			r++
			continue
		}
		if b.end[r] != noEnd {
			r++
			move(r)
			gap += int(b.next[r-1]) - r
			r = int(b.next[r-1])
			moved = r
			continue
		}
		move(r)
		row := first + r - gap
		w.nrows, w.at, w.row, k.at = row, from+int(b.start[r]), root, int(b.first[r])
		if w.sparse {
			w.absent()
		}
		why, ok := goOn, true
		for next := r + 1; ; {
			why, ok = w.stray(ck, limit)
			if ok && why == goOn && w.row != root {
				w.passLine(ck, uint32(next-1))
			}
			for r = next; r < b.records && from+int(b.start[r]) < w.at; r++ { // a line of the record that was read
			}
			next, gap = r, first+r-w.nrows
			there := w.at == from+int(b.start[r])
			if !ok || why != goOn || w.row != root || gap < 0 || !there && (gap == 0 || r == b.records) {
				if w.sparse {
					w.clear(w.nrows, first+b.records)
				}
				return why
			}
			if there {
				break
			}
			if w.sparse { // a further line is a record
				w.absent()
			}
		}
		moved = r
	}
	move(b.records)
	w.nrows, k.at = first+b.records-gap, int(b.first[b.records])
	if w.sparse {
		w.clear(w.nrows, first+b.records)
	}
	w.leave(ck, from+int(b.start[b.records]), root)
	if w.nrows == w.maxRows {
		return roundFull
	}
	return goOn
}

// stray reads one record by itself, if the window holds it, which it reports.
func (w *worker) stray(ck *chunk, limit int) (why ended, ok bool) {
	w.hopper.lone++
	w.hopper.alone = true
	end := w.hop(ck, limit, w.nrows+1)
	w.hopper.alone = false
	switch end {
	case hopRound:
		if w.nrows == w.maxRows {
			return roundFull, true
		}
		return goOn, true
	case hopLimit:
		return roundFull, true
	case hopChunk:
		return chunkDone, true
	case hopOdd:
		if why, ok := w.malformed(ck, limit); ok {
			return why, true
		}
		w.until, w.strip.size = w.at, shortStrip
		if !w.bySteps(ck) {
			return chunkDone, true
		}
		if w.full() {
			return roundFull, true
		}
		return goOn, true
	}
	return goOn, false
}
