package cpu

import (
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

// root is the first hop of records that begin in a row, if there is room for it.
func (k *hopper) root(w *worker, row uint32) (first int32, ok bool) {
	if len(k.hops) >= maxHops || w.rest == 0 && !k.restFollows(w, state(row)) {
		return 0, false
	}
	first = k.node(w.beginning(row))
	k.roots[row] = first
	return first, true
}

// restFollows reports whether the next field is of the rest wherever it ends, from a state on
// that is behind all columns before the rest: where columns are named, one of these may come
// again.
func (k *hopper) restFollows(w *worker, from dfa.StateID) bool {
	if !w.named {
		return true
	}
	if follows, known := k.rest[from]; known {
		return follows
	}
	m := k.machine
	follows := true
	seen := make([]bool, len(k.machine.AtEOF))
	seen[from] = true
	for next := []dfa.StateID{from}; follows && len(next) > 0; {
		row := m.Row(next[len(next)-1])
		next = next[:len(next)-1]
		for _, symbol := range k.symbol {
			e := m.Entries[row|uint32(symbol)]
			switch {
			case e.Kind() == dfa.Error:
			case e.Boundary():
				em := m.Emission(e)
				follows = follows && (em.Column == dfa.NextColumn || int(em.Column) >= w.rest)
			case !seen[e.Next()]:
				seen[e.Next()] = true
				next = append(next, e.Next())
			}
		}
	}
	k.rest[from] = follows
	return follows
}

// beginning is the node at which a record begins.
func (w *worker) beginning(row uint32) hopNode {
	n := hopNode{state: state(row)}
	if w.rest == 0 {
		n.phase = resting
	}
	return n
}

// node is the first hop of a node. A new one has a run, and nothing is known of what
// follows; it lies behind all others.
func (k *hopper) node(n hopNode) (first int32) {
	if h, known := k.first[n]; known {
		return h
	}
	number := int32(len(k.hops))
	h := hop{alt: -1, node: int32(len(k.nodes)), self: uint32(number), field: -1}
	if stay, _ := k.loop(n); stay != 0 {
		h.stay, h.run = stay, runBytes
		if k.nsymbols(stay) >= majority {
			stops := (uint64(1)<<k.ngroups - 1) &^ stay
			h.run = runNear
			if stops&^k.listed != 0 {
				k.listed |= stops
				k.grew = true
			}
		}
	}
	k.hops, k.nodes = append(k.hops, h), append(k.nodes, n)
	k.first[n] = number
	if detours, to := k.detours(n); detours != 0 {
		into := k.node(to)
		k.hops[number].detours, k.hops[number].into = detours, into
	}
	return number
}

// minRun is the fewest symbols that a run of data consists of: within what looks like a
// literal, its first symbol may be repeated.
const minRun = 3

func (k *hopper) nsymbols(groups uint64) (n int) {
	for g := range k.ngroups {
		if groups>>g&1 != 0 {
			n += k.count[g]
		}
	}
	return n
}

// loop is the groups whose symbols leave the state of n as it is and do the same, as
// data if they are, and may be passed over there.
func (k *hopper) loop(n hopNode) (stay uint64, data bool) {
	var asData, asSkip uint64
	row := k.machine.Row(n.state)
	for g, symbol := range k.symbol {
		e := k.machine.Entries[row|uint32(symbol)]
		if e.Row() != row || e.Coded() && n.phase != resting {
			continue
		}
		switch e.Kind() {
		case dfa.Data:
			asData |= 1 << g
		case dfa.Skip:
			asSkip |= 1 << g
		}
	}
	switch {
	case n.phase == resting:
		return asData | asSkip, true
	case n.phase != after && k.nsymbols(asData) >= minRun:
		return asData, true
	}
	return asSkip, false
}

// learn makes a hop of what the automaton does at the symbol data[p], which ends the
// run of hop tail, and those that follow. It becomes the last alternative of the
// node, if that has others. A negative number says that there is none: the data ends,
// or there is noRoom.
func (k *hopper) learn(w *worker, data []byte, tail *hop, p int) (number int32) {
	others := 0
	for h := k.first[k.nodes[tail.node]]; h >= 0; h = k.hops[h].alt {
		others++
	}
	if others > maxOthers || len(k.hops)+3 > maxHops {
		return noRoom
	}
	l := newLesson(k, w, data[p:], tail)
	for end := goesOn; end == goesOn; {
		if l.i >= len(l.data) {
			return -1
		}
		end = l.take(l.data[l.i])
		if end == isOdd {
			l.hop.does = odd
		}
		if end != endsBefore {
			l.i++
		}
	}
	k.finish(&l.hop, l.i, l.valueAt, l.endAt)
	return k.add(tail, &l.hop, l.node, l.last)
}

// lesson is a hop while it is learnt from the symbols that it is for.
type lesson struct {
	k    *hopper
	w    *worker
	data []byte // from the first symbol of the hop on
	hop  hop
	node hopNode // behind the symbols before i
	row  uint32  // of its state
	i    int
	last *recordLast // of the record that ends with the hop, nil if none does

	valueAt, endAt int  // where the data of the field begins or ends, if that is in the hop
	begun          bool // valueAt is of a symbol before i
}

// lessonEnd is how a hop ends with the symbol at i.
type lessonEnd uint8

const (
	goesOn     lessonEnd = iota // it does not
	endsBefore                  // the symbol is of the next hop
	endsBehind
	isOdd // what the symbol does, no hop does
)

// newLesson begins the hop behind the run of tail.
func newLesson(k *hopper, w *worker, data []byte, tail *hop) *lesson {
	l := &lesson{k: k, w: w, data: data, node: k.nodes[tail.node]}
	l.hop = hop{stay: tail.stay, run: tail.run, detours: tail.detours, into: tail.into, node: tail.node, alt: -1, last: -1, field: -1}
	l.row = k.machine.Row(l.node.state)
	stay, asData := k.loop(l.node)
	switch {
	case stay == 0:
	case !asData && l.node.phase == within:
		l.hop.does |= endsBeforeRun
		l.node.phase = after
	case !asData && l.node.phase == before:
		l.hop.does |= begins
		l.begun = true
	case asData && l.node.phase == before:
		l.node.phase = within
	}
	return l
}

// take adds symbol c to the hop.
func (l *lesson) take(c byte) lessonEnd {
	k, n := l.k, &l.node
	e := k.machine.Entries[l.row|uint32(c)]
	em := k.machine.Emission(e)
	if l.i > 0 && em.Escape && k.escapes(l.data, *n, l.i) || !l.accept(c, k.alike(l.row, e)) {
		return endsBefore
	}
	if n.phase == doubtful {
		n.since++
	}
	if n.phase != resting && em.Coded() || n.since > maxSince {
		return isOdd
	}
	switch e.Kind() {
	case dfa.Error:
		return isOdd
	case dfa.Data:
		switch n.phase {
		case before:
			if l.i > 0 || l.begun {
				l.hop.does |= begins
				l.valueAt = l.i
			}
			n.phase = within
		case after:
			n.phase, n.since = doubtful, 1
		}
	case dfa.Skip:
		switch n.phase {
		case before:
			l.hop.does |= begins
			l.valueAt, l.begun = l.i+1, true
		case within:
			l.hop.does |= endsData
			l.endAt = l.i
			n.phase = after
		}
	default:
		return l.endField(e, em)
	}
	l.row, n.state = e.Row(), e.Next()
	if stay, _ := k.loop(*n); stay != 0 {
		if n.phase == doubtful { // it goes on, or nobody knows for how long
			return isOdd
		}
		return endsBehind
	}
	return goesOn
}

// accept has the hop compare symbol c, beside which alike do the same. It reports whether it can.
func (l *lesson) accept(c byte, alike uint64) bool {
	if l.i == 0 {
		l.hop.accept = alike
		return true
	}
	single, digits := l.k.spell(alike)
	at := 8 * (l.i - 1)
	switch {
	case l.i == maxSymbols:
		return false
	case single:
		l.hop.mask |= 0xFF << at
		l.hop.same |= uint64(c) << at
	case digits:
		l.hop.digits |= 0xFF << at
	default:
		return false
	}
	return true
}

// forget has the hop compare symbol i no more.
func (l *lesson) forget() {
	l.hop.mask &= 1<<(8*(l.i-1)) - 1
	l.hop.same &= l.hop.mask
	l.hop.digits &= 1<<(8*(l.i-1)) - 1
}

// endField ends the field, and its record if e does, with the symbol at i.
func (l *lesson) endField(e dfa.Entry, em *dfa.Emission) lessonEnd {
	k, w, h, n := l.k, l.w, &l.hop, &l.node
	if h.does&begins != 0 && n.phase != before {
		// Where the data of the field that ends here begins is noted first.
		if l.i == 0 {
			return isOdd
		}
		l.forget()
		return endsBefore
	}
	if n.phase == doubtful {
		if int(em.Lag)+1 < int(n.since) { // it did go on
			return isOdd
		}
		n.phase, n.since = after, 0
	}
	column, ok := k.boundary(w, h, n, em, l.i)
	if !ok {
		return isOdd
	}
	if n.phase != after && h.does&(stores|bare) == stores { // up to its end, or it is empty
		h.does |= endsData
		l.endAt = l.i
	}
	if e.Kind() == dfa.Record {
		h.does |= endsRecord
		h.does &^= begins
		l.last = &recordLast{row: k.machine.Row(k.machine.resume(em, e)), column: column, class: em.Class, kind: em.Record}
		l.last.back = l.i + 1 - em.After(l.i)
		*n = w.beginning(l.last.row)
		return endsBehind
	}
	n.state, n.column = e.Next(), int16(column)
	if n.phase == resting {
		return endsBehind
	}
	open := em.Opens(l.i)
	if n.phase = within; open > l.i {
		n.phase = before
	}
	h.does |= begins
	l.valueAt = open
	if w.rest >= 0 && column >= w.rest {
		if !k.restFollows(w, n.state) {
			return isOdd
		}
		n.phase, l.valueAt = resting, em.After(l.i)
	}
	return endsBehind
}

// alike is the groups of the symbols that do in row what e does.
func (k *hopper) alike(row uint32, e dfa.Entry) (groups uint64) {
	for g, symbol := range k.symbol {
		if k.machine.Entries[row|uint32(symbol)] == e {
			groups |= 1 << g
		}
	}
	return groups
}

// spell reports whether groups have a single symbol, or are the digits.
func (k *hopper) spell(groups uint64) (single, digits bool) {
	n, ndigits := k.nsymbols(groups), 0
	for c := byte('0'); c <= '9'; c++ {
		if groups>>k.group[c]&1 != 0 {
			ndigits++
		}
	}
	return n == 1, n == 10 && ndigits == 10
}

// boundary notes where the field goes whose end is found at symbol i of h, and gives
// the column after it. It reports whether it is one that a good record may have.
func (k *hopper) boundary(w *worker, h *hop, n *hopNode, em *dfa.Emission, i int) (next int, ok bool) {
	if em.Code != 0 || em.Kind == dfa.Record && em.Record >= dfa.FirstDirective {
		return 0, false
	}
	column := int(n.column)
	if em.Column != dfa.NextColumn {
		column = int(em.Column)
	}
	next, h.field = column+1, int32(column)
	h.back = uint32(int32(int(em.Lag) - i)) // from the symbol after the run; see finish
	ends := em.Kind == dfa.Record
	d := -1
	switch {
	case ends && em.Record != dfa.DataRecord:
		return next, true
	case n.phase == resting:
		if !ends {
			return next, true
		}
		d = w.dest[w.rest]
	case w.rest >= 0 && column >= w.rest:
		return 0, false // the rest without a field before it
	case column >= len(w.dest) || w.classes[column] != 0 && w.classes[column] != em.Class:
		return 0, false
	default:
		d = w.dest[column]
	}
	if ends && next < w.binding.MinFields {
		return 0, false
	}
	if d >= 0 {
		h.start, h.end = unsafe.Pointer(&w.fields[d].Start[0]), unsafe.Pointer(&w.fields[d].End[0])
		h.does |= stores
		if n.phase != after && !(k.machine.overtakes && int(em.Lag) > i) {
			h.does |= bare
		}
		if n.phase == before {
			h.does |= empty
		}
	}
	return next, true
}

// finish counts the symbols of h, and from its end where what it notes lies.
func (k *hopper) finish(h *hop, symbols, valueAt, endAt int) {
	h.symbols = uint32(symbols)
	h.back += uint32(symbols)
	h.valueBack, h.endBack = uint32(symbols-valueAt), uint32(symbols-endAt)
}

// add makes h, which leads to node n, or to the next record, a hop after tail: in the
// place of tail if nothing is known of what follows there.
func (k *hopper) add(tail, h *hop, n hopNode, last *recordLast) int32 {
	number := int32(tail.self)
	if tail.accept != 0 {
		tail.alt = int32(len(k.hops))
		number = tail.alt
		k.hops = append(k.hops, *h)
	}
	if h.does&odd == 0 {
		next := k.node(n)
		if h.next = next; next != number+1 {
			h.does |= jumps
		}
		if to := &k.hops[next]; h.symbols == 1 && h.run == runNone && h.does&^jumps == 0 && to.stay == h.accept {
			if _, data := k.loop(n); data || n.phase != within { // else the data ends behind the symbol, before the run
				h.run = runLead
			}
		}
		if last != nil {
			h.last = int32(len(k.lasts))
			if last.behind = noRow; !k.mayEndLine(h) { // else what is passed over is another line
				last.behind = k.behindLine(last.row)
			}
			k.lasts = append(k.lasts, *last)
		}
	}
	h.self = uint32(number)
	k.hops[number] = *h
	return number
}
