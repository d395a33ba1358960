//go:build cuda

package gpu

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// mixedRecord is a record of so many bytes, of cells of 8, 4, 2 and 1 bytes by turns, little- and big-endian;
// a long one has only a few of the small ones.
func mixedRecord(length int) (cells string) {
	forms := [][2]string{{"u64le", "f64be"}, {"u32be", "i32le"}, {"u16le", "i16be"}, {"u8", "i8"}}
	for k, at := 0, 0; at < length; k++ {
		log := 3 - k%4
		if length > 64 && log < 2 && k > 7 {
			log = 3
		}
		for 1<<log > length-at {
			log--
		}
		cells += fmt.Sprintf(" c%d %s", k, forms[3-log][k/4%2])
		at += 1 << log
	}
	return cells
}

// BenchmarkTranspose measures, for records of many lengths in the device's memory, how fast they become
// columns, beside a copy of as many bytes.
func BenchmarkTranspose(b *testing.B) {
	newBench(b)
	size := 1 << 30
	if info, _ := device.Devices(); info[0].Capability == 0 {
		size = 1 << 16 // on the host build, whose times say nothing
	}
	in := make([]byte, size)
	x := uint64(1)
	for i := 0; i < size; i += 8 {
		x = x*6364136223846793005 + 1442695040888963407
		binary.LittleEndian.PutUint64(in[i:], x^x>>29)
	}
	type layout struct{ name, cells, fields string }
	var all []layout
	for _, length := range []int{16, 24, 33, 48, 64, 100, 128, 200, 250, 256, 1000} {
		all = append(all, layout{fmt.Sprintf("%d bytes", length), mixedRecord(length), ""})
	}
	eight := ""
	for i := range 16 {
		eight += fmt.Sprintf(" c%d u8", i)
	}
	all = append(all, layout{"16 of one byte", eight, ""},
		layout{"times and decimals", `a u32le since "2000-01-01" b u64be c i32le d u16be since "2000-01-01" e 6 f i64le`, "a ts(epoch(s), unit s) c dec(9, 2, implied) d date e str"})
	for _, of := range all {
		b.Run(of.name, func(b *testing.B) {
			program := recordsOf(b, of.cells, of.fields)
			begin, err := runtime.Begin(in[:program.Stride()], program, runtime.WithEngine(cpu.Engine))
			if err != nil {
				b.Fatal(err)
			}
			p, err := New().openParser(begin.Plan, begin.Config)
			if err != nil {
				b.Skip(err)
			}
			defer p.Close()
			part := &runtime.Partition{Data: in[:size/program.Stride()*program.Stride()], Binding: begin.Binding, State: begin.State}
			s, err := p.residentSlot(part)
			if err != nil {
				b.Fatal(err)
			}
			to, err := p.device.Alloc(size)
			if err != nil {
				b.Fatal(err)
			}
			defer p.device.FreeMemory(to)
			rows := len(part.Data) / program.Stride()
			moved := len(part.Data)
			for _, o := range begin.Plan.Outputs {
				moved += rows * program.Widths[o.Column]
			}
			var copied, made []time.Duration
			for range max(b.N, 7) {
				copied = append(copied, timed(b, p, func() error { return p.parse.Copy(to.Address, s.job.Data, len(part.Data)) }))
				m, err := p.resident(s, part, false)
				if err != nil {
					b.Fatal(err)
				}
				made = append(made, m.Figures[0].Time)
			}
			slices.Sort(copied)
			slices.Sort(made)
			perCopy, perMade := float64(2*len(part.Data))/copied[len(copied)/2].Seconds(), float64(moved)/made[len(made)/2].Seconds()
			b.ReportMetric(perMade/1e9, "GB/s")
			b.ReportMetric(100*perMade/perCopy, "%copy")
			b.ReportMetric(perCopy/1e9, "GB/s-copy")
			b.ReportMetric(float64(len(part.Data))/made[len(made)/2].Seconds()/1e9, "GB/s-in")
		})
	}
}

// timed is how long the device takes for what f orders.
func timed(b *testing.B, p *parser, f func() error) time.Duration {
	var events [2]*device.Event
	for i := range events {
		e, err := p.device.NewEvent(true)
		if err != nil {
			b.Fatal(err)
		}
		defer e.Close()
		events[i] = e
	}
	if err := p.parse.Record(events[0]); err != nil {
		b.Fatal(err)
	}
	if err := f(); err != nil {
		b.Fatal(err)
	}
	if err := p.parse.Record(events[1]); err != nil {
		b.Fatal(err)
	}
	if err := events[1].Synchronize(); err != nil {
		b.Fatal(err)
	}
	d, err := events[1].Since(events[0])
	if err != nil {
		b.Fatal(err)
	}
	return d
}
