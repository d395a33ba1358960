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
// More things are steps of a series: a literal behind a field, if all its symbols are places; a run
// that in most records goes over the same places, as that of a time does; and hops within a field, as
// those of [id name="value"].

// series is hops of a path, from first to end-1.
type series struct {
	first, end int
	steps      []seriesStep // there is one more in front, for vector code
	over       uint32       // how many of them are places that a run goes over
	half       bool         // the data of the last field ends, but the field does not yet
}

// seriesStep goes up to a place, at which a field may end: by one hop; or the data by one and the field by
// the next, whose only symbol is none of the places, and the first of the next field.
type seriesStep struct {
	start, end unsafe.Pointer // of the field that ends, by row; nil if none does
	mark       uint32         // of the place,
	least      uint32         // which is at least so many symbols behind the one before,
	span       uint32         // and at most so many more
	hop        int32          // the first of the path
	stays      uint32         // 1 within a field; if not, the next one begins behind the place
	fields     uint32         // if a field ends: so many of those behind it end one as well, without others between
}

// leastSteps is the fewest that are worth a series.
const leastSteps = 3

// anySpan is more than there is in a window.
const anySpan = placeOffset

// findSeries finds the series of p. Where the first hop tells lines that begin no record, it is in none.
func (k *hopper) findSeries(p *path) {
	p.series = nil // the old ones may be gone through just now
	i := 1
	if p.last.back == 0 {
		i = 0
	}
	for i < len(p.hops) {
		s := k.seriesFrom(p, i)
		if len(s.steps) >= leastSteps {
			countFields(s.steps)
			s.steps = slices.Insert(s.steps, 0, seriesStep{})[1:]
			p.series = append(p.series, s)
		}
		i = max(i+1, s.end)
	}
}

// seriesFrom is the longest series of p from a hop on, up to where records come from other paths.
func (k *hopper) seriesFrom(p *path, first int) series {
	s := series{first: first, end: first}
	past := uint32(0) // the place before, so many symbols
	for i := first; i < len(p.hops) && (i == first || i != p.joint.hop && !slices.Contains(p.common[:], i) && !p.isByway(i)); {
		x := &p.hops[i]
		h := &k.hops[x.hop]
		if x.slow || p.beginsByway(i) || !k.endsAtPlace(x) || p.passed[i] != p.passed[first]+uint32(len(s.steps))-s.over {
			break
		}
		step := seriesStep{least: past, span: anySpan, hop: int32(i)}
		field, at := h, h.symbols // the field that ends, at this symbol of those of h
		switch does := h.does &^ jumps; {
		case does == stores|bare|begins && 0 < h.back && h.back <= h.symbols && h.valueBack == 0 && k.literalListed(h):
			at = h.symbols - h.back
		case does == endsData && h.run == runNear && h.symbols == 1 && h.endBack == 1 && i+1 < len(p.hops) && i+1 != p.joint.hop && k.overNoPlace(p.hops[i+1]):
			field, at = &k.hops[p.hops[i+1].hop], 0
		case does == begins && h.valueBack == 0 && k.literalListed(h):
			field, at = nil, 0
		case does == 0 && k.literalListed(h):
			field = nil
		default:
			return s
		}
		for _, g := range x.over {
			step.mark, step.stays = (placeMark|uint32(g))<<placeGroup, 1
			s.steps = append(s.steps, step)
			step.least = 1
		}
		switch {
		case h.run == runNone:
			step.span = 0
		case x.lead && len(x.over) == 0:
			step.least++
		}
		step.mark = (placeMark | uint32(bits.TrailingZeros64(h.accept))) << placeGroup
		for n := range h.symbols {
			if n > 0 {
				step = seriesStep{mark: (placeMark | uint32(k.group[byte(h.same>>(8*(n-1)))])) << placeGroup, least: 1, hop: int32(i)}
			}
			step.stays = 0
			switch {
			case n < at:
				step.stays = 1
			case n == at && field != nil:
				step.start, step.end = field.start, field.end
			}
			s.steps = append(s.steps, step)
		}
		s.half, past = field != nil && field != h, 1
		s.over += uint32(len(x.over))
		if i++; s.half {
			i, past = i+1, 2 // half, unless another step shows that the symbol is no place
			s.end = i - 1
			continue
		}
		s.end = i
	}
	return s
}

// countFields sets how many steps that end fields lie side by side.
func countFields(steps []seriesStep) {
	n := uint32(0)
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].start == nil || steps[i].stays != 0 {
			n = 0
			continue
		}
		steps[i].fields = n
		n++
	}
}

