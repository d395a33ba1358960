package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

// stripSize is the number of symbols whose special ones are stepped before any
// of them is looked at more closely: their masks and events stay in the
// first-level cache.
const stripSize = 4096

// shortStrip is a strip of which not all is of use.
const shortStrip = 128

// strip is a stretch of the data: where its special symbols are, and what the
// automaton did at each. Stepping alone is a loop of few registers, bound by
// the latency of the table; what follows from an event needs many, but waits
// for nothing.
type strip struct {
	size     int // of the next strip
	from, to int // the stretch
	mask     [stripSize / blockSize]uint64
	own      [stripSize]event
	events   []event // own, or those of a lane
	records  int     // records that end, if all events are plain boundaries
	done     int     // the symbols from here on have not been stepped, but for the filler
	laned    bool    // a lane has stepped it: see lanes.take
	end      uint32  // if so, the row behind it
}

// event is a special symbol: its offset in the strip, and its transition, the
// filler before it included.
//
//	bit  63..56   55..32   31..0
//	     -        offset   entry
type event uint64

func (e event) offset() int      { return int(e >> 32 & placeOffset) }
func (e event) entry() dfa.Entry { return dfa.Entry(e) }

// scan steps the special symbols from offset from on, up to the end of a strip
// or up to where care is needed. row is the state after the symbol before p;
// from p up to from there is filler only. It reports whether all events are
// plain boundaries.
func (s *strip) scan(data []byte, m *machine, p, from int, row uint32) (allPlain bool) {
	if from < s.from || from >= s.to || s.laned {
		s.laned = false
		s.from, s.to = from, min(from+s.size, len(data))
		m.special.Find(s.mask[:], data[s.from:s.to])
	}
	first := (from - s.from) / blockSize
	kept := s.mask[first]
	s.mask[first] &^= 1<<((from-s.from)%blockSize) - 1
	nblocks := (s.to - s.from + blockSize - 1) / blockSize
	r := stepper{row: row, at: p - s.from}
	r.run(data[s.from:s.to], s.mask[:nblocks], first, m, &s.own)
	s.mask[first] = kept
	s.events, s.records = s.own[:r.n], r.records
	s.done = s.to
	if r.careful {
		s.done = s.from + r.next
	}
	return r.plain
}

// recordShift is the bit of an entry that tells the two kinds of boundaries
// apart.
const recordShift = 29

// stepper is the loop of scan: what goes in, and what comes out.
type stepper struct {
	row     uint32 // the state after the last symbol that was stepped
	at      int    // the offset after it
	n       int    // events
	records int    // records that end, if all events are plain boundaries
	plain   bool   // all events are plain boundaries
	careful bool   // stopped before the special symbol at next
	next    int
}

// run steps the symbols of data that have a bit in mask, from block first on.
//
// Indices are not checked: a bit is set only for a symbol of data, of which
// there are at most stripSize; a row is a state of the automaton, and m.jumps
// has 256 entries for each, twice.
func (r *stepper) run(data []byte, mask []uint64, first int, m *machine, events *[stripSize]event) {
	src, table := unsafe.Pointer(unsafe.SliceData(data)), unsafe.Pointer(unsafe.SliceData(m.jumps))
	out := unsafe.Pointer(events)
	gap := m.gapOffset
	row, at, n, all := r.row, r.at, uintptr(0), ^dfa.Entry(0)
	records := uint32(0)
	for b := first; b < len(mask); b++ {
		for set := mask[b]; set != 0; set &= set - 1 {
			q := b*blockSize + bits.TrailingZeros64(set)
			i := uintptr(row | uint32(*(*byte)(unsafe.Add(src, q))))
			if q != at {
				i += gap
			}
			e := *(*dfa.Entry)(unsafe.Add(table, i*4))
			if e&careful != 0 {
				*r = stepper{row: row, at: at, n: int(n), records: int(records), plain: all&plain != 0, careful: true, next: q}
				return
			}
			*(*event)(unsafe.Add(out, n*8)) = event(q)<<32 | event(e)
			all &= e
			records += uint32(e) >> recordShift & 1
			n++
			row, at = e.Row(), q+1
		}
	}
	*r = stepper{row: row, at: at, n: int(n), records: int(records), plain: all&plain != 0}
}
