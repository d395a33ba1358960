// Command platforms checks the types of all packages of the module, and of their tests, as each
// platform that it is given has them: OS/PROCESSOR. What they import is checked from its sources as
// well, without the bodies of functions. So nothing is compiled, which takes minutes for each.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	for _, platform := range os.Args[1:] {
		n, err := check(platform)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", platform, err)
			os.Exit(1)
		}
		fmt.Printf("%s: %d packages of the module\n", platform, n)
	}
}

// listed is what "go list" says of a package.
type listed struct {
	ImportPath, Dir   string
	GoFiles, CgoFiles []string
	ImportMap         map[string]string
	DepOnly           bool
	Module            *struct{ GoVersion string }
	Error             *struct{ Err string }
}

// check checks the packages of the module in the working folder, and counts them.
func check(platform string) (n int, err error) {
	system, processor, _ := strings.Cut(platform, "/")
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,CgoFiles,ImportMap,DepOnly,Module,Error", "./...")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := list.Start(); err != nil {
		return 0, err
	}
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	for all := json.NewDecoder(out); ; { // what is imported comes before who imports it
		var p listed
		if err := all.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return 0, err
		}
		if p.Error != nil {
			return 0, errors.New(p.Error.Err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the latter is generated
			continue
		}
		if known[p.ImportPath], err = typed(&p, processor, known); err != nil {
			return 0, err
		}
		if !p.DepOnly {
			n++
		}
	}
	return n, list.Wait()
}

// typed checks a package whose imports are known.
func typed(p *listed, processor string, known map[string]*types.Package) (*types.Package, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	var faults []error
	conf := types.Config{
		IgnoreFuncBodies: p.DepOnly,
		Sizes:            types.SizesFor("gc", processor),
		Error:            func(err error) { faults = append(faults, err) },
		Importer: importer(func(path string) (*types.Package, error) {
			if to, ok := p.ImportMap[path]; ok {
				path = to
			}
			if known[path] == nil {
				return nil, fmt.Errorf("%s is not listed", path)
			}
			return known[path], nil
		}),
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ") // "a/b [a/b.test]" is a/b as its tests have it
	pkg, _ := conf.Check(path, fset, files, nil)
	return pkg, errors.Join(faults...)
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
