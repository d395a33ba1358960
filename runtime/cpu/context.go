package cpu

import (
	"bytes"
	"context"
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
)

// contexts gives the state in which each chunk of data begins, data itself
// beginning in state. Vectors are computed in parallel and composed in order.
// With one chunk there is nothing to find out.
func (p *parser) contexts(ctx context.Context, data []byte, nchunks int, state dfa.StateID) ([]dfa.StateID, error) {
	p.states = append(p.states[:0], state)
	if nchunks == 1 {
		return p.states, nil
	}
	p.vectors = grow(p.vectors, nchunks-1)
	err := p.parallel(ctx, nchunks-1, func(_, i int) error {
		p.vectors[i] = p.machine.vector(data[i*p.chunk:(i+1)*p.chunk], p.vectors[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range nchunks - 1 {
		p.states = append(p.states, p.vectors[i][p.states[i]])
	}
	return p.states, nil
}

// vector is the chunk's state-transition vector. If the chunk has a symbol
// after which the automaton is in one state whatever it was in before, all that
// counts is what follows the last of them. Otherwise the distinct states are
// stepped: most automata collapse to a few after a few symbols, so they are
// looked through for equal ones at growing distances.
func (m *machine) vector(chunk []byte, dst []dfa.StateID) []dfa.StateID {
	dst = grow(dst, len(m.AtEOF))
	if last := m.lastSync(chunk); last >= 0 {
		row := m.skim(chunk[last+1:], m.Row(m.synced))
		for s := range dst {
			dst[s] = state(row)
		}
		return dst
	}
	live := make([]uint32, len(dst)) // the distinct states, as rows
	lane := make([]int, len(dst))    // start state -> index into live
	for s := range live {
		live[s], lane[s] = m.Row(dfa.StateID(s)), s
	}
	for done, step := 0, 1; done < len(chunk); step = min(4*step, stripSize) {
		part := chunk[done:min(done+step, len(chunk))]
		var mask [stripSize / blockSize]uint64
		members(mask[:], part, m.special)
		for i, row := range live {
			live[i] = m.skimStrip(part, &mask, row)
		}
		done += len(part)
		if len(live) > 1 {
			live = merge(live, lane)
		}
	}
	for s, l := range lane {
		dst[s] = state(live[l])
	}
	return dst
}

// lastSync is the offset of the chunk's last symbol that synchronises, -1 if
// there is none.
func (m *machine) lastSync(chunk []byte) int {
	last := -1
	for _, symbol := range m.sync {
		last = max(last, bytes.LastIndexByte(chunk, symbol))
	}
	return last
}

// skim is the row in which data ends that begins in row.
func (m *machine) skim(data []byte, row uint32) uint32 {
	for len(data) > 0 {
		part := data[:min(stripSize, len(data))]
		var mask [stripSize / blockSize]uint64
		members(mask[:], part, m.special)
		row = m.skimStrip(part, &mask, row)
		data = data[len(part):]
	}
	return row
}

// skimStrip is skim for at most stripSize symbols, of which mask has the
// special ones.
func (m *machine) skimStrip(data []byte, mask *[stripSize / blockSize]uint64, row uint32) uint32 {
	p := 0
	for b := 0; b*blockSize < len(data); b++ {
		for set := mask[b]; set != 0; set &= set - 1 {
			q := b*blockSize + bits.TrailingZeros64(set)
			if p < q {
				row = m.skimRun(data[p:q], row)
			}
			row = m.Entries[row|uint32(data[q])].Row()
			p = q + 1
		}
	}
	return m.skimRun(data[p:], row)
}

// skimRun is skim for filler.
func (m *machine) skimRun(data []byte, row uint32) uint32 {
	for _, symbol := range data {
		if m.smooth(row) {
			return m.after[state(row)]
		}
		row = m.Entries[row|uint32(symbol)].Row()
	}
	return row
}

// merge drops states that occur earlier in live and redirects their lanes.
func merge(live []uint32, lane []int) []uint32 {
	kept := live[:0:len(live)]
	to := make([]int, len(live))
	for i, s := range live {
		to[i] = -1
		for j, k := range kept {
			if k == s {
				to[i] = j
				break
			}
		}
		if to[i] < 0 {
			to[i] = len(kept)
			kept = append(kept, s)
		}
	}
	if len(kept) < len(to) {
		for s := range lane {
			lane[s] = to[lane[s]]
		}
	}
	return kept
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return append(s[:cap(s)], make([]T, n-cap(s))...)
	}
	return s[:n]
}
