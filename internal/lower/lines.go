package lower

import (
	"bytes"
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// Line ends, blank lines, comments and directives, around any content.
//
//	LF|CRLF   "\n" and "\r\n" end a record (the default)
//	LF        "\n" does, "\r" is an ordinary symbol
//	CRLF      "\r\n" does; a "\r" or "\n" alone is an error
//	CR        "\r" does, "\n" is an ordinary symbol
//	AnyEOL    "\n", "\r\n" and "\r" do
//
// Where "\r\n" is a line end, a "\r" that no "\n" follows is an error; Lax
// makes it an ordinary symbol (and so a lone "\n" where only "\r\n" ends a
// record). Where no record can end, as in a field whose closer is still to
// come, "\r" is an ordinary symbol anyway. A "\r" at the very end of the input ends its record. Inside an
// enclosure that may hold line ends all of them are ordinary.
//
// The last record needs no line end. A line with nothing on it is no record,
// or with KeepBlank a record of one empty field. With AnyEOL the "\n" of
// "\r\n" is a record of its own that is dropped, so that a record can end at
// its "\r" without looking ahead.
//
// A comment or directive is a line that begins with a prefix of the list; of
// several the longest counts. A directive that names columns ends a word: one that
// goes on is another prefix, or none. A quote means nothing in it. A directive is a
// record without fields to speak of: it is taken from the line as written. A
// line that fails as a record while it may still become a comment is reported
// at the symbol that decides it is none.
//
// After an error everything is skipped up to the next line end.
//
// Blanks may stand in front of a prefix of AfterBlanks. What is on such a line until then
// is read as a record too, and dropped.
//
// With an End its text ends a record, and "\n" and "\r" are ordinary symbols. Its first
// symbol stands in it only once: while it is read, what the text is if it ends no record
// is known in one state.
//
// With Names the first line, and each after an empty one, names columns: it is a directive
// as a whole. Comments and directives may stand before it.
//
// With a line that begins with one of Stops, or an empty one if these stop, the data
// end: it and every line after it is a record that is dropped.

// content is what stands on lines. A state of it may be asked what a line end
// means there.
type content[S comparable] interface {
	valueContent[S]
	lineEnd(s S) (dfa.Emission, lineRule)
}

// lineRule says how a line end is taken.
type lineRule uint8

const (
	strictLine   lineRule = iota // it ends the record; a "\r" must be part of it
	tolerantLine                 // it ends the record; a lone "\r" is an ordinary symbol
	feedLine                     // "\n" ends the record, malformed as it is; any "\r" is an ordinary symbol
	ordinaryLine                 // it is ordinary: the state does not end here
)

// lineRuleOf is the rule of content outside enclosures.
func lineRuleOf(lax bool) lineRule {
	if lax {
		return tolerantLine
	}
	return strictLine
}

// lineState is the state of lined.
type lineState[S comparable] struct {
	in    S
	other S // after "\r" as an ordinary symbol, if that is what it proves to be
	mode  lineMode
	cr    crState
	node  int16         // of the prefixes, while they match; -1: no longer
	kind  int16         // 1 + index of the prefix that matched; 0: none
	code  dfa.ErrorCode // an error of in that waits for the prefix to fail
	blame dfa.Blame
	names bool // the next line that has no prefix names columns
	// passed: the line has symbols, all passed over, and is a record at the end of the input too.
	passed bool
	end    int8 // symbols of the End that have been read; in is the state before them
	// Of other, the state after them as ordinary symbols.
	endCode  dfa.ErrorCode
	endBlame dfa.Blame
}

type lineMode uint8

const (
	inText  lineMode = iota
	inLine           // a comment or directive
	inNames          // a line that names columns
	inError
	inStopped // in a line after the data
	atStopped // before such a line
)

type crState uint8

const (
	noCR     crState = iota
	skipCR           // "\r" was skipped: "\n" must follow
	dataCR           // "\r" was data
	passCR           // "\r" was skipped and may stand alone
	endingCR         // "\r" has just ended a record, "\n" may follow
)

// lined is the machine of records that end at line ends.
type lined[S comparable] struct {
	content[S]
	*messages
	eol         EOL
	text        []byte // ends a record; nil: eol does
	prefixes    *prefixes
	keepBlank   bool
	stopAtBlank bool
	names       dfa.RecordKind // of a line that names columns; 0: there is none
	// exact: a record ends before the "\r" of its line end, for readers that
	// take parts of it as written. Else it ends before the "\n", and the "\r"
	// is a control symbol of its last field, which saves a lag.
	exact bool
}

// exploreLined builds the automaton of lines of a content; exact is that of lined.
func exploreLined[S comparable](c content[S], l *Lines, exact bool, ms *messages) (*dfa.Automaton, error) {
	m, err := newLined(c, l, ms)
	if err != nil {
		return nil, err
	}
	m.exact = exact
	return explore(m, ms)
}

func newLined[S comparable](c content[S], l *Lines, ms *messages) (*lined[S], error) {
	m := &lined[S]{content: c, messages: ms, eol: l.EOL, text: l.End}
	if err := l.checkEnd(); err != nil {
		return nil, err
	}
	switch l.EOL {
	case 0:
		m.eol = LF | CRLF
	case LF, CRLF, CR, LF | CRLF, AnyEOL:
	case LF | CR:
		m.eol = AnyEOL
	default:
		return nil, &Fault{Where: "line ends", What: "this combination cannot be read without looking ahead", Hint: "use any"}
	}
	var err error
	m.keepBlank, m.stopAtBlank = l.Blank == KeepBlank, l.StopAtBlank
	if l.Names > 0 {
		m.names = dfa.FirstDirective + dfa.RecordKind(l.Names-1)
	}
	m.prefixes, err = newPrefixes(l)
	if err != nil {
		return nil, err
	}
	return m, checkPrefixes(m)
}

// maxEnd bounds the text that ends a record.
const maxEnd = 16

func (l *Lines) checkEnd() error {
	switch {
	case l.End == nil:
		return nil
	case len(l.End) == 0 || len(l.End) > maxEnd:
		return &Fault{Where: "eol", What: fmt.Sprintf("a text that ends records has 1 to %d bytes", maxEnd)}
	case l.EOL != 0:
		return &Fault{Where: "eol", What: "records end with a text or with the line, not with both"}
	case bytes.IndexByte(l.End[1:], l.End[0]) >= 0:
		return &Fault{Where: "eol", What: fmt.Sprintf("%q is in %q twice: where it ends a record could be told only by what follows", l.End[:1], l.End), Witness: l.End}
	}
	return nil
}

// checkPrefixes refuses prefixes that begin as a record may begin only with a
// control symbol.
func checkPrefixes[S comparable](m *lined[S]) error {
	for _, p := range m.prefixes.list {
		_, e, fault := m.symbol(m.first(), p.text[0])
		switch {
		case fault != nil:
			return fault
		case e.Kind == dfa.Skip && !e.Escape: // before the lead of an escape the prefix goes first, as before data
			return &Fault{Where: p.where(), What: fmt.Sprintf("%q begins as a record begins", p.text), Witness: p.text[:1]}
		case e.Kind == dfa.Field: // a record may end here: with a comment after data
			return &Fault{Where: p.where(), What: fmt.Sprintf("%q begins with a separator", p.text), Witness: p.text[:1]}
		}
	}
	return nil
}

func (m *lined[S]) start() lineState[S] {
	s := m.fresh(noCR)
	s.names = m.names != 0
	return s
}

func (m *lined[S]) fresh(cr crState) lineState[S] {
	s := lineState[S]{in: m.first(), cr: cr, node: -1}
	s.other = s.in
	if len(m.prefixes.list) > 0 {
		s.node = 0
	}
	return s
}

// after is the state after the line end of a line in s.
func (m *lined[S]) after(s lineState[S], cr crState) lineState[S] {
	next := m.fresh(cr)
	if s.mode == inStopped || s.mode == atStopped || s.mode == inLine && m.prefixes.list[s.kind-1].stop || m.stopAtBlank && m.blank(s) {
		next.mode, next.node = atStopped, -1
		return next
	}
	next.names = m.names != 0 && (m.blank(s) || s.names && s.mode != inNames)
	return next
}

// blank reports whether there is nothing on the line of s so far.
func (m *lined[S]) blank(s lineState[S]) bool {
	return s.mode == inText && s.code == 0 && s.in == m.first()
}

func (m *lined[S]) failed(cr crState) lineState[S] {
	s := m.fresh(cr)
	s.mode, s.node = inError, -1
	return s
}

func (m *lined[S]) step(s lineState[S], b byte) (lineState[S], dfa.Emission, *Fault) {
	if s.cr == endingCR {
		if b == '\n' {
			s.cr = noCR // what a line is before this, the next one is
			return s, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.DroppedRecord}, nil
		}
		s.cr = noCR
	}
	if s.cr != noCR {
		return m.stepAfterCR(s, b)
	}
	if s.end > 0 {
		return m.stepEnd(s, b)
	}
	if m.prefixes.waits(s.node) && !dfa.InWord(b) {
		s = m.settled(s)
	}
	if m.text != nil {
		return m.stepText(s, b)
	}
	if b != '\n' && b != '\r' {
		return m.ordinary(s, b)
	}
	end, rule := m.lineEnd(s)
	switch {
	case rule == ordinaryLine:
	case b == '\n' && m.eol&LF != 0, b == '\r' && m.eol&CR != 0:
		cr := noCR
		if b == '\r' && m.eol == AnyEOL {
			cr = endingCR
		}
		return m.after(s, cr), end, nil
	case b == '\r' && rule == feedLine && m.eol&LF != 0:
	case b == '\r' && m.eol&CRLF != 0:
		return m.stepCR(s, rule)
	case b == '\n' && m.eol == CRLF && rule != tolerantLine && s.mode == inText:
		return m.failed(noCR), m.fail(`a line ends in "\r\n" here, not in "\n" alone`), nil
	}
	return m.ordinary(s, b)
}

