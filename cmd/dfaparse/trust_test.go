package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/discover"
)

// ofAColumn is what is said for the values of a column, which nobody knows of one that is not read.
var ofAColumn = regexp.MustCompile(`; "(?:[^"\\]|\\.)*" alone, in the last record, is no [^;]* text|; that the first record names them is a guess \(--header none says otherwise\)`)

// onceAndTwice are what a command line comes to whose input is read once, and where it is not: its
// exit code, what is said, and what is written, for OUT in it.
func onceAndTwice(t rapid.TB, dir string, args []string, rows int64) (once, twice string) {
	outcome := func(least int64) string {
		defer func(bytes, rows int64) { discover.TrustedBytes, discover.FirstRows = bytes, rows }(discover.TrustedBytes, discover.FirstRows)
		discover.TrustedBytes, discover.FirstRows = least, rows
		out := filepath.Join(dir, "out")
		own := make([]string, len(args))
		for i, arg := range args {
			own[i] = strings.Replace(arg, "OUT", out, 1)
		}
		var stdout, stderr bytes.Buffer
		code := execute(context.Background(), own, &streams{in: strings.NewReader(""), out: &stdout, err: &stderr, sys: unsynced{}})
		said, _, _ := strings.Cut(stderr.String(), "\nelapsed ") // the rest of --stats are times
		if slices.Contains(args, "--columns") || args[0] == "aggregate" {
			said = ofAColumn.ReplaceAllString(said, "")
		}
		written := ""
		found, _ := filepath.Glob(out + "*")
		for _, path := range found {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			written += filepath.Base(path) + ":\n" + string(b)
			os.Remove(path)
		}
		return fmt.Sprintf("exit code %d\n%s%s\n%s", code, said, stdout.String(), written)
	}
	return outcome(0), outcome(1 << 60)
}

// TestReadOnce: what is read once by the types of its first rows is written as what is read twice,
// to the byte, and so is what is said, where later rows have other types and where they cannot be
// read.
func TestReadOnce(t *testing.T) {
	dir := t.TempDir()
	const first = 1200
	const nrows = first + 300
	table := func(odd map[int]string) string {
		var b strings.Builder
		b.WriteString("id,v,at,s,hole\n")
		for row := range nrows {
			if line, there := odd[row]; there {
				b.WriteString(line + "\n")
				continue
			}
			fmt.Fprintf(&b, "%d,%d.5,2024-05-%02d,text %d,\n", row+1, row%77, 1+row%28, row)
		}
		return b.String()
	}
	const last = nrows - 1
	for name, text := range map[string]string{
		"plain":          table(nil),
		"zero":           table(map[int]string{last: "007,1.5,2024-05-01,x,"}),
		"text":           table(map[int]string{last: "1,x,2024-05-01,x,"}),
		"null":           table(map[int]string{last: "1,NA,2024-05-01,x,"}),
		"blank":          table(map[int]string{last: "1, 2.5 ,2024-05-01,x,"}),
		"empty":          table(map[int]string{last: "1,,2024-05-01,,"}),
		"no hole":        table(map[int]string{last: "1,1.5,2024-05-01,x,7"}),
		"an odd hole":    table(map[int]string{last: "1,1.5,2024-05-01,x,NA"}),
		"digits":         table(map[int]string{last: "1,0.12345678901234567890123,2024-05-01,x,"}),
		"no day":         table(map[int]string{last: "1,1.5,no day,x,"}),
		"several":        table(map[int]string{first + 50: "1,1.5,no day,x,", last: "1,x,2024-05-01,x,"}),
		"short":          table(map[int]string{last: "1,1.5"}),
		"long":           table(map[int]string{last: "1,1.5,2024-05-01,x,,,,"}),
		"a quote":        table(map[int]string{last: `1,1.5,2024-05-01,"x`}),
		"no UTF-8":       table(map[int]string{last: "1,1.5,2024-05-01,\xff,"}),
		"all names":      strings.Replace(table(map[int]string{last: "1,x,2024-05-01,x,"}), "id,v,at,s,hole", "v,v,v,s,", 1),
		"one column":     "a;b,c\n" + strings.Repeat("5\n", nrows) + "x\n",
		"before skipped": table(map[int]string{first + 50: "007,1.5,no day,x,"}),
		"ambiguous days": strings.ReplaceAll(table(nil), "2024-05-", "2024/05/"),
		"decided days":   strings.ReplaceAll(table(map[int]string{last: "1,1.5,12/25/2024,x,"}), "2024-05-", "05/"),
	} {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "_")+".csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"infer", "schema", "parse", "count"} { // which see the types first
			args := []string{command, path}
			if once, twice := onceAndTwice(t, dir, args, first); once != twice {
				t.Errorf("%s, %s: read once\n%.600s\nread as texts\n%.600s", command, name, once, twice)
			}
		}
		for _, flags := range []string{
			"-o OUT.csv", "-o OUT.jsonl --sort v,id --where v>70 --columns id,v,s", "--to none --stats --types widen", "-o OUT.csv --types fail",
			"-o OUT.csv --where v!='x' --utf8 replace", "-o OUT.csv --limit 20", "-o OUT.csv --limit 20 --where id=17", "-o OUT.csv --limit 20 --sort s",
			"-o OUT.csv --skip 1490", "-o OUT.parquet --columns id,s", "-o OUT.jsonl --columns nobody", "-o OUT.csv --sep ; --all-strings",
		} {
			args := append([]string{"parse", path}, strings.Fields(flags)...)
			if once, twice := onceAndTwice(t, dir, args, first); once != twice {
				t.Errorf("%s, %s: read once\n%.600s\nread twice\n%.600s", name, flags, once, twice)
			}
		}
	}
}

