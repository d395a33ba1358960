package main

import (
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/internal/union"
)

// This file is about many inputs as one table.

// together are the flags that say how.
type together struct {
	union      string
	hive       bool
	fileColumn string
}

// asked is what they say, of these inputs.
func (t *together) asked(paths []string) (discover.Together, error) {
	d := discover.Together{Union: union.Mode(t.union), Hive: t.hive, FileColumn: t.fileColumn}
	if t.union != "" {
		if err := oneOf("union", t.union, union.Modes()...); err != nil {
			return d, err
		}
	}
	if (t.hive || d.Union == union.ByName) && slices.Contains(paths, "-") && len(paths) > 1 {
		return d, usagef("--union and --hive want files: the standard input (-) is none")
	}
	return d, nil
}

func (t *together) flags(f *pflag.FlagSet) {
	t.unionFlag(f)
	f.BoolVar(&t.hive, "hive", false, "add a column for each folder in the paths of inputs that is named as year=2024")
	f.StringVar(&t.fileColumn, "file-column", "", "add a column `NAME` with the path of the input that a row is from")
}

func (t *together) unionFlag(f *pflag.FlagSet) {
	f.StringVar(&t.union, "union", "", "columns of several inputs go by `name`, those that one lacks are null; or by position, as the first calls them (default: all have the same, in any order)")
}

// expanded are the inputs that args name.
func expanded(args []string) ([]string, error) {
	paths, err := input.Expand(args)
	if wrong := (*input.NameError)(nil); errors.As(err, &wrong) {
		return nil, &usageError{err: err}
	}
	return paths, err
}

// oneInput is the input that a name stands for.
func oneInput(arg string) (string, error) {
	paths, err := expanded([]string{arg})
	if err == nil && len(paths) != 1 {
		err = usagef("%s stands for %d inputs, of which %s is the first: name one", render.Printable(arg), len(paths), render.Printable(paths[0]))
	}
	if err != nil {
		return "", err
	}
	return paths[0], nil
}
