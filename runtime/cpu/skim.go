package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
)

// skimmer is an automaton of which only the states count: where reading ends,
// not what it emits. The states may be those of the Program's automaton, or the
// elements of its transition monoid.
type skimmer struct {
	next    []int32 // state<<8 | symbol -> state
	after   []int32 // per state: the state after a run of filler, rough if that depends on the run
	special *nibbles
}

const rough = -1

func newSkimmer(nstates int, filler dfa.Set, special *nibbles, step func(state int, symbol byte) int) *skimmer {
	k := &skimmer{next: make([]int32, nstates<<8), after: make([]int32, nstates), special: special}
	for i := range k.next {
		k.next[i] = int32(step(i>>8, byte(i)))
	}
	for s := range k.after {
		k.after[s] = k.afterRun(s, filler)
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
		if k.next[s<<8|c] != to || k.next[int(to)<<8|c] != to {
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
		members(mask[:], part, k.special)
		s = k.skimStrip(part, &mask, s)
		data = data[len(part):]
	}
	return s
}

// skimStrip is skim for at most stripSize symbols, of which mask has the
// special ones.
func (k *skimmer) skimStrip(data []byte, mask *[stripSize / blockSize]uint64, s int) int {
	p := 0
	for b := 0; b*blockSize < len(data); b++ {
		for set := mask[b]; set != 0; set &= set - 1 {
			q := b*blockSize + bits.TrailingZeros64(set)
			if p < q {
				if to := k.after[s]; to >= 0 {
					s = int(to)
				} else {
					s = k.skimRun(data[p:q], s)
				}
			}
			s = int(k.next[s<<8|int(data[q])])
			p = q + 1
		}
	}
	return k.skimRun(data[p:], s)
}

// skimRun is skim for filler.
func (k *skimmer) skimRun(data []byte, s int) int {
	for _, symbol := range data {
		if to := k.after[s]; to >= 0 {
			return int(to)
		}
		s = int(k.next[s<<8|int(symbol)])
	}
	return s
}
