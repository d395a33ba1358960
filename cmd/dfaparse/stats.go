package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
)

// printStats prints what a run counted, and how fast it was.
func printStats(w io.Writer, j *job) {
	took := time.Since(j.began)
	s := j.total
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("format", "%s", j.program.Name)
	line("input", "%d bytes, %s", s.Bytes, render.Count(int64(len(j.paths)), "file"))
	if j.passed > 0 {
		line("not read", "%s, for the folders that --where wants", render.Count(int64(j.passed), "file"))
	}
	line("engine", "%s", j.r.why)
	if j.grouped != "" {
		line("grouped", "%s", strings.TrimPrefix(j.grouped, "grouped "))
	}
	if j.sorted != "" {
		line("sorted", "%s", j.sorted)
	}
	line("records", "%d", s.Records)
	line("rows", "%d in %s", s.Rows, batches(s.Batches))
	line("rejected", "%s, %s", render.Count(s.Rejected, "record"), render.Count(s.RejectedLines, "line"))
	line("nulled", "%s", render.Count(s.Nulled, "field"))
	line("surplus", "%s of %s dropped", render.Count(s.SurplusFields, "field"), render.Count(s.SurplusRecords, "record"))
	line("replaced", "%s of invalid UTF-8", render.Count(s.Replaced, "byte"))
	printAccount(line, s, j.r.shape)
	line("partitions", "%d", s.Partitions)
	if e, ok := j.engine.(starter); ok {
		for i, text := range e.Start() {
			line([]string{"gpu start", ""}[min(i, 1)], "%s", text)
		}
	}
	if e, ok := j.engine.(keeper); ok {
		for i, text := range e.Memory() {
			line([]string{"gpu memory", ""}[min(i, 1)], "%s", text)
		}
	}
	line("elapsed", "%s", took.Round(time.Millisecond))
	if sec := took.Seconds(); sec > 0 {
		line("rate", "%.1f MB/s, %.2f million rows/s", float64(s.Bytes)/1e6/sec, float64(s.Rows)/1e6/sec)
	}
}

func batches(n int64) string {
	if n == 1 {
		return "1 batch"
	}
	return fmt.Sprintf("%d batches", n)
}

// printAccount prints what became of the bytes that were read, as far as there
// are any, and what of them is in no part if the sum is another. Of several shapes only
// those of one have been read, if shape is not "".
func printAccount(line func(name, format string, args ...any), s runtime.Stats, shape string) {
	a, name := &s.Account, "bytes"
	part := func(what string, records, nbytes int64, things string) {
		if records == 0 && nbytes == 0 {
			return
		}
		if things != "" {
			what += " " + render.Count(records, things)
		}
		line(name, "%d %s", nbytes, what)
		name = ""
	}
	part("in", a.Delivered.Records, a.Delivered.Bytes, "row")
	part("in", a.Rejected.Records, a.Rejected.Bytes, "rejected record")
	part("in", a.Skipped.Records, a.Skipped.Bytes, "skipped record")
	part("in a byte order mark", 0, a.Mark, "")
	part("at the head, in", a.Header.Records, a.Header.Bytes, "line")
	dropped := "comments and blank lines"
	if shape != "" {
		dropped = "comments, blank lines and records of other shapes than " + shape
	}
	part(fmt.Sprintf("in %s: %d", dropped, a.Dropped.Records), a.Dropped.Records, a.Dropped.Bytes, "")
	part("in", a.Directives.Records, a.Directives.Bytes, "directive")
	part("after the last record", 0, a.Tail, "")
	part("unaccounted for", 0, s.Bytes-a.Bytes(), "")
}
