package compile

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// scope is where the names of escapes and tables are looked up: in the file of
// a format, then in the files of its parents, nearest first.
type scope struct {
	files []*File
	built map[*Table]*dfa.Automaton // nil: it has faults
	names timeNames
}

func (s *scope) defined(table bool) []string {
	var names []string
	for _, f := range s.files {
		for _, d := range f.Definitions {
			switch d := d.(type) {
			case *Escape:
				if !table {
					names = append(names, d.Name.String())
				}
			case *Table:
				if table {
					names = append(names, d.Name.String())
				}
			}
		}
	}
	return names
}

func (s *scope) findEscape(name string) *Escape {
	for _, f := range s.files {
		for _, d := range f.Definitions {
			if e, ok := d.(*Escape); ok && e.Name.String() == name {
				return e
			}
		}
	}
	return nil
}

func (s *scope) findTable(name string) *Table {
	for _, f := range s.files {
		for _, d := range f.Definitions {
			if t, ok := d.(*Table); ok && t.Name.String() == name {
				return t
			}
		}
	}
	return nil
}

// escape gives the rule of a name, nil after a fault.
func (s *scope) escape(n *Name, bad *faults) *lower.Escape {
	e := s.findEscape(n.String())
	if e == nil {
		hint := onlySuggestion(bad.suggest(n.String(), s.defined(false)))
		if hint == "" {
			hint = fmt.Sprintf("; one is defined beside the format: escape %s = '\\' { '\\' n t }", n)
		}
		bad.addf(n.Pos, "there is no escape %q%s", n, hint)
		return nil
	}
	return readEscape(e, bad)
}

// table gives the rows of a named dfa and its automaton, nil after a fault.
func (s *scope) table(n *Name, bad *faults) (*Rows, *dfa.Automaton) {
	t := s.findTable(n.String())
	if t == nil {
		bad.addf(n.Pos, "there is no dfa %q%s", n, bad.suggest(n.String(), s.defined(true)))
		return nil, nil
	}
	a, ok := s.built[t]
	if !ok {
		a = buildTable(t.Rows, t.Pos, bad)
		s.built[t] = a
	}
	return t.Rows, a
}

// rule gives what a name after a hole's colon means: an escape or a table.
func (s *scope) rule(name string, pos lexer.Position, bad *faults) (*lower.Escape, *dfa.Automaton) {
	n := &Name{Pos: pos, Word: name}
	switch {
	case s.findEscape(name) != nil:
		return s.escape(n, bad), nil
	case s.findTable(name) != nil:
		_, a := s.table(n, bad)
		return nil, a
	}
	known := append(s.defined(false), s.defined(true)...)
	hint := bad.suggest(name, known)
	if hint == "" {
		hint = "; a hole is {name}, and types stand in fields { … }"
	}
	bad.addf(pos, "there is no escape or dfa %q%s", name, hint)
	return nil, nil
}

// What a letter after the lead of an escape means in C.
var letters = map[string]byte{"a": '\a', "b": '\b', "f": '\f', "n": '\n', "r": '\r', "t": '\t', "v": '\v', "e": 0x1b}

// readEscape turns an escape into what lower builds from.
func readEscape(e *Escape, bad *faults) *lower.Escape {
	out := &lower.Escape{Lead: oneByte(e.Lead, "the lead of an escape", bad), To: map[byte]byte{}}
	define := func(pos lexer.Position, from, to byte) {
		if old, twice := out.To[from]; twice && old != to {
			bad.addf(pos, "%q after the lead is defined twice, as %q and as %q", rune(from), rune(old), rune(to))
		}
		out.To[from] = to
	}
	for _, r := range e.Rules {
		switch {
		case r.Char != nil:
			c := oneByte(r.Char, "an escaped symbol", bad)
			to := c
			if r.As != nil {
				to = oneByte(r.As, "what an escape stands for", bad)
			}
			define(r.Pos, c, to)
		case r.Other != nil:
			switch r.Other.Value {
			case "keep":
				out.Other = lower.KeepBoth
			case "drop":
				out.Other = lower.DropLead
			case "error":
			default:
				bad.addf(r.Other.Pos, "other wants keep, drop or error%s", bad.suggest(r.Other.Value, []string{"keep", "drop", "error"}))
			}
		case r.Form == "hex2" && len(r.Word) == 1:
			if out.Hex != 0 {
				bad.addf(r.Pos, "an escape has one form in hexadecimal digits")
			}
			out.Hex = r.Word[0]
		case r.Form != "":
			bad.addf(r.Pos, "%s:%s: a letter may have the form hex2, as in x:hex2; octal digits are oct3", r.Word, r.Form)
		case r.Word == "oct3":
			out.Octal = true
		case letters[r.Word] != 0:
			define(r.Pos, r.Word[0], letters[r.Word])
		case r.Word == "0" || len(r.Word) > 1:
			bad.addf(r.Pos, "%q is no escape: a char ('\"'), a letter (n t r v a b f e), x:hex2, oct3 or other", r.Word)
		default:
			bad.addf(r.Pos, "the letter %s means nothing in C; a symbol that stands for itself is written '%s', for another '%s'='x'",
				r.Word, r.Word, r.Word)
		}
	}
	if _, clash := out.To[out.Hex]; clash && out.Hex != 0 {
		bad.addf(e.Pos, "%q after the lead is both a symbol and the start of hexadecimal digits", rune(out.Hex))
	}
	return out
}

// keeping is a rule as an automaton runs it, and which leads columns have all the same.
func keeping(e *lower.Escape) (*lower.Escape, *dfa.Kept) {
	if e == nil || e.Other != lower.KeepBoth || len(e.To) == 0 && e.Hex == 0 && !e.Octal {
		return e, nil
	}
	run, k := *e, &dfa.Kept{Lead: e.Lead}
	run.Other = lower.DropLead
	for b := range 256 {
		if to, named := e.To[byte(b)]; named && int(to) == b {
			k.Itself += string([]byte{byte(b)})
		}
	}
	return &run, k
}

// leadEscape is the rule that whatever follows the lead stands for itself.
func leadEscape(t *Text, bad *faults) *lower.Escape {
	return &lower.Escape{Lead: oneByte(t, "the lead of an escape", bad), Other: lower.DropLead}
}

func oneByte(t *Text, what string, bad *faults) byte {
	v := t.Value()
	if len(v) != 1 {
		bad.addf(t.Pos, "%s is one symbol (one byte), not the %d of %s", what, len(v), t.Token)
		return 0
	}
	return v[0]
}

// quoteOf is what fields are enclosed in; a NUL is for no quote.
func quoteOf(t *Text, bad *faults) byte {
	if t.Value() == "\x00" {
		bad.addf(t.Pos, "a quote cannot be a NUL")
	}
	return oneByte(t, "a quote", bad)
}

// lowered turns an error of package lower into a fault at pos.
func lowered(err error, pos lexer.Position, prefix string) *Fault {
	var f *lower.Fault
	if !errors.As(err, &f) {
		return faultf(pos, "%s%v", prefix, err)
	}
	text := prefix
	if f.Where != "" {
		text += f.Where + ": "
	}
	text += f.What
	if len(f.Witness) > 0 {
		text += fmt.Sprintf("; witness: %s", strconv.Quote(string(f.Witness)))
	}
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	return &Fault{pos, text}
}

// String is the name itself.
func (n *Name) String() string {
	if n == nil {
		return ""
	}
	if n.Text != nil {
		return n.Text.Value()
	}
	return n.Word
}
