package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// skimmer is an automaton of which only the states count: where reading ends,
// not what it emits. The states may be those of the Program's automaton, or the
// elements of its transition monoid. A row is a state times 256: the index of its
// entry for symbol 0.
type skimmer struct {
	next    []int32 // row | symbol -> row
	gap     []int32 // the same after a run of filler; rough if that depends on the run
	after   []int32 // per state: the row after a run of filler, or rough
	special *symbols.Set
}

const rough = -1

func newSkimmer(nstates int, filler dfa.Set, special *symbols.Set, step func(state int, symbol byte) int) *skimmer {
	k := &skimmer{next: make([]int32, nstates<<8), gap: make([]int32, nstates<<8), after: make([]int32, nstates), special: special}
	for i := range k.next {
		k.next[i] = int32(step(i>>8, byte(i))) << 8
	}
	for s := range k.after {
		to := k.afterRun(s, filler)
		k.after[s] = to
		for c := range 256 {
			k.gap[s<<8|c] = rough
			if to != rough {
				k.gap[s<<8|c] = k.next[int(to)|c]
			}
		}
	}
	return k
}

func (k *skimmer) afterRun(s int, filler dfa.Set) int32 {
	to, found := int32(rough), false
	for c := range 256 {
		if !filler.Has(byte(c)) {
			continue
		}
		if !found {
			to, found = k.next[s<<8|c], true
		}
		if k.next[s<<8|c] != to || k.next[int(to)|c] != to {
			return rough
		}
	}
	return to
}

// skim is the state in which data ends that begins in state s.
func (k *skimmer) skim(data []byte, s int) int {
	for len(data) > 0 {
		part := data[:min(stripSize, len(data))]
		var mask [stripSize / blockSize]uint64
		k.special.Find(mask[:], part)
		s = k.skimStrip(part, &mask, s)
		data = data[len(part):]
	}
	return s
}

// skimStrip is skim for at most stripSize symbols, of which mask has the
// special ones.
func (k *skimmer) skimStrip(data []byte, mask *[stripSize / blockSize]uint64, s int) int {
	next, gap := k.next, k.gap[:len(k.next)]
	p, row := 0, int32(s)<<8
	for b := 0; b*blockSize < len(data); b++ {
		for set := mask[b]; set != 0; set &= set - 1 {
			q := b*blockSize + bits.TrailingZeros64(set)
			i := int(row) | int(data[q])
			if p == q {
				row = next[i]
			} else if to := gap[i]; to >= 0 {
				row = to
			} else {
				row = next[int(k.skimRun(data[p:q], row))|int(data[q])]
			}
			p = q + 1
		}
	}
	return int(k.skimRun(data[p:], row) >> 8)
}

// skimRun is the row after filler that begins in a row.
func (k *skimmer) skimRun(data []byte, row int32) int32 {
	for _, symbol := range data {
		if to := k.after[row>>8]; to >= 0 {
			return to
		}
		row = k.next[int(row)|int(symbol)]
	}
	return row
}
