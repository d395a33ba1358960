package dfaparse_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse"
)

// TestReleasedMidway: results that are released before their end give an error to who goes on, and do not look complete.
func TestReleasedMidway(t *testing.T) {
	var in strings.Builder
	in.WriteString("a\n")
	for i := range 40000 { // more than a record holds
		fmt.Fprintln(&in, i)
	}
	for name, results := range map[string]func(context.Context, array.RecordReader) (array.RecordReader, error){
		"Aggregate": func(ctx context.Context, r array.RecordReader) (array.RecordReader, error) {
			return dfaparse.Aggregate(ctx, r, dfaparse.Query{By: "a"})
		},
		"Sort": func(ctx context.Context, r array.RecordReader) (array.RecordReader, error) {
			return dfaparse.Sort(ctx, r, dfaparse.Order{By: "a desc"})
		},
	} {
		for _, take := range []int{0, 1, 1000} {
			r, err := dfaparse.OpenBytes(t.Context(), []byte(in.String()), dfaparse.Format("csv"))
			if err != nil {
				t.Fatal(err)
			}
			all, err := results(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			for n := 0; n < take && all.Next(); n++ {
			}
			all.Release()
			var want error
			if take < 1000 {
				want = fs.ErrClosed
			}
			if all.Next() || !errors.Is(all.Err(), want) {
				t.Errorf("%s, released after %d records: error %v, want %v", name, take, all.Err(), want)
			}
			r.Close()
		}
	}
}
