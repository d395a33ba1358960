package runtime_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestLooseBatches: records that end where partitions do have the same rows, and none has more than
// the batch size; without one, and a budget, those of narrow rows have more than by default.
func TestLooseBatches(t *testing.T) {
	nbytes := int64(3 << 20)
	if testing.Short() {
		nbytes /= 2
	}
	for name, kind := range map[string]string{"stations_dict": "1brc", "apache_combined": "combined", "ticks": "ticks"} {
		var in bytes.Buffer
		if err := gen.Write(&in, kind, nbytes, 5); err != nil {
			t.Fatal(err)
		}
		p := spec(t, name)
		want := read(t, p, inMemory(in.Bytes()), runtime.WithThreads(1))
		if want.err != nil {
			t.Fatal(want.err)
		}
		for _, c := range []struct {
			most int64
			opts []runtime.Option
		}{
			{128 << 10, []runtime.Option{runtime.WithThreads(4)}},
			{1000, []runtime.Option{runtime.WithThreads(3), runtime.WithBatchSize(1000)}},
			{3000, []runtime.Option{runtime.WithThreads(2), runtime.WithBatchSize(3000), runtime.WithPartitionSize(50_000)}},
			{700, []runtime.Option{runtime.WithThreads(1), runtime.WithBatchSize(700)}},
			{1000, []runtime.Option{runtime.WithThreads(4), runtime.WithBatchSize(1000), runtime.WithLimit(5001), runtime.WithSkip(77)}},
			{runtime.DefaultBatchSize, []runtime.Option{runtime.WithThreads(4), runtime.WithMemory(64 << 20)}},
		} {
			got := read(t, p, inMemory(in.Bytes()), append(c.opts, runtime.WithLooseBatches())...)
			rows := want.rows
			if got.stats.Account.Skipped.Records > 0 {
				rows = rows[77:][:5001]
			}
			if got.err != nil || !slices.Equal(got.rows, rows) {
				t.Fatalf("%s: %d rows, want %d; %v", name, len(got.rows), len(rows), got.err)
			}
			if n := slices.Max(got.batches); slices.Min(got.batches) == 0 || n > c.most {
				t.Errorf("%s: records of %d rows, want 1 to %d", name, got.batches, c.most)
			} else if n <= runtime.DefaultBatchSize && name == "stations_dict" && c.most > runtime.DefaultBatchSize {
				t.Errorf("%s: no record of narrow rows has more than %d", name, n)
			}
		}
	}
}
