package docs_test

import (
	"fmt"
	"regexp"
	"slices"
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

// TestModesAreInTheManual: the row of each option in docs/spec.md names what it
// may be, and so does the grammar.
func TestModesAreInTheManual(t *testing.T) {
	manual := read(t, "docs/spec.md")
	for option, names := range map[string][]string{"on_error": namesOf(dfa.ErrorModes()), "utf8": namesOf(dfa.UTF8Policies())} {
		row := regexp.MustCompile("(?m)^\\| `" + option + "` \\| (.*?) \\| ").FindStringSubmatch(manual)
		rule := regexp.MustCompile(`"` + option + `" \( (.*?) \)`).FindStringSubmatch(manual)
		if row == nil || rule == nil {
			t.Errorf("docs/spec.md has no row of %s, or no rule", option)
			continue
		}
		inRow := regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(row[1], -1)
		inRule := regexp.MustCompile(`"([a-z]+)"`).FindAllStringSubmatch(rule[1], -1)
		for where, found := range map[string][][]string{"row": inRow, "rule": inRule} {
			var words []string
			for _, m := range found {
				words = append(words, m[1])
			}
			slices.Sort(words)
			want := slices.Sorted(slices.Values(names))
			if !slices.Equal(words, want) {
				t.Errorf("the %s of %s in docs/spec.md has %q, want %q", where, option, words, want)
			}
		}
	}
}

func namesOf[T fmt.Stringer](all []T) (names []string) {
	for _, v := range all {
		names = append(names, v.String())
	}
	return names
}
