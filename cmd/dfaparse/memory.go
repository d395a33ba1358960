package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
)

// memoryBudget is what a run may take in all, by --memory or GOMEMLIMIT. It is
// shared out: the reading has a bound of its own, which says at once what does not
// fit; the writing has buffers of a size that follows from the rest; and what
// lives of both is watched.
type memoryBudget struct {
	total  int64
	source string // "--memory" or "GOMEMLIMIT"
	kind   string // of output
}

const (
	// leastMemory is the least that a run can be made with.
	leastMemory = 64 << 20
	// programMemory is what is taken before anything is read: code, and what the
	// packages make of it.
	programMemory = 18 << 20
)

// newMemoryBudget is the budget that the flag asks for, or where it does not, the environment.
// Without either it is nil.
func newMemoryBudget(flag size, kind string) (*memoryBudget, error) {
	b := &memoryBudget{int64(flag), "--memory", kind}
	if flag == 0 {
		b = &memoryBudget{debug.SetMemoryLimit(-1), "GOMEMLIMIT", kind}
		if b.total == math.MaxInt64 {
			return nil, nil
		}
	}
	if b.total < leastMemory {
		least := size(leastMemory)
		return nil, usagef("%s: want %s or more: nothing can be read and written with less", b, least.String())
	}
	return b, nil
}

// memorySize is the flag of the most memory that a run may take. The collector is told at once, and by it who
// remembers what is in archives, before any is opened.
type memorySize struct{ size }

func (m *memorySize) Set(text string) error {
	err := m.size.Set(text)
	if err == nil && m.size >= leastMemory {
		debug.SetMemoryLimit(int64(m.size) - programMemory)
	}
	return err
}

func (b *memoryBudget) String() string {
	s := size(b.total)
	return b.source + " " + s.String()
}

// rest is what there is for reading and writing.
func (b *memoryBudget) rest() int64 { return b.total - programMemory }

// reading is the part of it for reading: a long value is held once more, or
// several times, by what writes it.
func (b *memoryBudget) reading() int64 {
	switch b.kind {
	case "none":
		return b.looking()
	case "parquet", "arrow", "arrows":
		return b.rest() / 3
	}
	return b.rest() / 2
}

// looking is the part of it for finding out how inputs are read, while nothing is written.
func (b *memoryBudget) looking() int64 { return b.rest() * 3 / 4 }

// lookingError is error for what finding out how inputs are read has failed with.
func (b *memoryBudget) lookingError(paths []string, err error) error {
	memory := b.error(err)
	if memory != err && len(paths) == 1 {
		return fmt.Errorf("%s: %w", render.Printable(paths[0]), memory)
	}
	return memory
}

// writing bounds the output's buffers.
func (b *memoryBudget) writing(o *output.Options) {
	if b != nil {
		o.Memory = b.rest() / 3
	}
}

// error is what becomes of an error for which memory is the reason.
func (b *memoryBudget) error(err error) error {
	if b == nil {
		return err
	}
	var m *runtime.MemoryError
	if !errors.As(err, &m) {
		return err
	}
	return &memoryError{b, err, fmt.Sprintf("of the %s for reading %s are left, and a record or a column needs %s more", mebibytes(m.Limit), mebibytes(m.Left), mebibytes(m.Needed))}
}

// memoryError says that a run does not fit its budget, and what to change.
type memoryError struct {
	budget *memoryBudget
	err    error
	why    string
}

func (e *memoryError) Error() string {
	text := fmt.Sprintf("%s is not enough: %s; give more, bound records with a smaller --max-record, or take fewer --threads or --columns", e.budget, e.why)
	if output.Binary(e.budget.kind) {
		text += "; --to jsonl takes less than " + e.budget.kind
	}
	return text
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

func (e *memoryError) Unwrap() error { return e.err }

// watchEvery is how often it is looked at what lives.
const watchEvery = 20 * time.Millisecond

// watch gives a context that ends with a *memoryError where what lives is more
// than the budget, which the collector can do nothing about.
func (b *memoryBudget) watch(ctx context.Context) (context.Context, func()) {
	if b == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if live := liveBytes(); live > b.rest() {
				goruntime.GC() // some of it may have gone
				if live = liveBytes(); live > b.rest() {
					cancel(&memoryError{b, context.Canceled, mebibytes(live+programMemory) + " are in use at once"})
					return
				}
			}
		}
	}()
	return ctx, func() { close(done); cancel(nil) }
}

// liveBytes is what the last collection found alive, and stacks.
func liveBytes() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() + s[1].Value.Uint64())
}

// memoryFailure is why the watch has ended ctx, nil if it has not.
func memoryFailure(ctx context.Context) error {
	if m := (*memoryError)(nil); errors.As(context.Cause(ctx), &m) {
		return &memoryError{m.budget, nil, m.why}
	}
	return nil
}

// grouping is what groups may take until they go to files, 0 if nobody has said.
func (b *memoryBudget) grouping() int64 {
	if b == nil {
		return 0
	}
	return b.rest() / 4
}
