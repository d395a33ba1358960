package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func newFormats(std *streams) *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use:   "formats [NAME]",
		Short: "List the formats, or show one: its columns, a sample, the spec",
		Long: `Formats lists the built-in formats by group, and those in ./formats and in the
folders of $` + formats.PathVariable + `. With a name it shows a format: what it is, its
columns with the values of a record of its tests, and the spec, to learn from or
to start with. What is in front of the spec are comments, so that all of it is a
spec; --spec leaves them out.`,
		Args: arguments(0, 1, "one format"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return formats.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listFormats(std.out)
			}
			found, err := gen.Find(args[0])
			if err != nil {
				return notFound(args[0], err)
			}
			if found.Source == nil {
				return usagef("%s is a compiled Program, without its spec; see dfaparse compile --dump", found.File)
			}
			var text []byte
			if !only {
				// A spec that does not compile is shown as it is; check says what is wrong.
				if spec, err := found.Compile(nil, compile.WithContext(cmd.Context())); err == nil {
					text = comments(spec, groupOf(args[0]))
				}
			}
			text = append(text, found.Source...)
			if isTerminal(std.out) {
				_, err = io.WriteString(people{std.out}, strings.ReplaceAll(string(text), "\t", "    "))
				return err
			}
			_, err = std.out.Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&only, "spec", false, "the spec alone")
	return cmd
}

// groupOf is the group of a built-in format; "" of others.
func groupOf(name string) string {
	for _, g := range formats.Groups() {
		if slices.Contains(g.Names, name) {
			return g.Name
		}
	}
	return ""
}

// comments are what there is to know of a format, as comments of the spec language.
func comments(spec *compile.Spec, group string) []byte {
	var b bytes.Buffer
	title := spec.Program.Name + ": " + spec.Program.Doc
	if group != "" {
		title = group + ", " + title
	}
	fmt.Fprintf(&b, "%s\n\n", title)
	schema, values := firstRecord(spec)
	rows := [][]string{{"column", "type", "null", "in the first record of its tests"}}
	if schema != nil {
		for i, f := range schema.Fields() {
			null := "may be"
			if !f.Nullable {
				null = "never"
			}
			row := []string{f.Name, output.TypeName(f), null}
			if values != nil {
				row = append(row, values[i])
			}
			rows = append(rows, row)
		}
	}
	if spec.Program.Dynamic() {
		rows[0][0] = "column of the sample"
	}
	_ = writeAligned(&b, rows) // which cannot fail
	var out []byte
	for line := range bytes.Lines(b.Bytes()) {
		out = append(out, strings.TrimRight("# "+string(line), " \n")...)
		out = append(out, '\n')
	}
	return append(out, '\n')
}

// firstRecord reads the first row that comes of the tests of a spec; nil without one.
func firstRecord(spec *compile.Spec) (schema *arrow.Schema, values []string) {
	for _, ex := range spec.Examples {
		r, err := runtime.ReadBytes([]byte(ex.Input), spec.Program.OfText(), runtime.WithEngine(cpu.Engine), runtime.WithThreads(1),
			runtime.WithErrorMode(dfa.Reject), runtime.WithLimit(1))
		if err != nil {
			continue
		}
		defer r.Release()
		schema = r.Schema()
		if !r.Next() || r.Record().NumRows() == 0 {
			continue
		}
		for i, f := range schema.Fields() {
			value := "null"
			if column := r.Record().Column(i); column.IsValid(0) {
				value = render.Printable(string(render.AppendText(nil, f, column, 0)))
			}
			if runes := []rune(value); len(runes) > widestValue {
				value = string(runes[:widestValue]) + "…"
			}
			values = append(values, value)
		}
		return schema, values
	}
	return schema, nil
}

// widestValue is how many characters of a value a sample has.
const widestValue = 60

// listFormats writes a line a format under the name of its group: its name, what it
// is, and where the spec lies if it is not built in.
func listFormats(w io.Writer) error {
	var rows [][]string
	for _, g := range formats.Groups() {
		rows = append(rows, []string{g.Name + ":"})
		for _, name := range g.Names {
			p, err := formats.Program(name)
			if err != nil {
				return err
			}
			rows = append(rows, []string{"  " + name, p.Doc})
		}
	}
	if len(ownSpecs()) > 0 {
		rows = append(rows, []string{"your own:"})
	}
	for _, file := range ownSpecs() {
		name := strings.TrimSuffix(filepath.Base(file), ".dfp")
		doc := ""
		if slices.Contains(formats.Names(), name) {
			doc = fmt.Sprintf("hidden by the built-in; use -f %s", file)
		} else if found, err := formats.Find(name); err != nil || found.File != file {
			doc = "hidden by one before it"
		} else if spec, err := found.Compile(nil); err != nil {
			doc = "does not compile, see dfaparse check"
		} else {
			doc = spec.Program.Doc
		}
		rows = append(rows, []string{"  " + name, doc, file})
	}
	return writeAligned(w, rows)
}

// ownSpecs are the spec files in the folders in which formats are looked for.
func ownSpecs() []string {
	var files []string
	for _, dir := range append([]string{"formats"}, filepath.SplitList(os.Getenv(formats.PathVariable))...) {
		found, _ := filepath.Glob(filepath.Join(dir, "*.dfp"))
		files = append(files, found...)
	}
	return files
}
