package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/internal/input"
)

const onWindows = goruntime.GOOS == "windows"

// newRoot is the command tree.
func newRoot(std *streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "dfaparse [INPUT...]",
		Short: "Read CSV, logs and formats of your own as typed columns",
		Long: `dfaparse reads files, exactly and in parallel, as typed columns: a table, JSON
Lines, CSV, Arrow or Parquet. "dfaparse data.csv" is "dfaparse parse data.csv".

  dfaparse data.csv
  dfaparse parse -f apache_combined -o access.parquet access.log.gz
  dfaparse check my_format.dfp && dfaparse parse -f my_format.dfp my.log

A format is a built-in one ("dfaparse formats" lists them), a spec file (.dfp)
or a compiled Program (.dfac). Without one, it is found out what the input is,
and said in a line. The exit code is 0 if all went well, 1 after a failure, 2
after wrong usage or a spec that does not compile, 3 if records were rejected,
and 130 after an interrupt.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          unknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:       version(),
	}
	root.SetVersionTemplate(versionText())
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
		{"read", newParse(std)}, {"read", newHead(std)}, {"read", newCount(std)}, {"read", newAggregate(std)}, {"read", newSchema(std)}, {"read", newSplit(std)}, {"read", newIndex(std)}, {"read", newReplay(std)}, {"read", newExplain(std)}, {"read", newBench(std)},
		{"format", newFormats(std)}, {"format", newIdentify(std)}, {"format", newInfer(std)}, {"format", newImport(std)}, {"format", newCheck(std)}, {"format", newFmt(std)}, {"format", newCompile(std)}, {"format", newGraph(std)}, {"format", newStudio(std)},
		{"more", newDevices(std)}, {"more", newGen(std)}, {"more", newMan()}, {"more", newVersion(std)},
	} {
		c.cmd.GroupID = c.group
		root.AddCommand(c.cmd)
	}
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	for _, cmd := range root.Commands() {
		complete(cmd)
		wrapArgs(cmd)
	}
	wrapArgs(root)
	foldHelp(root, std.out)
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
	if strings.ContainsAny(args[0], `./\`) { // as names of files do
		return fmt.Errorf("%s: no such file, and no such command", args[0])
	}
	msg := fmt.Sprintf("unknown command %q", args[0])
	meant := otherCommands[strings.ToLower(args[0])]
	if near := cmd.SuggestionsFor(args[0]); meant == "" && len(near) > 0 && args[0] != "" {
		meant = near[0]
	}
	if meant != "" {
		msg += fmt.Sprintf(", did you mean %q?", meant)
	} else if args[0] != "" {
		msg += ", and there is no such file"
	}
	return errors.New(msg)
}

// otherCommands are names that other tools have for what commands of dfaparse do.
var otherCommands = map[string]string{
	"cat": "parse", "convert": "parse", "export": "parse", "print": "parse", "read": "parse", "show": "parse", "view": "parse",
	"filter": "parse --where", "where": "parse --where", "grep": "parse --where", "search": "parse --where",
	"select": "parse --columns", "cut": "parse --columns", "sort": "parse --sort", "tail": "parse --follow", "partition": "parse --partition-by",
	"group": "aggregate", "groupby": "aggregate", "query": "aggregate", "sql": "aggregate", "stats": "aggregate", "sum": "aggregate",
	"columns": "schema", "describe": "schema", "headers": "schema", "types": "schema",
	"detect": "infer", "guess": "infer", "sniff": "infer", "lint": "check", "test": "check", "validate": "check",
	"benchmark": "bench", "generate": "gen", "list": "formats", "size": "count", "wc": "count",
}

// inputs wants at least one input, or a standard input that is none from a terminal.
func inputs(std *streams) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && !piped(std.in) {
			return errors.New("no input: name a file, or pipe something in" + swallowed(cmd))
		}
		return nil
	}
}

// swallowed says which flag about the input's form took a file for its value.
func swallowed(cmd *cobra.Command) string {
	for _, name := range dialectFlags {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		if info, err := os.Stat(f.Value.String()); err == nil && info.Mode().IsRegular() {
			return fmt.Sprintf("; --%s takes a value, and has taken %s for it", name, f.Value)
		}
	}
	return ""
}

// inputsOf are the inputs that args name: the standard input, if they name none.
func inputsOf(args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{"-"}, nil
	}
	return expanded(args)
}

// piped reports whether a standard input is a file or a pipe.
func piped(in any) bool {
	f, ok := in.(*os.File)
	if !ok {
		_, none := in.(closed)
		return !none
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// empty reports whether the standard input has nothing.
func (s *streams) empty() bool {
	if !piped(s.in) {
		return true
	}
	if f, ok := s.in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size() == 0
		}
	}
	first := make([]byte, 1)
	n, err := io.ReadFull(s.in, first)
	if err == nil {
		s.in = io.MultiReader(bytes.NewReader(first[:n]), s.in)
	}
	return err != nil
}

// implied puts parse in front of a command line that names an input, and no command.
func implied(root *cobra.Command, args []string, std *streams) []string {
	if cmd, _, err := root.Find(args); err != nil || cmd != root || len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return args
	}
	if len(args) == 0 && std.empty() {
		return args
	}
	asks := len(args) > 0 && slices.Contains([]string{"-h", "--help", "--version", "-v"}, args[0])
	if len(args) > 1 && isWord(args[0]) {
		return args // a command that was mistyped, in front of an input
	}
	isInput := !asks && (len(args) == 0 || strings.HasPrefix(args[0], "-")) && piped(std.in)
	for _, arg := range args {
		_, err := os.Stat(arg)
		_, _, member := input.Member(arg)
		isInput = isInput || member || arg == "-" || err == nil || input.IsURL(arg) || strings.ContainsAny(arg, "*?[{") && !strings.HasPrefix(arg, "-")
	}
	if !isInput {
		return args
	}
	return append([]string{"parse"}, args...)
}

// isWord reports whether an argument may be the name of a command, and is none of a file.
func isWord(arg string) bool {
	if arg == "" || strings.ContainsFunc(arg, func(c rune) bool { return c < 'a' || c > 'z' }) {
		return false
	}
	_, err := os.Stat(arg)
	return err != nil
}
