//go:build cuda

package gpu

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// BenchmarkRecords reads generated files of DFAPARSE_BYTES, which repeat 64 MB, through the
// Reader to Arrow records whose memory is used again: from pinned memory, from memory, from a
// file in the system's cache, and the last two by the CPU's engine. DFAPARSE_DEVICES=0,1 are
// the devices. "median-GB/s" leaves out the first two runs, if there are more.
func BenchmarkRecords(b *testing.B) {
	x := newBench(b)
	size := 1 << 20
	if n, err := strconv.Atoi(os.Getenv("DFAPARSE_BYTES")); err == nil {
		size = n
	}
	ordinals := []int{0}
	if of := os.Getenv("DFAPARSE_DEVICES"); of != "" {
		ordinals = nil
		for _, s := range strings.Split(of, ",") {
			n, err := strconv.Atoi(s)
			x.ok(err)
			ordinals = append(ordinals, n)
		}
	}
	for _, kind := range strings.Fields("taxi yelp lineitem apache_combined") {
		b.Run(kind, func(b *testing.B) {
			p, err := gen.Program(kind)
			x.ok(err)
			var piece bytes.Buffer
			x.ok(gen.Write(&piece, strings.TrimPrefix(kind, "apache_"), int64(min(size, 64_000_000)), 1))
			in, err := x.d.AllocHost(size)
			x.ok(err)
			defer x.d.FreeHost(in)
			first := bytes.IndexByte(piece.Bytes(), '\n') + 1 // of taxi the header
			n := copy(in, piece.Bytes())
			for n+piece.Len() <= size {
				n += copy(in[n:], piece.Bytes()[first:])
			}
			in = in[:n]
			path := filepath.Join(b.TempDir(), kind)
			x.ok(os.WriteFile(path, in, 0o600))
			for _, way := range []struct {
				name   string
				engine runtime.Engine
				file   bool
			}{
				{"pinned", New(Devices(ordinals...), WithPinnedInput()), false}, {"memory", New(Devices(ordinals...)), false}, {"file", New(Devices(ordinals...)), true},
				{"cpu-memory", cpu.Engine, false}, {"cpu-file", cpu.Engine, true},
			} {
				b.Run(way.name, func(b *testing.B) {
					b.SetBytes(int64(len(in)))
					var took []time.Duration
					for range b.N {
						began := time.Now()
						opts := []runtime.Option{runtime.WithEngine(way.engine), runtime.WithReuse()}
						var r *runtime.Reader
						var err error
						if way.file {
							r, err = runtime.ReadFile(path, p, opts...)
						} else {
							r, err = runtime.ReadBytes(in, p, opts...)
						}
						x.ok(err)
						for r.Next() {
						}
						x.ok(r.Err())
						r.Release()
						took = append(took, time.Since(began))
					}
					if len(took) > 2 {
						took = took[2:]
					}
					slices.Sort(took)
					b.ReportMetric(float64(len(in))/took[len(took)/2].Seconds()/1e9, "median-GB/s")
				})
			}
		})
	}
}
