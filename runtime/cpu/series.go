package cpu

import (
	"math/bits"
	"slices"
	"unsafe"
)

// Most hops of a template end a field at the very next place. Where several such hops follow one
// another, the places at which their fields end lie side by side, and no run has to be gone over: these
// hops are a *series*. A record takes all of it at once, or none of it: then it takes one hop after the
// other.
//
//	record     …80 0/12/345 [06/Feb] "-"
//	places        ␣ /  /   ␣[  /   ]␣   ␣
//	series        ␣ /  /   ␣[  /   ]␣   ␣      each so far at least behind the one before, or just behind it
//
// Two more things are steps of a series: a literal behind a field, if all its symbols are places; and a run
// that in most records goes over the same places, as that of a time does.

// series is hops of a path, from first to end-1.
type series struct {
	first, end int
	steps      []seriesStep // there is one more in front, for vector code
	over       uint32       // how many of them are places that a run goes over
	half       bool         // the data of the last field ends, but the field does not yet
}

// seriesStep is where a field ends: by one hop; or the data by one and the field by the next, whose
// only symbol is none of the places, and the first of the next field. Where a run goes over places, it
// is taken for a field up to each of them, and so is a literal's symbol: what these note is noted where
// another step of the same field, or of the next, will note what is true.
type seriesStep struct {
	start, end unsafe.Pointer // of the field, by row
	mark       uint32         // of the place,
	least      uint32         // which is at least so many symbols behind the one before,
	span       uint32         // and at most so many more
	hop        int32          // the first of the path
}

// leastSteps is the fewest that are worth a series.
const leastSteps = 3

// anySpan is more than there is in a window.
const anySpan = placeOffset

// findSeries finds the series of p. The first hop tells lines that begin no record, and is in none.
func (k *hopper) findSeries(p *path) {
	p.series = nil // the old ones may be gone through just now
	for i := 1; i < len(p.hops); {
		s := k.seriesFrom(p, i)
		if len(s.steps) >= leastSteps {
			s.steps = slices.Insert(s.steps, 0, s.steps[0])[1:]
			p.series = append(p.series, s)
		}
		i = max(i+1, s.end)
	}
}

// seriesFrom is the longest series of p from a hop on.
func (k *hopper) seriesFrom(p *path, first int) series {
	s := series{first: first, end: first}
	past, nopen := uint32(0), 0 // the place before, so many symbols; so many last steps are of a literal
	open := s                   // as it was before these
	for i := first; i < len(p.hops) && (i == first || i != p.joint.hop); {
		x := &p.hops[i]
		h := &k.hops[x.hop]
		if x.slow || h.run != runNear || bits.OnesCount64(h.accept) != 1 || h.accept&(h.stay|^k.listed) != 0 ||
			p.passed[i] != p.passed[first]+uint32(len(s.steps))-s.over {
			break
		}
		field, literal := h, uint32(0)
		switch does := h.does &^ jumps; {
		case does == stores|bare|begins && h.back == h.symbols && h.valueBack == 0 && k.literalListed(h):
			literal = h.symbols - 1
		case does == endsData && h.symbols == 1 && h.endBack == 1 && i+1 < len(p.hops) && i+1 != p.joint.hop && k.overNoPlace(p.hops[i+1]):
			field = &k.hops[p.hops[i+1].hop]
		default:
			return s.until(open, nopen)
		}
		for n := range nopen {
			step := &s.steps[len(s.steps)-1-n]
			step.start, step.end = field.start, field.start
		}
		if nopen = int(literal); nopen > 0 {
			open = s
		}
		step := seriesStep{start: field.start, end: field.end, least: past, span: anySpan, hop: int32(i)}
		for _, g := range x.over {
			step.mark = (placeMark | uint32(g)) << placeGroup
			s.steps = append(s.steps, step)
			step.start, step.least = field.end, 1
		}
		if x.lead && len(x.over) == 0 {
			step.least++
		}
		step.mark = (placeMark | uint32(bits.TrailingZeros64(h.accept))) << placeGroup
		s.steps = append(s.steps, step)
		for n := range literal {
			step.mark = (placeMark | uint32(k.group[byte(h.same>>(8*n))])) << placeGroup
			step.least, step.span = 1, 0
			s.steps = append(s.steps, step)
		}
		s.over += uint32(len(x.over))
		s.half, past = field != h, 1
		if i++; s.half {
			i, past = i+1, 2 // half, unless another step shows that the symbol is no place
			s.end = i - 1
			continue
		}
		s.end = i
	}
	return s.until(open, nopen)
}

