package infer

import (
	"slices"

	"github.com/dfaparse/dfaparse/runtime"
)

// This file is about records far behind the sample that are written as none in it is: comments,
// quotes, escapes that occur late. Those that could not be read show it.

// Bounds of what is looked at again.
const (
	shownRejects = 16
	mendedRows   = 1000 // of the sample
)

// reject notes a record that could not be read.
func (t *Table) reject(r *runtime.Reject) {
	if t.Reject == "" {
		t.Reject = r.Error()
	}
	t.rejects = append(t.rejects, slices.Concat(r.Raw, []byte{'\n'}))
}

// Mended is the table that an input is with the records that t rejects, if it is the same but for
// comments, quotes and escapes; else nil. sample is what t was inferred from.
func (t *Table) Mended(sample []byte) *Table {
	if t.Keyed != nil || t.Placed || t.Given.Exact || len(t.rejects) == 0 || t.LineEnd == "cr" || excelLine().Match(sample) {
		return nil
	}
	rows, _, _ := cut(sample, &t.Dialect, false)
	if len(rows) == 0 {
		return nil
	}
	at := rows[min(len(rows), mendedRows)-1].end
	m, err := Guess(slices.Concat(sample[:at], slices.Concat(t.rejects...), sample[at:]), false, t.Given)
	if err != nil {
		return nil
	}
	m.Foot, m.StopAt = t.Foot, t.StopAt
	if m.Quote == 0 && t.Quote != 0 { // fields that nobody has seen may be in quotes
		m.Quote, m.Escape, m.Bare, m.Lax = t.Quote, t.Escape, t.Bare, true
	}
	same := m.Dialect
	same.Comment, same.Quote, same.Escape, same.Bare, same.Lax = t.Comment, t.Quote, t.Escape, t.Bare, t.Lax
	if m.Dialect == t.Dialect || same != t.Dialect || m.Width != t.Width {
		return nil
	}
	m.Unsure = t.Unsure
	return m
}

// Quoted are texts that an input has in which fields are in the quotes of t and not in those of m.
func (t *Table) Quoted(m *Table) [][]byte {
	if t.Quote == 0 || t.Quote == m.Quote {
		return nil
	}
	before := t.Wide
	if before == "" {
		before = string([]byte{t.Separator})
	}
	return [][]byte{{'\n', t.Quote}, append([]byte(before), t.Quote)}
}
