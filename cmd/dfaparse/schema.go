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
	r := reading{engine: "cpu"}
	w := writing{to: "none", progress: "never", maxRejects: anyNumber}
	var asJSON, asFrictionless bool
	cmd := &cobra.Command{
		Use:   "schema [-f FORMAT] [INPUT...]",
		Short: "Show the columns of an input, or of a format, and their types",
		Long: `Schema shows the columns and their types. Where the columns come from the file
(a header, directives), an input is needed.`,
		Args: arguments(0, 1<<30, "an input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && r.format == "" && !std.empty() {
				args = []string{"-"}
			}
			if len(args) == 0 && r.format == "" {
				return &usageError{fmt.Errorf("name a format with -f, or an input"), cmd.CommandPath()}
			}
			if asJSON && asFrictionless {
				return usagef("--json and --frictionless are two forms: choose one")
			}
			schema, err := r.schema(cmd, args, &w, std)
			if err != nil {
				return err
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
	formatFlag(cmd, &r.format, foundOut)
	r.dialect.flags(cmd, true)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON Lines")
	cmd.Flags().BoolVar(&asFrictionless, "frictionless", false, "as a Table Schema of Frictionless, of what parse --to csv writes")
	w.together.flags(cmd.Flags())
	skipLinesFlag(cmd.Flags(), &r.skipLines)
	shapeFlag(cmd.Flags(), &r.shape)
	return cmd
}

// schema is that of inputs, or where there are none of the format.
func (r *reading) schema(cmd *cobra.Command, args []string, w *writing, std *streams) (*arrow.Schema, error) {
	if len(args) > 0 {
		paths, err := expanded(args)
		if err != nil {
			return nil, err
		}
		j, err := newJob(cmd, paths, r, w, std, nil)
		if err == nil {
			err = j.run()
		}
		if err != nil {
			return nil, err
		}
		return j.schema, nil
	}
	if flag := r.dialect.said(); flag != "" {
		return nil, usagef("--%s is of an input: name one", flag)
	}
	program, err := programFor(cmd.Context(), r.format, nil, std)
	if err != nil {
		return nil, err
	}
	if program.Dynamic() {
		return nil, usagef("the columns of %s come from the file: name one", program.Name)
	}
	reader, err := runtime.NewReader(strings.NewReader(""), program.OfText(), runtime.WithEngine(cpu.Engine), runtime.WithShape(r.shape), runtime.WithContext(cmd.Context()), runtime.WithThreads(1))
	if err != nil {
		return nil, (&job{ctx: cmd.Context(), std: std, program: program}).readError(&input.Input{Name: program.Name}, err)
	}
	defer reader.Release()
	return reader.Schema(), nil
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
