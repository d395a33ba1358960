package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// notRFC4180 is the file of csv-spectrum that has quotes inside unquoted
// fields: csv refuses it and csv_lax reads it.
const notRFC4180 = "location_coordinates"

// misprint is a value in that file's JSON that is not the one in the CSV.
const misprint, printed = "1234567890", "2095257564"

// TestCSVSpectrum reads the twelve files of csv-spectrum and compares them with
// the JSON beside them.
func TestCSVSpectrum(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpora(t, "csv-spectrum"), "csvs", "*.csv"))
	if err != nil || len(files) != 12 {
		t.Fatalf("%d files, want 12: %v", len(files), err)
	}
	for _, format := range []string{"csv", "csv_lax"} {
		equal := 0
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".csv")
			got, err := stringRows(t, format, file)
			if format == "csv" && name == notRFC4180 {
				if err == nil {
					t.Errorf("csv reads %s, which is not RFC 4180", file)
				}
				continue
			}
			if err != nil {
				t.Error(err)
				continue
			}
			want := readJSON(t, filepath.Join(filepath.Dir(file), "..", "json", name+".json"))
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s by %s:\n%v\nwant\n%v", name, format, got, want)
				continue
			}
			equal++
		}
		t.Logf("%s: %d of %d equal their JSON", format, equal, len(files))
	}
}

func stringRows(t *testing.T, format, file string) (rows []map[string]string, err error) {
	r, err := runtime.ReadFile(file, program(t, format), runtime.WithEngine(cpu.Engine))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			row := map[string]string{}
			for c, f := range rec.Schema().Fields() {
				row[f.Name] = rec.Column(c).(*array.String).Value(i)
			}
			rows = append(rows, row)
		}
	}
	return rows, r.Err()
}

func readJSON(t *testing.T, file string) (rows []map[string]string) {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.ReplaceAll(b, []byte(misprint), []byte(printed))
	if b[0] == '{' {
		b = append(append([]byte{'['}, b...), ']')
	}
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestApacheLogs reads ten thousand real lines, one of which is cut off.
func TestApacheLogs(t *testing.T) {
	file := corpora(t, "elastic", "apache_logs")
	p := program(t, "apache_combined")
	in, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, s := range ways([]setting{
		{"reference", 1, whole, whole}, {"reference", 1, 1000, 100_000},
		{"cpu", 1, whole, whole}, {"cpu", 2, 1 << 10, whole}, {"cpu", 8, 777, 50_000},
	}, string(in), p.OnError) {
		got := outcome(t, p, bytes.NewReader(in), append(s.options(), runtime.WithName("apache_logs"))...)
		if want == "" {
			want = got
			if !strings.Contains(got, "Records:10000 Rows:9999 Rejected:1 RejectedLines:1 Nulled:0 ") {
				t.Errorf("%s", got[strings.LastIndex(got[:len(got)-1], "\n"):])
			}
			if i := strings.Index(got, "\nreject"); i < 0 || !strings.Contains(got[i:], "apache_logs:8899:") {
				t.Errorf("the reject is not the cut line 8899: %s", got[max(i, 0):])
			}
		} else if got != want {
			t.Errorf("%s: another outcome than by the reference engine", s)
		}
	}
}

// TestRealFilesConform reads real files, broken ones too, with formats they
// may or may not have, in several ways.
func TestRealFilesConform(t *testing.T) {
	ways := []setting{
		{"reference", 1, whole, whole}, {"reference", 1, 100, 1000},
		{"cpu", 1, whole, whole}, {"cpu", 1, whole, 1000}, {"cpu", 3, 64, 4096}, {"cpu", 2, 1000, whole},
	}
	const most = 1 << 17 // of each file
	for _, c := range []struct{ dir, glob, formats string }{
		{"lnav", "*", "apache_combined w3c syslog_rfc5424 logfmt csv_lax"},
		{filepath.Join("duckdb", "data_csv"), "*.csv", "csv csv_lax"},
		{"crowdsec", "*/*.log", "apache_combined nginx syslog_rfc5424"},
		{"rust-csv-bench", "*.csv", "csv"},
	} {
		files, err := filepath.Glob(filepath.Join(corpora(t, c.dir), c.glob))
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && len(files) > 20 {
			files = files[:20]
		}
		for _, format := range strings.Fields(c.formats) {
			t.Run(c.dir+"/"+format, func(t *testing.T) {
				t.Parallel()
				for _, file := range files {
					b, err := os.ReadFile(file)
					if err != nil {
						continue // a folder
					}
					conform(t, file, program(t, format), string(b[:min(len(b), most)]), dfa.Reject, ways)
				}
			})
		}
	}
}
