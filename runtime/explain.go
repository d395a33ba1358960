package runtime

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/render"
)

// This file turns what engines report in offsets and codes into errors for
// people. It is the only place that does, so that the words are the same for
// every engine.

// reread reads the record of problems again, as the automaton means it, with those fields alone that
// they are about. Of a record that is too long there is nothing to be said but that: it gives nil.
func (r *Reader) reread(p *Partition, problems []Problem, of size) (raw *dfa.RawRecord) {
	pr := &problems[0]
	if pr.What == TooLong {
		return nil
	}
	if !slices.ContainsFunc(problems, r.needsFields) {
		return &dfa.RawRecord{End: pr.End - pr.Start, Next: int(of.bytes)}
	}
	columns := make([]int, 0, len(problems))
	for i := range problems {
		if problems[i].What != Lexical { // of which the field's text, perhaps all that follows, says nothing
			columns = append(columns, problems[i].Field)
		}
	}
	r.plan.Program.Automaton.WalkColumns(p.Data[pr.Start:], pr.Begin, columns, func(rec *dfa.RawRecord) bool {
		raw = rec
		return false
	})
	return raw
}

// needsFields reports whether the fields have to be known of a record that has a problem.
func (r *Reader) needsFields(pr Problem) bool {
	switch pr.What {
	case Lexical:
		return false
	case TooFew, TooMany:
		return len(r.plan.Program.Widths) == 0
	case Value:
		return len(r.plan.Program.Widths) == 0 || r.plan.Outputs[pr.Output].Part >= 0
	}
	return true
}

// explain gives the error of a problem in a data record, which is raw and so large;
// which one, and where, it does not say. It only reads r, so that workers may call it.
func (r *Reader) explain(p *Partition, pr *Problem, raw *dfa.RawRecord, of size) *ParseError {
	prog := r.plan.Program
	e := &ParseError{}
	switch pr.What {
	case TooLong:
		e.Err = ErrTooLong
		e.Detail = fmt.Sprintf("the record is longer than %d bytes", r.plan.MaxRecord)
	case Lexical:
		r.explainSyntax(e, prog, pr.Lexical, pr.State, foundAt(p.Data, pr.Offset, pr.At))
		switch {
		case of.lines < 2:
		case p.Final && pr.At == len(p.Data):
			e.Note = fmt.Sprintf("everything to the end of the input, %s lines, is in this record", render.Grouped(of.lines))
		default:
			e.Note = fmt.Sprintf("the record has %s lines", render.Grouped(of.lines))
			above := position{cr: r.cr}
			above.pass(p.Data[pr.Start:r.where(p, pr, raw)])
			if above.lines > 0 { // where a quote too few or too many may stand
				e.Note += fmt.Sprintf(", and begins %s above", render.Count(above.lines, "line"))
			}
		}
		if !r.binary { // a record that is cut off is of no column
			e.Field = r.fieldName(pr.Binding, r.phrases.field(prog.Automaton, pr.State, pr.Field))
		}
	case TooFew:
		e.Err = ErrTooFewFields
		e.Detail = fmt.Sprintf("the record has %s", render.Count(nfields(raw, prog), "field"))
		e.Expected = atLeast(pr.Binding)
	case TooMany:
		e.Err = ErrTooManyFields
		if prefixes := schemaPrefixes(prog); pr.Binding.MaxFields == 0 && prefixes != "" {
			e.Detail = fmt.Sprintf("no columns yet: no line that begins with %s came before this record", prefixes)
			break
		}
		if prog.CountsBytes() {
			e.Detail = fmt.Sprintf("the record has %s", render.Count(raw.End-raw.Start, "byte"))
			e.Expected = "at most " + render.Count(prog.Width(), "byte")
			break
		}
		e.Detail = fmt.Sprintf("the record has %s", render.Count(nfields(raw, prog), "field"))
		e.Expected = render.Count(pr.Binding.MaxFields, "field")
	case WrongClass:
		e.Err = ErrEnclosure
		c := r.columnOf(pr.Binding, pr.Field)
		e.Field = c.Name
		e.Detail = "the field is " + className(prog, fieldClass(raw, pr.Field))
		e.Expected = className(prog, c.Class)
	case Value:
		def := r.plan.Def(r.plan.Outputs[pr.Output])
		e.Err, e.Field = ErrValue, def.Name
		e.Detail = pr.Code.String()
		if text, ok := r.fieldText(p, pr, raw); ok && pr.Code != convert.IsNull {
			value := text
			if def.Trim {
				value = bytes.Trim(text, " \t")
			}
			e.Detail += ": "
			if what, at, ok := pr.Code.Fault(&def.Type, value); ok && verbatim(p, pr, raw, text) {
				e.Detail += fmt.Sprintf("%s at byte %d of ", what, at+bytes.Index(text, value))
			}
			e.Detail += quote(text)
			if differs := pr.Code.Differs(&def.Type, value); differs != "" {
				e.Detail += ", which has " + differs
			}
		}
		e.Expected = r.phrases.value(pr.Code, &def.Type)
	case Part:
		c := r.columnOf(pr.Binding, pr.Field)
		e.Err, e.Field = ErrSplit, c.Name
		if c.Split.Keyed {
			r.explainKeys(e, p, pr, raw, c)
			break
		}
		e.Detail = "the field cannot be split"
		if text, ok := r.fieldText(p, pr, raw); ok {
			e.Detail += ": "
			if code, at := c.Split.Automaton.ValueFault(text); code != 0 && len(c.Split.FromEnd) == 0 && verbatim(p, pr, raw, text) {
				e.Detail += fmt.Sprintf("%s at byte %d of ", c.Split.Automaton.Message(code), at)
			}
			e.Detail += quote(text)
		}
		e.Expected = "the parts"
		for i := range c.Split.Columns {
			e.Expected += " " + c.Split.Columns[i].Name
		}
	}
	return e
}

