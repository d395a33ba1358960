package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestDependencies holds docs/dependencies.md to the modules that go.mod
// requires directly, in the same order, each with a reason.
func TestDependencies(t *testing.T) {
	var want []string
	for line := range strings.Lines(read(t, "go.mod")) {
		if m := regexp.MustCompile(`^(?:require)?\s+(\S+\.\S+/\S+) v\S+\s*$`).FindStringSubmatch(line); m != nil {
			want = append(want, m[1])
		}
	}
	var got []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+\\.[^`]+/[^`]+)` \\| (.*) \\|$").FindAllStringSubmatch(read(t, "docs/dependencies.md"), -1) {
		got = append(got, m[1])
		if len(m[2]) < 20 {
			t.Errorf("%s: no reason", m[1])
		}
	}
	if len(want) == 0 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("docs/dependencies.md lists\n%s\ngo.mod requires\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
