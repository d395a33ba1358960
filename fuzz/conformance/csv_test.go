package conformance

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestCSVDefault counts how many real files with commas csv and csv_lax read to their end: what
// people mean by CSV is what decides which of them is used where nobody says.
func TestCSVDefault(t *testing.T) {
	folder := filepath.Join(corporaFolder(t), "duckdb", "data_csv")
	strict, lax := program(t, "csv"), program(t, "csv_lax")
	var files, both, onlyLax, onlyStrict, neither, same int
	causes := make([]int, len(strictFaults))
	for _, file := range under(t, folder) {
		if ext := filepath.Ext(file); ext != ".csv" && ext != ".gz" {
			continue
		}
		in := content(t, file)
		if i := strings.LastIndexByte(string(in), '\n'); len(in) == most && i > 0 {
			in = in[:i+1]
		}
		if line, _, _ := strings.Cut(string(in), "\n"); !strings.Contains(line, ",") {
			continue // another separator, or one column
		}
		files++
		a, errStrict := rowsOf(strict, in)
		b, errLax := rowsOf(lax, in)
		switch {
		case errStrict == nil && errLax == nil:
			both++
			if a == b {
				same++
			} else {
				t.Logf("%s: %d rows, lax %d", file, a, b)
			}
		case errStrict == nil:
			onlyStrict++
		case errLax == nil:
			onlyLax++
			i := slices.IndexFunc(strictFaults, func(f strictFault) bool { return strings.Contains(errStrict.Error(), f.says) })
			if i < 0 {
				t.Errorf("%s: strict refuses it for no reason that is listed: %v", file, errStrict)
				continue
			}
			causes[i]++
		default:
			neither++
		}
	}
	if onlyStrict > 0 || same != both {
		t.Errorf("lax refuses %d files that strict reads; of %d that both read %d have the same rows", onlyStrict, both, same)
	}
	var table strings.Builder
	table.WriteString("\n| why `csv` refuses the files that `csv_lax` alone reads | files | `csv_lax` |\n|---|---|---|\n")
	for i, f := range strictFaults {
		fmt.Fprintf(&table, "| %s | %d | %s |\n", f.what, causes[i], f.lax)
	}
	inDocument(t, "csv", fmt.Sprintf("| files with commas | read by both | by `csv_lax` alone | by neither |\n|---|---|---|---|\n| %d | %d | %d | %d |\n", files, both, onlyLax, neither)+table.String())
}

// strictFault is a reason for which csv refuses a file, and what csv_lax makes of it.
type strictFault struct{ what, says, lax string }

// strictFaults are all there are, by what the first error of a file says.
var strictFaults = []strictFault{
	{"text that is not UTF-8", "UTF-8", "replaces its bytes"},
	{"too few or too many fields in a record", " fields", "adds nulls, and drops fields"},
	{"a quote inside a bare field", "must be enclosed", "it is data"},
	{"a carriage return alone", "carriage return", "it is data"},
	{"text after a closing quote", "must follow the closing", "it is data"},
	{"a quote that is never closed", "never closed", "takes all to the end of the file for one field"},
}

// rowsOf is how many rows a format reads, or what ends the reading.
func rowsOf(p *dfa.Program, in []byte) (int64, error) {
	r, err := runtime.ReadBytes(in, p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1), runtime.WithErrorMode(dfa.Fail))
	if err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
	}
	return r.Stats().Rows, r.Err()
}
