package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
)

// dialect are the flags that say how a delimited input is written, in place of a
// spec. What they do not say is inferred, or of -f csv and -f tsv as these have it.
type dialect struct {
	sep, quote, escape, comment string
	header, eol                 string
	decimal, thousands          string
	encoding                    string // of any format
	null, types                 []string
	allStrings, lax, strict     bool
}

// flags adds them; of a command that infers no types some are left out. What cannot be meant is
// refused before the command runs, and so before it looks for its inputs.
func (d *dialect) flags(cmd *cobra.Command, values bool) {
	cmd.PreRunE = func(*cobra.Command, []string) error {
		_, err := d.given()
		return err
	}
	f := cmd.Flags()
	f.StringVar(&d.sep, "sep", "", "what separates fields: a `TEXT`, tab or \\t (default: inferred)")
	f.StringVar(&d.quote, "quote", "", "what fields are quoted by: a `SYMBOL`, or none (default: inferred)")
	f.StringVar(&d.escape, "escape", "", "what stands before a quote in a field: a `SYMBOL`, or none: quotes are doubled (default: inferred)")
	f.StringVar(&d.comment, "comment", "", "what lines begin with that are no records: a `TEXT`, or none (default: inferred)")
	f.StringVar(&d.header, "header", "", "auto, none, or `N`: of how many lines, the last of which names the columns (default auto)")
	f.StringVar(&d.eol, "eol", "", "what ends lines: lf, crlf, cr, any (default: inferred)")
	f.StringVar(&d.encoding, "encoding", "", "`NAME` of the encoding: UTF-8, UTF-16LE, ISO-8859-1, windows-1252 and others that IANA knows (default: UTF-8, without -f inferred)")
	f.BoolVar(&d.lax, "lax", false, "take quotes in odd places as they stand, short records with nulls, and long ones without what is too much")
	f.BoolVar(&d.strict, "strict", false, "guess nothing: where an input may be meant in several ways, fail")
	if !values {
		return
	}
	nullFlag(f, &d.null)
	f.StringArrayVar(&d.types, "types", nil, "types of columns, as 'id:u64, at:ts(\"%F %T\")'; and what becomes of values that do not fit an inferred type: widen, fail, null (default: widen, of a pipe fail)")
	f.BoolVar(&d.allStrings, "all-strings", false, "infer no types")
	f.StringVar(&d.decimal, "decimal", "", "what stands before fractions: . or , (default: inferred)")
	f.StringVar(&d.thousands, "thousands", "", "what stands between thousands: . or , or ' or a blank, or none (default: inferred of numbers that have both signs)")
}

func nullFlag(f *pflag.FlagSet, null *[]string) {
	f.StringSliceVar(null, "null", nil, "the `TEXTS` that stand for no value, in every column (default: inferred)")
}

// names of the flags, for messages.
var dialectFlags = []string{"sep", "quote", "escape", "comment", "header", "eol", "lax", "null", "types", "all-strings", "decimal", "thousands"}

// said is the first of the flags that is given, "" if none is.
func (d *dialect) said() string {
	for i, given := range []bool{d.sep != "", d.quote != "", d.escape != "", d.comment != "", d.header != "", d.eol != "", d.lax, len(d.null) > 0, len(d.types) > 0, d.allStrings, d.decimal != "", d.thousands != ""} {
		if given {
			return dialectFlags[i]
		}
	}
	return ""
}

// given is what the flags say.
func (d *dialect) given() (*infer.Given, error) {
	g := &infer.Given{
		Separator: escaped(d.sep), Quote: escaped(d.quote), Escape: escaped(d.escape), Comment: d.comment, Header: d.header,
		LineEnd: d.eol, Lax: d.lax, Nulls: d.null, AllStrings: d.allStrings, Point: d.decimal, Thousands: d.thousands,
	}
	for _, text := range d.types {
		switch text {
		case "widen", "fail", "null":
			g.Misfits = text
			continue
		}
		if !strings.Contains(text, ":") {
			return nil, usagef("--types %s: want NAME:TYPE, as id:u64, or what becomes of values that do not fit: widen, fail, null", text)
		}
		types, err := infer.ParseTypes(text)
		if err != nil {
			return nil, &usageError{err: fmt.Errorf("--types: %w", err)}
		}
		g.Types = append(g.Types, types...)
	}
	if d.encoding != "" {
		if err := input.KnownEncoding(d.encoding); err != nil {
			return nil, &usageError{err: err}
		}
	}
	err := g.Check()
	if wrong := (*infer.GivenError)(nil); errors.As(err, &wrong) && strings.HasPrefix(wrong.Text, "--") {
		err = fmt.Errorf("%w: the flag takes a value", err)
	}
	if err != nil {
		return nil, &usageError{err: err}
	}
	return g, nil
}

// escaped is a text in which \t stands for a tab, as the shells do not write it.
func escaped(text string) string {
	if text == "tab" {
		return "\t"
	}
	return strings.NewReplacer(`\t`, "\t", `\0`, "\x00", `\\`, `\`).Replace(text)
}

// typed are the columns whose types are given, of a command that infers none; never nil.
func (d *dialect) typed() ([]string, error) {
	columns := []string{}
	for _, text := range d.types {
		if !strings.Contains(text, ":") {
			return nil, usagef("--types %s: no types are inferred here: want NAME:TYPE, as id:u64", text)
		}
	}
	g, err := d.given()
	if err != nil {
		return nil, err
	}
	for _, t := range g.Types {
		columns = append(columns, t.Column)
	}
	return columns, nil
}
