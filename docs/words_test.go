package docs_test

import (
	"go/ast"
	"go/parser"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// home is where a word of the glossary lives.
var home = regexp.MustCompile(`\(([a-z0-9/]+)\.([A-Za-z]+)\)`)

// onDevice are the packages that have what is in package dfa as it is on a GPU.
var onDevice = []string{"kernels", "runtime/gpu"}

// TestWords: what the glossary in dfa/doc.go calls by a word is there, and nowhere
// else is a type of that name, in any case and number: it would be a second meaning.
func TestWords(t *testing.T) {
	declared := map[string][]string{} // by name in lower case: the packages
	exact := map[string]bool{}
	for dir, files := range packages(t) {
		for _, file := range files {
			for _, d := range parse(t, file, parser.SkipObjectResolution).Decls {
				decl, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range decl.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						name := strings.ToLower(s.Name.Name)
						exact[dir+"."+s.Name.Name] = true
						if !slices.Contains(declared[name], dir) {
							declared[name] = append(declared[name], dir)
						}
					}
				}
			}
		}
	}
	words := parse(t, filepath.Join(root, "dfa", "doc.go"), parser.ParseComments|parser.PackageClauseOnly).Doc.Text()
	homes := map[string][]string{}
	for line := range strings.Lines(words) {
		for _, h := range home.FindAllStringSubmatch(line, -1) {
			if dir, name := h[1], h[2]; !exact[dir+"."+name] {
				t.Errorf("the glossary has %s.%s, which is not there", dir, name)
			} else {
				word := strings.ToLower(name)
				homes[word] = append(homes[word], dir)
			}
		}
	}
	if len(homes) < 10 {
		t.Fatalf("the glossary has %d words with a place; it is not what this test takes it for", len(homes))
	}
	for word, dirs := range homes {
		for _, name := range []string{word, word + "s"} {
			for _, dir := range declared[name] {
				if copied := slices.Contains(dirs, "dfa") && slices.Contains(onDevice, dir); !copied && !slices.Contains(dirs, dir) {
					t.Errorf("%s has a type %s, which is a word of %s: see dfa/doc.go", dir, name, strings.Join(dirs, " and "))
				}
			}
		}
	}
}
