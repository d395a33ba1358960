package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/internal/bench"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
)

func newBench(std *streams) *cobra.Command {
	r := reading{limit: -1}
	var repeat int
	var sizes []string
	var asJSON, fit bool
	cmd := &cobra.Command{
		Use:   "bench [-f FORMAT | FORMAT] INPUT...",
		Short: "Measure how fast inputs are read, and where the time goes",
		Long: `Bench reads each input several times to Arrow in memory, from the file and from
memory, and lets the engine alone say what its stages take. One run comes first
that does not count; of the others the median does. GB are 10^9 bytes,
decompressed; cores are those at work on average; cycles are those of the
processor's time stamp counter. At most 1 GiB of an input is measured.

Profiles for "go tool pprof" are written with --cpuprofile FILE and
--memprofile FILE, by this and every other command.`,
		Example: `  dfaparse bench data.csv
  dfaparse bench -f apache_combined --threads 1 --columns time,status access.log
  dfaparse bench taxi --sizes 1MB,16MB,256MB --json taxi.csv
  dfaparse bench --calibrate`,
		Args: func(cmd *cobra.Command, args []string) error {
			if fit {
				return arguments(0, 0, "")(cmd, args)
			}
			return arguments(1, 1<<30, "an input")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if fit {
				if repeat < 1 {
					return usagef("--repeat %d: want 1 or more", repeat)
				}
				return calibrate(cmd.Context(), std, repeat)
			}
			if r.format == "" {
				r.format, args = leadingFormat(args)
			}
			args, err := expanded(args)
			if err != nil {
				return err
			}
			if err := r.chooseEngine("none", args, std); err != nil {
				return err
			}
			j := &benchJob{cmd: cmd, std: std, r: &r, asJSON: asJSON, set: bench.Settings{Repeat: repeat}}
			if err := j.prepare(args, sizes); err != nil {
				return err
			}
			return j.run(args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	formatFlag(cmd, &r.format, "default: by extension, .csv and .tsv")
	numberVar(f, &repeat, "repeat", "", 5, "runs that count")
	f.StringSliceVar(&sizes, "sizes", nil, "measure the first `1MB,16MB,...` of each input, up to the end of a record: a line a size")
	f.BoolVar(&fit, "calibrate", false, "measure the engines with generated files, for a minute or two, and store by what \"auto\" chooses one on this machine")
	f.BoolVar(&asJSON, "json", false, "as JSON Lines, an input a line")
	f.StringSliceVar(&r.columns, "columns", nil, "only the columns `A,B,...`")
	skipLinesFlag(f, &r.skipLines)
	r.execution(f)
	r.tolerance(f)
	return cmd
}

// leadingFormat takes the format from the front of the arguments, if it stands
// there: a spec, a Program, or the name of a format that no file has.
func leadingFormat(args []string) (format string, inputs []string) {
	if len(args) < 2 {
		return "", args
	}
	switch filepath.Ext(args[0]) {
	case ".dfp", ".dfac":
		return args[0], args[1:]
	}
	if _, err := os.Stat(args[0]); errors.Is(err, fs.ErrNotExist) {
		if _, err := gen.Find(args[0]); err == nil {
			return args[0], args[1:]
		}
	}
	return "", args
}

// benchJob is one run of bench.
type benchJob struct {
	cmd    *cobra.Command
	std    *streams
	r      *reading
	asJSON bool
	set    bench.Settings
}

// prepare checks the flags and compiles the format.
func (j *benchJob) prepare(paths, sizes []string) (err error) {
	if j.set.Repeat < 1 {
		return usagef("--repeat %d: want 1 or more", j.set.Repeat)
	}
	if err := checkInputs(paths); err != nil {
		return err
	}
	for _, text := range sizes {
		var s size
		if err := s.Set(text); err != nil {
			return usagef("--sizes: %v", err)
		}
		if s < 1 || s > runtime.MaxMeasured {
			return usagef("--sizes %s: want 1 to 1GiB", text)
		}
		j.set.Sizes = append(j.set.Sizes, int64(s))
	}
	if j.set.Options, err = j.r.options(); err != nil {
		return err
	}
	j.set.Threads = j.r.threads
	if j.set.Threads == 0 {
		j.set.Threads = goruntime.GOMAXPROCS(0)
	}
	if j.set.Program, err = programFor(j.cmd.Context(), j.r.format, paths, j.std); err != nil {
		return err
	}
	if j.set.Program, err = j.std.decodeFor(j.set.Program); err != nil {
		return err
	}
	j.set.Engine, err = j.r.chosenEngine(j.set.Program)
	return err
}

// run measures one input after the other.
func (j *benchJob) run(paths []string) error {
	rejected := int64(0)
	for i, path := range paths {
		report, err := j.measure(path)
		if err != nil {
			return err
		}
		for _, s := range report.Samples {
			rejected = max(rejected, s.Rejected)
		}
		if i > 0 && !j.asJSON {
			fmt.Fprintln(j.std.out)
		}
		if err := j.print(report); err != nil {
			return err
		}
	}
	if rejected > 0 {
		return &rejectedError{rejected}
	}
	return nil
}

func (j *benchJob) print(report *bench.Report) error {
	if j.asJSON {
		return json.NewEncoder(j.std.out).Encode(report)
	}
	return bench.Print(j.std.out, report, bench.Style{
		Color: isTerminal(j.std.out) && tableOptions(j.std.out).Color,
		Sizes: j.set.Sizes != nil,
	})
}

// measure measures one input.
func (j *benchJob) measure(path string) (*bench.Report, error) {
	open := func() (*input.Input, error) { return openInput(j.cmd.Context(), path, j.std, nil) }
	probe, err := open()
	if err != nil {
		return nil, err
	}
	in := &bench.Input{Name: probe.Name, Once: path == "-"}
	if probe.Plain != nil && path != "-" {
		in.Path = path
	}
	in.Open = func() (io.ReadCloser, error) {
		first := probe
		probe = nil
		if first == nil {
			var err error
			if first, err = open(); err != nil {
				return nil, err
			}
		}
		return opened{first}, nil
	}
	set := j.set
	set.Options = append([]runtime.Option{
		runtime.WithContext(j.cmd.Context()), runtime.WithName(probe.Name),
		runtime.WithRejectHandler(func(*runtime.Reject) error { return nil }), runtime.WithRejectDetails(1), runtime.WithReuse(),
	}, set.Options...)
	if j.r.baseTime == "" && !probe.Changed.IsZero() {
		set.Options = append(set.Options, runtime.WithBaseTime(probe.Changed.Add(runtime.BaseTimeSlack)))
	}
	report, err := bench.Run(in, &set)
	if err == nil {
		return report, nil
	}
	if again, openErr := reopen(path, open); openErr == nil {
		defer again.Close()
		err = (&job{ctx: j.cmd.Context(), std: j.std, r: j.r, program: set.Program}).readError(again, err)
	}
	return nil, err
}

// opened is an input that can be sought where its Reader can.
type opened struct{ *input.Input }

func (o opened) Seek(offset int64, whence int) (int64, error) {
	if s, ok := o.Reader.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, errors.ErrUnsupported
}

// reopen opens an input that can be opened again, to show a place in it.
func reopen(path string, open func() (*input.Input, error)) (*input.Input, error) {
	if path == "-" {
		return &input.Input{Reader: strings.NewReader(""), Name: "stdin"}, nil
	}
	return open()
}
