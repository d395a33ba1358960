package main

import (
	"maps"
	"slices"

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
}

// completeFormat proposes the built-in formats where no file is named, and files.
func completeFormat(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return formats.Names(), cobra.ShellCompDirectiveDefault
}
