package cpu

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

// A run of a field's data may be interrupted by symbols that lead back into it: an escape, a
// doubled quote, the first symbol of a literal without the second. Such a *detour* is stepped,
// and the run goes on behind it, so that a record with one takes the same hops as the others.
// Where not all symbols of a detour are data for themselves, the field is decoded from there on
// once its record has been read.
//
//	record   "GET /a\"b HTTP/1.1" 200
//	run      ──────▶  ──────────▶
//	detour         ──

// maxDetour bounds the symbols of a detour.
const maxDetour = 16

// mostFutile is how many records that left a path at a hop were taken on in vain, more than that many
// times those that came back to it.
const mostFutile = 32

// detoured is a field that has to be decoded. Offsets are in the window.
type detoured struct {
	record     uint32 // the row, or that of those abreast
	field      int32  // -1: that which the first hop ends,
	hop        uint32 // from this one of its path, or trace, on
	open, from uint32 // its data begins at one, and is to be decoded from the other on,
	row        uint32 // in this row
}

// detours are the groups whose symbols may begin a detour out of the run of n, or, where n has none, an escape with
// which the data of a field begins; and the node to which it leads.
//
//	user=-       before ─▶ no more
//	user=ab      before ─▶ within ──▶
//	user=\tb     before ══▶ within ─▶
func (k *hopper) detours(n hopNode) (groups uint64, to hopNode) {
	if n.phase != before && n.phase != within {
		return 0, n
	}
	stay, data := k.loop(n)
	row, begins := k.machine.Row(n.state), stay == 0 && n.phase == before
	if to = n; begins {
		var ok bool
		if to, ok = k.dataBehind(n); !ok {
			return 0, n
		}
	} else if stay == 0 || !data {
		return 0, n
	}
	for g, symbol := range k.symbol {
		e := k.machine.Entries[row|uint32(symbol)]
		if stay>>g&1 == 0 && !e.Boundary() && e.Kind() != dfa.Error && (!begins || k.machine.Emission(e).Escape) && k.leads(e.Row(), k.machine.Row(to.state)) {
			groups |= 1 << g
		}
	}
	return groups, to
}

// dataBehind is the node to which escapes lead from n that has a run of data. It reports whether there is one, and no
// other.
func (k *hopper) dataBehind(n hopNode) (to hopNode, ok bool) {
	m := k.machine
	seen := map[uint32]bool{}
	var rows []uint32
	follow := func(row uint32, escapes bool) {
		for _, symbol := range k.symbol {
			e := m.Entries[row|uint32(symbol)]
			if !e.Boundary() && e.Kind() != dfa.Error && !seen[e.Row()] && (!escapes || m.Emission(e).Escape) {
				seen[e.Row()] = true
				rows = append(rows, e.Row())
			}
		}
	}
	follow(m.Row(n.state), true)
	for i := 0; i < len(rows); i++ {
		next := hopNode{state: state(rows[i]), column: n.column, phase: within}
		if stay, data := k.loop(next); stay == 0 || !data {
			follow(rows[i], false)
		} else if ok {
			return n, false
		} else {
			to, ok = next, true
		}
	}
	return to, ok
}

// escapes reports whether a detour as detour takes it begins at node n with data[p].
func (k *hopper) escapes(data []byte, n hopNode, p int) bool {
	groups, to := k.detours(n)
	if groups>>k.group[data[p]]&1 == 0 {
		return false
	}
	_, plain, ok := k.machine.detour(data, p, k.machine.Row(n.state), k.machine.Row(to.state))
	return ok && !plain
}

// leads reports whether symbols that end nothing lead from one row to the other, a few of them.
func (k *hopper) leads(from, to uint32) bool {
	seen := map[uint32]bool{from: true}
	rows := []uint32{from}
	for range maxDetour {
		var next []uint32
		for _, row := range rows {
			if row == to {
				return true
			}
			for _, symbol := range k.symbol {
				if e := k.machine.Entries[row|uint32(symbol)]; !e.Boundary() && e.Kind() != dfa.Error && !seen[e.Row()] {
					seen[e.Row()] = true
					next = append(next, e.Row())
				}
			}
		}
		rows = next
	}
	return false
}

