//go:build cuda

package gpu

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/runtime"
)

// lander completes the flights of a partition in their order, while those behind
// them are parsed: one goroutine begins with each, and another ends with it, so that the
// values of several are made wide at the same time.
type lander struct {
	p        *parser
	lexicons runtime.Lexicons // of the partition, nil: none
	ctx      context.Context
	flights  chan *flight
	begun    chan *flight
	wg       sync.WaitGroup
	rows     []runtime.Rows
	err      error
	failed   atomic.Bool // err is set
}

// mostLanding is how many flights may wait for the lander, and mostBegun how many that it has
// begun with.
const (
	mostLanding = 4
	mostBegun   = 1
)

func (p *parser) newLander(ctx context.Context, lexicons runtime.Lexicons) *lander {
	l := &lander{p: p, lexicons: lexicons, ctx: ctx, flights: make(chan *flight, mostLanding), begun: make(chan *flight, mostBegun), rows: p.result().Rows[:0]}
	l.wg.Go(func() {
		defer close(l.begun)
		for x := range l.flights {
			if !l.failed.Load() {
				x.failed = l.begin(x)
			}
			l.begun <- x
		}
	})
	l.wg.Go(func() {
		for x := range l.begun {
			if l.err == nil {
				l.err = x.failed
			}
			if l.err == nil {
				l.err = l.end(x)
			}
			if l.err != nil {
				l.failed.Store(true)
			}
			x.widened.Wait() // also where nobody wants it: its memory is the next one's
			x.joined.Wait()
		}
	})
	return l
}

// close waits for all flights, and gives their rows.
func (l *lander) close() ([]runtime.Rows, error) {
	close(l.flights)
	l.wg.Wait()
	return l.rows, l.err
}

// begin waits for the values of a flight, and begins to make them wide.
func (l *lander) begin(x *flight) error {
	p, rows := l.p, int(x.counts.Rows)
	if x.onCPU != nil {
		return nil
	}
	start := time.Now()
	if err := x.landed.Synchronize(); err != nil {
		return err
	}
	p.spent.Values += time.Since(start)
	if rows == 0 {
		return nil
	}
	if x.fused {
		for _, c := range x.columns {
			cut(c)
		}
	}
	all := append(widenings(x.narrow, rows), p.look(x, l.lexicons)...)
	for _, w := range x.entries {
		all = append(all, w.widenings()...)
	}
	x.widened.Go(func() {
		start := time.Now()
		spreadWiden(p.cfg.Threads, all)
		x.wide = time.Since(start)
	})
	return nil
}

// end completes the values of a flight with what the host reads, and adds them to the rows.
func (l *lander) end(x *flight) error {
	p := l.p
	if x.onCPU != nil {
		for _, rows := range x.onCPU.Rows {
			rows.Problems = slices.Clone(rows.Problems)
			for i, problem := range rows.Problems {
				rows.Problems[i] = p.moved(problem, nil, x.from)
			}
			rows.Notes = slices.Clone(rows.Notes)
			for i := range rows.Notes {
				rows.Notes[i].Offset += x.from
			}
			l.rows = append(l.rows, rows)
		}
		return nil
	}
	rows := runtime.Rows{N: int(x.counts.Rows), Columns: make([]*columns.Column, len(p.plan.Outputs))}
	if rows.N == 0 {
		return nil
	}
	rows.Lease = p.hauls.lend(x.haul)
	runs, err := p.readLeft(l.ctx, &x.part, leftRows(x.list)) // beside what is made wide
	x.widened.Wait()
	x.joined.Wait()
	p.spent.Wide += x.wide
	if err == nil {
		err = p.index(x, runs)
	}
	if err != nil {
		return err
	}
	if err := p.patch(x, runs); err != nil {
		return err
	}
	for i, c := range x.columns {
		rows.Columns[p.mine[i]] = c
	}
	for i, c := range x.other {
		if c.Len != rows.N {
			return fmt.Errorf("gpu: the device has %d rows from offset %d on, the CPU %d", rows.N, x.from, c.Len)
		}
		rows.Columns[p.theirs[i]] = c
	}
	for i := range runs {
		x.notes = append(x.notes, runs[i].notes...)
		for _, problem := range runs[i].problems {
			rows.Problems = append(rows.Problems, p.moved(problem, nil, x.from))
		}
	}
	for _, problem := range x.found {
		if problem.Output >= 0 { // those of whole records are among the others
			rows.Problems = append(rows.Problems, p.moved(problem, p.theirs, x.from))
		}
	}
	for _, note := range x.notes {
		note.Offset += x.from
		rows.Notes = append(rows.Notes, note)
	}
	runtime.SortProblems(rows.Problems)
	runtime.SortNotes(rows.Notes)
	l.rows = append(l.rows, rows)
	return nil
}