// phrases are what was expected where something else was, and in which field, the same for many
// rejects. Workers put it into words as well.
type phrases struct{ words sync.Map }

type (
	valueOf struct {
		code convert.Code
		of   *dfa.Type
	}
	stateOf struct {
		state dfa.StateID
		of    *dfa.Automaton
	}
	fieldOf struct {
		stateOf
		ended int
	}
)

// value is what a value should have been that has a code.
func (s *phrases) value(c convert.Code, t *dfa.Type) string {
	return once(s, valueOf{c, t}, func() string { return c.Expected(t) })
}

// state is what should come in a state of a.
func (s *phrases) state(a *dfa.Automaton, state dfa.StateID) string {
	return once(s, stateOf{state, a}, func() string { return a.Expected(state) })
}

// field is the number of the field that a record is in, or before, in a state of a, where so many fields
// have ended: that one, but in templates, which have fields that may be absent, the one that ends next.
// It is -1 if it may be one of several.
func (s *phrases) field(a *dfa.Automaton, state dfa.StateID, ended int) int {
	return once(s, fieldOf{stateOf{state, a}, ended}, func() int {
		columns := a.Ending(state)
		switch {
		case len(columns) == 0 || slices.Contains(columns, ended):
			return ended
		case len(columns) == 1:
			return columns[0]
		}
		return -1
	})
}

func once[T any](s *phrases, key any, find func() T) T {
	if found, ok := s.words.Load(key); ok {
		return found.(T)
	}
	found := find()
	s.words.Store(key, found)
	return found
}

// finders find parts of the columns that have columns by key. To make one takes longer than to use it.
type finders struct{ of sync.Map } // *dfa.Column: *sync.Pool of *convert.PartFinder

// part is the part of a value of a column, which was written so, as its converter sees it.
func (s *finders) part(c *dfa.Column, value []byte, written *dfa.Written, part int) (text []byte, ok bool) {
	pool, known := s.of.Load(c)
	if !known {
		pool, _ = s.of.LoadOrStore(c, &sync.Pool{New: func() any { return convert.NewPartFinder(c) }})
	}
	x := pool.(*sync.Pool).Get().(*convert.PartFinder)
	defer pool.(*sync.Pool).Put(x)
	text, ok = x.Find(value, written, part)
	return bytes.Clone(text), ok
}

// where is the place to be told of a problem in a record, which is raw and so large: that of its field,
// behind what separates the record from the one before, or in a value of several lines that of the symbol
// which is wrong.
func (r *Reader) where(p *Partition, pr *Problem, raw *dfa.RawRecord) int {
	at := pr.Offset
	if at == Unsettled && raw != nil {
		at = pr.End
		for i := range raw.Fields { // of several of one number the last is the one
			if f := &raw.Fields[i]; f.Column == pr.Field {
				at = pr.Start + f.Start
			}
		}
	}
	if raw == nil || at != pr.Start || len(r.plan.Program.Widths) > 0 {
		return at
	}
	for a, s := r.plan.Program.Automaton, pr.Begin; at < pr.End; at++ {
		if next, e := a.Step(s, p.Data[at]); next != s || e.Kind != dfa.Skip || e.Escape {
			break
		}
	}
	if pr.What != Value && pr.What != Part || bytes.IndexByte(p.Data[at:max(at, pr.End)], '\n') < 0 {
		return at
	}
	if text, ok := r.fieldText(p, pr, raw); ok && bytes.HasPrefix(p.Data[at:], text) && bytes.IndexByte(text, '\n') >= 0 {
		if fault := r.faultIn(pr, text); fault > 0 && bytes.IndexByte(text[:fault], '\n') >= 0 {
			at += fault
		}
	}
	return at
}

