package cpu

import "unsafe"

// leap is a hop of records side by side, as the vector code is handed it: pointers to
// arrays of a number a record, then numbers that all lanes get.
type leap struct {
	places, src, table                    unsafe.Pointer
	record, at, place, value, ended, left unsafe.Pointer
	start, end, stops                     unsafe.Pointer
	n                                     uint64 // records
	does                                  uint32
	stayLow, stayHigh, acceptLow          uint32
	acceptHigh, sameLow, sameHigh         uint32
	maskLow, maskHigh, digitsLow          uint32
	digitsHigh, symbols, back             uint32
	valueBack, endBack, lastBack, delta   uint32
	window, number, onWay, above          uint32
	offsets, one, half, groups, top       uint32
	below                                 uint32
	highNibbles, threes, sevenBits, sixes uint32
	seven, bits, bias                     uint32
}

// leapLanes is how many records vector code takes at once, at least.
const leapLanes = 8

// What a leap does.
const (
	leapRuns         = 1 << iota // over a run up to a place
	leapLeads                    // which may not be empty
	leapCompares                 // symbols after the first
	leapComparesMore             // after the fifth
	leapEndsBefore               // the data of a field, before the run
	leapEndsData
	leapStores   // the places of a field
	leapClips    // whose data may have ended before its boundary
	leapEmpty    // that has no data
	leapScatters // to rows that do not lie side by side
	leapBegins
	leapEnds
	leapSpans // a run up to a stop
)

// leap takes the records abreast over a hop by vector code, if there is any for it,
// which it reports.
func (k *hopper) leap(w *worker, data []byte, h *hop, number int, lead bool, passed uint32) bool {
	if !hasLeaps() || h.does&odd != 0 || !k.table.uniform {
		return false
	}
	b := k.abreast
	l := &b.leap
	l.places, l.src, l.table = unsafe.Pointer(&k.places[passed]), unsafe.Pointer(&data[k.from]), unsafe.Pointer(&k.table.below)
	l.n, l.does = uint64(b.n), 0
	if h.run == runNear {
		l.does = leapRuns
	}
	if h.run == runBytes {
		if l.stops = k.stops(data, h); l.stops != nil {
			l.does |= leapSpans
		}
	}
	if lead {
		l.does |= leapLeads
	}
	if h.symbols > 1 {
		l.does |= leapCompares
	}
	if h.symbols > 5 {
		l.does |= leapComparesMore
	}
	if h.does&endsBeforeRun != 0 {
		l.does |= leapEndsBefore
	}
	if h.does&endsData != 0 {
		l.does |= leapEndsData
	}
	l.lastBack = k.back(h)
	if h.does&stores != 0 {
		l.does |= leapStores
		l.start, l.end = unsafe.Add(h.start, w.nrows*4), unsafe.Add(h.end, w.nrows*4)
		if !b.whole {
			l.does |= leapScatters
		}
		if h.does&empty != 0 {
			l.does |= leapEmpty
		}
		if h.does&bare == 0 {
			l.does |= leapClips
		}
	}
	if h.does&begins != 0 {
		l.does |= leapBegins
	}
	if h.does&endsRecord != 0 {
		l.does |= leapEnds
	}
	l.stayLow, l.stayHigh = uint32(h.stay), uint32(h.stay>>32)
	l.acceptLow, l.acceptHigh = uint32(h.accept), uint32(h.accept>>32)
	l.sameLow, l.sameHigh = uint32(h.same), uint32(h.same>>32)
	l.maskLow, l.maskHigh = uint32(h.mask), uint32(h.mask>>32)
	l.digitsLow, l.digitsHigh = uint32(h.digits), uint32(h.digits>>32)
	l.symbols, l.back, l.endBack, l.valueBack = h.symbols, h.back, h.endBack, h.valueBack
	l.delta, l.window, l.number = uint32(k.from-w.base), uint32(k.to-k.from), uint32(number)
	l.above = uint32(k.table.above)
	for r := b.n; r%leapLanes != 0; r++ {
		b.left[r] = 0
	}
	if h.run != runBytes {
		leapVector(l)
		return true
	}
	var before [leapLanes]uint32
	asks := h.asked == 0
	if asks {
		copy(before[:], b.at[:])
	} else {
		h.asked--
	}
	leapVector(l)
	if asks {
		k.lookAtRuns(h, &before)
	}
	return true
}