// lineEnd is what a line end means in s.
func (m *lined[S]) lineEnd(s lineState[S]) (dfa.Emission, lineRule) {
	record := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	switch s.mode {
	case inError:
		return record, tolerantLine
	case inStopped, atStopped:
		record.Record = dfa.DroppedRecord
		return record, tolerantLine
	case inLine:
		record.Record = m.prefixes.list[s.kind-1].kind
		return record, tolerantLine
	case inNames:
		record.Record = m.names
		return record, tolerantLine
	}
	if s.code != 0 {
		record.Code, record.Blame = s.code, s.blame
		return record, tolerantLine
	}
	end, rule := m.content.lineEnd(s.in)
	if m.stopAtBlank && m.blank(s) {
		end = dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.DroppedRecord}
	}
	return end, rule
}

// stepText reads a symbol where a text ends records.
func (m *lined[S]) stepText(s lineState[S], b byte) (lineState[S], dfa.Emission, *Fault) {
	if b != m.text[0] {
		return m.ordinary(s, b)
	}
	end, rule := m.lineEnd(s)
	switch {
	case rule == ordinaryLine:
		return m.ordinary(s, b)
	case len(m.text) == 1:
		return m.after(s, noCR), end, nil
	}
	s.other, s.endCode, s.endBlame, s.node = s.in, s.code, s.blame, -1
	return m.hold(s, b)
}

