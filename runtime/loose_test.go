package runtime_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestLooseBatches: records that end where partitions do have the same rows, and none has more than
// the batch size.
func TestLooseBatches(t *testing.T) {
	for name, kind := range map[string]string{"stations_dict": "1brc", "apache_combined": "combined", "ticks": "ticks"} {
		var in bytes.Buffer
		if err := gen.Write(&in, kind, 3<<20, 5); err != nil {
			t.Fatal(err)
		}
		p := spec(t, name)
		want := read(t, p, inMemory(in.Bytes()), runtime.WithThreads(1))
		if want.err != nil {
			t.Fatal(want.err)
		}
		for _, opts := range [][]runtime.Option{
			{runtime.WithThreads(4)},
			{runtime.WithThreads(3), runtime.WithBatchSize(1000)},
			{runtime.WithThreads(2), runtime.WithBatchSize(3000), runtime.WithPartitionSize(50_000)},
			{runtime.WithThreads(1), runtime.WithBatchSize(700)},
			{runtime.WithThreads(4), runtime.WithBatchSize(1000), runtime.WithLimit(5001), runtime.WithSkip(77)},
		} {
			opts = append(opts, runtime.WithLooseBatches())
			got := read(t, p, inMemory(in.Bytes()), opts...)
			rows := want.rows
			if got.stats.Account.Skipped.Records > 0 {
				rows = rows[77:][:5001]
			}
			if got.err != nil || !slices.Equal(got.rows, rows) {
				t.Fatalf("%s: %d rows, want %d; %v", name, len(got.rows), len(rows), got.err)
			}
			for _, n := range got.batches {
				if n > 1<<16 || n == 0 {
					t.Errorf("%s: a record of %d rows", name, n)
				}
			}
		}
	}
}
