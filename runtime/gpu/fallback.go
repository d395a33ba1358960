//go:build cuda

package gpu

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// WithFallback lets others take over where a device fails: where it cannot be
// opened, its memory is not enough, a launch fails, it is lost. These are the
// other devices of the Engine, and the CPU's engine when none is left. They
// begin with the partition that failed, of which nothing has been delivered, so
// no row is missing and none is there twice. An Engine asks a device that has
// failed for nothing more, and calls report once for each.
func WithFallback(report func(error)) Option {
	return func(e *Engine) { e.fallback = &fallback{report: report} }
}

// fallback is what the parsers of an Engine know of its devices' failures.
type fallback struct {
	report func(error)

	mu     sync.Mutex
	failed map[int]error // by ordinal
}

// covers reports whether err is one of the device of an ordinal, which has failed
// by that, and tells of the first.
func (f *fallback) covers(ordinal int, err error) bool {
	var failure *device.Error
	if !errors.As(err, &failure) {
		return false
	}
	f.mu.Lock()
	first := f.failed[ordinal] == nil
	if first {
		if f.failed == nil {
			f.failed = map[int]error{}
		}
		f.failed[ordinal] = err
	}
	f.mu.Unlock()
	if first {
		f.report(err)
	}
	return true
}

// failure is what the device of an ordinal has failed by, nil if it has not. Without
// a fallback, nobody takes note.
func (f *fallback) failure(ordinal int) error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed[ordinal]
}

// fallbackParser parses on a device until that fails, then on another one, then on
// the CPU. It is what an Engine with a fallback opens, and each fork of that.
type fallbackParser struct {
	engine *Engine
	plan   *runtime.Plan
	cfg    runtime.Config
	keep   int         // Results of the last Parses that are valid
	learnt *learntHops // of all forks

	mu      sync.Mutex // of device: Results are released while others are parsed
	device  *parser    // nil: none is left
	ordinal int        // of device
	past    []*parser  // those that have failed, whose Results may still be read

	cpu  []runtime.Parser // whose Results are valid, by turns
	turn int

	forks atomic.Int64 // until now
}

func (e *Engine) openFallback(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	return e.openFallbackOn(0, 1, &learntHops{}, plan, cfg)
}

// openFallbackOn opens a parser on the device that is the nth of those that are left,
// by turns.
func (e *Engine) openFallbackOn(nth, keep int, learnt *learntHops, plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p := &fallbackParser{engine: e, plan: plan, cfg: cfg, keep: keep, learnt: learnt, cpu: make([]runtime.Parser, keep)}
	if _, err := e.all(); err != nil && !e.fallback.covers(0, err) {
		return nil, err
	}
	if err := p.change(nth); err != nil {
		return nil, err
	}
	if keep == 1 && p.device != nil {
		p.device.warm()
	}
	return p, nil
}

// change goes to the nth of the devices that are left, by turns, or to one behind it,
// or to the CPU.
func (p *fallbackParser) change(nth int) error {
	if p.device != nil {
		p.device.unprepare()
		if p.keep > 1 {
			p.past = append(p.past, p.device)
		} else {
			p.device.Close() // if that fails too, nobody is helped by knowing
		}
		p.set(nil, 0)
	}
	for {
		living := p.engine.living()
		if len(living) == 0 {
			return p.openCPU()
		}
		ordinal := living[nth%len(living)]
		device, err := p.engine.openOn(ordinal, p.plan, p.cfg)
		if err == nil {
			device.fused.learnt = p.learnt
			if p.keep > 1 {
				device.forked(p.keep)
			}
			p.set(device, ordinal)
			return nil
		}
		if !p.engine.fallback.covers(ordinal, err) {
			return err
		}
	}
}

func (p *fallbackParser) set(device *parser, ordinal int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.device, p.ordinal = device, ordinal
}

// openCPU opens the CPU's engine for the next Result.
func (p *fallbackParser) openCPU() (err error) {
	if p.cpu[p.turn] == nil {
		cfg := p.cfg
		cfg.Threads = threadsOf(p.plan, &cfg, p.keep)
		p.cpu[p.turn], err = cpu.Engine.Open(p.plan, cfg)
	}
	return err
}

// Prepare implements runtime.Preparer.
func (p *fallbackParser) Prepare(part *runtime.Partition) {
	if p.device != nil {
		p.device.Prepare(part)
	}
}

// Parse implements runtime.Parser.
func (p *fallbackParser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	for p.device != nil {
		if p.engine.fallback.failure(p.ordinal) == nil {
			result, err := p.device.Parse(ctx, part)
			if err == nil || !p.engine.fallback.covers(p.ordinal, err) {
				return result, err
			}
		}
		if err := p.change(p.ordinal); err != nil {
			return nil, err
		}
	}
	p.turn = (p.turn + 1) % p.keep
	if err := p.openCPU(); err != nil {
		return nil, err
	}
	return p.cpu[p.turn].Parse(ctx, part)
}

// Release implements runtime.Releaser. Of the CPU's results, and those of a device that has
// failed, nothing is to be had.
func (p *fallbackParser) Release(r *runtime.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.device != nil {
		p.device.Release(r)
	}
}

// Close implements runtime.Parser.
func (p *fallbackParser) Close() error {
	var errs []error
	for _, past := range p.past {
		past.Close()
	}
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

// Ahead implements runtime.Wide.
func (p *fallbackParser) Ahead() int {
	if p.device == nil {
		return 0
	}
	return p.device.Ahead()
}

// Cut implements runtime.Cutter.
func (p *fallbackParser) Cut(n int, state dfa.StateID) (at int, next dfa.StateID, ok bool) {
	return p.plan.Program.CutStride(n, state)
}

// Guess implements runtime.Forker. It needs no device.
func (p *fallbackParser) Guess(data []byte, b *runtime.Binding) (at, ahead int, state dfa.StateID, ok bool) {
	if p.device == nil {
		return p.cpu[p.turn].(runtime.Forker).Guess(data, b)
	}
	return p.device.Guess(data, b)
}

// Fork implements runtime.Forker: each fork has the next device.
func (p *fallbackParser) Fork(n int) (runtime.Parser, error) {
	return p.engine.openFallbackOn(int(p.forks.Add(1)-1), n, p.learnt, p.plan, p.cfg)
}
