//go:build cuda

package gpu

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/internal/sort"
)

var _ sort.Numbers = (*Engine)(nil)

// TestSortNumbers compares with slices.SortStableFunc, with memory for all numbers at once and for fewer.
func TestSortNumbers(t *testing.T) {
	newBench(t)
	e := New()
	const n = 100_000
	names := []string{"uniform", "two", "hostile", "13 bits", "constant"}
	if sanitized {
		names = names[:3]
	}
	for _, name := range names {
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = sortKeys[name](i)
		}
		want := make([]uint32, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
		for _, once := range []int{n, n / 2, n / 9} {
			most := numberBytes(n, 1)
			if once < n {
				most = numberBytes(once, sortSets)
			}
			order, how, done, err := e.SortNumbers(n, 3, int64(most), func(to []uint64) { copy(to, keys) })
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(order, want) {
				t.Errorf("%s, %d at once: another order", name, once)
			}
			if strings.Contains(how, "runs") != (once < n) {
				t.Errorf("%s, %d at once: %q", name, once, how)
			}
			done()
		}
	}
	if _, _, _, err := e.SortNumbers(n, 1, 1000, func([]uint64) {}); err == nil || !strings.Contains(err.Error(), "1000 bytes") {
		t.Error(err)
	}
}

// TestMergeRuns: runs of any lengths and keys, by one goroutine and several.
func TestMergeRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := rapid.SampledFrom([]int{1, 2, 100, 20_000, 50_000}).Draw(t, "keys")
		chunk := rapid.SampledFrom([]int{n, n/2 + 1, n/7 + 1, n/100 + 1}).Draw(t, "chunk")
		values := rapid.SampledFrom([]uint64{1, 2, 300, 1 << 40}).Draw(t, "values")
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = r.Uint64N(values)
		}
		want, order := make([]uint32, n), make([]uint32, n)
		for i := range want {
			want[i], order[i] = uint32(i), uint32(i%chunk)
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
		for from := 0; from < n; from += chunk {
			to := min(from+chunk, n)
			slices.SortStableFunc(order[from:to], func(a, b uint32) int { return cmp.Compare(keys[from+int(a)], keys[from+int(b)]) })
			slices.Sort(keys[from:to])
		}
		for _, threads := range []int{1, 3} {
			merged := make([]uint32, n)
			if mergeRuns(keys, order, chunk, merged, threads); !slices.Equal(merged, want) {
				t.Fatal(fmt.Sprint("another order by ", threads))
			}
		}
	})
}

// TestSort: rows are in the order of the CPU's sort, and the device has sorted them.
func TestSort(t *testing.T) {
	newBench(t)
	var in strings.Builder
	in.WriteString("a,b,c\n")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 140_000 {
		fmt.Fprintf(&in, "%d,%d,text %d\n", r.IntN(1000), i, r.IntN(50_000))
	}
	counted := &countedNumbers{Engine: New()}
	rows := func(o dfaparse.Order) (text []string) {
		reader, err := dfaparse.OpenBytes(context.Background(), []byte(in.String()), dfaparse.Format("csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		s, err := dfaparse.Sort(context.Background(), reader, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Release()
		for s.Next() {
			for i := range int(s.Record().NumRows()) {
				text = append(text, s.Record().Column(1).ValueStr(i))
			}
		}
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
		return text
	}
	for _, by := range []string{"a desc", "c, a", "a, c desc"} {
		want := rows(dfaparse.Order{By: by})
		for _, most := range []int64{0, int64(numberBytes(50_000, sortSets))} {
			counted.times = 0
			if got := rows(dfaparse.Order{By: by, Engine: counted, DeviceMemory: most}); !slices.Equal(got, want) {
				t.Errorf("%s, %d bytes: another order", by, most)
			}
			if counted.times != 1 {
				t.Errorf("%s: the device has sorted %d times", by, counted.times)
			}
		}
	}
}

// countedNumbers counts what is sorted on the device.
type countedNumbers struct {
	*Engine
	times int
}

func (x *countedNumbers) SortNumbers(n, threads int, most int64, fill func([]uint64)) ([]uint32, string, func(), error) {
	order, how, done, err := x.Engine.SortNumbers(n, threads, most, fill)
	if err == nil {
		x.times++
	}
	return order, how, done, err
}
