//go:build cuda

package gpu

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file finds hops, by which the path of lines reads records without stepping
// them, see kernels/fused/hops.cuh: a run of symbols that all leave the automaton
// where it is, and up to four behind it that do not.
//
//	record   2024-05-06 07:08:09 INFO [main] a.B - started
//	hops     0123456789012345678|----|-|---|--|--|--|------|
//
// What comes of a hop is found by following the automaton along it once, over some
// records of the first flight; which symbols would do the same is asked of the
// automaton, so that a record that takes these hops gives what stepping it would.

// Of records that hops are found from.
const (
	sampledPlaces = 4        // of a flight, where so many
	sampledAt     = 16       // records are read
	sampledMost   = 4096     // of up to so many symbols
	sampledSeen   = 16 << 10 // symbols from there on are looked at for which there are
)

const (
	highBits = 0x80808080
	noOdd    = 0xff // is in no text
)

// lineHops are the hops of an automaton. A node is where one may begin.
type lineHops struct {
	a     *dfa.Automaton
	lines *lineSteps
	class []uint8 // of fields, that they must have
	least int     // fields of a record, and
	most  int
	value bool // what is read is no record, but a value that is taken apart: nothing is at its end

	odd   int       // a symbol that none of their records has, -1: there is none such
	seen  [256]bool // symbols that records may have where they are hopped over
	runs  map[int]lineRun
	nodes map[hopNode]int // numbers
	likes map[int]hopSymbol
	same  map[hopAlike]bool
	at    []foundHop // in the order in which they were found
}

// hopNode is where a hop may begin: in a state, before the number of a field, of which
// there has been no data, or some that may go on, or that is done.
type hopNode struct {
	state  int
	number int
	phase  hopPhase
}

type hopPhase uint8

const (
	hopBefore hopPhase = iota
	hopWithin
	hopAfter
)

// lineRun is the run that begins in a state: it leads to state `to`, and ends at some symbols, or where
// the record does. Others lead there from both, as data.
type lineRun struct {
	to   int
	ends []byte
	rest bool // in each state that symbols of the run lead to, the record's end says the same
	ok   bool

	folded uint32 // lineHops.folded, if it folds
	folds  bool
}

// hopSymbol are the symbols that one of a hop may be.
type hopSymbol struct{ low, high, fold byte }

// takes reports whether c is one of them.
func (s hopSymbol) takes(c byte) bool { return c|s.fold >= s.low && c|s.fold <= s.high && c < 0x80 }

// hopAlike asks whether two states do the same with symbols, or with all others.
type hopAlike struct {
	a, b   int
	with   hopSymbol
	others bool
}

// foundHop is a hop between two nodes.
type foundHop struct {
	from, to int
	image    hopImage
	count    int // records that took it
}

// newLineHops prepares to find them for a binding.
func newLineHops(a *dfa.Automaton, lines *lineSteps, plan *runtime.Plan, b *runtime.Binding) *lineHops {
	x := &lineHops{a: a, lines: lines, least: b.MinFields, most: b.MaxFields, odd: noOdd, runs: map[int]lineRun{}, nodes: map[hopNode]int{}, likes: map[int]hopSymbol{}, same: map[hopAlike]bool{}}
	if b.Rest >= 0 {
		x.most = b.Rest
	}
	if len(plan.Program.Widths) > 0 { // a record is one field, and then cut
		x.least, x.most = 1, 1
	}
	x.class = make([]uint8, 256)
	for c, field := range b.Source {
		if field >= 0 && field < len(x.class) {
			x.class[field] = plan.Columns[c].Class
		}
	}
	return x
}

// newValueHops prepares to find those of values that are taken apart into so many parts by an
// automaton; nil: it has too many transitions.
func newValueHops(a *dfa.Automaton, parts int) *lineHops {
	lines := newValueSteps(a)
	if lines == nil {
		return nil
	}
	return &lineHops{a: a, lines: lines, most: parts, class: make([]uint8, 256), value: true, odd: -1, runs: map[int]lineRun{}, nodes: map[hopNode]int{}, likes: map[int]hopSymbol{}, same: map[hopAlike]bool{}, seen: allSymbols}
}

