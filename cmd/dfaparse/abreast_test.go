package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSideBySide: many files give what they give one after the other, to the byte: rows,
// rejects, what is said, and the error of the first in order.
func TestSideBySide(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		var b bytes.Buffer
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(&b)
			z.Write([]byte(text))
			z.Close()
		} else {
			b.WriteString(text)
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		var b strings.Builder
		b.WriteString("id,v\n")
		for row := range 1 + (i*7919)%400 {
			fmt.Fprintf(&b, "%d,%d\n", i, row)
			if row == 11 && i%9 == 4 {
				b.WriteString("no number,x\n")
			}
		}
		write(fmt.Sprintf("good/%02d.csv", i), strings.ReplaceAll(b.String(), "no number,x\n", ""))
		write(fmt.Sprintf("mixed/k=%d/%02d.csv%s", i%3, i, []string{"", ".gz"}[i%2]), b.String())
		write(fmt.Sprintf("text/%02d.csv", i), b.String())
	}
	write("text/31.csv", "id,v\n1,\"x\n") // is malformed, and later ones do not count
	write("text/32.csv", "id,w\n1,2\n")
	write("text/33.csv.gz", "id,v\n1,2\n")
	spec := filepath.Join(dir, "t.dfp")
	if err := os.WriteFile(spec, []byte("format t { delimited { sep ','  quote '\"' } header names fields { id u64 v u64 } }"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"parse --to csv good", "parse --to csv mixed --hive --file-column f", "parse --to jsonl text", "count -f csv mixed", "count text",
		"parse --to csv -f SPEC mixed --on-error reject --rejects REJECTS", "parse --to csv -f SPEC mixed --on-error null", "parse --to csv -f SPEC mixed",
		"parse --to csv -f SPEC mixed --on-error reject --max-rejects 2", "parse --to csv good --limit 700", "parse --to csv good --skip 900 --limit 50",
		"parse --to csv --union name good mixed", "parse --to csv -f csv good --sort id", "aggregate -f SPEC --by id sum(v) good",
		"parse --to csv -f csv text", "parse --to csv --types v:u8 good", "head -n 3 good", "parse --to csv -f csv good nowhere.csv",
	} {
		t.Run(line, func(t *testing.T) {
			var first string
			for _, threads := range []string{"1", "3", "8"} {
				rejects := filepath.Join(dir, "rejects.jsonl")
				os.Remove(rejects)
				args := strings.Fields(strings.NewReplacer("SPEC", spec, "REJECTS", rejects).Replace(line))
				for i, arg := range args {
					if info, err := os.Stat(filepath.Join(dir, arg)); err == nil && info.IsDir() {
						args[i] = filepath.Join(dir, arg)
					}
				}
				if args[0] != "head" {
					args = append(args, "--threads", threads)
				}
				var out, err bytes.Buffer
				code := execute(context.Background(), args, &streams{in: strings.NewReader(""), out: &out, err: &err})
				left, _ := os.ReadFile(rejects)
				got := fmt.Sprintf("exit %d\n%s\n%s\n%s", code, &out, &err, left)
				if first == "" {
					first = got
				}
				if got != first {
					t.Errorf("with %s threads:\n%.2000s\nwant\n%.2000s", threads, got, first)
				}
			}
		})
	}
}
