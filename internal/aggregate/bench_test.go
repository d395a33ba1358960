package aggregate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// BenchmarkAdd is what the rows of the one billion row challenge take once they are
// records, on one core: ns a row.
func BenchmarkAdd(b *testing.B) {
	const rows = 1 << 16
	for _, keys := range []int{400, 10_000} {
		for _, kind := range []arrow.DataType{&arrow.Decimal128Type{Precision: 4, Scale: 1}, arrow.PrimitiveTypes.Float64} {
			b.Run(fmt.Sprintf("%d/%s", keys, kind.Name()), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				names := make([]string, keys)
				for i := range names {
					names[i] = fmt.Sprintf("%d-a long station name", r.Uint32())[:4+r.IntN(10)]
				}
				schema := arrow.NewSchema([]arrow.Field{{Name: "station", Type: arrow.BinaryTypes.String}, {Name: "temp", Type: kind}}, nil)
				builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
				for range rows {
					builder.Field(0).(*array.StringBuilder).Append(names[r.IntN(keys)])
					tenths := r.IntN(1999) - 999
					switch b := builder.Field(1).(type) {
					case *array.Decimal128Builder:
						b.Append(decimal128.FromI64(int64(tenths)))
					case *array.Float64Builder:
						b.Append(float64(tenths) / 10)
					}
				}
				rec := builder.NewRecord()
				parsed, err := Parse(Query{By: "station", Agg: "min(temp) mean(temp) max(temp)"})
				if err != nil {
					b.Fatal(err)
				}
				plan, err := parsed.Bind(schema)
				if err != nil {
					b.Fatal(err)
				}
				a := New(plan, Options{Threads: 1})
				defer a.Close()
				for b.Loop() {
					if err := a.Add(rec); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
	}
}
