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

// lateReject is a record that could not be read, as a line, and where it is.
type lateReject struct {
	text []byte
	line int // from 1
}

// reject notes a record that could not be read.
func (t *Table) reject(r *runtime.Reject) {
	if t.Reject == "" {
		t.Reject = r.Error()
	}
	t.rejects = append(t.rejects, lateReject{slices.Concat(r.Raw, []byte{'\n'}), int(r.Line)})
}

// Mended is the table that an input is with the records that t rejects, if it is the same but for
// comments, quotes and escapes; else nil. sample is what t was inferred from.
func (t *Table) Mended(sample []byte) *Table {
	if t.Keyed != nil || t.Placed || t.Given.Exact || len(t.rejects) == 0 || t.LineEnd == "cr" || excelLine().Match(sample) {
		return nil
	}
	rows, _, _ := cut(sample, &t.Dialect, false)
	rejects := t.spoilt()
	if len(rows) == 0 || len(rejects) == 0 {
		return nil
	}
	at := rows[min(len(rows), mendedRows)-1].end
	m, err := Guess(slices.Concat(sample[:at], slices.Concat(rejects...), sample[at:]), false, t.Given)
	if err != nil {
		return nil
	}
	m.Foot, m.StopAt, m.OwnEnds = t.Foot, t.StopAt, t.OwnEnds
	same := m.Dialect
	same.Comment, same.Quote, same.Escape, same.Bare, same.Lax = t.Comment, t.Quote, t.Escape, t.Bare, t.Lax
	if m.Dialect == t.Dialect || same != t.Dialect || m.Width != t.Width || t.runsOn > 0 && m.Quote != 0 && m.Lax {
		return nil
	}
	m.Unsure, m.Unclosed = t.Unsure, t.runsOn
	m.rejects = slices.Clip(t.rejects) // whose dialect the next one has, too
	return m
}

// spoilt are the rejects but for one line whose quote is never closed, at the end: it says nothing of how
// other records are written. It notes whether there is one that takes other lines for its field.
func (t *Table) spoilt() (rejects [][]byte) {
	for _, r := range t.rejects {
		rows, _, _ := cut(r.text, &t.Dialect, true)
		if len(rows) == 1 && rows[0].runs > 0 {
			if rows[0].inOneLine() {
				continue
			}
			t.runsOn = r.line
		}
		rejects = append(rejects, r.text)
	}
	return rejects
}

// Unquotes reports whether the quotes of t mean nothing in m.
func (t *Table) Unquotes(m *Table) bool { return t.Quote != 0 && m.Quote != t.Quote }

// InOddPlaces is m with the quotes of t, which stand in odd places, too; nil if it has others.
func (t *Table) InOddPlaces(m *Table) *Table {
	if m.Quote != 0 || t.runsOn > 0 {
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
