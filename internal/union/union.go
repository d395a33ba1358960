package union

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/internal/render"
)

// Mode is how the columns of inputs are matched.
type Mode string

const (
	// Same wants every input to have the same columns, in any order.
	Same Mode = ""
	// ByName gives the columns of all inputs; those that one lacks are null there.
	ByName Mode = "name"
	// ByPosition gives the columns of the first input, whatever others call theirs, of
	// which there are as many.
	ByPosition Mode = "position"
)

// Modes are those that can be asked for.
func Modes() []string { return []string{string(ByName), string(ByPosition)} }

// MismatchError says how the columns of an input differ from those of an earlier one.
type MismatchError struct {
	Name, First string // of the inputs
	Why         string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s: its columns are not those of %s: %s", render.Printable(e.Name), render.Printable(e.First), e.Why)
}

// Union are the columns of several inputs.
type Union struct {
	Mode   Mode
	fields []arrow.Field
	from   map[string]string // by column: the input that has it first
	meta   arrow.Metadata
	inputs []string
	lacks  map[string]string // by column: an input that has it not
}

// Add takes in the columns of an input. Of the modes but ByName only the first counts.
func (u *Union) Add(name string, s *arrow.Schema) error {
	u.inputs = append(u.inputs, name)
	if len(u.inputs) == 1 {
		u.meta, u.lacks, u.from = s.Metadata(), map[string]string{}, map[string]string{}
		u.fields = slices.Clone(s.Fields())
		for _, f := range u.fields {
			u.from[f.Name] = name
		}
		return nil
	}
	if u.Mode != ByName {
		return nil
	}
	for _, f := range u.fields {
		other, ok := s.FieldsByName(f.Name)
		switch {
		case !ok:
			u.lacks[f.Name] = name
		case other[0].Nullable != f.Nullable || !arrow.TypeEqual(other[0].Type, f.Type):
			return &MismatchError{name, u.from[f.Name], fmt.Sprintf("column %q is %s, not %s", f.Name, other[0].Type, f.Type)}
		}
	}
	for _, f := range s.Fields() {
		if !slices.ContainsFunc(u.fields, func(o arrow.Field) bool { return o.Name == f.Name }) {
			u.lacks[f.Name] = u.inputs[0]
			u.fields, u.from[f.Name] = append(u.fields, f), name
		}
	}
	return nil
}

// Schema has the columns of all inputs, each where it came first.
func (u *Union) Schema() (*arrow.Schema, error) {
	for _, f := range u.fields {
		if without, ok := u.lacks[f.Name]; ok && !f.Nullable {
			return nil, &MismatchError{without, u.from[f.Name], fmt.Sprintf("there is no %q, which may not be null", f.Name)}
		}
	}
	return arrow.NewSchema(u.fields, &u.meta), nil
}

// Order puts the columns named first, in their order.
func (u *Union) Order(names []string) {
	place := func(name string) int {
		if i := slices.Index(names, name); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(u.fields, func(a, b arrow.Field) int { return place(a.Name) - place(b.Name) })
}

// Empty reports whether no input has been added.
func (u *Union) Empty() bool { return len(u.inputs) == 0 }

// Lacking are the columns that some input has not.
func (u *Union) Lacking() (names []string) {
	for _, f := range u.fields {
		if _, ok := u.lacks[f.Name]; ok {
			names = append(names, f.Name)
		}
	}
	return names
}

// Aligned makes records of an input those of the union.
type Aligned struct {
	schema *arrow.Schema
	source []int // the column of the input, -1: null
}

// Align is for the records of an input of a schema. It is nil where they are as they
// should be.
func (u *Union) Align(name string, s *arrow.Schema) (*Aligned, error) {
	schema, err := u.Schema()
	if err != nil {
		return nil, err
	}
	a := &Aligned{schema: schema}
	plain := s.NumFields() == len(u.fields)
	wrong := func(column, format string, args ...any) error {
		first, ok := u.from[column]
		if !ok {
			first = u.inputs[0]
		}
		return &MismatchError{name, first, fmt.Sprintf(format, args...)}
	}
	if u.Mode == ByPosition && s.NumFields() != len(u.fields) {
		return nil, wrong("", "it has %s, not %d", render.Count(int64(s.NumFields()), "column"), len(u.fields))
	}
	for i, f := range u.fields {
		at := i
		if u.Mode != ByPosition {
			switch found := s.FieldIndices(f.Name); {
			case len(found) > 0:
				at = found[0]
			case u.Mode == ByName:
				at = -1
			default:
				return nil, wrong(f.Name, "there is no %q%s", f.Name, u.more(s))
			}
		}
		if plain = plain && at == i; at >= 0 {
			other := s.Field(at)
			if !arrow.TypeEqual(other.Type, f.Type) || other.Nullable != f.Nullable {
				return nil, wrong(f.Name, "column %q is %s, not %s", other.Name, typeName(other), typeName(f))
			}
			plain = plain && other.Name == f.Name
		}
		a.source = append(a.source, at)
	}
	if u.Mode == Same {
		for _, f := range s.Fields() {
			if !schema.HasField(f.Name) {
				return nil, wrong("", "there is also %q; --union name reads all columns", f.Name)
			}
		}
	}
	if plain {
		return nil, nil
	}
	return a, nil
}

// more is what an input has in place of a column that it lacks.
func (u *Union) more(s *arrow.Schema) string {
	var also []string
	for _, f := range s.Fields() {
		if !slices.ContainsFunc(u.fields, func(o arrow.Field) bool { return o.Name == f.Name }) {
			also = append(also, fmt.Sprintf("%q", f.Name))
		}
	}
	if len(also) == 0 {
		return "; --union name reads it as null"
	}
	return ", but " + strings.Join(also, ", ") + "; --union name reads all columns, --union position goes by their places"
}

func typeName(f arrow.Field) string {
	if f.Nullable {
		return f.Type.String()
	}
	return f.Type.String() + " not null"
}

// Schema is that of the records that are given.
func (a *Aligned) Schema() *arrow.Schema { return a.schema }

// Record is rec with the columns of the union; the caller owns the reference.
func (a *Aligned) Record(rec arrow.Record) arrow.Record {
	columns := make([]arrow.Array, len(a.source))
	for i, at := range a.source {
		if at >= 0 {
			columns[i] = rec.Column(at)
			continue
		}
		columns[i] = nulls(a.schema.Field(i).Type, int(rec.NumRows()))
		defer columns[i].Release()
	}
	return array.NewRecord(a.schema, columns, rec.NumRows())
}

// nulls is a column of nothing but nulls.
func nulls(t arrow.DataType, n int) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, t)
	defer b.Release()
	b.AppendNulls(n)
	return b.NewArray()
}

// Behind is s with the columns fields behind its own; what says where they come from.
func Behind(s *arrow.Schema, fields []arrow.Field, what func(name string) error) (*arrow.Schema, error) {
	for _, f := range fields {
		if s.HasField(f.Name) {
			return nil, what(f.Name)
		}
	}
	md := s.Metadata()
	return arrow.NewSchema(append(slices.Clone(s.Fields()), fields...), &md), nil
}

// Pick gives some columns of rec, which it releases.
func Pick(rec arrow.Record, schema *arrow.Schema, columns []int) arrow.Record {
	defer rec.Release()
	picked := make([]arrow.Array, len(columns))
	for i, c := range columns {
		picked[i] = rec.Column(c)
	}
	return array.NewRecord(schema, picked, rec.NumRows())
}
