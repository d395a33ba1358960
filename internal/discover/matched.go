package discover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/expr"
	"github.com/dfaparse/dfaparse/internal/hive"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/union"
	"github.com/dfaparse/dfaparse/runtime"
)

// Together says how several inputs are one table.
type Together struct {
	Union      union.Mode
	Hive       bool   // folders in their paths are columns
	FileColumn string // the name of a column with the path; "" for none
}

// Matched makes one table of what inputs have.
type Matched struct {
	Together
	Paths  []string
	Wanted []string // columns that the reader is to deliver, those of folders too; nil: all
	hive   *hive.Columns
	union  *union.Union
	has    map[string][]string // by input: its columns, if the union goes by name
}

// NewMatched is for inputs of which no column is known yet.
func NewMatched(t Together, paths, wanted []string) *Matched {
	return &Matched{Together: t, Paths: paths, Wanted: wanted, union: &union.Union{Mode: t.Union}}
}

// TakenError says that an input has a column of the name that another one is to have.
type TakenError struct{ What string }

func (e *TakenError) Error() string { return e.What + ", and there is such a column already" }

// Folders reads the names of folders, and gives what is left of given for the inputs.
func (m *Matched) Folders(ctx context.Context, given *infer.Given) error {
	if !m.Hive {
		return nil
	}
	var err error
	if m.hive, err = hive.Of(ctx, m.Paths, given, m.Union); err != nil {
		return err
	}
	given.Types = slices.DeleteFunc(given.Types, func(t infer.GivenType) bool { return slices.Contains(m.hive.Keys, t.Column) })
	return nil
}

// Where leaves the inputs that may have rows for which a test holds, by their folders; the
// first, if there are none.
func (m *Matched) Where(src expr.Source, test *expr.Or) error {
	if m.hive == nil {
		return nil
	}
	kept, err := m.hive.Where(src, test, m.Paths)
	if err == nil && len(kept) == 0 {
		kept = m.Paths[:1]
	}
	if err == nil {
		m.Paths = kept
	}
	return err
}

// Columns are those of wanted that inputs have.
func (m *Matched) Columns() []string {
	if m.Wanted == nil || m.hive == nil {
		return m.Wanted
	}
	return slices.DeleteFunc(slices.Clone(m.Wanted), func(name string) bool { return slices.Contains(m.hive.Keys, name) })
}

// Headers looks at those of all inputs, if the union goes by name. The last of options
// say how the Program is run.
func (m *Matched) Headers(ctx context.Context, in *Inputs, p *dfa.Program, opts ...runtime.Option) error {
	if m.Union != union.ByName || len(m.Paths) < 2 {
		return nil
	}
	var err error
	m.union, m.has, err = in.Headers(ctx, p, m.Columns(), append(slices.Clip(opts), runtime.WithColumns())...)
	return err
}

// Names are those of all columns, if the inputs have columns of names.
func (m *Matched) Names(names []string) []string {
	names = slices.Clone(names)
	if m.hive != nil {
		names = append(names, m.hive.Keys...)
	}
	if m.FileColumn != "" {
		names = append(names, m.FileColumn)
	}
	return names
}

// Options are what the reader of an input has to be told.
func (m *Matched) Options(path string) []runtime.Option {
	columns := m.Columns()
	if columns == nil {
		return nil
	}
	if has := m.has[path]; has != nil {
		columns = slices.DeleteFunc(slices.Clone(columns), func(name string) bool {
			lacks := func(path string) bool { return !slices.Contains(m.has[path], name) }
			return lacks(path) && slices.ContainsFunc(m.Paths, func(path string) bool { return !lacks(path) })
		})
	}
	return []runtime.Option{runtime.WithColumns(columns...)}
}

// Align gives what makes records of an input those of the first; nil if they are.
func (m *Matched) Align(in *input.Input, schema *arrow.Schema) (*union.Aligned, error) {
	if len(m.Paths) < 2 {
		return nil, nil
	}
	if m.union.Empty() {
		if err := m.union.Add(in.Name, schema); err != nil {
			return nil, err
		}
	}
	return m.union.Align(in.Name, schema)
}

// Widen is a schema with the columns that no input has.
func (m *Matched) Widen(schema *arrow.Schema) (*arrow.Schema, error) {
	var err error
	if m.hive != nil {
		if schema, err = union.Behind(schema, m.hive.Fields(), func(name string) error {
			return &TakenError{fmt.Sprintf("--hive: a folder is %s=…", name)}
		}); err != nil {
			return nil, err
		}
	}
	if m.FileColumn != "" {
		schema, err = union.Behind(schema, []arrow.Field{{Name: m.FileColumn, Type: arrow.BinaryTypes.String}}, func(name string) error {
			return &TakenError{"--file-column " + name}
		})
	}
	if err == nil && m.hive != nil && m.Wanted != nil {
		schema = m.order(schema)
	}
	return schema, err
}

// order is schema with the columns that are wanted, in their order.
func (m *Matched) order(schema *arrow.Schema) *arrow.Schema {
	var fields []arrow.Field
	for _, name := range append(slices.Clone(m.Wanted), m.FileColumn) {
		if found, ok := schema.FieldsByName(name); ok {
			fields = append(fields, found[0])
		}
	}
	md := schema.Metadata()
	return arrow.NewSchema(fields, &md)
}

// Record is rec with the columns of schema, which Widen gave; the caller owns the
// reference.
func (m *Matched) Record(path, name string, rec arrow.Record, schema *arrow.Schema) arrow.Record {
	more := map[string]arrow.Array{}
	defer func() {
		for _, a := range more {
			a.Release()
		}
	}()
	if m.hive != nil {
		for i, a := range m.hive.Of(path, int(rec.NumRows())) {
			more[m.hive.Keys[i]] = a
		}
	}
	if m.FileColumn != "" {
		more[m.FileColumn] = repeated(strings.ToValidUTF8(name, "\uFFFD"), int(rec.NumRows()))
	}
	columns := make([]arrow.Array, schema.NumFields())
	for i, f := range schema.Fields() {
		if a, ok := more[f.Name]; ok {
			columns[i] = a
		} else {
			columns[i] = rec.Column(rec.Schema().FieldIndices(f.Name)[0])
		}
	}
	return array.NewRecord(schema, columns, rec.NumRows())
}

// Widens reports whether there are columns that no input has.
func (m *Matched) Widens() bool { return m.hive != nil || m.FileColumn != "" }

// repeated is a column of n times the same text.
func repeated(text string, n int) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(n)
	b.ReserveData(n * len(text))
	for range n {
		b.Append(text)
	}
	return b.NewArray()
}
