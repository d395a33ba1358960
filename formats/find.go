package formats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/importer"
)

// PathVariable names the environment variable that lists further folders in
// which specs are looked for.
const PathVariable = "DFAPARSE_PATH"

// byExtension is what the extensions of plain text stand for.
var byExtension = map[string]string{".csv": "csv", ".tsv": "tsv", ".tab": "tsv"}

// ByExtension is the built-in format that the extension of a file's name stands
// for, if it stands for one.
func ByExtension(file string) (name string, ok bool) {
	name, ok = byExtension[strings.ToLower(filepath.Ext(file))]
	return name, ok
}

// Found is a format that was found by name or path: a spec's source, or a
// Program compiled before.
type Found struct {
	Name    string
	File    string // where it was found; of built-ins the name of the spec
	BuiltIn bool
	Source  []byte       // nil if it is a compiled Program
	Program *dfa.Program // nil if it is a spec
	Lost    []string     // imported: what the description means and the spec does not say
}

// Find finds a format: a path of a spec (.dfp) or a compiled Program (.dfac),
// the name of a built-in, or the name of a spec in ./formats or in a folder of
// $DFAPARSE_PATH. A path may end in :NAME, for one of several formats in a file.
// KIND:TEXT is a description that Import reads.
func Find(nameOrPath string) (*Found, error) {
	if kind, text, ok := importer.Cut(nameOrPath); ok {
		return Import(kind, text, ImportOptions{})
	}
	file, name := nameOrPath, ""
	if i := strings.LastIndex(file, ext+":"); i >= 0 {
		file, name = file[:i+len(ext)], file[i+len(ext)+1:]
	}
	switch {
	case strings.HasSuffix(file, ext):
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return &Found{Name: name, File: file, Source: src}, nil
	case strings.HasSuffix(file, ".dfac"):
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		p, err := dfa.DecodeProgram(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return &Found{Name: p.Name, File: file, Program: p}, nil
	}
	if src, err := Source(nameOrPath); err == nil {
		return &Found{Name: nameOrPath, File: nameOrPath + ext, BuiltIn: true, Source: src}, nil
	}
	missing := &NotFoundError{Name: nameOrPath, Known: Names()}
	for _, dir := range folders() {
		file := filepath.Join(dir, nameOrPath+ext)
		src, err := os.ReadFile(file)
		if err == nil {
			return &Found{Name: nameOrPath, File: file, Source: src}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		missing.Searched = append(missing.Searched, dir)
	}
	if info, err := os.Stat(nameOrPath); err == nil {
		missing.IsFile, missing.IsFolder = !info.IsDir(), info.IsDir()
	}
	return nil, missing
}

func folders() []string {
	dirs := []string{"formats"}
	return append(dirs, filepath.SplitList(os.Getenv(PathVariable))...)
}

// Compile makes the Program, if there is only a spec yet. Specs that it
// extends are found as Find finds them. verify runs the examples of specs that
// are not built in (runtime.Verifier); nil passes over them.
func (f *Found) Compile(verify func(*dfa.Program, []dfa.Example) error, opts ...compile.Option) (*compile.Spec, error) {
	if f.Program != nil {
		return &compile.Spec{Program: f.Program}, nil
	}
	if f.BuiltIn {
		return Spec(f.Name)
	}
	return compile.Compile(f.File, f.Source, f.options(verify, opts)...)
}

// Runnable is the Program of what Compile makes, for those who want nothing else: that of a built-in
// format is there already.
func (f *Found) Runnable(verify func(*dfa.Program, []dfa.Example) error, opts ...compile.Option) (*dfa.Program, error) {
	if f.BuiltIn {
		return Program(f.Name)
	}
	spec, err := f.Compile(verify, opts...)
	if err != nil {
		return nil, err
	}
	return spec.Program, nil
}

// CompileAll is Compile for all formats of the file, unless one was named.
func (f *Found) CompileAll(verify func(*dfa.Program, []dfa.Example) error, opts ...compile.Option) ([]*compile.Spec, error) {
	if f.Program != nil || f.BuiltIn {
		spec, err := f.Compile(verify)
		return []*compile.Spec{spec}, err
	}
	return compile.CompileAll(f.File, f.Source, f.options(verify, opts)...)
}

func (f *Found) options(verify func(*dfa.Program, []dfa.Example) error, opts []compile.Option) []compile.Option {
	all := []compile.Option{compile.WithResolver(resolveAny)}
	if verify != nil {
		all = append(all, compile.WithVerifier(verify))
	}
	if f.Name != "" {
		all = append(all, compile.WithFormat(f.Name))
	}
	return append(all, opts...)
}

// resolveAny finds a format that a spec outside of the built-ins extends.
func resolveAny(name string) (*compile.File, error) {
	f, err := Find(name)
	if err != nil {
		return nil, err
	}
	if f.Source == nil {
		return nil, fmt.Errorf("%s is compiled, and cannot be extended", f.File)
	}
	return compile.Parse(f.File, f.Source)
}
