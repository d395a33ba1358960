package cpu

import (
	"math/bits"
	"slices"
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
	entries []laneEntry
	shift   uint   // of a state to the index of its row
	gap     uint32 // as a place has it, see laneStep
	group   [256]uint8
	places  placeTable
	ends    uint8 // group of a symbol that ends records
}

// laneEntry is an entry, and where its row begins in a laneTable.
//
//	bit  63..32   31..0
//	     index    entry
type laneEntry uint64

func (v laneEntry) entry() dfa.Entry { return dfa.Entry(v) }

// from is what a lane has before its first symbol, in the state of a row.
func (t *laneTable) from(row uint32) laneEntry {
	return laneEntry(state(row))<<(32+t.shift) | laneEntry(row)
}

// newLaneTable is nil if the automaton has too many groups, or no symbol by itself ends
// its records.
func newLaneTable(m *machine, a *dfa.Automaton, special dfa.Set) *laneTable {
	if a.NGroups > dfa.MaxHopGroups {
		return nil
	}
	groupBits := uint(bits.Len(uint(a.NGroups - 1)))
	t := &laneTable{entries: make([]laneEntry, len(a.States)<<(groupBits+1)), shift: groupBits + 1, gap: 1 << (placeGroup + groupBits)}
	behind := func(e dfa.Entry) laneEntry { return t.from(e.Row())>>32<<32 | laneEntry(quietly(e)) }
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
			i := s<<t.shift | int(g)
			if gap&careful != 0 {
				gap = careful | dfa.Entry(row) // back to where the run began
			}
			t.entries[i], t.entries[i|1<<groupBits] = behind(direct), behind(gap)
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
	t.places.set(&t.group, listed, 0)
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

	// By the symbol behind one that ends records: how often a record was found to begin there, and how
	// often not.
	begins, goesOn [256]uint8
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
	nplaces, _ := listPlaces(l.places[1:], data[from:from+n], &t.group, &t.places)
	places := l.places[:nplaces+1]
	bounds := [nlanes + 1]int{nlanes: len(places)}
	bounds[0] = 1
	k, known := 1, true
	for lane := 1; lane < nlanes; lane++ {
		j, likely := l.beginning(places, data[from:from+n], max(bounds[k-1], lane*nplaces/nlanes))
		if j+1 >= len(places) {
			break
		}
		known = known && likely
		bounds[k] = j + 1
		k++
	}
	bounds[k] = len(places)
	markGaps(places, t.gap)
	run := laneRun{table: unsafe.Pointer(unsafe.SliceData(t.entries)), events: unsafe.Pointer(&l.strips[0].events), data: data[from : from+n], machine: m, laneTable: t}
	for i := range k {
		s := &l.strips[i]
		s.from, s.to, s.row = from, from+n, guess
		if i == 0 {
			s.row = row
		} else {
			s.from = from + int(places[bounds[i]-1]&placeOffset) + 1
			l.strips[i-1].to = s.from
		}
		run.lanes[i] = newLane(&places[bounds[i]-1], t.from(s.row), i)
		run.left[i] = bounds[i+1] - bounds[i]
	}
	if k == nlanes {
		run.together((*laneRun).steps)
	}
	for i := range k {
		s := &l.strips[i]
		run.alone(i)
		if i == k-1 {
			run.rest(i, (places[len(places)-1]+1)&placeOffset)
		}
		s.nevents, s.end = int(run.lanes[i].nevents-uintptr(i)*laneEvents), run.row(i)
		if i > 0 && !l.learn(data[s.from], s.row == l.strips[i-1].end) {
			break
		}
		l.n++
	}
	if l.n == k {
		l.again = 0
		return
	}
	if known {
		return // next time it is known better
	}
	l.again = min(max(2*l.again, laneRest), laneRestMost)
	l.rest = l.again
}

// mostEnds is how many symbols that end records are looked at for one behind which a record is likely
// to begin.
const mostEnds = 64

// beginning is the number of the first place from number j on that ends a record, as far as one can
// tell by the symbol behind it. likely is false if all that were looked at mostly did not.
func (l *lanes) beginning(places []uint32, data []byte, j int) (number int, likely bool) {
	first, ends := -1, l.table.ends
	for seen := 0; j < len(places) && seen < mostEnds; j++ {
		if uint8(places[j]>>placeGroup)&noGroup != ends {
			continue
		}
		behind := int(places[j]&placeOffset) + 1
		if behind >= len(data) {
			break
		}
		if c := data[behind]; l.begins[c] >= l.goesOn[c] {
			return j, true
		}
		if seen++; first < 0 {
			first = j
		}
	}
	if first < 0 {
		return len(places), true
	}
	return first, false
}

// learn notes whether a record began with symbol c behind one that ends records.
func (l *lanes) learn(c byte, begins bool) bool {
	of := &l.goesOn[c]
	if begins {
		of = &l.begins[c]
	}
	if *of++; *of == 255 {
		l.begins[c] /= 2
		l.goesOn[c] /= 2
	}
	return begins
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
	lanes         [nlanes]lane
	left          [nlanes]int // places that they have not stepped
	table, events unsafe.Pointer
	data          []byte // places are offsets in it
	machine       *machine
	laneTable     *laneTable
}

// lane is how far one of them is.
type lane struct {
	place   unsafe.Pointer // of *uint32: the last that was stepped
	last    laneEntry      // what it did
	nevents uintptr        // where the next goes, from the first event of all strips on
}

