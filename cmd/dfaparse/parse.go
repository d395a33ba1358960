package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/pick"
	"github.com/dfaparse/dfaparse/runtime"
)

// reading are the flags of the commands that read inputs.
type reading struct {
	format         string
	columns        []string
	limit          int64
	skip           int64
	skipLines      int64
	shape          string
	threads        int
	chunk          size
	partition      size
	maxRecord      size
	memory         memorySize
	growing        bool
	ignoreLeftOver bool
	follow         bool
	batchTime      time.Duration
	quick          bool // types may be those of the first rows
	untyped        bool // values are not looked at
	once           bool // types may be those of the first rows if all others are held against them: the run can be given up and begun again
	again          bool // it has been
	where          string
	engine         string
	device         int
	devices        string
	gpuMemory      size                           // that --sort may take of a GPU
	opening        func() (runtime.Engine, error) // waits for the device of the engine, see chooseEngine; nil: there is none
	models         *pick.Model                    // of this machine, see model
	task           pick.Reading                   // what auto chooses by
	without        error                          // why auto does without a GPU that may be quicker
	condenses      bool                           // what is written is little, whatever is read
	unread         string                         // why models are not those that are stored
	why            string                         // the engine, and why it is that
	onError        string
	utf8           string
	baseTime       string
	dialect        dialect
}

// writing are the flags that say what becomes of what was read.
type writing struct {
	together
	parted
	out        string
	to         string
	style      style
	rejects    string
	maxRejects budget
	stats      bool
	progress   string
}

const parseExamples = `  dfaparse parse data.csv
  dfaparse parse -f apache_combined -o access.parquet access.log.1.gz access.log
  dfaparse parse -f my_format.dfp --on-error reject --rejects bad.jsonl my.log
  zcat old.csv.gz | dfaparse parse --to jsonl --columns id,name
  dfaparse parse --sep ';' --decimal , --types 'zip:str' data.csv
  dfaparse parse -f apache_combined --where 'status >= 500 and size > 0' access.log
  dfaparse parse -f apache_combined --sort 'time, host desc' -o sorted.parquet access.log.1.gz access.log`

