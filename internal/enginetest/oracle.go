package enginetest

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// outcome is what reading an input gives, in a form that does not depend on
// how it was cut into partitions: offsets and rows count from its start.
type outcome struct {
	Rows     []string // cells in quotes, or null
	Problems []runtime.Problem
	Notes    []runtime.Note
	Extents  runtime.Extents
	Refused  int // offset of a directive that was refused, -1
}

// gone is a row that is in no column, see checkGone.
const gone = "gone"

// append appends the rows of a partition that begins at offset from.
func (o *outcome) append(result *runtime.Result, from int) {
	o.Extents.Add(&result.Extents)
	for _, rows := range result.Rows {
		for _, n := range rows.Notes {
			n.Row, n.Offset = n.Row+len(o.Rows), n.Offset+from
			o.Notes = append(o.Notes, n)
		}
		for _, p := range rows.Problems {
			p.Begin = 0 // of no meaning without the partition
			p.Row += len(o.Rows)
			p.Offset, p.Start, p.End = p.Offset+from, p.Start+from, p.End+from
			if p.What == runtime.Lexical {
				p.At += from
			}
			o.Problems = append(o.Problems, p)
		}
		at := rows.From
		for row := range rows.N {
			if rows.Gone.Has(row) {
				o.Rows = append(o.Rows, gone)
				continue
			}
			line := ""
			for _, c := range rows.Columns {
				line += cell(c, at)
			}
			at++
			o.Rows = append(o.Rows, line)
		}
	}
}

// differsFrom is the first difference to want in words, "" if there is none.
func (o outcome) differsFrom(want outcome) string {
	for i := range max(len(o.Rows), len(want.Rows)) {
		switch {
		case i >= len(o.Rows):
			return fmt.Sprintf("%d rows, want %d; the next is %s", len(o.Rows), len(want.Rows), want.Rows[i])
		case i >= len(want.Rows):
			return fmt.Sprintf("%d rows, want %d; one more is %s", len(o.Rows), len(want.Rows), o.Rows[i])
		case o.Rows[i] != want.Rows[i] && o.Rows[i] != gone:
			return fmt.Sprintf("row %d is %s, want %s", i, o.Rows[i], want.Rows[i])
		}
	}
	for i := range max(len(o.Problems), len(want.Problems)) {
		switch {
		case i >= len(o.Problems):
			return fmt.Sprintf("%d problems, want %d; the next is %+v", len(o.Problems), len(want.Problems), want.Problems[i])
		case i >= len(want.Problems):
			return fmt.Sprintf("%d problems, want %d; one more is %+v", len(o.Problems), len(want.Problems), o.Problems[i])
		case o.Problems[i] != want.Problems[i]:
			return fmt.Sprintf("problem %d is %+v, want %+v", i, o.Problems[i], want.Problems[i])
		}
	}
	if !slices.Equal(o.Notes, want.Notes) {
		return fmt.Sprintf("notes %+v, want %+v", o.Notes, want.Notes)
	}
	if o.Extents != want.Extents {
		return fmt.Sprintf("extents are %+v, want %+v", o.Extents, want.Extents)
	}
	if o.Refused != want.Refused {
		return fmt.Sprintf("the directive at %d was refused, want %d", o.Refused, want.Refused)
	}
	return ""
}

// oracle reads an input record by record, with the records that Walk gives and
// one conversion at a time.
type oracle struct {
	plan    *runtime.Plan
	in      []byte
	binding *runtime.Binding
	columns []int // per symbol, and for the end: number of the field being read
	next    int   // where the next record begins
	out     outcome
}

// expect is the outcome that an engine must have.
func expect(plan *runtime.Plan, in []byte, b *runtime.Binding) outcome {
	o := &oracle{plan: plan, in: in, binding: b, out: outcome{Refused: -1}}
	a := plan.Program.Automaton
	s, column := a.Start, 0
	for _, symbol := range in {
		o.columns = append(o.columns, column)
		next, e := a.Step(s, symbol)
		switch {
		case e.Kind == dfa.Record:
			column = 0
		case e.Kind == dfa.Field && e.Column >= 0:
			column = int(e.Column) + 1
		case e.Kind == dfa.Field:
			column++
		}
		s = next
	}
	o.columns = append(o.columns, column)
	a.Walk(in, a.Start, o.record)
	if o.out.Refused < 0 {
		o.out.Extents.Tail = int64(len(in) - o.next)
	}
	return o.out
}

func (o *oracle) record(rec *dfa.RawRecord) bool {
	switch {
	case rec.Kind >= dfa.FirstDirective:
		b, err := o.plan.Bind(rec.Kind, o.in[rec.Start:rec.End])
		if err != nil {
			o.out.Refused = rec.Start
			return false
		}
		if b != nil {
			o.binding = b
		}
	case rec.Kind == dfa.DataRecord:
		o.row(rec)
	}
	if nbytes := rec.Next - rec.Start; rec.Kind == dfa.DataRecord {
		o.out.Extents.Data += int64(nbytes)
	} else {
		o.out.Extents.Pass(rec.Kind, nbytes)
	}
	o.next = rec.Next
	return true
}

type value struct {
	text    []byte
	start   int
	written dfa.Written
}