// detour steps from data[p] on until the automaton is in row to, and gives the offset there and
// whether all symbols were data for themselves. It reports whether there is such a way.
func (m *machine) detour(data []byte, p int, row, to uint32) (q int, plain, ok bool) {
	plain = true
	for q = p; q < min(p+maxDetour, len(data)); {
		e := m.Entries[row|uint32(data[q])]
		switch e.Kind() {
		case dfa.Data:
			plain = plain && !e.Coded()
		case dfa.Skip:
			plain = false
		default:
			return q, plain, false
		}
		q++
		if row = e.Row(); row == to {
			return q, plain, true
		}
	}
	return q, plain, false
}

// detour takes a record that hops have led to d.from over a detour out of run, or into it if h is
// not of its node or it has none, and gives the offset behind it. It reports whether there is one.
func (k *hopper) detour(data []byte, run, h *hop, d detoured) (at uint32, ok bool) {
	d.row = k.machine.Row(k.nodes[h.node].state)
	q, plain, ok := k.machine.detour(data, k.from+int(d.from), d.row, k.behindDetour(run))
	if ok && !plain {
		k.detoured = append(k.detoured, d)
	}
	return uint32(q - k.from), ok
}

// decodes reports whether there is a detour as detour takes it, of symbols that are not all data for
// themselves: others are learnt, as they may be what all records have.
func (k *hopper) decodes(data []byte, run, h *hop, p int) bool {
	m := k.machine
	_, plain, ok := m.detour(data, k.from+p, m.Row(k.nodes[h.node].state), k.behindDetour(run))
	return ok && !plain
}

// behindDetour is the row in which the automaton is behind a detour of run.
func (k *hopper) behindDetour(run *hop) (row uint32) {
	return k.machine.Row(k.nodes[k.hops[run.into].node].state)
}

// fieldBehind is the column of the first field that one of some hops ends, as they are traced, -1 if
// none does.
func (k *hopper) fieldBehind(trace []uint32) (column int) {
	for _, x := range trace {
		if h := &k.hops[x>>1]; h.field >= 0 {
			return int(h.field)
		}
	}
	return -1
}

// rejoin takes records that have left p at hop number along hops of their own, and over detours, until
// they are where p comes by as well. There they wait for the others.
//
//	hops of p    a ─▶ b ─▶ c ─▶ d ─▶ e
//	a record     a ─▶ x ─▶ y ─▶ d
func (w *worker) rejoin(data []byte, p *path, number int, passed uint32) {
	k := w.hopper
	if p.hops[number].watched == 0 {
		return
	}
	b, h := k.abreast, &k.hops[p.hops[number].hop]
	if h.futile > mostFutile { // so much was tried for nothing that it has to wait
		h.futile--
		return
	}
	n := b.numberLeft(number)
	if n == 0 {
		p.hops[number].watched--
	}
	if n == 0 || n >= minUsed && k.leavesTo(h, p, number, n) {
		return
	}
	first := k.roots[k.pathRow]
	if number > 0 {
		first = p.next[number-1]
	}
	for r := b.nextLeft(0, uint32(number)); r < b.n; r = b.nextLeft(r+1, uint32(number)) {
		if b.joining && b.crlf && b.further[b.record[r]] == joinedLines {
			continue
		}
		at, place, value, ended, ndetoured := b.at[r], b.place[r], b.value[r], b.ended[r], len(k.detoured)
		if b.place[r] += passed; w.alongOthers(data, p, number, r, first) {
			h.futile = max(0, h.futile-mostFutile)
			continue
		}
		h.futile++
		b.at[r], b.place[r], b.value[r], b.ended[r], b.left[r] = at, place, value, ended, uint32(number)
		k.detoured = k.detoured[:ndetoured]
	}
}

