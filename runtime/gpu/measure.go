//go:build cuda

package gpu

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/gpu/device"
)

// Measure implements runtime.Measurer. Of p, as one piece in the device's
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

	m := &runtime.Measurement{Device: p.device.Info().Name, Bytes: int64(len(in.Data))}
	if err := p.endToEnd(ctx, m, &in, repeat); err != nil {
		return nil, err
	}
	return m, p.resident(m, &in, repeat)
}

// endToEnd measures Parse.
func (p *parser) endToEnd(ctx context.Context, m *runtime.Measurement, in *runtime.Partition, repeat int) error {
	var times []time.Duration
	for i := range repeat + 1 {
		p.counted = counted{}
		start := time.Now()
		result, err := p.Parse(ctx, in)
		if err != nil {
			return err
		}
		if i > 0 { // the first takes the memory
			times = append(times, time.Since(start))
		}
		m.Rows = 0
		for _, rows := range result.Rows {
			m.Rows += int64(rows.N)
		}
	}
	c := p.counted
	m.Left = c.RowsLeft
	m.Figures = append(m.Figures, runtime.Figure{Name: "end to end", Time: median(times)})
	m.Notes = append(m.Notes, fmt.Sprintf("%d pieces of %d MiB, %d fused, %d read by the CPU", c.Pieces, p.piece>>20, c.PiecesFused, c.PiecesOnCPU))
	return nil
}

// resident measures the kernels over all of in at once.
func (p *parser) resident(m *runtime.Measurement, in *runtime.Partition, repeat int) error {
	if err := p.bind(in.Binding); err != nil {
		return err
	}
	for i, s := range p.slots { // their memory is needed
		if s != nil {
			s.close()
			p.slots[i] = nil
		}
	}
	s, err := p.slot(nil, len(in.Data))
	if err != nil {
		return err
	}
	if err := p.parse.Upload(s.job.Data, in.Data); err != nil {
		return err
	}
	run, x := p.run, &flight{slot: s}
	if p.fused.ready {
		run = p.runFused
	}
	var names []string
	var events []*device.Event
	var perStage [][]time.Duration
	var all []time.Duration
	for i := range repeat + 1 {
		names, events = names[:0], events[:0]
		mark := func(name string) error {
			e, err := p.device.NewEvent(true)
			if err != nil {
				return err
			}
			names, events = append(names, name), append(events, e)
			return p.parse.Record(e)
		}
		if err := p.parse.Synchronize(); err != nil {
			return err
		}
		if err := mark(""); err != nil {
			return err
		}
		if err := run(s, in, mark); err != nil {
			return err
		}
		if err := mark("rows left"); err != nil {
			return err
		}
		if err := events[len(events)-1].Synchronize(); err != nil {
			return err
		}
		if perStage == nil {
			perStage = make([][]time.Duration, len(events))
		}
		for j := 1; j < len(events); j++ {
			d, err := events[j].Since(events[j-1])
			if err != nil {
				return err
			}
			if i > 0 {
				perStage[j] = append(perStage[j], d)
			}
		}
		d, err := events[len(events)-1].Since(events[0])
		if err != nil {
			return err
		}
		if i > 0 {
			all = append(all, d)
		}
		for _, e := range events {
			e.Close()
		}
	}
	for j := 1; j < len(names); j++ {
		m.Stages = append(m.Stages, runtime.StageTime{Name: names[j], Time: median(perStage[j])})
	}
	m.Figures = append(m.Figures, runtime.Figure{Name: "resident", Time: median(all)})
	return p.checkResident(x, m)
}

// checkResident holds what the kernels counted against what Parse gave.
func (p *parser) checkResident(x *flight, m *runtime.Measurement) error {
	report, err := p.pinned.take(x.slot.cleared.size)
	if err != nil {
		return err
	}
	if err := p.parse.Download(report, x.slot.cleared.address); err != nil {
		return err
	}
	if err := p.parse.Synchronize(); err != nil {
		return err
	}
	x.read(report)
	if x.counts.Unfused != 0 {
		m.Notes = append(m.Notes, "the fused path failed: its times are of no use")
	}
	if int64(x.counts.Rows) != m.Rows {
		return fmt.Errorf("gpu: %d rows resident, %d in pieces", x.counts.Rows, m.Rows)
	}
	return nil
}

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}