func newParse(std *streams) *cobra.Command {
	var r reading
	var w writing
	var where, order string
	var part ranged
	cmd := &cobra.Command{
		Use:     "parse [-f FORMAT] [INPUT...]",
		Short:   "Read inputs and write them as a table, JSON Lines, CSV, Arrow or Parquet",
		Example: parseExamples,
		Long: `Parse reads files, or the standard input, and writes typed columns.

Without -f it is found out what the first input is: a built-in format by its
content, or a delimited file, whose separator, quotes, header and types are
inferred from all of it. What was decided is said in a line; the flags from
--sep on say otherwise.

Inputs that are compressed (.gz .zst .bz2 .xz .lz4, recognised by their first
bytes) are decompressed. Several inputs are read as one, in their order, and
must have the same columns, in any order, unless --union says otherwise. A
folder stands for the files in it and in those in it, a pattern in quotes
('logs/**/*.csv') for the files that match, both sorted by name; archives
(.zip .tar .tar.gz …) for what is in them, of which data.zip!a.csv is one. An
output file has its name only once it is complete.`,
		Args: inputs(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := inputsOf(args)
			if err != nil {
				return err
			}
			began := time.Now()
			run := func(r reading, w writing) error {
				through, done, err := newSorted(order, where, &r, &w)
				if err != nil {
					return err
				}
				defer done()
				j, err := newJob(cmd, args, &r, &w, std, through)
				if err != nil {
					return err
				}
				j.began = began
				if err := part.apply(j); err != nil {
					return err
				}
				return j.run()
			}
			r.once = part == ranged{} && (r.limit < 0 || order != "") // a limit ends the reading, but not that of what is sorted
			return onceOrAgain(run, r, w)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	formatFlag(cmd, &r.format, foundOut)
	r.dialect.flags(cmd, true)
	f.StringVarP(&w.out, "output", "o", "", "write `FILE`: .arrow .arrows .parquet .csv .tsv .jsonl; text compressed with .gz or .zst behind it")
	w.together.flags(f)
	toFlag(cmd, &w.to, "form of output: "+strings.Join(output.Kinds(), ", ")+" (default: by the extension of -o; else table on a terminal, jsonl elsewhere)")
	w.parted.flags(f)
	w.style.flags(f)
	r.selection(f)
	whereFlag(f, &where)
	sortFlag(f, &order)
	f.Var(&r.gpuMemory, "device-memory", "most memory of a GPU that --sort may take (default: seven eighths of what is free)")
	numberVar(f, &r.limit, "limit", "", -1, "stop after `N` rows")
	f.Lookup("limit").DefValue = "0" // -1 is no number to show
	part.flags(f)
	r.execution(f)
	r.tolerance(f)
	followFlag(f, &r.follow)
	w.account(f)
	return cmd
}

// onceOrAgain runs a command, and runs it again if it was given up because the types of the first
// rows, by which it read, are not those of all.
func onceOrAgain(run func(reading, writing) error, r reading, w writing) error {
	err := run(r, w)
	if err == errBeginAgain {
		r.again = true
		err = run(r, w)
	}
	return err
}

func newHead(std *streams) *cobra.Command {
	var r reading
	w := writing{maxRejects: anyNumber, progress: "never"}
	cmd := &cobra.Command{
		Use:   "head [-f FORMAT] [INPUT...]",
		Short: "Show the first rows as a table",
		Args:  inputs(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := inputsOf(args)
			if err != nil {
				return err
			}
			if w.to == "" {
				w.to = "table"
			}
			r.quick = r.limit <= quickRows
			j, err := newJob(cmd, args, &r, &w, std, nil)
			if err != nil {
				return err
			}
			return j.run()
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	formatFlag(cmd, &r.format, foundOut)
	r.dialect.flags(cmd, true)
	numberVar(f, &r.limit, "rows", "n", 10, "how many `ROWS`")
	toFlag(cmd, &w.to, "form of output: "+strings.Join(output.Kinds(), ", ")+" (default: table)")
	w.together.flags(f)
	r.selection(f)
	r.tolerance(f)
	followFlag(f, &r.follow)
	r.engine, r.threads = "auto", 1
	return cmd
}

// quickRows is up to how many rows a look at them should not take long.
const quickRows = 1000

func toFlag(cmd *cobra.Command, to *string, usage string) {
	cmd.Flags().StringVar(to, "to", "", usage)
}

func (r *reading) selection(f *pflag.FlagSet) {
	f.StringSliceVar(&r.columns, "columns", nil, "only the columns `A,B,...`, in this order")
	numberVar(f, &r.skip, "skip", "", 0, "pass over the first `N` records")
	skipLinesFlag(f, &r.skipLines)
	shapeFlag(f, &r.shape)
}

func skipLinesFlag(f *pflag.FlagSet, n *int64) {
	numberVar(f, n, "skip-lines", "", 0, "pass over the first `N` lines of each input, whatever they hold, before the header")
}

func shapeFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "shape", "", "only the records of the shape `NAME`, of a format that has several")
}

func (r *reading) execution(f *pflag.FlagSet) {
	numberVar(f, &r.threads, "threads", "", 0, "workers (default 0: all cores)")
	f.Var(&r.chunk, "chunk", "bytes that one worker reads at once (default 256KiB)")
	f.Var(&r.partition, "partition", "bytes held at once (default: 4 chunks a worker, up to 64MiB)")
	f.StringVar(&r.engine, "engine", "auto", "auto, "+strings.Join(knownEngines, ", "))
	numberVar(f, &r.device, "device", "", 0, "the GPU of the engine gpu: its `NUMBER` in \"dfaparse devices\"")
	f.StringVar(&r.devices, "devices", "", "several GPUs of the engine gpu, which read each input together: `N,N,...`, or all")
}

func (r *reading) tolerance(f *pflag.FlagSet) {
	f.StringVar(&r.onError, "on-error", "", "what becomes of records that cannot be read: "+strings.Join(namesOf(dfa.ErrorModes()), ", ")+" (default: as the format says)")
	f.StringVar(&r.utf8, "utf8", "", "what becomes of invalid UTF-8: "+strings.Join(namesOf(dfa.UTF8Policies()), ", ")+" (default: as the format says)")
	f.Var(&r.maxRecord, "max-record", "longest record in bytes (default: as the format says, else 256MiB)")
	f.Var(&r.memory, "memory", "most memory that the run may take, 64MiB or more; what does not fit is an error (default: GOMEMLIMIT, else any)")
	f.BoolVar(&r.growing, "growing", false, "of files that get longer meanwhile read what they have at first, up to the last line end")
	f.BoolVar(&r.ignoreLeftOver, "ignore-left-over", false, "of compressed inputs ignore what is left after the compressed data, and say so")
	f.DurationVar(&r.batchTime, "batch-time", 100*time.Millisecond, "rows of a pipe come out so long after they came, at most; 0: when a batch is full")
	f.StringVar(&r.baseTime, "base-time", "", "`TIME` that time stamps without a year are not after (default: a day after the file was changed)")
}

// account are the flags that say what is told of the reading itself.
func (w *writing) account(f *pflag.FlagSet) {
	f.StringVar(&w.rejects, "rejects", "", "write rejected records to `FILE` as JSON Lines, by its extension as .parquet, .arrow or .arrows; where the format would fail, reject instead")
	w.maxRejects = anyNumber
	f.Var(&w.maxRejects, "max-rejects", "fail at the reject after `N`, or above `N%` of an input's records (default: any number)")
	f.Lookup("max-rejects").DefValue = "0" // -1 is no number to show
	f.BoolVar(&w.stats, "stats", false, "print counts and rates on stderr")
	f.StringVar(&w.progress, "progress", "auto", "show bytes, rate and time left on stderr: auto, always, never")
}

// namesOf are what a flag may be.
func namesOf[T fmt.Stringer](all []T) []string {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = v.String()
	}
	return texts
}

// choice is the value that a flag names.
func choice[T fmt.Stringer](flag, name string, all []T) (v T, err error) {
	texts := namesOf(all)
	i := slices.Index(texts, name)
	if i < 0 {
		last := len(texts) - 1
		return v, usagef("--%s %s: want %s or %s", flag, name, strings.Join(texts[:last], ", "), texts[last])
	}
	return all[i], nil
}

// options are the reader's options that the flags ask for, but for the engine.
func (r *reading) options() ([]runtime.Option, error) {
	var opts []runtime.Option
	if err := r.checkEngine(); err != nil {
		return nil, err
	}
	if r.onError != "" {
		mode, err := choice("on-error", r.onError, dfa.ErrorModes())
		if err != nil {
			return nil, err
		}
		opts = append(opts, runtime.WithErrorMode(mode))
	}
	if r.utf8 != "" {
		policy, err := choice("utf8", r.utf8, dfa.UTF8Policies())
		if err != nil {
			return nil, err
		}
		opts = append(opts, runtime.WithUTF8(policy))
	}
	if r.baseTime != "" {
		t, err := parseTime(r.baseTime)
		if err != nil {
			return nil, err
		}
		opts = append(opts, runtime.WithBaseTime(t))
	}
	for _, f := range []struct {
		name  string
		value size
		opt   func(int) runtime.Option
	}{
		{"threads", size(r.threads), runtime.WithThreads}, {"chunk", r.chunk, runtime.WithChunkSize},
		{"partition", r.partition, runtime.WithPartitionSize}, {"max-record", r.maxRecord, runtime.WithMaxRecord},
	} {
		if f.value < 0 || f.value > 1<<30 {
			return nil, usagef("--%s %s is out of range: at most 1GiB", f.name, f.value.String())
		}
		if f.value > 0 {
			opts = append(opts, f.opt(int(f.value)))
		}
	}
	for i, name := range r.columns {
		if slices.Contains(r.columns[:i], name) {
			return nil, usagef("--columns names %q twice", name)
		}
	}
	opts = append(opts, runtime.WithSkipLines(r.skipLines), runtime.WithShape(r.shape))
	if r.batchTime < 0 {
		return nil, usagef("--batch-time %v: want 0 or more", r.batchTime)
	}
	opts = append(opts, runtime.WithBatchTime(r.batchTime))
	if r.growing {
		opts = append(opts, runtime.WithGrowing())
	}
	if len(r.columns) > 0 {
		opts = append(opts, runtime.WithColumns(r.columns...))
	}
	return opts, nil
}

func parseTime(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("--base-time %s: want 2006-01-02 or 2006-01-02T15:04:05Z", s)
}

func oneOf(flag, value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return usagef("--%s %s: want %s", flag, value, strings.Join(allowed, ", "))
	}
	return nil
}
