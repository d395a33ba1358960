package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// dfaparse reads the file with the built-in format: into records that are all
// held, or into a Parquet file as the command writes it. To count records it
// runs the command, whose start is timed too.
func dfaparse(j *job) (*result, error) {
	if j.Job == "count" {
		return dfaparseCount(j)
	}
	p, err := gen.Program(j.Input.Format)
	if err != nil {
		return nil, err
	}
	r, err := runtime.ReadFile(j.Input.File, p, runtime.WithThreads(j.Threads), runtime.WithEngine(cpu.Engine), runtime.WithReuse())
	if err != nil {
		return nil, err
	}
	defer r.Release()
	res := &result{}
	var take func(arrow.Record) error
	finish := func() error { return nil }
	switch j.Job {
	case "memory":
		take = func(rec arrow.Record) error {
			rec.Retain()
			res.records = append(res.records, rec)
			return nil
		}
	case "parquet":
		out, err := os.Create(j.Out)
		if err != nil {
			return nil, err
		}
		defer out.Close()
		w, err := output.Open("parquet", out, r.Schema(), output.Options{Compression: j.Codec})
		if err != nil {
			return nil, err
		}
		w = output.Pipelined(w)
		take, finish = w.Write, w.Close
	}
	for r.Next() {
		if err := take(r.Record()); err != nil {
			return nil, err
		}
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	if n := r.Stats().Rejected; n > 0 {
		return nil, fmt.Errorf("%d rejects, the first: %v", n, r.Rejects()[0])
	}
	res.rows = r.Stats().Rows
	return res, finish()
}

func dfaparseCount(j *job) (*result, error) {
	cmd := exec.Command(j.Command, "count", "-f", j.Input.Format, "--engine", "cpu", "--threads", strconv.Itoa(j.Threads), j.Input.File)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	rows, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return &result{rows: rows}, err
}
