package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestDictionariesOfWorkers: a record's dictionary has the tokens of its rows and those
// before, in the order in which rows that are delivered have them, and its indices are the
// same, whoever has read the rows and whatever the workers knew.
func TestDictionariesOfWorkers(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { n i64!  d dict null "-"  e dict default "none" null ""  l list(dict, sep ';')  x enum(a b) }`)
	long := strings.Repeat("a long token ", 3)
	for _, ntokens := range []int{3, 50, 700} {
		r := rand.New(rand.NewPCG(5, uint64(ntokens)))
		token := func() string {
			switch k := r.IntN(ntokens); k % 7 {
			case 0:
				return fmt.Sprint(long, k)
			case 1:
				return "-"
			case 2:
				return ""
			default:
				return fmt.Sprint("t", k, strings.Repeat("-", k%13))
			}
		}
		var in strings.Builder
		for i := range 3000 {
			n := fmt.Sprint(i)
			if r.IntN(20) == 0 {
				n = "no number"
			}
			fmt.Fprintf(&in, "%s,%s,%s,%s;%s,%s\n", n, token(), token(), token(), token(), "ab"[i%2:][:1])
			if i == 1500 {
				ntokens += 50 // that nobody has met
			}
		}
		read := func(opts ...runtime.Option) (all []string) {
			r, err := runtime.ReadBytes([]byte(in.String()), p, append([]runtime.Option{runtime.WithErrorMode(dfa.Reject), runtime.WithBatchSize(400), runtime.WithSkip(7)}, opts...)...)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Release()
			for r.Next() {
				rec := r.Record()
				for c := 1; c <= 2; c++ {
					d := rec.Column(c).(*array.Dictionary)
					var indices []int
					for i := range d.Len() {
						if d.IsNull(i) {
							indices = append(indices, -1)
						} else {
							indices = append(indices, d.GetValueIndex(i))
						}
					}
					all = append(all, fmt.Sprint(c, indices, d.Dictionary()))
				}
				all = append(all, fmt.Sprint(rec.Column(3).(*array.List).ListValues()))
			}
			if err := r.Err(); err != nil {
				t.Fatal(err)
			}
			return all
		}
		want := read(runtime.WithEngine(reference.Engine))
		for _, opts := range [][]runtime.Option{
			{runtime.WithEngine(cpu.Engine), runtime.WithThreads(1)},
			{runtime.WithEngine(cpu.Engine), runtime.WithThreads(1), runtime.WithPartitionSize(3000)},
			{runtime.WithEngine(cpu.Engine), runtime.WithThreads(3), runtime.WithPartitionSize(12000)},
			{runtime.WithEngine(cpu.Engine), runtime.WithThreads(3), runtime.WithPartitionSize(60000), runtime.WithReuse()},
			{runtime.WithEngine(cpu.Engine), runtime.WithThreads(4), runtime.WithPartitionSize(1 << 20), runtime.WithChunkSize(9000)},
		} {
			got := read(opts...)
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Fatalf("%d tokens: column %d of record %d differs:\n%.3000s\nwant\n%.3000s", ntokens, i%3+1, i/3, got[min(i, len(got)-1)], want[min(i, len(want)-1)])
				}
			}
			if !slices.Equal(got, want) {
				t.Fatal("they differ")
			}
		}
	}
}
