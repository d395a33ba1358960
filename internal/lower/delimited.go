package lower

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// LimitMaxLines is the most that Delimited.MaxLines can be.
const LimitMaxLines = 255

// BuildDelimited builds the automaton of d, and gives the lexeme classes of
// its fields in words (dfa.Definition.Classes).
func BuildDelimited(d *Delimited) (*dfa.Automaton, []string, error) {
	ms := newMessages(d.Work)
	classes := []string{"any"}
	class := func(words string) uint8 {
		if !d.Classes {
			return 0
		}
		classes = append(classes, words)
		return uint8(len(classes) - 1)
	}
	bareClass := class("not enclosed")
	var encs []enclosure
	bare := d.Escape
	if d.Quote != 0 {
		if !d.Everywhere {
			bare = nil
		}
		for _, q := range append([]byte{d.Quote}, d.Quotes...) {
			words := fmt.Sprintf("in quotes %c", q)
			encs = append(encs, enclosure{open: q, close: q, doubled: d.Doubled, escape: d.Escape,
				exclusive: true, maxLines: d.MaxLines, class: class(words), words: words})
		}
	} else if d.Doubled {
		return nil, nil, &Fault{Where: "quote", What: "doubled without a quote"}
	} else if d.MaxLines > 0 {
		return nil, nil, &Fault{Where: "quote", What: "max_lines without a quote"}
	}
	switch {
	case d.MaxLines < 0 || d.MaxLines > LimitMaxLines:
		return nil, nil, &Fault{Where: "quote", What: fmt.Sprintf("max_lines %d, want 1 to %d", d.MaxLines, LimitMaxLines)}
	case d.MaxLines > 0 && (d.EOL != 0 && d.EOL&LF == 0 || d.EOL&CR != 0 || d.End != nil):
		return nil, nil, &Fault{Where: "quote", What: `max_lines is for lines that end in "\n"`, Hint: "eol lf|crlf, which is the default, or eol lf"}
	}
	for _, b := range d.Brackets {
		words := fmt.Sprintf("in brackets %c%c", b[0], b[1])
		encs = append(encs, enclosure{open: b[0], close: b[1], class: class(words), words: words})
	}
	x, err := newLexer(ms, d.Separators, encs, bare, d.AfterData)
	if err != nil {
		return nil, nil, err
	}
	if (d.Leading || d.Trailing) && (len(d.Separators) != 1 || !d.Separators[0].Run) {
		return nil, nil, &Fault{Where: "separator", What: "only one run can be passed over at the start or end of a record"}
	}
	if d.Rest && d.Trailing && (len(encs) > 0 || d.Escape != nil) {
		// Where a run may end the record, the symbol behind it tells that a field begins. One that is no data is
		// passed over with the run then, and would be missing from what is to stand as it is.
		return nil, nil, &Fault{Where: "separator", What: "of a run that may end the record, no rest keeps the quote, bracket or escape that it begins with",
			Hint: "leave trailing away, and trim the rest"}
	}
	x.bareClass, x.lax, x.rule, x.lines = bareClass, d.Lax, lineRuleOf(d.Lax), true
	x.leading, x.trailing, x.keepBlank = d.Leading, d.Trailing, d.Blank == KeepBlank
	x.passBlanks, x.openers = d.Blanks, d.Openers
	if d.Blanks || d.Lax && len(encs) > 0 {
		x.findBlanks()
	}
	if d.Blanks && x.blanks.Empty() {
		return nil, nil, &Fault{Where: "blanks", What: "spaces and tabs are separators here, and so no blanks beside them"}
	}
	if err := d.checkEndIn(encs); err != nil {
		return nil, nil, err
	}
	lines := d.Lines
	lines.AfterBlanks = slices.Concat(lines.AfterBlanks, d.AfterData)
	if err := d.checkAfterData(&lines); err != nil {
		return nil, nil, err
	}
	a, err := exploreLined[lexState](x, &lines, d.Rest, ms)
	return a, classes, err
}

// checkAfterData refuses comments after data that would begin in another prefix of a
// line, or that a run which may end the record would have to wait for.
func (d *Delimited) checkAfterData(l *Lines) error {
	for _, c := range d.AfterData {
		if d.Trailing && len(c) > 1 {
			return &Fault{Where: "comment", What: fmt.Sprintf("%q stands after a run that may end the record: such a comment begins with one symbol", c)}
		}
		for _, p := range slices.Concat(l.Comments, l.AfterBlanks, l.Directives, l.Stops) {
			if i := strings.Index(p, c); i > 0 {
				return &Fault{Where: "comment", What: fmt.Sprintf("a line that begins with %q holds %q, which begins a comment after data", p, c), Witness: []byte(p)}
			}
		}
	}
	return nil
}

// checkEndIn refuses a text that ends records and shares a symbol with what else means
// something.
func (d *Delimited) checkEndIn(encs []enclosure) error {
	for _, b := range d.End {
		fault := func(what string, args ...any) error {
			return &Fault{Where: "eol", What: fmt.Sprintf("%q ends records, and %q ", d.End, b) + fmt.Sprintf(what, args...), Witness: []byte{b}}
		}
		for _, s := range d.Separators {
			if bytes.IndexByte(s.Text, b) >= 0 {
				return fault("is also in the separator %q", s.Text)
			}
		}
		for _, e := range encs {
			if b == e.open || b == e.close {
				return fault("also encloses a field")
			}
		}
		if d.Escape.opens(b) {
			return fault("also leads an escape")
		}
		for _, c := range d.AfterData {
			if strings.IndexByte(c, b) >= 0 {
				return fault("is also in %q, which begins a comment", c)
			}
		}
	}
	return nil
}
