package docs_test

import (
	"go/ast"
	"go/parser"
	"path/filepath"
	"strings"
	"testing"
)

// TestOptionsAreInTheManual: embedding.md names every option, in its table or in the
// text: those of the root package by their names, those of package runtime that
// the root package does not have as runtime.NAME.
func TestOptionsAreInTheManual(t *testing.T) {
	manual := read(t, "docs/embedding.md")
	ours := optionsOf(t, ".")
	for name := range ours {
		if !strings.Contains(manual, "`"+name+"(") && !strings.Contains(manual, "`"+name+"`") {
			t.Errorf("docs/embedding.md does not have %s", name)
		}
	}
	for name := range optionsOf(t, "runtime") {
		if !ours[name] && !strings.Contains(manual, "runtime."+name) && !strings.Contains(manual, "`"+name+"(") {
			t.Errorf("docs/embedding.md does not have runtime.%s", name)
		}
	}
}

// optionsOf are the names of the functions of a package that give an Option.
func optionsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, d := range parse(t, file, parser.SkipObjectResolution).Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil || len(f.Type.Results.List) != 1 {
				continue
			}
			if id, ok := f.Type.Results.List[0].Type.(*ast.Ident); ok && id.Name == "Option" {
				names[f.Name.Name] = true
			}
		}
	}
	if len(names) < 10 {
		t.Fatalf("only %d options in %s", len(names), dir)
	}
	return names
}
