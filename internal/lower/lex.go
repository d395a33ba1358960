package lower

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// Separated fields.
//
//	record     field { separator field }
//	bare       symbols that are no separator, line end or, strict, quote
//	enclosed   an opener at the very start of the field, anything, the closer
//
// A separator of several bytes is found where it first occurs complete: with
// "||" the text a|||b is a and |b. A Run takes as many of its bytes as there
// are; two of them do not make an empty field. After the closer of an
// enclosed field only a separator or the end of the record may follow. An
// enclosure that is never closed is an error reported where the field begins,
// and takes the rest of the input.
//
// A comment after data ends the record where it begins; what follows on its line is a
// record that is dropped.
//
// Lax accepts more: a quote inside a bare field is data, text after a closing
// quote is data of the field, and a field that is never closed ends with the
// input. Blanks before an opener are data too, but do not keep it from opening:
// what separates fields must not do so in quotes.
//
// With Blanks, blanks before a field and after a closer are control, those of
// bare fields too: whether a quote follows cannot be known when they are read.
//
// An enclosure may have a bound of line ends: then its states are there once for
// each number of them, the record is broken at the line end that is too many, and
// reading goes on behind it.
//
// In templates enclosures do not hold line ends, and quotes without an escape
// rule close a field only where a separator or the end of the record follows:
// "say "hi" twice" is one field.

// enclosure is one way to enclose a field.
type enclosure struct {
	open, close byte
	doubled     bool
	escape      *Escape
	loose       bool  // a closer that no separator follows is data
	exclusive   bool  // open inside a bare field is an error
	maxLines    int   // line ends that the field may hold; 0: any number
	class       uint8 // of the fields
	words       string
}

// lexer is the content of records of separated fields.
type lexer struct {
	*messages
	seps       []Separator
	match      *matcher // the separators, and what begins a comment after data
	comments   []string // which these are
	encs       []enclosure
	escape     *Escape // in bare fields
	bareClass  uint8
	lax        bool
	rule       lineRule // outside enclosures
	lines      bool     // enclosures may hold line ends
	blanks     dfa.Set  // spaces and tabs that mean nothing else, where blanks matter
	passBlanks bool     // they are no data beside fields
	openers    bool     // what opens a field is of an escape
	keepBlank  bool
	leading    bool
	trailing   bool
	sepDisplay string
	unit       string // what the fields make up, in messages
}

// lexState is its state.
type lexState struct {
	at    lexPlace
	enc   int16    // index of the enclosure, -1: bare
	node  int16    // of match: a separator may have begun
	esc   escaping // of an escape
	inRun int16    // atRun: index of the separator
	lines uint8    // line ends in the field, of an enclosure that counts them
}

type lexPlace uint8

const (
	atRecord  lexPlace = iota // before the first symbol of a record
	atField                   // after a separator
	atRun                     // after a separator that may go on
	inBare                    // in a field that is not enclosed
	inClosed                  // directly after the closer
	inEnclose                 // in an enclosed field
	inLoose                   // after a closer that may be data
	inAfter                   // lax: in the text after a closer
	inGap                     // in a run that may end the record
	inLead                    // lax: in blanks at the start of a field, which are data
	inPad                     // in blanks after a closer, which are not
	atComment                 // after the text that begins a comment after data
	inComment                 // in that comment
)

