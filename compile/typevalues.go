package compile

import (
	"strconv"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// This file reads what stands after the word of a type's option.

func (r *typeReader) none(w *TypeExpr, value []*Atom) {
	if len(value) > 0 {
		r.fault(value[0].Pos, "%s takes no value", w.Name)
	}
}

func (r *typeReader) text(w *TypeExpr, value []*Atom) *Text {
	if len(value) != 1 || value[0].Text == nil || value[0].Text.Value() == "" {
		r.fault(w.Pos, "%s wants one text after it, as in %s", w.Name, exampleOf(r.typ.Kind))
		return nil
	}
	return value[0].Text
}

func (r *typeReader) word(w *TypeExpr, value []*Atom) *TypeExpr {
	if len(value) != 1 || value[0].Word == nil || len(value[0].Word.Args) > 0 {
		r.fault(w.Pos, "%s wants one word after it", w.Name)
		return nil
	}
	return value[0].Word
}

func (r *typeReader) symbol(w *TypeExpr, value []*Atom, to *byte) {
	t := r.text(w, value)
	if t == nil {
		return
	}
	switch v := t.Value(); {
	case v == "\x00":
		r.fault(t.Pos, "%s cannot be a NUL", w.Name)
	case len(v) == 1:
		*to = v[0]
	default:
		r.fault(t.Pos, "%s wants one symbol (one byte), not the %d of %s", w.Name, len(v), t.Token)
	}
}

func (r *typeReader) separator(w *TypeExpr, value []*Atom, to *lower.Separator) {
	if t := r.text(w, value); t != nil {
		*to = lower.Separator{Text: []byte(t.Value()), Run: value[0].Run}
	}
}

// tokens reads one or more tokens: texts, words or numbers.
func (r *typeReader) tokens(to *[]string, value []*Atom) {
	if len(value) == 0 {
		r.fault(r.expr.Pos, "tokens are missing, as in %s", exampleOf(r.typ.Kind))
	}
	seen := map[string]bool{}
	for _, tok := range *to {
		seen[tok] = true
	}
	for _, a := range value {
		tok := a.Number
		switch {
		case a.Text != nil:
			tok = a.Text.Value()
		case a.Word != nil:
			tok = a.Word.Name
			if len(a.Word.Args) > 0 {
				r.fault(a.Pos, "a token with parentheses is written in quotes: \"%s(…)\"", tok)
			}
		}
		if seen[tok] {
			r.fault(a.Pos, "the token %q is there twice", tok)
			continue
		}
		seen[tok] = true
		*to = append(*to, tok)
	}
}

func (r *typeReader) precision(i int, a *Atom) {
	n, err := strconv.Atoi(a.Number)
	switch {
	case i > 1:
		r.fault(a.Pos, "dec takes two numbers, precision and scale: dec(12, 2)")
	case i == 0 && (err != nil || n < 1 || n > 38):
		r.fault(a.Pos, "a decimal has a precision of 1 to 38 digits, not %s", a.Number)
	case i == 0:
		r.typ.Precision = n
	case err != nil || n < 0 || n > r.typ.Precision && r.typ.Precision > 0:
		r.fault(a.Pos, "the scale of a decimal is 0 to its precision, %d, not %s", r.typ.Precision, a.Number)
	default:
		r.typ.Scale = n
	}
}

func (r *typeReader) layout(t *Text) {
	if r.typ.Layout != "" {
		r.fault(t.Pos, "a second layout; several of which the first that fits counts are alternatives: %s(%q | %s)", r.expr.Name, r.typ.Layout, t.Token)
		return
	}
	r.typ.Layout = r.checkedLayout(t)
}

// checkedLayout is the layout that a text is, "" after a fault.
func (r *typeReader) checkedLayout(t *Text) string {
	layout := t.Value()
	if layout == "" {
		r.fault(t.Pos, "an empty layout; without one the type reads the ISO form")
		return ""
	}
	if err := checkLayout(r.typ.Kind, layout); err != nil {
		r.fault(t.At(err.at), "%s", err.message)
		return ""
	}
	return layout
}

// size reads what a K is.
func (r *typeReader) size(w *TypeExpr, value []*Atom) {
	if len(value) == 1 && (value[0].Number == "1000" || value[0].Number == "1024") {
		r.typ.Size, _ = strconv.Atoi(value[0].Number)
		return
	}
	r.fault(w.Pos, "size wants what a K is, which differs from writer to writer: size 1000 or size 1024 (a Ki is always 1024)")
}

func (r *typeReader) unit(w *TypeExpr, to *dfa.Unit) {
	u, ok := units[w.Name]
	if !ok {
		r.fault(w.Pos, "unknown unit %q; the units are s, ms, us, ns", w.Name)
		return
	}
	*to = u
}

// epoch gives what an epoch counts.
func (r *typeReader) epoch(w *TypeExpr) dfa.Unit {
	counts := dfa.Second
	if len(w.Args) == 0 {
		return counts
	}
	if len(w.Args) > 1 || len(w.Args[0].Atoms) > 1 || len(w.Args[0].Or) > 0 || w.Args[0].Atoms[0].Word == nil {
		r.fault(w.Pos, "epoch wants one unit: epoch(s), epoch(ms), epoch(us) or epoch(ns)")
		return counts
	}
	r.unit(w.Args[0].Atoms[0].Word, &counts)
	return counts
}

func (r *typeReader) zone(w *TypeExpr, value []*Atom) {
	if len(value) == 1 && value[0].Word != nil && value[0].Word.Name == "none" {
		r.typ.NoZone = true
		return
	}
	t := r.text(w, value)
	if t == nil {
		return
	}
	if _, err := time.LoadLocation(t.Value()); err != nil || t.Value() == "Local" {
		r.fault(t.Pos, "unknown time zone %q; zones have IANA names: \"UTC\", \"Europe/Berlin\"", t.Value())
		return
	}
	r.typ.Zone = t.Value()
}

func (r *typeReader) year(w *TypeExpr, value []*Atom) {
	switch {
	case len(value) == 1 && value[0].Word != nil && value[0].Word.Name == "file":
		r.typ.Year = 0
	case len(value) == 1 && value[0].Number != "":
		y, err := strconv.Atoi(value[0].Number)
		if err != nil || y < 1 || y > 9999 {
			r.fault(value[0].Pos, "a year is a number from 1 to 9999, not %s", value[0].Number)
		}
		r.typ.Year = y
	default:
		r.fault(w.Pos, "year wants a number or file, the year of the file's time: year 2024, year file")
	}
}
