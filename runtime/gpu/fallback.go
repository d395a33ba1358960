//go:build cuda

package gpu

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// WithFallback lets the CPU's engine take over where the device fails: where it
// cannot be opened, its memory is not enough, a launch fails, it is lost. The
// CPU begins with the partition that failed, of which nothing has been
// delivered, so no row is missing and none is there twice. An Engine whose
// device has failed asks it for nothing more, and calls report once.
func WithFallback(report func(error)) Option {
	return func(e *Engine) { e.fallback = &fallback{report: report} }
}

// fallback is what the parsers of an Engine know of their device's failure.
type fallback struct {
	report func(error)
	failed atomic.Bool
}

// covers reports whether err is one of the device, and tells of the first.
func (f *fallback) covers(err error) bool {
	var failure *device.Error
	if !errors.As(err, &failure) {
		return false
	}
	if f.failed.CompareAndSwap(false, true) {
		f.report(err)
	}
	return true
}

// fallbackParser parses on the device until that fails, then on the CPU.
type fallbackParser struct {
	engine   *Engine
	plan     *runtime.Plan
	cfg      runtime.Config
	fallback *fallback
	device   *parser        // nil: it has failed
	cpu      runtime.Parser // nil: it has not
}

func (e *Engine) openFallback(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p := &fallbackParser{engine: e, plan: plan, cfg: cfg, fallback: e.fallback}
	var err error
	if !p.fallback.failed.Load() {
		if p.device, err = e.openParser(plan, cfg); err == nil {
			return p, nil
		}
		if !p.fallback.covers(err) {
			return nil, err
		}
	}
	if err := p.leaveDevice(); err != nil {
		return nil, err
	}
	return p, nil
}

// leaveDevice gives up the device and opens the CPU's engine.
func (p *fallbackParser) leaveDevice() (err error) {
	if p.device != nil {
		p.device.Close() // if that fails too, nobody is helped by knowing
		p.device = nil
	}
	p.cpu, err = cpu.Engine.Open(p.plan, p.cfg)
	return err
}

// Parse implements runtime.Parser.
func (p *fallbackParser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	if p.device != nil {
		if !p.fallback.failed.Load() {
			result, err := p.device.Parse(ctx, part)
			if err == nil || !p.fallback.covers(err) {
				return result, err
			}
		}
		if err := p.leaveDevice(); err != nil {
			return nil, err
		}
	}
	return p.cpu.Parse(ctx, part)
}

// Close implements runtime.Parser.
func (p *fallbackParser) Close() error {
	var errs []error
	if p.device != nil {
		errs = append(errs, p.device.Close())
	}
	if p.cpu != nil {
		errs = append(errs, p.cpu.Close())
	}
	return errors.Join(errs...)
}
