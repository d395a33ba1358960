//go:build cuda

package gpu

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/internal/aggregate"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// BenchmarkAggregate groups the rows of the one billion row challenge, those of the file
// DFAPARSE_STATIONS or some that are made, where they lie: in the device's memory, in pinned
// memory, in a file.
func BenchmarkAggregate(b *testing.B) {
	x := newBench(b)
	path := os.Getenv("DFAPARSE_STATIONS")
	if path == "" {
		f, err := os.CreateTemp(b.TempDir(), "")
		x.ok(err)
		x.ok(gen.Write(f, "1brc", 1<<20, 1))
		x.ok(f.Close())
		path = f.Name()
	}
	types := os.Getenv("DFAPARSE_TEMPERATURE")
	if types == "" {
		types = "dec(4, 1)!"
	}
	spec, err := compile.Compile("stations.dfp", []byte("format stations { delimited { sep ';' } fields { station str!  temperature "+types+" } }"))
	x.ok(err)
	f, err := os.Open(path)
	x.ok(err)
	defer f.Close()
	info, err := f.Stat()
	x.ok(err)
	flight := DefaultFlight
	if n, err := strconv.Atoi(os.Getenv("DFAPARSE_FLIGHT")); err == nil { // MiB
		flight = n << 20
	}
	for _, where := range strings.Fields("device pinned file") {
		b.Run(where, func(b *testing.B) {
			var in Input
			var memory func() error
			if where != "file" {
				pinned, err := x.d.AllocHost(int(info.Size()))
				x.ok(err)
				for at := 0; at < len(pinned); {
					n, err := f.ReadAt(pinned[at:min(len(pinned), at+1<<30)], int64(at))
					x.ok(err)
					at += n
				}
				in, memory = PinnedInput(pinned), func() error { return x.d.FreeHost(pinned) }
				if where == "device" {
					m, err := x.d.Alloc(len(pinned))
					x.ok(err)
					x.ok(x.s.Upload(m.Address, pinned))
					x.ok(x.s.Synchronize())
					x.ok(memory())
					in, memory = DeviceInput(m.Address, m.Size), func() error { return x.d.FreeMemory(m) }
				}
			}
			e := New(WithFlight(flight))
			q, err := aggregate.Parse(aggregate.Query{By: "station", Agg: "min(temperature) mean(temperature) max(temperature)"})
			x.ok(err)
			b.SetBytes(info.Size())
			for range b.N {
				began := time.Now()
				var a *aggregate.Aggregation
				var s runtime.Stats
				var how string
				if where == "file" {
					a, s, how, err = e.AggregateFile(f, spec.Program, q.Bind, aggregate.Options{})
				} else {
					a, s, how, err = e.Aggregate(in, spec.Program, q.Bind, aggregate.Options{})
				}
				x.ok(err)
				var groups int64
				x.ok(a.Finish(context.Background(), func(rec arrow.Record) error {
					groups += rec.NumRows()
					return nil
				}))
				b.Logf("%s: %d rows, %d bytes, %d groups in %v; %s", where, s.Rows, s.Bytes, groups, time.Since(began), how)
			}
			if memory != nil {
				x.ok(memory())
			}
		})
	}
}