// fields are the values of a record by field number, and its structural
// problem, nil if it has none.
func (o *oracle) fields(rec *dfa.RawRecord) (map[int]value, *runtime.Problem) {
	b := o.binding
	values := map[int]value{}
	problem := func(what runtime.What, offset, field int) *runtime.Problem {
		return &runtime.Problem{What: what, Output: -1, Offset: offset, Field: field}
	}
	switch {
	case rec.End-rec.Start > o.plan.MaxRecord:
		return nil, problem(runtime.TooLong, rec.Start, -1)
	case rec.Code != 0:
		p := problem(runtime.Lexical, rec.Offset, o.columns[rec.At])
		p.Lexical, p.State, p.At = rec.Code, rec.State, rec.At
		return nil, p
	}
	if widths := o.plan.Program.Widths; len(widths) > 0 {
		at := rec.Start
		for i, w := range widths {
			if at < rec.End {
				to := min(at+w, rec.End)
				values[i], at = value{text: o.in[at:to], start: at}, to
			}
		}
		if len(values) < b.MinFields {
			return nil, problem(runtime.TooFew, rec.End, -1)
		}
		if at < rec.End && !b.Truncate {
			return nil, problem(runtime.TooMany, at, len(widths))
		}
		return values, nil
	}
	if n := rec.Fields[len(rec.Fields)-1].Column + 1; n < b.MinFields {
		return nil, problem(runtime.TooFew, rec.End, -1)
	} else if n > b.MaxFields && b.Rest < 0 && !b.Truncate {
		for _, f := range rec.Fields {
			if f.Column >= b.MaxFields {
				return nil, problem(runtime.TooMany, f.Start, f.Column)
			}
		}
	}
	for _, f := range rec.Fields {
		if b.Rest >= 0 && f.Column >= b.Rest {
			values[b.Rest] = value{text: o.in[f.Start:rec.End], start: f.Start}
			break
		}
		for c, source := range b.Source {
			if class := o.plan.Columns[c].Class; source == f.Column && class != 0 && class != f.Class {
				return nil, problem(runtime.WrongClass, f.Start, f.Column)
			}
		}
		values[f.Column] = value{f.Value, f.Start, f.Written}
	}
	return values, nil
}

func (o *oracle) row(rec *dfa.RawRecord) {
	row := len(o.out.Rows)
	at := func(p runtime.Problem) {
		p.Row, p.Start, p.End, p.Binding = row, rec.Start, rec.End, o.binding
		o.out.Problems = append(o.out.Problems, p)
	}
	values, problem := o.fields(rec)
	if problem != nil {
		at(*problem)
	} else if note := o.surplus(rec); note.N > 0 {
		note.Row = row
		o.out.Notes = append(o.out.Notes, note)
	}
	line := ""
	var found []runtime.Problem
	for i, output := range o.plan.Outputs {
		source := o.binding.Source[output.Column]
		v, ok := values[source]
		var f convert.Fields
		offset := rec.End
		if f.PushAbsent(); ok {
			f.Reset(nil)
			f.PushDecoded(v.text)
			if s := convert.NewSettler(&o.plan.Columns[output.Column], o.plan.Program.Openers); s != nil && len(v.written.Text) > 0 {
				s.Settle(&f, 0, &v.written)
			}
			offset = v.start
		}
		converter, err := convert.NewConverter(o.plan.Def(output), convert.Options{UTF8: o.plan.UTF8, Plain: true})
		if err != nil {
			panic(err)
		}
		c := convert.NewColumn(&o.plan.Def(output).Type)
		for _, e := range converter.Append(c, &f, nil) {
			found = append(found, runtime.Problem{What: runtime.Value, Output: i, Offset: offset, Field: source, Code: e.Code})
		}
		line += cell(c, 0)
	}
	o.out.Rows = append(o.out.Rows, line)
	if problem == nil {
		slices.SortStableFunc(found, func(a, b runtime.Problem) int { return a.Offset - b.Offset })
		for _, p := range found {
			at(p)
		}
	}
}

// surplus is the note of the fields of a good record for which there are no
// columns.
func (o *oracle) surplus(rec *dfa.RawRecord) (n runtime.Note) {
	n.What = runtime.SurplusFields
	if widths := o.plan.Program.Widths; len(widths) > 0 {
		at := rec.Start
		for _, w := range widths {
			at += w
		}
		if at < rec.End {
			n.N, n.Offset = 1, at
		}
		return n
	}
	last := rec.Fields[len(rec.Fields)-1].Column + 1
	if o.binding.Rest >= 0 || last <= o.binding.MaxFields {
		return n
	}
	for _, f := range rec.Fields {
		if f.Column >= o.binding.MaxFields {
			n.N, n.Offset = last-o.binding.MaxFields, f.Start
			return n
		}
	}
	return n
}

// cell is one value of a string or int64 column in words.
func cell(c *columns.Column, row int) string {
	switch {
	case !c.IsValid(row):
		return "[null]"
	case c.Form.Width == 8:
		return fmt.Sprintf("[%d]", int64(binary.LittleEndian.Uint64(c.Fixed[8*row:])))
	}
	return fmt.Sprintf("[%q]", c.Data[c.Offsets[row]:c.Offsets[row+1]])
}
