package main

import (
	"bytes"
	"encoding/csv"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/union"
)

// This file says what a shell proposes where a flag or an argument takes one of a few words.

// words are those that flags take, by the name of the flag.
var words = map[string][]string{
	"to":          output.Kinds(),
	"on-error":    namesOf(dfa.ErrorModes()),
	"utf8":        namesOf(dfa.UTF8Policies()),
	"engine":      append([]string{"auto"}, knownEngines...),
	"union":       union.Modes(),
	"progress":    {"auto", "always", "never"},
	"eol":         {"lf", "crlf", "cr", "any"},
	"header":      {"auto", "none"},
	"compression": slices.Compact(slices.Sorted(slices.Values(append(output.Compressions(), output.ArrowCompressions()...)))),
	"out-eol":     {"lf", "crlf"},
	"out-header":  {"none"},
}

// complete has a shell propose words for the flags of cmd.
func complete(cmd *cobra.Command) {
	for _, name := range slices.Sorted(maps.Keys(words)) {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words[name], cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for name, ends := range namesColumns {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, completeColumns(ends))
		}
	}
}

// namesColumns are the flags in which columns are named, and what a name ends at there.
var namesColumns = map[string]string{"columns": ",", "partition-by": ",", "by": " ,(", "sort": " ,", "where": " ("}

// completeColumns proposes the columns of the one input that is named, behind those that the flag has already.
func completeColumns(ends string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		at := strings.LastIndexAny(text, ends) + 1
		var proposed []string
		for _, name := range columnsIn(cmd, args) {
			if ends != "," && !plainName.MatchString(name) {
				name = "`" + name + "`"
			}
			if strings.HasPrefix(name, text[at:]) && !strings.ContainsAny(name, ",\"\n\r") {
				proposed = append(proposed, text[:at]+name)
			}
		}
		return proposed, directive
	}
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// columnsIn are those of the one input that args name, read as the flags of cmd say; nil if there is no such file.
func columnsIn(cmd *cobra.Command, args []string) []string {
	if len(args) != 1 {
		return nil
	}
	if info, err := os.Stat(args[0]); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	var out bytes.Buffer
	std := &streams{in: closed("input"), out: &out, err: io.Discard}
	flags := []string{"head", "--rows=0", "--to=csv"}
	for _, of := range []string{"format", "sep", "quote", "escape", "comment", "header", "eol", "encoding", "skip-lines", "shape"} {
		if f := cmd.Flags().Lookup(of); f != nil && f.Changed {
			flags = append(flags, "--"+of+"="+f.Value.String())
		}
	}
	if execute(cmd.Context(), append(flags, "--", args[0]), std) != exitOK {
		return nil
	}
	names, _ := csv.NewReader(&out).Read()
	return names
}

// completeFormat proposes the built-in formats where no file is named, and files.
func completeFormat(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return formats.Names(), cobra.ShellCompDirectiveDefault
}
