package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func newInfer(std *streams) *cobra.Command {
	var r reading
	var how together
	cmd := &cobra.Command{
		Use:   "infer INPUT...",
		Short: "Write the spec of a delimited file that has none",
		Long: `Infer finds out how a delimited file is written: its separator, quotes, escapes
and comments, what comes before the table, and whether the first record names
the columns. Then it reads all of it, and of all other inputs, which are written
alike, and gives each column the type that every value has without changing: 007
stays text, and so does 01/02/2024 unless some value tells days from months. The
spec goes to the standard output, with the reasons; what was decided is said in
a line. Where a built-in format reads the input, it is a child of that.`,
		Example: `  dfaparse infer data.csv > data.dfp
  dfaparse parse -f data.dfp -o data.parquet data.csv`,
		Args: arguments(1, 1<<30, "an input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeSpec(cmd.Context(), std, &r, &how, args)
		},
	}
	cmd.Flags().SortFlags = false
	r.dialect.flags(cmd, true)
	how.unionFlag(cmd.Flags())
	skipLinesFlag(cmd.Flags(), &r.skipLines)
	return cmd
}

// writeSpec finds out how inputs are written, and writes the spec and what was decided.
func writeSpec(ctx context.Context, std *streams, r *reading, how *together, args []string) error {
	paths, err := expanded(args)
	if err != nil {
		return err
	}
	if slices.Contains(paths, "-") {
		return usagef("the standard input can be read only once, and infer reads it twice: write it to a file first")
	}
	if err := checkInputs(paths); err != nil {
		return err
	}
	paths, empty := input.WithoutEmpty(ctx, paths)
	path := paths[0]
	if said := discover.SayEmpty(empty); said != "" {
		fmt.Fprintln(people{std.err}, "dfaparse: "+said)
	}
	matched, err := how.asked(paths)
	if err != nil {
		return err
	}
	g := &guess{r: r, paths: paths, std: std, union: matched.Union}
	given, err := r.dialect.given()
	if err != nil {
		return err
	}
	g.encoded()
	l, shown, err := g.look(ctx, given)
	if l != nil && l.Once {
		return usagef("%s can be read only once, and infer reads it twice: write it to a file first", l.Name)
	}
	if err != nil {
		return err
	}
	name, from := discover.FormatName(path), path
	if len(paths) > 1 {
		from = fmt.Sprintf("%s and %s", path, render.Count(int64(len(paths)-1), "other"))
	}
	var source string
	switch {
	case shown != nil && shown.Log != nil:
		source, err = g.specOfLog(ctx, l, shown, name, from)
	case shown != nil && shown.Matches == nil: // its name says so alone
		return shown.NoTable
	case shown != nil:
		source, err = g.specOfChild(ctx, l, shown, name, from)
	default:
		source, err = g.specOfTable(ctx, l, name, from)
	}
	if err == nil {
		_, err = io.WriteString(std.out, source)
	}
	return err
}

// specOfLog is the spec of the log that inputs show to be, which is said.
func (g *guess) specOfLog(ctx context.Context, l *looked, shown *discover.Shown, name, from string) (string, error) {
	encoding, said, err := g.encodingOfAll(ctx)
	if err != nil {
		return "", err
	}
	spec := shown.Log.Build(ctx, name)
	fmt.Fprintf(people{g.std.err}, "%s: %s%s\n", render.Printable(from), shown.Log, shown.Doubt())
	source := fmt.Sprintf("# Inferred from the first %s of %s: %s.\n", render.Count(shown.Log.Read, "record"), render.Printable(from), shown.Log)
	if said != "" {
		source += "# " + render.Printable(said) + "\n"
	}
	return source + shown.Log.Source(name, l.Head, spec.Program, encoding, runtime.WithEngine(cpu.Engine)), nil
}

// specOfChild is a child of the built-in format that inputs show, which is said.
func (g *guess) specOfChild(ctx context.Context, l *looked, shown *discover.Shown, name, from string) (string, error) {
	if err := g.sayShown(l, shown); err != nil {
		return "", err
	}
	encoding, said, err := g.encodingOfAll(ctx)
	if err != nil {
		return "", err
	}
	return childOf(shown, name, from, l.Head, encoding, said)
}

// specOfTable is the spec of the table that inputs hold, and says how that is written.
func (g *guess) specOfTable(ctx context.Context, l *looked, name, from string) (string, error) {
	if g.r.dialect.strict {
		if err := doubts(l.Name, l.table); err != nil {
			return "", err
		}
	}
	if err := g.types(ctx, l); err != nil {
		return "", err
	}
	if err := g.guessedType(l); err != nil {
		return "", err
	}
	t := l.table
	var err error
	if t.Encoding, t.Encodings, err = g.encodingOfAll(ctx); err != nil {
		return "", err
	}
	if t.OwnEnds != nil {
		t.LeaveOut(t.OwnEnds)
	}
	source, err := t.Source(name, from)
	if err != nil {
		return "", err
	}
	size := render.Count(t.Records, "record")
	if columns := t.InColumns(); columns != "" {
		size = columns + ", " + size
	}
	if l.encoding != "" {
		size += ", " + l.encoding
	}
	fmt.Fprintf(people{g.std.err}, "%s: %s; %s\n", render.Printable(from), t.How(), size)
	return source, nil
}

// childOf is a spec for inputs of a built-in format, with a test of the first lines of head, if
// they are short and no more than it reads.
func childOf(s *discover.Shown, name, from string, head []byte, encoding, said string) (string, error) {
	b := func() *compile.FormatBuilder {
		b := compile.New(name).Extends(s.Name)
		if encoding != "" {
			b.Encoding(encoding)
		}
		return b
	}
	p, err := formats.Program(s.Name)
	if err != nil {
		return "", err
	}
	tested := b()
	if first := firstLines(head); len(first) <= infer.TestBytes && utf8.Valid(first) {
		infer.TestOf(tested, p, first, runtime.WithEngine(cpu.Engine))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# %s is %s, a built-in format", render.Printable(from), s.Name)
	if m := &s.Matches[0]; m.Records > 0 {
		fmt.Fprintf(&out, ", which reads %d of the first %s", m.Read, render.Count(m.Records, "record"))
	}
	out.WriteString(".\n")
	if said != "" {
		fmt.Fprintf(&out, "# %s\n", render.Printable(said))
	}
	for _, b := range []*compile.FormatBuilder{tested, b()} {
		source := b.Source()
		if _, err = compile.Compile(name, []byte(source), compile.WithResolver(formats.Resolve), compile.WithVerifier(runtime.Verifier(cpu.Engine))); err == nil {
			out.WriteString(source)
			break
		}
	}
	return out.String(), err
}

// testedLines are those of a test in a spec.
const testedLines = 3

func firstLines(head []byte) []byte {
	end := 0
	for range testedLines {
		i := bytes.IndexByte(head[end:], '\n')
		if i < 0 {
			break
		}
		end += i + 1
	}
	return head[:end]
}