func newLexer(ms *messages, seps []Separator, encs []enclosure, escape *Escape, comments []string) (*lexer, error) {
	x := &lexer{messages: ms, seps: seps, encs: encs, escape: escape, comments: comments, unit: "record"}
	if len(seps) == 0 {
		return nil, &Fault{Where: "separator", What: "there is none"}
	}
	if err := escape.check("escape"); err != nil {
		return nil, err
	}
	var patterns [][]byte
	for i, s := range seps {
		if err := x.checkSeparator(i, s); err != nil {
			return nil, err
		}
		if s.Run {
			for _, b := range s.Text {
				patterns = append(patterns, []byte{b})
			}
		} else {
			patterns = append(patterns, s.Text)
		}
	}
	for _, c := range comments {
		if err := x.checkComment(c); err != nil {
			return nil, err
		}
	}
	if err := checkLength("separator", patterns); err != nil {
		return nil, err
	}
	for i, p := range patterns {
		for j, q := range patterns {
			if i != j && bytes.HasPrefix(q, p) {
				return nil, &Fault{Where: "separator", What: fmt.Sprintf("%q begins as %q does", q, p), Witness: q}
			}
		}
	}
	for _, c := range comments {
		patterns = append(patterns, []byte(c))
	}
	x.match = newMatcher(patterns)
	return x, x.checkEnclosures()
}

func (x *lexer) checkSeparator(i int, s Separator) error {
	switch {
	case len(s.Text) == 0:
		return &Fault{Where: "separator", What: "it is empty"}
	case bytes.ContainsAny(s.Text, "\r\n"):
		return &Fault{Where: "separator", What: fmt.Sprintf("%q holds a line end", s.Text)}
	case x.escape != nil && bytes.IndexByte(s.Text, x.escape.Lead) >= 0:
		return &Fault{Where: "separator", What: fmt.Sprintf("%q holds the lead of an escape", s.Text), Witness: []byte{x.escape.Lead}}
	}
	if i > 0 {
		x.sepDisplay += " or "
	}
	x.sepDisplay += fmt.Sprintf("%q", s.Text)
	return nil
}

// checkComment refuses what begins a comment after data and means something else too.
func (x *lexer) checkComment(c string) error {
	wrong := func(what string, args ...any) error {
		return &Fault{Where: "comment", What: fmt.Sprintf("%q, which begins a comment after data, ", c) + fmt.Sprintf(what, args...), Witness: []byte(c)}
	}
	for i := range len(c) {
		for _, s := range x.seps {
			if bytes.IndexByte(s.Text, c[i]) >= 0 {
				return wrong("has %q in common with the separator %q", c[i], s.Text)
			}
		}
		for _, e := range x.encs {
			if c[i] == e.open || c[i] == e.close {
				return wrong("holds %q, which encloses a field", c[i])
			}
		}
		if x.escape.opens(c[i]) {
			return wrong("holds %q, which leads an escape", c[i])
		}
	}
	for _, d := range x.comments {
		if c != d && strings.Contains(c, d) {
			return wrong("holds %q, which begins one too", d)
		}
	}
	return nil
}

// findBlanks sets what blanks are: spaces and tabs that neither begin a separator
// nor open a field nor lead an escape.
func (x *lexer) findBlanks() {
	for _, b := range []byte(" \t") {
		other := x.escape.opens(b)
		for _, s := range x.seps {
			other = other || s.Text[0] == b || s.Run && bytes.IndexByte(s.Text, b) >= 0
		}
		for _, c := range x.encs {
			other = other || c.open == b
		}
		if !other {
			x.blanks = x.blanks.Union(dfa.Bytes(b))
		}
	}
}

func (x *lexer) checkEnclosures() error {
	for i, c := range x.encs {
		if c.escape != nil {
			if err := c.escape.check(c.words); err != nil {
				return err
			}
			if c.escape.Lead == c.close {
				return &Fault{Where: c.words, What: fmt.Sprintf("%q both closes the field and leads an escape", c.close),
					Witness: []byte{c.open, c.close}, Hint: "say doubled where two of them are one"}
			}
		}
		if bytes.IndexByte([]byte("\r\n"), c.open) >= 0 || bytes.IndexByte([]byte("\r\n"), c.close) >= 0 {
			return &Fault{Where: c.words, What: "a line end cannot enclose a field"}
		}
		for _, s := range x.seps {
			for _, b := range s.Text {
				if b == c.open || b == c.close {
					return &Fault{Where: c.words, What: fmt.Sprintf("%q is also in the separator %q", b, s.Text), Witness: []byte{b}}
				}
			}
		}
		for _, d := range x.encs[:i] {
			if c.open == d.open {
				return &Fault{Where: c.words, What: fmt.Sprintf("%q also opens a field that is %s", c.open, d.words), Witness: []byte{c.open}}
			}
		}
	}
	return nil
}

