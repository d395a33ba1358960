package explain

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/dfaparse/dfaparse/dfa"
)

// Explanation is what is known about one symbol of an input, or about its end.
type Explanation struct {
	Program *dfa.Program
	Offset  int64 // of the symbol; the size of the input if it is its end
	Line    int64 // from 1
	Column  int64 // of the byte in its line, from 1

	Outside  string // what the symbol is part of, if the automaton does not read it; there is no state and no Emission then
	AtEnd    bool   // there is no symbol: the input ends here
	Symbol   byte
	Before   dfa.StateID
	After    dfa.StateID // as Before if AtEnd
	Emission *dfa.Emission
	Since    int64     // offset of the symbol with which Before was entered last
	Later    *Revision // a later symbol that said something else of this one

	Record *Record // nil if the input ends where no record is open
	Around []byte  // of the record and what follows it, with the symbol at
	At     int     // this index
}

// Revision is a boundary that was found only some symbols later (Lag).
type Revision struct {
	Offset   int64 // of the symbol that showed it; the size of the input if that was its end
	AtEnd    bool
	Boundary int64
	Emission *dfa.Emission
}

// Record is the record that a symbol lies in.
type Record struct {
	Kind       dfa.RecordKind
	Number     int64 // of data records, header left out, from 1; 0 if it is none
	Header     bool
	Start, End int64 // End is the boundary
	Problem    string
	ProblemAt  int64
	Field      *Field // nil if the symbol is in none
}

// Field is the field that a symbol lies in or ends.
type Field struct {
	Number     int // from 1
	Name       string
	Start, End int64
	Value      []byte
}

// lookAhead is how many bytes after a record are kept for showing.
const lookAhead = 200

// At explains the byte of in at the offset, where so many lines are passed over
// before those that the Program skips. It reads from the beginning: what a byte
// means may depend on all before it.
func At(in io.Reader, p *dfa.Program, offset, skipLines int64) (*Explanation, error) {
	f := &finder{p: p, a: p.Automaton, in: bufio.NewReaderSize(in, 1<<20), offset: offset, x: &Explanation{Program: p, Offset: offset}}
	err := f.preamble(skipLines)
	if err == nil {
		f.state, f.begin = p.Automaton.Start, p.Automaton.Start
		err = f.find()
	}
	if err != nil && err != errOutside {
		return nil, err
	}
	return f.x, nil
}

// finder runs the automaton from record to record until one holds the offset.
type finder struct {
	p      *dfa.Program
	a      *dfa.Automaton
	in     *bufio.Reader
	offset int64
	x      *Explanation

	data  []byte      // the record being read, from its start
	base  int64       // offset of data[0]
	begin dfa.StateID // context there
	state dfa.StateID // context after data
	ended bool        // the input ends behind data

	line      int64 // line ends before data
	lineStart int64
	records   int64 // data records before, header included
	names     []string
}

func (f *finder) find() error {
	for {
		symbol, err := f.in.ReadByte()
		if err == io.EOF {
			return f.atEOF()
		}
		if err != nil {
			return err
		}
		q := len(f.data)
		f.data = append(f.data, symbol)
		next, e := f.a.Step(f.state, symbol)
		f.state = next
		if e.Kind != dfa.Record {
			continue
		}
		after := e.After(q)
		if f.base+int64(after) > f.offset {
			f.found()
			return nil
		}
		f.pass(e, after, next)
	}
}

// pass goes on to the next record.
func (f *finder) pass(e *dfa.Emission, after int, next dfa.StateID) {
	f.learn(e.Record)
	if e.Record == dfa.DataRecord {
		f.records++
	}
	for i, c := range f.data[:after] {
		if c == '\n' {
			f.line++
			f.lineStart = f.base + int64(i) + 1
		}
	}
	f.data = append(f.data[:0], f.data[after:]...)
	f.base += int64(after)
	f.begin = f.a.Resume(e, next)
}

// learn takes the names of the columns from a header or a directive.
func (f *finder) learn(kind dfa.RecordKind) {
	switch {
	case kind == dfa.DataRecord && f.records < int64(f.p.Header.Records()):
		f.names = f.p.Join(f.names, f.walk().Fields)
	case kind >= dfa.FirstDirective:
		if d := &f.p.Directives[kind-dfa.FirstDirective]; d.Action == dfa.SchemaDirective {
			f.names, _ = f.p.DirectiveNames(d, f.written())
		}
	}
}

