//go:build cgo && (linux || darwin)

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/formats/identify"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// format is what a dfaparse_format stands for.
type format struct {
	pending
	description
}

// begun is a format that is being made.
func begun(o *formatOptions, data []byte) *format {
	f := &format{}
	f.pending.begin(func(ctx context.Context) error {
		d, err := newFormat(ctx, o, data)
		if err == nil {
			f.description = *d
		}
		return err
	})
	return f
}

// description is all of a format.
type description struct {
	program  *dfa.Program
	spec     string // "": there is none, of a saved Program
	said     string // what was decided, of one that was inferred
	encoding string // of inputs; "" is UTF-8
	again    any    // the options that make it again
}

// formatOptions are the JSON of dfaparse_format_new.
type formatOptions struct {
	Format string  `json:"format"`
	Spec   string  `json:"spec"`
	Infer  *string `json:"infer"`

	Encoding string `json:"encoding"` // of a format or a spec; "" is UTF-8
}

// specError is a format that is not there, or wrong.
type specError struct{ error }

func (e specError) Unwrap() error { return e.error }

func newFormat(ctx context.Context, o *formatOptions, data []byte) (*description, error) {
	if o.Infer != nil {
		return inferred(ctx, *o.Infer, data)
	}
	if o.Encoding != "" {
		if err := input.KnownEncoding(o.Encoding); err != nil {
			return nil, &runtime.OptionError{Option: "encoding", Reason: err.Error()}
		}
	}
	var f *description
	var err error
	if o.Spec != "" {
		f, err = compiled(ctx, &formats.Found{File: "spec", Source: []byte(o.Spec)})
	} else {
		f, err = compiledByName(ctx, o.Format)
	}
	if err != nil {
		return nil, err
	}
	f.encoding, f.again = o.Encoding, againOptions{o.Format, o.Spec, o.Encoding}
	return f, nil
}

// againOptions are formatOptions of a format that is known.
type againOptions struct {
	Format   string `json:"format,omitempty"`
	Spec     string `json:"spec,omitempty"`
	Encoding string `json:"encoding,omitempty"`
}

func compiled(ctx context.Context, found *formats.Found) (*description, error) {
	spec, err := found.Compile(runtime.Verifier(cpu.Engine), compile.WithContext(ctx))
	if err != nil {
		return nil, specError{err}
	}
	return &description{program: spec.Program, spec: string(found.Source)}, nil
}

// source is an input that can be opened any number of times.
type source struct {
	path string // "": data
	data []byte
}

func (s *source) open(ctx context.Context, encoding string) (*input.Input, error) {
	var in *input.Input
	var err error
	if s.path != "" {
		in, err = input.Open(ctx, s.path, nil)
	} else {
		in, err = input.Of(ctx, bytes.NewReader(s.data), "input", nil)
	}
	if err == nil && encoding != "" {
		if err = in.Decode(encoding); err != nil {
			in.Close()
		}
	}
	return in, err
}

// tableScore is from which score on a sample is a table without a doubt, and with a
// header from namedScore. The command has the same.
const (
	tableScore = 0.7
	namedScore = 0.4
)

