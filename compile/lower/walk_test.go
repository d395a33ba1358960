package lower

import (
	"fmt"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// show lays out the records of in as a test reads them: fields between bars,
// one record a line, "#" and the kind before those that are no data, "!" with
// offset and message after those that are malformed. A field of another column
// than the next is column=value, one of a class is value/class.
func show(a *dfa.Automaton, in string) string {
	var out strings.Builder
	a.Walk([]byte(in), a.Start, func(r *dfa.RawRecord) bool {
		if r.Kind != dfa.DataRecord {
			fmt.Fprintf(&out, "#%d ", r.Kind)
		}
		if r.Code != 0 {
			fmt.Fprintf(&out, "! %d %s\n", r.Offset, a.Message(r.Code))
			return true
		}
		if r.Kind != dfa.DataRecord {
			fmt.Fprintf(&out, "%q\n", in[r.Start:r.End])
			return true
		}
		next := 0
		for i, f := range r.Fields {
			if i > 0 {
				out.WriteByte('|')
			}
			if f.Column != next {
				fmt.Fprintf(&out, "%d=", f.Column)
			}
			next = f.Column + 1
			out.WriteString(visible(string(f.Value)))
			if f.Class != 0 {
				fmt.Fprintf(&out, "/%d", f.Class)
			}
		}
		out.WriteByte('\n')
		return true
	})
	return out.String()
}

// visible writes control symbols as Go does.
func visible(s string) string {
	q := fmt.Sprintf("%q", s)
	return strings.ReplaceAll(strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`), `\\`, `\`)
}
