package main

import (
	"bytes"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/internal/render"
)

func newFmt(std *streams) *cobra.Command {
	var write, check bool
	cmd := &cobra.Command{
		Use: "fmt FILE.dfp...",
		Example: `  dfaparse fmt mine.dfp
  dfaparse fmt -w *.dfp`,
		Short: "Lay specs out: indented, columns and cells under each other",
		Long: `Fmt writes spec files to the standard output as they look best: indented by
their braces, the types of columns and the cells of tables under each other, one
blank line at most. Lines, words, texts and comments stay what they are. - is
the standard input.

With -w it replaces the files that this changes; with --check it names them, and
the exit code is 1 if there are any.`,
		Args: arguments(1, math.MaxInt, "a spec file, or -"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if write && check {
				return usagef("-w changes files, and --check leaves them as they are: say one of them")
			}
			changed := 0
			for _, path := range args {
				src, err := specFile(std, path)
				if err != nil {
					return err
				}
				out, err := compile.Reformat(path, src)
				if err != nil {
					return specError(err)
				}
				differs := !bytes.Equal(src, out)
				if differs {
					changed++
				}
				switch {
				case check && differs:
					_, err = io.WriteString(people{std.out}, path+"\n")
				case write && differs:
					err = writeFile(std, path, out)
				case !write && !check:
					_, err = std.out.Write(out)
				}
				if err != nil {
					return err
				}
			}
			if check && changed > 0 {
				return &locatedError{text: render.Count(int64(changed), "spec") + " would be laid out otherwise"}
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&write, "write", "w", false, "replace the files that change")
	cmd.Flags().BoolVar(&check, "check", false, "only name the files that would change")
	return cmd
}

// specFile is what a spec file holds.
func specFile(std *streams, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(std.in)
	}
	return os.ReadFile(path)
}
