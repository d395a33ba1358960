package compile

import (
	"fmt"
	"slices"
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
	c := newCompilation(resolve)
	c.check(f)
	return c.bad.err()
}

// compilation is what is known of a file while it is checked and built.
type compilation struct {
	resolve Resolver
	bad     faults
	tables  map[*Table]*dfa.Automaton // nil: it has faults
	specs   map[*Format]*Spec         // of the formats without faults
}

func newCompilation(resolve Resolver) *compilation {
	return &compilation{resolve: resolve, tables: map[*Table]*dfa.Automaton{}, specs: map[*Format]*Spec{}}
}

func (c *compilation) check(f *File) {
	names := map[string]lexer.Position{}
	for _, d := range f.Definitions {
		kind, name := defined(d)
		key := kind + " " + name.String()
		if kind != "format" {
			key = "rule " + name.String() // holes name escapes and tables alike
		}
		if at, twice := names[key]; twice {
			c.bad.addf(name.Pos, "%s %q is defined a second time; the first is at line %d", kind, name, at.Line)
		}
		names[key] = name.Pos
		switch d := d.(type) {
		case *Escape:
			readEscape(d, &c.bad)
		case *Table:
			c.tables[d] = buildTable(d.Rows, d.Pos, &c.bad)
		}
	}
	for _, d := range f.Definitions {
		if format, ok := d.(*Format); ok {
			c.build(f, format)
		}
	}
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
	c := newCompilation(resolve)
	return c.spec(f, format)
}

// spec gives the Spec of a format, or all faults found so far.
func (c *compilation) spec(f *File, format string) (*Spec, error) {
	d := f.Format(format)
	if d == nil {
		c.bad.addf(f.Pos, "there is no format %q%s", format, c.bad.suggest(format, f.FormatNames()))
		return nil, c.bad.err()
	}
	if c.specs[d] == nil {
		c.build(f, d)
	}
	if err := c.bad.err(); err != nil {
		return nil, err
	}
	return c.specs[d], nil
}

// build makes the Spec of a format, unless it has faults.
func (c *compilation) build(file *File, format *Format) {
	fm := gather(file, format, c.resolve, &c.bad)
	if fm == nil {
		return
	}
	fm.scope.built = c.tables
	// What is missing is judged by the faults of this format alone, so that
	// those of another one hide nothing.
	own := &faults{}
	d := &definer{form: fm, bad: own}
	def := d.define()
	examples := d.examples()
	for _, f := range fm.blameChild(own.list) {
		c.bad.add(f)
	}
	if len(c.bad.list) > 0 {
		return
	}
	p, err := dfa.NewProgram(def)
	if err != nil {
		c.bad.addf(format.Pos, "%v", err)
		return
	}
	warnings := slices.Concat(c.bad.warnings, own.warnings) // of the file's tables, and of the format
	slices.SortStableFunc(warnings, func(a, b Warning) int { return before(a.Pos, b.Pos) })
	c.specs[format] = &Spec{Program: p, Examples: examples, Warnings: warnings}
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
	c := newCompilation(o.resolve)
	c.check(f)
	names := f.FormatNames()
	if o.format == "" && len(names) > 0 {
		o.format = names[len(names)-1]
	}
	if o.format == "" {
		if len(c.bad.list) == 0 {
			c.bad.addf(f.Pos, "the spec defines no format: format NAME { … }")
		}
		return nil, c.bad.err()
	}
	spec, err := c.spec(f, o.format)
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
