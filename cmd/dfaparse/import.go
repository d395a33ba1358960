package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/importer"
	"github.com/dfaparse/dfaparse/internal/render"
)

func newImport(std *streams) *cobra.Command {
	var o formats.ImportOptions
	cmd := &cobra.Command{
		Use:   "import KIND TEXT",
		Short: "Make a spec of what another tool has to describe a format",
		Long: `Import prints a spec made of a description that another tool has of a format:
a line of a server's configuration, a pattern, a regular expression, a schema.
TEXT is the description, @FILE the file that holds it, - the standard input.

` + kindsText() + `
What the description means and the spec does not say is told on the standard
error, with the place in TEXT. In place of a spec, -f KIND:TEXT reads with it:

  dfaparse import apache '%h %l %u %t "%r" %>s %b' > mine.dfp
  dfaparse parse -f 'apache:%h %l %u %t "%r" %>s %b' access.log`,
		Args: arguments(2, 2, "a kind ("+strings.Join(importer.Names(), ", ")+") and a description"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return importer.Names(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(_ *cobra.Command, args []string) error {
			kind, text := args[0], args[1]
			if text == "-" {
				all, err := io.ReadAll(std.in)
				if err != nil {
					return err
				}
				text = string(all)
			}
			found, err := formats.Import(kind, text, o)
			if err != nil {
				return notFound(kind, err)
			}
			sayLost(std.err, found)
			_, err = std.out.Write(found.Source)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Name, "name", "", "`NAME` of the format (default: the kind)")
	f.StringArrayVar(&o.Continue, "continue", nil, "lines that begin with `TEXT` go on with the record before; may be given again")
	f.StringVar(&o.Joiner, "joiner", "", "dissect: `TEXT` between the parts of a key that are put together")
	return cmd
}

// kindsText lists the kinds, a line each.
func kindsText() string {
	var b strings.Builder
	for _, k := range importer.Kinds() {
		fmt.Fprintf(&b, "  %-12s %s\n", k.Name, k.What)
	}
	return b.String()
}

// sayLost says what a spec leaves out of the description that it was made of.
func sayLost(w io.Writer, found *formats.Found) {
	for _, l := range found.Lost {
		fmt.Fprintln(w, render.Printable(l))
	}
}

// importError is a description of which no spec can be made, and the place.
func importError(err *importer.Error) error {
	text := render.Printable(err.Error())
	if err.At >= 0 && err.Text != "" {
		line := int64(1 + strings.Count(err.Text[:min(err.At, len(err.Text))], "\n"))
		text += "\n" + strings.TrimSuffix(excerptOf([]byte(err.Text), err.At, line), "\n")
	}
	return &usageError{err: &locatedError{err, text}}
}
