//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
)

// contextFormats are some of all ways in which contexts are found.
var contextFormats = []string{
	"taxi", "apache_combined", "passwd", "syslog", "haproxy", "aws_alb", "java_multiline", "postfix", "postgresql", "python_basic", "ticks", "nacha", "nested",
}

// contextInput is one of them, with an input that is generated, or made of the tests of the
// spec, again and again.
func contextInput(b *testing.B, name string, size int) machine {
	spec, err := gen.Spec(name)
	if name == "nested" {
		spec, err = compile.Compile(name, gen.NestedSpec(40))
	}
	if err != nil {
		b.Fatal(err)
	}
	m := machine{name: name, automaton: spec.Program.Automaton}
	if name == "nested" {
		r := rand.New(rand.NewPCG(1, 2))
		for i := 0; len(m.sample) < size; i++ {
			m.sample = gen.NestedLine(m.sample, i, r)
		}
		return m
	}
	kind := name
	if name == "apache_combined" {
		kind = "combined"
	}
	var file bytes.Buffer
	if gen.Write(&file, kind, int64(size), 1) == nil {
		m.sample = file.Bytes()
		return m
	}
	for _, e := range spec.Examples {
		if len(e.Input) > 0 && e.Input[len(e.Input)-1] == '\n' {
			m.sample = append(m.sample, e.Input...)
		}
	}
	return m
}

// BenchmarkContexts measures the stage by device events, for every way to track
// states that fits, and of each its steps: 400 MB and a flight, or 1 MB on the host build,
// whose times say nothing of a device.
func BenchmarkContexts(b *testing.B) {
	x := newBench(b)
	sizes, sample := []int{400_000_000, 32 << 20}, 16<<20
	if x.d.Info().Capability == 0 {
		sizes, sample = []int{1 << 20}, 1<<18
	}
	for _, name := range contextFormats {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("%s/%dMB", name, size/1_000_000), func(b *testing.B) {
				m := contextInput(b, name, sample)
				data := bytes.Repeat(m.sample, size/len(m.sample)+1)[:size]
				want := chunkStates(m.automaton, data)
				x := &bench{b, x.d, x.s}
				job := &partition{bench: x}
				defer job.free()
				job.job = kernels.Job{Size: uint32(size), State: uint32(m.automaton.Start)}
				job.job.Data = job.alloc(size+kernels.Padding, 0)
				x.ok(x.s.Upload(job.job.Data, data))
				job.job.ChunkState = job.alloc(2*(len(want)+1), 0)
				for _, way := range tracks() {
					tables, err := newTrackTables(m.automaton, dfa.Analyse(m.automaton), way)
					if err != nil || way.registers || !tables.fit(x.d.Info().MaxShared-contextTile) {
						continue
					}
					b.Run(way.String(), func(b *testing.B) {
						measureContexts(&bench{b, x.d, x.s}, job, m.automaton, tables, size, want)
					})
				}
			})
		}
	}
}

func measureContexts(x *bench, job *partition, a *dfa.Automaton, tables *trackTables, size int, want []uint16) {
	b := x.t.(*testing.B)
	p, err := newProgramOf(x.d, a, tables)
	x.ok(err)
	defer p.Close()
	stage, err := newContextStage(x.d, p)
	x.ok(err)
	part := &partition{bench: x, program: p, job: job.job}
	part.job.Scratch = part.alloc(stage.scratch(size), 0)
	defer part.free()
	part.upload()
	events := make([]*device.Event, len(stage.kernels)+1) // around each step
	for i := range events {
		events[i], err = x.d.NewEvent(true)
		x.ok(err)
		defer events[i].Close()
	}
	took := make([]time.Duration, len(stage.kernels))
	x.ok(stage.launch(x.s, part.address, &part.job))
	whole := time.Duration(0)
	for range b.N {
		x.ok(x.s.Record(events[0]))
		for step := range stage.kernels {
			x.ok(stage.launchKernel(x.s, step, part.address, &part.job))
			x.ok(x.s.Record(events[step+1]))
		}
		x.ok(events[len(took)].Synchronize())
		for step := range took {
			elapsed, err := events[step+1].Since(events[step])
			x.ok(err)
			took[step] += elapsed
		}
		all, err := events[len(took)].Since(events[0])
		x.ok(err)
		whole += all
	}
	for step, elapsed := range took {
		b.ReportMetric(float64(elapsed.Nanoseconds())/float64(b.N)/1e3, fmt.Sprintf("us/step%d", step+1))
	}
	b.ReportMetric(float64(size)*float64(b.N)/float64(whole.Nanoseconds()), "GB/s")
	b.ReportMetric(0, "ns/op")
	if len(stage.kernels) > len(segmentKernels) && stage.segments() {
		b.ReportMetric(float64(table[uint32](part, part.job.Scratch, 1)[0]), "vectors")
	}
	if got := table[uint16](part, part.job.ChunkState, len(want)); !slices.Equal(got, want) {
		b.Fatal("other states than one symbol after the other leads to")
	}
}

// chunkStates are the states in which chunks begin.
func chunkStates(a *dfa.Automaton, data []byte) (states []uint16) {
	next := make([]dfa.StateID, a.NStates()<<8)
	for symbol, g := range a.Group {
		for s, t := range a.Row(g) {
			next[s<<8|symbol] = t
		}
	}
	s := a.Start
	for p, symbol := range data {
		if p%kernels.Chunk == 0 {
			states = append(states, uint16(s))
		}
		s = next[int(s)<<8|int(symbol)]
	}
	return states
}