// stepEnd reads a symbol after the first ones of such a text.
func (m *lined[S]) stepEnd(s lineState[S], b byte) (lineState[S], dfa.Emission, *Fault) {
	if b != m.text[s.end] {
		if s = m.noEnd(s); s.mode == inText && s.code != 0 {
			e := dfa.Emission{Kind: dfa.Error, Code: s.code, Blame: s.blame}
			s = m.failed(noCR)
			if b == m.text[0] {
				s.end = 1
			}
			return s, e, nil
		}
		return m.step(s, b)
	}
	if int(s.end)+1 < len(m.text) {
		return m.hold(s, b)
	}
	lag := uint16(s.end)
	s.end = 0
	e, _ := m.lineEnd(s)
	e.Lag, e.Open = e.Lag+lag, e.Open+lag
	return m.after(s, noCR), e, nil
}

// hold reads one more symbol of a text that may end the record, as an ordinary one.
func (m *lined[S]) hold(s lineState[S], b byte) (lineState[S], dfa.Emission, *Fault) {
	s.end++
	if s.mode != inText || s.names || s.endCode != 0 {
		return s, skip, nil
	}
	next, e, fault := m.symbol(s.other, b)
	switch {
	case fault != nil:
		return s, e, fault
	case e.Kind == dfa.Error:
		s.endCode, s.endBlame, s.other = e.Code, e.Blame, m.first()
		return s, skip, nil
	case e.Boundary():
		return s, e, &Fault{Where: "eol", What: fmt.Sprintf("%q, which ends records, holds a separator", m.text)}
	}
	s.other = next
	return s, e, nil
}

