//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// measuredHead is how much of an input is read before it is measured, if it may begin with directives.
const measuredHead = 64 << 10

// Measure implements runtime.Measurer. Of p, as one flight in the device's
// memory, it measures the kernels, stage by stage, by events of the device; and
// the way from pinned memory to values in pinned memory by the clock.
func (e *Engine) Measure(ctx context.Context, plan *runtime.Plan, cfg runtime.Config, part *runtime.Partition, repeat int) (*runtime.Measurement, error) {
	p, err := e.openParser(plan, cfg)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	pinned, err := p.device.AllocHost(len(part.Data))
	if err != nil {
		return nil, err
	}
	defer p.device.FreeHost(pinned)
	copy(pinned, part.Data)
	in := *part
	in.Data, p.inputPinned = pinned, true

	if len(plan.Program.Directives) > 0 { // of a file that begins with some, what comes behind them
		head := in
		head.Data, head.Final = in.Data[:min(len(in.Data), measuredHead)], len(in.Data) <= measuredHead
		result, err := p.Parse(ctx, &head)
		if err != nil {
			return nil, err
		}
		if result.Consumed < len(in.Data) {
			in.Data, in.State, in.Binding = in.Data[result.Consumed:], result.State, result.Binding
		}
	}
	m := &runtime.Measurement{Device: p.device.Info().Name, Bytes: int64(len(in.Data))}
	wholes, err := repeated(repeat, func() (*runtime.Measurement, error) { return p.endToEnd(ctx, m, &in) })
	if err != nil {
		return nil, err
	}
	together, err := p.byAll(ctx, m.Rows, &in, repeat)
	if err != nil {
		return nil, err
	}
	p.views = e.views
	s, err := p.residentSlot(&in)
	if err != nil {
		return nil, err
	}
	stages, notes, err := p.stagesOf(s, &in, m.Rows, repeat)
	if err != nil {
		return nil, err
	}
	m.Stages, m.Figures = stages.Stages, slices.Concat(wholes.Figures, together, stages.Figures)
	c, t := p.counted, p.spent
	m.Left = c.RowsLeft
	m.Notes = append(m.Notes, p.way(),
		fmt.Sprintf("%d flights of %d MiB, %d fused, %d read by the CPU", c.Flights, p.flightSize>>20, c.FlightsFused, c.FlightsOnCPU),
		fmt.Sprintf("%d bytes of values came to the host, in %d copies", c.BytesOut, c.Copies),
		fmt.Sprintf("of the last run from end to end, the host spent %v giving orders and %v waiting for kernels; beside it, %v waiting for values and %v making them wide",
			rounded(t.Ordering), rounded(t.Kernels), rounded(t.Values), rounded(t.Wide)))
	m.Notes = append(m.Notes, notes...)
	return m, nil
}

// way is how flights are read, under the binding in force.
func (p *parser) way() string {
	switch f := &p.fused; {
	case p.transpose.length > 0:
		return fmt.Sprintf("records of %d bytes, transposed by %d", p.transpose.length, p.transpose.image.Rows)
	case f.ready && f.lines != nil && f.lines.begins != nil:
		return fmt.Sprintf("fused, a lane a record: %q ends records, and what follows tells where one begins", rune(f.lines.symbol))
	case f.ready && f.lines != nil && f.lines.guessed:
		return fmt.Sprintf("fused, a lane a record: %q ends records, and flights that have it within one are read again", rune(f.lines.symbol))
	case f.ready && f.lines != nil:
		return fmt.Sprintf("fused, a lane a record: %q ends records in every state", rune(f.lines.symbol))
	case f.ready && f.masks != nil && f.byQuotes():
		return "fused, fields by marks of quotes"
	case f.ready && f.masks != nil:
		return "fused, fields by masks"
	case f.ready:
		return fmt.Sprintf("fused, contexts by %s", p.program.track)
	case f.why != "":
		return fmt.Sprintf("the general path, contexts by %s; not fused: %s", p.program.track, f.why)
	}
	return fmt.Sprintf("the general path, contexts by %s", p.program.track)
}

// rounded is a time to the microsecond.
func rounded(d time.Duration) time.Duration { return d.Round(time.Microsecond) }

// repeated is the median of so many runs, and of one before that takes the
// memory and does not count.
func repeated(repeat int, run func() (*runtime.Measurement, error)) (*runtime.Measurement, error) {
	var runs []*runtime.Measurement
	for i := range repeat + 1 {
		m, err := run()
		if err != nil {
			return nil, err
		}
		if i > 0 {
			runs = append(runs, m)
		}
	}
	return runtime.Median(runs), nil
}

// endToEnd measures Parse once. The rows that it gives are m's.
func (p *parser) endToEnd(ctx context.Context, m *runtime.Measurement, in *runtime.Partition) (*runtime.Measurement, error) {
	p.counted, p.spent = counted{}, spent{}
	start := time.Now()
	result, err := p.Parse(ctx, in)
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	m.Rows = int64(result.NRows())
	return &runtime.Measurement{Figures: []runtime.Figure{{Name: "end to end", Time: took}}}, nil
}

