package cpu

import (
	"context"

	"github.com/dfaparse/dfaparse/dfa"
)

// contexts gives the state in which each chunk of data begins, data itself
// beginning in state. Vectors are computed in parallel and composed in order.
// With one worker there is nothing to find out: it arrives at each chunk's
// beginning in the right state.
func (p *parser) contexts(ctx context.Context, data []byte, nchunks int, state dfa.StateID) ([]dfa.StateID, error) {
	p.states = append(p.states[:0], state)
	if nchunks == 1 {
		return p.states, nil
	}
	p.vectors = grow(p.vectors, nchunks-1)
	err := p.parallel(ctx, nchunks-1, func(_, i int) error {
		p.vectors[i] = vector(p.machine.Table, data[i*p.chunk:(i+1)*p.chunk], p.vectors[i])
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

// vector is the chunk's state-transition vector. Most automata collapse to a
// few states after a few symbols: only distinct states are stepped, and they
// are looked through for equal ones at growing distances.
func vector(t *dfa.Table, chunk []byte, dst []dfa.StateID) []dfa.StateID {
	n := len(t.AtEOF)
	dst = grow(dst, n)
	live := make([]uint32, n) // the distinct states, as rows of the table
	lane := make([]int, n)    // start state -> index into live
	for s := range live {
		live[s], lane[s] = t.Row(dfa.StateID(s)), s
	}
	for done, step := 0, 1; done < len(chunk); step = min(2*step, 4096) {
		part := chunk[done:min(done+step, len(chunk))]
		for i, row := range live {
			for _, c := range part {
				row = t.Entries[row|uint32(c)].Row()
			}
			live[i] = row
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