// allSymbols is where nobody knows which there are.
var allSymbols = func() (all [256]bool) {
	for c := range all {
		all[c] = true
	}
	return all
}()

// step is what kernels/lines.cu takes for a symbol.
func (x *lineHops) step(state int, symbol byte) uint32 {
	return stepped(x.lines.steps[state*x.lines.groups+int(x.a.Group[symbol])])
}

// stepped is a step without what is said of the state.
func stepped(step uint32) uint32 {
	if plain(step) {
		return step & lineNext
	}
	return step
}

// end is the step of a record's last symbol, where the input goes on.
func (x *lineHops) end(state int) uint32 {
	if x.lines.told > 0 {
		return stepped(x.lines.steps[state*x.lines.groups+x.lines.told])
	}
	return x.step(state, byte(x.lines.symbol))
}

func (x *lineHops) next(step uint32) int { return int(step&lineNext) / x.lines.groups }

// plain reports whether a step only says that its symbol is data.
func plain(step uint32) bool { return step&lineEvent == 0 }

// ends reports whether the symbol, wherever it is, is a record's last one.
func (x *lineHops) ends(symbol int) bool { return x.lines.told == 0 && symbol == x.lines.symbol }

// run is that which begins in a state.
func (x *lineHops) run(state int) lineRun {
	r, ok := x.runs[state]
	if !ok {
		if r = x.findRest(state); !r.ok {
			r = x.findRun(state)
			if r.ok && len(r.ends) == 0 { // one symbol, and then
				r.rest = x.findRest(r.to).ok
			}
			if r.ok && len(r.ends) > 2 {
				r.folded, r.folds = x.folded(r.ends)
			}
		}
		x.runs[state] = r
	}
	return r
}

// findRun takes the state to which most symbols lead.
func (x *lineHops) findRun(state int) lineRun {
	count := make([]int, x.a.NStates())
	r := lineRun{to: -1}
	for symbol := range 256 {
		if step := x.step(state, byte(symbol)); plain(step) {
			to := x.next(step)
			if count[to]++; r.to < 0 || count[to] > count[r.to] {
				r.to = to
			}
		}
	}
	if r.to < 0 {
		return r
	}
	for symbol := range 256 {
		if x.ends(symbol) || symbol == x.odd {
			continue
		}
		for _, from := range []int{state, r.to} {
			if step := x.step(from, byte(symbol)); !plain(step) || x.next(step) != r.to {
				r.ends = append(r.ends, byte(symbol))
				break
			}
		}
	}
	r.ok = len(r.ends) <= 2 || len(r.ends) < 255 && x.a.NGroups <= 64
	return r
}

// findRest is for where the record goes on to its end whatever its symbols are.
func (x *lineHops) findRest(state int) lineRun {
	r := lineRun{to: state, rest: true}
	last := x.end(state)
	if last&lineWhat != lineField || last&(lineEvent|lineRecord) != lineEvent|lineRecord {
		return r
	}
	in, todo := map[int]bool{state: true}, []int{state}
	for len(todo) > 0 {
		from := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if (x.end(from)^last)&^lineNext != 0 {
			return r
		}
		for symbol := range 256 {
			step := x.step(from, byte(symbol))
			switch to := x.next(step); {
			case x.ends(symbol) || symbol == x.odd:
			case x.lines.begins != nil && step&lineWhat == lineOther && !plain(step): // not within a record
			case !plain(step):
				return r
			case !in[to]:
				in[to] = true
				todo = append(todo, to)
			}
		}
	}
	r.ok = true
	return r
}

// like are the symbols around one that lead from a state to where it leads, as a range, perhaps of
// letters of both cases, which fold says.
func (x *lineHops) like(state int, symbol byte) hopSymbol {
	key := state<<8 | int(symbol)
	found, ok := x.likes[key]
	if !ok {
		found = x.findLike(state, symbol)
		x.likes[key] = found
	}
	return found
}