// endsAtPlace reports whether a hop goes up to one symbol, at the next place that is none of its run.
func (k *hopper) endsAtPlace(x *pathHop) bool {
	h := &k.hops[x.hop]
	return (h.run == runNear || h.run == runNone && !x.lead) && bits.OnesCount64(h.accept) == 1 && h.accept&(h.stay|^k.listed) == 0
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

// listLiterals makes symbols of p places as well, if they are no letters or digits, so that there may be series over
// them: one before which several hops within a field begin, and, of the first path, one that records begin with, and
// those of literals between fields that end at places.
func (k *hopper) listLiterals(p *path, first bool) {
	for i := 0; i+2 < len(p.hops); i++ {
		h, next := &k.hops[p.hops[i].hop], &p.hops[i+1]
		groups, does := uint64(0), h.does&^jumps
		switch one := h.run == runNone && h.symbols == 1 && bits.OnesCount64(h.accept) == 1; {
		case one && i == 0 && first && p.last.back == 0 && does == begins && h.valueBack == 0 && k.endsField(&k.hops[next.hop]),
			one && i > 0 && does == 0 && k.within(next) && k.within(&p.hops[i+2]):
			if c := k.symbol[bits.TrailingZeros64(h.accept)]; h.accept&k.shared == 0 && isSign(c) {
				groups = h.accept
			}
		case i > 0 && first && k.endsField(h) && k.endsField(&k.hops[next.hop]):
			for n := range h.symbols - 1 {
				c := byte(h.same >> (8 * n))
				if h.mask>>(8*n)&0xFF == 0 || !isSign(c) {
					groups = 0
					break
				}
				groups |= 1 << k.group[c]
			}
		}
		if groups&^k.listed != 0 {
			k.listed |= groups
			k.grew = true
		}
	}
}

// within reports whether all that a hop does is to go up to a place within a field.
func (k *hopper) within(x *pathHop) bool {
	h := &k.hops[x.hop]
	return h.run == runNear && k.endsAtPlace(x) && h.does&^jumps == 0 && k.literalListed(h)
}

// endsField reports whether all that h does is to end a field at a place of one symbol, and to begin the next
// behind the hop.
func (k *hopper) endsField(h *hop) bool {
	return h.run == runNear && bits.OnesCount64(h.accept) == 1 && h.accept&h.stay == 0 &&
		h.does&^jumps == stores|bare|begins && h.back == h.symbols && h.valueBack == 0
}

// isSign reports whether a symbol is neither a letter nor a digit, and can be printed.
func isSign(c byte) bool { return ' ' < c && c < 0x7F && !isWord[c] }

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
	if hasLeaps() {
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
		before, from, value, all := overSteps(&steps[0], len(steps), unsafe.Add(places, uintptr(b.place[r])*4), row, b.at[r], b.value[r], delta)
		if !all {
			b.halted = append(b.halted, uint8(r))
			continue
		}
		b.place[r] += s.over
		if b.at[r] = before + 1; s.half {
			b.ended[r], b.value[r] = before, from
			continue
		}
		b.value[r] = value
		if last := &steps[len(steps)-1]; last.start != nil {
			*(*uint32)(unsafe.Add(last.start, row)) = from + delta
			*(*uint32)(unsafe.Add(last.end, row)) = before + delta
		}
	}
}

// overSteps takes a record that is at an offset over n steps, but for the field of the last one, and gives where that
// ends and begins, where the field begins that the record is in behind them, and whether it takes them all. It is for
// itself so that all of it stays in registers.
//
//go:noinline
func overSteps(step *seriesStep, n int, next unsafe.Pointer, row uintptr, at, value, delta uint32) (_, from, _ uint32, all bool) {
	var start, end unsafe.Pointer
	for {
		p := *(*uint32)(next) ^ step.mark
		if p > placeOffset || p-at-step.least > step.span {
			return 0, 0, 0, false
		}
		// The field before counts, as it is seen what follows.
		if start != nil {
			*(*uint32)(unsafe.Add(start, row)) = from + delta
			*(*uint32)(unsafe.Add(end, row)) = at + delta
		}
		at, next, n = p, unsafe.Add(next, 4), n-1
		if start = step.start; start != nil {
			from, end = value, step.end
			for fields := step.fields; fields > 0; fields-- {
				step = (*seriesStep)(unsafe.Add(unsafe.Pointer(step), unsafe.Sizeof(*step)))
				p := *(*uint32)(next) ^ step.mark
				if p > placeOffset || p-at-step.least > step.span {
					return 0, 0, 0, false
				}
				*(*uint32)(unsafe.Add(start, row)) = from + delta
				*(*uint32)(unsafe.Add(end, row)) = at + delta
				from, start, end, at, next, n = at+1, step.start, step.end, p, unsafe.Add(next, 4), n-1
			}
			value = at + 1
		} else if step.stays == 0 {
			value = at + 1
		}
		if n == 0 {
			return at, from, value, true
		}
		step = (*seriesStep)(unsafe.Add(unsafe.Pointer(step), unsafe.Sizeof(*step)))
	}
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
	record                        unsafe.Pointer // nil if rows lie side by side
	halted                        unsafe.Pointer // bits of the records that have not taken the series
	n, nsteps, first, half        uint64         // records, steps, the row of the first record, and whether the series is half
	delta, onWay, offsets, one    uint32
	over                          uint32
}

// overSeries is overSeriesGeneric for all records, by vector code. It is asked only if there is some.
func (b *abreast) overSeries(places unsafe.Pointer, s *series, first int, delta uint32) {
	l := &b.inSeries
	l.places, l.steps = places, unsafe.Add(unsafe.Pointer(&s.steps[0]), -int(unsafe.Sizeof(seriesStep{})))
	l.n, l.nsteps, l.first, l.half, l.delta, l.over = uint64(b.n), uint64(len(s.steps)), uint64(first), 0, delta, s.over
	if l.record = nil; !b.whole {
		l.record = unsafe.Pointer(&b.record)
	}
	if s.half {
		l.half = 1
	}
	for r := b.n; r%leapLanes != 0; r++ {
		b.left[r] = 0
	}
	clear(b.haltedSets[:])
	if seriesVector(l) == 0 {
		return
	}
	for i, set := range b.haltedSets[:(b.n+63)/64] {
		for ; set != 0; set &= set - 1 {
			b.halted = append(b.halted, uint8(64*i+bits.TrailingZeros64(set)))
		}
	}
}
