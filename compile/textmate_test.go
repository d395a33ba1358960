package compile

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/golden"
)

// textMate is where the grammar for editors lies.
var textMate = filepath.Join("..", "editors", "dfp.tmLanguage.json")

// TestTextMate compares editors/dfp.tmLanguage.json with what the words of the
// language make it; with -update it is written.
func TestTextMate(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(textMateGrammar(t)); err != nil {
		t.Fatal(err)
	}
	if *golden.Update {
		if err := os.MkdirAll(filepath.Dir(textMate), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(textMate, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(textMate)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is not what the language is; go test ./compile -run TextMate -update writes it", textMate)
	}
}

// rule is a rule of a TextMate grammar.
type rule struct {
	Name     string `json:"name,omitempty"`
	Match    string `json:"match,omitempty"`
	Begin    string `json:"begin,omitempty"`
	End      string `json:"end,omitempty"`
	Include  string `json:"include,omitempty"`
	Patterns []rule `json:"patterns,omitempty"`
}

// textMateGrammar is made of the words in the grammar beside the nodes and in that of
// docs/spec.md, and of the table of types.
func textMateGrammar(t *testing.T) map[string]any {
	t.Helper()
	src, err := os.ReadFile("ast.go")
	if err != nil {
		t.Fatal(err)
	}
	keywords := map[string]bool{}
	for _, tag := range regexp.MustCompile("`parser:\"[^`]*`").FindAllString(string(src), -1) {
		for _, m := range regexp.MustCompile(`'([a-z][a-z_]*)'`).FindAllStringSubmatch(tag, -1) {
			keywords[m[1]] = true
		}
	}
	manual, err := os.ReadFile(filepath.Join("..", "docs", "spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, grammar, _ := strings.Cut(string(manual), "\n## Grammar\n") // has the words that are values of others
	for _, m := range regexp.MustCompile(`"([a-z][a-z_0-9]+)"`).FindAllStringSubmatch(grammar, -1) {
		keywords[m[1]] = true
	}
	types, arguments := map[string]bool{}, map[string]bool{}
	for k := range dfa.NTypeKinds {
		words := dfa.WordsOf(dfa.TypeKind(k))
		types[words.Name] = true
		for _, w := range words.Also {
			types[w] = true
		}
		for _, w := range words.Arguments {
			arguments[w] = true
		}
	}
	if len(keywords) < 30 || len(types) < 20 {
		t.Fatalf("%d keywords, %d types", len(keywords), len(types))
	}
	maps.DeleteFunc(arguments, func(w string, _ bool) bool { return keywords[w] || types[w] })
	words := func(set map[string]bool) string {
		return `\b(` + strings.Join(slices.Sorted(maps.Keys(set)), "|") + `)\b`
	}
	hole := rule{Name: "variable.parameter.hole.dfp", Match: `\{[^{}]*\}`}
	escaped := rule{Name: "constant.character.escape.dfp", Match: `\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)`}
	return map[string]any{
		"name":      "dfaparse spec",
		"scopeName": "source.dfp",
		"fileTypes": []string{"dfp"},
		"patterns": []rule{
			{Name: "comment.line.number-sign.dfp", Match: `#.*$`},
			{Name: "string.quoted.single.dfp", Match: `'([^'\\]|\\.[0-9A-Fa-f]*)'|'\\'`},
			{Name: "string.quoted.double.dfp", Begin: `"`, End: `"`, Patterns: []rule{escaped, hole}},
			{Name: "string.quoted.other.raw.dfp", Begin: "`", End: "`", Patterns: []rule{hole}},
			{Name: "keyword.control.dfp", Match: words(keywords)},
			{Name: "storage.type.dfp", Match: words(types)},
			{Name: "support.other.argument.dfp", Match: words(arguments)},
			{Name: "constant.numeric.dfp", Match: `\b[0-9]+(\.[0-9]+)?(B|KiB|MiB|GiB)?\b`},
			{Name: "keyword.operator.dfp", Match: `=>|\+=|[|!?+=]`},
		},
	}
}

// TestTextMateOnSpecs: with the rules tried in their order at each place, as editors do,
// every keyword that begins a line of an example in docs/spec.md is one, and comments and
// strings are whole.
func TestTextMateOnSpecs(t *testing.T) {
	rules := textMateGrammar(t)["patterns"].([]rule)
	for at, src := range manualExamples(t) {
		names := map[int]string{}
		for i := 0; i < len(src); {
			n := 1
			for _, r := range rules {
				expr := r.Match
				if expr == "" {
					expr = r.Begin + `(?s:([^` + r.Begin + `\\]|\\.)*)` + r.End
					if r.Begin == "`" {
						expr = "`[^`]*`"
					}
				}
				// Words begin at a boundary, which the text before tells.
				if wordBefore(src, i) && strings.HasPrefix(expr, `\b`) {
					continue
				}
				if m := regexp.MustCompile(`^(?m:` + expr + `)`).FindString(src[i:]); m != "" {
					names[i], n = r.Name, len(m)
					break
				}
			}
			i += n
		}
		toks, fault := scan(at, []byte(src))
		if fault != nil {
			t.Fatal(fault)
		}
		for _, tok := range toks {
			name, begins := names[tok.Pos.Offset], tok.Pos.Column == 1 || strings.TrimSpace(strings.Split(src, "\n")[tok.Pos.Line-1][:tok.Pos.Column-1]) == ""
			switch {
			case strings.ContainsAny(tok.Value[:1], "'\"`"):
				if !strings.HasPrefix(name, "string.") {
					t.Errorf("%s: %s is %q", tok.Pos, tok.Value, name)
				}
			case begins && slices.Contains([]string{"format", "record", "fields", "delimited", "test", "escape", "dfa"}, tok.Value):
				if name != "keyword.control.dfp" {
					t.Errorf("%s: %s is %q", tok.Pos, tok.Value, name)
				}
			}
		}
	}
}

func wordBefore(src string, i int) bool {
	return i > 0 && regexp.MustCompile(`\w`).MatchString(src[i-1:i])
}
