package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// formatFlag is -f.
func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVarP(format, "format", "f", "", "format `NAME`, spec SPEC.dfp or PROG.dfac (default: by extension, .csv and .tsv)")
	_ = cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return formats.Names(), cobra.ShellCompDirectiveDefault
	})
}

// findSpec compiles a format, or says why not as a usageError.
func findSpec(ctx context.Context, name string, std *streams) (*compile.Spec, error) {
	found, err := gen.Find(name)
	if err != nil {
		return nil, notFound(name, err)
	}
	sayLost(std.err, found)
	spec, err := found.Compile(runtime.Verifier(cpu.Engine), compile.WithContext(ctx))
	if err != nil {
		return nil, specError(err)
	}
	return spec, nil
}

func notFound(name string, err error) error {
	if importing := (*formats.ImportError)(nil); errors.As(err, &importing) {
		return importError(importing)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return usagef("there is no file %s", name)
	}
	return &usageError{err: err}
}

// specError is a spec that does not compile: what is wrong, and the line.
func specError(err error) error {
	return &usageError{err: &locatedError{err, specText(err)}}
}

// programFor is the Program that reads the inputs: the format asked for, or the
// one that the extensions of all inputs stand for.
func programFor(ctx context.Context, format string, inputs []string, std *streams) (*dfa.Program, error) {
	if format == "" {
		var err error
		if format, err = formatOf(ctx, inputs, std); err != nil {
			return nil, err
		}
	}
	spec, err := findSpec(ctx, format, std)
	if err != nil {
		return nil, err
	}
	return spec.Program, nil
}

func formatOf(ctx context.Context, inputs []string, std *streams) (string, error) {
	format := ""
	for _, in := range inputs {
		f, ok := formats.ByExtension(input.Bare(in))
		switch {
		case !ok:
			return "", noFormat(ctx, in, std)
		case isJSON(headOf(ctx, in, std)):
			return "", jsonError(in)
		case format != "" && f != format:
			return "", usagef("%s and %s have different formats; read them one by one, or say -f", inputs[0], in)
		}
		format = f
	}
	return format, nil
}

// noFormat asks for -f and names the formats that read the input's first lines.
func noFormat(ctx context.Context, in string, std *streams) error {
	why := fmt.Sprintf("%s: its extension says no format; choose one with -f", in)
	if in == "-" {
		why = "the standard input has no extension that says its format; choose one with -f"
	} else if isJSON(headOf(ctx, in, std)) {
		return jsonError(in)
	} else if fits := candidates(ctx, in, std); len(fits) > 0 {
		return usagef("%s, perhaps %s (they read its first lines)", why, strings.Join(fits, " or "))
	}
	return usagef("%s: %s, a spec (.dfp) or a compiled Program (.dfac)", why, strings.Join(formats.Names(), ", "))
}

// jsonError is about an input whose format nobody has said.
func jsonError(in string) error {
	return usagef("%s is JSON, which no built-in format reads; if it is of a format all the same, say which with -f", in)
}

// headOf is the first bytes of an input that can be read again, decompressed; nil
// if it cannot be.
func headOf(ctx context.Context, path string, std *streams) []byte {
	if info, err := os.Stat(path); path == "-" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	in, err := openInput(ctx, path, std, nil)
	if err != nil {
		return nil
	}
	defer in.Close()
	head := make([]byte, sniffed)
	n, _ := input.ReadFull(in, head)
	return head[:n]
}

// sniffed is how many bytes of an input candidates looks at.
const sniffed = 32 << 10

// candidates are the built-in formats that read the first lines of an input,
// up to three, those with the fewest rejects and the most columns first.
func candidates(ctx context.Context, path string, std *streams) []string {
	head := headOf(ctx, path, std)
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	type fit struct {
		name    string
		rejects int64
		columns int

		separated bool // the columns come from the first line
	}
	var fits []fit
	for _, name := range formats.Names() {
		p, err := formats.Program(name)
		if err != nil {
			continue
		}
		r, err := runtime.NewReader(bytes.NewReader(head), p, runtime.WithEngine(cpu.Engine), runtime.WithErrorMode(dfa.Reject), runtime.WithThreads(1),
			runtime.WithRejectHandler(func(*runtime.Reject) error { return nil }))
		if err != nil {
			continue
		}
		for r.Next() {
		}
		s, columns := r.Stats(), r.Schema().NumFields()
		if r.Err() == nil && s.Rows > 0 && s.Rejected*4 <= s.Records && columns > 1 {
			fits = append(fits, fit{name, s.Rejected, columns, p.Header.Mode == dfa.NamesHeader})
		}
		r.Release()
	}
	if logs := slices.DeleteFunc(slices.Clone(fits), func(f fit) bool { return f.separated }); len(logs) > 0 {
		fits = logs // any text can be cut at separators
	}
	slices.SortStableFunc(fits, func(a, b fit) int {
		return cmp.Or(cmp.Compare(a.rejects, b.rejects), cmp.Compare(b.columns, a.columns))
	})
	var names []string
	for _, f := range fits[:min(len(fits), 3)] {
		names = append(names, "-f "+f.name)
	}
	return names
}
