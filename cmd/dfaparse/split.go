package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/internal/splits"
	"github.com/dfaparse/dfaparse/runtime"
)

// splitting opens a file of which splits are made.
func (r *reading) splitting(ctx context.Context, path string, std *streams) (*splits.File, error) {
	if path == "-" {
		return nil, usagef("the standard input has no splits, and no index: name a file")
	}
	opts, err := r.options()
	if err != nil {
		return nil, err
	}
	if path, err = oneInput(path); err != nil {
		return nil, err
	}
	if err := checkInputs([]string{path}); err != nil {
		return nil, err
	}
	c, err := choose(ctx, &guess{r: r, paths: []string{path}, std: std})
	if err != nil {
		return nil, err
	}
	if std.encoding != "" {
		return nil, usagef("%s: is in %s; splits are of files in UTF-8", render.Printable(path), std.encoding)
	}
	return splits.OpenFile(ctx, path, c.program, opts...)
}

// splitFlags are the flags of commands that read a file for splits.
func (r *reading) splitFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	formatFlag(cmd, &r.format, foundOut)
	r.dialect.flags(cmd, false)
	skipLinesFlag(f, &r.skipLines)
	shapeFlag(f, &r.shape)
	numberVar(f, &r.threads, "threads", "", 0, "workers (default 0: all cores)")
	f.Var(&r.maxRecord, "max-record", "longest record in bytes (default: as the format says, else 256MiB)")
	r.engine = "cpu"
}

func newSplit(std *streams) *cobra.Command {
	r := reading{limit: -1}
	var n int
	var out string
	cmd := &cobra.Command{
		Use:   "split [-f FORMAT] FILE -n N",
		Short: "Cut a file into exact splits, for many readers",
		Example: `  dfaparse split -f csv -n 8 -o splits.jsonl big.csv
  dfaparse parse -f csv --split splits.jsonl:3 -o part3.parquet big.csv
  dfaparse parse -f csv --split 3/8 -o part3.parquet big.csv`,
		Long: `Split prints N splits of a file, a line of JSON each: about equally large ranges
that begin and end where records do, and what a reader has to know to read
exactly these records, with places that are the whole file's. All splits
together are the file, whatever quotes, several lines or directives there are.

The file is read once, without looking at values; not if it has an index
("dfaparse index").`,
		Args: arguments(1, 1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 || n > mostSplits {
				return usagef("-n says how many splits: 1 to %d", mostSplits)
			}
			f, err := r.splitting(cmd.Context(), args[0], std)
			if err != nil {
				return err
			}
			defer f.Close()
			all, err := f.Split(n)
			if err != nil {
				return err
			}
			if n > 1 && f.FromBeginning() {
				fmt.Fprintf(people{std.err}, "%s can be decompressed from its beginning alone: whoever reads a split decompresses what is before it; pzstd, t2sz and bgzip write files of parts\n", render.Printable(args[0]))
			}
			var text []byte
			for i := range all {
				line, err := json.Marshal(&all[i])
				if err != nil {
					return err
				}
				text = append(append(text, line...), '\n')
			}
			if out == "" || out == "-" {
				_, err := std.out.Write(text)
				return err
			}
			to, err := std.create(out)
			if err != nil {
				return err
			}
			if _, err := to.Write(text); err != nil {
				to.Abort()
				return err
			}
			return to.Commit()
		},
	}
	r.splitFlags(cmd)
	numberVar(cmd.Flags(), &n, "splits", "n", 0, "how many `SPLITS`")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write `FILE` instead of the standard output")
	return cmd
}

func newIndex(std *streams) *cobra.Command {
	r := reading{limit: -1}
	every := size(splits.Every)
	cmd := &cobra.Command{
		Use:   "index [-f FORMAT] FILE",
		Short: "Write a file's index, with which any part of it is found at once",
		Example: `  dfaparse index -f csv big.csv
  dfaparse parse -f csv --rows 90000000:90000010 big.csv`,
		Long: `Index reads a file once and writes FILE.dfai beside it: where records begin,
every so many bytes. With it "parse --rows", "parse --line" and "split" read
what they need, not the file from its beginning. An index of a file that has
changed since is refused.`,
		Args: arguments(1, 1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if every < 1 {
				return usagef("--every 0: want 1 or more")
			}
			if input.IsURL(args[0]) {
				return usagef("%s: an index stands beside its file, which has to be a local one", args[0])
			}
			f, err := r.splitting(cmd.Context(), args[0], std)
			if err != nil {
				return err
			}
			defer f.Close()
			x, err := f.Survey(int64(every))
			if err != nil {
				return err
			}
			return splits.WriteIndex(x, args[0]+splits.Extension)
		},
	}
	r.splitFlags(cmd)
	cmd.Flags().Var(&every, "every", "bytes between checkpoints, at least")
	return cmd
}

// ranged are the flags that say which part of a file to read.
type ranged struct {
	split  string
	rows   string
	line   int64
	record int64
}

