//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// BenchmarkConvert measures the stage by device events: rows of eight fields of
// one kind, 2^24 fields or, on the host build, whose times say nothing of a
// device, 2^12.
func BenchmarkConvert(b *testing.B) {
	d := openConvert(b)
	const columns = 8
	rows := 1 << 21
	if d.Info().Capability == 0 {
		rows = 1 << 9
	}
	r := rand.New(rand.NewPCG(7, 8))
	for _, x := range []struct {
		name  string
		typ   dfa.Type
		field func() string
	}{
		{"int64 short", dfa.Type{Kind: dfa.Int64}, func() string { return fmt.Sprint(r.IntN(300)) }},
		{"int64 long", dfa.Type{Kind: dfa.Int64}, func() string { return fmt.Sprint(r.Int64()) }},
		{"float64 short", dfa.Type{Kind: dfa.Float64}, func() string { return fmt.Sprintf("%.2f", 60*r.Float64()) }},
		{"float64 long", dfa.Type{Kind: dfa.Float64}, func() string { return fmt.Sprint(r.NormFloat64()) }},
		{"decimal", dfa.Type{Kind: dfa.Decimal, Precision: 15, Scale: 2}, func() string { return fmt.Sprintf("%.2f", 6e4*r.Float64()) }},
		{"bool", dfa.Type{Kind: dfa.Bool}, func() string { return []string{"true", "false"}[r.IntN(2)] }},
		{"enum", dfa.Type{Kind: dfa.Enum, Tokens: []string{"AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"}}, func() string { return []string{"MAIL", "REG AIR", "TRUCK"}[r.IntN(3)] }},
		{"date", dfa.Type{Kind: dfa.Date}, func() string { return fmt.Sprintf("%d-%02d-%02d", 1992+r.IntN(7), 1+r.IntN(12), 1+r.IntN(28)) }},
		{"timestamp", dfa.Type{Kind: dfa.Timestamp}, func() string {
			return fmt.Sprintf("2018-03-%02d %02d:%02d:%02d", 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60))
		}},
		{"string short", dfa.Type{}, func() string { return strings.Repeat("y", r.IntN(20)) }},
		{"string long", dfa.Type{}, func() string { return strings.Repeat("ascii ", r.IntN(200)) }},
		{"string Größe", dfa.Type{}, func() string { return strings.Repeat("Größe ", r.IntN(20)) }},
	} {
		b.Run(x.name, func(b *testing.B) {
			m := &memory{t: b, d: d.rowsDevice}
			defer m.free()
			// Some distinct rows, over and over.
			const distinct = 512
			var sample []byte
			var start, end [columns][]uint32
			for range distinct {
				for c := range columns {
					start[c] = append(start[c], uint32(len(sample)))
					sample = append(sample, x.field()...)
					end[c] = append(end[c], uint32(len(sample)))
					sample = append(sample, ',')
				}
			}
			rows := rows
			for rows/distinct*len(sample) > 1<<30 {
				rows /= 2
			}
			var data []byte
			starts, ends := make([]uint32, columns*rows), make([]uint32, columns*rows)
			for row := range rows {
				if row%distinct == 0 {
					data = append(data, sample...)
				}
				for c := range columns {
					at := uint32(row / distinct * len(sample))
					starts[c*rows+row], ends[c*rows+row] = at+start[c][row%distinct], at+end[c][row%distinct]
				}
			}

			plan := &runtime.Plan{Columns: []dfa.Column{{Type: x.typ}}}
			image, err := newOutputImage(plan, runtime.Output{Part: -1})
			if err != nil {
				b.Fatal(err)
			}
			words := make([]uint32, rows/32)
			job := kernels.Job{Data: put(m, data, kernels.Padding), Size: uint32(len(data)), Counts: put(m, []kernels.Counts{{Rows: uint32(rows)}}, 0)}
			job.Value = job.Data
			image.Source, image.Type = job.Data, put(m, image.typ, 0)
			outputs := make([]kernels.Output, columns)
			for c := range outputs {
				o := &outputs[c]
				*o = image.Output
				o.Column, o.Counters = uint32(c), put(m, make([]uint32, 8), 0)
				o.Valid, o.Todo, o.Offsets = m.alloc(4*len(words)), m.alloc(4*len(words)), m.alloc(4*(rows+1))
				o.Fixed = m.alloc(max(rows*int(o.Width), 4*len(words)))
			}
			delivery := kernels.Delivery{
				RowTo: uint32(rows), Capacity: uint32(rows), NColumns: columns, NOutputs: columns,
				SpanStart: put(m, starts, 0), SpanEnd: put(m, ends, 0), Malformed: put(m, words, 0), Outputs: put(m, outputs, 0),
			}
			jobAddr, deliveryAddr := placed(m, job), placed(m, delivery)
			launch := func() {
				if err := d.stage.launch(d.stream, 0, jobAddr, deliveryAddr, rows, columns); err != nil {
					b.Fatal(err)
				}
			}
			launch()
			if left := get[uint32](m, outputs[0].Counters, 2)[1]; left != 0 {
				b.Fatalf("%d rows are left", left)
			}
			from, err := d.NewEvent(true)
			if err != nil {
				b.Fatal(err)
			}
			defer from.Close()
			to, err := d.NewEvent(true)
			if err != nil {
				b.Fatal(err)
			}
			defer to.Close()
			d.stream.Record(from)
			for range b.N {
				launch()
			}
			d.stream.Record(to)
			if err := to.Synchronize(); err != nil {
				b.Fatal(err)
			}
			elapsed, err := to.Since(from)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(data))*float64(b.N)/elapsed.Seconds()/1e9, "GB/s")
			b.ReportMetric(elapsed.Seconds()*1e12/float64(b.N)/float64(rows*columns), "ps/field")
			b.ReportMetric(0, "ns/op")
		})
	}
}
