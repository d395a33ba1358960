package symbols

import "github.com/dfaparse/dfaparse/dfa"

// MostEach is how many symbols an Each looks for.
const MostEach = 4

// Each looks for a few symbols and tells them apart.
type Each struct {
	symbols [MostEach]byte
	sets    []*Set
}

// NewEach is for at least one symbol, and at most MostEach.
func NewEach(symbols []byte) *Each {
	e := new(Each)
	for k := range e.symbols {
		e.symbols[k] = symbols[min(k, len(symbols)-1)]
	}
	for _, symbol := range symbols {
		e.sets = append(e.sets, NewSet(dfa.Bytes(symbol)))
	}
	return e
}

// Strip is how many blocks an Each looks at at once, at most.
const Strip = 64

// Find sets dst[k][i] to a bit for each symbol of block i of src that is symbol k, for nblocks
// whole blocks, and some[k] to the OR of these. What is behind them, or of further symbols,
// may be anything.
func (e *Each) Find(dst *[MostEach][Strip]uint64, src []byte, nblocks int) (some [MostEach]uint64) {
	if nblocks == 0 {
		return some
	}
	_, _ = src[nblocks*Block-1], dst[0][nblocks-1]
	if hasAVX2 {
		findEachAVX2(dst, &src[0], nblocks, &e.symbols, &some)
		return some
	}
	for k, s := range e.sets {
		s.FindBlocks(dst[k][:nblocks], src)
		for _, mask := range dst[k][:nblocks] {
			some[k] |= mask
		}
	}
	return some
}
