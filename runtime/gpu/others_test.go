//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestOthers: columns that the CPU converts beside those of the device are those of the engine
// "cpu", flight after flight, and stay what they are while their records are held, though the
// memory of those that have been released is used again.
func TestOthers(t *testing.T) {
	newBench(t)
	s, err := compile.Compile("others.dfp", []byte(`format others { delimited { sep ',' } fields { a i64!  m map(str)  b str  l list(i32, sep ';') null "-"  t list(str, sep '|') } }`))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var in strings.Builder
	for i := range 6000 {
		var m, l []string
		for k := range rng.IntN(6) {
			m, l = append(m, fmt.Sprintf("k%d=%s", k, strings.Repeat("v", rng.IntN(20)))), append(l, fmt.Sprint(rng.IntN(1000)))
		}
		numbers := strings.Join(l, ";")
		switch rng.IntN(30) {
		case 0:
			numbers = "-"
		case 1:
			numbers = "1;x"
		}
		fmt.Fprintf(&in, "%d,%s,text %d,%s,%s\n", i, strings.Join(m, " "), i, numbers, strings.Join(m, "|"))
	}
	read := func(held int, opts ...runtime.Option) (rows []string) {
		r, err := runtime.ReadBytes([]byte(in.String()), s.Program, append(opts, runtime.WithReuse(), runtime.WithErrorMode(dfa.Null), runtime.WithBatchSize(400), runtime.WithThreads(3))...)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		var records []arrow.Record
		let := func(n int) {
			for ; len(records) > n; records = records[1:] {
				text, err := records[0].MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, string(text))
				records[0].Release()
			}
		}
		for r.Next() {
			r.Record().Retain()
			records = append(records, r.Record())
			let(held)
		}
		let(0)
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		return rows
	}
	want := read(0, runtime.WithEngine(cpu.Engine))
	for _, flight := range []int{3000, 20000} {
		for _, partition := range []int{5000, 40000, 1 << 20} {
			for _, held := range []int{0, 5} {
				got := read(held, runtime.WithEngine(New(WithFlight(flight))), runtime.WithPartitionSize(partition))
				if !slices.Equal(got, want) {
					t.Errorf("flights of %d, partitions of %d, %d records held: other rows", flight, partition, held)
				}
			}
		}
	}
}