// byAll measures from end to end, where the engine has several devices, all of them at
// once: each reads a share of the rows of in.
func (p *parser) byAll(ctx context.Context, rows int64, in *runtime.Partition, repeat int) ([]runtime.Figure, error) {
	ordinals := p.engine.living()
	if len(ordinals) < 2 {
		return nil, nil
	}
	var parsers []*parser
	var shares []*runtime.Partition
	rest := *in
	for i, ordinal := range ordinals {
		q, err := p.engine.openOn(ordinal, p.plan, p.cfg)
		if err != nil {
			return nil, err
		}
		defer q.Close()
		share := rest
		if left := len(ordinals) - i; left > 1 {
			share.Data, share.Final = rest.Data[:len(rest.Data)/left], false
		}
		q.inputPinned = true
		result, err := q.Parse(ctx, &share) // which also takes the memory
		if err != nil {
			return nil, err
		}
		share.Data = share.Data[:result.Consumed]
		rest.Data, rest.State, rest.Binding = rest.Data[result.Consumed:], result.State, result.Binding
		rows -= int64(result.NRows())
		q.Release(result)
		parsers, shares = append(parsers, q), append(shares, &share)
	}
	if rows != 0 {
		return nil, fmt.Errorf("%d devices find %d rows less than one", len(parsers), rows)
	}
	m, err := repeated(repeat, func() (*runtime.Measurement, error) {
		var all sync.WaitGroup
		failed := make([]error, len(parsers))
		start := time.Now()
		for i, q := range parsers {
			all.Go(func() {
				var result *runtime.Result
				if result, failed[i] = q.Parse(ctx, shares[i]); failed[i] == nil {
					q.Release(result)
				}
			})
		}
		all.Wait()
		took := time.Since(start)
		name := fmt.Sprintf("end to end, %d devices", len(parsers))
		return &runtime.Measurement{Figures: []runtime.Figure{{Name: name, Time: took}}}, errors.Join(failed...)
	})
	if err != nil {
		return nil, err
	}
	return m.Figures, nil
}

// residentSlot is a slot that has all of in on the device.
func (p *parser) residentSlot(in *runtime.Partition) (*slot, error) {
	if err := p.bind(in.Binding); err != nil {
		return nil, err
	}
	for i, s := range p.slots { // their memory is needed
		if s != nil {
			s.close()
			p.slots[i] = nil
		}
	}
	s, err := p.slot(nil, len(in.Data), 0)
	if err != nil {
		return nil, err
	}
	return s, p.parse.Upload(s.job.Data, in.Data)
}

// stagesOf measures the kernels over all of in, which lies in s and has so many rows: of the general
// path, as flights are read by that, where the fused one cannot read it.
func (p *parser) stagesOf(s *slot, in *runtime.Partition, rows int64, repeat int) (m *runtime.Measurement, notes []string, err error) {
	for fused := p.fused.ready; ; fused = false {
		if m, err = repeated(repeat, func() (*runtime.Measurement, error) { return p.resident(s, in, fused) }); err != nil {
			return nil, nil, err
		}
		counts, err := p.residentCounts(s)
		if err != nil {
			return nil, nil, err
		}
		if fused && counts.Unfused != 0 {
			notes = append(notes, "the fused path cannot read this: the stages are those of the general path")
			continue
		}
		if int64(counts.Rows) != rows {
			return nil, nil, fmt.Errorf("gpu: %d rows resident, %d in flights", counts.Rows, rows)
		}
		return m, notes, nil
	}
}

// resident measures the kernels of a path once over all of in, which lies in s.
func (p *parser) resident(s *slot, in *runtime.Partition, fused bool) (*runtime.Measurement, error) {
	var names []string
	var events []*device.Event
	defer func() {
		for _, e := range events {
			e.Close()
		}
	}()
	mark := func(name string) error {
		e, err := p.device.NewEvent(true)
		if err != nil {
			return err
		}
		names, events = append(names, name), append(events, e)
		return p.parse.Record(e)
	}
	if err := p.parse.Synchronize(); err != nil {
		return nil, err
	}
	if err := mark(""); err != nil {
		return nil, err
	}
	if err := p.ordering(fused)(s, in, mark); err != nil {
		return nil, err
	}
	if err := mark("rows left"); err != nil {
		return nil, err
	}
	last := events[len(events)-1]
	if err := last.Synchronize(); err != nil {
		return nil, err
	}
	m := &runtime.Measurement{}
	for i := 1; i < len(events); i++ {
		d, err := events[i].Since(events[i-1])
		if err != nil {
			return nil, err
		}
		m.Stages = append(m.Stages, runtime.StageTime{Name: names[i], Time: d})
	}
	all, err := last.Since(events[0])
	m.Figures = []runtime.Figure{{Name: "resident", Time: all}}
	return m, err
}

// residentCounts is what the kernels counted in s.
func (p *parser) residentCounts(s *slot) (*kernels.Counts, error) {
	report, err := p.haul().pinned.take(s.cleared.size)
	if err != nil {
		return nil, err
	}
	if err := p.parse.Download(report, s.cleared.address); err != nil {
		return nil, err
	}
	return valueOf[kernels.Counts](report), p.parse.Synchronize()
}
