package reference

import (
	"context"
	"time"

	"github.com/dfaparse/dfaparse/runtime"
)

// Measure implements runtime.Measurer. It reads in in partitions, as a Reader
// would; what the workers' own times are is not counted.
func (engine) Measure(ctx context.Context, plan *runtime.Plan, cfg runtime.Config, in *runtime.Partition, repeat int) (*runtime.Measurement, error) {
	p, err := open(plan, cfg)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	size := cfg.Partition
	if size == 0 {
		size = len(in.Data)
	}
	var runs []*runtime.Measurement
	for run := -1; run < repeat; run++ {
		m, err := p.measure(ctx, in, size)
		if err != nil {
			return nil, err
		}
		if run >= 0 {
			runs = append(runs, m)
		}
	}
	return runtime.Median(runs), nil
}

// measure reads in once, in partitions of so many bytes.
func (p *parser) measure(ctx context.Context, in *runtime.Partition, size int) (*runtime.Measurement, error) {
	m := &runtime.Measurement{Bytes: int64(len(in.Data))}
	for _, stage := range []string{"context", "index", "partition", "convert"} {
		m.Stages = append(m.Stages, runtime.StageTime{Name: stage})
	}
	start := time.Now()
	last := start
	p.measured = func(stage string) {
		now := time.Now()
		for i := range m.Stages {
			if m.Stages[i].Name == stage {
				m.Stages[i].Time += now.Sub(last)
			}
		}
		last = now
	}
	err := in.Cut(size, func(part *runtime.Partition) (*runtime.Result, error) {
		last = time.Now()
		result, err := p.Parse(ctx, part)
		if err == nil {
			m.Rows += int64(result.NRows())
		}
		return result, err
	})
	if err != nil {
		return nil, err
	}
	m.Figures = []runtime.Figure{{Name: "engine", Time: time.Since(start)}}
	return m, nil
}
