package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/pace"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func newCheck(std *streams) *cobra.Command {
	var verbose, watching bool
	cmd := &cobra.Command{
		Use: "check SPEC...",
		Example: `  dfaparse check mine.dfp
  dfaparse check --watch mine.dfp app.log`,
		Short: "Check specs and run the tests inside them",
		Long: `Check compiles every format of each spec (a file or a name), runs its tests, and
says what is wrong, where. With -v it says what was found out about the
automaton, how it will be run, and of each line of the spec that makes it slow
why, and what would be faster.

With --watch it takes one spec and a sample, checks the spec, shows the first
rows that it makes of the sample, and does both again whenever one of the two
files changes. Without a sample the input of the spec's first test is read.
Interrupt it to end it.`,
		Args:              arguments(1, math.MaxInt, "a spec: a file, or a format"),
		ValidArgsFunction: completeFormat,
		RunE: func(cmd *cobra.Command, args []string) error {
			if watching {
				if len(args) > 2 {
					return usagef("--watch wants one spec and one sample, not %d files", len(args))
				}
				return watch(cmd.Context(), std, args[0], slices.Concat(args, []string{""})[1], verbose)
			}
			failed := 0
			for _, arg := range args {
				err := check(cmd.Context(), people{std.out}, arg, verbose)
				if len(args) == 1 {
					return err
				}
				var usage *usageError
				if err != nil && !errors.As(err, &usage) {
					return err
				}
				if err != nil {
					say(std, err)
					failed++
				}
			}
			if failed > 0 {
				return usagef("%d of %s failed", failed, render.Count(int64(len(args)), "spec"))
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "say what was found out and chosen")
	cmd.Flags().BoolVar(&watching, "watch", false, "check SPEC and show SAMPLE, the file after it, again whenever they change")
	return cmd
}

// check checks all formats of a spec.
func check(ctx context.Context, w io.Writer, name string, verbose bool) error {
	found, err := gen.Find(name)
	if err != nil {
		return notFound(name, err)
	}
	if found.Program != nil {
		return checked(w, found.File, &compile.Spec{Program: found.Program}, verbose)
	}
	specs, err := found.CompileAll(runtime.Verifier(cpu.Engine), compile.WithContext(ctx))
	if err == nil && found.BuiltIn {
		err = runtime.Verifier(cpu.Engine)(specs[0].Program, specs[0].Examples)
	}
	if err != nil {
		return specError(err)
	}
	for _, spec := range specs {
		if err := checked(w, found.File, spec, verbose); err != nil {
			return err
		}
	}
	return nil
}

// checked says that a format is right.
func checked(w io.Writer, file string, spec *compile.Spec, verbose bool) error {
	p := spec.Program
	for _, warning := range spec.Warnings {
		fmt.Fprintln(w, warning)
	}
	tests := render.Count(int64(len(spec.Examples)), "test") + " passed"
	if len(spec.Examples) == 0 {
		tests = "no tests"
	}
	_, err := fmt.Fprintf(w, "%s: %s ok, %s, %s, %s\n", file, p.Name, tests, render.Count(int64(p.Automaton.NStates()), "state"), columnCount(p))
	if err != nil || !verbose {
		return err
	}
	if _, err = io.WriteString(w, indent(p.Analysis().String())); err != nil {
		return err
	}
	for _, slow := range pace.Find(spec) {
		if slow.Pos.Line == 0 {
			_, err = fmt.Fprintf(w, "%s: %s\n", file, slow)
		} else {
			_, err = fmt.Fprintln(w, slow)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func columnCount(p *dfa.Program) string {
	if p.Dynamic() {
		return "columns from the file"
	}
	n := 0
	for _, c := range p.Columns {
		if !c.Hidden {
			n++
		}
		if c.Split != nil {
			n += len(c.Split.Columns)
		}
	}
	return render.Count(int64(n), "column")
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
