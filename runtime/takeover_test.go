package runtime_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestTakeover: records that are made of workers' batches, several at a time, have the bytes of
// those that one goroutine makes of the reference engine's rows, whichever rows lie in their
// base: nearly all, half of them, or those of several batches and none.
func TestTakeover(t *testing.T) {
	const rows = 4000
	rng := rand.New(rand.NewPCG(7, 8))
	var in strings.Builder
	for i := range rows {
		a, text := fmt.Sprint(i), strings.Repeat("é", rng.IntN(1+10*(i%1000)/1000))
		if rng.IntN(50) == 0 {
			a = "bad"
		}
		fmt.Fprintf(&in, "%s,%s,%s,d%d,%c,%d;%d,k=%d,%x,%s,%s,10.0.%d.%d\n", a, text, []string{"true", "false", ""}[i%3], i%(5+i/100), "xyz"[i%3], i, i%7, i%5,
			i, []string{"", "2.5"}[i%2], []string{"-", text}[rng.IntN(2)], i%7, i%250)
	}
	for name, source := range map[string]string{
		"every type":    strings.Replace(everyType, `null "-"`, `null "-"  k ip`, 1),
		"no dictionary": strings.Replace(strings.Replace(everyType, `null "-"`, `null "-"  k ip`, 1), "d dict", "d str", 1),
	} {
		p := spec(t, source)
		read := func(opts ...runtime.Option) []byte {
			r, err := runtime.ReadBytes([]byte(in.String()), p, append(opts, runtime.WithErrorMode(dfa.Reject))...)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Release()
			var b bytes.Buffer
			w := ipc.NewWriter(&b, ipc.WithSchema(r.Schema()))
			for r.Next() {
				if err := w.Write(r.Record()); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Err(); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		batches := []int{5, 60, 300, 2500}
		if testing.Short() {
			batches = []int{60, 2500}
		}
		for _, batch := range batches {
			want := read(runtime.WithBatchSize(batch), runtime.WithEngine(reference.Engine), runtime.WithThreads(1))
			for _, threads := range []int{2, 8} {
				for _, partition := range []int{2000, 9000, 40000} {
					for _, reuse := range [][]runtime.Option{nil, {runtime.WithReuse()}} {
						got := read(append(reuse, runtime.WithBatchSize(batch), runtime.WithEngine(cpu.Engine), runtime.WithThreads(threads), runtime.WithPartitionSize(partition*threads))...)
						if !bytes.Equal(got, want) {
							t.Errorf("%s: records of %d, %d threads, partitions of %d, memory is used again %v: other bytes", name, batch, threads, partition, reuse != nil)
						}
					}
				}
			}
		}
	}
}
