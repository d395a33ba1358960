package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

// Stepping waits for one look into the table after the other. So where much is stepped,
// several strips are stepped in turn, each in a *lane*: while one waits, the others go on.
//
//	strips   from a record's start     guessed           guessed           guessed
//	         ├─────────────────────────┼─────────────────┼─────────────────┤
//	lanes    1 ──▶                     2 ──▶             3 ──▶             4 ──▶
//
// A strip but the first begins behind a symbol that ends records, and is stepped from the
// state in which the last record began. That is a guess: what a lane stepped counts if the
// lane before it ended in that state. So it holds for any automaton.
//
// A lane goes by the places of special symbols, which have been listed with their groups,
// so that its table is small. Of what it does, data that is for itself is not noted: to
// those who look at the events it is filler.

const (
	nlanes = 4
	// laneSymbols is how many symbols are listed at once: one strip for each lane.
	laneSymbols = nlanes * stripSize
	// Regions that are stepped without lanes after one of which the guesses were wrong.
	laneRest, laneRestMost = 4, 1 << 10
)

// laneRegion is as many; less in tests, and then a multiple of blockSize.
var laneRegion = laneSymbols

// quiet is a bit of entries that says that an event need not be noted.
const quiet = dfa.Entry(1 << 7)

// laneTable is the automaton for lanes.
//
//	index   state, gap, group
//
// Gap says that there is filler between the special symbol and the one before.
type laneTable struct {
	entries []dfa.Entry
	shift   uint // of a row: its index is row >> shift
	gap     uint32
	group   [256]uint8
	places  placeTable
	ends    uint8 // group of a symbol that ends records
}

// newLaneTable is nil if the automaton has too many groups, or no symbol by itself ends
// its records.
func newLaneTable(m *machine, a *dfa.Automaton, special dfa.Set) *laneTable {
	if a.NGroups > dfa.MaxHopGroups {
		return nil
	}
	groupBits := uint(bits.Len(uint(a.NGroups - 1)))
	t := &laneTable{entries: make([]dfa.Entry, len(a.States)<<(groupBits+1)), shift: 8 - (groupBits + 1), gap: 1 << groupBits}
	listed, found, most := uint64(0), false, 0
	count := make([]int, a.NGroups) // states in which symbols of a group end records
	for c := 255; c >= 0; c-- {
		g := a.Group[c]
		t.group[c] = uint8(g)
		if special.Has(byte(c)) {
			listed |= 1 << g
		}
		count[g] = 0
		for s := range a.States {
			row := m.Row(dfa.StateID(s))
			direct, gap := m.jumps[row|uint32(c)], m.jumps[m.gapOffset+uintptr(row)+uintptr(c)]
			i := row>>t.shift | uint32(g)
			if gap&careful != 0 {
				gap = careful | dfa.Entry(row) // back to where the run began
			}
			t.entries[i], t.entries[i|t.gap] = quietly(direct), quietly(gap)
			if em := m.Emission(direct); direct.Kind() == dfa.Record && em.Lag == 0 {
				count[g]++
			}
		}
		if listed>>g&1 != 0 && (count[g] > most || count[g] == most && most > 0 && c == '\n') {
			t.ends, found, most = uint8(g), true, count[g]
		}
	}
	if !found {
		return nil
	}
	t.places.set(&t.group, listed)
	t.places.many = true
	return t
}

// quietly marks an entry that is data for itself.
func quietly(e dfa.Entry) dfa.Entry {
	if e.Kind() == dfa.Data && e&(coded|careful) == 0 {
		e |= quiet
	}
	return e
}

// lanes steps strips in turn.
type lanes struct {
	table  *laneTable
	places []uint32
	strips [nlanes]laneStrip
	from   int // where the first begins, and offsets of events count from
	n      int // of them, of which
	next   int // is the next to be taken
	rest   int // strips that are stepped without lanes,
	again  int // and how many it will be next time
}

// laneStrip is a strip, and what came of it.
type laneStrip struct {
	from, to int    // in the data
	row, end uint32 // before it, and behind
	nevents  int
	_        event // nothing, as there is none before the first
	events   [laneSymbols]event
}

