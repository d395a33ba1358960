package main

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/internal/hive"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/union"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// This file is about many inputs as one table.

// together are the flags that say how.
type together struct {
	union      string
	hive       bool
	fileColumn string
}

func (t *together) flags(f *pflag.FlagSet) {
	f.StringVar(&t.union, "union", "", "columns of several inputs go by `name`, those that one lacks are null; or by position, as the first calls them (default: all have the same, in any order)")
	f.BoolVar(&t.hive, "hive", false, "add a column for each folder in the paths of inputs that is named as year=2024")
	f.StringVar(&t.fileColumn, "file-column", "", "add a column `NAME` with the path of the input that a row is from")
}

// expanded are the inputs that args name.
func expanded(args []string) ([]string, error) {
	paths, err := input.Expand(args)
	if wrong := (*input.NameError)(nil); errors.As(err, &wrong) {
		return nil, &usageError{err: err}
	}
	return paths, err
}

// matched makes one table of what inputs have.
type matched struct {
	together
	paths  []string
	wanted []string // columns that the reader is to deliver, those of folders too; nil: all
	hive   *hive.Columns
	union  *union.Union
	has    map[string][]string // by input: its columns, if the union goes by name
}

// newMatched checks the flags.
func newMatched(t together, paths, wanted []string) (*matched, error) {
	m := &matched{together: t, paths: paths, wanted: wanted, union: &union.Union{Mode: union.Mode(t.union)}}
	if t.union != "" {
		if err := oneOf("union", t.union, union.Modes()...); err != nil {
			return nil, err
		}
	}
	if (t.hive || t.union == string(union.ByName)) && slices.Contains(paths, "-") && len(paths) > 1 {
		return nil, usagef("--union and --hive want files: the standard input (-) is none")
	}
	return m, nil
}

// folders reads the names of folders, and gives what is left of given for the inputs.
func (m *matched) folders(ctx context.Context, given *infer.Given) error {
	if !m.together.hive {
		return nil
	}
	var err error
	if m.hive, err = hive.Of(ctx, m.paths, given, m.union.Mode); err != nil {
		return &usageError{err: err}
	}
	given.Types = slices.DeleteFunc(given.Types, func(t infer.GivenType) bool { return slices.Contains(m.hive.Keys, t.Column) })
	return nil
}

// columns are those of wanted that inputs have.
func (m *matched) columns() []string {
	if m.wanted == nil || m.hive == nil {
		return m.wanted
	}
	return slices.DeleteFunc(slices.Clone(m.wanted), func(name string) bool { return slices.Contains(m.hive.Keys, name) })
}

// headers looks at those of all inputs, if the union goes by name.
func (m *matched) headers(j *job) error {
	if m.union.Mode != union.ByName || len(m.paths) < 2 {
		return nil
	}
	in := (&guess{r: j.r, paths: m.paths, std: j.std, union: m.union.Mode}).inputs(j.ctx)
	var err error
	m.union, m.has, err = in.Headers(j.program, m.columns(), append(slices.Clip(j.opts), runtime.WithEngine(cpu.Engine), runtime.WithColumns(), runtime.WithContext(j.ctx))...)
	return err
}

// options are what the reader of an input has to be told.
func (m *matched) options(path string) []runtime.Option {
	columns := m.columns()
	if columns == nil {
		return nil
	}
	if has := m.has[path]; has != nil {
		columns = slices.DeleteFunc(slices.Clone(columns), func(name string) bool {
			lacks := func(path string) bool { return !slices.Contains(m.has[path], name) }
			return lacks(path) && slices.ContainsFunc(m.paths, func(path string) bool { return !lacks(path) })
		})
	}
	return []runtime.Option{runtime.WithColumns(columns...)}
}

// align gives what makes records of an input those of the first; nil if they are.
func (m *matched) align(in *input.Input, schema *arrow.Schema) (*union.Aligned, error) {
	if len(m.paths) < 2 {
		return nil, nil
	}
	if m.union.Empty() {
		if err := m.union.Add(in.Name, schema); err != nil {
			return nil, err
		}
	}
	return m.union.Align(in.Name, schema)
}

// widen is a schema with the columns that no input has.
func (m *matched) widen(schema *arrow.Schema) (*arrow.Schema, error) {
	var err error
	if m.hive != nil {
		if schema, err = union.Behind(schema, m.hive.Fields(), func(name string) error {
			return usagef("--hive: a folder is %s=…, and there is such a column already", name)
		}); err != nil {
			return nil, err
		}
	}
	if m.fileColumn != "" {
		schema, err = union.Behind(schema, []arrow.Field{{Name: m.fileColumn, Type: arrow.BinaryTypes.String}}, func(name string) error {
			return usagef("--file-column %s: there is such a column already", name)
		})
	}
	if err == nil && m.hive != nil && m.wanted != nil {
		schema = m.order(schema)
	}
	return schema, err
}

// order is schema with the columns that are wanted, in their order.
func (m *matched) order(schema *arrow.Schema) *arrow.Schema {
	var fields []arrow.Field
	for _, name := range append(slices.Clone(m.wanted), m.fileColumn) {
		if found, ok := schema.FieldsByName(name); ok {
			fields = append(fields, found[0])
		}
	}
	md := schema.Metadata()
	return arrow.NewSchema(fields, &md)
}

// record is rec with the columns of schema, which widen gave; the caller owns the
// reference.
func (m *matched) record(path, name string, rec arrow.Record, schema *arrow.Schema) arrow.Record {
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
	if m.fileColumn != "" {
		more[m.fileColumn] = repeated(name, int(rec.NumRows()))
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

// widens reports whether there are columns that no input has.
func (m *matched) widens() bool { return m.hive != nil || m.fileColumn != "" }

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
