package docs_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestDependencies holds docs/dependencies.md to the modules that every go.mod
// with a section there requires directly, in the same order, each with a reason.
func TestDependencies(t *testing.T) {
	sections := regexp.MustCompile("(?m)^## `([^`]*go\\.mod)`$").FindAllStringSubmatchIndex(read(t, "docs/dependencies.md"), -1)
	if len(sections) != 4 {
		t.Fatalf("docs/dependencies.md has %d sections that name a go.mod", len(sections))
	}
	for _, at := range sections {
		doc := read(t, "docs/dependencies.md")
		file, section := doc[at[2]:at[3]], doc[at[1]:]
		if end := strings.Index(section, "\n## "); end >= 0 {
			section = section[:end]
		}
		var want []string
		for line := range strings.Lines(read(t, file)) {
			if m := regexp.MustCompile(`^(?:require)?\s+(\S+\.\S+/\S+) v\S+\s*$`).FindStringSubmatch(line); m != nil {
				want = append(want, m[1])
			}
		}
		var got []string
		for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+\\.[^`]+/[^`]+)` \\| (.*) \\|$").FindAllStringSubmatch(section, -1) {
			got = append(got, m[1])
			if len(m[2]) < 20 {
				t.Errorf("%s: %s: no reason", file, m[1])
			}
		}
		if len(want) == 0 || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("docs/dependencies.md lists\n%s\n%s requires\n%s", strings.Join(got, "\n"), file, strings.Join(want, "\n"))
		}
	}
}

// TestDependenciesOfTheLibrary holds the sentence about the root package to what it
// imports.
func TestDependenciesOfTheLibrary(t *testing.T) {
	list := exec.Command("go", "list", "-deps", ".")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	doc := read(t, "docs/dependencies.md")
	_, said, ok := strings.Cut(doc, "\nA program that imports the root package gets ")
	said, _, end := strings.Cut(said, " of these")
	if !ok || !end {
		t.Fatal("docs/dependencies.md does not say what the root package brings along")
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+\\.[^`]+/[^`]+)` \\| ").FindAllStringSubmatch(doc, -1) {
		if strings.HasPrefix(m[1], "github.com/dfaparse/") {
			continue
		}
		imported := regexp.MustCompile("(?m)^" + regexp.QuoteMeta(m[1]) + "(/|$)").Match(out)
		if listed := strings.Contains(said, "`"+m[1]+"`"); listed != imported {
			t.Errorf("%s: imported by the root package %v, said to be %v", m[1], imported, listed)
		}
	}
}