func (x *lineHops) findLike(state int, symbol byte) hopSymbol {
	of := func(c int) bool {
		return c >= 0 && c < 128 && !x.ends(c) && x.step(state, byte(c)) == x.step(state, symbol)
	}
	around := func(c int, is func(c int) bool) (low, high byte) {
		from, to := c, c
		for is(from - 1) {
			from--
		}
		for is(to + 1) {
			to++
		}
		return byte(from), byte(to)
	}
	low, high := around(int(symbol), of)
	const letter = 'a' - 'A'
	if c := int(symbol) | letter; c >= 'a' && c <= 'z' {
		both := func(c int) bool { return c >= 'a' && c <= 'z' && of(c) && of(c-letter) }
		if both(c) {
			if l, h := around(c, both); h-l > high-low {
				return hopSymbol{l, h, letter}
			}
		}
	}
	return hopSymbol{low, high, 0}
}

// learn follows one record, which ends at the last symbol of `record`, or a value before that, and adds the hops that it
// takes. Where it cannot be read so, those up to there are of no use, and are not taken by others.
func (x *lineHops) learn(record []byte) {
	stop := len(record) - 1
	node := hopNode{state: int(x.lines.resume)}
	var took []int
	for p := 0; ; {
		h, next, n, ok := x.hop(node, record, p, stop)
		if !ok {
			return
		}
		from := x.number(node)
		i := slices.IndexFunc(x.at, func(o foundHop) bool { return o.from == from && o.image == h })
		if i < 0 {
			if i = len(x.at); i >= lineHopsMost*4 {
				return
			}
			to := -1
			if h.What&hopLast == 0 {
				to = x.number(next)
			}
			x.at = append(x.at, foundHop{from: from, to: to, image: h})
		}
		took = append(took, i)
		if h.What&hopLast != 0 {
			break
		}
		node, p = next, n
	}
	for _, i := range took {
		x.at[i].count++
	}
}

func (x *lineHops) number(node hopNode) int {
	i, ok := x.nodes[node]
	if !ok {
		i = len(x.nodes)
		x.nodes[node] = i
	}
	return i
}