// noEnd is s after symbols that have not become the text that ends a record.
func (m *lined[S]) noEnd(s lineState[S]) lineState[S] {
	s.in, s.code, s.blame, s.end, s.endCode, s.endBlame = s.other, s.endCode, s.endBlame, 0, 0, 0
	s.other = m.first()
	if s.mode == atStopped {
		s.mode = inStopped
	}
	if s.mode == inText && s.names {
		s.mode = inNames
	}
	s.passed = m.keepBlank && m.blank(s)
	return s
}

// stepCR reads a "\r" that may begin a line end.
func (m *lined[S]) stepCR(s lineState[S], rule lineRule) (lineState[S], dfa.Emission, *Fault) {
	if s.mode != inText || s.code != 0 || s.names {
		s.cr, s.node = passCR, -1
		return s, skip, nil
	}
	var next lineState[S]
	e := dfa.Emission{Kind: dfa.Error}
	if rule == tolerantLine {
		var fault *Fault
		next, e, fault = m.ordinary(s, '\r')
		if fault != nil || e.Boundary() {
			return next, e, fault
		}
	}
	s.node = -1
	switch e.Kind {
	case dfa.Skip: // in a comment after data
		s.cr = passCR
		return s, skip, nil
	case dfa.Error:
		s.cr = skipCR
		return s, skip, nil
	}
	s.other, s.cr = next.in, dataCR
	return s, e, nil
}

// stepAfterCR reads the symbol after such a "\r".
func (m *lined[S]) stepAfterCR(s lineState[S], b byte) (lineState[S], dfa.Emission, *Fault) {
	if b == '\n' {
		end, _ := m.lineEnd(s)
		return m.after(s, noCR), m.afterCR(s.cr, end), nil
	}
	cr := s.cr
	s.cr = noCR
	switch cr {
	case skipCR:
		next := m.failed(noCR)
		if b == '\r' {
			next.cr = passCR
		}
		return next, m.fail(`a carriage return is part of a line end, so "\n" must follow it`), nil
	case dataCR:
		s.in = s.other
	}
	s.other = m.first()
	return m.step(s, b)
}

// afterCR is the emission e of a line end that began with a "\r".
func (m *lined[S]) afterCR(cr crState, e dfa.Emission) dfa.Emission {
	if e.Lag > 0 || cr == dataCR || cr == skipCR && m.exact {
		e.Lag++
		e.Open++
	}
	return e
}

