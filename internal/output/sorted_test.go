package output

import (
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// TestSorted: rows that are not in the order that is written down are an error, within a
// record and between two.
func TestSorted(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Uint8}}, nil)
	for _, c := range []struct{ order, rows, fault string }{
		{"s,n", "a1 a2|a2 b0|-3", ""},
		{"s,n", "a1 a2|a1 b0", "row 3"},
		{"s", "a1 b0|a2", "row 3"},
		{"s", "-0|a1", "row 2"},
		{"s:desc,n", "b1 a1 -0", ""},
		{"s:desc,n", "b1 a1 -2 -1", "row 4"},
		{"n:desc", "a9 a9|b1", ""},
		{"n:asc", "a9 a1", "row 2"},
	} {
		w, err := Open("parquet", io.Discard, schema, Options{Sorted: strings.Split(c.order, ",")})
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(c.rows, "|") {
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for row := range strings.FieldsSeq(part) {
				if row[0] == '-' {
					b.Field(0).AppendNull()
				} else {
					b.Field(0).(*array.StringBuilder).Append(row[:1])
				}
				b.Field(1).(*array.Uint8Builder).Append(row[1] - '0')
			}
			rec := b.NewRecord()
			if err == nil {
				err = w.Write(rec)
			}
			rec.Release()
			b.Release()
		}
		if err == nil {
			err = w.Close()
		} else {
			Abort(w)
		}
		if (err == nil) != (c.fault == "") || err != nil && !strings.HasPrefix(err.Error(), c.fault+" ") {
			t.Errorf("%s by %s: %v, want %q", c.rows, c.order, err, c.fault)
		}
	}
}
