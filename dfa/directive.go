package dfa

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// InWord reports whether a symbol is of a word: a letter, a digit, '_', '-', or a
// byte of a character that is not ASCII.
func InWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b >= 0x80
}

// MayDirect reports whether something in data looks like a SchemaDirective. What is one
// the automaton says, not the prefix.
func (p *Program) MayDirect(data []byte) bool {
	return slices.ContainsFunc(p.Directives, func(d Directive) bool {
		return d.Action == SchemaDirective && bytes.Contains(data, []byte(d.Prefix))
	})
}

// DirectiveNames are the names of columns that raw has, which is the record of a
// SchemaDirective. A blank or a separator follows the prefix, unless this ends in
// a sign of its own, as "#Fields:". Names are separated as fields are if
// separators stand between them, and else by blanks.
func (p *Program) DirectiveNames(d *Directive, raw []byte) ([]string, error) {
	const blanks = " \t"
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
