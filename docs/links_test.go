package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	code    = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")
	written = map[string]bool{"docs/benchmarks.md": true} // by make bench
)

// TestLinks follows every link to a file of the module and to a heading.
func TestLinks(t *testing.T) {
	for _, file := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(read(t, file), ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			to := file
			if target != "" {
				to = path.Join(path.Dir(file), target)
			}
			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				if !written[to] {
					t.Errorf("%s: %s leads nowhere", file, m[1])
				}
				continue
			}
			if anchor != "" && !anchors(read(t, to))[anchor] {
				t.Errorf("%s: %s has no heading for #%s", file, to, anchor)
			}
		}
	}
}

// anchors are the names that headings have as targets of links.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		var name strings.Builder
		for _, c := range strings.ToLower(strings.TrimSpace(m[1])) {
			switch {
			case c == ' ':
				name.WriteByte('-')
			case c == '-' || c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
				name.WriteRune(c)
			}
		}
		found[name.String()] = true
	}
	return found
}
