package importer_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/internal/importer"
)

// TestDissectSpecification: the cases of dissect's specification. What a key is put together
// of is what the note about it says.
func TestDissectSpecification(t *testing.T) {
	dir := os.Getenv("DFAPARSE_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	b, err := os.ReadFile(filepath.Join(dir, "dissect", "tests.json"))
	if err != nil {
		t.Skip(err)
	}
	var cases []struct {
		Name, Tok, Msg, Append string
		Expected               map[string]string
		Fail                   bool
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 31 {
		t.Fatalf("%d cases", len(cases))
	}
	together := 0
	for _, c := range cases {
		o := importer.Options{Joiner: c.Append}
		if strings.Contains(c.Msg, "\n") {
			o.Continue = []string{" "}
		}
		made, err := importer.Import("dissect", c.Tok, o)
		if err != nil {
			if !c.Fail {
				t.Errorf("%s: %v", c.Name, err)
			}
			continue
		}
		got, rejected := readOne(t, string(made.Source), c.Msg)
		if rejected {
			if !c.Fail {
				t.Errorf("%s: rejected", c.Name)
			}
			continue
		}
		if len(made.Joins()) > 0 {
			together++
		}
		for name, parts := range made.Joins() {
			var values []string
			for _, p := range parts {
				values = append(values, got[p])
				delete(got, p)
			}
			if name == "" {
				got[values[0]] = values[1]
			} else {
				got[name] = strings.Join(values, c.Append)
			}
		}
		if c.Fail || !maps.Equal(got, c.Expected) {
			t.Errorf("%s: %q\n got %v\nwant %v", c.Name, c.Tok, got, c.Expected)
		}
	}
	if together != 5 {
		t.Errorf("of %d cases the columns are put together by hand, want 5", together)
	}
}

// readOne reads one record whose columns are text.
func readOne(t *testing.T, spec, record string) (row map[string]string, rejected bool) {
	t.Helper()
	r, err := dfaparse.OpenBytes(t.Context(), []byte(record+"\n"), dfaparse.Spec(spec))
	if err != nil {
		t.Fatalf("%v\n%s", err, spec)
	}
	defer r.Close()
	var out bytes.Buffer
	if _, err := dfaparse.Write(&out, dfaparse.JSONL, r); err != nil {
		t.Fatal(err)
	}
	if len(r.Rejects()) > 0 {
		return nil, true
	}
	if err := json.Unmarshal(out.Bytes(), &row); err != nil {
		t.Fatalf("%v: %q", err, out.String())
	}
	return row, false
}
