package compile

import (
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
)

// Resolver gives the file that defines a format, for extends. It is asked only
// for formats that the extending file does not define itself.
type Resolver func(name string) (*File, error)

// Spec is a compiled format.
type Spec struct {
	Program  *dfa.Program
	Examples []dfa.Example // its tests
	Warnings []Warning
}

// Check reports everything that is wrong with the formats, escapes and tables
// of f. Its error is Faults.
func Check(f *File, resolve Resolver) error {
	bad := &faults{}
	names := map[string]lexer.Position{}
	for _, d := range f.Definitions {
		kind, name := defined(d)
		key := kind + " " + name.String()
		if kind != "format" {
			key = "rule " + name.String() // holes name escapes and tables alike
		}
		if at, twice := names[key]; twice {
			bad.addf(name.Pos, "%s %q is defined a second time; the first is at line %d", kind, name, at.Line)
		}
		names[key] = name.Pos
		switch d := d.(type) {
		case *Escape:
			readEscape(d, bad)
		case *Table:
			buildTable(d.Rows, d.Pos, bad)
		}
	}
	for _, d := range f.Definitions {
		if format, ok := d.(*Format); ok {
			build(f, format, resolve, bad)
		}
	}
	return bad.err()
}

func defined(d Definition) (kind string, name *Name) {
	switch d := d.(type) {
	case *Format:
		return "format", d.Name
	case *Escape:
		return "escape", d.Name
	case *Table:
		return "dfa", d.Name
	}
	return "", nil
}

// Build makes the Program of one format of f. Its error is Faults.
func Build(f *File, format string, resolve Resolver) (*Spec, error) {
	bad := &faults{}
	d := f.Format(format)
	if d == nil {
		bad.addf(f.Pos, "there is no format %q%s", format, suggest(format, f.FormatNames()))
		return nil, bad.err()
	}
	spec := build(f, d, resolve, bad)
	if err := bad.err(); err != nil {
		return nil, err
	}
	return spec, nil
}

// build makes the Spec of a format; nil after a fault.
func build(file *File, format *Format, resolve Resolver, bad *faults) *Spec {
	before := len(bad.list)
	own := &faults{}
	defer func() {
		for _, f := range own.list {
			bad.add(f)
		}
	}()
	fm := gather(file, format, resolve, own)
	if fm == nil {
		return nil
	}
	d := &definer{form: fm, bad: own}
	def := d.define()
	examples := d.examples()
	if len(bad.list) > before || len(own.list) > 0 {
		return nil
	}
	p, err := dfa.NewProgram(def)
	if err != nil {
		own.addf(format.Pos, "%v", err)
		return nil
	}
	return &Spec{Program: p, Examples: examples, Warnings: own.warnings}
}

// Option is an option of Compile.
type Option func(*options)

type options struct {
	resolve Resolver
	verify  func(*dfa.Program, []dfa.Example) error
	format  string
}

// WithResolver says where the parents of formats are found.
func WithResolver(r Resolver) Option { return func(o *options) { o.resolve = r } }

// WithVerifier says how tests are run, so that a spec whose tests fail does
// not compile; runtime.Verify does it.
func WithVerifier(v func(*dfa.Program, []dfa.Example) error) Option {
	return func(o *options) { o.verify = v }
}

// WithFormat says which format of the file is wanted. Without it, it is the
// last one: a file builds up from the formats that others extend.
func WithFormat(name string) Option { return func(o *options) { o.format = name } }

// Compile reads, checks and builds the text of a spec file, and runs the tests
// of the format if it has a verifier. Its error is Faults, or what the
// verifier found.
func Compile(file string, src []byte, opts ...Option) (*Spec, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	f, err := Parse(file, src)
	if err != nil {
		return nil, err
	}
	if err := Check(f, o.resolve); err != nil {
		return nil, err
	}
	if o.format == "" {
		names := f.FormatNames()
		if len(names) == 0 {
			return nil, Faults{faultf(f.Pos, "the spec defines no format: format NAME { … }")}
		}
		o.format = names[len(names)-1]
	}
	spec, err := Build(f, o.format, o.resolve)
	if err != nil {
		return nil, err
	}
	if o.verify != nil {
		if err := o.verify(spec.Program, spec.Examples); err != nil {
			if strings.HasPrefix(err.Error(), file) {
				return nil, err
			}
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return spec, nil
}
