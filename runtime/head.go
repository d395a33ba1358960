package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file reads what comes before the data: byte order mark, header,
// directives. Lines that are passed over are in preamble.go.

var errNoRows = errors.New("the input is empty, but the format wants a header that names the columns")

// skipMark reads the first bytes and passes over a UTF-8 byte order mark.
func (r *Reader) skipMark(p *dfa.Program) error {
	if len(p.Cells) > 0 {
		return nil // any bytes are data
	}
	for r.src.err == nil && len(r.src.data) < len(dfa.ByteOrderMark) {
		r.src.more()
	}
	if bytes.HasPrefix(r.src.data, []byte(dfa.ByteOrderMark)) {
		r.stats.Account.Mark = int64(len(dfa.ByteOrderMark))
		r.pos.offset += int64(len(dfa.ByteOrderMark))
		r.pos.line = r.pos.offset
		r.src.consume(len(dfa.ByteOrderMark))
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
	eachSpan(p.Automaton, r.src.data, r.state, r.src.final(), yield)
}

// eachSpan gives the complete records of data, which begins in a state.
func eachSpan(a *dfa.Automaton, data []byte, state dfa.StateID, final bool, yield func(span) bool) {
	s := span{state: state}
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
	if e := a.EOF(state); final && e.Kind == dfa.Record {
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

// leading goes through the records at the beginning of the input until read
// says that it has enough, and passes over those before. None of them may be
// longer than the limit, whatever it is: the columns depend on them. Where the
// input ends before, enough is false.
func (r *Reader) leading(p *dfa.Program, read func(s span) (enough, pass bool, err error)) (enough bool, err error) {
	for {
		past, state := 0, r.state
		var t Extents
		r.spans(p, func(s span) bool {
			if s.end-s.start > r.o.maxRecord {
				err = r.leadTooLong(s.start)
				return false
			}
			pass := false
			if enough, pass, err = read(s); err == nil && pass {
				past, state = s.next, s.resume
				if s.kind == dfa.DataRecord {
					r.stats.Account.Header.Add(1, int64(s.next-s.start))
				} else {
					t.Pass(s.kind, s.next-s.start)
				}
			}
			return err == nil && !enough
		})
		if err != nil {
			return false, err
		}
		r.state = state
		r.advancePast(past)
		r.stats.Account.pass(&t)
		switch {
		case enough || r.src.final():
			return enough, nil
		case r.src.err != nil:
			return false, r.inputError()
		case len(r.src.data) > r.longest(p):
			return false, r.leadTooLong(0)
		}
		r.src.more()
	}
}

func (r *Reader) leadTooLong(start int) error {
	return r.locate(start, &ParseError{
		Err:    errors.Join(ErrHeader, ErrTooLong),
		Detail: fmt.Sprintf("what says which columns there are is longer than %d bytes", r.o.maxRecord),
	})
}

// header reads past the records that name the columns, and gives the names, and where
// the first of these begins.
func (r *Reader) header(p *dfa.Program) (names []string, at position, err error) {
	read := 0
	enough, err := r.leading(p, func(s span) (enough, pass bool, err error) {
		if s.kind != dfa.DataRecord {
			return false, true, nil
		}
		rec := r.fields(p, s)
		if rec.Code != 0 {
			bad := r.syntaxError(p, rec, s.start)
			bad.Err = errors.Join(ErrHeader, ErrSyntax)
			return false, false, bad
		}
		if read++; read == 1 {
			at = r.pos
			at.pass(r.src.data[:s.start])
		}
		names = p.Join(names, rec.Fields)
		return read == p.Header.Records(), true, nil
	})
	if err != nil || enough {
		return names, at, err
	}
	return nil, r.pos, r.locate(0, &ParseError{Err: ErrHeader, Detail: noNames(r.pos.offset - r.stats.Account.Mark)})
}

// noNames says that an input of so many bytes, behind a byte order mark, has no header.
func noNames(nbytes int64) string {
	if nbytes == 0 {
		return errNoRows.Error()
	}
	return "the input ends before the header that names the columns"
}

// hintSeparator says so if what has one field holds what separates fields
// elsewhere.
func (r *Reader) hintSeparator(what string, fields []string) {
	if len(fields) != 1 {
		return
	}
	if i := strings.IndexAny(fields[0], ";\t|,"); i >= 0 {
		r.hints = append(r.hints, fmt.Sprintf("the %s one column, %s, with %q in it; if that separates columns, the format is another one",
			what, quote([]byte(fields[0])), fields[0][i]))
	}
}

// unnamed makes up columns for a format that declares none: as many strings as
// the first record has fields. A malformed record does not say how many: in mode Fail
// it is the error, and else the first after it that is none counts.
func (r *Reader) unnamed(p *dfa.Program) (columns []dfa.Column, err error) {
	var bad *ParseError
	enough, err := r.leading(p, func(s span) (enough, pass bool, err error) {
		if s.kind != dfa.DataRecord {
			return false, bad == nil, nil
		}
		rec := r.fields(p, s)
		if rec.Code != 0 {
			if bad == nil {
				bad = r.syntaxError(p, rec, s.start)
				bad.Record, bad.Err = 1, ErrSyntax
			}
			if r.o.mode == dfa.Fail {
				return false, false, bad
			}
			return false, false, nil
		}
		fields := rec.Fields
		if len(fields) > dfa.MaxColumns {
			return false, false, r.locate(s.start, &ParseError{Err: ErrHeader,
				Detail: fmt.Sprintf("the first record has %d fields, at most %d can be columns", len(fields), dfa.MaxColumns)})
		}
		if len(fields) == 1 {
			r.hintSeparator("first record has", []string{string(fields[0].Value)})
		}
		for i := range fields {
			columns = append(columns, dfa.Column{Name: fmt.Sprintf("column_%d", i+1), Nulls: p.DefaultNulls, DecodedNulls: p.DefaultDecodedNulls, Empties: p.DefaultEmpties, Keep: p.DefaultKeep})
		}
		return true, false, nil
	})
	if bad != nil && !enough && (err == nil || errors.Is(err, ErrTooLong)) {
		return nil, bad
	}
	return columns, err
}

// leadingDirectives lets the directives before the first data name their
// columns, where the input could not be read twice. Of a very long lead only
// what begins within the largest record's length is looked at.
func (r *Reader) leadingDirectives(p *dfa.Program, names *schema) error {
	for {
		enough := false
		var failed error
		r.spans(p, func(s span) bool {
			enough = s.kind == dfa.DataRecord || s.start > r.o.maxRecord || s.end-s.start > r.o.maxRecord
			if s.kind >= dfa.FirstDirective && !enough {
				failed = r.nameColumns(p, names, s)
			}
			return failed == nil && !enough
		})
		if failed != nil || enough || r.src.err != nil || len(r.src.data) > r.o.maxRecord+r.longest(p) {
			return failed
		}
		r.src.more()
	}
}

// leadingMetadata notes what the directives before the first data record say of the columns, as
// far as they begin within the largest record's length.
func (r *Reader) leadingMetadata(p *dfa.Program) {
	if !slices.ContainsFunc(p.Directives, func(d dfa.Directive) bool { return d.Action == dfa.MetadataDirective }) {
		return
	}
	for {
		enough := false
		r.metadata = map[string][]string{}
		r.spans(p, func(s span) bool {
			enough = s.kind == dfa.DataRecord || s.start > r.o.maxRecord || s.end-s.start > r.o.maxRecord
			if s.kind >= dfa.FirstDirective && !enough {
				if d := &p.Directives[s.kind-dfa.FirstDirective]; d.Action == dfa.MetadataDirective {
					line := strings.TrimPrefix(strings.TrimRight(string(r.src.data[s.start:s.end]), "\r\n"), d.Prefix)
					r.metadata[d.Prefix] = append(r.metadata[d.Prefix], line)
				}
			}
			return !enough
		})
		if enough || r.src.err != nil || len(r.src.data) > r.o.maxRecord+r.longest(p) {
			return
		}
		r.src.more()
	}
}

func (r *Reader) nameColumns(p *dfa.Program, names *schema, s span) error {
	if _, err := r.bind(p, names, s.kind, r.src.data[s.start:s.end]); err != nil {
		return r.locate(s.start, &ParseError{Err: ErrDirective, Detail: "directive: " + err.Error()})
	}
	return nil
}

// bind is the binding that a directive sets, nil if it sets none.
func (r *Reader) bind(p *dfa.Program, names *schema, kind dfa.RecordKind, raw []byte) (*Binding, error) {
	d := &p.Directives[kind-dfa.FirstDirective]
	switch {
	case !d.Matters():
		return nil, nil
	case len(raw) > r.o.maxRecord:
		return nil, r.errLongDirective()
	case d.Action == dfa.ValueDirective:
		if said := p.Said(d, raw); said != d.Text {
			return nil, fmt.Errorf("%q says %s, and the format has %s", d.Prefix, quote([]byte(said)), quote([]byte(d.Text)))
		}
		return nil, nil
	case d.Action == dfa.SeparatorDirective:
		b, err := dfa.SeparatorOf(p.Said(d, raw))
		if err == nil && d.Text != string([]byte{b}) {
			err = fmt.Errorf("%q says that %s separates fields; before it did %s, and an input has one separator", d.Prefix, dfa.FormatSymbol(b), dfa.FormatSymbol(d.Text[0]))
		}
		return nil, err
	case d.Action == dfa.TypesDirective:
		if names.said.types.is(kind, raw) {
			return nil, nil
		}
		types, err := p.DirectiveNames(d, raw)
		if err == nil {
			err = names.types(d, types)
		}
		if err == nil {
			names.said.types.set(kind, raw)
		}
		return nil, err
	}
	if b := names.again(kind, raw); b != nil {
		return b, nil
	}
	columns, err := p.DirectiveNames(d, raw)
	if err != nil {
		return nil, err
	}
	names.told += len(raw)
	b, err := names.bind(columns)
	if err == nil {
		names.keep(kind, raw, b)
	}
	return b, err
}

func (r *Reader) errLongDirective() error {
	return fmt.Errorf("names columns and is longer than %d bytes", r.o.maxRecord)
}

// longDirective is the error of a record at start that was passed over, if it
// was a directive that matters.
func (r *Reader) longDirective(p *dfa.Program, kind dfa.RecordKind, start position) error {
	if kind < dfa.FirstDirective || !p.Directives[kind-dfa.FirstDirective].Matters() {
		return nil
	}
	r.pos, r.cursor = start, start
	return r.locate(0, &ParseError{Err: ErrDirective, Detail: "directive: " + r.errLongDirective().Error()})
}

// scanDirectives reads the whole input once for the columns that its
// directives name, if they may occur anywhere and the input can be rewound.
func (r *Reader) scanDirectives(in io.Reader, open func(partition int) *source, p *dfa.Program, names *schema) error {
	seeker, ok := in.(io.Seeker)
	if !ok || !p.Dynamic() || p.Header.Mode == dfa.NamesHeader {
		return nil
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil // a pipe: the directives that lead the input must do
	}
	for _, head := range []bool{true, false} {
		scan := &Reader{o: r.o, state: r.state, pos: r.pos, cursor: r.pos, src: open(r.o.partition)}
		more, err := scan.scan(p, names, head)
		scan.src.close()
		if err != nil {
			return err
		}
		if _, err = seeker.Seek(start, io.SeekStart); err != nil || !more {
			return err
		}
	}
	return nil
}

// scan reads the directives of the input, or those of its head and whether there may
// be more.
func (r *Reader) scan(p *dfa.Program, names *schema, head bool) (more bool, err error) {
	if err := r.skipMark(p); err != nil {
		return false, err
	}
	if err := r.preamble(p); err != nil {
		return false, nil // it will be met again, and reported, by the reading itself
	}
	for {
		past, state := 0, r.state
		var failed error
		if head {
			last := lastDirective(p, names, r.src.data)
			r.spans(p, func(s span) bool {
				if s.start > last {
					return false
				}
				if past, state = s.next, s.resume; s.kind >= dfa.FirstDirective {
					had := len(names.kept)
					failed = r.nameColumns(p, names, s)
					if n := len(names.kept); n != had && n <= 2 && had <= 1 { // else it is as it was
						last = lastDirective(p, names, r.src.data)
					}
				}
				return failed == nil
			})
		} else {
			var found []span
			if found, past, state, err = r.directives(p.Automaton, leastStretch); err != nil {
				return false, err
			}
			for i := 0; i < len(found) && failed == nil; i++ {
				failed = r.nameColumns(p, names, found[i])
			}
		}
		if failed != nil {
			return false, failed
		}
		// A failing input, or a record that is too long, will be met again, and
		// reported, by the reading itself.
		r.state = state
		r.move(past)
		switch {
		case r.src.err != nil:
			return false, nil
		case head:
			steady := r.src.stays() // what is not may grow until it is read
			more = r.mayDirect(p, names)
			names.steady = steady && !more && len(names.kept) == 1 && !p.Typed()
			return more, nil
		case len(r.src.data) > r.longest(p):
			start := r.pos
			kind, ended, _, err := r.passRecord(p.Automaton, r.move)
			if !ended || err != nil {
				return false, nil
			}
			if err := r.longDirective(p, kind, start); err != nil {
				return false, err
			}
			continue
		}
		r.src.more()
	}
}

// lastDirective is where the last of what looks like a directive stands that may name further
// columns, in data, -1 if there is none: see dfa.Program.MayDirect.
func lastDirective(p *dfa.Program, names *schema, data []byte) (at int) {
	at = -1
	eachDirective(p, names, data, 0, len(data), func(i int) bool {
		at = max(at, i)
		return true
	})
	return at
}

// eachDirective gives where what looks like a directive begins in data[from:to] that may name
// further columns: that is none that says the same as the only one that has been read.
func eachDirective(p *dfa.Program, names *schema, data []byte, from, to int, yield func(at int) bool) {
	for k, d := range p.Directives {
		if !d.Matters() {
			continue
		}
		if d.Prefix == "" {
			yield(to)
			return
		}
		kind := dfa.FirstDirective + dfa.RecordKind(k)
		end := min(to+len(d.Prefix)-1, len(data))
		for at := from; at < end; { // faster than bytes.LastIndex if there are few
			i := bytes.Index(data[at:end], []byte(d.Prefix))
			if i < 0 {
				break
			}
			i, at = at+i, at+i+1
			if len(names.kept) == 1 && !p.Typed() && names.keeps(kind, data[i:]) {
				continue
			}
			if !yield(i) {
				return
			}
		}
	}
}

// mayDirect reads on to the end of the input, and reports whether something looks like
// a directive that names further columns.
func (r *Reader) mayDirect(p *dfa.Program, names *schema) bool {
	longest := longestKept
	for _, d := range p.Directives {
		longest = max(longest, len(d.Prefix))
	}
	for {
		data := r.src.data
		whole := len(data) // what begins behind it is looked at later, with what follows
		if r.src.err == nil {
			whole = max(whole-longest, 0)
		}
		n := max(1, min(r.o.threads, whole/leastStretch))
		var found atomic.Bool
		parallel(n, n, func(i int) {
			// What cannot be read is told by who reads it.
			_ = Guard(data, func() error {
				byPieces(i*whole/n, (i+1)*whole/n, func(from, to int) bool {
					eachDirective(p, names, data, from, to, func(int) bool {
						found.Store(true)
						return false
					})
					return !found.Load()
				})
				return nil
			})
		})
		if found.Load() {
			return true
		}
		if r.src.err != nil {
			return false
		}
		r.move(whole)
		r.src.more()
	}
}
