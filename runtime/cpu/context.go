package cpu

import (
	"bytes"
	"context"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// contexts gives the state in which each chunk of data begins, data itself
// beginning in state. Vectors are computed in parallel and composed in order.
// With one chunk there is nothing to find out.
func (p *parser) contexts(ctx context.Context, data []byte, nchunks int, state dfa.StateID) ([]dfa.StateID, error) {
	p.states = append(p.states[:0], state)
	if nchunks == 1 {
		return p.states, nil
	}
	if length := p.plan.Program.Stride(); length > 0 { // the context is how far a record has come
		order := statesOf(p.plan.Program.Automaton, length)
		begun := slices.Index(order, state)
		for i := 1; i < nchunks; i++ {
			p.states = append(p.states, order[(begun+i*p.chunkSize)%length])
		}
		return p.states, nil
	}
	p.vectors = grow(p.vectors, nchunks-1)
	vectors := p.machine.contexts()
	err := p.parallel(ctx, nchunks-1, func(w, i int) error {
		p.workers[w].clock.begin()
		p.vectors[i] = vectors.vector(data[i*p.chunkSize:(i+1)*p.chunkSize], p.vectors[i])
		p.workers[w].clock.lap(contextStage)
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
// counts is what follows the last of them. If the automaton has few vectors in
// all, the chunk's is found as one of them, by stepping their monoid. Otherwise
// the distinct states are stepped: most automata collapse to a few after a few
// symbols, so they are looked through for equal ones at growing distances.
func (c *contexts) vector(chunk []byte, dst []dfa.StateID) []dfa.StateID {
	dst = grow(dst, c.nstates)
	if last := c.lastSync(chunk); last >= 0 {
		s := c.states.skim(chunk[last+1:], int(c.synced))
		for i := range dst {
			dst[i] = dfa.StateID(s)
		}
		return dst
	}
	if c.monoid != nil {
		copy(dst, c.monoid.Elements[c.elements.skim(chunk, identity)])
		return dst
	}
	live := make([]int, len(dst)) // the distinct states
	lane := make([]int, len(dst)) // start state -> index into live
	for s := range live {
		live[s], lane[s] = s, s
	}
	var vectors *vectorTable
	for done, step := 0, 1; done < len(chunk); step = min(4*step, stripSize) {
		if len(live) > fewLive && done >= vectorsFrom && (vectors == nil || !vectors.full) {
			if vectors == nil {
				vectors = newVectorTable(c)
			}
			done += vectors.walk(chunk[done:min(done+vectorStrip, len(chunk))], live)
			live = merge(live, lane)
			continue
		}
		part := chunk[done:min(done+step, len(chunk))]
		var mask [stripSize / blockSize]uint64
		c.states.special.Find(mask[:], part)
		for i, s := range live {
			live[i] = c.states.skimStrip(part, &mask, s)
		}
		done += len(part)
		if len(live) > 1 {
			live = merge(live, lane)
		}
	}
	for s, l := range lane {
		dst[s] = dfa.StateID(live[l])
	}
	return dst
}

// contexts is what vectors are computed with.
type contexts struct {
	nstates int
	ngroups int
	group   [256]uint16
	// After any of the symbols in sync the automaton is in state synced,
	// whatever it was in before. There may be none.
	sync     []byte
	synced   dfa.StateID
	states   *skimmer     // steps states
	monoid   *dfa.Monoid  // nil if it is large
	elements *skimmer     // steps elements of the monoid
	parity   *quoteParity // nil if there is none
}

// ContextPath is how the engine finds the contexts of p's chunks, if several workers share a
// partition.
func ContextPath(p *dfa.Program) dfa.Path {
	switch c := newMachine(p).contexts(); {
	case c.parity != nil:
		return dfa.PathParity
	case len(c.sync) > 0:
		return dfa.PathLocal
	case c.monoid != nil:
		return dfa.PathMonoid
	}
	return dfa.PathGeneric
}

const (
	maxSync     = 4   // symbols that a chunk is searched for
	maxElements = 256 // of a monoid: its table then stays in the second-level cache
	identity    = 0   // the element of no symbols
)

func newContexts(p *dfa.Program, filler dfa.Set, special *symbols.Set) *contexts {
	a := p.Automaton
	c := &contexts{nstates: a.NStates(), ngroups: a.NGroups}
	for symbol, g := range a.Group {
		c.group[symbol] = uint16(g)
	}
	c.states = newSkimmer(a.NStates(), filler, special, func(s int, symbol byte) int {
		next, _ := a.Step(dfa.StateID(s), symbol)
		return int(next)
	})
	if s, ok := p.Analysis().LocalSync(); ok {
		c.synced = s.State
		for b, g := range a.Group {
			if g == s.Group {
				c.sync = append(c.sync, byte(b))
			}
		}
		if len(c.sync) > maxSync {
			c.sync = nil // too many to look for
		}
	}
	c.parity = newQuoteParity(p, filler, c.states)
	if monoid, ok := dfa.NewMonoid(a, maxElements); ok {
		c.monoid = monoid
		c.elements = newSkimmer(len(monoid.Elements), filler, special, func(e int, symbol byte) int {
			return int(monoid.Step(dfa.ElementID(e), a.Group[symbol]))
		})
	}
	return c
}

// lastSync is the offset of the chunk's last symbol that synchronises, -1 if
// there is none.
func (c *contexts) lastSync(chunk []byte) int {
	last := -1
	for _, symbol := range c.sync {
		last = max(last, bytes.LastIndexByte(chunk, symbol))
	}
	return last
}

// merge drops states that occur earlier in live and redirects their lanes.
func merge(live, lane []int) []int {
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
