package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLateDialects: comments, quotes and escapes that no record of the sample has are found by the
// records that could not be read without them.
func TestLateDialects(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, late, want, said string }{
		{"comments", "# a comment\n#, of, many, words\n1,x,2.5\n", "1,x,2.5", `comments from "#"`},
		{"quotes", "1,'a, b',2.5\n", `1,"a, b",2.5`, `quoted by '\''`},
		{"the usual quotes", "1,\"a, b\",2.5\n", `1,"a, b",2.5`, "separated by comma, a header"},
		{"escapes", "1,\"a \\\"b\\\"\",2.5\n", `1,"a ""b""",2.5`, `escaped by '\\'`},
		{"quotes in odd places", "1,3\" wide,2.5\n", `1,"3"" wide",2.5`, "separated by comma, a header"},
		{"quotes that are data", "1,\"A\" b,2.5\n", `1,"""A"" b",2.5`, "separated by comma, a header"},
		{"comments and escapes", "# a comment\n1,\"a \\\"b\\\"\",2.5\n", `1,"a ""b""",2.5`, `escaped by '\\', comments from "#"`},
		{"many comments, then escapes", strings.Repeat("# a comment\n", 20) + "1,\"a \\\"b\\\"\",2.5\n", `1,"a ""b""",2.5`, `escaped by '\\', comments from "#"`},
		{"a quote that is never closed", "1,\"x,2.5\n", "", ""},
		{"a quote that the next one closes", "1,\"x,2.5\n2,\"y\",2.5\n", "", ""},
		{"two kinds of quotes", "1,'a, b',2.5\n1,\"a\",2.5\n", "", ""},
		{"records like comments, and a comment", "#1,x,2.5\n# a comment\n", "", ""},
		{"a long record", "1,x,2.5,more\n", "", ""},
		{"a short record", "1,x\n", "", ""},
	} {
		var text strings.Builder
		text.WriteString("id,name,amount\n")
		for n := range 9000 {
			if fmt.Fprintf(&text, "%d,name %[1]d,%[1]d.5\n", n); n == 6000 {
				text.WriteString(c.late)
			}
		}
		plain, packed := filepath.Join(dir, "plain.csv"), filepath.Join(dir, "packed.csv.gz")
		if err := errors.Join(os.WriteFile(plain, []byte(text.String()), 0o600), os.WriteFile(packed, gzipped(t, text.String()), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{plain, packed} {
			code, out, said := told([]string{"parse", "--to", "csv", path}, nil)
			if code == 0 != (c.want != "") || code == 0 && (!strings.Contains(out, "\n"+c.want+"\n") || strings.Count(out, "\n") != 9002 || !strings.Contains(said, c.said)) {
				t.Errorf("%s, %s: exit %d, %s", c.name, path, code, said)
			}
			code, out, said = told([]string{"count", path}, nil)
			if code == 0 != (c.want != "") || code == 0 && out != "9001\n" {
				t.Errorf("%s, count %s: exit %d, %s, %s", c.name, path, code, out, said)
			}
			if strings.Count(said, "separated by") != 1 {
				t.Errorf("%s, count %s: says what was decided other than once: %s", c.name, path, said)
			}
			if strict, _, _ := told([]string{"parse", "--to", "none", "--strict", path}, nil); strict == 0 && c.name != "the usual quotes" {
				t.Errorf("%s, %s: --strict takes it", c.name, path)
			}
		}
		inferred(t, plain, filepath.Join(dir, "inferred.dfp"))
	}
}
