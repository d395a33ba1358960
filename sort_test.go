package dfaparse_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse"
)

// The dictionaries of records of somebody else may have nothing in common.
func TestSortForeignDictionaries(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "w", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}}}, nil)
	var recs []arrow.Record
	for _, texts := range []string{"pear apple", "fig", "apple date pear"} {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for _, text := range strings.Fields(texts) {
			if err := b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(text); err != nil {
				t.Fatal(err)
			}
		}
		recs = append(recs, b.NewRecord())
	}
	r, err := array.NewRecordReader(schema, recs)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dfaparse.Sort(context.Background(), r, dfaparse.Order{By: "w desc", Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	var got []string
	for s.Next() {
		for i := range int(s.Record().NumRows()) {
			got = append(got, s.Record().Column(0).ValueStr(i))
		}
	}
	if fmt.Sprint(got) != "[pear pear fig date apple]" || s.Err() != nil {
		t.Error(got, s.Err())
	}
}

// When the context ends the sort does, with its error, and no file is left.
func TestSortCancelled(t *testing.T) {
	dir := t.TempDir()
	data := "a,b\n" + strings.Repeat("1,some text\n2,another\n", 20_000)
	for _, at := range []string{"reading", "writing"} {
		ctx, cancel := context.WithCancel(context.Background())
		r, err := dfaparse.OpenBytes(context.Background(), []byte(data), dfaparse.Format("csv"))
		if err != nil {
			t.Fatal(err)
		}
		if at == "reading" {
			cancel()
		}
		s, err := dfaparse.Sort(ctx, r, dfaparse.Order{By: "b, a desc", Memory: 1, Dir: dir})
		if at == "writing" {
			if err != nil {
				t.Fatal(err)
			}
			if !s.Next() {
				t.Fatal(s.Err())
			}
			cancel()
			for s.Next() {
			}
			err = s.Err()
			s.Release()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", at, err)
		}
		cancel()
		r.Close()
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: %v is left", at, left)
		}
	}
}

// TestSortColumns: what the columns of an order are is known before there are rows.
func TestSortColumns(t *testing.T) {
	got, err := dfaparse.Order{By: "b desc, upper(a)"}.Columns()
	if err != nil || !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := (dfaparse.Order{By: "b,"}).Columns(); err == nil || !strings.Contains(err.Error(), "By:1:") {
		t.Errorf("error %v", err)
	}
}
