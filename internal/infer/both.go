package infer

import (
	"strings"

	"github.com/dfaparse/dfaparse/internal/render"
)

// shownRows is how many rows there are of each table where two are shown.
const shownRows = 3

// Both shows the first rows of the two tables that an input may be, line by line; nothing if
// there is no rival.
func (t *Table) Both() (lines []string) {
	if t.Rival == nil {
		return nil
	}
	for _, r := range []*Rating{{Dialect: t.Dialect, Columns: t.Width, rows: t.first}, t.Rival} {
		lines = append(lines, r.Dialect.separated()+", "+render.Count(r.Columns, "column")+":")
		for _, row := range r.rows[:min(shownRows, len(r.rows))] {
			cells := make([]string, len(row.fields))
			for i, f := range row.fields {
				cells[i] = clip(render.Printable(string(f.text)))
			}
			lines = append(lines, "  "+strings.Join(cells, " │ "))
		}
	}
	return lines
}

// separated says what separates the fields, and what quotes them.
func (d *Dialect) separated() string {
	bare := Dialect{Separator: d.Separator, Wide: d.Wide, Run: d.Run, Quote: d.Quote, Header: true}
	if bare.Quote == '"' { // as everywhere
		bare.Quote = 0
	}
	return strings.TrimSuffix(bare.String(), ", a header")
}
