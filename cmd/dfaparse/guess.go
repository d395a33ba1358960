package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/formats/identify"
	"github.com/dfaparse/dfaparse/internal/charset"
	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/internal/union"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// chosen is how inputs are read.
type chosen struct {
	program *dfa.Program
	table   *infer.Table      // whose types are given to texts that the program reads; nil: it knows all types
	trust   *infer.Trust      // of types that the first rows have; nil: they are those of all
	say     func()            // says what was decided, once it is known to be so; it has been said unless it is pending
	rows    int64             // that it reads, if the inputs were read to find it and all of them fit; else 0
	doubted bool              // the beginning alone has told how the inputs are written, all of them may tell more
	ends    *discover.OwnEnds // that each of several inputs has; may be nil
	telling []string          // columns that have to be read to know whether a record can be, though nobody asks for values
	late    *infer.Table      // of an input at whose end there may be a footer, which nobody has seen; else nil
}

// pending reports whether what was decided is to be said once the inputs have been read.
func (c *chosen) pending() bool { return c.trust != nil || c.doubted }

// typer gives records of a schema their types; nil if they have them.
func (c *chosen) typer(schema *arrow.Schema) (*infer.Typer, error) {
	if c.table == nil {
		return nil, nil
	}
	return c.table.Typer(schema, c.table.Given.Misfits == "null")
}

// guess is what is asked of choose.
type guess struct {
	r     *reading
	paths []string
	std   *streams
	union union.Mode
	// folders takes from what is given that of columns that are no input's; may be nil
	folders func(context.Context, *infer.Given) error
	// named is told the names of all columns as soon as no record can change them any more, and refuses
	// those that are no flag's; may be nil
	named  func(names []string) error
	memory *memoryBudget // within which it is found out; nil: none

	guessed string // that the encoding was, in a sentence; "" if it was not
}

// choose finds out how to read inputs: by the format that is asked for, or by the one
// that their content shows; else it is inferred.
func choose(ctx context.Context, g *guess) (*chosen, error) {
	g.encoded()
	if g.r.ignoreLeftOver && g.std.leftOver == nil {
		g.std.leftOver = &leftOver{}
	}
	flag := g.r.dialect.said()
	given, err := g.r.dialect.given()
	if err != nil {
		return nil, err
	}
	if g.folders != nil {
		if err := g.folders(ctx, given); err != nil {
			return nil, &usageError{err: err}
		}
	}
	if g.r.format != "" {
		base, ok := infer.Delimited(g.r.format)
		switch {
		case flag == "":
			return g.asked(ctx, g.r.format)
		case !ok:
			return nil, usagef("--%s says how a delimited input is written, and -f %s says that too: leave one away (with -f csv or -f tsv the flag says more)", flag, g.r.format)
		}
		given = given.Over(base)
	} else if i := slices.IndexFunc(g.paths, input.IsSpec); i >= 0 {
		return nil, usagef("%s is a spec by its name: -f %[1]s reads other inputs by it; as an input of its own it is read with a format, as -f lines", g.paths[i])
	}
	return g.infer(ctx, given)
}

// encoded lets inputs be decoded from the encoding that somebody has said.
func (g *guess) encoded() {
	name := g.r.dialect.encoding
	g.std.encoding, g.std.guessed, g.std.ascii = name, strings.EqualFold(name, input.AutoEncoding), false
}

// asked reads inputs by a format that has a name.
func (g *guess) asked(ctx context.Context, format string) (*chosen, error) {
	program, err := programFor(ctx, format, g.paths, g.std)
	if err == nil {
		program, err = g.std.decodeFor(program)
	}
	return &chosen{program: program}, err
}

// template reads inputs by the template of a log.
func (g *guess) template(ctx context.Context, of *infer.Log) (*chosen, error) {
	program, err := g.std.decodeFor(of.Build(ctx, discover.FormatName(g.paths[0])).Program)
	return &chosen{program: program}, err
}

