package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/render"
)

func newInfer(std *streams) *cobra.Command {
	var r reading
	var how together
	cmd := &cobra.Command{
		Use:   "infer INPUT...",
		Short: "Write the spec of a delimited file that has none",
		Long: `Infer finds out how a delimited file is written: its separator, quotes, escapes
and comments, what comes before the table, and whether the first record names the
columns. Then it reads all of it, and of all other inputs, which are written alike, and gives each column the type that every value
has without changing: 007 stays text, and so does 01/02/2024 unless some value tells
days from months. The spec goes to the standard output, with the reasons; what was
decided is said in a line.`,
		Example: `  dfaparse infer data.csv > data.dfp
  dfaparse parse -f data.dfp -o data.parquet data.csv`,
		Args: arguments(1, 1<<30, "an input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, err := expanded(args)
			if err != nil {
				return err
			}
			path := paths[0]
			if slices.Contains(paths, "-") {
				return usagef("the standard input can be read only once, and infer reads it twice: write it to a file first")
			}
			if err := checkInputs(paths); err != nil {
				return err
			}
			matched, err := how.asked(paths)
			if err != nil {
				return err
			}
			if discover.IsJSON(headOf(cmd.Context(), path, std)) {
				return usagef("%s is JSON, which is no delimited file", path)
			}
			g := &guess{r: &r, paths: paths, std: std, union: matched.Union}
			given, err := r.dialect.given()
			if err != nil {
				return err
			}
			name := discover.FormatName(path)
			l, err := g.look(cmd.Context(), given)
			if l != nil && l.Once {
				return usagef("%s can be read only once, and infer reads it twice: write it to a file first", l.Name)
			}
			if err != nil {
				return err
			}
			if r.dialect.strict {
				if err := doubts(l.Name, l.table); err != nil {
					return err
				}
			}
			if err := g.types(cmd.Context(), l); err != nil {
				return err
			}
			t := l.table
			from := path
			if len(paths) > 1 {
				from = fmt.Sprintf("%s and %s", path, render.Count(int64(len(paths)-1), "other"))
			}
			source, err := t.Source(name, from)
			if err != nil {
				return err
			}
			fmt.Fprintf(std.err, "%s: %s; %d columns, %d records\n", render.Printable(from), t.Dialect.String(), len(t.Columns), t.Records)
			_, err = io.WriteString(std.out, source)
			return err
		},
	}
	cmd.Flags().SortFlags = false
	r.dialect.flags(cmd.Flags(), true)
	how.unionFlag(cmd.Flags())
	skipLinesFlag(cmd.Flags(), &r.skipLines)
	return cmd
}
