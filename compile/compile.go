package compile

import (
	"context"
	"errors"
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
	Places   Places // a Spec of a saved Program has none
}

// Check reports everything that is wrong with the formats, escapes and tables
// of f. Its error is Faults.
func Check(f *File, resolve Resolver) error {
	c := newCompilation(context.Background(), resolve)
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

func newCompilation(ctx context.Context, resolve Resolver) *compilation {
	return &compilation{bad: faults{work: newWork(ctx)}, resolve: resolve, tables: map[*Table]*dfa.Automaton{}, specs: map[*Format]*Spec{}}
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
		if format, ok := d.(*Format); ok && !c.bad.work.Spent() {
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
	c := newCompilation(context.Background(), resolve)
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
	if err := c.bad.work.Take(formatStates); err != nil {
		c.bad.add(lowered(err, format.Pos, ""))
		return
	}
	fm.scope.built = c.tables
	// What is missing is judged by the faults of this format alone, so that
	// those of another one hide nothing.
	own := &faults{work: c.bad.work}
	d := &definer{form: fm, bad: own}
	def := d.define()
	examples := d.examples()
	for _, f := range fm.blameChild(own.list) {
		c.bad.add(f)
	}
	if len(c.bad.list) > 0 {
		return
	}
	if cost := tested(&def, examples); cost > maxTested {
		c.bad.addf(format.Pos, "%d tests of %d columns are too many: tests times (columns + %d + a quarter of the states) is %d, at most %d",
			len(examples), len(def.Columns), testColumns, cost, maxTested)
		return
	}
	p, err := dfa.NewProgram(def)
	if err != nil {
		c.bad.addf(format.Pos, "%v", err)
		return
	}
	warnings := slices.Concat(c.bad.warnings, own.warnings) // of the file's tables, and of the format
	slices.SortStableFunc(warnings, func(a, b Warning) int { return before(a.Pos, b.Pos) })
	c.specs[format] = &Spec{Program: p, Examples: examples, Warnings: warnings, Places: d.places()}
}

// Option is an option of Compile.
type Option func(*options)

type options struct {
	ctx     context.Context
	resolve Resolver
	verify  func(*dfa.Program, []dfa.Example) error
	format  string
}

// WithContext ends the compiling with ctx.Err() when ctx is done.
func WithContext(ctx context.Context) Option { return func(o *options) { o.ctx = ctx } }

// WithResolver says where the parents of formats are found.
func WithResolver(r Resolver) Option { return func(o *options) { o.resolve = r } }

// WithVerifier says how tests are run, so that a spec whose tests fail does
// not compile; runtime.Verifier does it.
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
	specs, err := compileFile(file, src, opts, lastOf)
	if err != nil {
		return nil, err
	}
	return specs[0], nil
}

func lastOf(names []string) []string { return names[len(names)-1:] }

// CompileAll is Compile for all formats of a file, in their order.
func CompileAll(file string, src []byte, opts ...Option) ([]*Spec, error) {
	return compileFile(file, src, opts, func(names []string) []string { return names })
}

// compileFile compiles what choose picks of the formats of a file, unless an option does.
func compileFile(file string, src []byte, opts []Option, choose func(names []string) []string) (specs []*Spec, err error) {
	f, err := Parse(file, src)
	if err != nil {
		return nil, err
	}
	return compileTree(file, f, opts, choose)
}

// compileTree is compileFile of a file that has been parsed.
func compileTree(file string, f *File, opts []Option, choose func(names []string) []string) (specs []*Spec, err error) {
	o := options{ctx: context.Background()}
	for _, opt := range opts {
		opt(&o)
	}
	c := newCompilation(o.ctx, o.resolve)
	c.check(f)
	names := f.FormatNames()
	switch {
	case o.format != "":
		names = []string{o.format}
	case len(names) > 0:
		names = choose(names)
	case len(c.bad.list) == 0:
		c.bad.addf(f.Pos, "the spec defines no format: format NAME { … }")
	}
	for _, name := range names {
		if err := o.ctx.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		spec, err := c.spec(f, name)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	if err := c.bad.err(); err != nil {
		return nil, err
	}
	for _, spec := range specs {
		if err := o.test(file, spec); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

// testsAtOnce is how many tests are run before the context is looked at again.
const testsAtOnce = 64

// test runs the tests of a spec.
func (o *options) test(file string, spec *Spec) error {
	if o.verify == nil {
		return nil
	}
	var errs []error
	for at := 0; at == 0 || at < len(spec.Examples); at += testsAtOnce {
		if err := o.ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		errs = append(errs, spec.Places.blame(o.verify(spec.Program, spec.Examples[at:min(at+testsAtOnce, len(spec.Examples))])))
	}
	err := errors.Join(errs...)
	if err != nil && !strings.HasPrefix(err.Error(), file) {
		return fmt.Errorf("%s: %w", file, err)
	}
	return err
}