// written is the record in data without what comes after it.
func (f *finder) written() []byte {
	if raw := f.walk(); raw != nil {
		return f.data[:raw.End]
	}
	return f.data
}

// walk reads the record in data again, fields and all.
func (f *finder) walk() *dfa.RawRecord {
	var raw *dfa.RawRecord
	f.a.Walk(f.data, f.begin, func(r *dfa.RawRecord) bool {
		raw = r
		return false
	})
	return raw
}

func (f *finder) atEOF() error {
	size := f.base + int64(len(f.data))
	if f.offset > size {
		return fmt.Errorf("byte %d is beyond the end: the input has %d bytes", f.offset, size)
	}
	f.ended = true
	f.found()
	return nil
}

// found explains the symbol, which lies in data or is its end.
func (f *finder) found() {
	x := f.x
	at := int(f.offset - f.base)
	f.place(at)
	state, since := f.begin, 0
	for i, symbol := range f.data[:at] {
		next, _ := f.a.Step(state, symbol)
		if next != state {
			since = i
		}
		state = next
	}
	x.Before, x.Since = state, f.base+int64(since)
	if x.AtEnd = at == len(f.data); x.AtEnd {
		x.After, x.Emission = state, f.a.EOF(state)
	} else {
		x.Symbol = f.data[at]
		x.After, x.Emission = f.a.Step(state, x.Symbol)
		x.Later = f.revision(at)
	}
	f.record(at)
	tail, _ := f.in.Peek(lookAhead)
	x.Around, x.At = append(bytes.Clone(f.data), tail...), at
}

func (f *finder) place(at int) {
	line, start := f.line, f.lineStart
	for i, c := range f.data[:at] {
		if c == '\n' {
			line++
			start = f.base + int64(i) + 1
		}
	}
	f.x.Line, f.x.Column = line+1, f.offset-start+1
}

// revision is the boundary that a later symbol, or the end of the input, puts at data[at] or
// before it.
func (f *finder) revision(at int) *Revision {
	state := f.begin
	for i, symbol := range f.data {
		next, e := f.a.Step(state, symbol)
		state = next
		if boundary := i - int(e.Lag); e.Boundary() && i > at && boundary <= at {
			return &Revision{Offset: f.base + int64(i), Boundary: f.base + int64(boundary), Emission: e}
		}
	}
	if end := len(f.data); f.ended {
		if e := f.a.EOF(state); e.Boundary() && e.Lag > 0 && end-int(e.Lag) <= at {
			return &Revision{f.base + int64(end), true, f.base + int64(end) - int64(e.Lag), e}
		}
	}
	return nil
}

func (f *finder) record(at int) {
	raw := f.walk()
	if raw == nil {
		return
	}
	r := &Record{Kind: raw.Kind, Start: f.base, End: f.base + int64(raw.End)}
	f.x.Record = r
	if raw.Code != 0 {
		r.Problem, r.ProblemAt = f.a.Message(raw.Code), f.base+int64(raw.Offset)
	}
	if raw.Kind != dfa.DataRecord {
		return
	}
	r.Number = f.records + 1
	if n := int64(f.p.Header.Records()); n > 0 {
		r.Number, r.Header = r.Number-n, f.records < n
	}
	if len(f.p.Cells) > 0 {
		raw.End = raw.Next
	}
	if len(f.p.Widths) > 0 {
		r.Field = f.fixed(raw, at)
		return
	}
	for _, field := range raw.Fields {
		if at <= field.End {
			r.Field = &Field{Number: field.Column + 1, Name: f.name(field.Column), Start: f.base + int64(field.Start), End: f.base + int64(field.End), Value: field.Value}
			return
		}
	}
}

// fixed is the field of a fixed-width record.
func (f *finder) fixed(raw *dfa.RawRecord, at int) *Field {
	start := raw.Start
	for i, w := range f.p.Widths {
		end := min(start+w, raw.End)
		if at < end {
			return &Field{Number: i + 1, Name: f.name(i), Start: f.base + int64(start), End: f.base + int64(end), Value: f.data[start:end]}
		}
		start = end
	}
	return nil
}

// name is what column i is called, "" if that is not known.
func (f *finder) name(i int) string {
	switch {
	case f.p.Dynamic():
		if i < len(f.names) {
			return f.names[i]
		}
	case i < len(f.p.Columns):
		return f.p.Columns[i].Name
	case f.p.HasRest:
		return f.p.Columns[len(f.p.Columns)-1].Name
	}
	return ""
}
