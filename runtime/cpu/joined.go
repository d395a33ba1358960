package cpu

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// A record may go on over further lines. Most of these show in their first symbols that
// they begin no record: behind the line feed, and a symbol or two, the automaton is
// where it was, in the content of the last field, and all of that was content. Such
// lines are *joined* to the one before when records are collected, so that they are no
// lines of those abreast; and at the hop that ends the last field, its run goes on to
// the line feed before the next record without a look at what lies between.
//
//	2024-05-06 07:08:09 ERROR no        ◀ record
//	\tat a.B(B.java:1)                  joined
//	\tat a.C(C.java:2)                  joined
//	2024-05-06 07:08:10 INFO yes        ◀ record
//
// That is right if no symbol but a line feed can end the run in these lines, for which
// the window is searched, and if the record is in that run when its first line ends. Where
// the run ends at the carriage return of CR LF, these are the line ends, and each of the two
// has to stand beside the other; as it is no data, the field is copied without it. Records in
// which it is otherwise are read by themselves.

// joint is where records of several lines go on: at a hop of a path.
type joint struct {
	hop    int    // -1: records are lines
	row    uint32 // of the state in which the run is
	ending uint64 // groups whose symbols end it, but for line ends
	crlf   bool   // it ends at the first symbol of CR LF
}

// maxLines is how many lines are looked at for records to be read side by side.
const maxLines = 4 * maxAbreast

// maxJoined is how many symbols of a line are looked at, if a hop has said that it begins
// no record. Before that it is one.
const maxJoined = 256

// findJoint is that of the path of some hops.
func (k *hopper) findJoint(hops []uint32) joint {
	none := joint{hop: -1}
	feed, ret := uint64(1)<<k.feed, uint64(1)<<k.group['\r']
	if last := k.hops[hops[len(hops)-1]>>1].last; last < 0 || k.lasts[last].back == 0 {
		return none
	}
	for i := len(hops) - 1; i >= 0; i-- {
		h := &k.hops[hops[i]>>1]
		crlf := h.accept == ret && h.symbols > 1 && h.mask&0xFF != 0 && byte(h.same) == '\n' && k.count[k.group['\r']] == 1
		if h.accept != feed && !crlf {
			continue
		}
		n := k.nodes[h.node]
		if _, data := k.loop(n); h.run != runNear || !data || n.phase == resting {
			return none
		}
		if last := k.hops[hops[len(hops)-1]>>1].last; crlf && int(n.column)+1 != k.lasts[last].column {
			return none // the run is not of the last field
		}
		return joint{i, k.machine.Row(n.state), (uint64(1)<<k.ngroups - 1) &^ h.stay &^ feed &^ h.accept, crlf}
	}
	return none
}

// joinTraces are the traces of records that began in a row and are short enough for a
// path. Those of records of several lines are without what leads from the end of their
// first line to that of the last, so that they are alike however many there are.
func (k *hopper) joinTraces(row uint32) map[string]*trace {
	all := map[string]*trace{}
	var key []byte
	for _, t := range k.traces {
		if t.row != row || len(t.hops) >= maxPath {
			continue
		}
		hops := t.hops
		if last := k.findJoint(hops).hop; last >= 0 {
			hops = k.cut(hops, last)
		}
		key = key[:0]
		for _, x := range hops {
			key = binary.LittleEndian.AppendUint32(key, x)
		}
		if same := all[string(key)]; same != nil {
			same.records += t.records
		} else {
			all[string(key)] = &trace{row, hops, t.records}
		}
	}
	return all
}

// cut takes out of hops what leads from where the run of hop last is for the first time
// to where it is for the last.
func (k *hopper) cut(hops []uint32, last int) []uint32 {
	h := &k.hops[hops[last]>>1]
	row := k.nodes[h.node].state
	for i, x := range hops[:last] {
		first := &k.hops[x>>1]
		if k.nodes[first.node].state != row || first.stay != h.stay || first.run != h.run {
			continue
		}
		for same := k.first[k.nodes[first.node]]; same >= 0; same = k.hops[same].alt {
			if k.hops[same].likes(h) {
				// It is reached as at first, by way of a lead or not.
				return slices.Concat(hops[:i], []uint32{uint32(same)<<1 | x&1}, hops[last+1:])
			}
		}
	}
	return hops
}

// likes reports whether h and x do the same, and lead to the same.
func (h *hop) likes(x *hop) bool {
	return h.does&^jumps == x.does&^jumps && h.accept == x.accept && h.same == x.same && h.mask == x.mask && h.digits == x.digits && h.symbols == x.symbols &&
		h.start == x.start && h.end == x.end && h.back == x.back && h.endBack == x.endBack && h.valueBack == x.valueBack &&
		h.next == x.next && h.last == x.last
}

