package conformance

import (
	"fmt"
	"path/filepath"
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
		default:
			neither++
		}
	}
	if onlyStrict > 0 || same != both {
		t.Errorf("lax refuses %d files that strict reads; of %d that both read %d have the same rows", onlyStrict, both, same)
	}
	inDocument(t, "csv", fmt.Sprintf("| files with commas | read by both | by `csv_lax` alone | by neither |\n|---|---|---|---|\n| %d | %d | %d | %d |\n", files, both, onlyLax, neither))
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
