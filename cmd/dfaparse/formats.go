package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/gen"
)

func newFormats(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "formats [NAME]",
		Short: "List the formats, or show the spec of one",
		Long: `Formats lists the built-in formats and those in ./formats and in the folders of
$` + formats.PathVariable + `. With a name it prints the spec, to learn from or to start with.`,
		Args: arguments(0, 1, "one format"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return formats.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
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
			if isTerminal(std.out) {
				_, err = io.WriteString(people{std.out}, strings.ReplaceAll(string(found.Source), "\t", "    "))
				return err
			}
			_, err = std.out.Write(found.Source)
			return err
		},
	}
}

// listFormats writes a line a format: its name, what it is, and where the spec
// lies if it is not built in.
func listFormats(w io.Writer) error {
	var rows [][]string
	for _, name := range formats.Names() {
		p, err := formats.Program(name)
		if err != nil {
			return err
		}
		rows = append(rows, []string{name, p.Doc})
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
		rows = append(rows, []string{name, doc, file})
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
