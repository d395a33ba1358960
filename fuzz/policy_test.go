package fuzz

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/dfaparse/dfaparse"

// unreachable says what must not be linked in with a package, however
// indirectly: what each may import itself is in docs/architecture.md.
var unreachable = []struct{ from, to, why string }{
	{"/dfa", ".", "an automaton is plain data that a program on any platform can hold: the standard library alone"},
	{"/kernels", ".", "sources and constants are read by builds that have nothing else"},
	{"/runtime", "/compile", "a saved Program runs without the parser of the spec language"},
	{"/runtime", "/formats", "no format is known to the runtime"},
	{"/runtime/cpu", "/compile", "the same, with an engine"},
	{"/runtime/reference", "/compile", "the same, with an engine"},
	{"/compile", "/runtime", "a spec is compiled without Arrow; its tests are run by who asks for it"},
	{"/compile", "github.com/apache/arrow", "the same"},
	{"/formats", "/runtime", "the same, for built-in specs"},
	{"/cmd/dfaparse", "gorgonia.org/cu", "it ends the process where there is no GPU, so it is linked in by the cuda tag alone"},
	{"/cmd/dfaparse", "pgregory.net/rapid", "tests stay out of the command"},
	{"/cmd/dfaparse", "/internal/enginetest", "tests stay out of the command"},
}

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath string
	Standard   bool
	Deps       []string
	CgoFiles   []string
}

func list(t *testing.T, args ...string) map[string]goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Standard,Deps,CgoFiles"}, args...)...)
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Skipf("no go command: %v", err)
	}
	found := map[string]goPackage{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); err == io.EOF {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		found[p.ImportPath] = p
	}
}

// TestReach holds the packages to unreachable, and the default build to Go
// alone.
func TestReach(t *testing.T) {
	all := list(t, "-deps", "./...")
	for _, rule := range unreachable {
		p, ok := all[module+rule.from]
		if !ok {
			continue // not there yet
		}
		for _, dep := range p.Deps {
			bad := dep == rule.to || strings.HasPrefix(dep, rule.to+"/") ||
				strings.HasPrefix(rule.to, "/") && (dep == module+rule.to || strings.HasPrefix(dep, module+rule.to+"/")) ||
				rule.to == "." && !all[dep].Standard
			if bad {
				t.Errorf("%s has %s in it: %s", p.ImportPath, dep, rule.why)
			}
		}
	}
	for _, dep := range all[module+"/cmd/dfaparse"].Deps {
		if p := all[dep]; !p.Standard && len(p.CgoFiles) > 0 {
			t.Errorf("%s uses cgo, and is in the command's default build", dep)
		}
	}
}

// TestPackageDocs: every package says what it is, in one file, in the form
// that go doc shows.
func TestPackageDocs(t *testing.T) {
	docs := map[string][]string{} // folder -> files with a package comment
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != ".."):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		if docs[dir] == nil {
			docs[dir] = []string{}
		}
		if f.Doc != nil && strings.TrimSpace(f.Doc.Text()) != "" {
			docs[dir] = append(docs[dir], path)
			first := "Package " + f.Name.Name + " "
			if f.Name.Name != "main" && !strings.HasPrefix(f.Doc.Text(), first) {
				t.Errorf("%s: the package comment does not begin with %q", path, first)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, files := range docs {
		if len(files) != 1 {
			slices.Sort(files)
			t.Errorf("%s: %d package comments, want one: %v", dir, len(files), files)
		}
	}
}