// faultIn is the place in the text of a field, as it stands in its record, at which it is no map; -1 if none is
// known.
func (r *Reader) faultIn(pr *Problem, text []byte) int {
	switch pr.What {
	case Value:
		if def := r.plan.Def(r.plan.Outputs[pr.Output]); pr.Code == convert.BadMap && !def.Trim {
			if _, at, ok := pr.Code.Fault(&def.Type, text); ok {
				return at
			}
		}
	case Part:
		if c := r.columnOf(pr.Binding, pr.Field); c.Split.Keyed && !c.Trim {
			_, at := convert.KeyFault(c, text)
			return at
		}
	}
	return -1
}

// explainKeys says why no column has a key of a field.
func (r *Reader) explainKeys(e *ParseError, p *Partition, pr *Problem, raw *dfa.RawRecord, c *dfa.Column) {
	e.Detail = "the field is no map of keys and values"
	if text, ok := r.fieldText(p, pr, raw); ok {
		if c.Trim {
			text = bytes.Trim(text, " \t")
		}
		e.Detail += ": "
		if verbatim(p, pr, raw, text) {
			what, at := convert.KeyFault(c, text)
			if e.Detail += what; at >= 0 {
				e.Detail += fmt.Sprintf(" at byte %d", at)
			}
			e.Detail += " of "
		}
		e.Detail += quote(text)
	}
	e.Expected = "keys that are there once each, and their values"
}

// verbatim reports whether a field stands in its record as it is: of one that was
// escaped its lists, maps and splits see more than the text.
func verbatim(p *Partition, pr *Problem, raw *dfa.RawRecord, text []byte) bool {
	return bytes.Contains(p.Data[pr.Start:pr.Start+raw.End], text)
}

// schemaPrefixes are what the directives begin with that name columns.
func schemaPrefixes(prog *dfa.Program) string {
	var prefixes []string
	for i := range prog.Directives {
		if d := &prog.Directives[i]; d.Action == dfa.SchemaDirective {
			prefixes = append(prefixes, d.Prefix)
		}
	}
	return alternatives(prefixes)
}

func (r *Reader) explainSyntax(e *ParseError, prog *dfa.Program, code dfa.ErrorCode, state dfa.StateID, found string) {
	a := prog.Automaton
	e.Err = ErrSyntax
	e.Detail = a.Message(code)
	if found != "" {
		e.Detail += ", found " + found
	}
	e.State = a.States[state].Doc
	e.Expected = r.phrases.state(a, state)
}

// syntaxError is the error of a record at offset start of the data that a
// walk found to be malformed.
func (r *Reader) syntaxError(prog *dfa.Program, rec *dfa.RawRecord, start int) *ParseError {
	e := &ParseError{}
	r.explainSyntax(e, prog, rec.Code, rec.State, foundAt(r.src.data, start+rec.Offset, start+rec.At))
	return r.locate(start+rec.Offset, e)
}

// locate completes an error with the place of an offset into the data.
func (r *Reader) locate(offset int, e *ParseError) *ParseError {
	e.File = r.o.name
	r.pos.count()
	e.Offset = r.pos.offset + int64(offset)
	if e.Offset < r.cursor.offset || r.cursor.offset < r.pos.offset {
		r.cursor = r.pos
	}
	base := r.pos.offset
	r.cursor.pass(r.src.data[r.cursor.offset-base : offset])
	if e.Line, e.Column = r.cursor.lines+1, r.cursor.offset-r.cursor.line+1; r.binary {
		e.Line, e.Column = 0, 0
	}
	return e
}

func (r *Reader) columnOf(b *Binding, field int) *dfa.Column {
	for c, f := range b.Source {
		if f == field {
			return &r.plan.Columns[c]
		}
	}
	return &dfa.Column{}
}

func (r *Reader) fieldName(b *Binding, field int) string {
	if field < 0 {
		return ""
	}
	return r.columnOf(b, field).Name
}

func nfields(raw *dfa.RawRecord, prog *dfa.Program) int {
	if raw == nil {
		return 0
	}
	if len(prog.Widths) == 0 {
		return raw.Fields[len(raw.Fields)-1].Column + 1
	}
	n, at := 0, 0
	for _, w := range prog.Widths {
		if at >= raw.End-raw.Start {
			return n
		}
		n, at = n+1, at+w
	}
	return n
}

