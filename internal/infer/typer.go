package infer

import (
	"bytes"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// Typer gives texts the types that were inferred of some of them. Each value is held
// against its type as those were: one that does not fit is a *Misfit, or null.
type Typer struct {
	schema *arrow.Schema
	typers []*typer // by column; nil: it stays as it is
	null   bool
	rows   int64
}

// typer is a column's.
type typer struct {
	name      string
	trial     *trial
	witness   *witness // nil: no value can bring a doubt any more
	shown     shown    // by the values so far
	nulls     func(b []byte) bool
	converter *convert.Converter
	column    *columns.Column
	text      string
	fields    convert.Fields
}

// Typer types records of a schema, in which all that is to have an inferred type is
// text. null says that what does not fit is null.
func (t *Table) Typer(schema *arrow.Schema, null bool) (*Typer, error) {
	x := &Typer{null: null}
	fields := make([]arrow.Field, schema.NumFields())
	for i, f := range schema.Fields() {
		fields[i] = f
		x.typers = append(x.typers, nil)
		for _, c := range t.Columns {
			if c.Name != f.Name || c.Given || c.lead == nil {
				continue
			}
			col := dfa.Column{Name: c.Name, Type: c.lead.typ}
			if c.lead.text == "dec" {
				col.Type.Precision, col.Type.Scale = c.whole+c.scale, c.scale
			}
			converter, err := convert.NewConverter(&col, convert.Options{})
			if err != nil {
				return nil, err
			}
			x.typers[i] = &typer{name: c.Name, trial: c.lead, nulls: c.isNull, converter: converter, column: convert.NewColumn(&col.Type), text: c.Type}
			if c.questions(c.lead) && !null {
				x.typers[i].witness, x.typers[i].shown = c.lead.witness, c.lead.shown
			}
			fields[i] = convert.ArrowField(&col)
		}
	}
	md := schema.Metadata()
	x.schema = arrow.NewSchema(fields, &md)
	return x, nil
}

// Schema of the records that are given.
func (x *Typer) Schema() *arrow.Schema { return x.schema }

// Record gives rec with the types; the caller owns the reference. Before a *Misfit come
// the rows before it, if there are any.
func (x *Typer) Record(rec arrow.Record) (arrow.Record, error) {
	nrows := int(rec.NumRows())
	arrays := make([]arrow.Array, rec.NumCols())
	defer func() {
		for _, a := range arrays {
			if a != nil {
				a.Release()
			}
		}
	}()
	var first *Misfit
	for i, t := range x.typers {
		a := rec.Column(i)
		if t == nil {
			a.Retain()
			arrays[i] = a
			continue
		}
		m := t.convert(a.(*array.String), x)
		if m != nil && (first == nil || m.Row < first.Row) {
			first = m
		}
		arrays[i] = t.column.Array(memory.DefaultAllocator)
	}
	if first != nil {
		nrows = int(first.Row - x.rows - 1)
		for i, a := range arrays {
			arrays[i] = array.NewSlice(a, 0, int64(nrows))
			a.Release()
		}
		if nrows == 0 {
			return nil, first
		}
		return array.NewRecord(x.schema, arrays, int64(nrows)), first
	}
	x.rows += int64(nrows)
	return array.NewRecord(x.schema, arrays, int64(nrows)), nil
}

// convert appends the values of a to the column, those that do not fit as nulls, and
// gives the first of these unless nulls are wanted.
func (t *typer) convert(a *array.String, x *Typer) (first *Misfit) {
	text, offsets := a.ValueBytes(), a.ValueOffsets()
	base := offsets[0]
	t.fields.Reset(text)
	misfit := func(row int, b []byte, doubt string) {
		if !x.null && (first == nil || x.rows+int64(row)+1 < first.Row) {
			first = &Misfit{t.name, t.text, x.rows + int64(row) + 1, string(b), doubt}
		}
	}
	for i := range a.Len() {
		from, to := offsets[i]-base, offsets[i+1]-base
		b := bytes.TrimLeft(text[from:to], " \t")
		from = to - int32(len(b))
		b = bytes.TrimRight(b, " \t")
		switch {
		case a.IsNull(i) || len(b) == 0 || len(b) <= longestNull && t.nulls(b):
			t.fields.PushAbsent()
		case t.trial.accepts != nil && !t.trial.accepts(b):
			misfit(i, b, "")
			t.fields.PushAbsent()
		default:
			if doubt := t.doubt(b); doubt != "" {
				misfit(i, b, doubt)
			}
			t.fields.Push(uint32(from), uint32(from)+uint32(len(b)))
		}
	}
	for _, e := range t.converter.Append(t.column, &t.fields, nil) {
		b, _ := t.fields.At(e.Row)
		misfit(e.Row, b, "")
	}
	return first
}

// doubt is why, with this value, the type of the rows before may not be meant; "" if it is.
func (t *typer) doubt(b []byte) string {
	if t.witness == nil {
		return ""
	}
	if t.shown |= t.witness.look(b); t.witness.sure(t.shown) {
		t.witness = nil
		return ""
	}
	return t.witness.doubt(t.shown)
}
