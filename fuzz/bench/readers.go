package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"regexp"
	goruntime "runtime"
	"runtime/pprof"

	"github.com/apache/arrow/go/v17/arrow"
	arrowcsv "github.com/apache/arrow/go/v17/arrow/csv"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func inputs() []input {
	list := []input{
		{name: "taxi", format: "taxi"},
		{name: "yelp", format: "yelp"},
		{name: "lineitem", format: "lineitem"},
		{name: "combined", format: "apache_combined"},
	}
	for i := range list {
		in := &list[i]
		in.contenders = []contender{{"dfaparse", 1, dfaparse(in.format, 1)}}
		if n := goruntime.NumCPU(); n > 1 {
			in.contenders = append(in.contenders, contender{"dfaparse", n, dfaparse(in.format, n)})
		}
		switch in.name {
		case "taxi", "yelp":
			in.contenders = append(in.contenders,
				contender{"encoding/csv, strings only", 1, encodingCSV(',')}, contender{"arrow/go csv", 1, arrowCSV(in.format, ',', true)})
		case "lineitem":
			in.contenders = append(in.contenders,
				contender{"encoding/csv, strings only", 1, encodingCSV('|')}, contender{"arrow/go csv", 1, arrowCSV(in.format, '|', false)})
		case "combined":
			in.contenders = append(in.contenders, contender{"regexp, nine captures, strings only", 1, goRegexp})
		}
	}
	return list
}

// dfaparse reads with a built-in format.
func dfaparse(format string, threads int) func([]byte) (int64, error) {
	return func(in []byte) (int64, error) {
		p, err := gen.Program(format)
		if err != nil {
			return 0, err
		}
		r, err := runtime.ReadBytes(in, p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(threads), runtime.WithReuse())
		if err != nil {
			return 0, err
		}
		defer r.Release()
		for r.Next() {
		}
		if r.Stats().Rejected > 0 {
			return 0, fmt.Errorf("%d rejects, the first: %v", r.Stats().Rejected, r.Rejects()[0])
		}
		return r.Stats().Rows, r.Err()
	}
}

// encodingCSV is the standard library's reader, which converts nothing. Of a
// comma-separated input the header does not count.
func encodingCSV(comma rune) func([]byte) (int64, error) {
	return func(in []byte) (int64, error) {
		r := csv.NewReader(bytes.NewReader(in))
		r.Comma, r.ReuseRecord = comma, true
		n := int64(0)
		for {
			_, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				return n, err
			}
			n++
		}
		if comma == ',' {
			n--
		}
		return n, nil
	}
}

// arrowCSV is the CSV reader of arrow/go, with the same schema.
func arrowCSV(format string, comma rune, header bool) func([]byte) (int64, error) {
	return func(in []byte) (int64, error) {
		p, err := gen.Program(format)
		if err != nil {
			return 0, err
		}
		own, err := runtime.NewReader(bytes.NewReader(in[:min(len(in), 1<<16)]), p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1))
		if err != nil {
			return 0, err
		}
		schema := own.Schema()
		own.Release()
		if !header { // there is one more field, after the last separator
			schema = arrow.NewSchema(append(schema.Fields(), arrow.Field{Name: "_", Type: arrow.BinaryTypes.String, Nullable: true}), nil)
		}
		r := arrowcsv.NewReader(bytes.NewReader(in), schema, arrowcsv.WithComma(comma), arrowcsv.WithHeader(header), arrowcsv.WithChunk(64<<10))
		defer r.Release()
		n := int64(0)
		for r.Next() {
			n += r.Record().NumRows()
		}
		return n, r.Err()
	}
}

var combined = regexp.MustCompile(`^(\S+) (\S+) (\S+) \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\S+) (\S+) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"`)

// goRegexp is the regular expression that a Go program would use, line by line.
func goRegexp(in []byte) (int64, error) {
	n := int64(0)
	for len(in) > 0 {
		line := in
		if i := bytes.IndexByte(in, '\n'); i >= 0 {
			line, in = in[:i], in[i+1:]
		} else {
			in = nil
		}
		if m := combined.FindSubmatchIndex(line); m == nil {
			return n, fmt.Errorf("no match: %q", line)
		}
		n++
	}
	return n, nil
}

// profiled runs dfaparse alone on one core under the profiler.
func profiled(file string, in input, data []byte, runs int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	in.contenders = in.contenders[:1]
	return measure(os.Stdout, in, data, runs)
}
