package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/formats/identify"
	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// foundOut is what holds without -f where inputs are looked at.
const foundOut = "default: found out from the input"

// formatFlag is -f; without says what holds where it is not given.
func formatFlag(cmd *cobra.Command, format *string, without string) {
	cmd.Flags().StringVarP(format, "format", "f", "", "format `NAME`, spec SPEC.dfp, PROG.dfac, or KIND:TEXT as import takes them ("+without+")")
	_ = cmd.RegisterFlagCompletionFunc("format", completeFormat)
}

// findSpec compiles a format, or says why not as a usageError.
func findSpec(ctx context.Context, name string, std *streams) (*compile.Spec, error) {
	return find(ctx, name, std, (*formats.Found).Compile)
}

// findProgram finds the Program of a format, or says why not as a usageError.
func findProgram(ctx context.Context, name string, std *streams) (*dfa.Program, error) {
	return find(ctx, name, std, (*formats.Found).Runnable)
}

type verifier = func(*dfa.Program, []dfa.Example) error

func find[T any](ctx context.Context, name string, std *streams, make func(*formats.Found, verifier, ...compile.Option) (T, error)) (made T, err error) {
	found, err := gen.Find(name)
	if err != nil {
		return made, notFound(name, err)
	}
	sayLost(std.err, found)
	if made, err = make(found, runtime.Verifier(cpu.Engine), compile.WithContext(ctx)); err != nil {
		return made, specError(err)
	}
	return made, nil
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
	return findProgram(ctx, format, std)
}

func formatOf(ctx context.Context, inputs []string, std *streams) (string, error) {
	format := ""
	for _, in := range inputs {
		f, ok := formats.ByExtension(input.Bare(in))
		switch {
		case !ok:
			return "", noFormat(ctx, in, std)
		case discover.IsJSON(headOf(ctx, in, std)):
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
	} else if discover.IsJSON(headOf(ctx, in, std)) {
		return jsonError(in)
	} else if fits := candidates(ctx, in, std); len(fits) > 0 {
		return usagef("%s, perhaps %s (they read its first lines)", why, strings.Join(fits, " or "))
	}
	return usagef("%s: a built-in format (\"dfaparse formats\" lists them), a spec (.dfp) or a compiled Program (.dfac)", why)
}

// jsonError is about an input whose format nobody has said.
func jsonError(in string) error {
	return usagef("%s is JSON: -f jsonl reads an object a line, -f json a list of objects", in)
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

// candidates are the built-in formats that the first lines of an input are likely of, up
// to three.
func candidates(ctx context.Context, path string, std *streams) (flags []string) {
	head := headOf(ctx, path, std)
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	m, err := identify.Best(ctx, head)
	if err != nil || !m.Named() {
		return nil
	}
	fits := append(identify.Matches{m[0]}, m.Ties()...)
	for i := range fits[:min(len(fits), 3)] {
		flags = append(flags, "-f "+fits[i].Name)
	}
	return flags
}
