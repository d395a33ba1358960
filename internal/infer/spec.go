package infer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
)

// Table is what has been found out about an input.
type Table struct {
	Dialect
	Rival    *Rating // the second best dialect, if it is close; else nil
	Columns  []*Column
	Records  int64
	Rejected int64  // that the dialect does not read
	Reject   string // the first of them
}

// ErrNoTable is the error for inputs that have no records.
var ErrNoTable = errors.New("there is nothing from which a table could be inferred")

// sampleBytes is how much of an input the dialect is inferred from.
const sampleBytes = 64 << 10

// closeScore is what part of the best score makes another dialect a rival.
const closeScore = 0.9

// Infer finds out what in looks like. reopen gives the input from its beginning:
// the types are of all of it.
func Infer(ctx context.Context, name string, reopen func() (io.ReadCloser, error), opts ...runtime.Option) (*Table, error) {
	sample, whole, err := sampleOf(reopen)
	if err != nil {
		return nil, err
	}
	ratings := Rate(sample, whole)
	if len(ratings) == 0 {
		return nil, ErrNoTable
	}
	best := &ratings[0]
	t := &Table{Dialect: best.Dialect}
	t.Header = hasHeader(best.rows, best.Columns)
	for i := range ratings[1:] {
		if r := &ratings[i+1]; r.Separator != best.Separator && r.Columns > 1 && r.Score > closeScore*best.Score {
			t.Rival = r
			break
		}
	}
	spec, err := t.builder(name, false).Build(compile.WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("the inferred format: %w", err)
	}
	in, err := reopen()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return t, t.read(in, spec.Program, opts)
}

func sampleOf(reopen func() (io.ReadCloser, error)) (sample []byte, whole bool, err error) {
	in, err := reopen()
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	sample = make([]byte, sampleBytes)
	n, err := io.ReadFull(in, sample)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return sample[:n], true, nil
	}
	return sample, false, err
}

// read reads all records as text, for the types of their columns.
func (t *Table) read(in io.Reader, p *dfa.Program, opts []runtime.Option) error {
	opts = append(opts, runtime.WithErrorMode(dfa.Reject), runtime.WithRejectHandler(func(r *runtime.Reject) error {
		if t.Reject == "" {
			t.Reject = r.Error()
		}
		return nil
	}))
	r, err := runtime.NewReader(in, p, opts...)
	if err != nil {
		return err
	}
	defer r.Release()
	for _, f := range r.Schema().Fields() {
		c, err := newColumn(f.Name)
		if err != nil {
			return err
		}
		t.Columns = append(t.Columns, c)
	}
	workers := min(goruntime.GOMAXPROCS(0), len(t.Columns))
	for r.Next() {
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := w; i < len(t.Columns); i += workers {
					t.Columns[i].add(r.Record().Column(i).(*array.String))
				}
			})
		}
		wg.Wait()
	}
	if err := r.Err(); err != nil {
		return err
	}
	s := r.Stats()
	t.Records, t.Rejected = s.Rows, s.Rejected
	for _, c := range t.Columns {
		c.decide()
	}
	return nil
}

// builder is the format, with the types of its columns or without.
func (t *Table) builder(name string, typed bool) *compile.FormatBuilder {
	b := compile.New(name)
	if t.Skip > 0 {
		b.SkipLines(t.Skip)
	}
	sep := compile.Separator(string([]byte{t.Separator}))
	if t.Separator == 0 {
		sep = compile.Separator(string([]byte{t.Filler}))
	}
	if t.Run {
		sep = compile.SeparatorRun(string([]byte{t.Separator}))
	}
	options := []compile.DelimitedOption{sep}
	if t.Quote != 0 {
		options = append(options, compile.Quoted(t.Quote, t.Escape == 0))
		if t.Escape != 0 {
			options = append(options, compile.Escaped(t.Escape))
		}
	}
	if t.Comment != "" {
		options = append(options, compile.CommentPrefix(t.Comment))
	}
	if t.LineEnd != "" {
		options = append(options, compile.LineEnds(t.LineEnd))
	}
	if t.Lax {
		options = append(options, compile.Laxly())
	}
	b.Delimited(options...)
	mode := "none"
	if t.Header {
		mode = "names"
	}
	b.Add(&compile.Header{Mode: &compile.Word{Value: mode}})
	var ragged []string
	if t.Short {
		ragged = append(ragged, "pad")
	}
	if t.Surplus {
		ragged = append(ragged, "truncate")
	}
	if len(ragged) > 0 {
		b.Ragged(ragged...)
	}
	if len(t.Columns) == 1 {
		b.Blank("skip") // where fields has one column they would be records
	}
	if !typed {
		return b
	}
	for _, c := range t.Columns {
		if c.Type == "str" && t.Header || strings.Contains(c.Name, "*") {
			continue
		}
		var modifiers []*compile.Modifier
		if c.Blanks && c.Type != "str" {
			modifiers = append(modifiers, compile.Trim())
		}
		if len(c.Nulls) > 0 {
			modifiers = append(modifiers, compile.NullTokens(c.Nulls...))
		}
		b.Field(c.Name, c.Type, modifiers...)
	}
	return b
}

// Source is the spec, with the reasons as comments.
func (t *Table) Source(name, from string) (string, error) {
	b := t.builder(name, true)
	if _, err := b.File(); err != nil {
		return "", err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Inferred from all of %s: %s.\n", render.Printable(from), render.Count(t.Records, "record"))
	fmt.Fprintf(&out, "# %s.\n", sentence(t.Dialect.String()))
	if t.Rival != nil {
		fmt.Fprintf(&out, "# It might also be %s, in %s, which fits nearly as well.\n", t.Rival.Dialect.String(), render.Count(t.Rival.Columns, "column"))
	}
	if t.Rejected > 0 {
		fmt.Fprintf(&out, "# %s cannot be read this way; the first: %s\n", render.Count(t.Rejected, "more record"), render.Printable(t.Reject))
	}
	for _, c := range t.Columns {
		if c.Type == "str" && c.Why != "" {
			fmt.Fprintf(&out, "# %s is text: %s\n", render.Printable(c.Name), render.Printable(c.Why))
		}
	}
	out.WriteString(b.Source())
	return out.String(), nil
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
