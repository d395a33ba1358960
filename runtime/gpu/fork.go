//go:build cuda

package gpu

import (
	"context"
	"errors"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// This file reads several partitions at a time. Each fork is a parser of its own on
// the same device: while the values of one partition still go out, and are made
// wide, the kernels work on the next.

// ahead is how many partitions are read at a time: of two, one always has work for
// the device.
const ahead = 2

// Ahead implements runtime.Wide.
func (p *parser) Ahead() int {
	if len(p.mine) == 0 {
		return 0 // all is the CPU's, which shares a partition among its workers
	}
	free, _, err := p.device.Free()
	if err != nil || ahead*p.wants() > free-free/8 {
		return 0
	}
	return ahead
}

// wants is about how much of the device's memory p will take.
func (p *parser) wants() int {
	flight := p.flightSize
	if n := p.cfg.Partition; n > 0 {
		flight = min(flight, n)
	}
	symbols, rows := p.slotRoom(flight)
	_, nbytes := planSlot(p.device, p.slotShape(), symbols, rows)
	return len(p.slots)*nbytes + len(p.staging)*(flight+copyPadding)
}

// Guess implements runtime.Forker, by the CPU's engine.
func (p *parser) Guess(data []byte, b *runtime.Binding) (at int, state dfa.StateID, ok bool) {
	if p.guesser == nil {
		parser, err := p.cpu(nil, 1)
		if err != nil {
			return 0, 0, false
		}
		p.guesser = parser.(runtime.Forker)
	}
	return p.guesser.Guess(data, b)
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
	fork.results = make([]result, n)
	return fork, nil
}

// Ahead implements runtime.Wide.
func (p *fallbackParser) Ahead() int {
	if p.device == nil {
		return 0
	}
	return p.device.Ahead()
}

// Guess implements runtime.Forker. It needs no device.
func (p *fallbackParser) Guess(data []byte, b *runtime.Binding) (at int, state dfa.StateID, ok bool) {
	if p.device == nil {
		return p.cpu.(runtime.Forker).Guess(data, b)
	}
	return p.device.Guess(data, b)
}

// Fork implements runtime.Forker.
func (p *fallbackParser) Fork(n int) (runtime.Parser, error) {
	fork := &fallbackFork{plan: p.plan, cfg: p.cfg, fallback: p.fallback, cpu: make([]runtime.Parser, n)}
	if p.fallback.failed.Load() {
		return fork, nil
	}
	device, err := p.engine.openParser(p.plan, p.cfg)
	if err != nil {
		if !p.fallback.covers(err) {
			return nil, err
		}
		return fork, nil
	}
	device.results = make([]result, n)
	fork.device = device
	return fork, nil
}

// fallbackFork is a fork of a fallbackParser.
type fallbackFork struct {
	plan     *runtime.Plan
	cfg      runtime.Config
	fallback *fallback
	device   *parser          // nil: there is none
	failed   bool             // device has failed; the Results that it gave may still be read
	cpu      []runtime.Parser // whose Results are valid, by turns
	turn     int
}

// Parse implements runtime.Parser.
func (p *fallbackFork) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	if p.device != nil && !p.failed {
		if !p.fallback.failed.Load() {
			result, err := p.device.Parse(ctx, part)
			if err == nil || !p.fallback.covers(err) {
				return result, err
			}
		}
		p.failed = true
	}
	p.turn = (p.turn + 1) % len(p.cpu)
	own := &p.cpu[p.turn]
	if *own == nil {
		var err error
		if *own, err = cpu.Engine.Open(p.plan, p.cfg); err != nil {
			return nil, err
		}
	}
	return (*own).Parse(ctx, part)
}

// Close implements runtime.Parser.
func (p *fallbackFork) Close() error {
	var errs []error
	if p.device != nil {
		errs = append(errs, p.device.Close())
	}
	for _, c := range p.cpu {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
