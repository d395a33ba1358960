package main

import (
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/spf13/cobra"
)

const onWindows = goruntime.GOOS == "windows"

// newRoot is the command tree.
func newRoot(std *streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "dfaparse",
		Short: "Read CSV, logs and formats of your own as typed columns",
		Long: `dfaparse reads files of a described format, exactly and in parallel, as typed
columns: a table, JSON Lines, CSV, Arrow or Parquet.

  dfaparse head data.csv
  dfaparse parse -f apache_combined -o access.parquet access.log.gz
  dfaparse check my_format.dfp && dfaparse parse -f my_format.dfp my.log

A format is a built-in one ("dfaparse formats" lists them), a spec file (.dfp)
or a compiled Program (.dfac). The exit code is 0 if all went well, 1 after a
failure, 2 after wrong usage or a spec that does not compile, and 3 if records
were rejected.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          unknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(std.in)
	root.SetOut(&lasting{Writer: std.out}) // help and completions
	root.SetErr(people{std.err})
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	root.AddGroup(&cobra.Group{ID: "read", Title: "Reading:"}, &cobra.Group{ID: "format", Title: "Formats:"}, &cobra.Group{ID: "more", Title: "More:"})
	for _, c := range []struct {
		group string
		cmd   *cobra.Command
	}{
		{"read", newParse(std)}, {"read", newHead(std)}, {"read", newCount(std)}, {"read", newSchema(std)}, {"read", newExplain(std)}, {"read", newBench(std)},
		{"format", newFormats(std)}, {"format", newIdentify(std)}, {"format", newInfer(std)}, {"format", newImport(std)}, {"format", newCheck(std)}, {"format", newCompile(std)}, {"format", newGraph(std)},
		{"more", newDevices(std)}, {"more", newGen(std)}, {"more", newVersion(std)},
	} {
		c.cmd.GroupID = c.group
		root.AddCommand(c.cmd)
	}
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	for _, cmd := range root.Commands() {
		wrapArgs(cmd)
	}
	wrapArgs(root)
	return root
}

// wrapArgs makes complaints about arguments usage errors.
func wrapArgs(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		var usage *usageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		return &usageError{err, cmd.CommandPath()}
	}
}

// unknownCommand says what was probably meant.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	msg := fmt.Sprintf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		msg += fmt.Sprintf(", did you mean %q?", near[0])
	}
	return errors.New(msg)
}

// inputs wants at least one input.
func inputs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("no input: name a file, or - for the standard input")
	}
	return nil
}
