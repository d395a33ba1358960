package cpu

import (
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// A run of few symbols, as of digits, ends at symbols that are too many to be places. Where records are read side by side,
// a mask of the window says which symbols are none of the run: a *span* is looked for in it, up to 25 symbols and more at
// once, and not symbol by symbol.
//
//	window   conn 4711 from 10.0.0.7:80
//	run            ──────▶
//	stops    11111....111111..1.1.1.1..
//
// Of a window as many masks are made as there are runs of different symbols on the paths of its records, if as much had to be
// gone over in the window before as they cost.

// span is the stops of runs of the same symbols.
type span struct {
	stay  uint64 // groups of the symbols in the run
	stops *symbols.Set
	masks []uint64 // of the window; all is a stop behind it
	known bool     // they are of this window
	pays  bool     // they are worth it
	steps int      // symbol by symbol, of leapLanes records in this window
}

const (
	// behindWindow is how many words of stops there are behind the window: hops go beyond it by at most maxSymbols, and more
	// than that is looked at at once.
	behindWindow = 2
	// leastSpan is the longest run of some records from which on it is looked for in masks.
	leastSpan = 2
	// blocksPerStep: a step is worth so many blocks of a mask.
	blocksPerStep = 4
	// askedAgain is after how many leaps it is looked again how long the runs of a hop are.
	askedAgain = 255
)

// stops is the mask of the stops of h in the window, nil if it is not worth one.
func (k *hopper) stops(data []byte, h *hop) unsafe.Pointer {
	s := k.spanOf(h.stay)
	if s.steps += int(h.longest) * ((k.abreast.n + leapLanes - 1) / leapLanes); !s.pays || h.longest < leastSpan || h.asked == 0 {
		return nil
	}
	if !s.known {
		s.known = true
		nblocks := (k.to - k.from) / blockSize
		s.masks = grow(s.masks, nblocks+behindWindow)
		s.stops.FindBlocks(s.masks[:nblocks], data[k.from:k.to])
		for i := range behindWindow {
			s.masks[nblocks+i] = 1<<64 - 1
		}
	}
	return unsafe.Pointer(unsafe.SliceData(s.masks))
}

// spanOf is that of runs of the symbols of some groups.
func (k *hopper) spanOf(stay uint64) *span {
	for i := range k.spans {
		if s := &k.spans[i]; s.stay == stay {
			return s
		}
	}
	var stops dfa.Set
	for c, g := range k.group {
		if stay>>g&1 == 0 {
			stops[c>>6] |= 1 << (c & 63)
		}
	}
	k.spans = append(k.spans, span{stay: stay, stops: symbols.NewSet(stops)})
	return &k.spans[len(k.spans)-1]
}

// restartSpans is for a new window of so many blocks.
func (k *hopper) restartSpans(nblocks int) {
	for i := range k.spans {
		s := &k.spans[i]
		s.known, s.pays, s.steps = false, s.steps*blocksPerStep >= nblocks, 0
	}
}

// lookAtRuns notes how long the longest run of h was in the first of the records abreast, which were at some places before it.
func (k *hopper) lookAtRuns(h *hop, before *[leapLanes]uint32) {
	b := k.abreast
	longest, some := uint32(0), false
	for r, at := range before[:min(b.n, leapLanes)] {
		if b.left[r] == b.leap.onWay {
			longest, some = max(longest, b.at[r]+k.back(h)-h.symbols-at), true
		}
	}
	if some {
		h.longest, h.asked = uint8(min(longest, 255)), askedAgain
	}
}
