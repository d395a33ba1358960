//go:build cuda

package gpu

import (
	"fmt"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

// BenchmarkContexts measures the stage by device events, for every way to track
// states that fits, and of each its steps: 1 GiB, or 1 MiB on the host build,
// whose times say nothing of a device.
func BenchmarkContexts(b *testing.B) {
	x := newBench(b)
	size := 1 << 30
	if x.d.Info().Capability == 0 {
		size = 1 << 20
	}
	for _, m := range machines(b) {
		if m.name != "csv" && m.name != "apache_combined" && m.name != "syslog_rfc5424" && m.name != "machine text" {
			continue
		}
		data := make([]byte, 0, size)
		for len(data) < size {
			data = append(data, m.sample[:min(len(m.sample), size-len(data))]...)
		}
		analysis := dfa.Analyse(m.automaton)
		for _, way := range tracks() {
			tables, err := newTrackTables(m.automaton, analysis, way)
			if err != nil {
				continue
			}
			b.Run(m.name+"/"+way.String(), func(b *testing.B) {
				x := &bench{b, x.d, x.s}
				p, err := newProgramOf(x.d, m.automaton, tables)
				x.ok(err)
				defer p.Close()
				stage, err := newContextStage(x.d, p)
				x.ok(err)
				job := &partition{bench: x, program: p}
				job.job = kernels.Job{Size: uint32(size), State: uint32(m.automaton.Start)}
				scratch := stage.scratch(size)
				job.job.Data, job.job.ChunkState, job.job.Scratch = job.alloc(size+kernels.Padding, 0), job.alloc(2*(size/kernels.Chunk+2), 0), job.alloc(scratch, 0)
				defer job.free()
				x.ok(x.s.Upload(job.job.Data, data))
				job.upload()
				events := make([]*device.Event, len(stage.kernels)+1) // around each step
				for i := range events {
					events[i], err = x.d.NewEvent(true)
					x.ok(err)
					defer events[i].Close()
				}
				took := make([]time.Duration, len(stage.kernels))
				x.ok(stage.launch(x.s, job.address, &job.job))
				for range b.N {
					x.ok(x.s.Record(events[0]))
					for step := range stage.kernels {
						x.ok(stage.launchKernel(x.s, step, job.address, &job.job))
						x.ok(x.s.Record(events[step+1]))
					}
					x.ok(events[len(took)].Synchronize())
					for step := range took {
						elapsed, err := events[step+1].Since(events[step])
						x.ok(err)
						took[step] += elapsed
					}
				}
				whole := time.Duration(0)
				for step, elapsed := range took {
					whole += elapsed
					b.ReportMetric(float64(elapsed.Nanoseconds())/float64(b.N)/1e3, fmt.Sprintf("us/step%d", step+1))
				}
				b.ReportMetric(float64(size)*float64(b.N)/whole.Seconds()/1e9, "GB/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
