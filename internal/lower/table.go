package lower

import (
	"fmt"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// Tables: an automaton written out, states down and symbol groups across.
//
// Every symbol belongs to one group. The first row is the start state. A cell
// that is an error leads to a state that is not written: it skips symbols up
// to the end of the record, which is any symbol of the groups that end a
// record in the start state (or of those that Recover names), and goes on
// where the start state would have gone on. If the error is at such a symbol
// itself, the record ends there.

// BuildTable builds the automaton that t writes out.
func BuildTable(t *Table) (*dfa.Automaton, error) {
	b := tableBuilder{Table: t, Builder: dfa.NewBuilder(), states: map[string]dfa.StateID{}}
	if err := b.group(); err != nil {
		return nil, err
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if _, ok := b.states[r.Name]; ok {
			return nil, &Fault{Where: "state " + r.Name, What: "there are two rows for it"}
		}
		doc := r.Doc
		if doc == "" {
			doc = r.Name
		}
		b.states[r.Name] = b.AddState(r.Name, doc)
	}
	if len(t.Rows) == 0 {
		return nil, &Fault{What: "a table without a state"}
	}
	name := "ERR"
	for _, taken := b.states[name]; taken; _, taken = b.states[name] {
		name += "_"
	}
	b.failed = b.AddState(name, "after an error, before the end of the record")
	if err := b.recovery(); err != nil {
		return nil, err
	}
	for i := range t.Rows {
		if err := b.row(&t.Rows[i]); err != nil {
			return nil, err
		}
	}
	if err := b.ends(); err != nil {
		return nil, err
	}
	return b.Build()
}

type tableBuilder struct {
	*Table
	*dfa.Builder
	sets    []dfa.Set // per group
	states  map[string]dfa.StateID
	failed  dfa.StateID
	resumes []int // per group: state after a record that ended in an error, -1: the group ends none
}

// group gives every symbol its group.
func (b *tableBuilder) group() error {
	if len(b.Groups) == 0 {
		return &Fault{What: "a table without symbol groups"}
	}
	rest := dfa.All()
	all := -1
	for i := range b.Groups {
		g := &b.Groups[i]
		if slices.ContainsFunc(b.Groups[:i], func(o TableGroup) bool { return o.Name == g.Name }) {
			return &Fault{Where: "group " + g.Name, What: "there are two of this name"}
		}
		b.sets = append(b.sets, g.Set)
		if g.All {
			if all >= 0 {
				return &Fault{Where: "group " + g.Name, What: fmt.Sprintf("group %s has all other symbols already", b.Groups[all].Name)}
			}
			all = i
			continue
		}
		if twice := g.Set.Minus(rest); !twice.Empty() {
			return &Fault{Where: "group " + g.Name, What: fmt.Sprintf("%q is in another group too", twice.First()), Witness: []byte{twice.First()}}
		}
		if g.Set.Empty() {
			return &Fault{Where: "group " + g.Name, What: "it has no symbol"}
		}
		rest = rest.Minus(g.Set)
	}
	switch {
	case all >= 0:
		b.sets[all] = rest
	case !rest.Empty():
		return &Fault{What: fmt.Sprintf("no group has %q", rest.First()), Witness: []byte{rest.First()},
			Hint: "let one group have all other symbols"}
	}
	return nil
}

// recovery finds the groups that end a record after an error, and defines the
// error state.
func (b *tableBuilder) recovery() error {
	start := &b.Rows[0]
	if len(start.Cells) != len(b.Groups) {
		return b.ragged(start)
	}
	for _, name := range b.Recover {
		if !slices.ContainsFunc(b.Groups, func(g TableGroup) bool { return g.Name == name }) {
			return &Fault{Where: "recovery", What: fmt.Sprintf("no group %s", name)}
		}
	}
	for i, c := range start.Cells {
		ends := c.Kind == dfa.Record
		next := 0
		if ends {
			id, ok := b.states[c.Next]
			if !ok {
				return &Fault{Where: "state " + start.Name, What: "no state " + c.Next}
			}
			next = int(id)
		}
		if len(b.Recover) > 0 {
			ends = slices.Contains(b.Recover, b.Groups[i].Name)
		}
		if !ends {
			b.resumes = append(b.resumes, -1)
			b.On(b.failed, b.sets[i], b.failed, skip)
			continue
		}
		b.resumes = append(b.resumes, next)
		b.On(b.failed, b.sets[i], dfa.StateID(next), dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn})
	}
	b.Builder.EOF(b.failed, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn})
	return nil
}