// hop is the one from a node on that a record takes at p, which ends at stop, and where it leads to.
func (x *lineHops) hop(node hopNode, record []byte, p, stop int) (h hopImage, next hopNode, end int, ok bool) {
	next = node
	q := p
	r := x.run(node.state)
	if r.ok = r.ok && node.phase != hopAfter; r.ok {
		q = r.end(record, p, stop)
	}
	if r.ok { // Where nothing is passed over, what follows must be the same.
		first, with := x.literal(r.to, record, q, stop)
		differs := node.phase == hopBefore && !plain(first) && first&lineWhat == lineSkip
		differs = differs || !x.alike(hopAlike{node.state, r.to, with, false}) || x.end(node.state) != x.end(r.to)
		switch {
		case !differs:
		case q == p:
			r.ok = false
		default:
			h.What |= hopMin
		}
	}
	retry := r.ok && !r.rest
	if r.ok {
		switch {
		case r.rest:
			h.What |= hopRunRest
		case len(r.ends) <= 2:
			h.What |= hopRunTwo
			both := append(slices.Clone(r.ends), byte(x.lines.symbol), byte(x.lines.symbol))
			h.A, h.B = uint32(both[0])*0x01010101, uint32(both[1])*0x01010101
			if x.lines.told > 0 { // it ends no run by itself
				h.B = uint32(both[max(len(r.ends), 1)-1]) * 0x01010101
			}
		case slices.Max(r.ends) < hopLowEnd:
			h.What |= hopRunLow
			h.A, h.B = x.staying(r.ends)
		case r.folds:
			h.What |= hopRunFolded
			h.A = r.folded
		case len(r.ends) <= 4:
			h.What |= hopRunFour
			for i := range 4 {
				h.A |= uint32(r.ends[min(i, len(r.ends)-1)]) << (8 * i)
			}
		default:
			h.What |= hopRunGroups
			h.A, h.B = x.staying(r.ends)
		}
		if next.state = r.to; q > p {
			next.phase = hopWithin
		}
	} else {
		q = p
	}
	data := true // all of these so far, as the run is
	n := 0
	for ; n < hopSymbols && h.What&hopLast == 0; n++ {
		at := q + n
		if n > 0 && at < stop {
			if y := x.run(next.state); y.ok && y.end(record, at, stop) > at {
				break // the next run
			}
		}
		step, with := x.literal(next.state, record, at, stop)
		what := step & lineWhat
		if n > 0 && next.phase == hopBefore && (plain(step) || what == lineField) {
			break // the next field has to begin with a hop
		}
		if n > 0 && !plain(step) && h.What&(hopStore|hopEnd) != 0 && next.phase == hopWithin {
			break // and what ends a field, with another
		}
		was := next.state
		switch {
		case at < stop && record[at] >= 0x80:
			return h, next, 0, false
		case plain(step):
			if next.phase == hopAfter {
				return h, next, 0, false
			}
			next.phase = hopWithin
		case at < stop && step&lineRecord != 0:
			return h, next, 0, false
		case what == lineSkip && step&lineEscape == 0:
			if next.phase == hopWithin {
				h.What |= hopEnd | uint32(n+hopBias)<<hopEndShift
				next.phase = hopAfter
			}
		case what == lineField:
			lag, column := int(step>>lineLag&lineMostLag), int(step>>lineColumn&lineNextColumn)
			opens := column == lineOpens
			if column >= lineOpens {
				column = next.number
			}
			if column >= x.most || x.class[column] != 0 && uint32(x.class[column]) != step>>lineClass&lineMostClass ||
				next.phase == hopBefore && lag > 0 || next.phase == hopAfter && lag > 1 {
				return h, next, 0, false
			}
			if next.phase != hopAfter {
				h.What |= hopEnd | uint32(n-lag+hopBias)<<hopEndShift
			}
			h.What |= hopStore | uint32(column)<<hopColumnShift
			if next.number, next.phase = column+1, hopBefore; opens {
				next.phase = hopWithin
				h.What |= hopStart | uint32(n)<<hopStartShift
			}
			if at == stop {
				if next.number < x.least {
					return h, next, 0, false
				}
				h.What |= hopLast
			}
		default:
			return h, next, 0, false
		}
		next.state = x.next(step)
		h.Low |= uint32(with.low) << (8 * n)
		h.High |= uint32(with.high) << (8 * n)
		h.Fold |= uint32(with.fold) << (8 * n)
		if n > 0 && retry {
			retry = data && x.end(was) == x.end(r.to) && x.alike(hopAlike{was, r.to, with, true})
		}
		data = data && plain(step)
	}
	h.Mask = highBits >> (8 * (hopSymbols - n))
	if x.value && h.What&hopLast != 0 { // the last is not there
		h.Mask = highBits >> (8 * (hopSymbols - n + 1))
	}
	h.High |= highBits
	h.What |= uint32(n)
	if retry && n > 1 {
		h.What |= hopRetry
	}
	if next.phase == hopBefore { // the field begins where the hop ends
		h.What |= hopStart | uint32(n)<<hopStartShift
	}
	return h, next, q + n, n > 0
}

// staying are bits of the symbol groups that none of some symbols is of.
func (x *lineHops) staying(ends []byte) (low, high uint32) {
	stays := ^uint64(0)
	for _, c := range ends {
		stays &^= 1 << x.a.Group[c]
	}
	return uint32(stays), uint32(stays >> 32)
}

