package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// Reading is a Reader that has been read to its end, or failed, for Unaccounted.
type Reading struct {
	Program *dfa.Program
	In      []byte // all that there was to read; nil: unknown, or the input failed
	Stats   runtime.Stats
	Rejects []*runtime.Reject // all of them
	Err     error

	Skip, Limit, SkipLines int64 // options of the Reader; -1: no limit
}

// Unaccounted holds the account of a run against the input, read one record
// at a time as the automaton means it. It is the first difference in words, ""
// if there is none.
func (r *Reading) Unaccounted() string {
	s, a := &r.Stats, &r.Stats.Account
	failed := int64(0)
	var parse *runtime.ParseError
	if errors.As(r.Err, &parse) && parse.Record > 0 && !errors.Is(r.Err, runtime.ErrTooManyRejects) {
		failed = 1
	}
	switch {
	case a.Bytes() != s.Bytes:
		return fmt.Sprintf("%d bytes were read, %d of them are in %+v", s.Bytes, a.Bytes(), *a)
	case a.Delivered.Records != s.Rows:
		return fmt.Sprintf("%d rows, and %d records delivered", s.Rows, a.Delivered.Records)
	case a.Rejected.Records != s.Rejected:
		return fmt.Sprintf("%d rejected, and %d in the account", s.Rejected, a.Rejected.Records)
	case a.Delivered.Records+a.Rejected.Records+a.Skipped.Records+failed != s.Records:
		return fmt.Sprintf("%d records, but %+v, and %d failed", s.Records, *a, failed)
	case (s.FirstReplaced != nil) != (s.Replaced > 0) || (s.FirstSurplus != nil) != (s.SurplusFields > 0):
		return fmt.Sprintf("counted without a first, or the other way round: %+v", *s)
	}
	if r.In == nil {
		return ""
	}
	if want, lines, ok := r.expect(); ok && (want != *a || lines != s.RejectedLines) {
		return fmt.Sprintf("account %+v, %d lines rejected; want %+v, %d", *a, s.RejectedLines, want, lines)
	}
	return ""
}

// expect is the account that r must have, and the lines rejected; ok is false if
// the error does not say where the reading ended.
func (r *Reading) expect() (a runtime.Account, lines int64, ok bool) {
	in, binary := r.In, len(r.Program.Cells) > 0
	if preface := r.Program.Preface; binary && (len(in) < preface || !bytes.HasPrefix(in, []byte(r.Program.Magic))) {
		return a, 0, false
	}
	if mark := []byte("\xEF\xBB\xBF"); !binary && bytes.HasPrefix(in, mark) {
		a.Mark, in = int64(len(mark)), in[len(mark):]
	}
	var parse *runtime.ParseError
	stopAt := int64(-1) // a directive that was refused
	switch {
	case r.Err == nil:
	case !errors.As(r.Err, &parse):
		return a, 0, false
	case errors.Is(r.Err, runtime.ErrDirective):
		stopAt = parse.Offset
	}
	rejected := map[int64]bool{}
	for _, x := range r.Rejects {
		if !x.FieldOnly {
			rejected[x.Start] = true
		}
	}
	a.Header, in = r.preamble(in)
	before := a.Mark + a.Header.Bytes
	header := r.Program.Header.Records()
	tooMany := errors.Is(r.Err, runtime.ErrTooManyRejects) && r.Stats.Bytes < int64(len(r.In)) // else it was found at the end
	data, over := int64(0), r.Limit == 0 && header == 0 && (len(r.Program.Columns) > 0 || r.Program.Dynamic())
	next := 0 // where the next record begins
	r.Program.Automaton.Walk(in, r.Program.Automaton.Start, func(rec *dfa.RawRecord) bool {
		start, n := before+int64(rec.Start), int64(rec.Next-rec.Start)
		if over = over || start == stopAt || r.Limit == 0 && header == 0 && rec.Kind == dfa.DataRecord; over {
			return false
		}
		switch {
		case rec.Kind >= dfa.FirstDirective:
			a.Directives.Add(1, n)
		case rec.Kind != dfa.DataRecord:
			a.Dropped.Add(1, n)
		case header > 0:
			header--
			a.Header.Add(1, n)
			over = header == 0 && r.Limit == 0
		case data < r.Skip:
			data++
			a.Skipped.Add(1, n)
		case rejected[start]:
			a.Rejected.Add(1, n)
			lines += r.lines(in[rec.Start:rec.Next])
			over = tooMany && a.Rejected.Records == int64(len(rejected))
		case parse != nil && parse.Record > 0 && a.Delivered.Records == r.Stats.Rows && !errors.Is(r.Err, runtime.ErrTooManyRejects):
			over = true // this is the record that ended the reading
			return false
		default:
			a.Delivered.Add(1, n)
			over = r.Limit > 0 && a.Delivered.Records == r.Limit
		}
		next = rec.Next
		return !over
	})
	if !over {
		a.Tail = int64(len(in) - next)
	}
	return a, lines, true
}

// preamble is the lines passed over at the head of in, and what follows them.
func (r *Reading) preamble(in []byte) (passed runtime.Extent, rest []byte) {
	if n := r.Program.Preface; n > 0 {
		return runtime.Extent{Records: 1, Bytes: int64(n)}, in[n:]
	}
	cr := r.Program.LinesEndAtCR()
	pass := func() {
		n := 0
		for n < len(in) && in[n] != '\n' && !(cr && in[n] == '\r') {
			n++
		}
		if cr && bytes.HasPrefix(in[n:], []byte("\r\n")) {
			n++
		}
		if n = min(n+1, len(in)); n > 0 {
			passed.Add(1, int64(n))
		}
		in = in[n:]
	}
	begins := func(prefixes []string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return bytes.HasPrefix(in, []byte(p)) })
	}
	lines := func(n int) {
		for range n {
			pass()
		}
	}
	lines(int(r.SkipLines))
	for _, s := range r.Program.Skip {
		for len(s.Until) > 0 && len(in) > 0 && !begins(s.Until) || begins(s.Prefixes) {
			pass()
		}
		if len(s.Until)+len(s.Prefixes) == 0 {
			lines(s.Lines)
		}
	}
	lines(r.Program.Header.Lines())
	return passed, in
}

// lines is how many lines b is, or is part of.
func (r *Reading) lines(b []byte) (n int64) {
	if len(r.Program.Cells) > 0 {
		return 1
	}
	cr := r.Program.LinesEndAtCR()
	for i, c := range b {
		switch {
		case c == '\n' && cr && i > 0 && b[i-1] == '\r':
		case c == '\n', c == '\r' && cr, i == len(b)-1:
			n++
		}
	}
	return n
}
