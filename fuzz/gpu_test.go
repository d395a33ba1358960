//go:build cuda

package fuzz

import (
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/gpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// gpus are the engine for GPUs by both paths, with flights of several sizes, the
// small ones last, and with symbols moved together in each way. By its name each
// is compared with the reference engine, buffer by buffer; behind withCPU, for
// what is too large for that, with the CPU's.
var gpus = []struct {
	name string
	opts []gpu.Option
}{
	{"gpu", nil},
	{"gpu/general", []gpu.Option{gpu.WithGeneralPath()}},
	{"gpu/4k", []gpu.Option{gpu.WithFlight(4 << 10)}},
	{"gpu/general/4k", []gpu.Option{gpu.WithFlight(4 << 10), gpu.WithGeneralPath()}},
	{"gpu/48", []gpu.Option{gpu.WithFlight(48)}},
	{"gpu/general/7", []gpu.Option{gpu.WithFlight(7), gpu.WithGeneralPath()}},
	{"gpu/tagged", []gpu.Option{gpu.WithTagging(gpu.Tagged)}},
	{"gpu/terminated/1k", []gpu.Option{gpu.WithFlight(1 << 10), gpu.WithTagging(gpu.Terminated)}},
	{"gpu/delimited/200", []gpu.Option{gpu.WithFlight(200), gpu.WithTagging(gpu.Delimited)}},
}

const (
	withCPU = "cpu and "
	nlarge  = 4       // of gpus, for inputs
	large   = 8 << 10 // from so many bytes on
)

// onDevice: there is a device; onHost: it is the kernels' host build, which
// takes a hundred times as long as the CPU's engine.
var onDevice, onHost bool

func init() {
	found, err := device.Devices()
	if err != nil || len(found) == 0 {
		return
	}
	onDevice, onHost = true, found[0].Capability == 0
	for _, g := range gpus {
		e := gpu.New(g.opts...)
		engines[g.name] = both{g.name, reference.Engine, e}
		engines[withCPU+g.name] = both{withCPU + g.name, cpu.Engine, e}
	}
	ways = gpuWays
}

// gpuWays puts engines for GPUs in the place of the others, but for the first
// setting's: without the tag, the tests are of those. The host build has some of
// the settings; which engine gets which, and which are left out, goes by turns.
func gpuWays(all []setting, input string, mode dfa.ErrorMode) []setting {
	turn, n := len(input)+int(mode), len(gpus)
	if len(input) >= large {
		n = nlarge
	}
	some, most := all[:1:1], len(all)-1
	if onHost {
		most = min(most, max(2, most/4))
	}
	for i := range most {
		s := all[1+(turn+i*len(all)/most)%(len(all)-1)]
		s.engine = gpus[(turn+i)%n].name
		some = append(some, s)
	}
	return some
}

// TestDevice is skipped where the conformance tests are of no device: without
// one they are those of the CPU's engines. Where the host build was asked for,
// it has to be there.
func TestDevice(t *testing.T) {
	if !onDevice {
		if os.Getenv("DFAPARSE_HOST_ORDER") != "" {
			t.Fatal("no host build")
		}
		t.Skip("no device")
	}
	t.Logf("the host build: %v", onHost)
}

// TestTortureOnDevice reads records of 50 KB, made of what looks like records,
// in flights that are shorter and longer. The host build has fewer of them.
func TestTortureOnDevice(t *testing.T) {
	if !onDevice {
		t.Skip("no device")
	}
	records, size := 1300, int64(0)
	if onHost {
		size = 400 << 10
	}
	var in strings.Builder
	if err := gen.Write(&in, "torture", size, 1); err != nil {
		t.Fatal(err)
	}
	if onHost {
		records = strings.Count(in.String(), "\n\",")
	}
	for i, g := range gpus[:nlarge] {
		for mode, m := range modes {
			if onHost && int(m) != i%3 {
				continue
			}
			r, err := runtime.NewReader(strings.NewReader(in.String()), program(t, "csv"), runtime.WithErrorMode(m), runtime.WithEngine(engines[withCPU+g.name]))
			if err != nil {
				t.Fatal(err)
			}
			ids := map[string]bool{}
			rows := 0
			for r.Next() {
				col := r.Record().Column(0).(*array.String)
				rows += col.Len()
				for i := range col.Len() {
					ids[col.Value(i)] = true
				}
			}
			if r.Err() != nil || rows != records || len(ids) != records || r.Stats().Rejected != 0 {
				t.Errorf("%s, mode %s: %d records, %d ids, %d rejected, want %d, %[5]d, 0: %v", g.name, mode, rows, len(ids), r.Stats().Rejected, records, r.Err())
			}
			r.Release()
		}
	}
}

// TestPathsTakeTurns reads an input whose flights have to take the general path
// here and the fused path there, in the same memory: symbols that stand for
// others, then none; records of another number of fields; values that are left.
func TestPathsTakeTurns(t *testing.T) {
	if !onDevice {
		t.Skip("no device")
	}
	spec, err := compile.Compile("turns.dfp", []byte(`escape e = '\\' { '\\' n }
format turns { delimited { sep ','  escape e }  header none  fields { a str  b u8  c str } }`))
	if err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	for _, row := range []string{`a\nb\\,1,c\nd`, "defg,2,hijkl", "mn,3", "opqr,+7,st", "uvw,,", "xyz,300,\xe9\xff"} {
		in.WriteString(strings.Repeat(row+"\n", 12))
	}
	text := in.String() + in.String()
	for mode, m := range modes {
		want := outcome(t, spec.Program, strings.NewReader(text), runtime.WithEngine(reference.Engine), runtime.WithErrorMode(m))
		for _, g := range gpus {
			for _, partition := range []int{40, 200, whole} {
				s := setting{g.name, 2, whole, partition}
				if got := outcome(t, spec.Program, strings.NewReader(text), append(s.options(), runtime.WithErrorMode(m))...); got != want {
					t.Errorf("mode %s, %s:\n%s\nwant\n%s", mode, s, got, want)
				}
			}
		}
	}
}
