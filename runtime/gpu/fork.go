//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file reads several partitions at a time. Each fork is a parser of its own on
// the same device, or on another one, see several.go: while the values of one partition
// still go out, and are made wide, the kernels work on the next.

// ahead is how many partitions are read at a time for each device: while one waits for
// the kernels, the values of another go out, and the symbols of a third come in. Cores
// copy what comes in, and make values wide: where there are many, there may be more.
func ahead(threads int) int { return max(leastAhead, min(threads/4, mostAhead)) }

// aheadOf is the same of p's input. If that is pinned the cores need not copy it; if it is not, and
// there are several devices, the cores have more to copy than they can.
func (p *parser) aheadOf() int {
	switch threads := p.cfg.Threads; {
	case p.inputPinned:
		return ahead(threads + threads/2)
	case len(p.engine.living()) > 1:
		return leastAhead
	default:
		return ahead(threads)
	}
}

const (
	leastAhead = 3
	mostAhead  = 6
)

// blockSize is about how much pinned memory a block of a partition takes, on its way in and out alike.
func (p *parser) blockSize() int { return p.andMore(p.largest(p.cfg.Partition)) }

// warm begins to pin what the forks will need of a file that is large, and no Reader before has
// left, while modules are loaded and the first partition is read.
func (p *parser) warm() {
	n := 3 * p.aheadOf()
	if size := p.blockSize(); len(p.mine) > 0 && p.cfg.Threads > 1 && p.mapped == nil && size > 0 && len(p.cfg.Mapped) > 2*n*size {
		for w := range warming {
			p.warms.Go(func() {
				for i := w; i < n && !p.closing.Load(); i += warming {
					p.device.PrepareHost(size, n)
				}
			})
		}
	}
}

// warming is how many goroutines do so.
const warming = 3

// forked makes p one of several parsers, of whose Results the last n are valid.
func (p *parser) forked(n int) {
	p.results = make([]result, n)
	if size := p.blockSize(); size >= arenaBlock {
		p.hauls.least = (size + arenaBlock - 1) &^ (arenaBlock - 1)
		p.hauls.usual[0] = p.hauls.least
	}
}

// Ahead implements runtime.Wide.
func (p *parser) Ahead() int {
	if len(p.mine) == 0 {
		return 0 // all is the CPU's, which shares a partition among its workers
	}
	n := 0
	for _, ordinal := range p.engine.living() {
		d, err := p.devices.get(ordinal)
		if err != nil {
			continue // a fork finds out
		}
		free, _, err := d.Free()
		if err != nil || leastAhead*p.wants() > free-free/8 {
			return 0
		}
		n += min(p.aheadOf(), (free-free/8)/p.wants())
	}
	if n > 0 && len(p.plan.Program.Cells) == 0 && p.plan.Memory == nil { // a budget has partitions read one after the other
		go p.openGuesser() // it is there when the first partition has been read
	}
	return n
}

// wants is about how much of the device's memory p will take.
func (p *parser) wants() int {
	flight, block := p.flightSize, p.flightSize
	if n := p.cfg.Partition; n > 0 {
		flight, block = p.largest(n), p.blockSize()
	}
	symbols, rows := p.slotRoom(flight)
	_, nbytes := planSlot(p.device, p.slotShape(), symbols, rows)
	return len(p.slots)*nbytes + len(p.staging)*len(p.staging[0])*(block+copyPadding)
}

// Cut implements runtime.Cutter.
func (p *parser) Cut(n int, state dfa.StateID) (at int, next dfa.StateID, ok bool) {
	return p.plan.Program.CutStride(n, state)
}

// Guess implements runtime.Forker, by the CPU's engine.
func (p *parser) Guess(data []byte, b *runtime.Binding) (at, ahead int, state dfa.StateID, ok bool) {
	p.openGuesser()
	if p.guesser == nil {
		return 0, 0, 0, false
	}
	return p.guesser.Guess(data, b)
}

// openGuesser opens what guesses, unless that has been done.
func (p *parser) openGuesser() {
	p.guessing.Do(func() {
		if parser, err := p.cpu(nil, 1); err == nil {
			p.guesser = parser.(runtime.Forker)
		}
	})
}

// Fork implements runtime.Forker.
func (p *parser) Fork(n int) (runtime.Parser, error) {
	fork, err := p.fork(n)
	if err != nil {
		return nil, err
	}
	return fork, nil
}

func (p *parser) fork(n int) (*parser, error) {
	fork, err := p.engine.openParser(p.plan, p.cfg)
	if err != nil {
		return nil, err
	}
	fork.fused.learnt = p.fused.learnt
	fork.forked(n)
	return fork, nil
}
