package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file reads what comes before the data: byte order mark, header,
// directives.

var (
	markUTF8  = []byte{0xEF, 0xBB, 0xBF}
	marks16   = [][]byte{{0xFF, 0xFE}, {0xFE, 0xFF}}
	errUTF16  = errors.New("the input is UTF-16 by its byte order mark; convert it to UTF-8 first")
	errNoRows = errors.New("the input is empty, but the format wants a header that names the columns")
)

// skipMark reads the first bytes and passes over a UTF-8 byte order mark.
func (r *Reader) skipMark() error {
	for r.src.err == nil && len(r.src.data) < len(markUTF8) {
		r.src.more()
	}
	for _, m := range marks16 {
		if bytes.HasPrefix(r.src.data, m) {
			return fmt.Errorf("%s: %w", r.o.name, errUTF16)
		}
	}
	if bytes.HasPrefix(r.src.data, markUTF8) {
		r.pos.offset += int64(len(markUTF8))
		r.pos.line = r.pos.offset
		r.src.consume(len(markUTF8))
	}
	return nil
}

// span is a record of any kind, its fields not looked at.
type span struct {
	kind             dfa.RecordKind
	start, end, next int         // offsets in the data; next is after the boundary
	state            dfa.StateID // in which it begins
	resume           dfa.StateID // in which the next one begins
}

// spans gives the complete records at the head of the data.
func (r *Reader) spans(p *dfa.Program, yield func(span) bool) {
	a, data := p.Automaton, r.src.data
	s := span{state: r.state}
	state := r.state
	for q, symbol := range data {
		next, e := a.Step(state, symbol)
		state = next
		if e.Kind != dfa.Record {
			continue
		}
		s.kind, s.end = e.Record, q-int(e.Lag)
		s.next, s.resume = e.After(q), a.Resume(e, next)
		if !yield(s) {
			return
		}
		s.start, s.state = s.next, s.resume
	}
	if e := a.EOF(state); r.src.final() && e.Kind == dfa.Record {
		s.kind, s.end, s.next, s.resume = e.Record, len(data)-int(e.Lag), len(data), a.Start
		yield(s)
	}
}

// fields reads the record of s again, fields and all.
func (r *Reader) fields(p *dfa.Program, s span) (record *dfa.RawRecord) {
	p.Automaton.Walk(r.src.data[s.start:], s.state, func(rec *dfa.RawRecord) bool {
		record = rec
		return false
	})
	return record
}

// header reads past the header's records and gives the fields of the last.
func (r *Reader) header(p *dfa.Program) ([]string, error) {
	for {
		rows := 0
		var last *span
		var bad *ParseError
		r.spans(p, func(s span) bool {
			if s.kind != dfa.DataRecord {
				return true
			}
			rows++
			rec := r.fields(p, s)
			if rec.Code != 0 {
				bad = r.syntaxError(p, rec, s.start)
				return false
			}
			last = &s
			return rows < p.Header.Rows
		})
		switch {
		case bad != nil:
			bad.Err = errors.Join(ErrHeader, ErrSyntax)
			return nil, bad
		case rows == p.Header.Rows:
			var names []string
			for _, f := range r.fields(p, *last).Fields {
				names = append(names, string(f.Value))
			}
			r.state = last.resume
			r.advancePast(last.next)
			return names, nil
		case r.src.final() && p.Header.Mode == dfa.SkipHeader:
			r.advancePast(len(r.src.data))
			return nil, nil
		case r.src.final():
			return nil, r.locate(0, &ParseError{Err: ErrHeader, Detail: errNoRows.Error()})
		case r.src.err != nil:
			return nil, r.inputError()
		case len(r.src.data) > r.o.maxRecord*p.Header.Rows+r.src.size:
			return nil, r.locate(0, &ParseError{Err: ErrHeader, Detail: fmt.Sprintf("the header does not end within %d bytes", len(r.src.data))})
		}
		r.src.more()
	}
}

// unnamed makes up columns for a format that declares none: as many strings as
// the first record has fields.
func (r *Reader) unnamed(p *dfa.Program) (columns []dfa.Column) {
	for {
		found := false
		r.spans(p, func(s span) bool {
			if s.kind != dfa.DataRecord {
				return true
			}
			found = true
			for i := range r.fields(p, s).Fields {
				columns = append(columns, dfa.Column{Name: fmt.Sprintf("column_%d", i+1), Nulls: p.DefaultNulls})
			}
			return false
		})
		if found || r.src.err != nil || len(r.src.data) > r.o.maxRecord {
			return columns
		}
		r.src.more()
	}
}

// leadingDirectives lets the directives before the first data name their
// columns, where the input could not be read twice.
func (r *Reader) leadingDirectives(p *dfa.Program, names *schema) error {
	for {
		data := false
		var failed error
		r.spans(p, func(s span) bool {
			data = s.kind == dfa.DataRecord
			if s.kind >= dfa.FirstDirective {
				failed = r.nameColumns(p, names, s)
			}
			return failed == nil && !data
		})
		if failed != nil || data || r.src.err != nil || len(r.src.data) > r.o.maxRecord {
			return failed
		}
		r.src.more()
	}
}

func (r *Reader) nameColumns(p *dfa.Program, names *schema, s span) error {
	d := &p.Directives[s.kind-dfa.FirstDirective]
	if d.Action != dfa.SchemaDirective {
		return nil
	}
	if _, err := names.bind(directiveNames(d, r.src.data[s.start:s.end])); err != nil {
		return r.locate(s.start, &ParseError{Err: ErrDirective, Detail: "directive: " + err.Error()})
	}
	return nil
}

// scanDirectives reads the whole input once for the columns that its
// directives name, if they may occur anywhere and the input can be rewound.
func (r *Reader) scanDirectives(in io.Reader, p *dfa.Program, names *schema) error {
	seeker, ok := in.(io.Seeker)
	if !ok || !p.Dynamic() || p.Header.Mode == dfa.NamesHeader {
		return nil
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil // a pipe: the directives that lead the input must do
	}
	scan := &Reader{o: r.o, state: r.state, pos: r.pos, cursor: r.pos, src: newSource(in, r.o.partition)}
	if err := scan.scan(p, names); err != nil {
		scan.src.close()
		return err
	}
	scan.src.drain()
	_, err = seeker.Seek(start, io.SeekStart)
	return err
}

func (r *Reader) scan(p *dfa.Program, names *schema) error {
	if err := r.skipMark(); err != nil {
		return err
	}
	for {
		past := 0
		var failed error
		state := r.state
		r.spans(p, func(s span) bool {
			if s.kind >= dfa.FirstDirective {
				failed = r.nameColumns(p, names, s)
			}
			past, state = s.next, s.resume
			return failed == nil
		})
		if failed != nil {
			return failed
		}
		// A failing input, or a record that is too long, will be met again, and
		// reported, by the reading itself.
		r.state = state
		r.pos.pass(r.src.data[:past])
		r.src.consume(past)
		if r.src.err != nil || len(r.src.data) > r.longest(p) {
			return nil
		}
		r.src.more()
	}
}