func (x *lexer) first() lexState { return lexState{at: atRecord, enc: -1} }

func (x *lexer) symbol(s lexState, b byte) (lexState, dfa.Emission, *Fault) {
	switch s.at {
	case atRun:
		if bytes.IndexByte(x.seps[s.inRun].Text, b) >= 0 {
			return s, skip, nil
		}
	case atRecord:
		if x.leading && x.run(b) || x.passBlanks && x.blanks.Has(b) {
			return s, skip, nil
		}
	case inBare, inAfter:
		next, e := x.text(s, b)
		return next, e, nil
	case inEnclose:
		next, e := x.enclosed(s, b)
		return next, e, nil
	case inClosed, inPad:
		next, e := x.closed(s, b)
		return next, e, nil
	case inLoose:
		next, e := x.loose(s, b)
		return next, e, nil
	case inGap:
		next, e := x.gap(s, b)
		return next, e, nil
	case atComment, inComment:
		return lexState{at: inComment, enc: -1}, skip, nil
	}
	next, e := x.begin(b)
	return next, e, nil
}

// run reports whether b belongs to the one run of separators.
func (x *lexer) run(b byte) bool { return bytes.IndexByte(x.seps[0].Text, b) >= 0 }

// begin reads the first symbol of a field.
func (x *lexer) begin(b byte) (lexState, dfa.Emission) {
	for i := range x.encs {
		if x.encs[i].open == b {
			if x.openers {
				return lexState{at: inEnclose, enc: int16(i)}, lead
			}
			return lexState{at: inEnclose, enc: int16(i)}, skip
		}
	}
	switch {
	case !x.blanks.Has(b):
	case x.passBlanks:
		return lexState{at: atField, enc: -1}, skip
	default:
		return lexState{at: inLead, enc: -1}, data
	}
	return x.text(lexState{at: inBare, enc: -1}, b)
}

// text reads a symbol of a bare field, or of what follows a closer in lax.
func (x *lexer) text(s lexState, b byte) (lexState, dfa.Emission) {
	if s.esc != unescaped {
		esc, e, ok := x.escape.step(s.esc, b)
		if !ok {
			return s, x.fail(x.escape.complaint(s.esc))
		}
		s.esc = esc
		return s, e
	}
	if x.escape.opens(b) {
		return lexState{at: s.at, enc: s.enc, esc: afterLead}, x.escape.open()
	}
	n := x.match.next(int(s.node), b)
	if x.match.match(n) > 0 {
		return x.separated(s, b, n)
	}
	if s.at == inBare && !x.lax {
		for i := range x.encs {
			if c := &x.encs[i]; c.exclusive && c.open == b {
				return s, x.fail(fmt.Sprintf("a field that holds %q must be enclosed in it", b))
			}
		}
	}
	return lexState{at: s.at, enc: s.enc, node: int16(n)}, data
}

// class is the lexeme class of the field of s.
func (x *lexer) class(s lexState) uint8 {
	if s.enc < 0 {
		return x.bareClass
	}
	return x.encs[s.enc].class
}

// separated ends the field of s: b completes the separator at node n.
func (x *lexer) separated(s lexState, b byte, n int) (lexState, dfa.Emission) {
	lag := uint16(x.match.match(n) - 1)
	if slices.Contains(x.comments, string(x.match.matched(n))) {
		return lexState{at: atComment, enc: -1},
			dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Class: x.class(s), Lag: lag, Open: lag}
	}
	if x.trailing {
		return lexState{at: inGap, enc: s.enc}, skip
	}
	e := dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn, Class: x.class(s), Lag: lag, Open: lag}
	for i, sep := range x.seps {
		if sep.Run && bytes.IndexByte(sep.Text, b) >= 0 {
			return lexState{at: atRun, enc: -1, inRun: int16(i)}, e
		}
	}
	return lexState{at: atField, enc: -1}, e
}