// joins reports whether the lines of records may be joined at j: it can be told where symbols end
// the run that are no line ends.
func (k *hopper) joins(j *joint) bool {
	if j.hop < 0 || j.ending&k.shared != 0 || j.crlf && !k.pairsReturns() {
		return false
	}
	if k.onRow != j.row || k.onCRLF != j.crlf {
		k.onRow, k.onCRLF = j.row, j.crlf
		first, ok := k.lineEnd(j.row, j.crlf)
		for c := range k.goesOn {
			e := k.machine.Entries[first.Row()|uint32(c)]
			k.goesOn[c] = ok && isContent(e) && (e.Row() == j.row || c == '\n' && e == first)
			if c == '\r' && j.crlf { // a line feed follows
				again, _ := k.lineEnd(first.Row(), true)
				k.goesOn[c] = ok && again == first
			}
		}
	}
	return true
}

// sought is where a search from one offset on has ended.
type sought struct{ from, at int }

// answers reports whether the search has found what one from at on would.
func (s *sought) answers(at int) bool { return s.from <= at && at <= s.at && s.at > 0 }

// oddFrom is where from at on the first symbol is that ends the run of a joint and is no line end; the
// end of the window if there is none.
func (k *hopper) oddFrom(data []byte, at int, j *joint) int {
	to := k.nextOf(data, at, j.ending)
	if j.crlf {
		to = min(to, k.unpairedFrom(data, at))
	}
	return to
}

// nextOf is where from at on the first symbol of some groups is, the end of the window if there is none.
// Groups of several symbols are not searched for: they may be anywhere.
func (k *hopper) nextOf(data []byte, at int, groups uint64) (to int) {
	if groups&k.shared != 0 {
		return at
	}
	to = k.to
	for set := groups&^k.searched | groups&k.present; set != 0; set &= set - 1 {
		g := bits.TrailingZeros64(set)
		s := &k.sought[g]
		if k.searched>>g&1 == 0 || !s.answers(at) {
			s.from, s.at = at, k.to
			k.searched |= 1 << g
			if i := bytes.IndexByte(data[at:k.to], k.symbol[g]); i >= 0 {
				s.at = at + i
				k.present |= 1 << g
				k.common |= 1 << g
			}
			k.asked = (k.asked | 1<<g) &^ k.common
		}
		to = min(to, s.at)
	}
	return to
}

// lineEnd is what the automaton does at the line feed of a line end, from a row on, and
// reports whether all of that is content.
func (k *hopper) lineEnd(row uint32, crlf bool) (e dfa.Entry, ok bool) {
	ok = true
	if crlf {
		e = k.machine.Entries[row|'\r']
		row, ok = e.Row(), e.Kind() == dfa.Skip && !e.Coded()
	}
	e = k.machine.Entries[row|'\n']
	return e, ok && isContent(e)
}

// pairsReturns reports whether it can be told where carriage returns and line feeds are not side by side.
func (k *hopper) pairsReturns() bool {
	both := uint64(1)<<k.feed | 1<<k.group['\r']
	return k.shared&both == 0 && k.listed&both == both
}

// unpairedFrom is where from at on the first carriage return is that does not stand before a line feed,
// or line feed that does not stand behind one; the end of the window if there is none.
func (k *hopper) unpairedFrom(data []byte, at int) int {
	if k.pairs == unknown {
		k.pairs = unpaired
		if k.findPairs(data) {
			k.pairs = paired
		}
	}
	if k.pairs == paired {
		return k.to
	}
	s := &k.unpaired
	if s.answers(at) {
		return s.at
	}
	s.from, s.at = at, k.to
	feed, ret := placeMark|uint32(k.feed), placeMark|uint32(k.group['\r'])
	places := k.places[:k.nplaces]
	j, _ := slices.BinarySearchFunc(places, uint32(at-k.from), func(x, offset uint32) int { return int(x&placeOffset) - int(offset) })
	for ; j < len(places); j++ {
		p := k.from + int(places[j]&placeOffset)
		switch places[j] >> placeGroup {
		case ret:
			if data[p+1] == '\n' {
				j++
				continue
			}
		case feed:
		default:
			continue
		}
		s.at = p
		break
	}
	return s.at
}

// findPairs reports whether all of the window's are: a line feed is where a carriage return is in front, and
// nowhere else. The last line feed may be behind the window.
func (k *hopper) findPairs(data []byte) bool {
	var returns, feeds [16]uint64
	after := uint64(0) // 1 if the symbol before is a carriage return
	for window := data[k.from:k.to]; len(window) > 0; {
		n := min(len(window)/blockSize, len(feeds))
		symbols.FindSymbol(returns[:n], window, '\r')
		symbols.FindSymbol(feeds[:n], window, '\n')
		odd := uint64(0)
		for i, set := range returns[:n] {
			odd |= (set<<1 | after) ^ feeds[i]
			after = set >> (blockSize - 1)
		}
		if odd != 0 {
			return false
		}
		window = window[n*blockSize:]
	}
	return after == 1 == (k.to < len(data) && data[k.to] == '\n')
}

// pairing is what is known of the line ends of a window.
type pairing uint8

const (
	unknown pairing = iota
	paired
	unpaired
)

