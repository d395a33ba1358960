package explain

import (
	"fmt"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// Row is one line of an explanation: a heading and what it says.
type Row struct{ Head, Text string }

// Place is where the symbol is: "line 3, column 7, in record 2".
func (x *Explanation) Place() string {
	s := fmt.Sprintf("line %d, column %d", x.Line, x.Column)
	r := x.Record
	switch {
	case x.Outside != "":
		return s + ", in no record"
	case r == nil:
		return s + ", where no record is open"
	case r.Header:
		return s + ", in the header"
	case r.Number > 0:
		return s + fmt.Sprintf(", in record %d", r.Number)
	case r.Kind == dfa.DroppedRecord:
		return s + ", in a record that is dropped: a comment, or an empty line"
	}
	if x.Program.Directives[r.Kind-dfa.FirstDirective].Prefix == "" {
		return s + ", in a line that names the columns"
	}
	return s + fmt.Sprintf(", in the directive %q", x.Program.Directives[r.Kind-dfa.FirstDirective].Prefix)
}

// Rows are the explanation in words.
func (x *Explanation) Rows() []Row {
	a := x.Program.Automaton
	var rows []Row
	add := func(head, format string, args ...any) {
		rows = append(rows, Row{head, fmt.Sprintf(format, args...)})
	}
	if x.Outside != "" {
		add("symbol", "%s (0x%02x)", dfa.FormatSymbol(x.Symbol), x.Symbol)
		add("why", "it is part of %s", x.Outside)
		return rows
	}
	if x.AtEnd {
		add("symbol", "none: the input ends here")
	} else {
		g := a.Group[x.Symbol]
		add("symbol", "%s (0x%02x), of group %d: %s", dfa.FormatSymbol(x.Symbol), x.Symbol, g, dfa.FormatSet(a.Symbols(g)))
	}
	if r := x.Record; r != nil && r.Field != nil {
		add("field", "%s", r.Field.String())
	}
	add("before", "%s%s", stateText(a, x.Before), x.since())
	add("emits", "%s", x.emits())
	if !x.AtEnd {
		add("after", "%s", stateText(a, x.After))
	}
	add("why", "%s", x.why())
	if x.Later != nil {
		add("but", "%s", x.later())
	}
	if r := x.Record; r != nil && r.Problem != "" {
		add("record", "malformed: %s, at byte %d", r.Problem, r.ProblemAt)
	}
	return rows
}

func stateText(a *dfa.Automaton, s dfa.StateID) string {
	return fmt.Sprintf("%s: %s", a.States[s].Name, a.States[s].Doc)
}

func (x *Explanation) since() string {
	if x.Record == nil || x.Since <= x.Record.Start {
		return ", since the record began"
	}
	if x.Since == x.Offset-1 {
		return ", since the byte before"
	}
	return fmt.Sprintf(", since byte %d", x.Since)
}

// String is the field's number, name, place and value.
func (f *Field) String() string {
	s := fmt.Sprintf("%d", f.Number)
	if f.Name != "" {
		s += fmt.Sprintf(", %q", f.Name)
	}
	const most = 60
	value := fmt.Sprintf("%q", f.Value)
	if len(f.Value) > most {
		value = fmt.Sprintf("%q… (%d bytes)", f.Value[:most], len(f.Value))
	}
	if f.End == f.Start {
		return s + fmt.Sprintf(", empty, at byte %d", f.Start)
	}
	if f.End == f.Start+1 {
		return s + fmt.Sprintf(", byte %d, value %s", f.Start, value)
	}
	return s + fmt.Sprintf(", bytes %d to %d, value %s", f.Start, f.End-1, value)
}

// emits is the emission in words.
func (x *Explanation) emits() string {
	e := x.Emission
	switch e.Kind {
	case dfa.Data:
		switch e.Sub {
		case dfa.ByByte:
			return fmt.Sprintf("data: it stands for %s in the value", dfa.FormatSymbol(e.Byte))
		case dfa.ByHex:
			return "data: with the digit before it, it is a byte in hexadecimal"
		case dfa.ByOctal:
			return "data: with the two digits before it, it is a byte in octal"
		}
		if x.Later != nil {
			return "data: as far as is known here, it is part of the value"
		}
		return "data: it is part of the value"
	case dfa.Skip:
		if x.AtEnd {
			return "nothing: no record is open, so none ends"
		}
		if e.Escape {
			return "skip: it is part of an escape, whose last symbol stands for what is part of the value"
		}
		return "skip: it is read, and is part of no value"
	case dfa.Field:
		return "field: " + x.boundary("the field") + x.class()
	case dfa.Record:
		what := "the field and the record"
		if e.Record == dfa.DroppedRecord {
			what = "the record, which is dropped"
		} else if e.Record >= dfa.FirstDirective {
			what = "the directive"
		}
		text := "record: " + x.boundary(what) + x.class()
		if e.Code != 0 {
			text += ", which is malformed: " + x.Program.Automaton.Message(e.Code)
		}
		return text
	}
	return "error: " + x.Program.Automaton.Message(e.Code)
}

func (x *Explanation) boundary(what string) string {
	if x.Emission.Lag == 0 {
		return "it ends " + what
	}
	return fmt.Sprintf("it shows that %s ended at byte %d", what, x.Offset-int64(x.Emission.Lag))
}

func (x *Explanation) class() string {
	if c := int(x.Emission.Class); c > 0 && c < len(x.Program.Classes) {
		return ", which is " + x.Program.Classes[c]
	}
	return ""
}

// why says what else the state would have done.
func (x *Explanation) why() string {
	a := x.Program.Automaton
	if x.AtEnd {
		if x.Emission.Code != 0 {
			return "a record must not end " + a.States[x.Before].Doc + "; " + ahead(a, x.Before)
		}
		return "a record may end here, and a file too"
	}
	same := dfa.Set{}
	for _, arc := range a.Arcs(x.Before) {
		if arc.Symbols.Has(x.Symbol) {
			same = arc.Symbols
		}
	}
	if x.Emission.Kind == dfa.Error {
		return fmt.Sprintf("%s there is no place for it; expected is %s", a.States[x.Before].Doc, a.Expected(x.Before))
	}
	text := fmt.Sprintf("%s, %s %s", a.States[x.Before].Doc, dfa.FormatSet(same), verb(x.Emission))
	if x.Emission.Boundary() {
		return text
	}
	return text + "; " + ahead(a, x.Before)
}

// verb says what symbols with an emission do.
func verb(e *dfa.Emission) string {
	switch {
	case e.Kind == dfa.Data && e.Sub != dfa.Itself:
		return "ends an escape"
	case e.Kind == dfa.Data:
		return "is data"
	case e.Kind == dfa.Field:
		return "ends the field"
	case e.Kind == dfa.Record:
		return "ends the record"
	}
	return "is skipped"
}

// ahead says which symbols end a field or a record in state s.
func ahead(a *dfa.Automaton, s dfa.StateID) string {
	var field, record, onward dfa.Set
	for symbol := range 256 {
		next, e := a.Step(s, byte(symbol))
		one := dfa.Bytes(byte(symbol))
		switch {
		case e.Code != 0:
		case e.Kind == dfa.Field:
			field = field.Union(one)
		case e.Kind == dfa.Record:
			record = record.Union(one)
		case next != s:
			onward = onward.Union(one)
		}
	}
	var parts []string
	if !field.Empty() {
		parts = append(parts, "a field ends at "+dfa.FormatSet(field))
	}
	if !record.Empty() {
		parts = append(parts, "a record ends at "+dfa.FormatSet(record))
	}
	if len(parts) > 0 {
		return strings.Join(parts, ", ")
	}
	if onward.Empty() {
		return "nothing ends the field"
	}
	return "nothing ends the field, but " + dfa.FormatSet(onward) + " leads on"
}

// later says what a later symbol showed about this one.
func (x *Explanation) later() string {
	r := x.Later
	what := "field"
	if r.Emission.Kind == dfa.Record {
		what = "record"
	}
	shows := fmt.Sprintf("byte %d shows", r.Offset)
	if r.AtEnd {
		shows = "the end of the input shows"
	}
	switch {
	case x.Offset == r.Boundary:
		return fmt.Sprintf("%s that it ends the %s, and is part of no value", shows, what)
	case x.Offset <= r.Boundary+int64(r.Emission.Open):
		return fmt.Sprintf("%s that it belongs to the end of the %s at byte %d", shows, what, r.Boundary)
	}
	return fmt.Sprintf("%s that the %s ended at byte %d, so that it is data of what follows", shows, what, r.Boundary)
}
