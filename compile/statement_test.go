package compile

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestFirstWords: keywords come from the grammar beside the fields.
func TestFirstWords(t *testing.T) {
	for _, words := range [][]string{definitionWords, itemWords, delimitedWords} {
		for i, w := range words {
			if !isWord(w) || slices.Contains(words[:i], w) {
				t.Errorf("word %d of %v is %q", i, words, w)
			}
		}
	}
	for _, w := range linesWords {
		if !slices.Contains(delimitedWords, w) {
			t.Errorf("lines has %s, delimited has not", w)
		}
	}
}

// TestEveryStatement: each statement, and each option of delimited, is in an example of
// docs/spec.md, which other tests compile, print and parse again, in the grammar
// there, and can be built from Go.
func TestEveryStatement(t *testing.T) {
	written := map[reflect.Type]bool{}
	for at, src := range manualExamples(t) {
		f, err := Parse(at, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		nodesOf(reflect.ValueOf(f), written)
	}
	file, err := parser.ParseFile(gotoken.NewFileSet(), "builder.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	built := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CompositeLit); ok {
			if name, ok := c.Type.(*ast.Ident); ok {
				built[name.Name] = true
			}
		}
		return true
	})
	var nodes []any
	for _, n := range items {
		nodes = append(nodes, n)
	}
	for _, n := range delimitedOptions {
		nodes = append(nodes, n)
	}
	src, err := os.ReadFile(filepath.Join("..", "docs", "spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, grammar, _ := strings.Cut(string(src), "\n## Grammar\n")
	for _, n := range nodes {
		kind := reflect.TypeOf(n)
		if word := firstWords([]any{n})[0]; !strings.Contains(grammar, `"`+word+`"`) {
			t.Errorf("the grammar in docs/spec.md does not have %q", word)
		}
		if !written[kind] {
			t.Errorf("docs/spec.md has no example with %s (%v)", firstWords([]any{n})[0], kind)
		}
		if !built[kind.Elem().Name()] {
			t.Errorf("builder.go makes no %v", kind)
		}
	}
}

// nodesOf adds the types of all nodes of a tree.
func nodesOf(v reflect.Value, found map[reflect.Type]bool) {
	switch v.Kind() {
	case reflect.Interface:
		nodesOf(v.Elem(), found)
	case reflect.Pointer:
		if !v.IsNil() {
			found[v.Type()] = true
			nodesOf(v.Elem(), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			nodesOf(v.Field(i), found)
		}
	case reflect.Slice:
		for i := range v.Len() {
			nodesOf(v.Index(i), found)
		}
	}
}
