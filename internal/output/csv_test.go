package output

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"
)

// TestCSVStyles: any texts in any style are what encoding/csv reads, which knows
// one quote; for others that one takes their place and they its.
func TestCSVStyles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		style := CSVStyle{
			Separator: rapid.SampledFrom([]byte(",;|\t-5a")).Draw(t, "separator"), Quote: rapid.SampledFrom([]byte(`"'~`)).Draw(t, "quote"),
			QuoteAll: rapid.Bool().Draw(t, "all"), NoHeader: rapid.Bool().Draw(t, "no header"), CRLF: rapid.Bool().Draw(t, "crlf"),
			Null: rapid.SampledFrom([]string{"", "NULL", `\N`, "0"}).Draw(t, "null"),
		}
		schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "s-a,;", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		swap := func(s string) string {
			if style.Quote == '"' {
				return s
			}
			out := []byte(s)
			for i, c := range out {
				switch c {
				case '"':
					out[i] = style.Quote
				case style.Quote:
					out[i] = '"'
				}
			}
			return string(out)
		}
		var want [][]string
		if !style.NoHeader {
			want = append(want, []string{"n", "s-a,;"})
		}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			n := rapid.Int64Range(-20, 60).Draw(t, "n")
			s := rapid.StringMatching(`[a,;|"'~ \n5-]{0,5}|NULL|\\N|0`).Draw(t, "s")
			b.Field(0).(*array.Int64Builder).Append(n)
			null := rapid.IntRange(0, 4).Draw(t, "null") == 0
			if null {
				b.Field(1).(*array.StringBuilder).AppendNull()
				s = style.Null
			} else {
				b.Field(1).(*array.StringBuilder).Append(s)
			}
			want = append(want, []string{strconv.FormatInt(n, 10), s})
		}
		rec := b.NewRecord()
		defer rec.Release()
		var out bytes.Buffer
		w, err := Open("csv", &out, schema, Options{CSV: style})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r := csv.NewReader(bytes.NewReader([]byte(swap(out.String()))))
		r.Comma = rune(swap(string(style.Separator))[0])
		got, err := r.ReadAll()
		if err != nil {
			t.Fatalf("%v\n%q", err, out.String())
		}
		for i := range got {
			for k := range got[i] {
				got[i][k] = swap(got[i][k])
			}
		}
		if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("%q is %q, want %q", out.String(), got, want)
		}
	})
}

// TestEmptyBinaryInCSV: binary of no bytes is not null, as a text of none is not.
func TestEmptyBinaryInCSV(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.BinaryTypes.Binary, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	b.Field(1).(*array.BinaryBuilder).AppendValues([][]byte{{0xab}, {}, nil}, []bool{true, true, false})
	rec := b.NewRecord()
	defer rec.Release()
	var out bytes.Buffer
	w, err := newCSV(&out, schema, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(rec), w.Close()); err != nil {
		t.Fatal(err)
	}
	if want := "n,b\n1,ab\n2,\"\"\n3,\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