func (x *lexer) enclosed(s lexState, b byte) (lexState, dfa.Emission) {
	c := &x.encs[s.enc]
	if c.maxLines > 0 && b == '\n' {
		s.lines++ // lineEnd has seen to it that there may be another
	}
	if s.esc != unescaped {
		esc, e, ok := c.escape.step(s.esc, b)
		if !ok {
			return s, x.fail(c.escape.complaint(s.esc))
		}
		s.esc = esc
		return s, e
	}
	switch {
	case c.escape.opens(b):
		s.esc = afterLead
		return s, c.escape.open()
	case b != c.close:
		return s, data
	case c.loose:
		return lexState{at: inLoose, enc: s.enc}, data
	}
	return lexState{at: inClosed, enc: s.enc, lines: s.lines}, skip
}

// closed reads a symbol after the closer, and after the symbols of a separator
// that have followed it.
func (x *lexer) closed(s lexState, b byte) (lexState, dfa.Emission) {
	c := &x.encs[s.enc]
	if c.doubled && b == c.close && s.node == 0 && s.at == inClosed {
		return lexState{at: inEnclose, enc: s.enc, lines: s.lines}, data
	}
	if x.passBlanks && s.node == 0 && x.blanks.Has(b) {
		return lexState{at: inPad, enc: s.enc}, skip
	}
	n := x.match.next(int(s.node), b)
	if x.match.nodes[n].depth == x.match.nodes[s.node].depth+1 {
		if x.match.match(n) > 0 {
			return x.separated(s, b, n)
		}
		return lexState{at: s.at, enc: s.enc, node: int16(n)}, data
	}
	if x.lax {
		return x.text(lexState{at: inAfter, enc: s.enc, node: s.node}, b)
	}
	return s, x.fail(x.afterCloser(c))
}

func (x *lexer) afterCloser(c *enclosure) string {
	what := fmt.Sprintf("%s or the end of the %s must follow the closing %q", x.sepDisplay, x.unit, c.close)
	if c.doubled {
		what += fmt.Sprintf("; inside the field it is written %q", []byte{c.close, c.close})
	}
	return what
}

// loose reads a symbol after a closer that is data unless the field ends here.
func (x *lexer) loose(s lexState, b byte) (lexState, dfa.Emission) {
	if n := x.match.next(0, b); x.match.match(n) > 0 {
		next, e := x.separated(s, b, n)
		e.Lag, e.Open = e.Lag+1, e.Open+1
		return next, e
	}
	return x.enclosed(lexState{at: inEnclose, enc: s.enc}, b)
}

// gap reads a symbol after a run that has ended the field of s, which is only
// said now: had the record ended, the run would have separated nothing.
func (x *lexer) gap(s lexState, b byte) (lexState, dfa.Emission) {
	if x.run(b) {
		return s, skip
	}
	next, e := x.begin(b)
	if e.Kind == dfa.Error {
		return next, e
	}
	if e.Kind == dfa.Record { // a comment, which the run may stand before
		e.Class = x.class(s)
		return next, e
	}
	field := dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn, Class: x.class(s), Lag: 1}
	if e.Kind == dfa.Skip {
		field.Open, field.Escape = 1, e.Escape
	}
	return next, field
}

