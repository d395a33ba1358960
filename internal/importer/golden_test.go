package importer_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/golden"
	"github.com/dfaparse/dfaparse/internal/importer"
)

// TestCases makes a spec of every text in testdata/KIND.txtar, and reads the input
// after it. A file has cases, one after the other: text, perhaps input, and then what comes
// of them: spec, notes, rows and rejects, or error.
func TestCases(t *testing.T) {
	for _, k := range importer.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			path := filepath.Join("testdata", k.Name+".txtar")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal("every kind has cases:", err)
			}
			old := txtar.Parse(b)
			now := &txtar.Archive{Comment: old.Comment}
			for i, f := range old.Files {
				if f.Name != "text" {
					continue
				}
				now.Files = append(now.Files, f)
				input := ""
				if i+1 < len(old.Files) && old.Files[i+1].Name == "input" {
					now.Files = append(now.Files, old.Files[i+1])
					input = string(old.Files[i+1].Data)
				}
				now.Files = append(now.Files, outcome(t, k.Name, strings.TrimSuffix(string(f.Data), "\n"), input)...)
			}
			golden.File(t, path, string(txtar.Format(now)))
		})
	}
}

// outcome is what comes of a text and an input.
func outcome(t *testing.T, kind, text, input string) []txtar.File {
	file := func(name, data string) txtar.File {
		if data != "" && !strings.HasSuffix(data, "\n") {
			data += "\n"
		}
		return txtar.File{Name: name, Data: []byte(data)}
	}
	made, err := importer.Import(kind, text, importer.Options{})
	if err != nil {
		e := (*importer.Error)(nil)
		if !errors.As(err, &e) {
			t.Errorf("%q: %v is no *importer.Error", text, err)
		}
		return []txtar.File{file("error", err.Error())}
	}
	out := []txtar.File{file("spec", string(made.Source))}
	notes := ""
	for _, n := range made.Notes {
		notes += n.String() + "\n"
	}
	if notes != "" {
		out = append(out, file("notes", notes))
	}
	if input == "" {
		return out
	}
	rows, rejects, err := readFormat(dfaparse.Spec(string(made.Source)), []byte(input), dfaparse.WithErrorMode(dfa.Reject))
	if err != nil {
		return append(out, file("failure", err.Error()))
	}
	out = append(out, file("rows", rows))
	if rejects != "" {
		out = append(out, file("rejects", rejects))
	}
	return out
}

// readFormat reads an input: rows as JSON, the errors of those rejected.
func readFormat(format dfaparse.Option, input []byte, opts ...dfaparse.Option) (rows, rejects string, err error) {
	r, err := dfaparse.OpenBytes(context.Background(), input, append(opts, format)...)
	if err != nil {
		return "", "", err
	}
	defer r.Close()
	var b bytes.Buffer
	if _, err := dfaparse.Write(&b, dfaparse.JSONL, r); err != nil {
		return "", "", err
	}
	for _, rejected := range r.Rejects() {
		rejects += rejected.Err.Error() + "\n"
	}
	return b.String(), rejects, nil
}

// TestExamples: what the list of kinds shows can be imported.
func TestExamples(t *testing.T) {
	for _, k := range importer.Kinds() {
		if _, err := importer.Import(k.Name, k.Example, importer.Options{}); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// TestManual: every kind has its row and its section in docs/import.md.
func TestManual(t *testing.T) {
	manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "import.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range importer.Kinds() {
		for _, want := range []string{"\n| [`" + k.Name + "`](#" + k.Name + ") | ", "\n## " + k.Name + "\n"} {
			if !strings.Contains(string(manual), want) {
				t.Errorf("docs/import.md has no %q", strings.TrimSpace(want))
			}
		}
	}
}
