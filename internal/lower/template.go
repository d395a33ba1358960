package lower

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// Templates.
//
//	literal   stands as it is
//	hole      a field: everything up to the first place where the literal text
//	          after it stands complete
//	blanks    one or more spaces or tabs; a field after them cannot begin with
//	          one
//	optional  parts that are there together or not at all
//
// Where an optional group may begin, its first literal byte decides that it is
// there: with "{a}[ ({b})] {c}" the text "x (" begins the group, and c cannot
// begin with a parenthesis. Where that leaves it open which field comes next
// the template is refused.
//
// A hole with an escape rule ends at the first byte of the text after it that
// is not escaped; the rest of that text must then follow. A hole with a form
// of its own (Embedded) ends where that form ends: it goes on as long as the form
// does, so that another hole may follow at once. A hole to the end takes what is left.
//
// A line end always ends the record, which is malformed if the template is not
// complete. Columns are numbered in the order of the holes, in the emissions
// too: the columns of a group that is not there are absent.
//
// A template that is a list (see listing) has rules of its own, those of
// separated fields: a hole ends at the separator, an enclosed one at its
// closer, and a bare field cannot begin with a byte that opens a field of the
// same template. Quotes without an escape rule close a field only where a
// separator or the end of the record follows. Such a template can be read by
// one lexical machine for all columns: 15 states for the common and combined
// logs of Apache httpd, where one state a position makes 34 and 50.
//
// What follows the last column of such a list is its rest: a separator and
// fields of the same kinds. Of other templates it is a space and anything.

// template is the content of records or values that match instructions.
type template struct {
	*messages
	*instructions
	rest       *lexer // for opRest
	sets       [][]point
	setIDs     map[string]int32
	words      map[int32]string // per set: what expected says
	formFaults map[formFault]dfa.Emission
	formEnds   map[formFault]dfa.ErrorCode
	follows    []*follow     // per instruction, nil if no hole
	initial    templateState // at the start of a record
	reachEnd   []bool        // per instruction: the record may end with no hole in between
	whole      bool          // a value: the empty input matches or fails like any other
	lax        bool
	keepBlank  bool

	set []point // room for intern
	key []byte
}

// templateState is its state: before the places of a set, in a hole, or in the
// rest.
type templateState struct {
	set  int32 // index of sets; in a hole -1
	hole int16 // pc, -1: in no hole
	node int16 // of the hole's follow
	esc  escaping
	form dfa.StateID // of the hole's Embedded
	// A field that has ended, but whose end is yet to be said, because the
	// record may end without another one: its column, -1 for none, and how many
	// symbols back it ended where data after it must be taken back.
	owed int16
	back uint16
	lex  lexState // in the rest
}

// maxBack bounds templateState.back.
const maxBack = 255

func newTemplate(ms *messages, p *instructions) (*template, error) {
	t := &template{messages: ms, instructions: p, setIDs: map[string]int32{}, words: map[int32]string{}, formFaults: map[formFault]dfa.Emission{}, formEnds: map[formFault]dfa.ErrorCode{}}
	t.follows = make([]*follow, len(p.ins))
	t.reachEnd = make([]bool, len(p.ins))
	if len(p.columns) == 0 {
		return nil, &Fault{Where: "template", What: "it has no field"}
	}
	if len(p.columns) > dfa.MaxColumns {
		return nil, &Fault{Where: "template", What: fmt.Sprintf("%d fields, at most %d", len(p.columns), dfa.MaxColumns)}
	}
	// Instructions were added from the end of the template on, so the targets
	// of each come before it.
	for pc, i := range p.ins {
		switch i.op {
		case opEnd:
			t.reachEnd[pc] = true
		case opSplit:
			t.reachEnd[pc] = t.reachEnd[i.next] || t.reachEnd[i.alt]
		case opLiteral, opBlanks:
			t.reachEnd[pc] = t.reachEnd[i.next]
		case opHole:
			f, err := t.newFollow(pc)
			if err != nil {
				return nil, err
			}
			t.follows[pc] = f
		}
	}
	if t.reachEnd[p.entry] {
		return nil, &Fault{Where: "template", What: "every field of it is optional", Hint: "let one field always be there"}
	}
	t.initial = t.before(t.intern(t.closure(nil, p.entry)))
	return t, nil
}

func (t *template) first() templateState { return t.initial }

// before is the state in which one of the places of a set comes next.
func (t *template) before(set int32) templateState {
	return templateState{set: set, hole: -1, owed: -1}
}