// manyLeft is how many records that have left a path at a hop are worth a path, and mostOffered after
// how many they are no longer left to be read by themselves, so that one is found.
const (
	manyLeft    = maxAbreast / 16
	mostOffered = maxAbreast
)

// leavesTo reports whether n records that have left p at a hop are left to another path, or to
// be one.
func (k *hopper) leavesTo(h *hop, p *path, number, n int) bool {
	for i := range k.paths {
		if q := &k.paths[i]; q == p {
			for j := i + 1; j < len(k.paths); j++ {
				if k.paths[j].common[i] == number {
					return true
				}
			}
		}
	}
	if n < manyLeft || h.offered >= mostOffered {
		return false
	}
	h.offered += int32(min(n, manyLeft))
	return true
}

// numberLeftGeneric is how many records have left a path at a hop, or manyLeft or more if there are as many.
func (b *abreast) numberLeftGeneric(hop int) (n int) {
	for i := 0; i < b.n && n < manyLeft; i += manyLeft {
		for _, left := range b.left[i:min(i+manyLeft, b.n)] { // without a branch, as there may be many or few
			n += int((uint64(left^uint32(hop)) - 1) >> 63)
		}
	}
	return n
}

// watchedFor is how many times it is looked whether records leave at a hop, after some did.
const watchedFor = 16

// waits is added to the number of the hop that a record waits for.
const waits = 1 << 16

// mostOthers is how many hops of its own a record may take until it is back at a path.
const mostOthers = 128

// alongOthers takes record r, which is before hop first, along what fits until p comes by behind hop
// number. It reports whether that is so.
func (w *worker) alongOthers(data []byte, p *path, number, r int, first int32) bool {
	k := w.hopper
	b, m, undecoded := k.abreast, k.machine, len(k.detoured)
	places := unsafe.Pointer(unsafe.SliceData(k.places))
	for range mostOthers {
		lead := &k.hops[first]
		run, back := lead, false // the latter behind a detour
		if lead.run == runLead {
			run = &k.hops[lead.next]
		}
		var h *hop
		for at, j := b.at[r], b.place[r]; h == nil; {
			if at, j = k.runEnd(data, places, run, at, j); at == placeOffset {
				return false
			}
			of, offset := run, k.from+int(at)
			if at == b.at[r] && !back {
				of = lead
			}
			group := k.group[data[offset]]
			if h = k.fitting(of, data, offset, group); h != nil {
				b.reached[r], b.found[r] = at, j
				break
			}
			if run.detours>>group&1 == 0 {
				return false
			}
			row := m.Row(k.nodes[of.node].state)
			q, plain, ok := m.detour(data, offset, row, k.behindDetour(run))
			if !ok {
				return false
			}
			if !plain {
				k.detoured = append(k.detoured, detoured{record: b.record[r], field: -1, open: b.value[r], from: at, row: row})
			}
			at, run, back = uint32(q-k.from), &k.hops[run.into], true
		}
		b.left[r] = onWay
		b.arriveAnyhow(h, r, r+1, w.nrows, uint32(k.from-w.base), k.back(h))
		if h.field >= 0 {
			for ; undecoded < len(k.detoured); undecoded++ {
				k.detoured[undecoded].field = h.field
			}
		}
		y := len(p.hops)
		if h.does&endsRecord != 0 {
			if last := &k.lasts[h.last]; last.kind != p.last.kind || last.row != p.last.row || last.column != p.last.column || last.class != p.last.class {
				return false
			}
		} else if y = p.comesBy(number, h.next); y < 0 || b.place[r] < p.passed[y] {
			first = h.next
			continue
		} else {
			b.place[r] -= p.passed[y]
		}
		b.left[r] = waits + uint32(y)
		b.waiting++
		for ; undecoded < len(k.detoured); undecoded++ {
			k.detoured[undecoded].hop = uint32(y)
		}
		return true
	}
	return false
}

