package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/internal/near"
)

// number is a flag of a whole number, 0 or more, decimal or with 0x.
type number[T int | int64 | uint64] struct{ value *T }

// numberVar adds one to f; short is its letter, "" for none.
func numberVar[T int | int64 | uint64](f *pflag.FlagSet, value *T, name, short string, def T, usage string) {
	*value = def
	f.VarP(number[T]{value}, name, short, usage)
}

func (n number[T]) Set(text string) error {
	digits, base := text, 10
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		digits, base = hex, 16
	}
	v, err := strconv.ParseUint(digits, base, 64)
	largest := uint64(math.MaxUint64)
	switch any(*n.value).(type) {
	case int:
		largest = math.MaxInt
	case int64:
		largest = math.MaxInt64
	}
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && v > largest:
		return fmt.Errorf("want a whole number up to %d", largest)
	case err != nil:
		return errors.New("want a whole number, 0 or more")
	}
	*n.value = T(v)
	return nil
}

// ordinal is the number of a record or line, from 1; 0 where the flag is not given.
type ordinal struct{ number[int64] }

func (o ordinal) Set(text string) error {
	if err := o.number.Set(text); err != nil {
		return err
	}
	if *o.value == 0 {
		return errors.New("want a number from 1 on")
	}
	return nil
}

// offset is that of a byte, from 0.
type offset struct{ number[int64] }

func (o offset) Set(text string) error {
	if strings.Contains(text, ":") { // as messages have line and column
		return errors.New("want an offset, which messages have at their end, as in (byte 261)")
	}
	return o.number.Set(text)
}

func (n number[T]) Type() string   { return "int" }
func (n number[T]) String() string { return fmt.Sprint(*n.value) }

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		f, cause := invalid.GetFlag(), invalid.Unwrap()
		switch f.Value.Type() {
		case "bool":
			cause = errors.New("want true or false, or nothing")
		case "duration":
			cause = errors.New("want a time with its unit, as 100ms or 2s")
		case "size":
			return &usageError{fmt.Errorf("--%s: %w", f.Name, cause), cmd.CommandPath()}
		}
		err = fmt.Errorf("--%s %s: %w", f.Name, invalid.GetValue(), cause)
	}
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		letters := unknown.GetSpecifiedShortnames()
		if _, no := strconv.Atoi(letters); no == nil { // as in head -5
			name = "nrows"
		} else if letters != "" {
			name = otherLetters[name]
		}
		if meant := meantFlag(cmd, name); meant != "" {
			err = fmt.Errorf("%w, did you mean %s?", err, meant)
		} else if name == "output" {
			err = fmt.Errorf("%w; what it makes goes to the standard output: > FILE", err)
		}
	}
	return &usageError{err, cmd.CommandPath()}
}