// ordinary reads a symbol that is no line end.
func (m *lined[S]) ordinary(s lineState[S], b byte) (lineState[S], dfa.Emission, *Fault) {
	if m.prefixes.passes(s.node, b) {
		s.node = m.prefixes.blanks
	} else if s.node >= 0 {
		s.node = int16(m.prefixes.next(int(s.node), b))
		waits := m.prefixes.waits(s.node)
		if s.node >= 0 && m.prefixes.nodes[s.node].kind > 0 && !waits {
			s = m.settled(s)
		}
		if s.node >= 0 && len(m.prefixes.nodes[s.node].child) == 0 && !waits {
			s.node = -1
		}
	}
	if s.mode == atStopped {
		s.mode = inStopped
	}
	if s.mode == inText && s.names {
		s.mode = inNames
	}
	if s.mode != inText {
		return s, skip, nil
	}
	e := dfa.Emission{Kind: dfa.Error, Code: s.code, Blame: s.blame}
	if s.code == 0 {
		next, emit, fault := m.symbol(s.in, b)
		if fault != nil {
			return s, emit, fault
		}
		s.in, s.other, e = next, m.first(), emit
		s.passed = m.keepBlank && m.blank(s)
	}
	if e.Kind != dfa.Error {
		return s, e, nil
	}
	if s.node >= 0 {
		s.code, s.blame, s.in = e.Code, e.Blame, m.first()
		return s, skip, nil
	}
	return m.failed(noCR), e, nil
}

// settled is s in a line with the prefix that ends at its node.
func (m *lined[S]) settled(s lineState[S]) lineState[S] {
	s.mode, s.kind, s.code, s.blame = inLine, m.prefixes.nodes[s.node].kind, 0, 0
	s.in, s.passed = m.first(), false
	s.other = s.in
	return s
}

func (m *lined[S]) eof(s lineState[S]) dfa.Emission {
	if m.prefixes.waits(s.node) {
		s = m.settled(s)
	}
	if s.end > 0 {
		s = m.noEnd(s)
	}
	if s.cr == endingCR || s.mode == atStopped && s.cr == noCR {
		return skip
	}
	var e dfa.Emission
	if s.mode == inText && s.code == 0 && s.cr == noCR && !s.passed {
		e = m.end(s.in)
	} else {
		e, _ = m.lineEnd(s)
	}
	if e.Kind == dfa.Record && s.cr != noCR {
		e = m.afterCR(s.cr, e)
	}
	return e
}

func (m *lined[S]) describe(s lineState[S]) dfa.State {
	var d dfa.State
	switch {
	case s.cr == endingCR:
		return dfa.State{Name: "EOR_CR", Doc: "at the start of a record, after a carriage return"}
	case s.mode == atStopped:
		d = dfa.State{Name: "END", Doc: "after the data, at the start of a line"}
	case s.mode == inStopped:
		d = dfa.State{Name: "END_LINE", Doc: "after the data"}
	case s.mode == inLine && m.prefixes.list[s.kind-1].stop:
		d = dfa.State{Name: "STOP", Doc: "in the line with which the data end"}
	case s.mode == inError:
		d = dfa.State{Name: "ERR", Doc: "after an error, before the next line end"}
	case s.mode == inLine && m.prefixes.list[s.kind-1].kind == dfa.DroppedRecord:
		d = dfa.State{Name: "COM", Doc: "in a comment"}
	case s.mode == inLine:
		d = dfa.State{Name: "DIR", Doc: "in a line that begins with " + shown(m.prefixes.list[s.kind-1].text)}
	case s.mode == inNames:
		d = dfa.State{Name: "NAMES", Doc: "in a line that names the columns"}
	default:
		d = m.content.describe(s.in)
	}
	if s.names && s.mode != inNames {
		d.Name += "_NAMES"
		d.Doc += ", before the line that names the columns"
	}
	if s.passed {
		d.Name += "_PASSED"
		d.Doc += ", after symbols that are passed over"
	}
	switch {
	case s.node > 0 && s.node == m.prefixes.blanks:
		d.Name += "_BLANKS"
		d.Doc += ", after nothing but blanks"
	case s.node > 0:
		d.Name += "_PRE"
		d.Doc += fmt.Sprintf(", where the line may still begin with a longer prefix (%s so far)", shown(m.prefixes.nodes[s.node].text))
	}
	if s.end > 0 {
		d.Name += "_END"
		d.Doc += fmt.Sprintf(", after %s, which may end the record", shown(m.text[:s.end]))
	}
	if s.cr != noCR {
		d.Name += "_CR"
		d.Doc += ", after a carriage return"
	}
	return d
}
