//go:build cgo && (linux || darwin)

package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// pending is what is being made: it may wait for an input, or read all of one. Who wants
// it waits in short turns, between which Python looks for ^C.
type pending struct {
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	err    error // why it could not be made, set before done is closed
}

// begin lets make run, whose panics are errors: the process is another's.
func (p *pending) begin(make func(context.Context) error) {
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.done = newSignal()
	go func() {
		defer close(p.done)
		defer func() {
			if x := recover(); x != nil {
				p.err = panicError(x)
			}
		}()
		if p.err = make(p.ctx); p.err != nil && p.ctx.Err() != nil {
			p.err = errCancelled
		}
	}()
}

func newSignal() chan struct{} { return make(chan struct{}) }

func panicError(x any) error {
	return fmt.Errorf("libdfaparse has failed, which is a mistake in it: %v\n%s", x, debug.Stack())
}

// ready waits for at most so long, if wait is not negative, and reports whether it is made,
// or cannot be.
func (p *pending) ready(wait time.Duration) (ok bool, err error) {
	_, ok = within(p.done, wait)
	if ok {
		err = p.err
	}
	return ok, err
}

// made waits as long as it takes.
func (p *pending) made() error {
	_, err := p.ready(-1)
	return err
}

// waiter is what ready can be asked of.
type waiter interface {
	ready(wait time.Duration) (ok bool, err error)
}

// within receives from c for at most so long, if wait is not negative; ok is false if
// nothing came. A channel that is closed gives its zero value.
func within[T any](c <-chan T, wait time.Duration) (value T, ok bool) {
	select {
	case value = <-c: // no timer is needed
		return value, true
	default:
	}
	var late <-chan time.Time
	if wait >= 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		late = t.C
	}
	select {
	case value = <-c:
		return value, true
	case <-late:
		return value, false
	}
}
