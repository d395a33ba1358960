package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/internal/golden"
)

// width is how long a line of prose may be. Tables, headings, code and what
// stands between the comments that mark generated text may be longer.
const width = 120

// unwrapped are documents that are not held to it: they are written by programs,
// or seen as they are on the first page of the project.
var unwrapped = []string{"README.md", "CHANGELOG.md", "docs/benchmarks.md", "docs/peers.md", "docs/formats-speed.md", "docs/rows.md"}

// TestProseWraps finds paragraphs with long lines; with -update it wraps them.
func TestProseWraps(t *testing.T) {
	for _, file := range documents(t) {
		if slices.Contains(unwrapped, file) {
			continue
		}
		text := read(t, file)
		wrapped := wrap(text)
		if words(text) != words(wrapped) {
			t.Fatalf("%s: wrapping changes words", file)
		}
		switch {
		case wrapped == text:
		case *golden.Update:
			if err := os.WriteFile(filepath.Join(root, file), []byte(wrapped), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			old, now := strings.Split(text, "\n"), strings.Split(wrapped, "\n")
			at := 0
			for old[at] == now[at] {
				at++
			}
			t.Errorf("%s:%d: a line of this paragraph is longer than %d; go test ./docs -update wraps it", file, at+1, width)
		}
	}
}

func words(text string) string { return strings.Join(strings.Fields(text), " ") }

var (
	listItem  = regexp.MustCompile(`^ *(?:[-*] |\d+\. )`)
	verbatim  = regexp.MustCompile(`^(?:#|\||    )`)
	generated = regexp.MustCompile(`^<!-- [a-z]+: `)
	// A word is not broken where it is code, and does not begin a line where it
	// would begin something else than prose.
	word     = regexp.MustCompile("(?:`[^`]*`|[^\\s`])+")
	beginner = regexp.MustCompile(`^(?:[-+*=|>]+|#+|\d+[.)])$`)
)

// wrap wraps the paragraphs and items of lists that have a line longer than width.
func wrap(text string) string {
	lines := strings.Split(text, "\n")
	var out []string
	fenced, made := false, false
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case generated.MatchString(line):
			made = true
		case line == "<!-- end -->":
			made = false
		case fenced, made, line == "", strings.HasPrefix(line, "<!--"), verbatim.MatchString(line):
		default:
			end := i + 1
			for end < len(lines) && isMore(lines[end]) {
				end++
			}
			out = append(out, paragraph(lines[i:end])...)
			i = end
			continue
		}
		out = append(out, line)
		i++
	}
	return strings.Join(out, "\n")
}

// isMore reports whether a line goes on with the paragraph before it.
func isMore(line string) bool {
	trimmed := strings.TrimSpace(line)
	return trimmed != "" && !listItem.MatchString(line) && !strings.HasPrefix(trimmed, "```") &&
		!strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "<!--")
}

// paragraph wraps lines, if one of them is too long. What goes on with an item of a list
// is indented as its text is.
func paragraph(lines []string) []string {
	if !slices.ContainsFunc(lines, func(l string) bool { return utf8.RuneCountInString(l) > width }) {
		return lines
	}
	first := lines[0]
	marker := listItem.FindString(first)
	indent := strings.Repeat(" ", len(marker))
	if marker == "" {
		indent = first[:len(first)-len(strings.TrimLeft(first, " "))]
		marker = indent
	}
	all := word.FindAllString(strings.Join(lines, "\n")[len(marker):], -1)
	var out []string
	line, n := marker, utf8.RuneCountInString(marker)
	empty := true
	for i, w := range all {
		w = strings.ReplaceAll(w, "\n", " ")
		long := utf8.RuneCountInString(w)
		if next := i + 1; next < len(all) && beginner.MatchString(all[next]) {
			long += 1 + len(all[next])
		}
		if !empty && n+1+long > width && !beginner.MatchString(w) {
			out = append(out, line)
			line, n, empty = indent, len(indent), true
		}
		if !empty {
			line, n = line+" ", n+1
		}
		line, n, empty = line+w, n+utf8.RuneCountInString(w), false
	}
	return append(out, line)
}

// TestWrap wraps what must be wrapped and nothing else.
func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for _, c := range []struct{ in, want string }{
		{"short\nlines\nstay", "short\nlines\nstay"},
		{long + "end\nmore", strings.TrimSpace(strings.Repeat("word ", 24)) + "\n" + strings.Repeat("word ", 6) + "end more"},
		{"- " + long + "\n  more\n- item", "- " + strings.TrimSpace(strings.Repeat("word ", 23)) + "\n  " + strings.Repeat("word ", 7) + "more\n- item"},
		{"| " + long + " |", "| " + long + " |"},
		{"```\n" + long + "\n```", "```\n" + long + "\n```"},
		{"    " + long, "    " + long},
		{"# " + long, "# " + long},
		{"<!-- table: x -->\n" + long + "\n<!-- end -->", "<!-- table: x -->\n" + long + "\n<!-- end -->"},
		{strings.Repeat("x", 110) + " `code with spaces` end", strings.Repeat("x", 110) + "\n`code with spaces` end"},
		{strings.Repeat("x", 116) + " abc - def", strings.Repeat("x", 116) + "\nabc - def"},
	} {
		if got := wrap(c.in); got != c.want {
			t.Errorf("%q\nbecomes\n%q, want\n%q", c.in, got, c.want)
		}
	}
}
