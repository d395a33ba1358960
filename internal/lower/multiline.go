package lower

import (
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// Records of several lines.
//
// A record begins where a line begins as Start says: with one symbol of each
// set in turn. Or, if Continue lists prefixes instead, where a line begins
// with none of them. Every other line belongs to the last field of the record
// before it, and so does the line end before that line, as "\n"; a "\r" before
// it does not. The line end before the next record, or at the end of the
// input, belongs to no field. Empty lines inside a record belong to it; before
// the first record they are dropped.
//
// That a record has begun is known only some symbols later, so the machine
// reads two records at a time there: the one before, in which the symbols
// would be data, and the one that may have begun. Once that is settled, a
// Record is emitted with a Lag that reaches back to the line end. It is
// settled no sooner than at the first data of the new record; a line that ends
// before is a continuation. Start must lie within the first field.
//
// After an error everything is skipped up to the next line that begins a
// record.

// recordContent is content of records of several lines.
type recordContent[S comparable] interface {
	content[S]
	grouped
	endRecord(s S) dfa.Emission
	inLast(s S) (S, bool)       // s as a state in the last field, if that is what comes next or is being read
	lastField(s S) dfa.Emission // the end of a record in its last field, which s is in
}

// multiline is the machine of a Record with a Multiline.
type multiline[S comparable] struct {
	recordContent[S]
	*messages
	*Multiline
	prefixes *matcher // Continue
	crlf     bool     // "\r\n" ends a line too
}

type multiState[S comparable] struct {
	mode multiMode
	in   S             // modeText, modeHead: of the record being read
	cr   bool          // a "\r" was skipped, "\n" must follow
	code dfa.ErrorCode // modeDoomed: the error of the record
	all  bool          // modeDoomed: its first symbol is wrong already

	// modeStart, modeHead, modeHeadError: the record that may begin on this line.
	fresh  S
	head   int16         // symbols of Start seen, or node of prefixes; headBegins
	doomed dfa.ErrorCode // the error in fresh
	n      uint8         // symbols since the line end
	open   uint8         // of them control in fresh, before its first data
}

type multiMode uint8

const (
	modeStart     multiMode = iota // at the head of the first line
	modeText                       // in a record
	modeDoomed                     // in a record whose error is yet to be said
	modeError                      // after an error
	modeHead                       // at the head of a line after a record's
	modeHeadError                  // the same, and that record is malformed
)

const (
	headBegins    = -1 // the line begins a record
	headContinues = -2 // it does not
)

// maxHead bounds multiState.n.
const maxHead = 250

// buildMultiline builds the automaton of r, whose parts are tidy.
func buildMultiline(r *Record, parts []Part, ms *messages) (*RecordShape, error) {
	parts, err := multilineParts(r, parts)
	if err != nil {
		return nil, err
	}
	t, err := positional(ms, parts, "")
	if err != nil {
		return nil, err
	}
	a, err := exploreMultiline(r, recordContent[templateState](t), ms)
	if err != nil {
		return nil, err
	}
	return &RecordShape{Automaton: a, Classes: []string{"any"}, Columns: t.columns}, nil
}

// multilineParts are parts of which the last field takes all.
func multilineParts(r *Record, parts []Part) ([]Part, error) {
	if err := checkMultiline(r, parts); err != nil {
		return nil, err
	}
	last := parts[len(parts)-1].(Hole)
	last.ToEnd = true
	return append(parts[:len(parts)-1:len(parts)-1], last), nil
}

// exploreMultiline builds the automaton of r, whose records are c.
func exploreMultiline[S comparable](r *Record, c recordContent[S], ms *messages) (*dfa.Automaton, error) {
	m := &multiline[S]{recordContent: c, messages: ms, Multiline: r.Multiline, crlf: r.EOL == 0 || r.EOL&CRLF != 0}
	var prefixes [][]byte
	for _, c := range r.Multiline.Continue {
		prefixes = append(prefixes, []byte(c))
	}
	if err := checkLength("multiline", prefixes); err != nil {
		return nil, err
	}
	m.prefixes = newMatcher(prefixes)
	return explore(m, ms)
}

func checkMultiline(r *Record, parts []Part) error {
	fault := func(what, hint string) error { return &Fault{Where: "multiline", What: what, Hint: hint} }
	m := r.Multiline
	switch {
	case r.EOL != 0 && r.EOL != LF && r.EOL != LF|CRLF || r.End != nil:
		return fault("only lf and crlf end lines here", "")
	case r.Lax && r.EOL != LF:
		return fault("a lone carriage return cannot be data here", "leave out lax, or let only lf end lines")
	case len(r.Comments)+len(r.AfterBlanks)+len(r.Directives) > 0:
		return fault("a line inside a record cannot be a comment or directive", "")
	case r.Rest != "":
		return fault("the last field takes all there is, so there is no rest", "")
	case len(m.Start) > 0 && len(m.Continue) > 0:
		return fault("either how a record starts or how a line continues it, not both", "")
	case len(m.Start) == 0 && len(m.Continue) == 0:
		return fault("nothing says where a record begins", "")
	case len(m.Start) > maxHead:
		return fault(fmt.Sprintf("the start is %d bytes long, at most %d", len(m.Start), maxHead), "")
	case len(parts) == 0:
		return &Fault{Where: "template", What: "it has no field"}
	}
	for _, s := range m.Start {
		if s.Has('\n') || s.Has('\r') {
			return fault("the start of a record cannot hold a line end", "")
		}
		if s.Empty() {
			return fault("the start of a record has a byte that nothing matches", "")
		}
	}
	for _, c := range m.Continue {
		if c == "" || len(c) > maxHead {
			return fault(fmt.Sprintf("a prefix of %d bytes, want 1 to %d", len(c), maxHead), "")
		}
		for i := range len(c) {
			if c[i] == '\n' || c[i] == '\r' {
				return fault(fmt.Sprintf("the prefix %q holds a line end", c), "")
			}
		}
	}
	if h, ok := parts[len(parts)-1].(Hole); !ok || h.Escape != nil || h.Embedded != nil {
		return fault("further lines belong to the last field, so the template must end with a field that may hold anything", "")
	}
	if h, ok := firstHole(parts); ok && h.Escape != nil {
		return fault("the first field cannot have an escape rule", "")
	}
	return nil
}

func firstHole(parts []Part) (Hole, bool) {
	for _, part := range parts {
		switch v := part.(type) {
		case Hole:
			return v, true
		case Optional:
			if h, ok := firstHole(v.Parts); ok {
				return h, true
			}
		}
	}
	return Hole{}, false
}

func (m *multiline[S]) start() multiState[S] { return m.atHead(modeStart, m.first()) }

// atHead is the state at the head of a line.
func (m *multiline[S]) atHead(mode multiMode, in S) multiState[S] {
	return multiState[S]{mode: mode, in: in, fresh: m.first()}
}

func (m *multiline[S]) step(s multiState[S], b byte) (multiState[S], dfa.Emission, *Fault) {
	if s.mode == modeDoomed {
		e := dfa.Emission{Kind: dfa.Error, Code: s.code}
		if s.all {
			e.Blame = dfa.BlameField
		}
		if b == '\n' {
			return m.atHead(modeHeadError, m.first()), e, nil
		}
		return multiState[S]{mode: modeError}, e, nil
	}
	switch {
	case b == '\n':
		next, e := m.newline(s)
		return next, e, nil
	case s.cr && s.mode == modeHeadError:
		return multiState[S]{mode: modeError}, skip, nil
	case s.cr:
		return multiState[S]{mode: modeError}, m.fail(`a carriage return is part of a line end, so "\n" must follow it`), nil
	case b == '\r' && m.crlf && s.mode != modeError:
		s.cr = true
		return s, skip, nil
	case s.mode == modeError:
		return s, skip, nil
	case s.mode == modeText:
		next, e, fault := m.symbol(s.in, b)
		if e.Kind == dfa.Error {
			return multiState[S]{mode: modeError}, e, fault
		}
		return multiState[S]{mode: modeText, in: next}, e, fault
	}
	return m.inHead(s, b)
}

// newline reads the end of a line.
func (m *multiline[S]) newline(s multiState[S]) (multiState[S], dfa.Emission) {
	switch s.mode {
	case modeError, modeHeadError:
		return m.atHead(modeHeadError, m.first()), skip
	case modeHead:
		return m.atHead(modeHead, s.in), data
	case modeStart:
		if s.n == 0 {
			return m.start(), dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.DroppedRecord}
		}
		return m.atHead(modeHeadError, m.first()), m.fail(m.beginning())
	}
	if in, ok := m.inLast(s.in); ok {
		return m.atHead(modeHead, in), data
	}
	e := m.endRecord(s.in)
	return m.atHead(modeHeadError, m.first()), dfa.Emission{Kind: dfa.Error, Code: e.Code, Blame: e.Blame}
}

