//go:build cgo && (linux || darwin)

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/charset"
	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/union"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// format is what a dfaparse_format stands for.
type format struct {
	pending
	description
}

// begun is a format that is being made.
func begun(o *formatOptions, data []byte) *format {
	f := &format{}
	f.pending.begin(func(ctx context.Context) error {
		d, err := newFormat(ctx, o, data)
		if err == nil {
			f.description = *d
		}
		return err
	})
	return f
}

// description is all of a format.
type description struct {
	program  *dfa.Program
	spec     string // "": there is none, of a saved Program
	said     string // what was decided, of one that was inferred
	encoding string // of inputs; "" is UTF-8
	again    any    // the options that make it again
	folders  folderTypes
}

// folderTypes are what is said of the columns of folders, of which no spec says anything.
type folderTypes struct {
	Hive       bool   `json:"hive,omitempty"`
	Types      string `json:"types,omitempty"`
	AllStrings bool   `json:"all_strings,omitempty"`
}

// formatOptions are the JSON of dfaparse_format_new.
type formatOptions struct {
	Format string    `json:"format"`
	Spec   string    `json:"spec"`
	Infer  fileNames `json:"infer"` // names of inputs; nil: nothing is to be found out

	Encoding  string `json:"encoding"` // "" is UTF-8, or is found out
	Union     string `json:"union"`
	SkipLines int64  `json:"skip_lines"`
	Hive      bool   `json:"hive"` // folders are columns, whose types may be given

	dialect // of inputs whose format is found out, or is csv or tsv
}

// specError is a format that is not there, or wrong.
type specError struct{ error }

func (e specError) Unwrap() error { return e.error }

func newFormat(ctx context.Context, o *formatOptions, data []byte) (*description, error) {
	if o.Encoding != "" {
		if err := input.KnownEncoding(o.Encoding); err != nil {
			return nil, &runtime.OptionError{Option: "encoding", Reason: err.Error()}
		}
	}
	if o.Infer != nil || data != nil {
		return inferred(ctx, o, data)
	}
	var f *description
	var err error
	if o.Spec != "" {
		f, err = compiled(ctx, &formats.Found{File: "spec", Source: []byte(o.Spec)})
	} else {
		f, err = compiledByName(ctx, o.Format)
	}
	if err != nil {
		return nil, err
	}
	f.encoding = cmp.Or(o.Encoding, f.program.Encoding)
	if o.Hive {
		f.folders = folderTypes{true, o.Types, o.AllStrings}
	}
	f.again = againOptions{o.Format, o.Spec, f.encoding, f.folders}
	if canonical, err := charset.Canonical(f.encoding); f.encoding != "" && err == nil && canonical == "" {
		f.encoding = ""
	}
	f.program = f.program.OfText()
	return f, nil
}

