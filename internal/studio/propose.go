package studio

import (
	"bytes"
	"context"
	"fmt"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/formats/identify"
	"github.com/dfaparse/dfaparse/internal/infer"
)

// Propose says how to begin with an input: the built-in formats that read it, what is
// inferred if it is a table, and a template that takes whole lines. The likeliest is first.
func Propose(ctx context.Context, in *Input) ([]Proposal, error) {
	sample, err := in.bytes(0, infer.SampleBytes)
	if err != nil {
		return nil, err
	}
	in, encoding := in.guessed(sample)
	if encoding != "" {
		if sample, err = in.bytes(0, infer.SampleBytes); err != nil {
			return nil, err
		}
	}
	whole := int64(len(sample)) == in.Size
	lines := sample
	if i := bytes.LastIndexByte(sample, '\n'); i >= 0 && !whole {
		lines = sample[:i+1]
	}
	var out, tables []Proposal
	if t := inferred(ctx, in.Name, sample, whole, encoding); t != nil {
		tables = append(tables, *t)
	}
	matches, err := identify.Bytes(ctx, lines)
	if err != nil {
		return nil, err
	}
	if matches.Named() {
		for _, m := range append(identify.Matches{matches[0]}, matches.Ties()...) {
			src, err := formats.Source(m.Name)
			if err != nil {
				return nil, err
			}
			if encoding != "" {
				src = []byte(compile.New(formatName(in.Name)).Extends(m.Name).Encoding(encoding).Source())
			}
			p := Proposal{"the built-in format " + m.Name, fmt.Sprintf("it reads %d of the first %d records", m.Read, m.Records), string(src)}
			if isTable(m.Name) && len(tables) > 0 { // what was inferred says more
				tables = append(tables, p)
			} else {
				out = append(out, p)
			}
		}
	}
	out = append(out, tables...)
	return append(out, Proposal{"a template", "a whole line is one field: mark pieces of it", begun(in.Name, encoding)}), nil
}

// begun is a spec in which a whole line is one field; encoding is that of the input, "" for UTF-8.
func begun(name, encoding string) string {
	if encoding != "" {
		encoding = fmt.Sprintf("  encoding %q\n", encoding)
	}
	return fmt.Sprintf("format %s {\n  record `{text...}`\n%s}\n", formatName(name), encoding)
}

// isTable reports whether a built-in format is one of those for tables of any kind.
func isTable(name string) bool {
	for _, g := range formats.Groups() {
		if g.Name == "tables" {
			for _, n := range g.Names {
				if n == name {
					return true
				}
			}
		}
	}
	return false
}
