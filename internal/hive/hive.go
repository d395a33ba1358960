// Package hive reads the columns that folders say, as year=2024/month=01, and writes rows
// into such folders.
package hive

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/expr"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/internal/union"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// Columns are the columns that the folders of inputs say.
type Columns struct {
	Keys  []string
	rows  map[string]int32 // by input
	table arrow.Record     // a row for each input
	one   []int32          // scratch
}

// archive is what stands before the path of a member, see input.Member.
var archive = regexp.MustCompile(`(?i)^.*\.(zip|tar(\.\w+)?|tgz|tbz2|txz|tzst)!`)

// Of reads the folders of inputs. Columns get the type that the values of all inputs
// have, as those of a file do (docs/inference.md), or that which given says. Where some inputs
// lack a folder that others have it is null for them by name, else an error.
func Of(ctx context.Context, inputs []string, given *infer.Given, mode union.Mode) (*Columns, error) {
	h := &Columns{rows: map[string]int32{}}
	values := make([]map[string]string, len(inputs))
	first := map[string]string{}
	texts := map[string]bool{}
	for i, in := range inputs {
		h.rows[in] = int32(i)
		values[i] = map[string]string{}
		folder := path.Dir(filepath.ToSlash(in))
		for _, part := range strings.Split(folder, "/") {
			part = archive.ReplaceAllString(part, "")
			key, value, ok := strings.Cut(part, "=")
			if !ok || key == "" {
				continue
			}
			if key = unescaped(key); value == nullPartition {
				value = "" // which is null too
			}
			value = unescaped(value)
			texts[value] = true
			if old, twice := values[i][key]; twice && old != value {
				return nil, fmt.Errorf("%s: its folders say %s=%s and %s=%s", render.Printable(in), key, old, key, value)
			}
			if values[i][key] = value; !slices.Contains(h.Keys, key) {
				h.Keys, first[key] = append(h.Keys, key), in
			}
		}
	}
	if len(h.Keys) == 0 {
		return nil, fmt.Errorf("%s: it lies in no folder named as year=2024", render.Printable(inputs[0]))
	}
	null := nullPartition
	for texts[null] { // a text that was written as %5F_HIVE_…
		null += "_"
	}
	var text []byte
	text = appendLine(text, h.Keys)
	line := make([]string, len(h.Keys))
	for i, in := range inputs {
		for k, key := range h.Keys {
			value, ok := values[i][key]
			if !ok && mode != union.ByName {
				return nil, &union.MismatchError{Name: in, First: first[key], Why: fmt.Sprintf("it lies in no folder %s=…", key)}
			}
			if line[k] = value; !ok || value == "" {
				line[k] = null
			}
		}
		text = appendLine(text, line)
	}
	return h, h.read(ctx, text, null, len(inputs), given)
}

// read reads the values, of which null is none, as a table of their own, so that their types are those that any
// column would have.
func (h *Columns) read(ctx context.Context, text []byte, null string, n int, given *infer.Given) error {
	g := &infer.Given{Separator: ",", Quote: `"`, Escape: infer.None, Comment: infer.None, Header: "1", LineEnd: "lf", Exact: true, Nulls: []string{null}}
	if given != nil {
		g.AllStrings = given.AllStrings
		for _, t := range given.Types {
			if slices.Contains(h.Keys, t.Column) {
				g.Types = append(g.Types, t)
			}
		}
	}
	t, err := infer.Guess(text, true, g)
	if err != nil {
		return err
	}
	opts := []runtime.Option{runtime.WithEngine(cpu.Engine), runtime.WithContext(ctx), runtime.WithName("the names of folders"), runtime.WithThreads(1)}
	if err := t.InferTypes(ctx, "folders", &infer.Input{Sample: text, Whole: true}, opts...); err != nil {
		return err
	}
	spec, err := t.Build(ctx, "folders", true)
	if err != nil {
		return err
	}
	r, err := runtime.ReadBytes(text, spec.Program, append(opts, runtime.WithBatchSize(n))...)
	if err != nil {
		return err
	}
	defer r.Release()
	if !r.Next() {
		return r.Err()
	}
	h.table = r.Record()
	h.table.Retain()
	return nil
}

// appendLine appends a record of CSV.
func appendLine(text []byte, fields []string) []byte {
	for i, f := range fields {
		if i > 0 {
			text = append(text, ',')
		}
		if strings.ContainsAny(f, "\",\r\n") {
			f = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
		}
		text = append(text, f...)
	}
	return append(text, '\n')
}

// Fields are the columns.
func (h *Columns) Fields() []arrow.Field {
	fields := slices.Clone(h.table.Schema().Fields())
	for i := range fields {
		fields[i].Nullable = true
	}
	return fields
}

// Of are as many rows as there are in a record of an input.
func (h *Columns) Of(input string, nrows int) []arrow.Array {
	rows := slices.Grow(h.one[:0], nrows)[:nrows]
	for i := range rows {
		rows[i] = h.rows[input]
	}
	h.one = rows
	all := make([]int, len(h.Keys))
	for i := range all {
		all[i] = i
	}
	rec := expr.Take(h.table, h.table.Schema(), all, rows)
	defer rec.Release()
	columns := make([]arrow.Array, len(all))
	for i := range columns {
		columns[i] = rec.Column(i)
		columns[i].Retain()
	}
	return columns
}

// Where are the inputs that may have rows for which a test holds, by their folders.
func (h *Columns) Where(src expr.Source, test *expr.Or, inputs []string) ([]string, error) {
	sure := src.Sure(test, h.Keys)
	if sure == nil {
		return inputs, nil
	}
	filter, err := src.BindWhere(sure, h.table.Schema())
	if err != nil {
		return nil, err
	}
	rows, _ := filter.Rows(h.table)
	return slices.DeleteFunc(slices.Clone(inputs), func(in string) bool { return !slices.Contains(rows, h.rows[in]) }), nil
}

// Release lets go of the values.
func (h *Columns) Release() {
	if h != nil && h.table != nil {
		h.table.Release()
	}
}
