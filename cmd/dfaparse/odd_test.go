package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/internal/golden"
)

// TestOddFiles: files as people have them, which nobody has prepared: exports of banks and
// spreadsheets, what programs print as tables, logs. What each is read as, what is said of
// it, and what --strict refuses stands in testdata/odd.txt; and the spec that infer writes of
// each passes its test, and reads it as the same table.
func TestOddFiles(t *testing.T) {
	t.Setenv("DFAPARSE_PATH", "")
	want := filepath.Join(mustAbs(t, "testdata"), "odd.txt")
	spec := filepath.Join(t.TempDir(), "inferred.dfp")
	t.Chdir("testdata/odd")
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range files {
		name := f.Name()
		code, out, said := told([]string{name, "--to", "table"}, nil)
		said = strings.Replace(said, `; "dfaparse infer `+name+`" writes it as a spec`, "", 1)
		fmt.Fprintf(&got, "$ dfaparse %s\n%s%s", name, said, out)
		if code != 0 {
			fmt.Fprintf(&got, "exit %d\n", code)
		}
		if strict, _, said := told([]string{name, "--to", "none", "--strict"}, nil); strict != code {
			said, _, _ = strings.Cut(said, "\n")
			fmt.Fprintf(&got, "--strict: %s\n", said)
		}
		got.WriteString("\n")
		inferred(t, name, spec)
	}
	golden.File(t, want, got.String())
}

func mustAbs(t *testing.T, path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

var saysEncoding = regexp.MustCompile(`(?m)^# Its encoding is to be said beside -f: (--encoding) (\S+)\.$`)

// inferred holds what the spec that infer writes makes of a file against what is made of it
// without: the rows, the rejects and the exit status are the same, and its test passes. It
// reports whether there is a spec.
func inferred(t *testing.T, path, spec string) bool {
	t.Helper()
	code, source, said := told([]string{"infer", path}, nil)
	if code != 0 {
		if plain, out, _ := told([]string{"parse", "--to", "csv", path}, nil); plain == 0 && out != "" && !strings.Contains(said, "there is nothing from which") {
			t.Errorf("%s is read, but no spec is inferred: %s", path, said)
		}
		return false
	}
	if err := os.WriteFile(spec, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, said := told([]string{"check", spec}, nil); code != 0 {
		t.Errorf("%s: check of the inferred spec: %s\n%s", path, said, source)
	}
	args := []string{"parse", "--to", "jsonl", "-f", spec, path}
	if m := saysEncoding.FindStringSubmatch(source); m != nil {
		args = append(args, m[1:]...)
	}
	withSpec, rows, saidOf := told(args, nil)
	without, wanted, _ := told([]string{"parse", "--to", "jsonl", path}, nil)
	if withSpec != without || rows != wanted {
		t.Errorf("%s: with its spec exit %d, without %d; %s\nrows with it:\n%s\nwithout:\n%s", path, withSpec, without, saidOf, clipped(rows), clipped(wanted))
	}
	return true
}

func clipped(s string) string { return s[:min(len(s), 500)] }

// TestInferredSpecsOfCorpora: so it is of real files, and of broken ones.
func TestInferredSpecsOfCorpora(t *testing.T) {
	t.Setenv("DFAPARSE_PATH", "")
	spec := filepath.Join(t.TempDir(), "inferred.dfp")
	files, specs := 0, 0
	for _, folder := range []string{"duckdb/data_csv", "csv-spectrum/csvs", "rust-csv-bench", "elastic"} {
		err := filepath.WalkDir(corpora(t, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.Contains(path, "LICENSE") {
				return err
			}
			if info, err := d.Info(); err != nil || info.Size() > 4<<20 {
				return err
			}
			if files++; testing.Short() && files%16 > 0 {
				return nil
			}
			if inferred(t, path, spec) {
				specs++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d specs of %d files", specs, files)
}