// until is s, or what it was before a literal that no field follows.
func (s series) until(open series, nopen int) series {
	if nopen > 0 {
		return open
	}
	return s
}

// literalListed reports whether the symbols of h behind the first are places, whatever h goes over.
func (k *hopper) literalListed(h *hop) bool {
	for n := range h.symbols - 1 {
		if h.mask>>(8*n)&0xFF == 0 || k.listed>>k.group[byte(h.same>>(8*n))]&1 == 0 {
			return false
		}
	}
	return true
}

// overNoPlace reports whether a hop goes over any symbol that is no place, and the first symbol of the
// next field, where the data of a field ended one symbol before.
func (k *hopper) overNoPlace(x pathHop) bool {
	h := &k.hops[x.hop]
	others := (uint64(1)<<k.ngroups - 1) &^ k.listed
	return !x.lead && !x.slow && (h.run == runBytes || h.run == runNone) && h.symbols == 1 && others&^h.accept == 0 && others&h.stay == 0 &&
		h.does&^jumps == stores|begins && h.valueBack == 1 && h.back <= 2
}

// listLiterals makes the symbols of literals between fields of p that end at places of their own places
// as well, if they are no letters or digits, so that there may be series over them.
func (k *hopper) listLiterals(p *path) {
	for i := 1; i+1 < len(p.hops); i++ {
		h := &k.hops[p.hops[i].hop]
		if h.symbols == 1 || !k.endsField(h) || !k.endsField(&k.hops[p.hops[i+1].hop]) {
			continue
		}
		var groups uint64
		for n := range h.symbols - 1 {
			c := byte(h.same >> (8 * n))
			if h.mask>>(8*n)&0xFF == 0 || c <= ' ' || c >= 0x7F || isWord[c] {
				groups = 0
				break
			}
			groups |= 1 << k.group[c]
		}
		if groups&^k.listed != 0 {
			k.listed |= groups
			k.grew = true
		}
	}
}

// endsField reports whether all that h does is to end a field at a place of one symbol, and to begin the next
// behind the hop.
func (k *hopper) endsField(h *hop) bool {
	return h.run == runNear && bits.OnesCount64(h.accept) == 1 && h.accept&h.stay == 0 &&
		h.does&^jumps == stores|bare|begins && h.back == h.symbols && h.valueBack == 0
}

