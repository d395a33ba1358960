package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func newSchema(std *streams) *cobra.Command {
	var r reading
	var asJSON, asFrictionless bool
	cmd := &cobra.Command{
		Use:   "schema [-f FORMAT] [INPUT]",
		Short: "Show the columns of an input, or of a format, and their types",
		Long: `Schema shows the columns and their types. Where the columns come from the file
(a header, directives), an input is needed.`,
		Args: arguments(0, 1, "one input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && r.format == "" {
				return &usageError{fmt.Errorf("name a format with -f, or an input"), cmd.CommandPath()}
			}
			if asJSON && asFrictionless {
				return usagef("--json and --frictionless are two forms: choose one")
			}
			if err := checkInputs(args); err != nil {
				return err
			}
			if len(args) == 0 && r.dialect.said() != "" {
				return usagef("--%s is of an input: name one", r.dialect.said())
			}
			how := &chosen{}
			var err error
			if len(args) == 0 {
				how.program, err = programFor(cmd.Context(), r.format, nil, std)
			} else {
				how, err = choose(cmd.Context(), &guess{r: &r, paths: args, std: std})
			}
			if err != nil {
				return err
			}
			program := how.program
			j := &job{ctx: cmd.Context(), std: std, program: program}
			in := &input.Input{Reader: strings.NewReader(""), Name: program.Name}
			if len(args) == 0 && program.Dynamic() {
				return usagef("the columns of %s come from the file: name one", program.Name)
			}
			if len(args) > 0 {
				if in, err = openInput(cmd.Context(), args[0], std, nil); err != nil {
					return err
				}
				defer in.Close()
			}
			reader, err := runtime.NewReader(in.Reader, program, runtime.WithEngine(cpu.Engine), runtime.WithSkipLines(r.skipLines), runtime.WithShape(r.shape), runtime.WithContext(cmd.Context()), runtime.WithName(in.Name), runtime.WithThreads(1))
			if err != nil {
				return j.readError(in, err)
			}
			defer reader.Release()
			printHints(std.err, in, reader)
			schema := reader.Schema()
			if typer, err := how.typer(schema); err != nil {
				return err
			} else if typer != nil {
				schema = typer.Schema()
			}
			if asFrictionless {
				return writeFrictionless(std.out, schema)
			}
			if asJSON {
				return writeSchemaJSON(std.out, schema)
			}
			return writeSchema(std.out, schema)
		},
	}
	formatFlag(cmd, &r.format)
	r.dialect.flags(cmd.Flags(), true)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON Lines")
	cmd.Flags().BoolVar(&asFrictionless, "frictionless", false, "as a Table Schema of Frictionless, of what parse --to csv writes")
	skipLinesFlag(cmd.Flags(), &r.skipLines)
	shapeFlag(cmd.Flags(), &r.shape)
	return cmd
}

// writeSchema writes a line a column: its name, type, and whether it may be
// null.
func writeSchema(w io.Writer, s *arrow.Schema) error {
	rows := make([][]string, s.NumFields())
	for i, f := range s.Fields() {
		rows[i] = []string{f.Name, output.TypeName(f), nullable(f)}
	}
	return writeAligned(w, rows)
}

func nullable(f arrow.Field) string {
	if f.Nullable {
		return ""
	}
	return "not null"
}

func writeSchemaJSON(w io.Writer, s *arrow.Schema) error {
	var b []byte
	for _, f := range s.Fields() {
		b = render.AppendQuoted(append(b, `{"name":`...), f.Name)
		b = render.AppendQuoted(append(b, `,"type":`...), output.TypeName(f))
		b = render.AppendQuoted(append(b, `,"arrow":`...), f.Type.String())
		b = fmt.Appendf(b, ",\"nullable\":%t}\n", f.Nullable)
	}
	_, err := w.Write(b)
	return err
}