func (b *tableBuilder) ragged(r *TableRow) error {
	return &Fault{Where: "state " + r.Name, What: fmt.Sprintf("%d cells for %d groups", len(r.Cells), len(b.Groups))}
}

func (b *tableBuilder) row(r *TableRow) error {
	if len(r.Cells) != len(b.Groups) {
		return b.ragged(r)
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Kind == dfa.Error {
			b.fault(r, i)
			continue
		}
		next, ok := b.states[c.Next]
		if !ok {
			return &Fault{Where: "state " + r.Name, What: "no state " + c.Next}
		}
		e := dfa.Emission{Kind: c.Kind, Escape: c.Escape}
		switch {
		case c.Kind == dfa.Data:
			e.Sub, e.Byte = c.Sub, c.Byte
		case e.Boundary():
			e.Column, e.Lag, e.Open, e.Record = int16(c.Column), uint16(c.Lag), uint16(c.Open), c.Record
			if c.Column < dfa.NextColumn || c.Column >= dfa.MaxColumns {
				return &Fault{Where: "state " + r.Name, What: fmt.Sprintf("column %d, at most %d", c.Column, dfa.MaxColumns-1)}
			}
			if c.Lag < 0 || c.Open < 0 || c.Open > c.Lag || c.Lag > maxBack {
				return &Fault{Where: "state " + r.Name, What: fmt.Sprintf("a boundary %d symbols back with %d of them control, want 0 to %d", c.Lag, c.Open, maxBack)}
			}
		}
		b.On(b.states[r.Name], b.sets[i], next, e)
	}
	return nil
}

// fault defines the error of row r at group i.
func (b *tableBuilder) fault(r *TableRow, i int) {
	text := r.Cells[i].Message
	if text == "" {
		text = fmt.Sprintf("%s cannot come here (%s)", b.words(i), r.Name)
		if r.Doc != "" {
			text = fmt.Sprintf("%s cannot come %s", b.words(i), r.Doc)
		}
	}
	e := dfa.Emission{Kind: dfa.Error, Code: b.Message(text)}
	next := b.failed
	if b.resumes[i] >= 0 {
		e.Kind, e.Column, next = dfa.Record, dfa.NextColumn, dfa.StateID(b.resumes[i])
	}
	b.On(b.states[r.Name], b.sets[i], next, e)
}

// words is what group i is called in errors, whose readers have not seen the table: a letter tells them
// nothing.
func (b *tableBuilder) words(i int) string {
	switch set := b.sets[i]; {
	case set.Len() == 1:
		return fmt.Sprintf("%q", rune(set.First()))
	case len(b.Groups[i].Name) > 1:
		return b.Groups[i].Name
	}
	return "this symbol"
}

// ends defines what the end of the input means.
func (b *tableBuilder) ends() error {
	defined := map[string]bool{}
	for _, end := range b.Table.EOF {
		e := dfa.Emission{Kind: end.Kind}
		switch end.Kind {
		case dfa.Skip:
		case dfa.Record:
			e.Column = dfa.NextColumn
		case dfa.Error:
			text := end.Message
			if text == "" {
				text = "the input ends here"
			}
			e = dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Code: b.Message(text), Blame: dfa.BlameField}
		default:
			return &Fault{Where: "eof", What: fmt.Sprintf("%s is not for the end of the input", end.Kind)}
		}
		for _, name := range end.States {
			s, ok := b.states[name]
			if !ok {
				return &Fault{Where: "eof", What: "no state " + name}
			}
			if defined[name] {
				return &Fault{Where: "eof", What: "state " + name + " is named twice"}
			}
			defined[name] = true
			b.Builder.EOF(s, e)
		}
	}
	for _, r := range b.Rows {
		if !defined[r.Name] {
			return &Fault{Where: "eof", What: fmt.Sprintf("it does not say what the end of the input means in state %s", r.Name)}
		}
	}
	return nil
}
