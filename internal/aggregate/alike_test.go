package aggregate

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Keys that differ in zeros at their end have one hash: files do not part them.
func TestSpillOfKeysOfOneHash(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(drawnColumns, nil))
	for n := range 3 * 15 {
		for c, column := range drawnColumns {
			if column.Name == "s" {
				b.Field(c).(*array.StringBuilder).Append(strings.Repeat("\x00", n%15))
			} else {
				b.Field(c).AppendNull()
			}
		}
	}
	q, err := Parse(Query{By: "s", Agg: "count() as n"})
	if err != nil {
		t.Fatal(err)
	}
	rec := b.NewRecord()
	var got []string
	run(t, q, Options{Threads: 2, Dir: t.TempDir(), Memory: 1}, []arrow.Record{rec, rec}, func(rec arrow.Record) {
		for i := range int(rec.NumRows()) {
			got = append(got, cellText(rec.Column(1), i))
		}
	})
	if s := strings.Join(got, " "); s != strings.TrimSuffix(strings.Repeat("6 ", 15), " ") {
		t.Errorf("groups of %s rows", s)
	}
}
