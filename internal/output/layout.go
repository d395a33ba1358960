package output

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/rivo/uniseg"

	"github.com/dfaparse/dfaparse/internal/render"
)

// Widths in columns of a terminal.
const (
	maxCell  = 80 // no column is wider than this, or than the terminal
	minText  = 12 // narrower than this text says nothing
	minTitle = 10 // names of columns are cut to this where the values are narrow
)

// layout says which columns a table shows, and how wide.
type layout struct {
	columns []tableColumn
	hidden  []int // fields without a column
}

type tableColumn struct {
	field int // index of the field; -1 stands for the hidden ones
	width int
	right bool // numbers stand at the right
}

// newLayout fits the columns into width: first it narrows text and titles,
// the widest first; what still does not fit it hides, from the middle.
func newLayout(fields []arrow.Field, rows [][]cell, width int) *layout {
	l := &layout{}
	natural := make([]int, len(fields))
	least := make([]int, len(fields))
	for k, f := range fields {
		title := max(displayWidth(render.Printable(f.Name)), displayWidth(render.Printable(TypeName(f))))
		values := 0
		for _, row := range rows {
			values = max(values, displayWidth(row[k].text))
		}
		natural[k] = min(max(title, values), max(maxCell, width))
		least[k] = natural[k]
		switch {
		case !stiff(f.Type):
			least[k] = min(natural[k], minText)
		case values < natural[k]:
			least[k] = min(natural[k], max(values, minTitle))
		}
	}
	shown := fitting(least, width)
	if len(shown) < len(fields) {
		for k := range fields {
			if !slices.Contains(shown, k) {
				l.hidden = append(l.hidden, k)
			}
		}
		width -= 1 + len(gap)
	}
	level := widest(natural, least, shown, width)
	for i, k := range shown {
		if len(l.hidden) > 0 && (i > 0 && shown[i-1]+1 < k || i == 0 && k > 0) {
			l.columns = append(l.columns, tableColumn{field: -1, width: 1})
		}
		w := natural[k]
		if width > 0 {
			w = max(min(w, level), least[k])
		}
		l.columns = append(l.columns, tableColumn{field: k, width: w, right: numeric(fields[k].Type)})
	}
	if n := len(shown); n > 0 && shown[n-1] < len(fields)-1 {
		l.columns = append(l.columns, tableColumn{field: -1, width: 1})
	}
	return l
}

// fitting is the fields that can be shown if each is as narrow as it gets:
// all, or the last and as many of the first as fit beside a column that
// stands for the others, or the first alone.
func fitting(least []int, width int) []int {
	all := make([]int, len(least))
	total := 0
	for k, w := range least {
		all[k] = k
		total += w + len(gap)
	}
	if width <= 0 || total-len(gap) <= width {
		return all
	}
	last := len(least) - 1
	room := width - (1 + len(gap)) - least[last]
	n := 0
	for n < last && room >= least[n]+len(gap) {
		room -= least[n] + len(gap)
		n++
	}
	if n == 0 {
		return all[:1]
	}
	return append(all[:n:n], last)
}

// widest is the largest width to which no shown column has to be cut.
func widest(natural, least, shown []int, width int) int {
	level := max(maxCell, width)
	for ; level > 1; level-- {
		total := -len(gap)
		for _, k := range shown {
			total += max(min(natural[k], level), least[k]) + len(gap)
		}
		if total <= width {
			break
		}
	}
	return level
}

// stiff reports whether a cut value of the type would mislead.
func stiff(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.BINARY, arrow.DICTIONARY, arrow.LIST, arrow.MAP, arrow.FIXED_SIZE_BINARY:
		return false
	}
	return true
}

func numeric(t arrow.DataType) bool {
	return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || arrow.IsDecimal(t.ID()) || t.ID() == arrow.DURATION
}

func displayWidth(s string) int {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}

// fit is s, cut to width with an ellipsis if it is wider.
func fit(s string, width int) string {
	if displayWidth(s) <= width {
		return s
	}
	used, end := 0, 0
	state := -1
	rest := s
	for rest != "" {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width-1 {
			break
		}
		used += w
		end += len(cluster)
	}
	return s[:end] + "…"
}
