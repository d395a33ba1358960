package zstdfast

import "math/bits"

// table is how the codes of one kind are encoded by finite state entropy
// (RFC 8878, 4.1): a code takes a state to the next and gives some bits.
type table struct {
	log    int               // of the number of states; 0: there is one code only
	states [maxStates]uint16 // by what a transition gives
	codes  [maxCodes]transition
}

// transition is what a code does: the state gives (state + bits)>>16 bits, and
// what is left of it is looked up at next.
type transition struct {
	bits uint32
	next int32
}

const (
	maxCodes  = 64 // there are 53 of match lengths, fewer of the others
	maxStates = 1 << 9
)

// histogram counts codes.
type histogram [maxCodes]uint32

// describe chooses the table for n codes and appends its description: mode is
// what the header of the sequences says of it.
func (t *table) describe(dst []byte, h *histogram, n, maxLog int) (out []byte, mode int) {
	last, distinct := 0, 0
	for code, count := range h {
		if count > 0 {
			last = code
			distinct++
		}
	}
	if distinct == 1 {
		t.log, t.codes[last] = 0, transition{}
		t.states[0] = 0
		return append(dst, byte(last)), 1
	}
	t.log = min(maxLog, max(bits.Len(uint(n))-2, bits.Len(uint(distinct))+1, 5))
	var shares [maxCodes]int
	t.share(&shares, h, n)
	t.build(shares[:last+1])
	return appendShares(dst, shares[:last+1], t.log), 2
}

// share divides the states among the codes by their counts: one at least to
// each that occurs.
func (t *table) share(shares *[maxCodes]int, h *histogram, n int) {
	left, most := 1<<t.log, 0
	for code, count := range h {
		if count == 0 {
			continue
		}
		shares[code] = max(1, (int(count)<<t.log+n/2)/n)
		left -= shares[code]
		if shares[code] > shares[most] {
			most = code
		}
	}
	if left > 0 {
		shares[most] += left
	}
	for ; left < 0; left++ { // rounded up too often: the largest gives one
		for code, share := range shares {
			if share > shares[most] {
				most = code
			}
		}
		shares[most]--
	}
}

// build makes the table of the shares that codes have of the states.
func (t *table) build(shares []int) {
	size := 1 << t.log
	var symbol [maxStates]uint8 // by state
	var at [maxCodes]int        // where the states after a code begin
	place, total := 0, 0
	for code, share := range shares {
		at[code] = total
		for range share {
			symbol[place] = uint8(code)
			place = (place + size>>1 + size>>3 + 3) & (size - 1)
		}
		switch share {
		case 0:
		case 1:
			t.codes[code] = transition{uint32(t.log<<16 - size), int32(total - 1)}
		default:
			most := t.log - (bits.Len(uint(share-1)) - 1)
			t.codes[code] = transition{uint32(most<<16 - share<<most), int32(total - share)}
		}
		total += share
	}
	for state, code := range symbol[:size] {
		t.states[at[code]] = uint16(size + state)
		at[code]++
	}
}

// first is the state in which the last code leaves its decoder.
func (t *table) first(code uint8) uint32 {
	c := t.codes[code]
	nbits := (c.bits + 1<<15) >> 16
	return uint32(t.states[int32((nbits<<16-c.bits)>>nbits)+c.next])
}

// appendShares describes the shares (RFC 8878, 4.1.1).
func appendShares(dst []byte, shares []int, log int) []byte {
	var w forward
	w.out = dst
	w.add(uint64(log-5), 4)
	left := 1<<log + 1 // to be given, + 1
	limit, width := 1<<log, log+1
	zero := false
	for code := 0; code < len(shares) && left > 1; {
		if zero {
			start := code
			for code < len(shares) && shares[code] == 0 {
				code++
			}
			for ; code >= start+3; start += 3 {
				w.add(3, 2)
			}
			w.add(uint64(code-start), 2)
		}
		share := shares[code]
		short := 2*limit - 1 - left // values below it take a bit less
		left -= share
		value, nbits := share+1, width
		if value >= limit {
			value += short
		}
		if value < short {
			nbits--
		}
		w.add(uint64(value), nbits)
		zero = share == 0
		for code++; left < limit; limit >>= 1 {
			width--
		}
	}
	return w.close()
}

// forward writes bits, the first lowest.
type forward struct {
	out   []byte
	held  uint64
	nbits int
}

func (w *forward) add(v uint64, nbits int) {
	w.held |= v << w.nbits
	for w.nbits += nbits; w.nbits >= 8; w.nbits -= 8 {
		w.out = append(w.out, byte(w.held))
		w.held >>= 8
	}
}

func (w *forward) close() []byte {
	if w.nbits > 0 {
		w.out = append(w.out, byte(w.held))
	}
	return w.out
}
