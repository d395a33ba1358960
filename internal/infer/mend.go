package infer

import (
	"bytes"
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
	same := m.Dialect
	same.Comment, same.Quote, same.Escape, same.Bare, same.Lax = t.Comment, t.Quote, t.Escape, t.Bare, t.Lax
	if m.Dialect == t.Dialect || same != t.Dialect || m.Width != t.Width {
		return nil
	}
	m.Unsure = t.Unsure
	m.rejects = slices.Clip(t.rejects) // whose dialect the next one has, too
	return m
}

// Unquotes reports whether the quotes of t mean nothing in m.
func (t *Table) Unquotes(m *Table) bool { return t.Quote != 0 && m.Quote != t.Quote }

// InOddPlaces is m with the quotes of t, which stand in odd places, too; nil if it has others.
func (t *Table) InOddPlaces(m *Table) *Table {
	if m.Quote != 0 {
		return nil
	}
	lax := *m
	lax.Quote, lax.Escape, lax.Bare, lax.Lax, lax.Columns, lax.Records = t.Quote, t.Escape, t.Bare, true, nil, 0
	return &lax
}

// Encloses reports whether a field in lines is in quotes.
func (t *Table) Encloses(lines []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(lines[at:], t.Quote)
		if i < 0 {
			return false
		}
		at += i
		if at > 0 && lines[at-1] != '\n' && lines[at-1] != t.Separator {
			continue
		}
		for end := at + 1; end < len(lines); end++ {
			if c := lines[end]; c == t.Separator || c == '\n' || c == '\r' {
				if end > at+1 && lines[end-1] == t.Quote {
					return true
				}
				break
			}
		}
	}
}