// otherNames are names that other tools have for what flags of dfaparse say.
var otherNames = map[string]string{
	"delim": "--sep", "delimiter": "--sep", "separator": "--sep", "field-separator": "--sep", "fs": "--sep", "sepchar": "--sep",
	"quotechar": "--quote", "quote-char": "--quote", "escapechar": "--escape", "escape-char": "--escape", "commentchar": "--comment", "comment-char": "--comment", "comment-prefix": "--comment",
	"no-header": "--header none", "noheader": "--header none", "no-headers": "--header none", "has-header": "--header 1", "headers": "--header 1",
	"skiprows": "--skip-lines", "skip-rows": "--skip-lines", "skip-header": "--skip-lines", "preamble": "--skip-lines",
	"nullstr": "--null", "null-value": "--null", "null-values": "--null", "nulls": "--null", "na": "--null", "na-values": "--null",
	"dtype": "--types", "dtypes": "--types", "schema": "--types", "schema-overrides": "--types", "column-types": "--types",
	"all-varchar": "--all-strings", "no-inference": "--all-strings", "no-infer": "--all-strings", "strings": "--all-strings", "infer-schema": "--all-strings",
	"decimal-separator": "--decimal", "decimal-comma": "--decimal ,", "thousands-separator": "--thousands",
	"charset": "--encoding", "newline": "--eol", "line-terminator": "--eol", "lineterminator": "--eol", "new-line": "--eol", "crlf": "--eol crlf",
	"ignore-errors": "--on-error reject", "keep-going": "--on-error reject", "permissive": "--lax", "truncate-ragged-lines": "--lax", "null-padding": "--lax",
	"nrows": "--limit", "n-rows": "--limit", "rows": "--limit", "max-rows": "--limit", "lines": "--limit", "limit": "--rows",
	"usecols": "--columns", "select": "--columns", "fields": "--columns", "filter": "--where", "order-by": "--sort", "group-by": "--by",
	"out": "--output", "outfile": "--output", "output-file": "--output", "output-format": "--to", "out-format": "--to",
	"jobs": "--threads", "workers": "--threads", "nthreads": "--threads", "cores": "--threads",
	"filename": "--file-column", "include-file-paths": "--file-column", "hive-partitioning": "--hive", "union-by-name": "--union name",
	"partitionby": "--partition-by", "codec": "--compression", "compress": "--compression", "row-group-size": "--row-group",
	"ignore-trailing": "--ignore-left-over", "trailing-garbage": "--ignore-left-over",
	"tail": "--follow", "watch": "--follow", "json": "--to jsonl", "csv": "--to csv", "parquet": "--to parquet", "gpu": "--engine gpu",
}

// otherLetters are letters that other tools have for flags of these names.
var otherLetters = map[string]string{
	"d": "delimiter", "F": "delimiter", "t": "delimiter", "s": "delimiter", "H": "no-header", "n": "nrows", "l": "nrows", "c": "columns", "j": "jobs",
	"k": "order-by", "w": "where", "e": "encoding", "o": "output", "v": "verbose", "q": "quotechar",
}

// meantFlag is the flag of a command that an unknown one was probably meant to be, "" for
// none.
func meantFlag(cmd *cobra.Command, name string) string {
	bare := func(flag string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), " ")
		return name
	}
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	meant := otherNames[name]
	for _, flag := range []string{meant, otherNames[bare(meant)]} { // nrows is --limit of parse, --rows of head
		if flag != "" && cmd.Flags().Lookup(bare(flag)) != nil {
			return flag
		}
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	for _, k := range known { // as with --batch_time
		if k == name {
			return "--" + k
		}
	}
	if meant := near.Word(name, known); meant != "" {
		return "--" + meant
	}
	return ""
}

// checkFlags refuses values that say nothing: of a flag that is given somebody
// wants something. So do those that are other flags.
func checkFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		other := slices.IndexFunc(values, func(v string) bool { return isFlag(cmd, v) })
		switch {
		case err != nil:
		case other >= 0:
			_, usage := pflag.UnquoteUsage(f)
			err = usagef("--%s %s: the flag takes a value: %s", f.Name, values[other], usage)
		case f.Name == "null": // of which an empty text is one
			if list, _ := f.Value.(pflag.SliceValue); len(values) == 0 {
				err = list.Replace([]string{""})
			}
		case len(values) == 0 || slices.Contains(values, ""):
			err = usagef("--%s has an empty value", f.Name)
		case f.Value.Type() == "size" && f.Value.String() == "0":
			err = usagef("--%s 0: want 1 byte or more", f.Name)
		}
	})
	return err
}

// isFlag reports whether a text is a flag of cmd, perhaps with its value.
func isFlag(cmd *cobra.Command, text string) bool {
	flag, ok := strings.CutPrefix(text, "--")
	name, _, _ := strings.Cut(flag, "=")
	return ok && cmd.Flags().Lookup(name) != nil
}

// arguments wants so many arguments, which are what says in words.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("name %s", what)
		case len(args) > most && most == 0:
			return fmt.Errorf("there is nothing to be named, but here is %q", args[0])
		case len(args) > most:
			return fmt.Errorf("name %s, and no more: what is %q?", what, args[most])
		}
		for _, a := range args {
			if a == "" {
				return fmt.Errorf("name %s: a name is empty", what)
			}
		}
		return nil
	}
}
