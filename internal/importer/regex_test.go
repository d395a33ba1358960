package importer_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/internal/importer"
)

// TestRegexAsGo draws lines, and compares the fields with the groups that package regexp
// finds. A line is read if and only if the expression matches it.
func TestRegexAsGo(t *testing.T) {
	for _, c := range []struct{ expr, alphabet string }{
		{`^(?P<a>\d+) (?P<b>[a-z]*)$`, "12 ab"},
		{`^(?P<a>\d+)-(?:/(?P<b>x+)-)?(?P<c>\d*)$`, "1-x/"},
		{`^<(?P<a>[^>]*)> (?P<b>(?:ab|c)+)(?: \[(?P<c>[^\]]+)\])?: (?P<d>.*)$`, "<>abc: []"},
		{`^(?P<a>"(?:[^"\\]|\\.)*"),(?P<b>\S+)$`, `"\,aé`},
		{`^(?P<a>a{2,3})b?c(?P<b>(?:de?)*)$`, "abcde"},
		{`^\[(?P<a>[^]]*)\]\s+(?P<b>\w+)$`, "[] \ta1"},
		{`^(?P<a>[^=é]*)=(?P<b>[^é]*)é(?P<c>.+)$`, "=éxö"},
		{`^(?P<a>[^,]*),(?P<b>[^,]*),(?P<c>[^,]*)$`, ",xy"},
		{`^(?i:get) (?P<a>/[^ ?]*)(?:\?(?P<b>[^ ]*))? x$`, "gEt /?x"},
	} {
		made, err := importer.Import("regex", c.expr, importer.Options{})
		if err != nil {
			if strings.Contains(c.expr, "[^=é]") { // refused: a class with a part of what is beyond ASCII
				continue
			}
			t.Error(err)
			continue
		}
		re := regexp.MustCompile(c.expr)
		rnd := rand.New(rand.NewPCG(1, 2))
		alphabet := []rune(c.alphabet)
		var input strings.Builder
		var lines []string
		var want []map[string]any
		tree, err := syntax.Parse(c.expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			line := []rune(drawn(rnd, tree, alphabet))
			if len(line) > 0 && rnd.IntN(2) == 0 {
				line[rnd.IntN(len(line))] = alphabet[rnd.IntN(len(alphabet))]
			}
			if line := string(line); line != "" {
				lines = append(lines, line)
			}
		}
		for _, line := range lines {
			input.WriteString(line + "\n")
			m := re.FindStringSubmatchIndex(line)
			if m == nil {
				continue
			}
			row := map[string]any{}
			for i, name := range re.SubexpNames() {
				if name == "" {
					continue
				} else if m[2*i] < 0 {
					row[name] = nil
				} else {
					row[name] = line[m[2*i]:m[2*i+1]]
				}
			}
			want = append(want, row)
		}
		if len(want) < 20 {
			t.Errorf("%s: only %d lines match", c.expr, len(want))
		}
		r, err := dfaparse.OpenBytes(t.Context(), []byte(input.String()), dfaparse.Spec(string(made.Source)))
		if err != nil {
			t.Fatalf("%v\n%s", err, made.Source)
		}
		var out bytes.Buffer
		if _, err := dfaparse.Write(&out, dfaparse.JSONL, r); err != nil {
			t.Fatal(err)
		}
		r.Close()
		for i, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
			var got map[string]any
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
			w, _ := json.Marshal(at(want, i))
			if g, _ := json.Marshal(got); !bytes.Equal(g, w) {
				t.Errorf("%s: record %d of those that match\n got %s\nwant %s", c.expr, i, g, w)
				break
			}
		}
		if n := bytes.Count(out.Bytes(), []byte("\n")); n != len(want) {
			t.Errorf("%s: %d records are read, %d match", c.expr, n, len(want))
		}
	}
}

func at(rows []map[string]any, i int) map[string]any {
	if i < len(rows) {
		return rows[i]
	}
	return nil
}

// drawn is a text that re matches; of classes what is in the alphabet.
func drawn(rnd *rand.Rand, re *syntax.Regexp, alphabet []rune) string {
	repeat := func(least, most int) string {
		var b strings.Builder
		for range least + rnd.IntN(most-least+1) {
			b.WriteString(drawn(rnd, re.Sub[0], alphabet))
		}
		return b.String()
	}
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		for {
			c := alphabet[rnd.IntN(len(alphabet))]
			if re.Op != syntax.OpCharClass {
				return string(c)
			}
			for i := 0; i+1 < len(re.Rune); i += 2 {
				if re.Rune[i] <= c && c <= re.Rune[i+1] {
					return string(c)
				}
			}
		}
	case syntax.OpStar:
		return repeat(0, 3)
	case syntax.OpPlus:
		return repeat(1, 3)
	case syntax.OpQuest:
		return repeat(0, 1)
	case syntax.OpRepeat:
		return repeat(re.Min, max(re.Max, re.Min))
	case syntax.OpAlternate:
		return drawn(rnd, re.Sub[rnd.IntN(len(re.Sub))], alphabet)
	}
	var b strings.Builder
	for _, sub := range re.Sub {
		b.WriteString(drawn(rnd, sub, alphabet))
	}
	return b.String()
}