func (t *template) symbol(s templateState, b byte) (templateState, dfa.Emission, *Fault) {
	switch {
	case s.hole < 0:
		return t.atPlace(s, b)
	case t.ins[s.hole].op == opRest:
		return t.inRest(s, b)
	case t.ins[s.hole].hole.Embedded != nil:
		return t.inForm(s, b)
	}
	return t.inHole(s, b)
}

// atPlace reads b where a literal, blanks or a hole comes next.
func (t *template) atPlace(s templateState, b byte) (templateState, dfa.Emission, *Fault) {
	var after []point
	hole := -1
	for _, c := range t.sets[s.set] {
		after = t.advance(after, c, b)
		switch t.ins[c.pc].op {
		case opHole, opRest:
			if hole >= 0 {
				was, now := t.columns[t.ins[hole].col].Name, t.columns[t.ins[c.pc].col].Name
				return s, skip, &Fault{Where: "template", Fields: []string{was, now},
					What: fmt.Sprintf("field %s or field %s may come here, and nothing tells which", was, now)}
			}
			hole = c.pc
		}
	}
	if len(after) > 0 {
		return t.pass(s, t.intern(after))
	}
	if hole < 0 {
		return s, t.fail(t.expected(s.set)), nil
	}
	i := &t.ins[hole]
	if i.not.Has(b) {
		return s, t.fail(fmt.Sprintf("field %s is not enclosed, so it cannot begin with %q", t.columns[i.col].Name, b)), nil
	}
	in := templateState{set: -1, hole: int16(hole), owed: -1}
	switch {
	case i.op == opRest:
		in.lex = lexState{at: atField, enc: -1}
	case i.hole.Embedded != nil:
		in.form = i.hole.Embedded.Start
	}
	next, e, fault := t.symbol(in, b)
	if fault != nil || s.owed < 0 {
		return next, e, fault
	}
	return t.settle(s, next, e)
}

// settle says that the field owed by s has ended, at a symbol that already
// belongs to the next one and emits e there.
func (t *template) settle(s, next templateState, e dfa.Emission) (templateState, dfa.Emission, *Fault) {
	lag := max(s.back, 1)
	field := dfa.Emission{Kind: dfa.Field, Column: s.owed, Lag: lag, Open: lag - 1}
	switch {
	case e.Kind == dfa.Error:
		return next, e, nil
	case e.Kind == dfa.Skip && next.owed < 0:
		field.Open, field.Escape = lag, e.Escape
	case e.Kind != dfa.Data || e.Sub != dfa.Itself:
		return next, e, &Fault{Where: "field " + t.columns[s.owed].Name, What: "its end and that of the next field could be one symbol",
			Hint: "put literal text before the next field"}
	}
	return next, field, nil
}

// pass reads a symbol of a literal or a blank that leads to set.
func (t *template) pass(s templateState, set int32) (templateState, dfa.Emission, *Fault) {
	next := t.before(set)
	if s.owed < 0 {
		return next, skip, nil
	}
	if !t.mayEnd(set) {
		return next, dfa.Emission{Kind: dfa.Field, Column: s.owed, Lag: s.back, Open: s.back}, nil
	}
	next.owed, next.back = s.owed, s.back
	if s.back > 0 {
		next.back++
	}
	if next.back > maxBack {
		return next, skip, &Fault{Where: "field " + t.columns[s.owed].Name,
			What: fmt.Sprintf("it is found to be the last one only more than %d bytes after it has ended", maxBack)}
	}
	return next, skip, nil
}

func (t *template) inHole(s templateState, b byte) (templateState, dfa.Emission, *Fault) {
	i := &t.ins[s.hole]
	e, f := i.hole.Escape, t.follows[s.hole]
	if s.esc != unescaped {
		esc, emit, ok := e.step(s.esc, b)
		if !ok {
			return s, t.fail(fmt.Sprintf("field %s: %s", i.hole.Name, e.complaint(s.esc))), nil
		}
		s.esc = esc
		return s, emit, nil
	}
	if e.opens(b) {
		s.esc, s.node = afterLead, 0
		return s, e.open(), nil
	}
	if i.never.Has(b) {
		return s, t.fail(fmt.Sprintf("the %s must end after field %s, so %q cannot follow", t.unit(), i.hole.Name, b)), nil
	}
	n := f.match.next(int(s.node), b)
	text := f.complete[n]
	if text == nil {
		s.node = int16(n)
		return s, data, nil
	}
	next := t.before(f.after[string(text)])
	if !t.mayEnd(next.set) {
		lag := uint16(len(text) - 1)
		return next, dfa.Emission{Kind: dfa.Field, Column: int16(i.col), Lag: lag, Open: lag}, nil
	}
	next.owed = int16(i.col)
	if len(text) > 1 {
		next.back = uint16(len(text))
	}
	return next, skip, nil
}

