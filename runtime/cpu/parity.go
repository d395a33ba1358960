package cpu

import (
	"bytes"
	"context"

	"github.com/dfaparse/dfaparse/dfa"
)

// quoteParity gives contexts that are right unless the input is malformed, by
// the parity of quotes: counting one symbol costs a tenth of what vectors do.
// They are checked. The chunks that are read from these contexts must join: each
// has to begin where, and in the state in which, the one before it ended. The
// first begins in the right state, so if all join, all did. If they do not,
// contexts are composed from vectors, and everything is read again.
type quoteParity struct {
	toggle byte
	class  []uint8        // per state, dfa.Parity
	state  [2]dfa.StateID // a usual one of each class
	states *skimmer
}

// run is how many symbols before a chunk are stepped from the usual state of
// their class: after a separator it is the right one.
const run = 256

// newQuoteParity is nil if parity does not give p's contexts.
func newQuoteParity(p *dfa.Program, filler dfa.Set, states *skimmer) *quoteParity {
	parity := p.Analysis().Parity
	if parity == nil || len(p.Directives) > 0 || p.Automaton.MaxLag() > 0 {
		return nil
	}
	a := p.Automaton
	g := &quoteParity{class: parity.Class, states: states}
	n, usual := 0, -1
	for symbol := range 256 {
		if a.Group[symbol] == parity.Toggle {
			g.toggle = byte(symbol)
			n++
		}
		if filler.Has(byte(symbol)) {
			usual = symbol
		}
	}
	if n != 1 || usual < 0 {
		return nil
	}
	g.state[0], _ = a.Step(a.Start, byte(usual))
	inside, _ := a.Step(a.Start, g.toggle)
	g.state[1], _ = a.Step(inside, byte(usual))
	if g.class[g.state[0]] != 0 || g.class[g.state[1]] != 1 {
		return nil
	}
	return g
}

// contextsByParity is contexts by the parity of quotes; ok is false if parity
// does not give them.
func (p *parser) contextsByParity(ctx context.Context, data []byte, nchunks int, state dfa.StateID) (states []dfa.StateID, ok bool, err error) {
	if p.misled || nchunks == 1 {
		return nil, false, nil
	}
	g := p.machine.contexts().parity
	if g == nil || g.class[state] == dfa.NoClass {
		return nil, false, nil
	}
	p.odd = grow(p.odd, nchunks-1)
	err = p.parallel(ctx, nchunks-1, func(w, i int) error {
		p.workers[w].clock.begin()
		p.odd[i] = g.parity(data[i*p.chunkSize : (i+1)*p.chunkSize])
		p.workers[w].clock.lap(contextStage)
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	p.states = append(p.states[:0], state)
	class := g.class[state]
	for i := range nchunks - 1 {
		class ^= p.odd[i]
		end := (i + 1) * p.chunkSize
		from, s := max(end-run, 0), state
		for from > i*p.chunkSize && (data[from-1] == g.toggle || data[from] == g.toggle) {
			from-- // beside a toggle the state is no usual one: it may be one of two
		}
		if from > 0 {
			s = g.state[class^g.parity(data[from:end])]
		}
		p.states = append(p.states, dfa.StateID(g.states.skim(data[from:end], int(s))))
	}
	return p.states, true, nil
}

// parity is the parity of the toggling symbols in data.
func (g *quoteParity) parity(data []byte) uint8 {
	return uint8(bytes.Count(data, []byte{g.toggle}) & 1)
}

// join reports whether each of the chunks that have been read begins where the
// one before it ended.
func join(chunks []*chunk) bool {
	next, state, open := chunks[0].next, chunks[0].resume, chunks[0].open
	for _, ck := range chunks[1:] {
		// Its records are those that follow a boundary in it: here, just before next.
		begins := !open && next > ck.begin && next <= ck.end
		if ck.entered != begins {
			return false
		}
		if !begins {
			continue
		}
		if ck.at != next || ck.from != state {
			return false
		}
		next, state, open = ck.next, ck.resume, ck.open
	}
	return true
}