// isWord has letters and digits.
var isWord = func() (is [256]bool) {
	for c := range is {
		is[c] = '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	return is
}()

// maxOver is how many places the run of a hop in a series may go over.
const maxOver = 8

// gone is where the records abreast were before a hop.
type gone struct{ at, place [maxAbreast]uint32 }

// before notes where the records abreast are before a hop of p, if nobody has looked yet whether its run goes over the
// same places in most of them. It reports whether that is to be done behind it.
func (k *hopper) before(x *pathHop) bool {
	b := k.abreast
	if x.looked || b.n < minUsed || b.waiting > 0 || !k.endsField(&k.hops[x.hop]) {
		return false
	}
	copy(b.gone.at[:b.n], b.at[:b.n])
	copy(b.gone.place[:b.n], b.place[:b.n])
	return true
}

// behind looks for places that the run of a hop that has been taken went over in most of the records
// abreast. It reports whether there are any.
func (k *hopper) behind(x *pathHop, passed uint32) bool {
	b := k.abreast
	var most []uint8
	n, same := 0, 0
	for r := range b.n {
		if b.left[r] != onWay {
			continue
		}
		var over [maxOver]uint8
		count := 0
		for _, place := range k.places[passed+b.gone.place[r] : passed+b.place[r]] {
			if place&placeOffset >= b.gone.at[r] {
				if count < maxOver {
					over[count] = uint8(place >> placeGroup & 63)
				}
				count++
			}
		}
		if n++; count > maxOver {
			continue
		}
		if most == nil {
			most = slices.Clone(over[:count])
		}
		if slices.Equal(most, over[:count]) {
			same++
		}
	}
	x.looked = n >= minUsed
	if !x.looked || n-same > n/mostHalted || len(most) == 0 {
		return false
	}
	x.over, x.slow, x.halted = most, false, 0
	return true
}

// takeSeries takes the records abreast over s, or away from its hops. It reports whether it does so with
// all. Else those that have taken it wait for the hop behind it.
func (k *hopper) takeSeries(w *worker, data []byte, p *path, s *series) (all bool) {
	b, delta := k.abreast, uint32(k.from-w.base)
	places := unsafe.Pointer(&k.places[p.passed[s.first]])
	b.halted = b.halted[:0]
	if b.whole && hasLeaps() {
		b.overSeries(places, s, w.nrows, delta)
	} else {
		b.overSeriesGeneric(places, s, 0, b.n, w.nrows, delta)
	}
	if p.tried += b.n; p.tried > mostTried {
		p.tried = 0
		for i := range p.hops {
			p.hops[i].halted = 0
		}
	}
	if len(b.halted) == 0 && b.waiting == 0 {
		return true
	}
	few := len(b.halted)+b.waiting <= b.n/fewHalted
	if !few {
		for r := range b.n {
			if b.left[r] == onWay {
				b.left[r] = waits + uint32(s.end)
				b.waiting++
			}
		}
	}
	slow := false
	for _, r := range b.halted {
		if !few {
			b.left[r] = onWay
			b.waiting--
		}
		x := &p.hops[s.haltsAt(places, b.place[r], b.at[r])]
		if x.halted++; p.tried >= maxAbreast && x.halted > p.tried/mostHalted {
			x.slow, slow = true, true
		}
	}
	if few {
		w.takeHalted(data, p, s)
	}
	if slow {
		k.findSeries(p)
	}
	return few
}

// fewHalted: where no more than one in so many records does not take a series, these take its hops by
// themselves, and the others do not wait for them.
const fewHalted = 4

// takeHalted takes the records that are halted over the hops of s, one by one.
func (w *worker) takeHalted(data []byte, p *path, s *series) {
	k := w.hopper
	b := k.abreast
	for number := s.first; number < s.end; number++ {
		if how := waits + uint32(number); b.waiting > 0 { // they go on with these, as in goOn
			for r := b.nextLeft(0, how); r < b.n; r = b.nextLeft(r+1, how) {
				b.left[r] = onWay
				b.waiting--
				b.halted = append(b.halted, uint8(r))
			}
		}
		left, still := false, b.halted[:0]
		for _, r := range b.halted {
			if k.takeAlone(w, data, &p.hops[number], p.passed[number], int(r)) {
				still = append(still, r)
			} else {
				b.left[r], left = uint32(number), true
			}
		}
		if b.halted = still; left {
			w.rejoin(data, p, number, p.passed[number])
		}
	}
}

// takeAlone takes record r of those abreast over a hop, if it goes there, which it reports.
func (k *hopper) takeAlone(w *worker, data []byte, x *pathHop, passed uint32, r int) bool {
	b, h := k.abreast, &k.hops[x.hop]
	if passed > uint32(k.nplaces+maxSymbols) {
		return false
	}
	at, j := k.runEnd(data, unsafe.Pointer(&k.places[passed]), h, b.at[r], b.place[r])
	if at == placeOffset || x.lead && at == b.at[r] || !h.fitsAt(data, k.from+int(at), k.group[data[k.from+int(at)]]) {
		return false
	}
	b.reached[r], b.found[r] = at, j
	b.arriveAnyhow(h, r, r+1, w.nrows, uint32(k.from-w.base), k.back(h))
	return true
}

// A hop at which more than one of mostHalted records do not take a series is left out of it. That is
// counted of so many records.
const (
	mostHalted = 8
	mostTried  = 1 << 12
)

// overSeriesGeneric takes the records on their way, from one number up to another, over s, and notes
// those that do not take it.
func (b *abreast) overSeriesGeneric(places unsafe.Pointer, s *series, from, to, first int, delta uint32) {
	steps := s.steps
	for r := from; r < to; r++ {
		if b.left[r] != onWay {
			continue
		}
		row := (uintptr(first) + uintptr(b.record[r])) * 4
		before, value, all := overSteps(steps, unsafe.Add(places, uintptr(b.place[r])*4), row, b.at[r], b.value[r], delta)
		if !all {
			b.halted = append(b.halted, uint8(r))
			continue
		}
		b.place[r] += s.over
		if b.at[r] = before + 1; s.half {
			b.ended[r], b.value[r] = before, value
			continue
		}
		last := &steps[len(steps)-1]
		*(*uint32)(unsafe.Add(last.start, row)) = value + delta
		*(*uint32)(unsafe.Add(last.end, row)) = before + delta
		b.value[r] = before + 1
	}
}

// overSteps takes a record that is at an offset over steps, but for the field of the last one, and gives
// where that ends and begins, and whether the record takes them all. It is for itself so that all of it stays
// in registers.
//
//go:noinline
func overSteps(steps []seriesStep, next unsafe.Pointer, row uintptr, at, value, delta uint32) (_, _ uint32, all bool) {
	step := &steps[0]
	p := *(*uint32)(next) ^ step.mark
	if p > placeOffset || p-at-step.least > step.span {
		return 0, 0, false
	}
	start, end := step.start, step.end
	before := p
	for i := 1; i < len(steps); i++ {
		step, next = &steps[i], unsafe.Add(next, 4)
		p := *(*uint32)(next) ^ step.mark
		if p > placeOffset || p-before-step.least > step.span {
			return 0, 0, false
		}
		// The field before counts, as it is seen what follows.
		*(*uint32)(unsafe.Add(start, row)) = value + delta
		*(*uint32)(unsafe.Add(end, row)) = before + delta
		value, before = before+1, p
		start, end = step.start, step.end
	}
	return before, value, true
}

// haltsAt is the hop of the path at which a record does not take s that is at an offset, and has the
// places from number j on.
func (s *series) haltsAt(places unsafe.Pointer, j, at uint32) int {
	for i := range s.steps {
		step := &s.steps[i]
		p := *(*uint32)(unsafe.Add(places, uintptr(j)*4+uintptr(i)*4)) ^ step.mark
		if p > placeOffset || p-at-step.least > step.span {
			return int(step.hop)
		}
		at = p
	}
	return s.first
}

// seriesLeap is a series of records side by side as the vector code is handed it.
type seriesLeap struct {
	places, steps                 unsafe.Pointer
	at, place, value, ended, left unsafe.Pointer
	n, nsteps, first, half        uint64 // records, steps, the row of the first record, and whether the series is half
	delta, onWay, offsets, one    uint32
	over                          uint32
}

// overSeries is overSeriesGeneric for all records, whose rows lie side by side, eight at a time. Of eight
// of which one does not take s, none does at first. It is asked only if there is vector code.
func (b *abreast) overSeries(places unsafe.Pointer, s *series, first int, delta uint32) {
	l := seriesLeap{
		places: places, steps: unsafe.Add(unsafe.Pointer(&s.steps[0]), -int(unsafe.Sizeof(seriesStep{}))), at: unsafe.Pointer(&b.at), place: unsafe.Pointer(&b.place),
		value: unsafe.Pointer(&b.value), ended: unsafe.Pointer(&b.ended), left: unsafe.Pointer(&b.left),
		n: uint64(b.n), nsteps: uint64(len(s.steps)), first: uint64(first), delta: delta, onWay: onWay, offsets: placeOffset, one: 1,
		over: s.over,
	}
	if s.half {
		l.half = 1
	}
	for r := b.n; r%leapLanes != 0; r++ {
		b.left[r] = 0
	}
	for halted := seriesVector(&l); halted != 0; halted &= halted - 1 {
		from := bits.TrailingZeros32(halted) * leapLanes
		b.overSeriesGeneric(places, s, from, min(from+leapLanes, b.n), first, delta)
	}
}