// comesBy is the number of the first hop of p behind one that begins with a hop, -1 if none does.
func (p *path) comesBy(number int, first int32) int {
	for i := number; i+1 < len(p.next); i++ {
		if p.next[i] == first {
			return i + 1
		}
	}
	return -1
}

// fitting is the hop of a node, of which of is the first, that fits at data[p], nil if none does.
func (k *hopper) fitting(of *hop, data []byte, p int, group uint8) *hop {
	for {
		if of.does&odd == 0 && of.fitsAt(data, p, group) {
			return of
		}
		if of.alt < 0 {
			return nil
		}
		of = &k.hops[of.alt]
	}
}

// goOn lets those that have waited for hop number go on with the others.
func (b *abreast) goOn(number int) {
	if b.waiting == 0 {
		return
	}
	how := waits + uint32(number)
	r := b.nextLeft(0, how)
	if b.waiting >= manyLeft { // without a branch, as many may go on
		n := uint32(0)
		for i, left := range b.left[r:b.n] {
			goes := isEqual(left, how)
			b.left[r+i] = left | -goes // which is onWay
			n += goes
		}
		b.waiting -= int(n)
		return
	}
	for ; r < b.n; r = b.nextLeft(r+1, how) {
		b.left[r] = onWay
		b.waiting--
	}
}

// nextLeft is the first of the records from number r on that has left a path as said, b.n if none has.
func (b *abreast) nextLeft(r int, how uint32) int {
	left := unsafe.Slice((*byte)(unsafe.Pointer(&b.left)), 4*b.n)
	for r < b.n {
		i := bytes.IndexByte(left[4*r:], byte(how)) // most have left nowhere
		if i < 0 {
			break
		}
		if r += i / 4; b.left[r] == how {
			return r
		}
		r++
	}
	return b.n
}

// runEnd is where the run of h ends that begins at at, placeOffset if not in the window, and the
// number of its place.
func (k *hopper) runEnd(data []byte, places unsafe.Pointer, h *hop, at, j uint32) (_, _ uint32) {
	if h.run == runNear {
		e, j := endOfRun(places, j, at, h.stay)
		return e & placeOffset, j
	}
	for ; k.from+int(at) < k.to; at++ {
		if h.run != runBytes || h.stay>>k.group[data[k.from+int(at)]]&1 == 0 {
			return at, j
		}
	}
	return placeOffset, j
}

// fitsAt reports whether data[p], of a group, and what follows it are the symbols of the hop.
func (h *hop) fitsAt(data []byte, p int, group uint8) bool {
	return h.accept>>group&1 != 0 && (h.symbols == 1 || h.fits(binary.LittleEndian.Uint64(data[p+1:])))
}

// decodeTaken decodes fields of the records that have now taken all of p.
func (w *worker) decodeTaken(ck *chunk, p *path) {
	k := w.hopper
	b := k.abreast
	left := k.detoured[:0]
	for i := range k.detoured {
		d := &k.detoured[i]
		if b.end[d.record] == noEnd {
			left = append(left, *d)
			continue
		}
		for ; d.field < 0 && int(d.hop) < len(p.hops); d.hop++ {
			d.field = k.hops[p.hops[d.hop].hop].field
		}
		w.decodeDetoured(ck, d, w.nrows+int(d.record), int(d.field))
	}
	k.detoured = left
}

// decodeDetoured decodes a field of a row, if it is one of the row.
func (w *worker) decodeDetoured(ck *chunk, d *detoured, row, column int) {
	if column < 0 || column >= len(w.dest) || w.dest[column] < 0 {
		return
	}
	f, from := &w.fields[w.dest[column]], w.hopper.from
	if f.Start[row] != uint32(from-w.base)+d.open { // it is decoded, as it had a detour before, or the column has another field
		return
	}
	w.field = field{end: -1, open: from + int(d.open), from: from + int(d.from), row: d.row}
	w.decodeField(ck, f, row, w.settlers[w.dest[column]])
}
