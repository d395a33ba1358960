package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
)

// Measurer is an Engine that can say where its time goes.
type Measurer interface {
	Engine
	// Measure reads p, which is the whole rest of an input, repeat times and once
	// before that does not count. It gives the medians. It converts what plan
	// asks for and delivers it to nobody.
	Measure(ctx context.Context, plan *Plan, cfg Config, p *Partition, repeat int) (*Measurement, error)
}

// Measurement is where the time goes when an engine reads one Partition.
type Measurement struct {
	Engine  string      // set by the function Measure
	Device  string      // what the engine runs on, in words, if it is not the processor
	Bytes   int64       // of the Partition
	Rows    int64       // data records, the malformed ones too
	Left    int64       // rows of these that the device left to the processor
	Stages  []StageTime // in the order in which they work
	Figures []Figure    // from the least that is counted to all of it
	Notes   []string    // what one has to know to read the times, in words
}

// StageTime is the time of one stage.
type StageTime struct {
	Name string
	Time time.Duration // on the clock; of stages that take turns in one worker the part that was theirs
	Work time.Duration // of the cores, summed over all workers; 0 if it is not counted
}

// Figure is the time of a whole: "engine" is all that an engine on the
// processor does. An engine on a device has "kernels"; "resident", from input
// to columns in the device's memory; "end to end", from and to the host's.
type Figure struct {
	Name string
	Time time.Duration
	Work time.Duration // as in StageTime
}

// MaxMeasured is how many bytes Measure can measure at once.
const MaxMeasured = maxPartition

// Measure lets the engine of opts read data, which is a whole input, and gives
// the medians of so many runs. Header and directives at its head are read once,
// by a Reader; what follows is the Partition that the engine measures. An engine
// that is no Measurer is errors.ErrUnsupported.
func Measure(data []byte, p *dfa.Program, repeat int, opts ...Option) (*Measurement, error) {
	switch {
	case repeat < 1:
		return nil, fmt.Errorf("a median of %d runs", repeat)
	case len(data) > MaxMeasured:
		return nil, fmt.Errorf("%d bytes to measure, at most %d", len(data), MaxMeasured)
	}
	r, err := ReadBytes(data, p, opts...)
	if err != nil {
		return nil, err
	}
	r.Release() // only what it has found out is wanted
	if r.err != nil {
		return nil, r.err
	}
	measurer, ok := r.o.engine.(Measurer)
	if !ok {
		return nil, fmt.Errorf("engine %q by stage: %w", r.o.engine.Name(), errors.ErrUnsupported)
	}
	part := &Partition{Data: data[r.pos.offset:], State: r.state, Final: true, Binding: r.binding}
	m, err := measurer.Measure(r.o.ctx, r.plan, r.o.config(), part, repeat)
	if err != nil {
		return nil, err
	}
	m.Engine = r.o.engine.Name()
	return m, nil
}

// Cut hands p to parse in partitions of so many bytes, as a Reader does: each
// begins where the one before has consumed its data, and is larger where a
// record is. It stops after a directive that was refused.
func (p *Partition) Cut(nbytes int, parse func(*Partition) (*Result, error)) error {
	nbytes = max(nbytes, 1)
	rest, size := *p, nbytes
	for {
		part := rest
		if size < len(rest.Data) {
			part.Data, part.Final = rest.Data[:size], false
		}
		result, err := parse(&part)
		if err != nil {
			return err
		}
		if result.Err != nil || size >= len(rest.Data) {
			return nil
		}
		if result.Consumed == 0 {
			size *= 2
			continue
		}
		rest.Data, rest.State, rest.Binding = rest.Data[result.Consumed:], result.State, result.Binding
		size = nbytes
	}
}

// Median gives the median of each time of runs that have the same stages and
// figures; the rest is that of the first.
func Median(runs []*Measurement) *Measurement {
	m := *runs[0]
	of := func(pick func(*Measurement) time.Duration) time.Duration {
		times := make([]time.Duration, len(runs))
		for i, run := range runs {
			times[i] = pick(run)
		}
		slices.Sort(times)
		return times[len(times)/2]
	}
	m.Stages, m.Figures = slices.Clone(m.Stages), slices.Clone(m.Figures)
	for i := range m.Stages {
		m.Stages[i].Time = of(func(run *Measurement) time.Duration { return run.Stages[i].Time })
		m.Stages[i].Work = of(func(run *Measurement) time.Duration { return run.Stages[i].Work })
	}
	for i := range m.Figures {
		m.Figures[i].Time = of(func(run *Measurement) time.Duration { return run.Figures[i].Time })
		m.Figures[i].Work = of(func(run *Measurement) time.Duration { return run.Figures[i].Work })
	}
	return &m
}

// NRows is the number of rows of a Result.
func (r *Result) NRows() int {
	n := 0
	for i := range r.Rows {
		n += r.Rows[i].N
	}
	return n
}