// isContent reports whether e is data for itself.
func isContent(e dfa.Entry) bool { return e.Kind() == dfa.Data && !e.Coded() }

// joined reports whether the line behind data[feed] goes on with the record in whose run
// that line feed is, so that the line feed at its end is in the run too.
func (k *hopper) joined(data []byte, feed int, row uint32) bool {
	first, ok := k.lineEnd(row, k.onCRLF)
	e := first
	for i := feed + 1; ok && (isContent(e) || k.onCRLF && e.Kind() == dfa.Skip && !e.Coded()); i++ {
		if e.Row() == row {
			return true
		}
		if i > feed+maxJoined || i >= k.to {
			return false
		}
		e = k.machine.Entries[e.Row()|uint32(data[i])]
		if data[i] == '\n' { // an empty line, say: it must do what one in the run does
			return e == first
		}
	}
	return false
}

// furtherLines says what of a record that is collected stands behind its first line.
type furtherLines uint8

const (
	noLines     furtherLines = iota
	joinedLines              // only such
	otherLines               // others too, or the first is not as it should be: the record is read by itself
)

// collectLines is what collect does where lines may be joined: it takes the lines that
// are not, and gives their number, and that of all that it has looked at. Records that have symbols which
// end the run, but for line ends, are to be read by themselves.
func (w *worker) collectLines(data []byte, at uint32, j int, feed uint32, most int) (n, lines int) {
	k := w.hopper
	b, places := k.abreast, k.places[:k.nplaces]
	t := &k.paths[0].joint
	odd := k.oddFrom(data, k.from+int(at), t) - k.from // which makes use of the same memory
	lines = min(feeds(places, j, feed, b.lineStart[:], b.lineFirst[:], maxLines), maxLines)
	b.start[0], b.first[0], b.further[0] = at, uint32(j), noLines
	window := data[k.from:]
	for i, start := range b.lineStart[:lines] {
		if odd < int(start) {
			b.further[n] = otherLines
			odd = k.oddFrom(data, k.from+int(start), t) - k.from
		}
		if k.goesOn[window[start]] {
			if b.further[n] == noLines {
				b.further[n], b.lineEnd[n] = joinedLines, start-1
			}
			continue
		}
		n++
		b.start[n], b.first[n], b.further[n] = start, b.lineFirst[i], noLines
		if n == most {
			break
		}
	}
	return n, lines
}

// toLastLine lets the records before hop j.hop that have joined lines be at the end of
// the last of them.
func (b *abreast) toLastLine(j *joint, passed uint32) {
	if !b.joining || j.row != b.joint || j.crlf != b.crlf {
		return
	}
	back := uint32(1)
	if j.crlf {
		back = 2
	}
	for r, record := range b.record[:b.n] {
		if b.left[r] == onWay && b.further[record] == joinedLines && b.at[r] <= b.lineEnd[record] {
			b.place[r] = b.first[record+1] - back - passed
		}
	}
}

// toLineEnd lets the records before h be at the end of their line, if they are one line each
// and nothing in those abreast but line ends ends the run of h: what else is listed there
// need not be looked at.
func (k *hopper) toLineEnd(data []byte, h *hop, passed uint32) {
	feed, ret := uint64(1)<<k.feed, uint64(1)<<k.group['\r']
	stops := (uint64(1)<<k.ngroups - 1) &^ h.stay
	if h.run != runNear || stops&feed == 0 {
		return
	}
	back, b := uint32(1), k.abreast
	from, to := k.from+int(b.start[0]), min(k.from+int(b.start[b.records]), k.to)
	others := stops &^ feed
	if b.joining { // records that have such are read by themselves
		others &^= k.paths[0].joint.ending
	}
	if k.nextOf(data, from, others) < to {
		if others != ret || !k.pairsReturns() || !(b.joining && b.crlf) && k.unpairedFrom(data, from) < to {
			return
		}
		back = 2
	}
	b.toLineEnd(back + passed)
}

// toLineEndGeneric lets the records on their way that are one line each be so many places before the
// first of the next. One that has gone past that may have gone by more places than there are before it.
func (b *abreast) toLineEndGeneric(less uint32) {
	for r, record := range b.record[:b.n] {
		if b.left[r] == onWay && b.further[record] == noLines {
			b.place[r] = uint32(max(int32(b.place[r]), int32(b.first[record+1]-less)))
		}
	}
}

// unreturn makes the last field of a row of a path that with the carriage returns of its
// joined lines left out.
func (w *worker) unreturn(ck *chunk, p *path, row int) {
	d := w.dest[p.last.column-1]
	if d < 0 {
		return
	}
	f := &w.fields[d]
	value := ck.part.Data[w.base+int(f.Start[row]) : w.base+int(f.End[row])]
	start := len(f.Decoded)
	f.Decoded = appendWithout(f.Decoded, value, '\r')
	f.Start[row], f.End[row] = uint32(start)|convert.InDecoded, uint32(len(f.Decoded))
}