// inForm reads a symbol of a hole with a form of its own.
func (t *template) inForm(s templateState, b byte) (templateState, dfa.Emission, *Fault) {
	i := &t.ins[s.hole]
	form, e := i.hole.Embedded.Step(s.form, b)
	if e.Code == 0 {
		ended := t.formComplete(s)
		s.form = form
		if ended && !t.formComplete(s) {
			if next := t.beginsHole(i.next, b); next >= 0 {
				was, now := t.columns[i.col].Name, t.columns[t.ins[next].col].Name
				return s, data, &Fault{Where: "template", Fields: []string{was, now},
					What: fmt.Sprintf("field %s may go on here, or have ended and field %s begin, and only what follows would tell which", was, now),
					Hint: "put text between them"}
			}
		}
		return s, data, nil
	}
	if !t.formComplete(s) {
		return s, t.broke(s.hole, e.Code), nil
	}
	var after []point
	start := t.closure(nil, i.next)
	for _, c := range start {
		after = t.advance(after, c, b)
	}
	if next := t.beginsHole(i.next, b); next >= 0 && len(after) == 0 {
		return t.touch(s, next, b)
	}
	if len(after) == 0 {
		return s, t.fail(fmt.Sprintf("after field %s %s", i.hole.Name, t.expected(t.intern(start)))), nil
	}
	next := t.before(t.intern(after))
	if !t.mayEnd(next.set) {
		return next, dfa.Emission{Kind: dfa.Field, Column: int16(i.col)}, nil
	}
	next.owed = int16(i.col)
	return next, skip, nil
}

// beginsHole is the hole that may come at pc and begin with b, -1 if none does.
func (t *template) beginsHole(pc int, b byte) int {
	for _, c := range t.closure(nil, pc) {
		i := &t.ins[c.pc]
		if i.op != opHole || i.not.Has(b) {
			continue
		}
		if i.hole.Embedded != nil {
			if _, e := i.hole.Embedded.Step(i.hole.Embedded.Start, b); e.Code != 0 {
				continue
			}
		}
		return c.pc
	}
	return -1
}

// touch ends the field of s in front of b, with which the hole at pc begins.
func (t *template) touch(s templateState, pc int, b byte) (templateState, dfa.Emission, *Fault) {
	col := t.ins[s.hole].col
	in := templateState{set: -1, hole: int16(pc), owed: -1}
	if form := t.ins[pc].hole.Embedded; form != nil {
		in.form = form.Start
	}
	next, e, fault := t.symbol(in, b)
	switch {
	case fault != nil || e == data || e.Kind == dfa.Error:
	case e.Escape || e.Kind == dfa.Data:
		fault = &Fault{Where: "field " + t.columns[col].Name,
			What: fmt.Sprintf("its end and the first symbol of field %s, %q, which is no data of it, are one place", t.columns[t.ins[pc].col].Name, b),
			Hint: "put text between them"}
	default: // the text that ends it
		e = t.fail(fmt.Sprintf("field %s cannot be empty: it begins where field %s ends", t.columns[t.ins[pc].col].Name, t.columns[col].Name))
	}
	if fault != nil || e.Kind == dfa.Error {
		return next, e, fault
	}
	return next, dfa.Emission{Kind: dfa.Field, Column: int16(col), Touch: true}, nil
}

// broke is the emission of a symbol that a form has no place for, which most
// have in most of its states.
func (t *template) broke(pc int16, code dfa.ErrorCode) dfa.Emission {
	key := formFault{pc, code}
	e, ok := t.formFaults[key]
	if !ok {
		i := &t.ins[pc]
		e = t.fail(fmt.Sprintf("field %s: %s", i.hole.Name, i.hole.Embedded.Message(code)))
		t.formFaults[key] = e
	}
	return e
}

// cutOff is the code of a record that ends in a form which does not, in s: that of most
// of its states.
func (t *template) cutOff(s templateState) dfa.ErrorCode {
	i := &t.ins[s.hole]
	key := formFault{s.hole, i.hole.Embedded.EOF(s.form).Code}
	code, ok := t.formEnds[key]
	if !ok {
		code = t.code(fmt.Sprintf("the %s ends in field %s: %s", t.unit(), i.hole.Name, i.hole.Embedded.Message(key.code)))
		t.formEnds[key] = code
	}
	return code
}

// formFault is a message of the form of the hole at pc.
type formFault struct {
	pc   int16
	code dfa.ErrorCode
}

// formComplete reports whether the form of s may end.
func (t *template) formComplete(s templateState) bool {
	return t.ins[s.hole].hole.Embedded.EOF(s.form).Code == 0
}

