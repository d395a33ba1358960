package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile is text that a terminal would obey, or that would not be seen: C0, DEL,
// C1 as UTF-8, a change of direction, no width.
const hostile = "\x1b[31m\x1b]0;title\a\x7f\u009b31m\u202e\u200b\x01"

// told runs a command line in this process.
func told(args []string, in io.Reader) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = execute(context.Background(), args, &streams{in: in, out: &out, err: &err})
	return code, out.String(), err.String()
}

// TestNothingReachesTheTerminal: what is in data, in names and in specs is no
// command to a terminal, whatever is said of it.
func TestNothingReachesTheTerminal(t *testing.T) {
	if onWindows {
		t.Skip("no such names")
	}
	t.Setenv("DFAPARSE_PATH", "")
	dir := filepath.Join(t.TempDir(), "dir"+hostile)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	forged := "\ndfaparse: all is well"
	named := write("in"+hostile+forged+".csv", "a"+hostile+",b\n\"x"+hostile+"\",\"y\"\n")
	broken := write("broken"+hostile+".csv", "a"+hostile+",b"+hostile+"\n\"x"+hostile+"\"y"+hostile+",\x9b\n")
	ragged := write("ragged"+hostile+".csv", "a"+hostile+",b\n1,2\n"+hostile+"\n\x9b31m,3\n")
	twice := write("twice.csv", hostile+","+hostile+"\n1,2\n")
	zipped := write("in"+hostile+".csv.gz", "no gzip")
	w3c := write("in"+hostile+".log", "#Fields: a"+hostile+" b\n1 2\n")
	late := write("late"+hostile+".log", "#Fields: a"+hostile+" "+hostile+"\n"+hostile+" 1 2\n#Fields: "+hostile+" c\n")
	spec := write("spec"+hostile+".dfp", "format odd {\n  doc \"says"+hostile+"\"\n  delimited { sep ',' }\n  null \"n"+hostile+"\"\n"+
		"  fields { \"a"+hostile+"\" i64  b enum(x \"y"+hostile+"\")  c list(str, sep ';') }\n  test \"of"+hostile+"\" \"1,x,\\n\" => { b x }\n}\n")
	faulty := write("faulty"+hostile+".dfp", "format odd {\n  doc \"says"+hostile+"\"\n  delimitedd"+hostile+" { sep ',' }\n  fields { a"+hostile+" i64 }\n}\n")
	failing := write("failing"+hostile+".dfp", "format odd {\n  delimited { sep ',' }\n  fields { \"a"+hostile+"\" str }\n  test \"of"+hostile+"\" \""+hostile+"\\n\" => { \"a"+hostile+"\" z }\n}\n")
	states := write("states"+hostile+".dfp", "format odd {\n  lex {\n    a  [x]  -> a\n  }\n}\n")
	data := write("odd"+hostile+".csv", "1,x,\n"+hostile+",y,z\n2,"+hostile+",z\n")

	var lines [][]string
	for _, in := range []string{named, broken, ragged, twice, zipped, filepath.Join(dir, "none"+hostile), dir, hostile + ".csv", hostile, "https://x/" + hostile} {
		for _, kind := range []string{"table", "none"} {
			lines = append(lines, []string{"parse", "--to", kind, in}, []string{"parse", "-f", "csv_lax", "--to", kind, in}, []string{"parse", "-f", "csv", "--on-error", "reject", "--stats", "--to", kind, in})
		}
		lines = append(lines, []string{"head", in}, []string{"count", in}, []string{"count", in, in}, []string{"schema", in},
			[]string{"schema", "-f", "csv", in}, []string{"explain", "--at", "3", "-f", "csv", in}, []string{"explain", "--at", "30", "-f", "csv", in},
			[]string{"explain", "--at", "999", "-f", "csv", in}, []string{"bench", "--repeat", "1", in}, []string{"check", in}, []string{"graph", in},
			[]string{"compile", "--dump", in}, []string{"formats", in}, []string{"parse", "--to", "table", "--columns", hostile, in}, []string{"parse", "-o", in, in},
			[]string{"parse", "--to", "none", "--rejects", in, named}, []string{"parse", "-o", filepath.Join(dir, "none", hostile+".csv"), in})
	}
	for _, in := range []string{w3c, late} {
		lines = append(lines, []string{"head", "-f", "w3c", in}, []string{"schema", "-f", "w3c", in}, []string{"head", in}, []string{"explain", "-f", "w3c", "--at", "12", in})
	}
	for _, s := range []string{spec, faulty, failing, states} {
		lines = append(lines, []string{"check", s}, []string{"check", "-v", s, s}, []string{"compile", "--dump", s}, []string{"schema", "-f", s},
			[]string{"head", "-f", s, data}, []string{"parse", "--to", "none", "--stats", "--on-error", "reject", "-f", s, data}, []string{"count", "-f", s, data},
			[]string{"explain", "--at", "6", "-f", s, data}, []string{"graph", s}, []string{"graph", "--column", hostile, s}, []string{"graph", "--column", "a" + hostile, s},
			[]string{"bench", "--repeat", "1", "-f", s, data}, []string{"parse", "-f", s + ":" + hostile, data})
	}
	for _, flag := range []string{"--to", "--on-error", "--utf8", "--engine", "--progress", "--base-time", "--compression", "--limit", "--chunk", "--max-rejects", "--" + hostile, "-o", "-f"} {
		lines = append(lines, []string{"parse", flag, "x" + hostile, named})
	}
	lines = append(lines, []string{hostile}, []string{"gen", hostile}, []string{"formats", hostile}, []string{"version", hostile}, []string{"help", hostile}, []string{"compile", "csv", "-o", hostile})
	t.Setenv("DFAPARSE_PATH", dir)
	lines = append(lines, []string{"formats"})
	for _, args := range lines {
		_, stdout, stderr := told(args, strings.NewReader(""))
		for stream, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
			if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && (r != '\t' || args[0] != "graph") && !strconv.IsPrint(r) }); at >= 0 {
				t.Errorf("%q: %s has %q in %q", args, stream, text[at:min(at+4, len(text))], text)
			} else if !utf8.ValidString(text) {
				t.Errorf("%q: %s is no UTF-8: %q", args, stream, text)
			}
			if strings.Contains(text, forged) {
				t.Errorf("%q: %s has a line that a name has brought: %q", args, stream, text)
			}
		}
	}
}

// TestMachinesGetTheDataAsTheyAre: what machines read is not escaped as for people.
func TestMachinesGetTheDataAsTheyAre(t *testing.T) {
	in := "a" + hostile + "\n\"x" + hostile + "\"\n"
	_, out, _ := told([]string{"parse", "-f", "csv", "--to", "csv", "-"}, strings.NewReader(in))
	if out != strings.ReplaceAll(in, `"`, "") {
		t.Errorf("csv: %q", out)
	}
	_, out, _ = told([]string{"parse", "-f", "csv", "--to", "jsonl", "-"}, strings.NewReader(in))
	var row map[string]string
	if err := json.Unmarshal([]byte(out), &row); err != nil || row["a"+hostile] != "x"+hostile {
		t.Errorf("jsonl: %q, %v", out, err)
	}
}
