package lower

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// Fields that are written bare, or in either quote, with what would mean something else
// escaped, or a quote doubled, are read as they were.
func TestQuotesOfTwoKindsAndEscapesEverywhere(t *testing.T) {
	a, _, err := BuildDelimited(&Delimited{Separators: []Separator{one(",")}, Quote: '"', Quotes: []byte{'\''}, Doubled: true,
		Escape: &Escape{Lead: '\\', Other: DropLead}, Everywhere: true})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var fields, written []string
		for range rapid.IntRange(1, 4).Draw(rt, "fields") {
			value := rapid.StringMatching(`[a"',\\\n ]{0,6}`).Draw(rt, "value")
			var b strings.Builder
			quote := rapid.SampledFrom([]string{"", `"`, "'"}).Draw(rt, "quote")
			b.WriteString(quote)
			for _, c := range value {
				switch s := string(c); {
				case s == "\\", quote == "" && s != "a" && s != " ":
					b.WriteString(`\` + s)
				case s == quote:
					b.WriteString(rapid.SampledFrom([]string{s, `\`}).Draw(rt, "escape") + s)
				default:
					b.WriteString(s)
				}
			}
			fields, written = append(fields, value), append(written, b.String()+quote)
		}
		in := strings.Join(written, ",") + "\n"
		if in == "\n" {
			return // a blank line
		}
		var got []string
		next := len(in)
		a.Walk([]byte(in), a.Start, func(r *dfa.RawRecord) bool {
			for _, f := range r.Fields {
				got = append(got, string(f.Value))
			}
			next = r.Next
			return false
		})
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", fields) || next != len(in) {
			rt.Fatalf("%q is read as %q to byte %d, was %q", in, got, next, fields)
		}
	})
}