func fieldClass(raw *dfa.RawRecord, field int) uint8 {
	if raw != nil {
		for _, f := range raw.Fields {
			if f.Column == field {
				return f.Class
			}
		}
	}
	return 0
}

// fieldText is the field that a problem is about, as its converter saw it.
func (r *Reader) fieldText(p *Partition, pr *Problem, raw *dfa.RawRecord) (text []byte, ok bool) {
	if raw == nil || pr.Field < 0 {
		return nil, false
	}
	text, ok = r.wholeField(p, pr, raw)
	part := r.plan.Outputs[pr.Output].Part
	if !ok || part < 0 || pr.What != Value {
		return text, ok
	}
	ok = false
	split := r.plan.Columns[r.plan.Outputs[pr.Output].Column].Split
	written := writtenField(pr, raw)
	if split.Decoded {
		written = nil
	}
	whole := text
	if split.Keyed {
		column := &r.plan.Columns[r.plan.Outputs[pr.Output].Column]
		return r.finders.part(column, whole, written, part)
	}
	var pieces []dfa.Piece
	var decoded []byte
	if len(split.FromEnd) > 0 {
		pieces, _ = split.PiecesFromEnd(whole, written, nil)
	} else {
		pieces, decoded, _ = split.Automaton.Table().FieldsWritten(whole, written, nil, nil, nil, nil)
	}
	for i := range pieces {
		if int(pieces[i].Column) == part {
			text, ok = pieces[i].Of(whole, decoded), true
		}
	}
	return text, ok
}

// writtenField is how the field that pr is about was written, nil if nothing of it
// was escaped.
func writtenField(pr *Problem, raw *dfa.RawRecord) (w *dfa.Written) {
	if pr.Binding.Rest >= 0 && pr.Field >= pr.Binding.Rest {
		return nil // as it was written
	}
	for i := range raw.Fields {
		if f := &raw.Fields[i]; f.Column == pr.Field {
			if w = &f.Written; len(w.Text) == 0 {
				w = nil
			}
		}
	}
	return w
}

func (r *Reader) wholeField(p *Partition, pr *Problem, raw *dfa.RawRecord) (text []byte, ok bool) {
	if widths := r.plan.Program.Widths; len(widths) > 0 {
		from := 0
		for _, w := range widths[:pr.Field] {
			from += w
		}
		line := p.Data[pr.Start : pr.Start+raw.End]
		if cells := r.plan.Program.Cells; len(cells) > 0 {
			line = p.Data[pr.Start : pr.Start+raw.Next]
			text := line[min(from, len(line)):min(from+widths[pr.Field], len(line))]
			if cell := &cells[pr.Field]; cell.Kind == dfa.TextCell {
				return cell.Text(text), true
			} else {
				return convert.AppendCellText(nil, cell, &r.plan.Columns[pr.Field].Type, text), len(text) == widths[pr.Field]
			}
		}
		return line[min(from, len(line)):min(from+widths[pr.Field], len(line))], from < len(line)
	}
	for _, f := range raw.Fields {
		switch rest := pr.Binding.Rest; {
		case rest >= 0 && f.Column >= rest:
			if pr.Field == rest {
				return p.Data[pr.Start+f.Start : pr.Start+raw.End], true
			}
			return text, ok
		case f.Column == pr.Field:
			text, ok = f.Value, true // of several the last is the one
		}
	}
	return text, ok
}

func className(prog *dfa.Program, class uint8) string {
	if int(class) < len(prog.Classes) {
		return prog.Classes[class]
	}
	return "unlike its column"
}

func atLeast(b *Binding) string {
	if b.MinFields == b.MaxFields && b.Rest < 0 {
		return render.Count(b.MinFields, "field")
	}
	return "at least " + render.Count(b.MinFields, "field")
}

// foundAt is what was found at an offset where the automaton had no transition, "" if the
// error is reported elsewhere: what an input lacks that ends too early is said in any case.
func foundAt(data []byte, reported, at int) string {
	if reported != at && at < len(data) {
		return ""
	}
	return symbolAt(data, at)
}

func symbolAt(data []byte, at int) string {
	if at >= len(data) {
		return "the end of the input"
	}
	if c, n := utf8.DecodeRune(data[at:]); c != utf8.RuneError || n > 1 {
		return fmt.Sprintf("%q", c)
	}
	return fmt.Sprintf("%q", data[at:at+1])
}

// quote is text for an error message, cut where it is long.
func quote(text []byte) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%q and %d bytes more", text[:most], len(text)-most)
	}
	return fmt.Sprintf("%q", text)
}
