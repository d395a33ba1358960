package output

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// python is an interpreter that has pyarrow: $DFAPARSE_PYTHON or python3.
func python(t *testing.T) string {
	t.Helper()
	name := os.Getenv("DFAPARSE_PYTHON")
	if name == "" {
		name = "python3"
	}
	if out, err := exec.Command(name, "-c", "import pyarrow").CombinedOutput(); err != nil {
		t.Skipf("%s has no pyarrow (set DFAPARSE_PYTHON): %v %s", name, err, bytes.TrimSpace(out))
	}
	return name
}

// All three forms must give pyarrow the same types and rows.
func TestPyarrow(t *testing.T) {
	interpreter := python(t)
	recs := manyRecords(t, memory.DefaultAllocator)
	var u Unifier
	defer u.Release()
	all := recs[:0:0]
	for _, r := range append(recs, manyRecord(memory.DefaultAllocator, 30, []string{"zeta", "beta"})) {
		u.NextInput()
		out, err := u.Record(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, out)
	}
	dir := t.TempDir()
	got := map[string][]string{}
	for _, kind := range []string{"arrow", "arrows", "parquet"} {
		path := filepath.Join(dir, "x."+kind)
		if err := os.WriteFile(path, write(t, kind, all), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(interpreter, filepath.Join("testdata", "read.py"), path).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, out)
		}
		// Parquet names the parts of lists and maps itself.
		out = regexp.MustCompile(` \('\w+'\)`).ReplaceAll(bytes.ReplaceAll(out, []byte("<element: "), []byte("<item: ")), nil)
		got[kind] = strings.Split(strings.TrimSpace(string(out)), "\n")
	}

	var types [][2]string
	if err := json.Unmarshal([]byte(got["arrow"][0]), &types); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"int64", "bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64", "float", "double",
		"decimal128(12, 2)", "date32[day]", "time32[ms]", "time64[us]", "timestamp[us]", "timestamp[ns, tz=UTC]",
		"timestamp[ms, tz=Europe/Berlin]", "duration[ms]", "string", "binary",
		"dictionary<values=string, indices=int32, ordered=0>", "fixed_size_binary[16]", "extension<arrow.uuid>",
		"list<item: int32>", "list<item: dictionary<values=string, indices=int32, ordered=0>>",
		"map<string, string>", "map<string, map<string, string>>",
	}
	for k, w := range want {
		if types[k][1] != w {
			t.Errorf("column %s: pyarrow sees %s, want %s", types[k][0], types[k][1], w)
		}
	}
	for _, kind := range []string{"arrows", "parquet"} {
		if len(got[kind]) != len(got["arrow"]) {
			t.Fatalf("%s: %d lines, arrow has %d", kind, len(got[kind]), len(got["arrow"]))
		}
		for i, line := range got[kind] {
			if line != got["arrow"][i] {
				t.Errorf("%s, line %d:\n%s\narrow:\n%s", kind, i, line, got["arrow"][i])
			}
		}
	}
	if len(got["arrow"]) != 21 {
		t.Errorf("%d lines", len(got["arrow"]))
	}
	wantRow := `[13, false, 6, 6, 6, 253, 65013, 4000000013, 9223372036854775821, 13.100000381469727, 4.333333333333333, ` +
		`"1404.85", 17545, 46800001, 46800000001, 1515888000123, 1515888000123, 1515888000123, 19500, "gamma,\"δ\" text", ` +
		`"AP8N", "gamma,\"δ\"", "2001:db8::e", "20010db8-0000-0000-0000-00000000000e", [6], ["gamma,\"δ\""], ` +
		`[["k0", "gamma,\"δ\" text"]], [["k0", [["k0", "gamma,\"δ\" text"]]]]]`
	if got["arrow"][14] != wantRow {
		t.Errorf("row 13:\n%s\nwant\n%s", got["arrow"][14], wantRow)
	}
	if !strings.HasPrefix(got["arrow"][15], "[14, null, null,") {
		t.Errorf("row 14: %s", got["arrow"][15])
	}
}