func (m *multiline[S]) beginning() string { return "the line does not begin as a record begins" }

// lastHole is the pc of the last hole.
func (t *template) lastHole() int {
	for pc := range t.ins {
		if i := &t.ins[pc]; i.op == opHole && i.col == len(t.columns)-1 {
			return pc
		}
	}
	return -1
}

func (t *template) inLast(in templateState) (templateState, bool) {
	last := t.lastHole()
	if in.hole < 0 {
		for _, c := range t.sets[in.set] {
			if c.pc == last {
				return templateState{set: -1, hole: int16(last), owed: -1}, true
			}
		}
	}
	return in, int(in.hole) == last
}

func (t *template) lastField(templateState) dfa.Emission {
	return dfa.Emission{Kind: dfa.Record, Column: int16(len(t.columns) - 1)}
}

// advance is head after b.
func (m *multiline[S]) advance(head int16, b byte) int16 {
	if head < 0 {
		return head
	}
	if len(m.Start) > 0 {
		switch {
		case !m.Start[head].Has(b):
			return headContinues
		case int(head)+1 == len(m.Start):
			return headBegins
		}
		return head + 1
	}
	n := m.prefixes.next(int(head), b)
	switch {
	case m.prefixes.nodes[n].depth != m.prefixes.nodes[head].depth+1:
		return headBegins
	case m.isPrefix(n):
		return headContinues
	}
	return int16(n)
}