// folded are two symbols, and bits of each, that say which symbols end a run: those that are one of the two
// but for these bits. Others than `ends` may be so, as few as can be, if no record has them: what stops there is
// still right, and only finds no hop.
func (x *lineHops) folded(ends []byte) (folded uint32, ok bool) {
	least := 256
	for _, a := range foldMasks {
		first, second, b := ends[0], ends[0], byte(0)
		for _, c := range ends {
			switch {
			case c|a == first|a:
			case second == first:
				second = c
			default:
				b |= c ^ second
			}
		}
		if bits.OnesCount8(b) > foldedMost {
			continue
		}
		others := 0
		for c := range 256 {
			if (byte(c)|a == first|a || byte(c)|b == second|b) && !slices.Contains(ends, byte(c)) {
				if others++; x.seen[c] {
					others = least
					break
				}
			}
		}
		if others < least {
			least, ok = others, true
			folded = uint32(first|a) | uint32(second|b)<<8 | uint32(a)<<16 | uint32(b)<<24
		}
	}
	return folded, ok
}

// foldedMost are the bits of a symbol that do not matter, at most.
const foldedMost = 2

// foldMasks have no bit, one or two.
var foldMasks = func() (masks []byte) {
	for mask := range 256 {
		if bits.OnesCount8(uint8(mask)) <= foldedMost {
			masks = append(masks, byte(mask))
		}
	}
	return masks
}()

// end is where a run from p on ends in a record.
func (r *lineRun) end(record []byte, p, stop int) int {
	for p < stop && !slices.Contains(r.ends, record[p]) {
		p++
	}
	return p
}

// literal is the step of a symbol that a hop does not pass over, and those that are as good.
func (x *lineHops) literal(state int, record []byte, at, stop int) (step uint32, with hopSymbol) {
	if at == stop {
		return x.end(state), hopSymbol{byte(x.lines.symbol), byte(x.lines.symbol), 0}
	}
	return x.step(state, record[at]), x.like(state, record[at])
}

// alike reports whether that is so, but for symbols that end records.
func (x *lineHops) alike(of hopAlike) bool {
	alike, ok := x.same[of]
	if !ok {
		alike = true
		for c := range 256 {
			if of.with.takes(byte(c)) != of.others && !x.ends(c) && x.step(of.a, byte(c)) != x.step(of.b, byte(c)) {
				alike = false
				break
			}
		}
		x.same[of] = alike
	}
	return alike
}

// images are those of records, which begin with the first hop.
func (x *lineHops) images() []hopImage { return x.imagesFrom(0) }

// imagesFrom are the hops that records took, from number first on, of each node those first that most took, but for
// those that others begin with: what a short one passes over may be the begin of a longer one. The first node is where
// records begin.
func (x *lineHops) imagesFrom(first int) []hopImage {
	hops := slices.DeleteFunc(slices.Clone(x.at), func(h foundHop) bool { return h.count == 0 })
	slices.SortStableFunc(hops, func(a, b foundHop) int { return b.count - a.count })
	hops = hops[:min(len(hops), lineHopsMost)]
	for n := -1; n != len(hops); { // of those that are left, all lead to the end
		n = len(hops)
		hops = slices.DeleteFunc(hops, func(h foundHop) bool {
			return h.to >= 0 && !slices.ContainsFunc(hops, func(o foundHop) bool { return o.from == h.to })
		})
	}
	slices.SortStableFunc(hops, func(a, b foundHop) int { return a.from - b.from })
	for i := range hops { // the first of its node's that no longer one behind it begins with
		for k := i + 1; k < len(hops) && hops[k].from == hops[i].from; k++ {
			if hops[k].image.beginsWith(hops[i].image) {
				longer := hops[k]
				copy(hops[i+1:k+1], hops[i:k])
				hops[i], k = longer, i
			}
		}
	}
	if len(hops) == 0 || hops[0].from != 0 {
		return nil
	}
	images := make([]hopImage, len(hops))
	for i, h := range hops {
		images[i] = h.image
		images[i].Next = uint32(first+max(slices.IndexFunc(hops, func(o foundHop) bool { return o.from == h.to }), 0)) << 16
		if i+1 < len(hops) && hops[i+1].from == h.from {
			images[i].Next |= uint32(first + i + 1)
		}
		if before := hops[max(i-1, 0)]; i > 0 && before.from == h.from && before.image.sameRun(h.image) {
			images[i].What |= hopSame
		}
	}
	return images
}

