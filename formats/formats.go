package formats

import (
	"embed"
	"fmt"
	"path"
	"sort"
	"strings"
	"sync"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
)

//go:embed spec/*.dfp
var specs embed.FS

// ext is what the names of spec files end in.
const ext = ".dfp"

// Names lists the built-in formats, sorted.
func Names() []string {
	entries, err := specs.ReadDir("spec")
	if err != nil {
		panic(err) // embedded: cannot fail
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ext)
	}
	sort.Strings(names)
	return names
}

// Source is the spec of a built-in format.
func Source(name string) ([]byte, error) {
	src, err := specs.ReadFile(path.Join("spec", name+ext))
	if err != nil {
		return nil, &NotFoundError{Name: name, Known: Names()}
	}
	return src, nil
}

var compiled sync.Map // name -> func() (*compile.Spec, error)

// Spec compiles a built-in format, once.
func Spec(name string) (*compile.Spec, error) {
	once, _ := compiled.LoadOrStore(name, sync.OnceValues(func() (*compile.Spec, error) {
		src, err := Source(name)
		if err != nil {
			return nil, err
		}
		return compile.Compile(name+ext, src, compile.WithFormat(name), compile.WithResolver(Resolve))
	}))
	return once.(func() (*compile.Spec, error))()
}

// Program is the compiled form of a built-in format.
func Program(name string) (*dfa.Program, error) {
	s, err := Spec(name)
	if err != nil {
		return nil, err
	}
	return s.Program, nil
}

// Resolve parses the built-in format that a spec extends. It is a
// compile.Resolver.
func Resolve(name string) (*compile.File, error) {
	src, err := Source(name)
	if err != nil {
		return nil, err
	}
	return compile.Parse(name+ext, src)
}

// NotFoundError says that no format has a name.
type NotFoundError struct {
	Name     string
	Searched []string // folders looked into beside the built-ins
	Known    []string // built-in formats
}

func (e *NotFoundError) Error() string {
	msg := fmt.Sprintf("no format %q", e.Name)
	if near := compile.Nearest(e.Name, e.Known); near != "" {
		msg += fmt.Sprintf("; did you mean %q? The", near)
	} else {
		msg += "; the"
	}
	msg += " built-in formats are " + strings.Join(e.Known, ", ")
	if len(e.Searched) > 0 {
		msg += fmt.Sprintf("; no %s%s in %s either", e.Name, ext, strings.Join(e.Searched, ", "))
	}
	return msg
}