// step steps the strips from offset from on, in the state of a row. The first begins
// there, the others behind records, of which guess is the row.
func (l *lanes) step(data []byte, m *machine, from int, row, guess uint32) {
	t := l.table
	n := laneRegion
	l.n, l.next, l.from = 0, 0, from
	if len(data)-from < n {
		return
	}
	l.places = grow(l.places, n+blockSize+2)
	l.places[0] = placeOffset // one before the first
	nplaces := listPlaces(l.places[1:], data[from:from+n], &t.group, &t.places)
	places := l.places[:nplaces+1]
	bounds := [nlanes + 1]int{nlanes: len(places)}
	bounds[0] = 1
	k := 1
	for lane := 1; lane < nlanes; lane++ {
		j := max(bounds[k-1], lane*nplaces/nlanes)
		for j < len(places) && uint8(places[j]>>placeGroup)&noGroup != t.ends {
			j++
		}
		if j+1 >= len(places) {
			break
		}
		bounds[k] = j + 1
		k++
	}
	bounds[k] = len(places)
	run := laneRun{
		base: unsafe.Pointer(unsafe.SliceData(l.places)), table: unsafe.Pointer(unsafe.SliceData(t.entries)), shift: t.shift, gap: t.gap,
		data: data[from : from+n], machine: m,
	}
	for i := range k {
		s := &l.strips[i]
		s.from, s.to, s.row = from, from+n, guess
		if i == 0 {
			s.row = row
		} else {
			s.from = from + int(places[bounds[i]-1]&placeOffset) + 1
			l.strips[i-1].to = s.from
		}
		run.lanes[i] = lane{uintptr(bounds[i]), uintptr(bounds[i+1]), s.row, unsafe.Pointer(&s.events)}
	}
	if k == nlanes {
		run.together()
	}
	for i := range k {
		s, x := &l.strips[i], &run.lanes[i]
		run.alone(x)
		if i == k-1 {
			run.rest(x, (places[len(places)-1]+1)&placeOffset)
		}
		s.nevents, s.end = int(uintptr(x.events)-uintptr(unsafe.Pointer(&s.events)))/int(unsafe.Sizeof(s.events[0])), x.row
		if i > 0 && s.row != l.strips[i-1].end {
			break
		}
		l.n++
	}
	if l.n == k {
		l.again = 0
		return
	}
	l.again = min(max(2*l.again, laneRest), laneRestMost)
	l.rest = l.again
}

// scanLanes makes the next strip that of a lane, from offset next on, if that is worth it:
// behind the strip, where the automaton is stepped for a while. It reports whether it did,
// and whether all events are plain boundaries.
func (w *worker) scanLanes(data []byte, next int) (allPlain, ok bool) {
	s, c := &w.strip, &w.cursor
	if next > s.from && next < s.to || min(w.until, len(data))-next < laneRegion {
		return false, false
	}
	if w.lanes == nil {
		t := w.machine.lanes()
		if t == nil {
			return false, false
		}
		w.lanes = &lanes{table: t}
	}
	l := w.lanes
	from, row := c.at, c.row
	if s.laned && next == s.to {
		from, row = s.to, s.end
	}
	if l.next == l.n || l.strips[l.next].from != from || l.strips[l.next].row != row {
		if l.rest > 0 {
			l.rest--
			return false, false
		}
		l.step(data, w.machine, from, row, w.machine.Row(c.record.begin))
		if l.n == 0 {
			return false, false
		}
	}
	return l.take(s), true
}

// take makes s the next strip, and reports whether all its events are plain boundaries.
func (l *lanes) take(s *strip) (allPlain bool) {
	x := &l.strips[l.next]
	l.next++
	s.laned, s.from, s.to, s.done, s.end = true, l.from, x.to, x.to, x.end
	s.events, s.records = x.events[:x.nevents], 0
	all := ^dfa.Entry(0)
	for _, v := range s.events {
		e := v.entry()
		all &= e
		s.records += int(e >> recordShift & 1)
	}
	return all&plain != 0
}

// catchUp steps the symbols up to offset next that the events of a lane were without.
func (w *worker) catchUp(data []byte, s *strip, next int) {
	if !s.laned {
		return
	}
	for ; w.at < next; w.at++ {
		e := w.machine.Entries[w.row|uint32(data[w.at])]
		w.plainStep(&w.field, w.at, w.row, e)
		w.row = e.Row()
	}
}

// laneRun is the loop of lanes.
type laneRun struct {
	base, table unsafe.Pointer // of places, of entries
	shift       uint
	gap         uint32
	data        []byte // places are offsets in it
	machine     *machine
	lanes       [nlanes]lane
}

// lane is how far one of them is.
type lane struct {
	place, end uintptr // indices
	row        uint32
	events     unsafe.Pointer // where the next goes
}

// note puts an event where the next goes, and counts it unless it is quiet.
func note(events unsafe.Pointer, place uint32, e dfa.Entry) (next unsafe.Pointer) {
	*(*event)(events) = event(place&placeOffset)<<32 | event(e)
	return unsafe.Add(events, (e>>4&8)^8)
}

