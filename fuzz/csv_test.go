package fuzz

import (
	"encoding/csv"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// records reads a CSV of n columns through the engine, its header as a record.
func records(in string, opts ...runtime.Option) ([][]string, error) {
	p, err := csvNoHeader()
	if err != nil {
		return nil, err
	}
	r, err := runtime.NewReader(strings.NewReader(in), p, byCPU(opts...)...)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	var rows [][]string
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			row := make([]string, rec.NumCols())
			for c := range row {
				row[c] = rec.Column(c).(*array.String).Value(i)
			}
			rows = append(rows, row)
		}
	}
	return rows, r.Err()
}

// TestAgainstEncodingCSV: on RFC 4180 inputs, any bytes inside quotes included,
// the records are those of the standard library. What differs by definition is
// kept out: encoding/csv turns \r\n inside quotes into \n, and an empty line is
// a record of one column here only where a format says so.
func TestAgainstEncodingCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 5).Draw(t, "columns")
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		var in strings.Builder
		n := rapid.IntRange(1, 8).Draw(t, "records")
		for i := range n {
			for c := range columns {
				if c > 0 {
					in.WriteByte(',')
				}
				bare := rapid.StringOfN(rapid.RuneFrom([]rune("ab 1é;#\t'")), 0, 5, -1).Draw(t, "field")
				if rapid.Bool().Draw(t, "quoted") || bare == "" && columns == 1 {
					quoted := rapid.StringOfN(rapid.RuneFrom([]rune("ab,\n\"\t é")), 0, 9, -1).Draw(t, "quoted field")
					bare = `"` + strings.ReplaceAll(quoted, `"`, `""`) + `"`
				}
				in.WriteString(bare)
			}
			if i < n-1 || rapid.Bool().Draw(t, "last line end") {
				in.WriteString(eol)
			}
		}
		std := csv.NewReader(strings.NewReader(in.String()))
		want, err := std.ReadAll()
		if err != nil {
			t.Fatalf("encoding/csv: %v", err)
		}
		for _, s := range ways([]setting{
			{"reference", 1, rapid.IntRange(1, 70).Draw(t, "chunk"), whole},
			{"cpu", 1, whole, rapid.IntRange(1, 70).Draw(t, "partition")},
			{"cpu", 3, rapid.IntRange(1, 70).Draw(t, "chunk"), rapid.IntRange(1, 200).Draw(t, "partition")},
		}, in.String(), dfa.Fail) {
			got, err := records(in.String(), s.options()...)
			if err != nil {
				t.Fatalf("%s: %q: %v", s, in.String(), err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %q gives %q, want %q", s, in.String(), got, want)
			}
		}
	})
}

// TestTorture reads 1,300 records, each with a quoted field that holds 5,000
// lines that look like records: readers that guess where quotes begin fail.
func TestTorture(t *testing.T) {
	if testing.Short() {
		t.Skip("65 MB")
	}
	var in strings.Builder
	if err := gen.Write(&in, "torture", 0, 1); err != nil {
		t.Fatal(err)
	}
	p := program(t, "csv")
	for mode, m := range modes {
		for _, threads := range []int{1, 2, 8} {
			for _, chunk := range []int{1 << 10, 64 << 10, 1 << 20} {
				what := fmt.Sprintf("mode %s, %d threads, chunks of %d", mode, threads, chunk)
				r, err := runtime.NewReader(strings.NewReader(in.String()), p, runtime.WithEngine(cpu.Engine), runtime.WithErrorMode(m),
					runtime.WithThreads(threads), runtime.WithChunkSize(chunk), runtime.WithColumns("id"))
				if err != nil {
					t.Fatal(err)
				}
				ids := map[string]bool{}
				rows := 0
				for r.Next() {
					col := r.Record().Column(0).(*array.String)
					rows += col.Len()
					for i := range col.Len() {
						ids[col.Value(i)] = true
					}
				}
				if r.Err() != nil || rows != 1300 || len(ids) != 1300 || r.Stats().Rejected != 0 {
					t.Errorf("%s: %d records, %d ids, %d rejected: %v", what, rows, len(ids), r.Stats().Rejected, r.Err())
				}
				r.Release()
			}
		}
	}
}