// TestReadOnceOfFewRows: of wide rows a large file may have fewer than the first are.
func TestReadOnceOfFewRows(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "few.csv")
	if err := os.WriteFile(path, []byte("a,b\n"+strings.Repeat("5,5\n", 1200)+"x,5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if once, twice := onceAndTwice(t, dir, []string{"parse", path, "-o", "OUT.csv"}, 2000); once != twice || !strings.Contains(twice, "in the last record") {
		t.Errorf("read once\n%.300s\nread twice\n%.300s", once, twice)
	}
}

// TestReadOnceToALimit: rows behind those that are wanted have a say in the types.
func TestReadOnceToALimit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "many.csv")
	if err := os.WriteFile(path, []byte("a,b\n"+strings.Repeat("5,5\n", 700_000)+"x,5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields("parse " + path + " -o OUT.jsonl --where b=5 --limit 2 --threads 1 --chunk 4KiB --partition 4KiB")
	if once, twice := onceAndTwice(t, dir, args, 1000); once != twice || !strings.Contains(twice, `"a":"5"`) {
		t.Errorf("read once\n%.600s\nread twice\n%.600s", once, twice)
	}
}

// TestReadOnceTogether is TestReadOnce of groups of rows, and of several inputs: a surprise may be in any.
func TestReadOnceTogether(t *testing.T) {
	dir := t.TempDir()
	const nrows = 400
	file := func(name, header string, row func(i int) string, last ...string) string {
		var b strings.Builder
		b.WriteString(header + "\n")
		for i := range nrows {
			b.WriteString(row(i) + "\n")
		}
		b.WriteString(strings.Join(append(last, ""), "\n"))
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	usual := func(i int) string { return fmt.Sprintf("%d,%d.5,2024-05-%02d,text %d", i, i%7, 1+i%28, i%3) }
	turned := func(i int) string { return fmt.Sprintf("text %d,%d,%d.5,2024-05-%02d", i%3, i, i%7, 1+i%28) }
	const header, other = "id,v,at,s", "s,id,v,at"
	plain := file("plain.csv", header, usual)
	for what, paths := range map[string][]string{
		"one":              {plain},
		"one, odd":         {file("odd.csv", header, usual, "007,1.5,2024-05-01,x")},
		"one, cut off":     {file("cut.csv", header, usual, "7,1.5")},
		"two":              {plain, file("two.csv", header, usual)},
		"turned":           {plain, file("turned.csv", other, turned)},
		"the second odd":   {plain, file("second.csv", header, usual, "1,x,2024-05-01,x")},
		"turned and odd":   {plain, file("turnedodd.csv", other, turned, "x,007,1.5,2024-05-01")},
		"another column":   {plain, file("more.csv", header+",more", func(i int) string { return usual(i) + ",1" }, "1,1.5,2024-05-01,x,y")},
		"a column less":    {plain, file("less.csv", "id,v,at", func(i int) string { return fmt.Sprintf("%d,%d.5,2024-05-%02d", i, i%7, 1+i%28) })},
		"one after cannot": {plain, file("cannot.csv", header, usual, `1,1.5,2024-05-01,"x`), plain},
		"one is not there": {plain, filepath.Join(dir, "nothing.csv")},
		"semicolons":       {plain, file("semicolons.csv", "id;v;at;s", func(i int) string { return strings.ReplaceAll(usual(i), ",", ";") })},
	} {
		for _, flags := range [][]string{
			{"schema", "--union", "name"}, {"infer"}, {"parse", "--to", "jsonl"},
			{"parse", "-o", "OUT.csv"}, {"parse", "-o", "OUT.jsonl", "--sort", "v,id", "--union", "name"}, {"parse", "-o", "OUT.csv", "--union", "position"},
			{"parse", "--to", "none", "--file-column", "from", "--stats"}, {"parse", "-o", "OUT.parquet", "--where", "v > 3", "--columns", "id,s"},
			{"aggregate", "--by", "s", "--agg", "count() sum(v) max(id)"}, {"aggregate", "--by", "month(at)", "--agg", "mean(v)", "--to", "csv"},
			{"aggregate", "--agg", "count() sum(id)", "-o", "OUT.arrow"}, {"aggregate", "--agg", "count()", "--union", "name"},
			{"aggregate", "--by", "id", "--top", "3", "--where", "v = 1.5", "--to", "arrows"}, {"aggregate", "--by", "nobody"}, {"aggregate", "--limit", "10", "--agg", "sum(id)"},
		} {
			args := append(slices.Concat(flags[:1], paths), flags[1:]...)
			if once, twice := onceAndTwice(t, dir, args, 150); once != twice {
				t.Errorf("%s, %s: read once\n%.600s\nread twice\n%.600s", what, flags, once, twice)
			}
		}
	}
}

// TestReadOnceDrawn is TestReadOnce of drawn tables, whose surprises are anywhere.
func TestReadOnceDrawn(t *testing.T) {
	dir := t.TempDir()
	usual := [][]string{
		{"1", "22", "-3"}, {"1.5", "2", "0.25"}, {"2024-05-01", "2023-12-31"}, {"2024-05-01 10:00:00"}, {"25/02/2024", "03/04/2024"},
		{"true", "false"}, {"one", "two"}, {"12345678901234567890", "7"}, {"1,5", "2,25"}, {""}, {"10:30", "11:00"}, {"NA", "5"},
		{"1.2345678901234567890123", "33"}, {"3.8", "3.9", "3.11"}, {"12345678", "98"}, {"12.5.2", "11.5.2", "11.10.12"}, {"10:30", "09:00", "02:15"},
		{"1.5.24", "31.12.23"}, {"2024-05-01T10:00:00Z", "2024-05-01T10:00:00.5Z"},
	}
	odd := []string{
		"x", "n/a", "", "NULL", " 7 ", "007", "+5", "25/12/2024", "12/25/2024", "1,234.5", "1e-400", "2024-05-01 23:59:60", "1.5", "-",
		"0.1234567890123456789012345", "18446744073709551616", "\xff", "\"", "a\nb",
		"3.10", "12E4", "75", "31.05.24", "28.2.24", "15:45", "2024-05-01T10:00:00.123456789Z", "9999-12-31T00:00:00Z",
	}
	rapid.Check(t, func(t *rapid.T) {
		ncolumns, nrows := rapid.IntRange(1, 4).Draw(t, "columns"), rapid.IntRange(3, 2500).Draw(t, "rows")
		columns := make([][]string, ncolumns)
		surprises := make([]map[int]string, ncolumns)
		for c := range ncolumns {
			columns[c], surprises[c] = rapid.SampledFrom(usual).Draw(t, "usual"), map[int]string{}
			for range max(0, rapid.IntRange(-2, 2).Draw(t, "surprises")) {
				row := nrows - 1 - rapid.IntRange(0, min(nrows-1, 1500)).Draw(t, "before the end")
				surprises[c][row] = rapid.SampledFrom(odd).Draw(t, "odd")
			}
		}
		quotes := rapid.Bool().Draw(t, "quotes")
		header := "name0"
		for c := 1; c < ncolumns; c++ {
			header += fmt.Sprintf("|name%d", c)
		}
		cut := rapid.IntRange(0, 2*nrows).Draw(t, "rows of the first input") // the second has the others
		var paths []string
		var b strings.Builder
		write := func() {
			path := filepath.Join(dir, fmt.Sprintf("drawn%d.csv", len(paths)))
			paths = append(paths, path)
			if err := os.WriteFile(path, []byte(header+"\n"+b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			b.Reset()
		}
		for row := range nrows {
			if row == cut && row > 0 {
				write()
			}
			for c := range ncolumns {
				value, there := surprises[c][row]
				if !there {
					value = columns[c][(row*7+c)%len(columns[c])]
				}
				if quotes && (row+c)%3 == 0 || strings.ContainsAny(value, "\"\n") && row%2 == 0 {
					value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
				}
				b.WriteString(strings.Repeat("|", min(c, 1)) + value)
			}
			b.WriteByte('\n')
		}
		write()
		words := strings.Fields(rapid.SampledFrom([]string{
			"schema", "infer", "head", "count", "aggregate --by name0", "aggregate --agg max(name0) --skip 7", "aggregate --by name0 --limit 9",
			"parse --to jsonl", "parse --to jsonl --limit 5", "parse --to none --stats", "parse -o OUT.jsonl", "parse -o OUT.parquet", "parse -o OUT.arrow",
			"parse -o OUT.csv", "parse -o OUT.csv --where name0>5", "parse -o OUT.csv --sort name0", "parse -o OUT.csv --columns name0",
			"parse -o OUT.csv --types fail", "parse -o OUT.csv --types null", "parse -o OUT.csv --types name0:f64", "parse -o OUT.csv --null 7", "parse -o OUT.csv --lax",
			"parse -o OUT.csv --skip 7", "parse -o OUT.csv --limit 5", "parse -o OUT.csv --skip 3 --limit 5", "parse -o OUT.csv --limit 5 --sort name0",
			"parse -o OUT.csv --limit 5 --where name0>5", "parse -o OUT.csv --skip 3 --sort name0", "parse -o OUT.csv --utf8 replace",
			"parse -o OUT.csv --on-error reject", "parse -o OUT.csv --on-error null", "parse -o OUT.csv --on-error reject --max-rejects 0",
			"parse -o OUT.csv --rejects OUT.jsonl", "parse -o OUT.csv --on-error null --rejects OUT.jsonl --skip 2",
			"parse -o OUT.csv --file-column from", "parse -o OUT.csv --union name", "parse -o OUT.csv --union position",
		}).Draw(t, "command"))
		args := slices.Concat(words[:1], paths, words[1:], []string{"--sep", "|"})
		if words[0] == "parse" || words[0] == "aggregate" {
			args = append(args, "--threads", fmt.Sprint(rapid.IntRange(1, 3).Draw(t, "threads")), "--chunk", fmt.Sprint(rapid.SampledFrom([]int{64, 300, 1 << 18}).Draw(t, "chunk")))
		}
		if once, twice := onceAndTwice(t, dir, args, rapid.Int64Range(1, 2000).Draw(t, "first rows")); once != twice {
			t.Errorf("%s: read once\n%.600s\nread twice\n%.600s", words, once, twice)
		}
	})
}

// TestReadOnceGuessed: days and months that only a late row tells from each other are no guess.
func TestReadOnceGuessed(t *testing.T) {
	dir := t.TempDir()
	const first, nrows = 100, 400
	for name, last := range map[string]string{"days": "25.01.2024", "months": "01.25.2024", "open": "02.01.2024", "text": "soon"} {
		in := filepath.Join(dir, name+".csv")
		text := "id,d\n" + strings.Repeat("1,01.02.2024\n", nrows) + "2," + last + "\n"
		if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"parse", in, "-o", "OUT.csv"}, {"parse", "--strict", in, "-o", "OUT.csv"}, {"schema", in}} {
			if once, twice := onceAndTwice(t, dir, args, first); once != twice {
				t.Errorf("%s: %q: read once:\n%s\nread twice:\n%s", name, args, once, twice)
			}
		}
	}
}
