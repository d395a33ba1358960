package formats

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/internal/importer"
	"github.com/dfaparse/dfaparse/internal/near"
)

//go:embed spec/*/*.dfp
var specs embed.FS

// ext is what the names of spec files end in.
const ext = ".dfp"

// Group is a folder of specs: the built-in formats of one field.
type Group struct {
	Name  string
	Names []string // of its formats, sorted
}

// Groups lists the groups of the built-in formats, and their formats, sorted.
func Groups() []Group {
	var groups []Group
	for _, folder := range entries("spec") {
		g := Group{Name: folder}
		for _, file := range entries(path.Join("spec", folder)) {
			g.Names = append(g.Names, strings.TrimSuffix(file, ext))
		}
		groups = append(groups, g)
	}
	return groups
}

func entries(folder string) (names []string) {
	list, err := specs.ReadDir(folder)
	if err != nil {
		panic(err) // embedded: cannot fail
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// files are the built-in formats: where the spec of a name lies.
var files = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	for _, g := range Groups() {
		for _, name := range g.Names {
			if other, ok := found[name]; ok {
				panic(fmt.Sprintf("%s is in the group %s too: %s", name, g.Name, other))
			}
			found[name] = path.Join("spec", g.Name, name+ext)
		}
	}
	return found
})

// Names lists the built-in formats, sorted.
func Names() []string { return slices.Sorted(maps.Keys(files())) }

// Source is the spec of a built-in format.
func Source(name string) ([]byte, error) {
	if file, ok := files()[name]; ok {
		return specs.ReadFile(file)
	}
	return nil, &NotFoundError{Name: name, Known: Names()}
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

// Resolve parses the built-in format that a spec extends. It is a
// compile.Resolver.
func Resolve(name string) (*compile.File, error) {
	src, err := Source(name)
	if err != nil {
		return nil, err
	}
	return compile.Parse(name+ext, src)
}

// tellingLetters is how many letters a name has at least that formats are suggested by in whose
// names it is: nearly all have an a.
const tellingLetters = 3

// NotFoundError says that no format has a name.
type NotFoundError struct {
	Name     string
	Searched []string // folders looked into beside the built-ins
	Known    []string // built-in formats
	IsFile   bool     // a file has the name, by whose extension it is no spec
	IsFolder bool     // a folder has the name
}

func (e *NotFoundError) Error() string {
	msg := fmt.Sprintf("no format %q", e.Name)
	if e.IsFile {
		return msg + ", which is a file: the name of a spec ends in .dfp, that of a compiled one in .dfac"
	}
	if e.IsFolder {
		return fmt.Sprintf("%s, which is a folder: its specs are named one by one, as %s/*.dfp does", msg, strings.TrimRight(e.Name, `/\`))
	}
	if kind, _, ok := strings.Cut(e.Name, ":"); ok {
		if k := near.Word(kind, importer.Names()); k != "" { // -f gork:%{IP:client}
			return fmt.Sprintf("%s; did you mean \"%s:…\"?", msg, k)
		}
	}
	meant := slices.DeleteFunc(slices.Clone(e.Known), func(k string) bool { return len(e.Name) < tellingLetters || !strings.Contains(k, e.Name) })
	if k := near.Word(e.Name, e.Known); k != "" {
		meant = []string{k}
	}
	if len(meant) > 0 {
		msg += `; did you mean "` + strings.Join(meant, `" or "`) + `"?`
	}
	msg += fmt.Sprintf(" (of the %d built-in formats, which \"dfaparse formats\" lists)", len(e.Known))
	if len(e.Searched) > 0 {
		msg += fmt.Sprintf("; no %s%s in %s either", e.Name, ext, strings.Join(e.Searched, ", "))
	}
	return msg
}
