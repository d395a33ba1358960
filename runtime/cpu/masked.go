package cpu

import (
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// Bounds of what is marked before its records are indexed: what was marked and the
// symbols stay in the first-level cache.
const windowMarks = 2048

var windowBlocks = 256 // fewer in tests

// Detours by the automaton where something odd came soon after the last, in
// symbols: they grow while odd things come more often than this.
const (
	detourMin = 256
	detourMax = 1 << 20
)

// masked reads records by masks: marks where fields end, and indexes the
// records that have as many as they should.
type masked struct {
	marker
	marks   []mark   // marks[0] is the end of the record before
	records []uint32 // indices into marks of the last marks of records
	base    int      // marks are offsets from here
	next    int      // the symbols from here on have not been marked
	passed  int      // records up to here have been read, by masks or by steps
	last    int      // index of the mark of the last of them
	since   int      // where marking began, or began again
	detour  int
	window  int // blocks to mark next: fewer where something odd is to be expected soon
	sound   int // records with something odd that are left to the automaton, as the last were not malformed,
	again   int // and how many it was last time

	filler int              // a symbol without a role, -1 if there is none
	fill   [blockSize]byte  // of it
	padded [mostPadded]byte // see upToOdd
	within uint32           // the row in which a record of fixed width stays up to something odd, if it
	stays  bool             // does

	columns []scatterColumn // by field number
	wide    []scatterColumn // these, behind one of which nobody wants the places
	plain   []plainColumn   // the same of the worker's
	kept    []mark          // of withRest
	absent  []int           // fields that no record has
	counts  bool            // records are counted, nothing is made of their fields
	usable  bool            // the binding's records can be indexed,
	single  bool            // one by one too: see near
	near    *near           // nil until that is done
	leftOut int             // where a record was left out,
	soon    bool            // soon behind another,
	reach   int             // within so many symbols, where records are indexed together
	bare    bool            // and end where their last fields do
	line    uint32          // rowLine, if each of these is a line
	crossed bool            // what was odd last ends records elsewhere: hops begin behind each such symbol, in vain
	short   bool            // the marked records are indexed one by one, as few in a row have the same number of fields
	mixed   bool            // or as one with a rest is not enclosed as it has to be

	least int // a record of no more fields may be one that is passed over
	count int // of fields, where the automaton counts them: see dfa.FindCountedRuns; else 0

	even      even
	settled   bool // fields in quotes or brackets may not be what they hold: see settleEnclosed
	evens     bool // records of different numbers of fields may be made even,
	truncates bool // of which some have too many
}

func newMasked(r *roles) *masked {
	if r == nil {
		return nil
	}
	k := &masked{marker: marker{roles: r}, window: windowBlocks, filler: -1}
	if r.runs != nil {
		k.count = r.runs.Count
	}
	for symbol := range 256 {
		if r.of(byte(symbol)) == 0 {
			k.filler = symbol
			break
		}
	}
	for i := range k.fill {
		k.fill[i] = byte(k.filler)
	}
	if r.quote && r.masks.Quote.Doubled {
		k.doubling = ^uint64(0)
	}
	if r.leading {
		k.leads = new(leads)
		if r.masks.Led != nil {
			k.ledBare = ^uint64(0)
		}
		if r.quote && r.masks.Quote.Led != nil {
			k.ledQuotes = ^uint64(0)
		}
	}
	return k
}

// bind prepares for the records of the binding of w.
func (k *masked) bind(w *worker) {
	n := len(w.plainColumns)
	k.usable = (n > 0 && !w.fixed || w.fixed && !k.leading) && (k.count == 0 || k.count == n && w.rest < 0)
	k.bare = k.masks.Quote == nil && k.masks.Bracket == nil && !w.fixed
	if k.line = 0; k.bare && k.masks.Records == dfa.Bytes('\n') {
		k.line = rowLine
	}
	k.bare = k.bare && k.runs == nil
	k.counts = !w.classed && len(w.plan.Outputs) == 0 && !k.leading // of escapes it is asked whether they are right
	k.single = !w.fixed && !k.counts && !k.leading && k.runs == nil
	k.passes = k.masks.Passes && !w.fixed && !k.leading && !k.bracket
	if k.least = 0; k.passes && k.runs == nil {
		k.least = 1
	}
	if k.leads != nil {
		k.leads.findNulls(w)
	}
	k.plain = append(append(k.plain[:0], plainColumn{start: w.sink, end: w.sink}), w.plainColumns...)
	k.wide = append(k.wide[:0], scatterColumn{start: &w.sink[0], end: &w.sink[0]})
	for _, c := range w.plainColumns {
		check, want := k.enclosed(c.class)
		k.wide = append(k.wide, scatterColumn{&c.start[0], &c.end[0], check, want})
		k.usable = k.usable && check&want == want
		k.single = k.single && check == 0
	}
	k.columns, k.absent = k.wide[1:], k.absent[:0]
	if w.sparse {
		source := make([]bool, len(w.fields))
		for _, d := range w.dest[:n] {
			if d >= 0 {
				source[d] = true
			}
		}
		for i, has := range source {
			if !has {
				k.absent = append(k.absent, i)
			}
		}
	}
	k.settled = false
	for _, d := range w.dest {
		k.settled = k.settled || d >= 0 && w.settlers[d] != nil && (k.escapeOpens(markQuoted) || k.escapeOpens(markBracket))
	}
	k.bindEven(w)
	k.maxMarks, k.all = windowMarks+2*n, 0
	if !k.counts {
		k.all = ^uint64(0)
	}
	// More are written than there are, and read: see marker and scatter.
	k.marks = grow(k.marks, k.maxMarks+marksRoom+1)
	k.records = grow(k.records, k.maxMarks+marksRoom+1)
	if x := k.runs; x != nil {
		x.starts, x.lines = grow(x.starts, len(k.marks)), grow(x.lines, len(k.marks))
		x.bind(k.plain, w.sink)
	}
	k.next = -1
}

// enclosed is what the marks of fields of a class have to be: want in the bits
// of check. If no field can be of the class, want has a bit that check has not.
func (k *masked) enclosed(class uint8) (check, want mark) {
	q, b := k.masks.Quote, k.masks.Bracket
	switch {
	case class == 0:
		return 0, 0
	case (q == nil || q.Class == class) && (b == nil || b.Class == class) && k.masks.Class == class:
		return 0, 0
	case k.masks.Class == class && (q == nil || q.Class != class) && (b == nil || b.Class != class):
		return markDoubled, 0
	case k.masks.Class != class && q != nil && q.Class == class && (b == nil || b.Class != class):
		return markQuoted, markQuoted
	case k.masks.Class != class && b != nil && b.Class == class && (q == nil || q.Class != class):
		return markDoubled, markBracket
	}
	return 0, markQuoted
}

// byMasks indexes records from w.at on, which end before limit, and the one that
// ends there. If it reports goOn, records up to the one that ends at or after
// until have to be stepped.
func (w *worker) byMasks(ck *chunk, limit int) (until int, why ended) {
	data, k := ck.part.Data, w.masked
	if w.row != w.machine.Row(k.masks.Begin) {
		return w.at, goOn
	}
	k.resume(w.at)
	for {
		if k.soon {
			why := w.byNear(ck, limit)
			if k.soon = why == roundFull; why != goOn {
				return -1, why
			} else if w.row != w.machine.Row(k.masks.Begin) {
				return w.at, goOn
			}
			k.next = -1
			k.resume(w.at)
		}
		if k.passed == k.nrecords {
			switch {
			case k.odd != 0:
				if k.sound == 0 && k.upToOdd(data, w.at) {
					continue
				}
				why, ok := w.oddRecord(ck, limit)
				if !ok {
					return k.avoid(data), goOn
				} else if why != goOn {
					return -1, why
				} else if w.row != w.machine.Row(k.masks.Begin) {
					return w.at, goOn
				}
				k.resume(w.at)
			case len(data)-k.next < blockSize:
				return limit, goOn
			case k.next-k.base > maxMarked:
				next := k.next
				if k.next = -1; w.at-k.base < maxMarked/2 {
					return next, goOn // a record that is too long
				}
				k.resume(w.at)
			case !k.mark(data):
				return k.next, goOn // a record of too many fields
			}
			continue
		}
		until, why = w.indexMarked(ck, limit)
		if why != goOn || until >= 0 {
			return until, why
		}
	}
}

// restart is for other data.
func (k *masked) restart() {
	k.next, k.soon, k.reach = -1, false, nearTogether
	if k.quote && !k.masks.Quote.Escape && k.mapped() || k.marksBlocks() {
		k.reach = nearAround
	}
	k.leftOut = -k.reach
	if k.near != nil {
		k.near.to = 0
	}
}

// resume goes on after records that have been stepped: the next begins at at.
func (k *masked) resume(at int) {
	for k.next >= 0 && k.passed < k.nrecords && k.end(k.passed) < at {
		k.pass(1)
	}
	if k.next >= 0 && k.before()+1 == at {
		return
	}
	k.begin()
	k.base, k.next, k.since = at-1, at, at
	k.marks[0], k.nmarks, k.number = 0, 1, 1
	k.nrecords, k.passed, k.last = 0, 0, 0
	if x := k.runs; x != nil {
		x.lines[0], x.nstarts = 0, 1
	}
}

// end is the offset of the symbol that ends record number i of those marked.
func (k *masked) end(i int) int {
	switch {
	case k.runs != nil:
		return k.base + k.runs.lines[i+1].offset()
	case k.counts:
		return k.base + k.marks[i+1].offset()
	}
	return k.base + k.marks[k.records[i]].offset()
}

// before is the offset of the symbol that ends the last record that was passed.
func (k *masked) before() int {
	switch {
	case k.runs != nil:
		return k.base + k.runs.lines[k.passed].offset()
	case k.counts:
		return k.base + k.marks[k.passed].offset()
	}
	return k.base + k.marks[k.last].offset()
}

// pass counts n more of the marked records as read.
func (k *masked) pass(n int) {
	k.passed += n
	k.last = int(k.records[k.passed-1])
}

// mark marks more symbols. All records that were marked have been read; it
// reports whether there is room for the fields of the one that was begun.
func (k *masked) mark(data []byte) bool {
	left := k.number - 1 - k.last // of the fields of the record that was begun
	k.marks[0] = mark(k.before() - k.base)
	if k.runs != nil {
		k.runs.keep(k.last, k.marks[0])
	}
	k.anyDoubled, k.anyReturn, k.nmarks = 0, k.afterReturn, 1
	if !k.counts {
		k.nmarks += copy(k.marks[1:], k.marks[k.last+1:][:left])
		for _, m := range k.marks[1:k.nmarks] {
			if m >= markDoubled {
				k.anyDoubled = 1
			}
		}
	}
	if k.leads != nil {
		k.leads.forget(k.last)
	}
	k.number, k.nrecords, k.passed, k.last, k.short, k.mixed = 1+left, 0, 0, 0, false, false
	if k.nmarks > k.maxMarks {
		return false
	}
	k.nblocks = min((len(data)-k.next)/blockSize, windowBlocks, k.window)
	k.window = min(2*k.window, windowBlocks)
	k.run(data[k.next:], k.marks, k.records)
	k.next += k.nblocks * blockSize
	return true
}

// mostPadded is how many symbols are marked again because something odd is in their last block.
const mostPadded = 16 * blockSize

// upToOdd marks the fields from at on, which is where a record begins, that end before something odd
// in their block. It reports whether some end records.
func (k *masked) upToOdd(data []byte, at int) bool {
	odd := k.next + bits.TrailingZeros64(k.odd)
	to := odd
	for to > k.next && !k.masks.Records.Has(data[to-1]) && !k.masks.Fields.Has(data[to-1]) {
		to--
	}
	if to == k.next || to-at > mostPadded || k.filler < 0 {
		return false
	}
	// Behind them comes what is odd nowhere.
	padded := k.pad(data[at:to])
	begin := func() {
		k.next, k.nblocks = -1, len(padded)/blockSize
		k.resume(at)
	}
	begin()
	if k.run(padded, k.marks, k.records); k.oddIsPassed(padded) { // and was when it was read before
		begin()
		k.runInGo(padded, k.marks, k.records)
	}
	k.next, k.odd = odd, 1
	return k.nrecords > 0
}

// pad copies what is at most mostPadded symbols, and adds fillers up to the next whole block.
func (k *masked) pad(src []byte) []byte {
	n := copy(k.padded[:], src)
	padded := k.padded[:(n+blockSize-1)/blockSize*blockSize]
	copy(padded[n:], k.fill[:])
	return padded
}

// mostSound bounds masked.sound.
const mostSound = 64

// oddRecord is malformed, of the record with the next odd symbol.
func (w *worker) oddRecord(ck *chunk, limit int) (why ended, ok bool) {
	k := w.masked
	if k.sound > 0 {
		k.sound--
		return goOn, false
	}
	odd := k.next + bits.TrailingZeros64(k.odd)
	u := unread{w.at, w.row, 0, w.at}
	if !w.fixed && !k.counts && k.runs == nil {
		if n := k.number - 1 - k.last; n > 0 && (k.leads == nil || len(k.leads.of(k.last, k.last+n)) == 0) {
			at := k.base + k.marks[k.number-1].offset() + 1
			u = unread{at, w.machine.Row(k.masks.Next), n, at}
		}
		if passed := k.passes && k.masks.OddFirst.Has(ck.part.Data[w.at]); odd == k.next && !passed { // fields in front of it are marked
			u = w.unreadAt(u, ck.part.Data, odd, false)
		}
	}
	if w.fixed && k.stays && odd > w.at+2 && !k.endsBefore(ck.part.Data, w.at, odd) {
		if e := w.machine.Entries[w.row|uint32(ck.part.Data[w.at])]; e.Kind() == dfa.Data && e.Row() == k.within {
			u.at, u.row = odd-1, k.within // where a carriage return may be whose next symbol is what is odd
		}
	}
	if why, ok = w.stepMalformed(ck, limit, odd+maxFaultless, u); !ok {
		if !slices.ContainsFunc(ck.part.Data[odd:], k.masks.Records.Has) { // it has no end yet, which says nothing of others
			k.since = odd - detourMin
			return goOn, false
		}
		k.again = min(2*k.again+1, mostSound)
		k.sound = k.again
		return goOn, false
	}
	k.again /= 2
	k.expect(odd)
	k.since, k.next = odd, -1
	w.leftOut(w.at)
	return why, true
}

// leftOut notes that the record before at has been left out.
func (w *worker) leftOut(at int) {
	k := w.masked
	if k.soon = k.single && at-k.leftOut < w.reach(); k.soon && k.near == nil {
		k.near = new(near)
	}
	k.leftOut = at
}

// endsBefore reports whether the record at at ends before what is odd in a later block: upToOdd leaves long ones.
func (k *masked) endsBefore(data []byte, at, odd int) bool {
	return odd-at > mostPadded && slices.ContainsFunc(data[max(at, k.next):odd], k.masks.Records.Has)
}

// stay finds out whether a record of which no field ends stays in one row of the automaton behind its first symbol, up to
// the first that is odd, or ends it.
func (k *masked) stay(m *machine) {
	e := m.Entries[m.Row(k.masks.Begin)|uint32(k.fill[0])]
	k.within, k.stays = e.Row(), k.filler >= 0 && e.Kind() == dfa.Data
	if !k.stays {
		return
	}
	for c := range uint32(256) {
		if symbol := byte(c); k.masks.Records.Has(symbol) || k.masks.Return.Has(symbol) || k.masks.Odd.Has(symbol) {
			continue
		}
		if e := m.Entries[k.within|c]; e.Kind() != dfa.Data || e.Row() != k.within {
			k.stays = false
		}
	}
}

// expect notes that something odd is at an offset. What was looked up behind it was for nothing, so
// that next time it is about twice as much as was of use.
func (k *masked) expect(odd int) {
	of := 2 * (odd - k.since) / blockSize
	k.window = min(of+laneBlocks-of%laneBlocks, windowBlocks)
}

// avoid gives the offset up to which to step because of something odd.
func (k *masked) avoid(data []byte) int {
	to := k.next + bits.TrailingZeros64(k.odd)
	k.crossed = k.masks.Records.Has(data[to])
	k.expect(to)
	to = k.around(to)
	k.next = -1
	return to
}

// around gives the offset up to which to step where something up to offset to has to be: further
// if that comes often.
func (k *masked) around(to int) int {
	if to-k.since >= detourMin {
		k.detour = 0
	} else {
		k.detour = min(max(2*k.detour, detourMin), detourMax)
		to += k.detour
	}
	k.since = to
	return to
}

// indexMarked indexes marked records, as many as have the same number of fields, up to
// the one that ends at limit. If until is not negative, records have to be
// stepped up to there.
func (w *worker) indexMarked(ck *chunk, limit int) (until int, why ended) {
	k := w.masked
	if w.fixed && !k.counts {
		return w.indexFixed(ck, limit)
	}
	if k.short && w.oneByOne(ck, limit) {
		k.short = false
		if w.full() {
			return -1, roundFull
		}
		return -1, goOn
	}
	records := k.records[k.passed:k.nrecords]
	n := int(records[0]) - k.last
	most := len(w.plainColumns)
	if k.isPassed(ck.part.Data, w.at, n) {
		if why, ok := w.amongPassed(ck, limit); ok {
			return -1, why
		}
		return -1, w.passOver(ck, limit)
	}
	if k.count > 0 {
		return w.indexCounted(ck, limit)
	}
	if w.rest >= 0 && n > most {
		if why, ok := w.byRagged(ck, limit); ok {
			return -1, why
		}
		if k.counts {
			most = n
		}
	}
	if n > most && k.truncates {
		if why, ok := w.byEven(ck, limit); ok {
			return -1, why
		}
	}
	if n <= w.fewest || n > most {
		return w.misfit(ck, n, limit)
	}
	varies := w.fewest+1 < most || w.rest >= 0 // of records that are right
	nrows := min(len(records), w.maxRows-w.nrows)
	if k.counts && varies {
		nrows = w.countable(records[:nrows])
	} else {
		nrows = alike(records[:nrows], uint32(n))
	}
	if nrows < fewAmongPassed && nrows < len(records) && k.isPassed(ck.part.Data, k.end(k.passed+nrows-1)+1, int(records[nrows]-records[nrows-1])) {
		if why, ok := w.amongPassed(ck, limit); ok {
			return -1, why
		}
	}
	if n == 1 && k.passes {
		nrows = k.unpassed(ck.part.Data, nrows)
	}
	k.short = !varies && k.single && n <= fewColumns && nrows < fewAlike && nrows < len(records)
	if varies && nrows < fewRagged && len(records) > fewRagged {
		if why, ok := w.byEven(ck, limit); ok {
			return -1, why
		}
		if why, ok := w.byRagged(ck, limit); ok {
			return -1, why
		}
	}
	if k.leads != nil {
		if nrows = w.unspoilt(ck.part.Data, nrows, n); nrows == 0 {
			return k.around(w.boundary(ck, w.at, k.end(k.passed))), goOn
		}
	}
	nrows, start, boundary := w.place(ck, nrows, limit)
	if nrows == 0 {
		return boundary, goOn
	}
	if !k.counts && !w.fill(ck, n, nrows) {
		return boundary, goOn
	}
	return w.placed(ck, limit, nrows, start, boundary)
}

// placed goes on behind the next nrows marked records, which have been indexed: at start, where boundary is that of the last.
func (w *worker) placed(ck *chunk, limit, nrows, start, boundary int) (until int, why ended) {
	w.masked.pass(nrows)
	w.nrows += nrows
	w.leave(ck, start, w.row)
	switch {
	case boundary >= limit && (boundary >= ck.end || start >= ck.stop):
		return -1, chunkDone
	case boundary >= limit || w.nrows == w.maxRows:
		return -1, roundFull
	}
	return -1, goOn
}

// alikeGeneric is how many of the records, of which the first has n fields, have as many, before
// the first that has not.
func alikeGeneric(records []uint32, n uint32) int {
	i := 1
	for ; i+8 <= len(records); i += 8 {
		r := records[i-1:][:9]
		if (r[1]-r[0]^n)|(r[2]-r[1]^n)|(r[3]-r[2]^n)|(r[4]-r[3]^n)|(r[5]-r[4]^n)|(r[6]-r[5]^n)|(r[7]-r[6]^n)|(r[8]-r[7]^n) != 0 {
			break
		}
	}
	for i < len(records) && records[i]-records[i-1] == n {
		i++
	}
	return i
}

// countable is how many of the next marked records come before one with too few fields, or too many.
func (w *worker) countable(records []uint32) int {
	last, most := w.masked.last, len(w.plainColumns)
	for i, number := range records {
		if n := int(number) - last; n <= w.fewest || n <= w.masked.least && i > 0 || n > most && w.rest < 0 {
			return i
		}
		last = int(number)
	}
	return len(records)
}

// misfit makes of the next marked record what becomes of one that has n fields, which are too
// few or too many, unless it has to be stepped for that.
func (w *worker) misfit(ck *chunk, n, limit int) (until int, why ended) {
	k, b := w.masked, w.binding
	end := k.end(k.passed)
	boundary := w.boundary(ck, w.at, end)
	r := &w.record
	*r = record{start: w.at, begin: k.masks.Begin, column: n, rest: -1, wrong: -1, excess: -1}
	switch {
	case w.fixed: // its columns are cut
		w.absent()
	case k.leads != nil && len(k.leads.of(k.last, k.last+n)) > 0: // there may be more to it
		return boundary, goOn
	case n < b.MinFields:
	case n > b.MaxFields && b.Rest < 0 && !b.Truncate && !k.counts:
		r.excess, r.surplus = b.MaxFields, k.begins(k.last, b.MaxFields)
	case n > len(k.columns) && w.wrongClass(r):
	default:
		return boundary, goOn
	}
	if boundary == end {
		r.line = k.line
	}
	w.endRecord(ck, boundary, end+1, &dfa.Emission{Kind: dfa.Record, Record: dfa.DataRecord})
	k.pass(1)
	w.leave(ck, end+1, w.row)
	switch {
	case boundary >= limit && (boundary >= ck.end || w.at >= ck.stop):
		return -1, chunkDone
	case boundary >= limit || w.full():
		return -1, roundFull
	}
	return -1, goOn
}

// wrongClass reports whether a field of the next marked record, which has more than there are columns, is not enclosed as it
// has to be, if that is all that has to be known of it, and notes the first.
func (w *worker) wrongClass(r *record) bool {
	k := w.masked
	if !w.brief || k.counts || !w.isDropped(&wrongClassFor) || !w.isDropped(&malformedFor) {
		return false
	}
	marks := k.marks[k.last:]
	for i, c := range k.columns {
		if marks[i+1]&c.check != c.want {
			if r.wrong, r.faulty = i, r.start; i > 0 {
				r.faulty = k.begins(k.last, i)
			}
			return true
		}
	}
	return false
}

// wrongClassFor is what is wrong with records of which nothing but the size is asked for.
var wrongClassFor = runtime.Problem{What: runtime.WrongClass, Output: -1, Field: -1}

// begins is where field number n begins, which is not the first, as emissions say, of the record behind mark number last.
func (k *masked) begins(last, n int) int {
	if x := k.runs; x != nil && (x.trailing || k.count > 0) { // what shows that there was a separator may be a quote, or data
		return k.base + x.starts[last+n+1].offset()
	}
	return k.base + k.marks[last+n].offset() + 1
}

// place notes where the next nrows marked records lie, up to the one that ends at
// limit, or before one that is too long. It gives their number, where the next
// record begins, and the boundary of the last, or of the first if that is too long.
func (w *worker) place(ck *chunk, nrows, limit int) (n, start, boundary int) {
	k := w.masked
	// Records that are together no longer than one may be are not measured one by one.
	if last := k.end(k.passed + nrows - 1); last < limit && k.anyReturn == 0 && last-w.at <= w.plan.MaxRecord {
		if k.counts { // nobody asks where the rows are
			return nrows, last + 1, last
		}
		if k.bare && (k.leads == nil || len(k.leads.of(k.last, int(k.records[k.passed+nrows-1]))) == 0) { // that is where the last field does: few rows are asked for
			n := int(k.records[k.passed]) - k.last
			w.laid = append(w.laid, laid{first: w.nrows, nrows: nrows, start: w.at, end: w.plainColumns[n-1].end})
			return nrows, last + 1, last
		}
		if k.runs == nil {
			at, base, marks, begin := w.at, k.base, k.marks, k.masks.Begin
			rows := w.rows[w.nrows:][:nrows]
			for i, number := range k.records[k.passed:][:nrows] {
				end := base + marks[number].offset()
				rows[i].set(at, end, begin, 0)
				at = end + 1
			}
			return nrows, at, last
		}
	}
	start = w.at
	for i := range nrows {
		end := k.end(k.passed + i)
		at := w.boundary(ck, start, end)
		if at-start > w.plan.MaxRecord {
			if i == 0 {
				boundary = at
			}
			return i, start, boundary
		}
		r := &w.rows[w.nrows+i]
		if r.set(start, at, k.masks.Begin, 0); at == end && k.leads == nil {
			r.about |= k.line
		}
		start, boundary = end+1, at
		if boundary >= limit {
			return i + 1, start, boundary
		}
	}
	return nrows, start, boundary
}

// boundary is that of the record at start whose last symbol is at end.
func (w *worker) boundary(ck *chunk, start, end int) int {
	if w.masked.masks.ReturnEnds && w.returned(ck, start, end) {
		return end - 1
	}
	return end
}

// returned reports whether the symbol that ends a record stands after a return.
func (w *worker) returned(ck *chunk, start, end int) bool {
	return w.masked.anyReturn != 0 && w.masked.behindReturn(ck.part.Data, start, end)
}

// behindReturn is returned, where there may be returns.
func (k *masked) behindReturn(data []byte, start, end int) bool {
	return end > start && k.masks.Return.Has(data[end-1])
}

// fill makes rows of the next nrows marked records, of n fields each. It reports
// whether these are enclosed as they have to be.
func (w *worker) fill(ck *chunk, n, nrows int) bool {
	k := w.masked
	marks, delta := k.marks[k.last:], uint32(k.base-w.base)
	if !scatter(w.plainColumns[:n], k.columns[:n], marks, w.nrows, nrows, delta) {
		return false
	}
	if x := k.runs; x != nil {
		x.scatter(1, 1+n, x.starts[k.last:], w.nrows, nrows, delta)
	}
	rows := w.rows[w.nrows:][:nrows]
	if k.anyReturn != 0 {
		ends := w.plainColumns[n-1].end[w.nrows:]
		for i, r, last := k.passed, 0, k.last; r < nrows; i++ {
			if int(k.records[i]) == last { // a record that is passed over
				continue
			}
			if end := k.end(i); k.endsLast(i, end) && w.returned(ck, rows[r].start, end) {
				ends[r]--
			}
			last = int(k.records[i])
			r++
		}
	}
	if k.leads != nil {
		w.decodeLed(ck, n, nrows)
	}
	w.settleEnclosed(ck, nrows)
	w.lacksBehind(n, w.nrows, nrows)
	if k.anyDoubled != 0 {
		w.undoubleMarked(ck, marks[1:1+n*nrows], n)
	}
	return true
}

// undoubleMarked decodes, of the next rows, of n fields each, those in which quotes are doubled, as their marks say.
func (w *worker) undoubleMarked(ck *chunk, marks []mark, n int) {
	for i, m := range marks {
		if m < markDoubled || w.dest[i%n] < 0 {
			continue
		}
		if f, row := &w.fields[w.dest[i%n]], w.nrows+i/n; f.Start[row] < convert.InDecoded { // else it has been decoded
			w.undouble(ck, f, row)
		}
	}
}

// endsLast reports whether record number i of those marked ends where its last field does, but for a return, which it does
// unless a run is between them.
func (k *masked) endsLast(i, end int) bool {
	return k.runs == nil || k.base+k.marks[k.records[i]].offset() == end
}

// lacks makes column d, if it is one, absent in n rows.
func (w *worker) lacks(d, first, n int) {
	if d >= 0 {
		lack(&w.fields[d], first, n)
	}
}

// lacksBehind makes the columns absent in nrows rows that records of n fields have not, and those that no field has.
func (w *worker) lacksBehind(n, first, nrows int) {
	for _, d := range w.dest[n:] {
		w.lacks(d, first, nrows)
	}
	for _, d := range w.masked.absent {
		w.lacks(d, first, nrows)
	}
}

// undouble decodes the field of a row in which quotes are doubled.
func (w *worker) undouble(ck *chunk, f *convert.Fields, row int) {
	value := ck.part.Data[w.base+int(f.Start[row]) : w.base+int(f.End[row])]
	start := len(f.Decoded)
	f.Decoded = appendUndoubled(f.Decoded, value, w.masked.masks.Quote.Open)
	f.Start[row], f.End[row] = uint32(start)|convert.InDecoded, uint32(len(f.Decoded))
}