// againOptions are formatOptions of a format that is known.
type againOptions struct {
	Format   string `json:"format,omitempty"`
	Spec     string `json:"spec,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	folderTypes
}

func compiled(ctx context.Context, found *formats.Found) (*description, error) {
	spec, err := found.Compile(runtime.Verifier(cpu.Engine), compile.WithContext(ctx))
	if err != nil {
		return nil, specError{err}
	}
	return &description{program: spec.Program, spec: string(found.Source)}, nil
}

// inferred finds out how inputs are to be read, as the command does: tables, or a built-in
// format that the first shows.
func inferred(ctx context.Context, o *formatOptions, data []byte) (*description, error) {
	in, err := inputsOf(o, data)
	if err != nil {
		return nil, err
	}
	in.Options = []runtime.Option{runtime.WithEngine(cpu.Engine), runtime.WithContext(ctx)}
	given, err := o.given(o.Format)
	if err != nil {
		return nil, err
	}
	var folders folderTypes
	if o.Hive && data == nil {
		if folders, err = ofFolders(ctx, in, given); err != nil {
			return nil, err
		}
	}
	found, err := in.Look(o.Encoding == "" && !given.Exact, nil)
	if err != nil {
		return nil, err
	}
	if found.Once {
		return nil, specError{fmt.Errorf("%s can be read only once: say its format", found.Name)}
	}
	path := in.Paths[0]
	encoding := in.Encoding
	if encoding != "" && o.Encoding == "" && len(in.Paths) > 1 {
		encoding = input.AutoEncoding
	}
	t, shown, err := found.Decide(ctx, path, given, o.isEmpty())
	if err != nil {
		return nil, specError{err}
	}
	if err := in.Settle(ctx, found, shown); err != nil {
		return nil, err
	}
	if shown != nil && shown.Log != nil {
		return logged(ctx, found, shown, discover.FormatName(path), encoding, folders)
	}
	if shown != nil {
		f, err := compiledByName(ctx, shown.Name)
		if err == nil {
			f.encoding, f.said = encoding, found.Name+": "+shown.Name+shown.Doubt()
			f.folders = folders
			f.again = againOptions{shown.Name, "", encoding, folders}
		}
		return f, err
	}
	name := discover.FormatName(path)
	if err := in.Types(ctx, name, found, t, false); err != nil {
		return nil, err
	}
	spec, err := t.Build(ctx, name, true)
	if err != nil {
		return nil, specError{err}
	}
	f := &description{program: spec.Program, encoding: encoding, folders: folders, said: found.Name + ": " + t.Summary(found.InEncoding("encoding="))}
	if t.Encoding = encoding; encoding == input.AutoEncoding {
		t.Encoding = "" // each input has its own
	}
	if f.spec, err = t.Source(name, found.Name); err != nil {
		return nil, specError{err}
	}
	f.again = againOptions{"", f.spec, encoding, folders}
	return f, nil
}

// ofFolders are the types given to columns of folders; given has those of other columns then.
func ofFolders(ctx context.Context, in *discover.Inputs, given *infer.Given) (folderTypes, error) {
	all := slices.Clone(given.Types)
	err := discover.NewMatched(discover.Together{Union: in.Union, Hive: true}, in.Paths, nil).Folders(ctx, given)
	var types []string
	for _, t := range all {
		if !slices.Contains(given.Types, t) {
			quote := "`"
			if strings.Contains(t.Column, quote) {
				quote = `"`
			}
			types = append(types, quote+t.Column+quote+": "+t.Type)
		}
	}
	return folderTypes{true, strings.Join(types, ", "), given.AllStrings}, err
}

// logged is the template of a log that the first input shows.
func logged(ctx context.Context, found *discover.Found, shown *discover.Shown, name, encoding string, folders folderTypes) (*description, error) {
	ofSpec := encoding
	if ofSpec == input.AutoEncoding {
		ofSpec = "" // each input has its own
	}
	source := shown.Log.Source(name, found.Head, shown.Log.Build(ctx, name).Program, ofSpec, runtime.WithEngine(cpu.Engine))
	f, err := compiled(ctx, &formats.Found{File: "spec", Source: []byte(source)})
	if err != nil {
		return nil, err
	}
	f.program = f.program.OfText()
	f.encoding, f.said = encoding, found.Name+": "+shown.Log.String()+shown.Doubt()
	f.folders = folders
	f.again = againOptions{"", source, encoding, folders}
	return f, nil
}

// inputsOf are the inputs whose format is found out.
func inputsOf(o *formatOptions, data []byte) (*discover.Inputs, error) {
	in := &discover.Inputs{Paths: []string{"input"}, Union: union.Mode(o.Union), SkipLines: o.SkipLines, Encoding: o.Encoding}
	if data == nil {
		var err error
		if in.Paths, err = input.Expand(o.Infer); err != nil {
			return nil, err
		}
		if len(in.Paths) == 0 {
			return nil, errNoInput
		}
	}
	in.Fresh = func(ctx context.Context, path string) (from *input.Input, err error) {
		if data != nil {
			from, err = input.Of(ctx, bytes.NewReader(data), path, nil)
		} else {
			from, err = input.Open(ctx, path, nil)
		}
		if err == nil && in.Encoding != "" {
			if err = from.Decode(cmp.Or(o.Encoding, input.AutoEncoding)); err != nil {
				from.Close()
			}
		}
		return from, err
	}
	in.Open = func(path string) (*input.Input, error) { return in.Fresh(context.Background(), path) }
	in.Done = func(_ string, from *input.Input, _ bool) error { return from.Close() }
	return in, nil
}

func compiledByName(ctx context.Context, name string) (*description, error) {
	found, err := formats.Find(name)
	if err != nil {
		return nil, specError{err}
	}
	return compiled(ctx, found)
}
