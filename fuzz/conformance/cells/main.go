// Command cells reads files as conformance jobs say and prints what came of
// each, cell by cell, for a comparison with other readers.
//
// A job is a line of JSON on the standard input, its answer a line of JSON on
// the standard output, in any order:
//
//	{"id":7,"file":"a.csv","spec":"format t { … }","mode":"reject"}
//	{"id":7,"names":["a","b"],"rows":[["1",null]],"rejects":[{"line":3,"offset":9,"kind":"too few fields"}],"error":""}
//
// The bytes of a text are written as the code points 0 to 255, so that what is
// not UTF-8 arrives as it was. Floating-point numbers are written as their
// bits, {"bits":"3ff0000000000000"}; all other values as JSON has them.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	goruntime "runtime"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// job says what to read, and how. Where Format is given it is a built-in, else
// Spec is the text of one.
type job struct {
	ID        int    `json:"id"`
	File      string `json:"file"`
	Spec      string `json:"spec"`
	Format    string `json:"format"`
	Name      string `json:"name"` // of the format in Spec, if not the last
	Mode      string `json:"mode"`
	Engine    string `json:"engine"`
	Partition int    `json:"partition"`
}

// answer is what came of a job.
type answer struct {
	ID      int      `json:"id"`
	Names   []string `json:"names"`
	Rows    [][]any  `json:"rows"`
	Rejects []reject `json:"rejects"`
	Error   string   `json:"error"`
	Kind    string   `json:"kind"` // of the error
	Records int64    `json:"records"`
}

// bits are those of a floating-point number.
type bits struct {
	Bits string `json:"bits"` // hexadecimal, without leading zeros
}

type reject struct {
	Line   int64  `json:"line"`
	Offset int64  `json:"offset"`
	Start  int64  `json:"start"` // offset of the record
	Kind   string `json:"kind"`
	Text   string `json:"text"`
}

// baseTime stands in for the time of the file, which depends on the checkout.
var baseTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "cells:", err)
		os.Exit(1)
	}
}

func run() error {
	jobs := make(chan job)
	var wait sync.WaitGroup
	var mu sync.Mutex
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	var failed error
	for range goruntime.GOMAXPROCS(0) {
		wait.Go(func() {
			for j := range jobs {
				b, err := json.Marshal(read(j))
				mu.Lock()
				if err == nil {
					_, err = out.Write(append(b, '\n'))
				}
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	in := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	var err error
	for in.More() {
		var j job
		if err = in.Decode(&j); err != nil {
			break
		}
		jobs <- j
	}
	close(jobs)
	wait.Wait()
	return errors.Join(err, failed, out.Flush())
}

// engines are those that a job may name; it need not.
var engines = map[string]runtime.Engine{"": cpu.Engine, "cpu": cpu.Engine, "reference": reference.Engine}

func read(j job) (a answer) {
	a.ID = j.ID
	a.Rows, a.Rejects, a.Names = [][]any{}, []reject{}, []string{}
	defer func() {
		if r := recover(); r != nil { // the other jobs go on
			a.Error, a.Kind = fmt.Sprintf("panic: %v", r), "panic"
		}
	}()
	p, err := program(j)
	if err != nil {
		a.Error, a.Kind = err.Error(), "spec"
		return a
	}
	engine, ok := engines[j.Engine]
	if !ok {
		a.Error, a.Kind = fmt.Sprintf("unknown engine %q", j.Engine), "spec"
		return a
	}
	modes := dfa.ErrorModes()
	mode := slices.IndexFunc(modes, func(m dfa.ErrorMode) bool { return m.String() == j.Mode })
	if mode < 0 {
		a.Error, a.Kind = fmt.Sprintf("no mode %q", j.Mode), "spec"
		return a
	}
	opts := []runtime.Option{
		runtime.WithEngine(engine), runtime.WithErrorMode(modes[mode]), runtime.WithThreads(1), runtime.WithBaseTime(baseTime),
		runtime.WithRejectHandler(func(r *runtime.Reject) error {
			if r.FieldOnly {
				return nil // its record is a row
			}
			a.Rejects = append(a.Rejects, reject{
				Line: r.Line, Offset: r.Offset, Start: r.Start, Kind: kind(r), Text: latin1(r.ParseError.Error()),
			})
			return nil
		}),
	}
	if j.Partition > 0 {
		opts = append(opts, runtime.WithPartitionSize(j.Partition))
	}
	r, err := runtime.ReadFile(j.File, p, opts...)
	if err != nil {
		a.Error, a.Kind = latin1(err.Error()), kind(err)
		return a
	}
	defer r.Release()
	for _, f := range r.Schema().Fields() {
		a.Names = append(a.Names, latin1(f.Name))
	}
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			row := make([]any, rec.NumCols())
			for c, col := range rec.Columns() {
				switch col := col.(type) {
				case *array.String:
					if col.IsValid(i) {
						row[c] = latin1(col.Value(i))
					}
				case *array.Float64:
					if col.IsValid(i) {
						row[c] = bits{strconv.FormatUint(math.Float64bits(col.Value(i)), 16)}
					}
				case *array.Float32:
					if col.IsValid(i) {
						row[c] = bits{strconv.FormatUint(uint64(math.Float32bits(col.Value(i))), 16)}
					}
				default:
					row[c] = json.RawMessage(render.AppendJSON(nil, rec.Schema().Field(c), col, i))
				}
			}
			a.Rows = append(a.Rows, row)
		}
	}
	if err := r.Err(); err != nil {
		a.Error, a.Kind = latin1(err.Error()), kind(err)
	}
	a.Records = r.Stats().Records
	return a
}

func program(j job) (*dfa.Program, error) {
	if j.Format != "" {
		return formats.Program(j.Format)
	}
	made, _ := compiled.LoadOrStore(j.Name+"\x00"+j.Spec, sync.OnceValues(func() (*dfa.Program, error) {
		spec, err := compile.Compile("job", []byte(j.Spec), compile.WithResolver(formats.Resolve), compile.WithFormat(j.Name))
		if err != nil {
			return nil, err
		}
		return spec.Program, nil
	}))
	return made.(func() (*dfa.Program, error))()
}

// compiled has the Programs of specs: many files are written alike.
var compiled sync.Map

// kind is the sort of error in few words, which the message says in more.
func kind(err error) string {
	var r *runtime.Reject
	if errors.As(err, &r) {
		err = &r.ParseError
	}
	var p *runtime.ParseError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	if errors.Is(err, runtime.ErrForeign) {
		return "foreign"
	}
	return "input"
}

// latin1 makes a code point of every byte.
func latin1(s string) string {
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii {
		return s
	}
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}
