package cpu

import (
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// A hop takes a record on from one node to the next: over a run of symbols that
// leave the automaton in its state, and over a few behind it that do not, the last
// of which may end a field or the record. What a hop passes over, and what comes of
// it, was found by stepping the automaton there once (hopper.learn); from then on
// symbols are only compared.
//
//	record   2024-05-06 07:08:09 INFO [main] a.B - started
//	hops     0123456789012345678|----|-|---|--|--|--|------|
//
// So records are read along the path that others took before them, without a state
// that one symbol hands to the next; which hop comes next is a branch, and can be
// predicted.
type hop struct {
	stay       uint64 // groups of symbols in the run
	detours    uint64 // of those at which a detour out of the run may begin
	accept     uint64 // and of the symbol after it; bit 63 is never set
	comparison        // of the symbols that follow, up to eight, the first in the lowest byte

	start, end unsafe.Pointer // of *uint32: places of the column whose field ends

	symbols   uint32 // how many there are after the run
	back      uint32 // the boundary is this many symbols before the hop's end,
	endBack   uint32 // the end of the field's data this many
	valueBack uint32 // and the first data symbol of a field this many
	alt       int32  // another hop with the same run, -1 if there is none
	next      int32
	last      int32 // of a record: index into hopper.lasts
	node      int32
	field     int32  // the column whose field ends, -1 if none does
	futile    int32  // see rejoin
	offered   int32  // the same
	into      int32  // where detours lead: the hop itself, or, if it has no run, the first of another node
	self      uint32 // its number
	does      uint16
	run       uint8
	longest   uint8 // run of some records, of one of few symbols,
	asked     uint8 // and how many leaps that is believed
}

// comparison is what symbols are held against.
type comparison struct {
	same, mask uint64 // must be these where mask is 0xFF,
	digits     uint64 // and digits where this is
}

const hopSize = unsafe.Sizeof(hop{})

// How a hop finds the end of its run.
const (
	runNone  = iota
	runNear  // at the next place of a symbol that does not stay
	runBytes // symbol by symbol
	runLead  // where that of the next hop does: the symbol, if it is there, is the first of its run
)

// What a hop does at its end, in this order.
const (
	endsBeforeRun = 1 << iota // the field's data ended where the run began
	endsData                  // the field's data ended, see endBack
	stores                    // a field ends whose place is noted
	bare                      // its data goes up to the boundary
	empty                     // there is none
	begins                    // data of a field begins, see valueBack
	endsRecord
	odd   // the record has to be stepped
	jumps // next is not the hop that lies behind this
)

// hopNode is where a hop may begin. What is known there of the field:
//
//	before   no data yet; data would begin here
//	within   its data began
//	after    its data began and ended
//	doubtful the same, unless the field goes on: then what came since is data as well,
//	         so many symbols of it
//	resting  it goes to the end of the record, whatever its symbols do
type hopNode struct {
	state  dfa.StateID
	column int16
	phase  fieldPhase
	since  int16 // if doubtful
}

type fieldPhase uint8

const (
	before fieldPhase = iota
	within
	after
	doubtful
	resting
)

// maxSince bounds how long a field may be doubtful.
const maxSince = 1 << 12

// recordLast is what the last hop of a record leaves.
type recordLast struct {
	back   int // the next record begins this many symbols before the hop's end,
	row    uint32
	column int // and the record had so many fields
	class  uint8
	kind   dfa.RecordKind // unless it is a DataRecord, the record takes no row
	behind uint32         // see behindLine
}

// Limits of what is learnt: an automaton that needs more is stepped.
const (
	maxHops    = 4096
	maxOthers  = 32 // of a node, after the first
	maxSymbols = 9  // of a hop: one and a word
	noRoom     = -2
)

// A place is a symbol at which some run ends: its offset in the window, and its
// group. The highest bit is set.
//
//	bit  31  29..24  23..0
//	     1   group   offset
const (
	placeGroup  = 24
	placeOffset = 1<<placeGroup - 1
	placeMark   = 0x80
	placeSought = 0x40 // in a placeTable
	noGroup     = 63   // of the place behind the last
)

// Bounds of a window, whose places are listed at once; they stay in the first- and
// second-level cache.
const (
	windowMin = 32 << 10
	windowMax = 1 << 23
)

var hopWindow = windowMin // less in tests

var maxHopGroups = dfa.MaxHopGroups // less in tests

// hopper reads records by hops.
type hopper struct {
	machine *machine
	group   [256]uint8 // of a symbol; that of LF is the highest
	ngroups int
	symbol  []byte // one of each group
	count   []int  // symbols in each group
	feed    uint8  // the group of LF

	hops   []hop
	nodes  []hopNode
	first  map[hopNode]int32 // the first hop of a node
	roots  map[uint32]int32  // that of the node in which records begin, by row
	lasts  []recordLast
	listed uint64 // groups whose symbols are places
	grew   bool   // since the window was listed

	table   placeTable
	places  []uint32 // nplaces of them, and maxSymbols+1 behind
	nplaces int
	at      int // the next of them
	from    int // the window
	to      int // its end; 0 if there is none
	size    int // of the next window
	final   bool

	searched, present uint64     // groups that the window has been searched for, and those found,
	sought            [64]sought // of these, where
	pairs             pairing    // of its carriage returns and line feeds,
	unpaired          sought     // and where it has some that are not
	shared            uint64     // groups of several symbols
	spans             []span     // by the symbols of runs
	asked, common     uint64     // groups that windows have been searched for in vain, and those that some window had
	askedOf           uint64     // asked when the table was set
	onRow             uint32     // of the state of a joint,
	onCRLF            bool       // as that says,
	goesOn            [256]bool  // and whether a line that begins with a symbol goes on there

	paths     []path // that records took, at most mostPaths,
	pathRow   uint32 // of those that begin in this row
	abreast   *abreast
	mostPaths int
	trace     [maxPath]uint32 // hops of a record that is read by itself: twice the number, and 1 by way of a lead
	traces    map[uint64]*trace
	warm      int // records that are read one by one before a path is looked for
	most      int // records that are collected at once
	pause     int // records that are read one by one before some are collected again,
	again     int // and how many it was last time

	alone    bool       // no more than one record is read
	detoured []detoured // fields of the record that is read by itself, or of those abreast

	// Where hop left a record that has to be stepped: at an offset in the window, in the state of
	// a node, -1 if nobody knows.
	leftAt   int
	leftNode int32

	rest       map[dfa.StateID]bool // what restFollows has found out,
	rowsBehind map[uint32]uint32    // and behindLine

	// Of records that were read by themselves since it was last asked whether that is worth it.
	taken, over int // hops, and symbols
	stepped     int // symbols that were stepped last time, as it was not,
	steppedTo   int // up to this offset

	read, lone int // records since somebody asked, and of these such as were not read side by side
}

// newHopper is nil if the automaton has too many groups.
func newHopper(p *dfa.Program, m *machine) *hopper {
	a := p.Automaton
	if a.NGroups > maxHopGroups || len(p.Widths) > 0 {
		return nil
	}
	k := &hopper{machine: m, ngroups: a.NGroups, size: hopWindow, onRow: 1, mostPaths: fewPaths}
	if len(p.Shapes) > 1 {
		k.mostPaths = maxPaths
	}
	feed, last := a.Group['\n'], dfa.GroupID(a.NGroups-1)
	k.symbol, k.count, k.feed = make([]byte, a.NGroups), make([]int, a.NGroups), uint8(last)
	for c := 255; c >= 0; c-- {
		g := a.Group[c]
		switch g { // these two change places
		case feed:
			g = last
		case last:
			g = feed
		}
		k.group[c] = uint8(g)
		k.symbol[g] = byte(c)
		if k.count[g]++; k.count[g] > 1 {
			k.shared |= 1 << g
		}
	}
	k.reset()
	return k
}

// reset forgets what was learnt: columns go elsewhere now.
func (k *hopper) reset() {
	k.hops, k.nodes, k.lasts = k.hops[:0], k.nodes[:0], k.lasts[:0]
	k.first, k.roots, k.traces = map[hopNode]int32{}, map[uint32]int32{}, map[uint64]*trace{}
	k.to, k.paths, k.warm = 0, nil, warmRecords
	k.most, k.pause, k.again = maxAbreast, 0, 0
	k.rest, k.rowsBehind, k.spans = map[dfa.StateID]bool{}, map[uint32]uint32{}, nil
	k.taken, k.over, k.stepped, k.steppedTo = 0, 0, 0, 0
}

// Where a hop takes a record over fewer than leastHop symbols on average, each symbol is better stepped, in
// lanes. That is asked each hopTrial symbols that were hopped over by records by themselves, or a quarter of
// them once the answer was yes; then steppedMin symbols or more are stepped, twice as many each time.
const (
	leastHop   = 2
	steppedMax = 1 << 20
)

var hopTrial, steppedMin = 16 << 10, 64 << 10 // less in tests

// futile reports whether the records from offset at on had better be stepped, up to k.steppedTo.
func (k *hopper) futile(at int) bool {
	if at < k.steppedTo {
		return true
	}
	trial := hopTrial
	if k.stepped > 0 {
		trial /= 4
	}
	if k.over < trial {
		return false
	}
	futile := k.taken*leastHop > k.over && k.machine.lanes() != nil
	k.taken, k.over = 0, 0
	if !futile {
		k.stepped /= 2
		return false
	}
	k.stepped = min(max(2*k.stepped, steppedMin), steppedMax)
	k.steppedTo = at + k.stepped
	return true
}

// hopped says why hops end.
type hopped uint8

const (
	hopOut   hopped = iota // the window ends within the next record
	hopOdd                 // the next record has to be stepped
	hopGrew                // the next record has runs that end at symbols that are not listed
	hopRound               // there are as many rows as were wanted, or, of alone, one record was read
	hopLimit               // the last record ended at limit or behind it
	hopChunk               // the chunk is done
)

// byHops indexes records from w.at on, which end before limit, and the one that ends
// there. If it reports goOn, records up to the one that ends at or after until have
// to be stepped.
func (w *worker) byHops(ck *chunk, limit int) (until int, why ended) {
	k, data := w.hopper, ck.part.Data
	if w.sparse {
		w.clearRows()
	}
	for {
		if k.futile(w.at) {
			return k.steppedTo, goOn
		}
		if w.at < k.from || w.at >= k.to || k.grew {
			if !k.list(data, w.at) {
				return limit, goOn
			}
		}
		if k.pause <= 0 && k.ready(w.row) {
			if k.grew { // for a path
				continue
			}
			row := w.nrows
			more, why := w.abreast(ck, limit)
			if k.read += w.nrows - row; why != goOn {
				return 0, why
			} else if more {
				continue
			}
		}
		row, at := w.nrows, w.at
		why := w.hop(ck, limit, min(w.maxRows, w.nrows+max(k.warm, k.pause, 1)))
		k.pause -= w.nrows - row
		k.read += w.nrows - row
		k.lone += w.nrows - row
		k.over += w.at - at
		switch why {
		case hopRound:
			if w.nrows == w.maxRows {
				return 0, roundFull
			}
		case hopLimit:
			return 0, roundFull
		case hopChunk:
			return 0, chunkDone
		case hopOdd:
			k.pause--
			k.read++
			k.lone++
			if why, ok := w.malformed(ck, limit); !ok {
				return w.at, goOn
			} else if why != goOn {
				return 0, why
			}
			if w.sparse {
				w.absent()
			}
		case hopGrew:
		case hopOut:
			switch {
			case k.final:
				return limit, goOn
			case w.at > k.from:
				k.size = hopWindow
			case k.size >= windowMax || w.at < w.hopsTo: // in place of steps, which take no memory for that
				k.size = hopWindow
				return w.at, goOn
			default:
				k.size *= 4
			}
			k.to = 0
		}
	}
}

// clearRows makes all fields of the next row absent, and the first time in a round
// those of all rows.
func (w *worker) clearRows() {
	if !w.cleared {
		w.cleared = true
		for len(w.lacking) < w.maxRows {
			w.lacking = append(w.lacking, convert.Absent)
		}
		w.clear(w.nrows, w.maxRows)
		return
	}
	w.absent()
}

// clear makes all fields of rows absent.
func (w *worker) clear(from, to int) {
	for i := range w.fields {
		copy(w.fields[i].Start[from:to], w.lacking)
		clear(w.fields[i].End[from:to])
	}
}

// Digits: the high nibble of a digit is 3, and remains it if 6 is added.
const (
	highNibbles = 0xF0F0F0F0F0F0F0F0
	threes      = 0x3030303030303030
	sixes       = 0x0606060606060606
	sevenBits   = 0x7F7F7F7F7F7F7F7F
)

// fits reports whether the symbols of x are those behind the first of the hop.
func (c *comparison) fits(x uint64) bool {
	return (x^c.same)&c.mask|((x&highNibbles^threes)|((x&sevenBits+sixes)&highNibbles^threes))&c.digits == 0
}

// hop reads the records of the window from w.at on, as long as there are fewer than
// maxRows rows.
//
// Indices are not checked: places are of the window, behind which the data has
// maxSymbols symbols more, and a place behind the last that ends every run; rows are
// fewer than w.maxRows; hops name each other by numbers that learn gave.
func (w *worker) hop(ck *chunk, limit, maxRows int) (why hopped) {
	k := w.hopper
	data := ck.part.Data
	src, group := unsafe.Pointer(&data[k.from]), &k.group
	places := unsafe.Pointer(unsafe.SliceData(k.places))
	hops := unsafe.Pointer(unsafe.SliceData(k.hops))
	delta := uint32(k.from - w.base) // from an offset in the window to a place of a field
	windowEnd := uint32(k.to - k.from)
	at := uint32(w.at - k.from)
	j, row, context := uintptr(k.at), w.nrows, w.row
	maxLength := uint32(min(w.plan.MaxRecord, windowMax))

	for *(*uint32)(unsafe.Add(places, j*4))&placeOffset < at { // of records that were stepped
		j++
	}
	start, begin := at, j
	k.leftNode, k.detoured = -1, k.detoured[:0]
	root, ok := k.roots[context]
	if !ok {
		if root, ok = k.root(w, context); !ok {
			return hopOdd
		}
		if k.grew {
			return hopGrew
		}
		hops = unsafe.Pointer(unsafe.SliceData(k.hops))
	}
	h := (*hop)(unsafe.Add(hops, uintptr(root)*hopSize))
	p, value, end := at, at, at
	ntrace, crossed := 0, false // the latter if a detour led the record from one hop to another
	why = hopOut
	for {
		g, lead, led := uint32(0), h, uint32(0)
		if h.run == runLead {
			h, led = (*hop)(unsafe.Add(hops, uintptr(h.next)*hopSize)), 1
		}
		run, back := h, false // the latter behind a detour
	again:
		switch p = at; h.run {
		case runNear:
			e, number := endOfRun(places, uint32(j), at, h.stay)
			j = uintptr(number)
			p, g = e&placeOffset, e>>placeGroup&63
		default:
			if p < windowEnd {
				g = uint32(group[*(*byte)(unsafe.Add(src, p))])
				for h.run == runBytes && h.stay>>(g&63)&1 != 0 {
					if p++; p >= windowEnd {
						break
					}
					g = uint32(group[*(*byte)(unsafe.Add(src, p))])
				}
			}
			if p >= windowEnd {
				p, g = placeOffset, noGroup
			}
		}
		if p == at && !back {
			h, led = lead, 0
		}
		for {
			isOdd := false
			if h.accept>>(g&63)&1 != 0 && (h.symbols == 1 || h.fits(*(*uint64)(unsafe.Add(src, p+1)))) {
				if isOdd = h.does&odd != 0; !isOdd {
					break
				}
			}
			if isOdd || h.alt < 0 {
				if p == placeOffset {
					goto out
				}
				number := int32(noRoom)
				if !isOdd && (run.detours>>(g&63)&1 == 0 || !k.decodes(data, run, h, int(p))) {
					number = k.learn(w, data, h, k.from+int(p))
					hops = unsafe.Pointer(unsafe.SliceData(k.hops))
				}
				switch {
				case number == noRoom:
					if run.detours>>(g&63)&1 != 0 {
						if q, ok := k.detour(data, run, h, detoured{record: uint32(row), field: -1, hop: uint32(ntrace), open: value, from: p}); ok {
							if run != lead {
								led = 1
							}
							crossed = crossed || run.into != int32(run.self)
							run = (*hop)(unsafe.Add(hops, uintptr(run.into)*hopSize))
							at, h, back = q, run, true
							goto again
						}
					}
					why = hopOdd
					goto out
				case number < 0:
					goto out
				case k.grew:
					why = hopGrew
					goto out
				}
				h = (*hop)(unsafe.Add(hops, uintptr(number)*hopSize))
				if h.does&odd != 0 {
					why = hopOdd
					goto out
				}
				break
			}
			h = (*hop)(unsafe.Add(hops, uintptr(h.alt)*hopSize))
		}
		next := p + h.symbols
		k.trace[ntrace%maxPath] = h.self<<1 | led
		ntrace++
		does := h.does
		if does&^jumps == stores|bare|begins {
			*(*uint32)(unsafe.Add(h.start, row*4)) = value + delta
			*(*uint32)(unsafe.Add(h.end, row*4)) = next - h.back + delta
			value = next - h.valueBack
		} else if does&^jumps != 0 {
			if does&endsBeforeRun != 0 {
				end = at
			}
			if does&endsData != 0 {
				end = next - h.endBack
			}
			if does&stores != 0 {
				to := next - h.back
				if does&bare == 0 {
					to = min(to, end)
				}
				from := min(value, to)
				if does&empty != 0 {
					from = to
				}
				*(*uint32)(unsafe.Add(h.start, row*4)) = from + delta
				*(*uint32)(unsafe.Add(h.end, row*4)) = to + delta
			}
			if does&begins != 0 {
				value = next - h.valueBack
			}
			if does&endsRecord != 0 {
				boundary := next - h.back
				if boundary-start > maxLength || ntrace > maxPath && len(k.detoured) > 0 {
					why = hopOdd
					goto out
				}
				last, passed := &k.lasts[h.last], false
				if passed = last.kind != dfa.DataRecord; passed {
					ck.extents.Pass(last.kind, int(next-uint32(last.back)-start))
					if w.nrows = row; w.sparse {
						w.absent()
					}
				} else {
					w.rows[row].set(k.from+int(start), k.from+int(boundary), state(context), last.class)
					if last.column < len(w.dest) && !w.sparse {
						w.nrows = row
						w.pad(last.column)
					}
					for i := range k.detoured {
						w.decodeDetoured(ck, &k.detoured[i], row, k.fieldBehind(k.trace[k.detoured[i].hop:ntrace]))
					}
					row++
				}
				switch {
				case !last.isLine(context):
				case crossed: // no path leads along there
					k.warm--
				default:
					k.remember(context, k.trace[:min(ntrace, maxPath)])
				}
				k.taken += ntrace
				k.detoured, ntrace, crossed = k.detoured[:0], 0, false
				next -= uint32(last.back)
				start, context = next, last.row
				for last.back > 0 && j > 0 && *(*uint32)(unsafe.Add(places, (j-1)*4))&placeOffset >= next {
					j--
				}
				begin, value = j, next
				if ended := k.from + int(boundary); ended >= limit {
					if why = hopLimit; ended >= ck.end || k.from+int(start) >= ck.stop {
						why = hopChunk
					}
					goto out
				} else if row == maxRows || passed && k.alone {
					why = hopRound
					goto out
				}
			}
		}
		at = next
		if does&jumps != 0 {
			h = (*hop)(unsafe.Add(hops, uintptr(h.next)*hopSize))
		} else {
			h = (*hop)(unsafe.Add(unsafe.Pointer(h), hopSize))
		}
	}
out:
	k.at, w.nrows = int(begin), row
	k.leftAt, k.leftNode = int(p), h.node
	if to := k.from + int(start); to != w.at || why == hopRound || why == hopLimit || why == hopChunk {
		w.leave(ck, to, context)
	}
	return why
}
