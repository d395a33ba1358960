package lower

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestApacheLogs reads 10,000 real lines, of which one is truncated.
func TestApacheLogs(t *testing.T) {
	src := corpus(t, "elastic/apache_logs")
	for _, positional := range []bool{false, true} {
		s := build(t, &Record{Parts: combinedLog(), Rest: "extra", Positional: positional})
		rows := outcomes(s, string(src))
		var bad []int
		for i, row := range rows {
			if strings.HasSuffix(row, "reject") {
				bad = append(bad, i+1)
			}
		}
		if len(rows) != 10000 || len(bad) != 1 || bad[0] != 8899 {
			t.Errorf("positional %v: %d records, rejects %v, want 10000 and [8899]", positional, len(rows), bad)
		}
	}
}

// TestCSVSpectrum reads the twelve files of csv-spectrum and compares them
// with their JSON: objects keyed by the first record. One has quotes inside a
// bare field, which RFC 4180 does not allow and only lax reads.
func TestCSVSpectrum(t *testing.T) {
	strict, _, err := BuildDelimited(csv())
	if err != nil {
		t.Fatal(err)
	}
	lax, _, err := BuildDelimited(csv().with(func(d *Delimited) { d.Lax = true }))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("lax", func(t *testing.T) { spectrum(t, lax, append(strictSpectrum, "location_coordinates")...) })
	t.Run("strict", func(t *testing.T) { spectrum(t, strict, strictSpectrum...) })
}

var strictSpectrum = []string{"comma_in_quotes", "empty", "empty_crlf", "escaped_quotes", "json", "newlines", "newlines_crlf",
	"quotes_and_newlines", "simple", "simple_crlf", "utf8"}

func spectrum(t *testing.T, a *dfa.Automaton, names ...string) {
	for _, name := range names {
		src := corpus(t, "csv-spectrum/csvs/"+name+".csv")
		var want []map[string]string
		expected := corpus(t, "csv-spectrum/json/"+name+".json")
		if expected[0] == '{' { // one row is not always in a list
			expected = slices.Concat([]byte("["), expected, []byte("]"))
		}
		if err := json.Unmarshal(expected, &want); err != nil {
			t.Fatal(err)
		}
		var header []string
		var got []map[string]string
		a.Walk(src, a.Start, func(r *dfa.RawRecord) bool {
			if r.Code != 0 {
				t.Errorf("%s: %d: %s", name, r.Offset, a.Message(r.Code))
			}
			if r.Kind != dfa.DataRecord {
				return true
			}
			row := map[string]string{}
			for i, f := range r.Fields {
				if header == nil || i >= len(header) {
					continue
				}
				row[header[i]] = string(f.Value)
			}
			if header == nil {
				for _, f := range r.Fields {
					header = append(header, string(f.Value))
				}
				return true
			}
			got = append(got, row)
			return true
		})
		if name == "location_coordinates" { // whose telephone number is not the same in both files
			for _, row := range slices.Concat(got, want) {
				delete(row, "Contact Phone Number")
			}
		}
		x, _ := json.Marshal(got)
		y, _ := json.Marshal(want)
		if !bytes.Equal(x, y) {
			t.Errorf("%s\n got %s\nwant %s", name, x, y)
		}
	}
}
