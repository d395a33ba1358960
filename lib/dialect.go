//go:build cgo && (linux || darwin)

package main

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/runtime"
)

// dialect is what somebody says of how delimited inputs are written, as infer.Given has it; what is not
// said is found out.
type dialect struct {
	Sep        string   `json:"sep"`
	Quote      string   `json:"quote"`
	Escape     string   `json:"escape"`
	Comment    string   `json:"comment"`
	Header     string   `json:"header"`
	EOL        string   `json:"eol"`
	Decimal    string   `json:"decimal"`
	Thousands  string   `json:"thousands"`
	Null       []string `json:"null"`
	Types      string   `json:"types"`
	AllStrings bool     `json:"all_strings"`
	Lax        bool     `json:"lax"`
}

func (d *dialect) isEmpty() bool { return reflect.ValueOf(*d).IsZero() }

// given is what is said of inputs of a format: csv or tsv, or "" for what they show.
func (d *dialect) given(format string) (*infer.Given, error) {
	g := &infer.Given{
		Separator: d.Sep, Quote: d.Quote, Escape: d.Escape, Comment: d.Comment, Header: d.Header, LineEnd: d.EOL,
		Point: d.Decimal, Thousands: d.Thousands, Nulls: d.Null, AllStrings: d.AllStrings, Lax: d.Lax,
	}
	var err error
	if g.Types, err = infer.ParseTypes(d.Types); err != nil {
		return nil, &runtime.OptionError{Option: "types", Reason: "types: " + err.Error()}
	}
	err = g.Check()
	if wrong := (*infer.GivenError)(nil); errors.As(err, &wrong) {
		return nil, &runtime.OptionError{Option: wrong.What, Reason: fmt.Sprintf("%s %s: want %s", wrong.What, wrong.Text, wrong.Want)}
	}
	if err != nil {
		return nil, &runtime.OptionError{Option: "dialect", Reason: err.Error()}
	}
	if format == "" {
		return g, nil
	}
	base, ok := infer.Delimited(format)
	if !ok {
		return nil, &runtime.OptionError{Option: "format", Reason: format + " says itself how an input is written; csv and tsv leave that to options"}
	}
	return g.Over(base), nil
}