// inferred finds out how an input is to be read: a table as "dfaparse infer" describes
// it, or a built-in format that its content shows.
func inferred(ctx context.Context, path string, data []byte) (*description, error) {
	s := &source{path, data}
	in, err := s.open(ctx, "")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.Once() {
		return nil, specError{fmt.Errorf("%s can be read only once: say its format", in.Name)}
	}
	head, whole, err := in.Sample(infer.SampleBytes, 50*time.Millisecond)
	if err != nil {
		return nil, err
	}
	f := &description{}
	if f.encoding, _ = input.GuessEncoding(head, whole); f.encoding != "" {
		if err := in.Decode(f.encoding); err != nil {
			return nil, err
		}
		if head, whole, err = in.Sample(infer.SampleBytes, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
	byName, named := formats.ByExtension(input.Bare(path))
	builtin := func(name string) (*description, error) {
		found, err := compiledByName(ctx, name)
		if err == nil {
			found.encoding, found.said = f.encoding, in.Name+": "+name
			found.again = againOptions{name, "", f.encoding}
		}
		return found, err
	}
	table, err := infer.Guess(head, whole, &infer.Given{})
	if err != nil {
		switch {
		case len(head) == 0 && !named:
			return nil, specError{fmt.Errorf("%s: the input is empty, and nobody has said its format", in.Name)}
		case errors.Is(err, infer.ErrNoTable) && named:
			return builtin(byName) // which says what is missing
		}
		if name := identified(ctx, head, whole); name != "" {
			return builtin(name)
		}
		return nil, specError{fmt.Errorf("%s: %w", in.Name, err)}
	}
	if json := bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")); json || !named && !isTable(table, path) {
		if name := identified(ctx, head, whole); name != "" {
			return builtin(name)
		}
		if json {
			return nil, specError{fmt.Errorf("%s is JSON; the format jsonl reads an object a line, and nothing reads other JSON", in.Name)}
		}
	}
	name := formatName(path)
	from := &infer.Input{Sample: head, Whole: whole, Read: func(p *dfa.Program, columns []string, use func(infer.Records) error, opts ...runtime.Option) error {
		again, err := s.open(ctx, f.encoding)
		if err != nil {
			return err
		}
		defer again.Close()
		opts = append(opts[:len(opts):len(opts)], runtime.WithName(again.Name))
		if columns != nil {
			opts = append(opts, runtime.WithColumns(columns...))
		}
		r, err := read(again, p, opts)
		if err != nil {
			return err
		}
		defer r.Release()
		return use(r)
	}}
	if err := table.InferTypes(ctx, name, from, runtime.WithEngine(cpu.Engine), runtime.WithContext(ctx), runtime.WithName(in.Name)); err != nil {
		return nil, err
	}
	spec, err := table.Build(ctx, name, true)
	if err != nil {
		return nil, specError{err}
	}
	if f.spec, err = table.Source(name, in.Name); err != nil {
		return nil, specError{err}
	}
	f.program, f.said = spec.Program, in.Name+": "+table.Summary()
	f.again = againOptions{"", f.spec, f.encoding}
	return f, nil
}

func compiledByName(ctx context.Context, name string) (*description, error) {
	found, err := formats.Find(name)
	if err != nil {
		return nil, specError{err}
	}
	return compiled(ctx, found)
}

// read is a Reader of what is opened.
func read(in *input.Input, p *dfa.Program, opts []runtime.Option) (*runtime.Reader, error) {
	if in.Plain != nil {
		return runtime.ReadOpenFile(in.Plain, p, opts...)
	}
	return runtime.NewReader(in.Reader, p, opts...)
}

// isTable reports whether an input is a delimited one for sure.
func isTable(t *infer.Table, path string) bool {
	switch strings.ToLower(filepath.Ext(input.Bare(path))) {
	case ".psv", ".tab", ".ssv":
		return true
	case ".log":
		return false
	}
	if t.Comment != "" || t.Skip > 0 && !t.Header || t.Width < 2 || t.Rival != nil || !strings.ContainsRune(",;\t|", rune(t.Separator)) {
		return false
	}
	return t.Score >= tableScore || t.Header && t.Score >= namedScore
}

// identified is the built-in format that a sample is of, "" if it is of none, or of a
// delimited one.
func identified(ctx context.Context, sample []byte, whole bool) string {
	if i := bytes.LastIndexByte(sample, '\n'); i >= 0 && !whole {
		sample = sample[:i+1]
	}
	m, err := identify.Bytes(ctx, sample)
	if err != nil || !m.Named() || m[0].Name == "csv" || m[0].Name == "csv_lax" || m[0].Name == "tsv" {
		return ""
	}
	return m[0].Name
}

// formatName is a name of a format for a file.
func formatName(path string) string {
	name := filepath.Base(input.Bare(path))
	name = strings.TrimSuffix(name, filepath.Ext(name))
	name = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "t_" + name
	}
	return strings.TrimSuffix(name, "_")
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_]+`)
