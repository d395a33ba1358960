package docs_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
)

// TestTypesAreInTheManual compiles every type in the table of docs/spec.md by all its
// names there, and misses those that are in the type table and not in the manual.
func TestTypesAreInTheManual(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| ((?:`[a-z][a-z0-9]*(?:\\([^`]*\\))?` ?)+)\\| ([^|]*)\\|")
	word := regexp.MustCompile("`([a-z0-9]+)")
	usual := map[string]bool{}
	section := regexp.MustCompile(`(?s)\n### Types\n(.*?)\n\| argument`).FindString(read(t, "docs/spec.md"))
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		for _, name := range word.FindAllStringSubmatch(m[1], -1) {
			usual[name[1]] = true
		}
		for _, name := range word.FindAllStringSubmatch(m[1]+m[2], -1) {
			kind, ok := dfa.KindOf(name[1])
			if !ok {
				t.Errorf("docs/spec.md: there is no type %s", name[1])
				continue
			}
			facts := dfa.WordsOf(kind)
			for _, e := range facts.Examples {
				src := fmt.Sprintf("format x { delimited { sep '\\t' } fields { a %s } }", name[1]+strings.TrimPrefix(e.Type, facts.Name))
				if _, err := compile.Compile("types.dfp", []byte(src)); err != nil {
					t.Error(err)
				}
			}
		}
	}
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		if name := dfa.WordsOf(k).Name; !usual[name] {
			t.Errorf("type %s: no row %q in the table of types in docs/spec.md", k, name)
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
