//go:build !noweb

package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWeb: what a server has is read as a file is, by the extension of its path, typed by
// all of it, beside files.
func TestWeb(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "id,v\n1,x\n", "b.csv": "v,id\ny,2\n", "latin.txt": "id;Ort\n1;K\xf6ln\n", "bad.csv": "a,b\n1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer s.Close()
	for _, c := range []struct {
		args, out, err string
		code           int
	}{
		{"parse --to csv " + s.URL + "/a.csv?x=1", "id,v\n1,x\n", "", 0},
		{"parse --to jsonl " + s.URL + "/a.csv", `{"id":1,"v":"x"}` + "\n", s.URL + "/a.csv: separated by comma, a header, 2 columns", 0},
		{s.URL + "/a.csv --to csv " + filepath.Join(dir, "b.csv"), "id,v\n1,x\n2,y\n", "", 0},
		{"parse --to csv " + s.URL + "/latin.txt", "id,Ort\n1,Köln\n", "in windows-1252", 0},
		{"count -f csv " + s.URL + "/a.csv", "1\n", "", 0},
		{"head -f csv --to csv " + s.URL + "/a.csv", "id,v\n1,x\n", "", 0},
		{"parse -f csv --to csv " + s.URL + "/none.csv", "", s.URL + "/none.csv: the server says 404 Not Found", 1},
		{"parse -f csv http://127.0.0.1:1/a.csv", "", "http://127.0.0.1:1/a.csv: dial tcp 127.0.0.1:1: connect: connection refused (tried 5 times)", 1},
		{"parse -f csv --to csv " + s.URL + "/bad.csv", "", s.URL + "/bad.csv:2:2: record 1, the record has 1 field", 1},
	} {
		var out, err bytes.Buffer
		code := execute(context.Background(), strings.Fields(c.args), &streams{in: strings.NewReader(""), out: &out, err: &err})
		if code != c.code || code == 0 && out.String() != c.out || !strings.Contains(err.String(), c.err) {
			t.Errorf("%s: exit %d, %q, %q", c.args, code, out.String(), err.String())
		}
	}
}
