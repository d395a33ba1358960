package cpu

import (
	"encoding/binary"
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// This file reads records of which symbols matter at their beginning alone, in their *head*:
// behind it they only count, up to the end of the line. So are those of several shapes that are cut by widths.
//
//	ATOM     17  NE2 GLN A   2      20.180
//	|-head-|----- however many ------------|
//
// So where the fields of a record are is known by its head and by its length. The first record of a
// head and a length is stepped, and others like it have their fields in the same places.

// heads are the heads that records of an automaton may have, as a tree.
type heads struct {
	start   uint32 // the row in which records begin
	group   [256]dfa.GroupID
	ngroups int
	next    []int32 // by node and group: the node behind a symbol, 0 if records that go on with it are odd
	counts  []bool  // by node: the head ends there
	depth   []int   // by node: how many symbols lead to it
	ends    *symbols.Set
}

const (
	// maxHead is how many symbols a head has at most.
	maxHead = 16
	// maxHeadNodes is how many nodes a tree of heads has at most.
	maxHeadNodes = 4096
)

// newHeads is nil if no field of the records of m is ended by how many symbols there are behind a head.
func newHeads(m *machine, a *dfa.Automaton) *heads {
	if a.Escapes() {
		return nil
	}
	counting := m.counting()
	x := &heads{start: m.Row(m.Start), group: a.Group, ngroups: a.NGroups, ends: symbols.NewSet(dfa.Bytes('\r', '\n'))}
	type node struct {
		state dfa.StateID
		depth int
	}
	each, byCount, widths := oneOfEach(a), false, m.endsByCount(counting)
	for nodes := []node{{m.Start, 0}}; len(x.counts) < len(nodes); {
		n := nodes[len(x.counts)]
		x.counts, x.depth = append(x.counts, counting[n.state]), append(x.depth, n.depth)
		x.next = append(x.next, make([]int32, x.ngroups)...)
		byCount = byCount || widths[n.state]
		if counting[n.state] || n.depth == maxHead {
			continue
		}
		next := x.next[len(x.next)-x.ngroups:]
		for g, symbol := range each {
			e := m.Entry(n.state, symbol)
			if e.Kind() == dfa.Error || e.Kind() == dfa.Record {
				continue
			}
			if len(nodes) == maxHeadNodes {
				return nil
			}
			next[g] = int32(len(nodes))
			nodes = append(nodes, node{e.Next(), n.depth + 1})
		}
	}
	if !byCount {
		return nil
	}
	return x
}

// counting is the states in which all symbols do the same but those of line ends, and lead to one such state, and \n ends
// a record there.
func (m *machine) counting() []bool {
	is := make([]bool, len(m.AtEOF))
	for s := range is {
		first, feed := m.Entry(dfa.StateID(s), 0), m.Entry(dfa.StateID(s), '\n')
		is[s] = feed.Kind() == dfa.Record && m.Emission(feed).Lag == 0
		for c, e := range m.Entries[m.Row(dfa.StateID(s)):][:256] {
			is[s] = is[s] && (e == first || c == '\n' || c == '\r')
		}
	}
	odd := make([]bool, len(is))
	for s := range is {
		odd[s] = !is[s]
	}
	m.spreadBack(odd)
	for s := range is {
		is[s] = !odd[s]
	}
	return is
}

// endsByCount is the counting states from which on a field ends before a line end.
func (m *machine) endsByCount(counting []bool) []bool {
	ends := make([]bool, len(counting))
	for s := range ends {
		ends[s] = counting[s] && m.Entry(dfa.StateID(s), 0).Kind() == dfa.Field
	}
	m.spreadBack(ends)
	for s := range ends {
		ends[s] = ends[s] && counting[s]
	}
	return ends
}

// spreadBack adds to a set of states those from which symbol 0 leads to one of it, at once or by way of others.
func (m *machine) spreadBack(set []bool) {
	// By state, one more than the last that leads to it, and than the one before that leads where it does; 0: there is none.
	last, before := make([]int, len(set)), make([]int, len(set))
	var added []int
	for s := range set {
		next := m.Entry(dfa.StateID(s), 0).Next()
		before[s], last[next] = last[next], s+1
		if set[s] {
			added = append(added, s)
		}
	}
	for len(added) > 0 {
		s := last[added[len(added)-1]]
		added = added[:len(added)-1]
		for ; s > 0; s = before[s-1] {
			if !set[s-1] {
				set[s-1] = true
				added = append(added, s-1)
			}
		}
	}
}

// headed reads records by heads.
type headed struct {
	*heads
	usable  bool           // for the records of the segment
	known   [][]int32      // by node and by size: one more than the number of the places, 0 if nobody knows them
	places  []headedPlaces // of the records of a head and a size
	taken   int            // records that were read by heads,
	left    int            // and that were left to steps
	awaited awaited

	// Which symbols of the data from block from on are line ends, of so many blocks.
	masks         [headedStrip]uint64
	from, nblocks int
}

// headedPlaces is where the fields of records are that have the same head and size.
type headedPlaces struct {
	cuts     []widthCut
	absent   []int  // fields that no record has
	boundary int    // from the record's beginning on
	about    uint32 // of rowPlace
}

// awaited is a record that is stepped, so that its places are known.
type awaited struct {
	start, next          int
	row, problems, notes int // before it
	node, size           int // node < 0: there is none
}

const (
	// headedStrip is how many blocks of line ends are looked for at once.
	headedStrip = 64
	// maxHeadedSize is how long records are of which places are kept.
	maxHeadedSize = 1 << 12
	// maxHeadedPlaces is of how many heads and sizes they are kept.
	maxHeadedPlaces = 1 << 12
	// leastLeft is how many records are left to steps at least before hops are asked to read the others.
	leastLeft = 64
)

// bind is worker.bind.
func (x *headed) bind() {
	x.usable, x.places, x.taken, x.left = true, x.places[:0], 0, 0
	x.known = make([][]int32, len(x.counts))
	x.awaited.node = -1
}

// restart forgets the data.
func (x *headed) restart() { x.nblocks, x.awaited.node = 0, -1 }

// line is where the line end of the line is that data[at:] begins with, and of how many symbols it is: of
// none if it is a return alone, or the data ends before it.
func (x *headed) line(data []byte, at int) (end, ending int) {
	have := ^uint64(0) << (at % blockSize)
	for b := at / blockSize; b*blockSize < len(data); b, have = b+1, ^uint64(0) {
		if uint(b-x.from) >= uint(x.nblocks) {
			x.from, x.nblocks = b, min(headedStrip, (len(data)-b*blockSize+blockSize-1)/blockSize)
			x.ends.Find(x.masks[:], data[b*blockSize:min((b+x.nblocks)*blockSize, len(data))])
		}
		m := x.masks[(b-x.from)%headedStrip] & have
		if m == 0 {
			continue
		}
		end = b*blockSize + bits.TrailingZeros64(m)
		switch {
		case data[end] == '\n':
			return end, 1
		case end+1 < len(data) && data[end+1] == '\n':
			return end, 2
		}
		return end, 0
	}
	return len(data), 0
}

// head is the node behind the head of a record, before 0 if it has none.
func (x *headed) head(record []byte) (node int) {
	for _, symbol := range record {
		if x.counts[node] {
			return node
		}
		if node = int(x.next[node*x.ngroups+int(x.group[symbol])]); node == 0 {
			return -1
		}
	}
	if x.counts[node] {
		return node
	}
	return -1
}

// begins reports whether a record has the head of a node, as one that is as long has.
func (x *headed) begins(record []byte, node int, other []byte) bool {
	if len(record) >= 8 && x.depth[node] <= 8 {
		if differs := binary.LittleEndian.Uint64(record) ^ binary.LittleEndian.Uint64(other); differs<<(64-8*x.depth[node]) == 0 {
			return true
		}
	}
	return x.head(record) == node
}

// byHeads is byHops for records that are told by heads.
func (w *worker) byHeads(ck *chunk, limit int) (until int, why ended) {
	x, data := w.headed, ck.part.Data
	x.learn(w, ck)
	if w.sparse {
		w.clearRows()
	}
	for w.row == x.start {
		end, ending := x.line(data, w.at)
		node, size := x.head(data[w.at:end]), (end-w.at)*2+ending-1
		if node < 0 || ending == 0 || end-w.at > maxHeadedSize {
			return x.leave(end), goOn
		}
		p := x.placesOf(node, size)
		if p == nil {
			x.awaited = awaited{w.at, end + ending, w.nrows, len(ck.problems), len(ck.notes), node, size}
			return x.leave(end), goOn
		}
		distance, n := end+ending-w.at, 1
		boundary := w.at + p.boundary
		for boundary < limit && w.nrows+n < w.maxRows {
			start := w.at + n*distance
			next, same := x.line(data, start)
			if same != ending || next+ending-start != distance || !x.begins(data[start:next], node, data[w.at:end]) {
				break
			}
			boundary += distance
			n++
		}
		w.layAlike(p, n, distance)
		x.taken += n
		w.nrows += n
		w.leave(ck, w.at+n*distance, x.start)
		switch {
		case boundary >= limit && (boundary >= ck.end || w.at >= ck.stop):
			return -1, chunkDone
		case boundary >= limit || w.full():
			return -1, roundFull
		}
	}
	return w.at, goOn
}

// leave is called with the place up to which records are stepped, which it gives. Where most are, heads are
// no longer looked for.
func (x *headed) leave(until int) int {
	x.left++
	x.usable = x.left < leastLeft || x.left < x.taken
	return until
}

// placesOf is where the fields of records of a head and a size are, nil if nobody knows.
func (x *headed) placesOf(node, size int) *headedPlaces {
	if known := x.known[node]; size < len(known) && known[size] > 0 {
		return &x.places[known[size]-1]
	}
	return nil
}

// learn notes where the fields of the record are that was waited for, if it became a row and nothing is odd about it.
func (x *headed) learn(w *worker, ck *chunk) {
	a := x.awaited
	x.awaited.node = -1
	if a.node < 0 || w.nrows != a.row+1 || len(ck.problems) != a.problems || len(ck.notes) != a.notes || len(x.places) == maxHeadedPlaces {
		return
	}
	r := &w.rows[a.row]
	if r.start != a.start || r.bad() || w.at != a.next || w.row != x.start {
		return
	}
	p, from := headedPlaces{boundary: r.end - r.start, about: r.about}, uint32(a.start-w.base)
	for i := range w.fields {
		switch start, end := w.fields[i].Start[a.row], w.fields[i].End[a.row]; {
		case !w.wanted[i]:
		case start == convert.Absent:
			p.absent = append(p.absent, i)
		case start >= convert.InDecoded:
			return
		default:
			p.cuts = append(p.cuts, widthCut{i, int(start - from), int(end - from)})
		}
	}
	x.places = append(x.places, p)
	if n := a.size + 1 - len(x.known[a.node]); n > 0 {
		x.known[a.node] = append(x.known[a.node], make([]int32, n)...)
	}
	x.known[a.node][a.size] = int32(len(x.places))
}

// layAlike fills the columns of the next n rows, whose records begin at the same distance from one another, the
// first at w.at, and have their fields in the same places.
func (w *worker) layAlike(p *headedPlaces, n, distance int) {
	first, at := w.nrows, uint32(w.at-w.base)
	for _, c := range p.cuts {
		f := &w.fields[c.column]
		stride(f.Start[first:][:n], f.End[first:], at+uint32(c.from), uint32(c.to-c.from), uint32(distance))
	}
	if !w.sparse { // else they are absent
		for _, d := range p.absent {
			lack(&w.fields[d], first, n)
		}
	}
	for r := range n {
		start := w.at + r*distance
		w.rows[first+r] = rowPlace{start, start + p.boundary, p.about}
	}
}