// sameRun reports whether the runs of two hops are the same.
func (h hopImage) sameRun(o hopImage) bool {
	return (h.What^o.What)&hopRun == 0 && h.A == o.A && h.B == o.B
}

// beginsWith reports whether a hop has more symbols behind its run than another, whose symbols its first ones may be.
func (h hopImage) beginsWith(o hopImage) bool {
	n := o.What & hopLength
	if h.What&hopLength <= n {
		return false
	}
	for i := range n {
		of := func(h hopImage) hopSymbol {
			return hopSymbol{byte(h.Low >> (8 * i)), byte(h.High>>(8*i)) & 0x7f, byte(h.Fold >> (8 * i))}
		}
		a, b := of(h), of(o)
		both := false
		for c := range 128 {
			both = both || a.takes(byte(c)) && b.takes(byte(c))
		}
		if !both {
			return false
		}
	}
	return true
}

// sample has hops found from records of a flight, the first of which begins in a state, and gives these.
func (x *lineHops) sample(data []byte, state dfa.StateID) (records [][]byte) {
	x.odd, x.runs, x.nodes, x.at, x.seen = noOdd, map[int]lineRun{}, map[hopNode]int{}, nil, [256]bool{} // of flights before, all depends on what was odd
	for place := range sampledPlaces {
		p := len(data) / sampledPlaces * place
		for _, symbol := range data[p:min(p+sampledSeen, len(data))] {
			x.seen[symbol] = true
		}
		if place > 0 || state != x.lines.resume {
			p = x.stop(data, p) + 1
		}
		for range sampledAt {
			stop := x.stop(data, p)
			if stop >= len(data) || p > stop {
				break
			}
			records = append(records, data[p:stop+1])
			p = stop + 1
		}
	}
	x.findOdd(records)
	for symbol := range x.seen { // of what ends records, and records that are not hopped
		x.seen[symbol] = x.seen[symbol] && !x.ends(symbol) && symbol != x.odd
	}
	for _, r := range records {
		x.learn(r)
	}
	return records
}

// sampleValues has hops found from a field of such records.
func (x *lineHops) sampleValues(of *lineHops, field int, records [][]byte) {
	for _, r := range records {
		of.a.Walk(r, of.lines.resume, func(raw *dfa.RawRecord) bool {
			for _, f := range raw.Fields {
				if f.Column == field {
					x.learn(append(bytes.Clone(f.Value), 0))
				}
			}
			return false
		})
	}
}

// findOdd finds a symbol that ends the runs of many states, as a carriage return does, and is
// in none of the records: where it is, there are no hops.
func (x *lineHops) findOdd(records [][]byte) {
	var ends [256]int
	for state := range x.a.NStates() {
		run := x.findRun(state).ends
		for _, symbol := range run {
			ends[symbol]++
		}
		if len(run) == 1 { // which without it goes to the record's end
			ends[run[0]] += x.a.NStates()
		}
	}
	for _, r := range records {
		for _, symbol := range r {
			ends[symbol] = 0
		}
	}
	for symbol, n := range ends {
		if n > 0 && (x.odd == noOdd || n > ends[x.odd]) {
			x.odd = symbol
		}
	}
}

// stop is where the record ends that begins at p, len(data) or more if that is far.
func (x *lineHops) stop(data []byte, p int) int {
	for from := p; ; {
		i := bytes.IndexByte(data[min(from, len(data)):min(p+sampledMost, len(data))], byte(x.lines.symbol))
		if i < 0 {
			return len(data)
		}
		if from += i + 1; x.lines.begins == nil || x.lines.begins.behind(data[from:]) {
			return from - 1
		}
	}
}
