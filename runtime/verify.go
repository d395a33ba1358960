package runtime

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/render"
)

// ExampleTime is the base time of examples, so that they mean the same always.
var ExampleTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Verifier is what runs the examples of a spec by an engine, for package compile.
// It reports all that a Program does not meet, and
// columns that cannot be converted at all, such as those with a default that
// is no value of their type. A
// Program whose mode is Fail is run in mode Reject, so that an example may
// show rejects. Examples are text as a spec is, in UTF-8, whatever the Program's Encoding.
// Time stamps without a year are read as of 2026-01-01.
func Verifier(e Engine) func(p *dfa.Program, examples []dfa.Example) error {
	return func(p *dfa.Program, examples []dfa.Example) error {
		p = p.OfText()
		errs := verifyColumns(p.Columns, p.UTF8)
		if len(errs) > 0 {
			return errors.Join(errs...)
		}
		for i := range examples {
			errs = append(errs, verify(e, p, &examples[i])...)
		}
		return errors.Join(errs...)
	}
}

// exampleError is an example that a Program does not meet.
type exampleError struct{ pos, text string }

func (e *exampleError) Error() string { return e.pos + ": " + e.text }

// Pos is the file:line:col of what is not met, in the spec.
func (e *exampleError) Pos() string { return e.pos }

// columnError is what makes no sense of a column.
type columnError struct {
	column string
	error
}

// Column is its name.
func (e *columnError) Column() string { return e.column }

func verifyColumns(columns []dfa.Column, policy dfa.UTF8Policy) (errs []error) {
	for i := range columns {
		c := &columns[i]
		if _, err := convert.NewConverter(c, convert.Options{UTF8: policy, BaseTime: ExampleTime}); err != nil {
			errs = append(errs, &columnError{c.Name, err})
		}
		if c.Split != nil {
			errs = append(errs, verifyColumns(c.Split.Columns, policy)...)
		}
	}
	return errs
}

func verify(e Engine, p *dfa.Program, ex *dfa.Example) (errs []error) {
	fail := func(pos, format string, args ...any) {
		name := "test"
		if ex.Name != "" {
			name = fmt.Sprintf("test %q", ex.Name)
		}
		errs = append(errs, &exampleError{pos, name + ": " + fmt.Sprintf(format, args...)})
	}
	opts := []Option{WithEngine(e), WithThreads(1), WithBaseTime(ExampleTime), WithName("test input")}
	if p.OnError == dfa.Fail {
		opts = append(opts, WithErrorMode(dfa.Reject))
	}
	r, err := ReadBytes([]byte(ex.Input), p, opts...)
	if err != nil {
		if len(ex.Rows) == 0 && len(ex.Rejects) == 1 && strings.Contains(err.Error(), ex.Rejects[0]) {
			return nil
		}
		fail(ex.Pos, "%v", err)
		return errs
	}
	defer r.Release()
	row := 0
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			if row < len(ex.Rows) {
				for _, cell := range ex.Rows[row].Cells {
					if problem := compare(rec, i, &cell); problem != "" {
						fail(cell.Pos, "row %d: %s", row+1, problem)
					}
				}
			}
			row++
		}
	}
	if err := r.Err(); err != nil {
		fail(ex.Pos, "%v", err)
	}
	var rejects []*Reject
	for _, reject := range r.Rejects() {
		if !reject.FieldOnly {
			rejects = append(rejects, reject)
		}
	}
	if row != len(ex.Rows) {
		fail(ex.Pos, "%s, want %s%s", render.Count(row, "row"), render.Count(len(ex.Rows), "row"), firstReject(rejects, ex))
	}
	if len(rejects) != len(ex.Rejects) {
		fail(ex.Pos, "%s, want %s%s", render.Count(len(rejects), "reject"), render.Count(len(ex.Rejects), "reject"), firstReject(rejects, ex))
	}
	for i, reject := range rejects {
		if i < len(ex.Rejects) && !strings.Contains(reject.Error(), ex.Rejects[i]) {
			fail(ex.Pos, "reject %d is %q, want one with %q", i+1, reject.Error(), ex.Rejects[i])
		}
	}
	return errs
}

func firstReject(rejects []*Reject, ex *dfa.Example) string {
	if len(rejects) <= len(ex.Rejects) {
		return ""
	}
	return fmt.Sprintf("; rejected: %v", &rejects[len(ex.Rejects)].ParseError)
}

// compare says how a value differs from the one expected, "" if it does not.
func compare(rec arrow.Record, row int, cell *dfa.ExampleCell) string {
	schema := rec.Schema()
	found := schema.FieldIndices(cell.Column)
	if len(found) == 0 {
		var names []string
		for _, f := range schema.Fields() {
			names = append(names, f.Name)
		}
		return fmt.Sprintf("there is no column %q, the columns are %s", cell.Column, quoteAll(names))
	}
	field, values := schema.Field(found[0]), rec.Column(found[0])
	if values.IsNull(row) || cell.Null {
		if values.IsNull(row) == cell.Null {
			return ""
		}
		if cell.Null {
			return fmt.Sprintf("%s is %q, want null", cell.Column, render.AppendText(nil, field, values, row))
		}
		return fmt.Sprintf("%s is null, want %q", cell.Column, cell.Value)
	}
	if got := string(render.AppendText(nil, field, values, row)); got != cell.Value {
		return fmt.Sprintf("%s is %q, want %q", cell.Column, got, cell.Value)
	}
	return ""
}
