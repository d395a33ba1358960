package docs_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
)

// TestTypesAreInTheManual compiles every type in the table of docs/spec.md, and
// misses those kinds that are not in it, or that the compiler does not know.
func TestTypesAreInTheManual(t *testing.T) {
	arguments := map[string]string{"dec": "(8, 2)", "decimal": "(8, 2)", "enum": "(A)", "list": "(str)", "map": "(str)"}
	row := regexp.MustCompile("(?m)^\\| ((?:`[a-z][a-z0-9]*(?:\\([^`]*\\))?` ?)+)\\| ([^|]*)\\|")
	word := regexp.MustCompile("`([a-z0-9]+)")
	seen := map[dfa.TypeKind]bool{}
	section := regexp.MustCompile(`(?s)\n### Types\n(.*?)\n\| argument`).FindString(read(t, "docs/spec.md"))
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		for _, name := range word.FindAllStringSubmatch(m[1]+m[2], -1) {
			src := fmt.Sprintf("format x { delimited { sep '\\t' } fields { a %s%s } }", name[1], arguments[name[1]])
			spec, err := compile.Compile("types.dfp", []byte(src))
			if err != nil {
				t.Error(err)
				continue
			}
			seen[spec.Program.Columns[0].Type.Kind] = true
		}
	}
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		if !seen[k] {
			t.Errorf("docs/spec.md has no type for %s", k)
		}
	}
}