// looked is what the beginning of the first input shows.
type looked struct {
	*discover.Found
	table *infer.Table

	encoding string          // that was inferred, in words; "" if none was
	nearest  *identify.Match // the built-in format that reads some of what nothing takes apart; nil if none does
}

// look finds out how the first input is written: as one of a built-in format, or where that is nil,
// as a table.
func (g *guess) look(ctx context.Context, given *infer.Given) (*looked, *discover.Shown, error) {
	l := &looked{}
	in := g.inputs(ctx)
	var err error
	l.Found, err = in.Look(!given.Exact, func(f *discover.Found) error {
		if !f.Sure && g.r.dialect.strict {
			return usagef("%s: is no UTF-8, and may be %s: say --encoding", render.Printable(f.Name), f.MayBe())
		}
		g.std.encoding, g.std.guessed = f.Encoding, true
		l.encoding = f.InEncoding("--encoding")
		if len(f.Others) > 0 {
			g.guessed = fmt.Sprintf("That it is in %s is a guess: %s would do as well.", f.Encoding, discover.OneOf(f.Others))
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	path := g.paths[0]
	var shown *discover.Shown
	l.table, shown, err = l.Decide(ctx, path, given, g.r.dialect.said() == "")
	if errors.Is(err, discover.ErrJSON) {
		err = &usageError{err: err}
		if _, named := formats.ByExtension(input.Bare(path)); named {
			err = jsonError(path)
		}
	}
	if err == nil && shown == nil {
		l.nearest, err = l.Nearest(ctx)
	}
	if err == nil && shown != nil && shown.Log != nil {
		if err = g.checkLog(ctx, l, shown); err == nil {
			err = g.inputs(ctx).Settle(ctx, l.Found, shown)
		}
	}
	return l, shown, err
}

// checkLog is an error if a flag names a column that no log of this form has.
func (g *guess) checkLog(ctx context.Context, l *looked, shown *discover.Shown) error {
	spec := shown.Log.Build(ctx, "log")
	if g.named == nil || spec == nil {
		return nil
	}
	var names []string
	for _, c := range spec.Program.Columns {
		names = append(names, c.Name)
	}
	err := g.named(names)
	if err != nil {
		_ = g.sayShown(l, shown)
	}
	return err
}

// encodingOfAll is the encoding of all inputs, "" for UTF-8, by the name that a spec has for it, and
// what is to be said of it, if anything is. Where they have several, none is that of all.
func (g *guess) encodingOfAll(ctx context.Context) (encoding, said string, err error) {
	if g.std.encoding == "" {
		return "", "", nil
	}
	for i, path := range g.paths {
		raw, err := openRaw(ctx, path, g.std, nil)
		if err != nil {
			return "", "", err
		}
		own, err := raw.EncodingOf(g.std.encodingToFind())
		raw.Close()
		if err != nil {
			return "", "", err
		}
		if own, err = charset.Canonical(cmp.Or(own, "UTF-8")); err != nil {
			return "", "", &usageError{err: err}
		}
		if i > 0 && own != encoding {
			return "", "The inputs are in several encodings, of which a spec says one: read them with --encoding auto.", nil
		}
		encoding = own
	}
	return encoding, g.guessed, nil
}

// inputs are those that are looked at.
func (g *guess) inputs(ctx context.Context) *discover.Inputs {
	wanted := int64(0)
	if g.r.quick && g.r.where == "" && g.r.skip <= 0 && !g.r.growing {
		wanted = g.r.limit
	}
	return &discover.Inputs{
		Wanted: wanted, Paths: g.paths, Union: g.union, SkipLines: g.r.skipLines, Encoding: g.std.encoding, Endless: g.r.growing || g.large(), Doubted: g.r.again, Strict: g.r.dialect.strict, Options: g.options(ctx),
		Open: func(path string) (*input.Input, error) { return openInput(ctx, path, g.std, nil) },
		Fresh: func(ctx context.Context, path string) (*input.Input, error) {
			return openFresh(ctx, path, g.std, nil)
		},
		Done: g.std.done,
	}
}

// large reports whether the first rows of inputs are wanted alone, and these are large.
func (g *guess) large() bool {
	return g.r.quick && (&discover.Inputs{Paths: g.paths}).Size() > largeInput
}

// done takes back an input that has been looked at, and will be read again.
func (s *streams) done(path string, in *input.Input, once bool) error {
	switch {
	case once:
		if s.held == nil {
			s.held = map[string]*input.Input{}
		}
		s.held[path] = in // with the sample in front
	case path == "-":
		f, ok := s.in.(*os.File)
		if !ok {
			return fmt.Errorf("%s cannot be read again", in.Name)
		}
		_, err := f.Seek(in.Base, io.SeekStart)
		return err
	default:
		in.Close()
	}
	return nil
}

// types infers the types of a table's columns.
func (g *guess) types(ctx context.Context, l *looked) error {
	in := g.inputs(ctx)
	err := in.Types(ctx, discover.FormatName(g.paths[0]), l.Found, l.table, g.large())
	if m := (*infer.Misfit)(nil); errors.As(err, &m) {
		return misfit(l.Name, m)
	}
	if option := (*runtime.OptionError)(nil); errors.As(err, &option) {
		return &usageError{err: err}
	}
	return err
}

// infer infers the format of the first input, and the types of all of them.
func (g *guess) infer(ctx context.Context, given *infer.Given) (*chosen, error) {
	path := g.paths[0]
	first, _ := formats.ByExtension(input.Bare(path))
	for _, other := range g.paths[1:] {
		if f, ok := formats.ByExtension(input.Bare(other)); ok && first != "" && f != first {
			return nil, usagef("%s and %s have different formats; read them one by one, or say -f", path, other)
		}
	}
	l, shown, err := g.look(ctx, given)
	if err != nil {
		return nil, err
	}
	if shown != nil {
		if err := g.sayShown(l, shown); err != nil {
			return nil, err
		}
		if l := shown.Log; l != nil {
			if l.Guessed() && g.r.dialect.strict {
				return nil, usagef("%s: do days stand before months in its times, or behind them? Say it with -f", render.Printable(path))
			}
			return g.template(ctx, l)
		}
		return g.asked(ctx, shown.Name)
	}
	t := l.table
	if g.r.dialect.strict {
		if err := doubts(l.Name, t); err != nil {
			return nil, err
		}
	}
	if err := g.checkNames(ctx, l); err != nil {
		return nil, err
	}
	typed := false
	var trust *infer.Trust
	if in := g.inputs(ctx); g.r.once && in.Trustworthy(l.Found, t) {
		if trust, err = in.TypesOfFirst(ctx, discover.FormatName(path), l.Found, t); err != nil {
			return nil, err
		}
		typed = trust != nil
	}
	untyped := g.r.untyped && (t.Keyed == nil || len(given.Types) == 0) // keys are found with their types
	if trust == nil && !untyped && t.Looks() {
		if err := g.types(ctx, l); err != nil {
			return nil, err
		}
		typed = !t.Sampled
		if given.Misfits == "null" && len(misfits(t)) > 0 {
			typed = false
		}
	}
	if err := g.guessedType(l); err != nil {
		return nil, err
	}
	say := func() { g.say(l) }
	doubted := g.r.untyped && !g.once(l) && !l.Whole && t.Keyed == nil && !given.Exact
	if trust == nil && !doubted {
		say()
	}
	program, err := t.Program(ctx, discover.FormatName(path), typed)
	if err != nil {
		return nil, specError(err)
	}
	c := &chosen{program: program, trust: trust, say: say, doubted: doubted}
	c.ends = discover.NewOwnEnds(t, g.r.skipLines)
	if t.Keyed != nil && t.Columns == nil {
		c.telling = []string{t.Keyed.Column()}
	}
	if len(g.paths) == 1 && !g.r.dialect.strict && l.EndsLate(t, t.Columns != nil && trust == nil) {
		c.late = t
	}
	switch {
	case trust != nil:
	case !typed && t.Columns != nil:
		c.table = t
	case typed && t.Rejected == 0 && len(given.Types) == 0 && !l.Once && len(g.paths) == 1:
		c.rows = t.Records
	}
	return c, nil
}

// checkNames is an error if a flag names a column that a table has not, as far as its beginning tells the
// columns of all inputs.
func (g *guess) checkNames(ctx context.Context, l *looked) error {
	if g.named == nil || g.union == union.ByName && len(g.paths) > 1 {
		return nil
	}
	names := l.table.InHeader(ctx, discover.FormatName(g.paths[0]), &infer.Input{Sample: l.Head, Whole: l.Whole}, g.options(ctx)...)
	if names == nil {
		return nil
	}
	err := l.table.Unknown(names)
	if err == nil {
		err = g.named(names)
	}
	if err != nil {
		g.say(l) // a wrong dialect has other columns
		if len(g.paths) > 1 && g.union == union.Same {
			err = fmt.Errorf("%s: %w; --union name reads the columns of all inputs", l.Name, err)
		}
	}
	return err
}

// once reports whether one of the inputs can be read only once.
func (g *guess) once(l *looked) bool {
	return l.Once || slices.ContainsFunc(g.paths[1:], func(path string) bool {
		if path == "-" {
			return !regular(g.std.in)
		}
		info, err := os.Stat(path)
		return err == nil && !info.Mode().IsRegular()
	})
}

// regular reports whether a stream is a file that can be read again.
func regular(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// largeInput is from what size on head looks at the first rows alone for their types.
const largeInput = 32 << 20

// options are those that matter for what an input holds.
func (g *guess) options(ctx context.Context) []runtime.Option {
	opts := []runtime.Option{runtime.WithEngine(cpu.Engine), runtime.WithContext(ctx)}
	if g.r.threads > 0 {
		opts = append(opts, runtime.WithThreads(g.r.threads))
	}
	if g.r.maxRecord > 0 {
		opts = append(opts, runtime.WithMaxRecord(int(g.r.maxRecord)))
	}
	if g.r.growing {
		opts = append(opts, runtime.WithGrowing())
	}
	if g.memory != nil {
		opts = append(opts, runtime.WithMemory(g.memory.looking()))
	}
	return opts
}

// sayShown says which built-in format the content of an input shows.
func (g *guess) sayShown(l *looked, shown *discover.Shown) error {
	m, name := shown.Matches, l.Name
	if shown.Log != nil {
		line := name + ": " + shown.Log.String() + shown.Doubt()
		if l.encoding != "" {
			line += ", " + l.encoding
		}
		fmt.Fprintln(people{g.std.err}, render.Printable(line+g.writesSpec()))
		return nil
	}
	if m == nil {
		return nil
	}
	also := ""
	if ties := m.Ties(); len(ties) > 0 {
		var names []string
		for i := range ties {
			names = append(names, ties[i].Name)
		}
		if g.r.dialect.strict {
			return usagef("%s: may be of the formats %s and %s: choose one with -f", render.Printable(name), m[0].Name, strings.Join(names, ", "))
		}
		also = "; " + strings.Join(names, ", ") + " would do as well"
	}
	in, with := "", ""
	if l.encoding != "" {
		in, with = ", "+l.encoding, " with --encoding "+l.Encoding
	}
	reads := ""
	if m[0].Records > 0 {
		reads = ", which reads " + share(&m[0]) + " of a sample"
	}
	also += shown.Doubt()
	fmt.Fprintf(people{g.std.err}, "%s: %s%s%s%s; -f %s%s says so\n", render.Printable(name), m[0].Name, reads, in, also, m[0].Name, with)
	return nil
}

// say says what was decided.
func (g *guess) say(l *looked) {
	name, t := l.Name, l.table
	if t.Given.Exact {
		return // nothing was
	}
	line := name + ": " + t.Summary(l.encoding)
	if t.Rival != nil {
		line += "; it might also be " + t.Rival.Dialect.String() + ", in " + render.Count(t.Rival.Columns, "column")
	}
	if nulled := misfits(t); len(nulled) > 0 && t.Given.Misfits == "null" {
		line += "; null where it does not fit: " + strings.Join(nulled, ", ")
	}
	if m := l.nearest; m != nil {
		line += fmt.Sprintf("; the nearest format is %s, which reads %s of a sample: -f %[1]s", m.Name, share(m))
	}
	fmt.Fprintln(people{g.std.err}, render.Printable(line+g.writesSpec()))
	for _, row := range t.Both() {
		fmt.Fprintln(people{g.std.err}, "  "+row)
	}
}

// writesSpec says how what was decided is written down.
func (g *guess) writesSpec() string {
	if len(g.paths) != 1 || g.paths[0] == "-" {
		return ""
	}
	return fmt.Sprintf("; \"dfaparse infer %s\" writes it as a spec", shellWord(g.paths[0]))
}

// shellWord is a name as one word of a command line.
func shellWord(name string) string {
	if strings.ContainsAny(name, " \t!\"'`$&|;<>()*?[]{}~#\\") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

// misfits are the names of columns in which values do not fit.
func misfits(t *infer.Table) (names []string) {
	for _, c := range t.Columns {
		if c.Misfit != nil {
			names = append(names, fmt.Sprintf("%q", c.Name))
		}
	}
	return names
}

// doubts is an error if an input may be meant in several ways.
func doubts(name string, t *infer.Table) error {
	name = render.Printable(name)
	switch {
	case t.Rival != nil:
		err := usagef("%s: is it %s, in %s, or %s, in %s? Say it with --sep and --quote, or with -f", name,
			t.Dialect.String(), render.Count(t.Width, "column"), t.Rival.Dialect.String(), render.Count(t.Rival.Columns, "column"))
		return &locatedError{err, fmt.Sprintf("dfaparse: %v\n  %s", err, strings.Join(t.Both(), "\n  "))}
	case t.Lax && !t.Given.Lax:
		return usagef("%s: quotes stand in odd places: say --lax, --quote, or -f", name)
	case t.Short && !t.Given.Lax:
		return usagef("%s: some records have fewer fields than others: say --lax or -f", name)
	case t.Unclosed > 0:
		return usagef("%s: the quote that opens a field in line %d is never closed: say --lax, --quote, or -f", name, t.Unclosed)
	case t.Unsure:
		return usagef("%s: does the first record name the columns? Say --header 1 or --header none", name)
	case t.Foot > 0 && !t.Rule && !t.Copied:
		return usagef("%s: %s at the end may be a footer, or records: say --lax, or -f with \"stop at\"", name, render.Count(t.Foot, "line"))
	case t.Doubted != "":
		return usagef("%s: are lines that begin with %q comments or records? Say it with --comment", name, t.Doubted)
	case t.Totals:
		return usagef("%s: the last record looks like one of totals: say -f, with \"stop at\" or without", name)
	}
	return nil
}

// guessedType is an error if --strict is given, and what a column means is a guess.
func (g *guess) guessedType(l *looked) error {
	c := l.table.Guessed()
	if c == nil || !g.r.dialect.strict {
		return nil
	}
	return usagef("%s: is %s %s or %s? Say it with --types", render.Printable(l.Name), render.Printable(c.Name), c.Type, c.Other)
}

// misfit is the error of a value that does not fit the type that was inferred.
func misfit(name string, m *infer.Misfit) error {
	return fmt.Errorf("%s: %w; give the type with --types '%s:str', or the format with -f", render.Printable(name), m, m.Column)
}