// laneEvents is how many events those of a strip lie behind those of the one before.
const laneEvents = unsafe.Sizeof(laneStrip{}) / unsafe.Sizeof(event(0))

// newLane is lane number i, behind a place.
func newLane(before *uint32, last laneEntry, i int) lane {
	return lane{unsafe.Pointer(before), last, uintptr(i) * laneEvents}
}

// row is that of the state in which a lane is.
func (r *laneRun) row(i int) uint32 {
	return r.machine.Row(dfa.StateID(r.lanes[i].last >> (32 + r.laneTable.shift)))
}

// markGapsGeneric marks the places between which and the one before, places[0] for the first, there is
// filler, and takes placeMark away, so that what stands above the offset is an index: see laneStep.
func markGapsGeneric(places []uint32, gap uint32) {
	last, places := places[0], places[1:]
	for i, x := range places {
		between := (x - last - 1) & placeOffset
		places[i], last = x&^(placeMark<<placeGroup)|gap&-((between+placeOffset)>>placeGroup), x
	}
}

// note puts an event where the next goes, and counts it unless it is quiet.
func note(events unsafe.Pointer, n uintptr, place uint32, e dfa.Entry) (next uintptr) {
	*(*event)(unsafe.Add(events, n*8)) = event(place)<<32 | event(e)
	return n + uintptr(e>>7&1^1)
}

// laneStep is what the symbol at a place does, behind last.
func laneStep(table unsafe.Pointer, place uint32, last laneEntry) laneEntry {
	return *(*laneEntry)(unsafe.Add(table, uintptr(uint32(last>>32)|place>>placeGroup)*8))
}

// together steps all lanes as far as the shortest goes, by steps or stepsGeneric.
func (r *laneRun) together(steps func(r *laneRun, n int)) {
	for {
		n := slices.Min(r.left[:])
		if n == 0 {
			return
		}
		before := r.lanes
		steps(r, n)
		care := false
		for i := range r.lanes {
			stepped := int(uintptr(r.lanes[i].place)-uintptr(before[i].place)) / 4
			r.left[i] -= stepped
			if stepped > 0 && r.lanes[i].last.entry()&careful != 0 {
				r.care(i)
				care = true
			}
		}
		if !care {
			return
		}
	}
}

// stepsGeneric steps n symbols of each lane, or until care is needed.
//
// Indices are not checked: places are of symbols with a group, and a row is a state's.
func (r *laneRun) stepsGeneric(n int) {
	table, events := r.table, r.events
	a, b, c, d := &r.lanes[0], &r.lanes[1], &r.lanes[2], &r.lanes[3]
	pa, pb, pc, pd := a.place, b.place, c.place, d.place
	va, vb, vc, vd := a.last, b.last, c.last, d.last
	na, nb, nc, nd := a.nevents, b.nevents, c.nevents, d.nevents
	i := uintptr(0)
	for end := uintptr(n) * 4; i < end; {
		i += 4
		x := *(*uint32)(unsafe.Add(pa, i))
		va = laneStep(table, x, va)
		na = note(events, na, x, va.entry())

		x = *(*uint32)(unsafe.Add(pb, i))
		vb = laneStep(table, x, vb)
		nb = note(events, nb, x, vb.entry())

		x = *(*uint32)(unsafe.Add(pc, i))
		vc = laneStep(table, x, vc)
		nc = note(events, nc, x, vc.entry())

		x = *(*uint32)(unsafe.Add(pd, i))
		vd = laneStep(table, x, vd)
		nd = note(events, nd, x, vd.entry())
		if (va|vb|vc|vd).entry()&careful != 0 {
			break
		}
	}
	*a = lane{unsafe.Add(pa, i), va, na}
	*b = lane{unsafe.Add(pb, i), vb, nb}
	*c = lane{unsafe.Add(pc, i), vc, nc}
	*d = lane{unsafe.Add(pd, i), vd, nd}
}

// alone steps what is left of a lane.
func (r *laneRun) alone(i int) {
	for x := &r.lanes[i]; r.left[i] > 0; r.left[i]-- {
		x.place = unsafe.Add(x.place, 4)
		place := *(*uint32)(x.place)
		x.last = laneStep(r.table, place, x.last)
		x.nevents = note(r.events, x.nevents, place, x.last.entry())
		if x.last.entry()&careful != 0 {
			r.care(i)
		}
	}
}

// care steps the filler before a lane's last symbol, and that, as the filler did something; the last
// event says so, and gives way to theirs.
func (r *laneRun) care(i int) {
	x := &r.lanes[i]
	place, before := *(*uint32)(x.place), *(*uint32)(unsafe.Add(x.place, -4))
	x.nevents--
	r.each(i, (before+1)&placeOffset, place&placeOffset+1)
}

// rest steps what follows the last of all symbols, which is filler from place on.
func (r *laneRun) rest(i int, place uint32) {
	if end := uint32(len(r.data)); place < end && !r.machine.smooth(r.row(i)) {
		r.each(i, place, end)
	} else {
		r.lanes[i].last = r.laneTable.from(r.machine.walk(r.data[place:], r.row(i)))
	}
}

// each steps the symbols from one place up to another, and notes what each of them does.
func (r *laneRun) each(i int, from, to uint32) {
	x, row := &r.lanes[i], r.row(i)
	for q := from; q < to; q++ {
		e := quietly(r.machine.jumps[row|uint32(r.data[q])])
		x.nevents, row = note(r.events, x.nevents, q, e), e.Row()
	}
	x.last = r.laneTable.from(row)
}
