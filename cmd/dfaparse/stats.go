package main

import (
	"fmt"
	"io"
	"time"
)

// printStats prints what a run counted, and how fast it was.
func printStats(w io.Writer, j *job) {
	took := time.Since(j.began)
	s := j.total
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("format", "%s", j.program.Name)
	line("input", "%d bytes, %s", s.Bytes, plural(int64(len(j.paths)), "file"))
	line("records", "%d", s.Records)
	line("rows", "%d in %s", s.Rows, batches(s.Batches))
	line("rejected", "%s", plural(s.Rejected, "record"))
	line("nulled", "%s", plural(s.Nulled, "field"))
	line("replaced", "%s of invalid UTF-8", plural(s.Replaced, "byte"))
	line("partitions", "%d", s.Partitions)
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
