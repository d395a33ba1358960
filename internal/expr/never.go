package expr

import (
	"slices"

	"github.com/dfaparse/dfaparse/internal/near"
)

// Never gives an error for each text that a test compares a column with, by = or !=, and that the column never has: values
// are all that a column may have, nil if it may have any.
func (s Source) Never(test *Or, values func(column string) []string) (never []error) {
	for t := range test.tests {
		if t.Op != "=" && t.Op != "!=" {
			continue
		}
		column, text := t.Left, t.Right
		if column.Text != nil {
			column, text = text, column
		}
		if text.Text == nil || column.Text != nil || column.Number != nil || column.Call != nil {
			continue
		}
		name, err := s.name(column)
		if err != nil {
			continue
		}
		value, err := s.text(text)
		if known := values(name); err == nil && known != nil && !slices.Contains(known, value) {
			never = append(never, s.faultf(text.Pos, "%s is never %s%s", name, text, near.Hint(value, "it is one of ", known)))
		}
	}
	return never
}
