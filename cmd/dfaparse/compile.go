package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func newCompile(std *streams) *cobra.Command {
	var dump bool
	var out string
	cmd := &cobra.Command{
		Use:   "compile SPEC (--dump | -o PROG.dfac)",
		Short: "Compile a spec to a Program, or show the Program",
		Long: `Compile writes a spec as a Program, which is read without the compiler, here
with -f PROG.dfac and in Go with dfa.DecodeProgram; or shows it as text. A spec
whose tests fail does not compile.`,
		Args:              arguments(1, 1, "one spec: a file, or a format"),
		ValidArgsFunction: completeFormat,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !dump && out == "":
				return &usageError{errors.New("say --dump, or -o PROG.dfac"), cmd.CommandPath()}
			case out != "" && !strings.HasSuffix(out, ".dfac"):
				return usagef("%s: compiled Programs are found by the extension .dfac", out)
			}
			spec, err := findSpec(cmd.Context(), args[0], std)
			if err != nil {
				return err
			}
			for _, w := range spec.Warnings {
				say(std, &locatedError{text: w.String()})
			}
			if dump {
				if _, err := io.WriteString(people{std.out}, spec.Program.Dump()); err != nil {
					return err
				}
			}
			if out == "" {
				return nil
			}
			return writeFile(std, out, spec.Program.Encode())
		},
	}
	cmd.Flags().BoolVar(&dump, "dump", false, "print the Program as text")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the Program to `FILE`")
	return cmd
}

// writeFile writes a file that is there whole or not at all.
func writeFile(std *streams, path string, data []byte) error {
	f, err := std.create(path)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}