// inRest reads a symbol of the fields after the last column.
func (t *template) inRest(s templateState, b byte) (templateState, dfa.Emission, *Fault) {
	next, e, fault := t.rest.symbol(s.lex, b)
	s.lex = next
	if e.Kind != dfa.Error {
		e = data
	}
	return s, e, fault
}

func (t *template) lineEnd(s templateState) (dfa.Emission, lineRule) {
	rule := lineRuleOf(t.lax)
	if !t.whole && !t.keepBlank && s == t.first() {
		return dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.DroppedRecord}, rule
	}
	e := t.endRecord(s)
	if e.Code != 0 && t.holds(s, '\r') {
		rule = feedLine
	}
	return e, rule
}

// holds reports whether b is data in s, where the record cannot end. In a
// listing it is only between a field's opener and its closer: elsewhere the
// rules of separated fields leave it open whether the record ends.
func (t *template) holds(s templateState, b byte) bool {
	pc := int(s.hole)
	if pc < 0 {
		for _, c := range t.sets[s.set] {
			if op := t.ins[c.pc].op; op == opHole || op == opRest {
				pc = c.pc
			}
		}
	}
	if pc < 0 {
		return false
	}
	i := &t.ins[pc]
	switch {
	case i.op == opRest:
		if s.hole < 0 {
			return false
		}
		_, rule := t.rest.lineEnd(s.lex)
		return rule == feedLine
	case !i.listed:
		return !i.not.Has(b)
	case !i.enclosed:
		return false
	}
	return i.commits || !bytes.HasSuffix(t.follows[pc].match.nodes[s.node].text, i.closer)
}

func (t *template) end(s templateState) dfa.Emission {
	if !t.whole && s == t.first() {
		return skip
	}
	return t.endRecord(s)
}

// unit is what the template is of.
func (t *template) unit() string {
	if t.whole {
		return "value"
	}
	return "record"
}

// endRecord is what the end of the record means in s.
func (t *template) endRecord(s templateState) dfa.Emission {
	record := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	if s.hole >= 0 {
		return t.endInHole(s, record)
	}
	for _, c := range t.sets[s.set] {
		if t.ins[c.pc].op == opEnd {
			record.Column, record.Lag, record.Open = s.owed, s.back, s.back
			return record
		}
	}
	for _, c := range t.sets[s.set] {
		i := &t.ins[c.pc]
		if i.op == opRest || i.op == opHole && t.follows[c.pc].end && (i.hole.Embedded == nil || i.hole.Embedded.EOF(i.hole.Embedded.Start).Code == 0) {
			record.Column = int16(i.col)
			return record
		}
	}
	return t.broken(record, "the "+t.unit()+" ends too early: "+t.expected(s.set), dfa.BlameSymbol)
}

func (t *template) endInHole(s templateState, record dfa.Emission) dfa.Emission {
	i := &t.ins[s.hole]
	if i.op == opRest {
		if e, _ := t.rest.lineEnd(s.lex); e.Code != 0 {
			return t.broken(record, t.texts[e.Code-1], e.Blame)
		}
		record.Column = int16(i.col)
		return record
	}
	f := t.follows[s.hole]
	record.Column = int16(i.col)
	switch {
	case s.esc != unescaped:
		record.Column = dfa.NextColumn
		return t.broken(record, "the "+t.unit()+" ends inside an escape", dfa.BlameSymbol)
	case i.hole.Embedded != nil && !t.formComplete(s):
		record.Column, record.Code, record.Blame = dfa.NextColumn, t.cutOff(s), dfa.BlameSymbol
		return record
	case f.anchored[s.node] > 0:
		record.Lag = uint16(f.anchored[s.node])
		record.Open = record.Lag
	case !f.end:
		record.Column = dfa.NextColumn
		return t.broken(record, fmt.Sprintf("the %s ends in field %s: %s", t.unit(), i.hole.Name,
			t.expected(t.intern(t.closure(nil, i.next)))), dfa.BlameSymbol)
	}
	return record
}

func (t *template) describe(s templateState) dfa.State {
	if s.hole < 0 {
		d := dfa.State{Name: fmt.Sprintf("P%d", s.set), Doc: strings.Replace(t.expected(s.set), "expected", "before", 1)}
		if s.owed >= 0 {
			d.Doc += ", after field " + t.columns[s.owed].Name
		}
		return d
	}
	name := t.columns[t.ins[s.hole].col].Name
	d := dfa.State{Name: strings.ToUpper(name) + escapeNames[s.esc], Doc: "in field " + name + escapeDocs[s.esc]}
	if s.node != 0 {
		d.Doc += fmt.Sprintf(", after %s of the text that ends it", shown(t.follows[s.hole].match.nodes[s.node].text))
	}
	return d
}
