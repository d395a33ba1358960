package dfa

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// InWord reports whether a symbol is of a word: a letter, a digit, '_', '-', or a
// byte of a character that is not ASCII.
func InWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b >= 0x80
}

// MayDirect reports whether something in data looks like a directive that matters. What is one
// the automaton says, not the prefix.
func (p *Program) MayDirect(data []byte) bool {
	return slices.ContainsFunc(p.Directives, func(d Directive) bool {
		return d.Matters() && bytes.Contains(data, []byte(d.Prefix))
	})
}

// Typed reports whether directives may give columns their types.
func (p *Program) Typed() bool {
	return slices.ContainsFunc(p.Directives, func(d Directive) bool { return d.Action == TypesDirective })
}

// DirectiveNames are the names of columns that raw has, which is the record of a
// SchemaDirective. A blank or a separator follows the prefix, unless this ends in
// a sign of its own, as "#Fields:". Names are separated as fields are if
// separators stand between them, and else by blanks.
func (p *Program) DirectiveNames(d *Directive, raw []byte) ([]string, error) {
	const blanks = " \t"
	if d.Prefix == "" {
		return p.headerNames(raw)
	}
	rest := strings.TrimRight(strings.TrimPrefix(string(raw), d.Prefix), blanks+"\r\n")
	if rest == "" {
		return nil, fmt.Errorf("%q names no columns", d.Prefix)
	}
	fields, problem := p.fieldsOf(rest)
	switch {
	case strings.IndexByte(blanks, rest[0]) >= 0:
		rest = strings.TrimLeft(rest, blanks)
		fields, problem = p.fieldsOf(rest)
	case len(fields) > 1 && fields[0].End == 0:
		fields = fields[1:] // a separator stands first
	case d.Prefix != "" && InWord(d.Prefix[len(d.Prefix)-1]):
		return nil, fmt.Errorf("a blank or a separator must follow %q, not %q", d.Prefix, rest[0])
	}
	if problem != "" {
		return nil, fmt.Errorf("the names after %q cannot be read: %s", d.Prefix, problem)
	}
	words := strings.Fields(rest)
	if len(fields) == 0 || len(fields) == 1 && string(fields[0].Value) == rest {
		return words, nil
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = strings.Trim(string(f.Value), blanks)
	}
	named := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == "" })
	if slices.Equal(named, words) && !strings.Contains(rest, "\t") {
		return words, nil // more than one space between two names
	}
	return names, nil
}

// headerNames are the fields of a line that names the columns without a prefix.
func (p *Program) headerNames(raw []byte) (names []string, err error) {
	start, ok := p.afterHeader()
	if !ok {
		return nil, errors.New("nothing can follow the header")
	}
	p.Automaton.Walk(bytes.TrimRight(raw, "\r\n"), start, func(r *RawRecord) bool {
		switch {
		case r.Code != 0:
			err = fmt.Errorf("the header cannot be read: %s", p.Automaton.Message(r.Code))
		case r.Kind == DataRecord:
			for i := range r.Fields {
				names = append(names, p.name(&r.Fields[i]))
			}
		}
		return false
	})
	if len(names) == 0 && err == nil {
		err = errors.New("the header names no columns")
	}
	return names, err
}

// afterHeader is the state in which the record after a line of names begins.
func (p *Program) afterHeader() (StateID, bool) {
	a := p.Automaton
	for s := range a.States {
		for symbol := range 256 {
			next, e := a.Step(StateID(s), byte(symbol))
			if k := int(e.Record) - int(FirstDirective); e.Kind == Record && k >= 0 && p.Directives[k].Prefix == "" {
				return a.Resume(e, next), true
			}
		}
	}
	return 0, false
}

// fieldsOf are the fields of a data record, or what is wrong with it. What is no
// data record, or none alone, has neither.
func (p *Program) fieldsOf(record string) (fields []RawField, problem string) {
	p.Automaton.Walk([]byte(record), p.Automaton.Start, func(r *RawRecord) bool {
		switch {
		case r.Kind != DataRecord || r.Next < len(record):
		case r.Code != 0:
			problem = p.Automaton.Message(r.Code)
		default:
			fields = r.Fields
		}
		return false
	})
	return fields, problem
}

// Said is what raw says behind the prefix of d and one blank or separator.
func (p *Program) Said(d *Directive, raw []byte) string {
	said := strings.TrimRight(strings.TrimPrefix(string(raw), d.Prefix), "\r\n")
	if said != "" && (said[0] == ' ' || said[0] == '\t' || p.separates(said[0])) {
		said = said[1:]
	}
	return said
}

// separates reports whether a symbol is what a SeparatorDirective has separated fields by.
func (p *Program) separates(b byte) bool {
	return slices.ContainsFunc(p.Directives, func(d Directive) bool {
		return d.Action == SeparatorDirective && d.Text[0] == b
	})
}

// SeparatorOf reads what a SeparatorDirective says: a symbol, or its number, as \x09.
func SeparatorOf(said string) (byte, error) {
	if len(said) == 1 {
		return said[0], nil
	}
	if digits, ok := strings.CutPrefix(said, `\x`); ok && len(digits) == 2 {
		if n, err := strconv.ParseUint(digits, 16, 8); err == nil {
			return byte(n), nil
		}
	}
	return 0, fmt.Errorf(`says %q, which is no separator; expected one symbol, or \x and two hexadecimal digits`, said)
}

// SeparatedAs is p for an input that begins with head: where a SeparatorDirective among its
// first lines says that something else separates fields, p with that in place of its own. The two
// symbols change places: the one that the spec has is data then.
func (p *Program) SeparatedAs(head []byte) (*Program, error) {
	at := slices.IndexFunc(p.Directives, func(d Directive) bool { return d.Action == SeparatorDirective })
	if at < 0 {
		return p, nil
	}
	d := &p.Directives[at]
	for line := range bytes.Lines(WithoutMark(head)) {
		if rest, ok := bytes.CutPrefix(line, []byte(d.Prefix)); ok && len(rest) > 0 && !InWord(rest[0]) {
			b, err := SeparatorOf(p.Said(d, line))
			if err != nil {
				return nil, fmt.Errorf("%q %w", d.Prefix, err)
			}
			return p.separatedBy(at, b)
		}
		if !slices.ContainsFunc(p.Directives, func(o Directive) bool { return bytes.HasPrefix(line, []byte(o.Prefix)) }) {
			break
		}
	}
	return p, nil
}

func (p *Program) separatedBy(at int, b byte) (*Program, error) {
	own := p.Directives[at].Text[0]
	if b == own {
		return p, nil
	}
	if InWord(b) || !p.Automaton.asData(b, 'z') {
		return nil, fmt.Errorf("%q says that %s separates fields, which means something else in format %s", p.Directives[at].Prefix, FormatSymbol(b), p.Name)
	}
	d, a := p.Definition, *p.Automaton
	a.Group[own], a.Group[b] = a.Group[b], a.Group[own]
	d.Automaton, d.Directives = &a, slices.Clone(d.Directives)
	d.Directives[at].Text = string([]byte{b})
	return NewProgram(d)
}

// asData reports whether a symbol is to records what datum is, at their start and in a field.
func (a *Automaton) asData(symbol, datum byte) bool {
	within, _ := a.Step(a.Start, datum)
	for _, s := range []StateID{a.Start, within} {
		next, e := a.Step(s, symbol)
		want, of := a.Step(s, datum)
		if next != want || *e != *of || e.Kind != Data {
			return false
		}
	}
	return true
}
