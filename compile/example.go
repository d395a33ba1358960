package compile

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// examples turns the tests of a form into examples, and reports cells that
// name no column.
func (d *definer) examples() []dfa.Example {
	var out []dfa.Example
	names := columnNames(d.def.Columns)
	for _, t := range d.tests {
		e := dfa.Example{Pos: t.Pos.String(), Input: t.First.Value()}
		if t.Second != nil {
			e.Name, e.Input = t.First.Value(), t.Second.Value()
		}
		nothing := false
		for _, o := range t.Outcomes {
			switch o := o.(type) {
			case *Row:
				e.Rows = append(e.Rows, d.row(o, names))
			case *Rejected:
				e.Rejects = append(e.Rejects, o.Text.Value())
			case *Nothing:
				if nothing = true; len(t.Outcomes) > 1 {
					d.bad.addf(o.Pos, "none stands alone: no row and no reject comes of the input")
				}
			}
		}
		if !nothing && len(t.Outcomes) == 0 {
			d.bad.addf(t.Pos, "the test expects nothing; say none")
		}
		out = append(out, e)
	}
	return out
}

func (d *definer) row(r *Row, names []string) dfa.ExampleRow {
	var row dfa.ExampleRow
	for _, c := range r.Cells {
		name := c.Name.String()
		if !slices.Contains(names, name) && !d.fromFile() && len(names) > 0 {
			d.bad.addf(c.Pos, "there is no column %q%s", name, d.bad.suggest(name, names))
		}
		if slices.ContainsFunc(row.Cells, func(o dfa.ExampleCell) bool { return o.Column == name }) {
			d.bad.addf(c.Pos, "column %q is there twice", name)
		}
		cell := dfa.ExampleCell{Pos: c.Pos.String(), Column: name}
		switch {
		case c.Text != nil:
			cell.Value = c.Text.Value()
		case c.Number != "":
			cell.Value = c.Number
		case c.Word == "null":
			cell.Null = true
		default:
			cell.Value = c.Word
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// fromFile reports whether files of the format name their columns.
func (d *definer) fromFile() bool {
	return d.def.Header.Mode == dfa.NamesHeader || d.form.header != nil && d.form.header.After != nil ||
		slices.ContainsFunc(d.direct, func(x *Directive) bool { return x.Action.Value == "schema" })
}
