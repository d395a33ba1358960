package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
)

// rejectLog remembers the first reject of each kind, and writes them all to a file
// if there is one.
type rejectLog struct {
	mu     sync.Mutex
	file   *output.File
	to     rejectWriter        // nil: there is no file
	places input.OwnPlaces     // of what goes into it
	record *runtime.ParseError // the first that was left out
	field  *runtime.ParseError // the first that was made null
}

// newRejectLog begins the log in the file path, "" for none.
func newRejectLog(ctx context.Context, std *streams, path string) (*rejectLog, error) {
	l := &rejectLog{places: std.ownPlaces(ctx)}
	if path == "" {
		return l, nil
	}
	var err error
	if l.file, err = std.create(path); err != nil {
		return nil, err
	}
	switch kind, _ := output.KindOf(path); kind {
	case "parquet", "arrow", "arrows":
		if l.to, err = newRejectTable(kind, l.file, l.file.Dir()); err != nil {
			l.file.Abort()
			return nil, err
		}
	default:
		l.to = &rejectLines{buffer: bufio.NewWriter(l.file)}
	}
	return l, nil
}

// rejectLines writes rejects as lines of JSON.
type rejectLines struct {
	buffer *bufio.Writer
	line   []byte
}

func (l *rejectLines) add(r *runtime.Reject) error {
	l.line = appendReject(l.line[:0], r)
	_, err := l.buffer.Write(l.line)
	return err
}

func (l *rejectLines) close() error { return l.buffer.Flush() }
func (l *rejectLines) abort()       {}

// add is a handler of rejects.
func (l *rejectLog) add(r *runtime.Reject) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := &l.record
	if r.FieldOnly {
		first = &l.field
	}
	if *first == nil {
		own := r.ParseError
		*first = &own
	}
	if l.to == nil {
		return nil
	}
	own := *r
	l.places.Place(r.File, r.Start, &own.Offset, &own.Column)
	return l.failure(l.to.add(&own))
}

// failure is an error of the file. That the reader of rejects has gone away is
// none of those that nobody wants to hear of.
func (l *rejectLog) failure(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--rejects: %v", input.Pathless(err))
}

// appendReject appends a reject as a line of JSON. The record is "raw" where it
// is UTF-8, else "raw_base64"; a field that was made null has "nulled":true.
func appendReject(dst []byte, r *runtime.Reject) []byte {
	key := func(name string) {
		if name != "file" {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"', ':')
	}
	text := func(name, value string) {
		key(name)
		dst = render.AppendQuoted(dst, value)
	}
	number := func(name string, value int64) {
		key(name)
		dst = strconv.AppendInt(dst, value, 10)
	}
	dst = append(dst, '{')
	text("file", r.File)
	number("offset", r.Offset)
	number("line", r.Line)
	number("column", r.Column)
	number("record", r.Record)
	number("lines", r.Lines)
	text("field", r.Field)
	text("error", r.Detail)
	text("state", r.State)
	text("expected", r.Expected)
	if utf8.Valid(r.Raw) {
		text("raw", string(r.Raw))
	} else {
		text("raw_base64", base64.StdEncoding.EncodeToString(r.Raw))
	}
	if r.FieldOnly {
		dst = append(dst, `,"nulled":true`...)
	}
	return append(dst, '}', '\n')
}

// close completes the file, or gives it up. After a failure of the reading it
// is completed too: it may say what to do about the failure.
func (l *rejectLog) close(abort bool) error {
	l.places.Close()
	if l.file == nil {
		return nil
	}
	if abort {
		l.to.abort()
		l.file.Abort()
		return nil
	}
	if err := l.to.close(); err != nil {
		l.file.Abort()
		return l.failure(err)
	}
	return l.failure(l.file.Commit())
}

// report says on w what was left out, changed or dropped, if anything was; s
// are the counts of the whole run.
func (l *rejectLog) report(w io.Writer, s *runtime.Stats) {
	if n := s.Rejected; n > 0 {
		lines := ""
		if s.RejectedLines > n {
			lines = fmt.Sprintf(" (%s lines)", render.Grouped(s.RejectedLines))
		}
		fmt.Fprintf(w, "dfaparse: %s rejected%s; the first: %s\n", render.Count(n, "record"), lines, l.record)
	}
	if n := s.Nulled; n > 0 {
		fmt.Fprintf(w, "dfaparse: %s made null; the first: %s\n", render.Count(n, "field"), l.field)
	}
	if n := s.SurplusFields; n > 0 {
		fmt.Fprintf(w, "dfaparse: %s of %s dropped, for which there is no column; the first: %s\n",
			render.Count(n, "surplus field"), render.Count(s.SurplusRecords, "record"), s.FirstSurplus)
	}
	if n := s.Replaced; n > 0 {
		fmt.Fprintf(w, "dfaparse: %s of invalid UTF-8 replaced; the first in: %s\n", render.Count(n, "byte"), s.FirstReplaced)
	}
}
