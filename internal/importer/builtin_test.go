package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/internal/golden"
)

// TestBuiltIns: what the configuration of a server says gives the same table as the format
// that is built in for it, but for the column of what vendors append.
func TestBuiltIns(t *testing.T) {
	for _, c := range []struct{ format, text, log string }{
		{"apache_common", "apache:common", `203.0.113.7 - ada [02/Mar/2026:09:15:00 +0000] "GET /shop HTTP/1.1" 200 5120
h - - [02/Mar/2026:09:15:00 -0130] "\x16\x03\"\\x" 400 -
h - - [02/Mar/2026:09:15:00 -0130] "-" - -
cut - - [02/Mar/20
h - - [02/Mar/2026:09:15:00 -0130] "" 99999 -
`},
		{"apache_combined", `apache:%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`, `203.0.113.7 - ada [02/Mar/2026:09:15:00 +0000] "GET /shop HTTP/1.1" 200 5120 "-" "curl/8.5"
::1 - - [02/Mar/2026:09:15:00 +0000] "GET /" 200 5120 "http://a/\"b" ""
`},
		{"nginx", "nginx:combined", `172.17.0.1 - - [17/May/2015:10:05:03 +0200] "GET / HTTP/1.1" 200 612 "-" "curl/7.47.0"
10.0.0.1 - joe [17/May/2015:10:05:03 +0000] "\x22\x5C" 400 0 "-" ""
10.0.0.1 - joe [17/May/2015:10:05:03 +0000] "
`},
	} {
		inputs := map[string][]byte{"own": []byte(c.log)}
		for _, file := range real(c.format) {
			if b, err := os.ReadFile(file); err == nil {
				inputs[file] = b[:min(len(b), 1<<20)]
			}
		}
		for name, in := range inputs {
			r, err := dfaparse.OpenBytes(t.Context(), nil, dfaparse.Format(c.format))
			if err != nil {
				t.Fatal(err)
			}
			var columns []string
			for _, f := range r.Schema().Fields() {
				if f.Name != "extra" {
					columns = append(columns, f.Name)
				}
			}
			r.Close()
			want, wantRejects, err := readFormat(dfaparse.Format(c.format), in, dfaparse.WithColumns(columns...))
			if err != nil {
				t.Fatal(err)
			}
			got, gotRejects, err := readFormat(dfaparse.Format(c.text), in)
			if err != nil {
				t.Fatal(c.text, err)
			}
			if got != want || strings.Count(gotRejects, "\n") != strings.Count(wantRejects, "\n") {
				t.Errorf("%s, %s: %s", c.format, name, golden.Difference(want+wantRejects, got+gotRejects))
			}
		}
	}
}

// real are files of a format that are not in the repository.
func real(format string) []string {
	dir := os.Getenv("DFAPARSE_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	found, _ := filepath.Glob(filepath.Join(dir, map[string]string{
		"apache_combined": "elastic/apache_logs",
		"nginx":           "crowdsec/nginx_http-logs/*.log",
	}[format]))
	return found
}
