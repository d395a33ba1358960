//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipesAmongInputs: an input that can be read only once may stand anywhere among others. Its types
// are those of what comes first of it.
func TestPipesAmongInputs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.csv")
	objects := filepath.Join(dir, "a.jsonl")
	named := filepath.Join(dir, "pipe")
	for path, text := range map[string]string{file: "a,b\n1,2\n3,4\n", objects: "{\"a\":1}\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var long, keys strings.Builder
	long.WriteString("b,a\n")
	for n := range 20_000 {
		fmt.Fprintf(&long, "%d,1\n", n)
		fmt.Fprintf(&keys, "{\"a\":%d}\n", n)
	}
	for _, c := range []struct {
		args       []string
		piped      string
		want, said string // the end of it, and what is said
	}{
		{[]string{file, "-"}, "a,b\n5,6\n", "1,2\n3,4\n5,6\n", "2 columns\n"},
		{[]string{"-", file}, "a,b\n5,6\n", "5,6\n1,2\n3,4\n", "2 columns\n"},
		{[]string{file, "-"}, "b,a\nx,6\n", "3,4\n6,x\n", `makes b text`},
		{[]string{"-", file}, "a,b\n5,6.5\n", "5,6.5\n1,2\n3,4\n", "2 columns\n"},
		{[]string{file, "-"}, long.String(), "1,19999\n", "types of the first "},
		{[]string{file, "-"}, long.String() + "x,1\n", "1,19999\n", `stdin: row 20001: column "b": "x" is no i64`},
		{[]string{objects, "-"}, keys.String() + "{\"b\":2}\n", ",\"{\"\"b\"\":\"\"2\"\"}\"\n", "other keys in fields"},
		{[]string{"-f", "csv", file, "-"}, "b,a\n5,6\n", "3,4\n6,5\n", ""},
	} {
		_, out, said := told(append([]string{"parse", "--to", "csv"}, c.args...), readerFunc(strings.NewReader(c.piped).Read))
		if !strings.HasSuffix(out, c.want) || !strings.Contains(said, c.said) {
			t.Errorf("%s: %s, the end is %q", c.args, said, out[max(0, len(out)-40):])
		}
		if len(c.args) > 2 {
			continue
		}
		if err := syscall.Mkfifo(named, 0o600); err != nil {
			t.Fatal(err)
		}
		go func() {
			w, err := os.OpenFile(named, os.O_WRONLY, 0)
			if err == nil {
				_, _ = w.WriteString(c.piped)
				err = w.Close()
			}
			if err != nil && !strings.Contains(err.Error(), "broken pipe") {
				t.Error(err)
			}
		}()
		args := append([]string{"parse", "--to", "csv"}, c.args...)
		for i := range args {
			if args[i] == "-" {
				args[i] = named
			}
		}
		_, out, said = told(args, nil)
		if !strings.HasSuffix(out, c.want) || !strings.Contains(said, strings.ReplaceAll(c.said, "stdin", named)) {
			t.Errorf("%s: %s, the end is %q", args, said, out[max(0, len(out)-40):])
		}
		if err := os.Remove(named); err != nil {
			t.Fatal(err)
		}
	}
	code, out, said := told([]string{"count", file, "-"}, readerFunc(strings.NewReader("a,b\n5,6\n").Read))
	if code != 0 || !strings.Contains(out, "3  total") {
		t.Errorf("count: exit %d, %s, %s", code, said, out)
	}
}

// TestTypesOfCountedKeys: count holds values of keys against the types that are said, wherever they come from.
func TestTypesOfCountedKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	for _, c := range []struct {
		text, types string
		code        int
		out, said   string
	}{
		{"{\"a\":1}\n{\"a\":2}\n", "a:i64", 0, "2\n", ""},
		{"{\"a\":1}\n{\"a\":\"x\"}\n{\"b\":1}\n", "a:i64", 3, "2\n", `not an integer: "x"`},
		{"{\"a\":1}\n{\"a\":2,\"b\":}\n{\"a\":2}\n", "a:i64", 3, "2\n", "1 record rejected"},
		{"{\"a\":1}\n{\"a\":2}\n", "b:i64", 1, "", `no column "b"`},
		{"a=1 at=2\na=x at=3\n", "a:i64", 3, "1\n", `not an integer: "x"`},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"count", "--types", c.types}
		if c.text[0] == '{' {
			if code, out, said := told(append(args, path), nil); code != c.code || out != c.out || !strings.Contains(said, c.said) {
				t.Errorf("%q: exit %d, %s, %s", c.text, code, out, said)
			}
		}
		if code, out, said := told(args, readerFunc(strings.NewReader(c.text).Read)); code != c.code || out != c.out || !strings.Contains(said, c.said) {
			t.Errorf("%q, piped: exit %d, %s, %s", c.text, code, out, said)
		}
	}
}
