package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/dfaparse/dfaparse/internal/render"
)

// TestReleasedMemory: what is written of several inputs is what one input of their rows gives, to the
// byte, though the memory of each record is overwritten once it is released. That of
// one is told by the reference engine.
func TestReleasedMemory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("DFAPARSE_PATH", "")
	write := func(name string, text []byte) {
		t.Helper()
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("t.dfp", []byte(`format t {
  delimited { sep ','  quote '"' doubled }
  header none
  fields {
    word dict, level enum("the first level" "another level"), text str, items list(str, sep ';')
    pairs map(str, pairs '&', kv '='), price dec(18, 2), other dict ? null "", n u32, id u32
  }
}
`))
	if err := os.Mkdir("many", 0o700); err != nil {
		t.Fatal(err)
	}
	const files, rows = 6, 700
	var all bytes.Buffer
	for f := range files {
		var b bytes.Buffer
		for i := range rows {
			id, other, n := f*rows+i, "", fmt.Sprint(i)
			k := id * 7919 % 1000
			if k%9 > 0 {
				other = fmt.Sprintf("another word that is %d", (f*100+k)%731)
			}
			if k%100 == 50 {
				n = "no number"
			}
			fmt.Fprintf(&b, "a word of some length %d,%s,\"text, %d%s\",", f*150+k%300, []string{"the first level", "another level"}[k%2], id, strings.Repeat(" and more", k%7))
			fmt.Fprintf(&b, "item %d;%d,key %d=the value %d&z=%d,%d.%02d,%s,%s,%d\n", k, id, id%5, k, i, k, k%100, other, n, id)
		}
		all.Write(b.Bytes())
		write(filepath.Join("many", fmt.Sprint(f, ".csv")), b.Bytes())
	}
	write("one.csv", all.Bytes())

	for _, line := range []string{
		"parse --to table", "parse --to jsonl", "parse --to csv", "parse --to tsv",
		"parse -o OUT.arrow",
		"parse --to jsonl --limit 3000 --skip 900 --columns other,pairs,id", "parse -o OUT.arrow --where n>300",
		"parse --to jsonl --sort word,id", "parse -o OUT.arrow --sort other,id", "parse -o OUT --partition-by level --to arrow",
		"parse --to none --rejects OUT.arrow --columns n", "aggregate --to csv --by word,level --agg count()min(text)max(other)sum(price)distinct(other)",
		"aggregate --to jsonl --by other", "head -n 2000",
	} {
		t.Run(line, func(t *testing.T) {
			read := func(from string, more ...string) string {
				t.Helper()
				out := filepath.Join(t.TempDir(), "out")
				args := append(strings.Fields(strings.ReplaceAll(line, "OUT", out)), from, "-f", "t.dfp", "--on-error", "reject")
				if args[0] != "head" {
					args = append(args, more...)
				}
				code, stdout, stderr := told(args, strings.NewReader(""))
				if code != 0 && code != 3 {
					t.Fatalf("%v: exit %d\n%s", args, code, stderr)
				}
				paths, err := filepath.Glob(out + "/*/*")
				if err != nil {
					t.Fatal(err)
				}
				for _, path := range append(paths, out+".arrow") {
					stdout += fileRows(t, path)
				}
				return stdout
			}
			want := read("one.csv", "--engine", "reference")
			for _, threads := range []string{"1", "2"} {
				got := read("many", "--threads", threads)
				rows, wanted := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
				for i := range rows {
					if i >= len(wanted) || rows[i] != wanted[i] {
						t.Fatalf("%s threads, line %d: %q, want %q", threads, i, rows[i], wanted[min(i, len(wanted)-1)])
					}
				}
				if len(rows) < len(wanted) || len(rows) < 10 {
					t.Errorf("%s threads: %d lines, want %d", threads, len(rows), len(wanted))
				}
			}
		})
	}
}

// fileRows are the rows of an Arrow file, as Arrow's own reader reads it, if it is there. Of rejects it is
// what they are, and not where. (A reader of Parquet would add 10 MiB to what TestMemory measures.)
func fileRows(t *testing.T, path string) string {
	t.Helper()
	fatal := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return ""
	}
	fatal(err)
	var rows []byte
	r, err := ipc.NewFileReader(bytes.NewReader(data))
	fatal(err)
	defer r.Close()
	for i := range r.NumRecords() {
		rec, err := r.Record(i)
		fatal(err)
		for row := range int(rec.NumRows()) {
			for c, f := range rec.Schema().Fields() {
				if f.Name != "file" && f.Name != "offset" && f.Name != "line" && f.Name != "record" {
					rows = append(render.AppendJSON(rows, f, rec.Column(c), row), ' ')
				}
			}
			rows = append(rows, '\n')
		}
	}
	return string(rows)
}
