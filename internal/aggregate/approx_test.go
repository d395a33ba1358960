package aggregate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// approx_distinct is exact up to 256 values and otherwise within five standard errors, the same
// in any order, by any number of workers, and through files.
func TestApproximate(t *testing.T) {
	sizes := []int{0, 1, 3, 4, 5, 255, 256, 257, 1000, 20_000, 150_000}
	fields := []arrow.Field{{Name: "i16", Type: arrow.PrimitiveTypes.Int16}, {Name: "i64", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}
	schema := arrow.NewSchema(fields, nil)
	type rowOf struct{ group, value int }
	var rows []rowOf
	for g, n := range sizes {
		rows = append(rows, rowOf{g, -1})
		for v := range n {
			rows = append(rows, rowOf{g, v})
			if n <= 1000 {
				rows = append(rows, rowOf{g, v})
			}
		}
	}
	records := func(rows []rowOf) (recs []arrow.Record) {
		for part := range slices.Chunk(rows, 8192) {
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for _, r := range part {
				b.Field(0).(*array.Int16Builder).Append(int16(r.group))
				if r.value < 0 {
					b.Field(1).AppendNull()
					b.Field(2).AppendNull()
					continue
				}
				b.Field(1).(*array.Int64Builder).Append(int64(r.value))
				b.Field(2).(*array.StringBuilder).Append(fmt.Sprint("value ", r.value))
			}
			recs = append(recs, b.NewRecord())
		}
		return recs
	}
	parsed, err := Parse(Query{By: "i16", Agg: "approx_distinct(i64) as a, approx_distinct(s) as b, min(s), distinct(i64) as c"})
	if err != nil {
		t.Fatal(err)
	}
	var before string
	for k, o := range []Options{{Threads: 1}, {Threads: 3}, {Threads: 2, Memory: 1 << 20, Dir: t.TempDir()}} {
		plan, err := parsed.Bind(schema)
		if err != nil {
			t.Fatal(err)
		}
		a := New(plan, o)
		for _, rec := range records(rows) {
			if err := a.Add(rec); err != nil {
				t.Fatal(err)
			}
		}
		var found string
		err = a.Finish(t.Context(), func(rec arrow.Record) error {
			for i := range int(rec.NumRows()) {
				n := float64(sizes[rec.Column(0).(*array.Int16).Value(i)])
				if c := rec.Column(4).(*array.Int64).Value(i); c != int64(n) {
					t.Errorf("%d different ones, want %v", c, n)
				}
				for c := 1; c <= 2; c++ {
					v := rec.Column(c).(*array.Int64).Value(i)
					found += fmt.Sprint(v, " ")
					if off := math.Abs(float64(v) - n); n <= mostHashes && off != 0 || off > 5*n*1.04/128 {
						t.Errorf("%v: estimated as %d of %v", o, v, n)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if k > 0 && found != before {
			t.Errorf("%v: %s\nbefore: %s", o, found, before)
		}
		before = found
		rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
}
