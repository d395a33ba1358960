package cpu

import (
	"context"
	goruntime "runtime"
	"slices"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// stage is what a clock tells apart.
type stage uint8

const (
	contextStage stage = iota
	directiveStage
	indexStage
	splitStage
	convertStage
	readStage // of the parser: index, split and convert, which workers do in turns
	nstages
)

var stageNames = [readStage]string{"context", "directives", "index", "split", "convert"}

// clock says where the time of one goroutine goes. A nil clock reads no time:
// this is how the engine runs unless it measures.
type clock struct {
	now   func() time.Duration
	last  time.Duration
	spent [nstages]time.Duration
}

func newClock() *clock {
	start := time.Now()
	return &clock{now: func() time.Duration { return time.Since(start) }}
}

func (c *clock) begin() {
	if c != nil {
		c.last = c.now()
	}
}

// lap counts the time since begin, or since the last lap, as stage s.
func (c *clock) lap(s stage) {
	if c != nil {
		now := c.now()
		c.spent[s] += now - c.last
		c.last = now
	}
}

// Measure implements runtime.Measurer. It reads p in partitions, one after the
// other, or side by side, as a Reader would. Index, split and convert take turns
// in each worker, round by round: the time in which they are at work together is
// theirs by their shares of the workers' times.
func (engine) Measure(ctx context.Context, plan *runtime.Plan, cfg runtime.Config, p *runtime.Partition, repeat int) (*runtime.Measurement, error) {
	ps, err := open(plan, cfg)
	if err != nil {
		return nil, err
	}
	defer ps.Close()
	size := cfg.Partition
	if size == 0 {
		size = len(p.Data)
	}
	var forks []*parser
	for range cfg.Threads {
		fork, err := ps.Fork(1)
		if err != nil {
			return nil, err
		}
		forks = append(forks, fork.(*parser))
	}
	var runs []*runtime.Measurement
	for run := -1; run < repeat; run++ {
		m, err := ps.measure(ctx, p, size, forks)
		if err != nil {
			return nil, err
		}
		if run >= 0 {
			runs = append(runs, m)
		}
	}
	return runtime.Median(runs), nil
}

// measure reads part once, in partitions of so many bytes.
func (p *parser) measure(ctx context.Context, part *runtime.Partition, size int, forks []*parser) (*runtime.Measurement, error) {
	if err := p.hire(p.threads); err != nil {
		return nil, err
	}
	p.clock = newClock()
	workers := slices.Clone(p.workers)
	for _, fork := range forks {
		workers = append(workers, fork.workers[0])
	}
	for _, w := range workers {
		w.clock = newThreadClock()
	}
	goruntime.LockOSThread() // for the one worker that there may be
	defer goruntime.UnlockOSThread()
	m := &runtime.Measurement{Bytes: int64(len(part.Data))}
	start := time.Now()
	at, state, err := p.side(ctx, part, max(size/len(p.workers), 1), forks, m)
	if err == nil && at < len(part.Data) {
		rest := *part
		rest.Data, rest.State = part.Data[at:], state
		err = rest.Cut(size, func(next *runtime.Partition) (*runtime.Result, error) {
			result, err := p.Parse(ctx, next)
			if err == nil {
				m.Rows += int64(result.NRows())
			}
			return result, err
		})
	}
	if err != nil {
		return nil, err
	}
	whole := runtime.Figure{Name: "engine", Time: time.Since(start)}

	var work [nstages]time.Duration
	for _, w := range workers {
		for s, t := range w.clock.spent {
			work[s] += t
			whole.Work += t
		}
	}
	reading := work[indexStage] + work[splitStage] + work[convertStage]
	for s, name := range stageNames {
		t := runtime.StageTime{Name: name, Time: p.clock.spent[s], Work: work[s]}
		switch s := stage(s); {
		case s >= indexStage && reading > 0:
			t.Time = time.Duration(float64(p.clock.spent[readStage]) * float64(work[s]) / float64(reading))
		case s == directiveStage && len(p.plan.Program.Directives) == 0:
			continue
		}
		if stage(s) == splitStage && len(p.workers[0].splits) == 0 {
			continue
		}
		m.Stages = append(m.Stages, t)
	}
	m.Figures = []runtime.Figure{whole}
	return m, nil
}

// side reads partitions of part side by side, each by a fork, as far as it can be guessed where
// they begin, and guessed right. It gives where the rest begins, and in which state.
func (p *parser) side(ctx context.Context, part *runtime.Partition, size int, forks []*parser, m *runtime.Measurement) (at int, state dfa.StateID, err error) {
	state = part.State
	if len(forks) == 1 || len(p.plan.Program.Directives) > 0 {
		return 0, state, nil
	}
	p.clock.begin()
	var parts []*runtime.Partition
	next := state
	for end := 0; end+size < len(part.Data); {
		n, ahead, after, ok := p.Guess(part.Data[end:end+size], part.Binding)
		if !ok || n == 0 {
			break
		}
		parts = append(parts, &runtime.Partition{Data: part.Data[end : end+n+ahead], Ahead: ahead, State: next, Binding: part.Binding})
		end, next = end+n, after
	}
	p.clock.lap(contextStage)
	ends := make([]dfa.StateID, len(parts))
	rows := make([]int, len(parts)) // -1: it does not end where the next one begins
	err = p.parallel(ctx, len(parts), func(w, i int) error {
		r, err := forks[w].Parse(ctx, parts[i])
		if err != nil {
			return err
		}
		if rows[i], ends[i] = r.NRows(), r.State; r.Consumed != parts[i].Own() {
			rows[i] = -1
		}
		return nil
	})
	p.clock.lap(readStage)
	for i, q := range parts {
		if err != nil || rows[i] < 0 || q.State != state {
			break
		}
		at, state = at+q.Own(), ends[i]
		m.Rows += int64(rows[i])
	}
	return at, state, err
}
