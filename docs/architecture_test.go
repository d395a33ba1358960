package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/dfaparse/dfaparse/"

// outside are the modules that the import table calls by a short name.
var outside = map[string]string{
	"Arrow":       "github.com/apache/arrow/go/v17/",
	"Arrow v18":   "github.com/apache/arrow-go/v18/",
	"Beam":        "github.com/apache/beam/sdks/v2/",
	"cu":          "gorgonia.org/cu",
	"doublestar":  "github.com/bmatcuk/doublestar/v4",
	"fsnotify":    "github.com/fsnotify/fsnotify",
	"klauspost":   "github.com/klauspost/compress/",
	"lz4":         "github.com/pierrec/lz4/v4",
	"minio":       "github.com/minio/minio-go/v7/",
	"participle":  "github.com/alecthomas/participle/v2",
	"rapid":       "pgregory.net/rapid",
	"hyperloglog": "github.com/axiomhq/hyperloglog",
	"uniseg":      "github.com/rivo/uniseg",
	"xxh3":        "github.com/zeebo/xxh3",
	"xz":          "github.com/ulikunitz/xz",
	"x/oauth2":    "golang.org/x/oauth2",
	"x/sys":       "golang.org/x/sys/",
	"x/text":      "golang.org/x/text/",
}

// packages are the folders of the module, and of the modules arrow18 and beam, with Go files
// that are no tests, and these files. Generators are modules that nobody imports.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || file != root && strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && d.Name() == "asm" {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			dir, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				return err
			}
			dir = filepath.ToSlash(dir)
			found[dir] = append(found[dir], file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// parse is the syntax of a file.
func parse(t *testing.T, file string, mode parser.Mode) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, mode)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestImports holds every package to the import table of architecture.md.
func TestImports(t *testing.T) {
	allowed := map[string][]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]* \\| ([^|]*) \\| [^|]+ \\|$").FindAllStringSubmatch(read(t, "docs/architecture.md"), -1) {
		allowed[m[1]] = strings.Split(strings.ReplaceAll(m[2], "`", ""), ", ")
	}
	if len(allowed) < 10 {
		t.Fatalf("the import table has %d rows", len(allowed))
	}
	for dir, files := range packages(t) {
		row := dir // or the row of a folder above
		for allowed[row] == nil && row != "." {
			row = path.Dir(row)
		}
		may := allowed[row]
		if may == nil || row == "." && dir != "." { // the row of the root is the root's alone
			t.Errorf("package %s is not in the import table", dir)
			continue
		}
		if slices.Contains(may, "anything") {
			continue
		}
		for _, file := range files {
			for _, spec := range parse(t, file, parser.ImportsOnly).Imports {
				if to := strings.Trim(spec.Path.Value, `"`); !permitted(to, may) {
					t.Errorf("%s imports %s; the table allows %s", file, to, strings.Join(may, ", "))
				}
			}
		}
	}
}

func permitted(to string, may []string) bool {
	if first, _, _ := strings.Cut(to, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	for _, name := range may {
		if to == module+name || name == "the root" && to+"/" == module || outside[name] != "" && strings.HasPrefix(to, outside[name]) {
			return true
		}
	}
	return false
}

// TestExports looks up every function, method and type that architecture.md
// lists.
func TestExports(t *testing.T) {
	byName := map[string]map[string]bool{} // by name of the package
	for _, files := range packages(t) {
		for _, file := range files {
			f := parse(t, file, parser.SkipObjectResolution)
			if byName[f.Name.Name] == nil {
				byName[f.Name.Name] = map[string]bool{}
			}
			for _, d := range f.Decls {
				declare(byName[f.Name.Name], d)
			}
		}
	}
	listed := regexp.MustCompile(`^(?:func \(\*?(\w+)\) (\w+)|func (\w+)|type (\w+))`)
	n := 0
	for _, b := range blocks(t, "go") {
		if b.file != "docs/architecture.md" {
			continue
		}
		pkg := ""
		for line := range strings.Lines(b.text) {
			line = strings.TrimSpace(line)
			if name, ok := strings.CutPrefix(line, "package "); ok {
				pkg = name
			}
			m := listed.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			name := m[3] + m[4]
			if m[1] != "" {
				name = m[1] + "." + m[2]
			}
			if n++; !byName[pkg][name] {
				t.Errorf("docs/architecture.md lists %s.%s, which there is not", pkg, name)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d names are listed", n)
	}
}

// declare adds the names that a declaration declares.
func declare(names map[string]bool, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			recv := d.Recv.List[0].Type
			if star, ok := recv.(*ast.StarExpr); ok {
				recv = star.X
			}
			id, ok := recv.(*ast.Ident)
			if !ok {
				return
			}
			name = id.Name + "." + name
		}
		names[name] = true
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if ts, ok := s.(*ast.TypeSpec); ok {
				names[ts.Name.Name] = true
			}
		}
	}
}