func (m *multiline[S]) isPrefix(n int) bool {
	for _, c := range m.Continue {
		if string(m.prefixes.nodes[n].text) == c {
			return true
		}
	}
	return false
}

// inHead reads a symbol at the head of a line.
func (m *multiline[S]) inHead(s multiState[S], b byte) (multiState[S], dfa.Emission, *Fault) {
	asBefore := data // what the symbol is if the line continues a record
	if s.mode == modeHeadError {
		asBefore = skip
	}
	s.n++
	s.head = m.advance(s.head, b)
	if s.head == headContinues {
		switch s.mode {
		case modeStart:
			return multiState[S]{mode: modeError}, m.fail(m.beginning()), nil
		case modeHeadError:
			return multiState[S]{mode: modeError}, skip, nil
		}
		return multiState[S]{mode: modeText, in: s.in}, data, nil
	}
	e := data // of a record that does not match, whose fields do not matter
	if s.doomed == 0 {
		next, emit, fault := m.symbol(s.fresh, b)
		if fault != nil {
			return s, emit, fault
		}
		s.fresh, e = next, emit
		switch {
		case e.Kind == dfa.Error:
			s.doomed, s.fresh = e.Code, m.first()
			e = data
		case e.Kind == dfa.Data:
		case e.Kind == dfa.Skip && s.open+1 == s.n:
			s.open++
		case len(m.Start) > 0:
			return s, e, &Fault{Where: "multiline", What: "the start of a record reaches beyond its first field",
				Hint: "say only how the first field begins"}
		default:
			s.doomed, s.fresh = m.messages.code("the first field of a record must reach beyond the place where it is seen to begin one"), m.first()
			e = data
		}
	}
	switch {
	case s.head == headBegins && s.doomed != 0:
		next, e := m.begun(s, multiState[S]{mode: modeDoomed, code: s.doomed, all: s.n == 1}, e)
		return next, e, nil
	case s.head == headBegins && s.open < s.n:
		next, e := m.begun(s, multiState[S]{mode: modeText, in: s.fresh}, e)
		return next, e, nil
	case s.n == maxHead:
		return s, e, &Fault{Where: "multiline", What: fmt.Sprintf("the first field of a record may begin later than %d bytes into its line", maxHead)}
	case s.mode == modeStart:
		return s, e, nil
	}
	return s, asBefore, nil
}

// begun is the transition that settles that the line of s begins a record,
// which goes on in next; e is the emission within it.
func (m *multiline[S]) begun(s, next multiState[S], e dfa.Emission) (multiState[S], dfa.Emission) {
	if s.mode == modeStart {
		return next, e
	}
	record := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	if s.mode == modeHead {
		record = m.lastField(s.in)
	}
	record.Lag, record.Open = uint16(s.n), uint16(s.open)
	return next, record
}

func (m *multiline[S]) eof(s multiState[S]) dfa.Emission {
	record := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	switch s.mode {
	case modeStart:
		if s.n == 0 {
			return skip
		}
		return m.broken(record, m.beginning(), dfa.BlameSymbol)
	case modeDoomed:
		record.Code = s.code
		if s.all {
			record.Blame = dfa.BlameField
		}
	case modeText:
		if in, ok := m.inLast(s.in); ok {
			return m.endRecord(in)
		}
		return m.endRecord(s.in)
	case modeHead:
		record = m.lastField(s.in)
		if s.n == 0 && !s.cr {
			record.Lag, record.Open = 1, 1
		}
	}
	return record
}

func (m *multiline[S]) describe(s multiState[S]) dfa.State {
	var d dfa.State
	switch s.mode {
	case modeStart:
		d = dfa.State{Name: "EOR", Doc: "at the start of a record"}
	case modeText:
		d = m.recordContent.describe(s.in)
	case modeDoomed:
		d = dfa.State{Name: "BAD", Doc: "at the start of a record that does not match"}
	case modeError:
		d = dfa.State{Name: "ERR", Doc: "after an error, before the next record"}
	case modeHead:
		d = dfa.State{Name: "NL", Doc: "at the head of a line that begins a record or continues one"}
	case modeHeadError:
		d = dfa.State{Name: "ERR_NL", Doc: "after an error, at the head of a line"}
	}
	if s.cr {
		d.Name += "_CR"
		d.Doc += ", after a carriage return"
	}
	return d
}