// together steps all lanes as far as the shortest goes.
//
// Indices are not checked: places are of symbols with a group, and a row is a state's.
func (r *laneRun) together() {
	table, shift, gap := r.table, r.shift&7, r.gap
	a, b, c, d := &r.lanes[0], &r.lanes[1], &r.lanes[2], &r.lanes[3]
	for {
		n := min(a.end-a.place, b.end-b.place, c.end-c.place, d.end-d.place)
		pa, pb, pc, pd := unsafe.Add(r.base, a.place*4), unsafe.Add(r.base, b.place*4), unsafe.Add(r.base, c.place*4), unsafe.Add(r.base, d.place*4)
		ra, rb, rc, rd := a.row, b.row, c.row, d.row
		ea, eb, ec, ed := a.events, b.events, c.events, d.events
		care := dfa.Entry(0)
		i := uintptr(0)
		for ; i < n; i++ {
			x := *(*uint32)(unsafe.Add(pa, i*4))
			e := laneStep(table, x, *(*uint32)(unsafe.Add(pa, i*4-4)), ra, shift, gap)
			ea, ra, care = note(ea, x, e), e.Row(), e

			x = *(*uint32)(unsafe.Add(pb, i*4))
			e = laneStep(table, x, *(*uint32)(unsafe.Add(pb, i*4-4)), rb, shift, gap)
			eb, rb, care = note(eb, x, e), e.Row(), care|e

			x = *(*uint32)(unsafe.Add(pc, i*4))
			e = laneStep(table, x, *(*uint32)(unsafe.Add(pc, i*4-4)), rc, shift, gap)
			ec, rc, care = note(ec, x, e), e.Row(), care|e

			x = *(*uint32)(unsafe.Add(pd, i*4))
			e = laneStep(table, x, *(*uint32)(unsafe.Add(pd, i*4-4)), rd, shift, gap)
			ed, rd, care = note(ed, x, e), e.Row(), care|e
			if care&careful != 0 {
				i++
				break
			}
		}
		a.row, b.row, c.row, d.row = ra, rb, rc, rd
		a.place, b.place, c.place, d.place = a.place+i, b.place+i, c.place+i, d.place+i
		a.events, b.events, c.events, d.events = ea, eb, ec, ed
		if care&careful == 0 {
			return
		}
		for i := range r.lanes {
			r.care(&r.lanes[i])
		}
	}
}

// laneStep is the entry of the symbol at place x behind place last.
func laneStep(table unsafe.Pointer, x, last, row uint32, shift uint, gap uint32) dfa.Entry {
	between := (x - last - 1) & placeOffset
	i := row>>shift | x>>placeGroup&noGroup | gap&-((between+placeOffset)>>placeGroup)
	return *(*dfa.Entry)(unsafe.Add(table, uintptr(i)*4))
}

// alone steps what is left of a lane.
func (r *laneRun) alone(x *lane) {
	for x.place < x.end {
		p := unsafe.Add(r.base, x.place*4)
		place := *(*uint32)(p)
		e := laneStep(r.table, place, *(*uint32)(unsafe.Add(p, -4)), x.row, r.shift&7, r.gap)
		x.events, x.row = note(x.events, place, e), e.Row()
		x.place++
		if e&careful != 0 {
			r.care(x)
		}
	}
}

// care steps the filler before a lane's last symbol, and that, if the filler did
// something; the last event says so, and gives way to theirs.
func (r *laneRun) care(x *lane) {
	last := unsafe.Add(x.events, -8)
	if (*(*event)(last)).entry()&careful == 0 {
		return
	}
	place, before := *(*uint32)(unsafe.Add(r.base, x.place*4-4)), *(*uint32)(unsafe.Add(r.base, x.place*4-8))
	x.events = last
	r.each(x, (before+1)&placeOffset, place&placeOffset+1)
}

// rest steps what follows the last of all symbols, which is filler from place on.
func (r *laneRun) rest(x *lane, place uint32) {
	if end := uint32(len(r.data)); place < end && !r.machine.smooth(x.row) {
		r.each(x, place, end)
	} else {
		x.row = r.machine.walk(r.data[place:], x.row)
	}
}

// each steps the symbols from one place up to another, and notes what each of them does.
func (r *laneRun) each(x *lane, from, to uint32) {
	for q := from; q < to; q++ {
		e := quietly(r.machine.jumps[x.row|uint32(r.data[q])])
		x.events, x.row = note(x.events, q, e), e.Row()
	}
}
