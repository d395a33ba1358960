package discover

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/render"
)

// This file is about footers of inputs whose end nobody has seen before they are read: pipes, and
// what is compressed. What may be one is held back until a record follows, or the input ends.

// EndsLate reports whether a footer may stand at the end of an input whose beginning alone was
// looked at, and is left out by LeaveOut. read says that the types of all of it were looked at.
func (f *Found) EndsLate(t *infer.Table, read bool) bool {
	return !f.Whole && !f.endless && f.file == "" && (f.Once || !read) && t.Foot == 0 && t.MayHaveFooter()
}

// LeaveOut lets in end before its footer, if it has one. lines gives how many lines were left out,
// once in has been read.
func LeaveOut(in *input.Input, t *infer.Table) (lines func() int) {
	return leaveOutOf(in, t, func() { t.Totals = true })
}

func leaveOutOf(in *input.Input, t *infer.Table, totals func()) (lines func() int) {
	e := &ending{in: in.Reader, table: t, totals: totals, from: t.RecordsFrom()}
	in.Reader, in.Plain = e, nil
	return func() int { return e.left }
}

// OwnEnds are the footers of several inputs of a table, each of which may have one, with other words in
// it. All methods do nothing where there is no *OwnEnds.
type OwnEnds struct {
	table *infer.Table
	skip  int64 // lines before each

	mu     sync.Mutex
	open   map[*input.Input]func() int
	inputs int
	lines  int64
}

// NewOwnEnds is nil where the end of a table is no matter of each input. skip lines before each are passed
// over, as somebody has said.
func NewOwnEnds(t *infer.Table, skip int64) *OwnEnds {
	if t.OwnEnds == nil {
		return nil
	}
	return &OwnEnds{table: t, skip: skip, open: map[*input.Input]func() int{}}
}

// LeaveOut lets in end before its footer, if it has one.
func (o *OwnEnds) LeaveOut(in *input.Input) {
	if o == nil {
		return
	}
	lines := o.leaveOut(in)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open[in] = lines
}

func (o *OwnEnds) leaveOut(in *input.Input) (lines func() int) {
	if in.Plain == nil {
		return leaveOutOf(in, o.table, o.totals)
	}
	none := func() int { return 0 }
	info, err := in.Plain.Stat()
	if err != nil || info.Size() <= in.Base {
		return none // whoever reads it will say so
	}
	size := info.Size() - in.Base
	end := make([]byte, min(size, endBytes))
	if _, err := in.Plain.ReadAt(end, in.Base+size-int64(len(end))); err != nil {
		return none
	}
	skip := int64(1) // which is cut off
	if size <= endBytes {
		skip = o.skip + int64(o.table.Skip)
	}
	if end = skipped(end, skip); !o.table.MayEndIn(end) {
		return none
	}
	found, totals := o.table.FootersIn(end)
	if totals {
		o.totals()
	}
	if len(found) == 0 {
		return none
	}
	in.Reader = io.NewSectionReader(in.Plain, in.Base, size-int64(len(end)-found[0].At))
	in.Plain = nil
	return func() int { return found[0].Lines }
}

// totals notes that the last record of an input is likely one of totals: several may end at a time.
func (o *OwnEnds) totals() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.table.Totals = true
}

// Read notes that in has been read.
func (o *OwnEnds) Read(in *input.Input) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if lines := o.open[in]; lines != nil && lines() > 0 {
		o.inputs, o.lines = o.inputs+1, o.lines+int64(lines())
	}
	delete(o.open, in)
}

// Said says what was left out, "" if nothing was.
func (o *OwnEnds) Said() string {
	if o == nil || o.inputs == 0 {
		return ""
	}
	return fmt.Sprintf("the footers of %s were left out, %s (--lax reads them as short records)", render.Count(int64(o.inputs), "input"), render.Count(o.lines, "line"))
}

// SayEmpty says which of several inputs are empty; "" if none is.
func SayEmpty(empty []string) string {
	switch len(empty) {
	case 0:
		return ""
	case 1:
		return render.Printable(empty[0]) + " is empty, and gives no rows"
	}
	return fmt.Sprintf("%d inputs are empty, and give no rows; the first is %s", len(empty), render.Printable(empty[0]))
}

// SayLeftOut says that a footer was left out.
func SayLeftOut(lines int) string {
	return "a footer of " + render.Count(int64(lines), "line") + " was left out (--lax reads it as short records)"
}

// ending gives all of what it reads but a footer at its end.
//
//	... | endBytes, given | given only when a record follows | to be read
//	    seen              at                               upTo
type ending struct {
	in     io.Reader
	table  *infer.Table
	totals func() // called if the last record is likely one of totals
	from   int64  // bytes up to where records begin
	seen   []byte // the last of what was read
	at     int    // what of seen was given
	upTo   int    // what of it can be given
	read   int64  // all bytes up to the end of seen
	left   int    // lines that were left out
	err    error  // behind seen
}

func (e *ending) Read(p []byte) (int, error) {
	for e.at == e.upTo {
		if e.err != nil {
			return 0, e.err
		}
		e.fill()
	}
	n := copy(p, e.seen[e.at:e.upTo])
	e.at += n
	return n, nil
}

// fillBytes are read at once, at most.
const fillBytes = 256 << 10

// fill reads on.
func (e *ending) fill() {
	if e.seen == nil {
		e.seen = make([]byte, 0, 2*endBytes+fillBytes)
	}
	if len(e.seen)+fillBytes > cap(e.seen) {
		kept := copy(e.seen, e.seen[max(0, e.at-endBytes):])
		e.seen, e.at = e.seen[:kept], min(e.at, endBytes)
	}
	n, err := e.in.Read(e.seen[len(e.seen):cap(e.seen)])
	e.seen, e.read, e.err = e.seen[:len(e.seen)+n], e.read+int64(n), err
	switch {
	case err == io.EOF:
		e.end()
		e.upTo = len(e.seen)
	case err != nil:
		e.upTo = len(e.seen)
	default:
		e.upTo = e.at + e.table.Recorded(e.seen[e.at:])
		if len(e.seen)-e.upTo > endBytes {
			e.upTo = len(e.seen)
		}
	}
}

// end leaves out the footer.
func (e *ending) end() {
	if e.read <= e.from {
		return
	}
	from := max(0, len(e.seen)-endBytes, len(e.seen)-int(min(e.read-e.from, endBytes)))
	i := bytes.IndexByte(e.seen[from:], '\n')
	if i < 0 {
		return
	}
	from += i + 1
	ends, totals := e.table.FootersIn(e.seen[from:])
	if totals {
		e.totals()
	}
	if len(ends) > 0 && from+ends[0].At >= e.at {
		e.seen, e.left = e.seen[:from+ends[0].At], ends[0].Lines
	}
}