func (x *lexer) lineEnd(s lexState) (dfa.Emission, lineRule) {
	e := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Class: x.class(s)}
	rule := x.rule
	switch s.at {
	case inGap:
		rule = strictLine
	case atComment, inComment:
		e.Record, e.Class = dfa.DroppedRecord, 0
		return e, tolerantLine
	case atRecord:
		if !x.keepBlank {
			e.Record, e.Class = dfa.DroppedRecord, 0
		}
	case inBare, inAfter:
		if s.esc == afterLead && x.lines && x.escape.takes('\n') {
			return e, ordinaryLine
		}
		if s.esc != unescaped {
			e = x.broken(e, "the "+x.unit+" ends inside an escape", dfa.BlameSymbol)
		}
	case inEnclose:
		if c := &x.encs[s.enc]; c.maxLines > 0 && int(s.lines) == c.maxLines {
			return x.broken(e, fmt.Sprintf("a field that %q opens holds more line ends than max_lines %d allows", c.open, c.maxLines), dfa.BlameField), feedLine
		}
		if x.lines {
			return e, ordinaryLine
		}
		return x.unclosed(s, e), feedLine
	case inLoose:
		e.Lag, e.Open = 1, 1
	case inClosed, inPad:
		if s.node != 0 && !x.lax {
			e = x.broken(e, x.afterCloser(&x.encs[s.enc]), dfa.BlameSymbol)
		}
	}
	return e, rule
}

// unclosed is e for a record that ends inside an enclosure.
func (x *lexer) unclosed(s lexState, e dfa.Emission) dfa.Emission {
	c := &x.encs[s.enc]
	if x.lax {
		return e
	}
	return x.broken(e, fmt.Sprintf("a field that %q opens is never closed by %q", c.open, c.close), dfa.BlameField)
}

func (x *lexer) end(s lexState) dfa.Emission {
	switch s.at {
	case atRecord, atComment:
		return skip
	case inEnclose:
		return x.unclosed(s, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Class: x.class(s)})
	}
	e, _ := x.lineEnd(s)
	if s.esc != unescaped {
		e = x.broken(e, "the "+x.unit+" ends inside an escape", dfa.BlameSymbol)
	}
	return e
}

func (x *lexer) describe(s lexState) dfa.State {
	d := dfa.State{}
	switch s.at {
	case atRecord:
		d = dfa.State{Name: "EOR", Doc: "at the start of a record"}
	case atField:
		d = dfa.State{Name: "EOF", Doc: "at the start of a field"}
	case atRun:
		d = dfa.State{Name: "RUN", Doc: "after a separator that may go on"}
	case inBare:
		d = dfa.State{Name: "FLD", Doc: "in a field"}
	case inEnclose:
		d = dfa.State{Name: "ENC", Doc: "in a field that is " + x.encs[s.enc].words}
	case inLoose:
		d = dfa.State{Name: "ENC_END", Doc: fmt.Sprintf("after a %q that may close a field", x.encs[s.enc].close)}
	case inClosed:
		d = dfa.State{Name: "ESC", Doc: fmt.Sprintf("after the %q that closes a field", x.encs[s.enc].close)}
		if x.encs[s.enc].doubled {
			d.Doc = fmt.Sprintf("after a %q that closes a field or is the first of two", x.encs[s.enc].close)
		}
	case inLead:
		d = dfa.State{Name: "LEAD", Doc: "in blanks at the start of a field"}
	case inPad:
		d = dfa.State{Name: "PAD", Doc: fmt.Sprintf("in blanks after the %q that closes a field", x.encs[s.enc].close)}
	case inAfter:
		d = dfa.State{Name: "TXT", Doc: "in text after a closing quote"}
	case inGap:
		d = dfa.State{Name: "GAP", Doc: "between two fields"}
	case atComment:
		d = dfa.State{Name: "MARK", Doc: "after the text that begins a comment"}
	case inComment:
		d = dfa.State{Name: "REM", Doc: "in a comment after data"}
	}
	if s.lines > 0 {
		d.Name += fmt.Sprintf("_%d", s.lines)
		d.Doc += fmt.Sprintf(", after %d line ends", s.lines)
	}
	if s.node != 0 {
		d.Name += "_SEP"
		d.Doc += fmt.Sprintf(", after %s of a separator", shown(x.match.nodes[s.node].text))
	}
	d.Name += escapeNames[s.esc]
	d.Doc += escapeDocs[s.esc]
	return d
}