func (g *ranged) flags(f *pflag.FlagSet) {
	f.StringVar(&g.split, "split", "", "only the split that `FILE` holds; of several, the K-th: FILE:K; or K/N: the K-th of N that are made now")
	f.StringVar(&g.rows, "rows", "", "only the records `A:B`, from 1 and with both; A: for all from A on (at once in a file with an index)")
	f.Var(ordinal{number[int64]{&g.line}}, "line", "from the record on that line `N` is of")
	f.Var(ordinal{number[int64]{&g.record}}, "at-record", "from record `N` on")
}

// apply makes j read the part that is asked for.
func (g *ranged) apply(j *job) error {
	asked := ""
	for _, f := range []struct {
		name  string
		given bool
	}{{"split", g.split != ""}, {"rows", g.rows != ""}, {"line", g.line > 0}, {"at-record", g.record > 0}} {
		switch {
		case !f.given:
		case asked != "":
			return usagef("--%s and --%s: one says which part to read", asked, f.name)
		default:
			asked = f.name
		}
	}
	if asked == "" {
		return nil
	}
	if len(j.paths) != 1 || j.paths[0] == "-" {
		return usagef("--%s is of one file: name it", asked)
	}
	if j.std.encoding != "" {
		return usagef("--%s: the file is in %s; parts are of files in UTF-8", asked, j.std.encoding)
	}
	j.chosen.rows = 0
	f, err := splits.OpenFile(j.ctx, j.paths[0], j.program, j.opts...)
	if err != nil {
		return err
	}
	defer f.Close()
	var s *runtime.Split
	switch asked {
	case "split":
		s, err = splitOf(g.split, f)
	case "rows":
		from, to, perr := recordRange(g.rows)
		if perr != nil {
			return perr
		}
		s, err = f.Records(from, to)
	case "line":
		s, err = f.Line(g.line)
	case "at-record":
		s, err = f.Records(g.record, 0)
	}
	if err != nil {
		return err
	}
	if s.Count == 0 && asked != "split" {
		fmt.Fprintf(people{j.std.err}, "dfaparse: --%s: no record is there: %s has %s\n", asked, render.Printable(j.paths[0]), render.Count(s.Start.Records, "record"))
	}
	j.split, j.opts = s, append(j.opts, runtime.WithSplit(s))
	return nil
}

// recordRange are the records that A:B names; to is 0 for all from A on.
func recordRange(text string) (from, to int64, err error) {
	a, b, ok := strings.Cut(text, ":")
	if from, err = strconv.ParseInt(a, 10, 64); err == nil && !ok && from > 0 {
		return 0, 0, usagef("--rows %s: want A:B; %d:%d is the record %d alone, and --limit %d gives the first of them", text, from, from, from, from)
	}
	if err == nil && b != "" {
		to, err = strconv.ParseInt(b, 10, 64)
		if err == nil && to < from {
			err = strconv.ErrRange
		}
	}
	if err != nil || from < 1 {
		return 0, 0, usagef("--rows %s: want A:B, two numbers from 1 on, or A: for all from A on", text)
	}
	return from, to, nil
}

// splitOf is the split that --split names: K/N is made now.
func splitOf(name string, f *splits.File) (*runtime.Split, error) {
	a, b, ok := strings.Cut(name, "/")
	k, kerr := strconv.Atoi(a)
	n, nerr := strconv.Atoi(b)
	if !ok || kerr != nil || nerr != nil {
		return readSplit(name)
	}
	if k < 1 || k > n || n > mostSplits {
		return nil, usagef("--split %s: want K/N, the K-th of N, both from 1 on", name)
	}
	all, err := f.Split(n)
	if err != nil {
		return nil, err
	}
	return &all[k-1], nil
}

const mostSplits = 1 << 20

// readSplit is the split that a file holds.
func readSplit(name string) (*runtime.Split, error) {
	number := 0
	data, err := os.ReadFile(name)
	if at := strings.LastIndexByte(name, ':'); err != nil && at > 0 {
		if k, kerr := strconv.Atoi(name[at+1:]); kerr == nil {
			name, number = name[:at], k
			data, err = os.ReadFile(name)
		}
	}
	if err != nil {
		return nil, input.PathError(err)
	}
	var found *runtime.Split
	n := 0
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if n++; number > 0 && n != number {
			continue
		}
		found = new(runtime.Split)
		if err := json.Unmarshal(lines.Bytes(), found); err != nil {
			return nil, fmt.Errorf("%s: line %d is no split: %w", name, n, err)
		}
	}
	switch {
	case number == 0 && n > 1:
		return nil, usagef("--split %s: it holds %d splits: say which, as %s:1", name, n, name)
	case found == nil && number > 0:
		return nil, usagef("--split %s:%d: it holds %d splits", name, number, n)
	case found == nil:
		return nil, fmt.Errorf("%s holds no split", name)
	}
	return found, nil
}
