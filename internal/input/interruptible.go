package input

import (
	"context"
	"fmt"
	"io"
)

// interruptible reads an input, but gives up waiting for it when ctx is done, which ends
// its goroutine too: a terminal or a pipe may be silent for long.
type interruptible struct {
	ctx  context.Context
	asks chan []byte
	got  chan readResult
	rest []byte // read and not yet handed out
	mem  []byte
	err  error
}

type readResult struct {
	n   int
	err error
}

func newInterruptible(ctx context.Context, r io.Reader) *interruptible {
	i := &interruptible{ctx: ctx, asks: make(chan []byte), got: make(chan readResult, 1), mem: make([]byte, 64<<10)}
	go func() {
		for {
			select {
			case p := <-i.asks:
				n, err := r.Read(p)
				if i.got <- (readResult{n, err}); err != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return i
}

func (i *interruptible) Read(p []byte) (int, error) {
	for len(i.rest) == 0 {
		if i.err != nil {
			return 0, i.err
		}
		if i.err = i.ctx.Err(); i.err != nil {
			return 0, i.err
		}
		select {
		case i.asks <- i.mem:
		case <-i.ctx.Done():
			continue
		}
		select {
		case got := <-i.got:
			if got.n < 0 || got.n > len(i.mem) {
				got = readResult{0, fmt.Errorf("the input says that it has read %d of %d bytes", got.n, len(i.mem))}
			}
			i.rest, i.err = i.mem[:got.n], got.err
			if i.err == nil && got.n == 0 {
				return 0, nil // who reads counts how often
			}
		case <-i.ctx.Done():
			i.err = i.ctx.Err()
		}
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}
