package gen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// NestedSpec is a table that has no form of its own: brackets nest up to so deep, and
// strings, escapes and comments hide them.
func NestedSpec(depth int) []byte {
	var b bytes.Buffer
	b.WriteString("dfa nested {\n  group O='[' | C=']' | Q='\"' | E='\\\\' | S='#' | T='|' | N='\\n' | X=*\n")
	open := []string{}
	row := func(state string, d int, cells ...string) {
		fmt.Fprintf(&b, "  %s%d : %s\n", state, d, strings.Join(cells, " | "))
		if state != "P" || d > 0 {
			open = append(open, fmt.Sprintf("%s%d", state, d))
		}
	}
	for d := range depth {
		to := func(state string) string { return fmt.Sprintf("%s%d d", state, d) }
		deeper, back, field, record := fmt.Sprintf("P%d d", d+1), fmt.Sprintf("P%d d", d-1), to("P"), to("P")
		if d+1 == depth {
			deeper = `! "too deep"`
		}
		if d == 0 {
			back, field, record = `! "nothing to close"`, "P0 f", "A r"
		}
		p, q, s := to("P"), to("Q"), to("S")
		if d == 0 {
			fmt.Fprintf(&b, "  A : %s\n", strings.Join([]string{deeper, back, q, to("X"), s, field, record, p}, " | "))
		}
		row("P", d, deeper, back, q, to("X"), s, field, record, p)
		row("Q", d, q, q, p, to("Y"), q, q, q, q)
		row("S", d, s, s, s, s, p, s, s, s)
		row("X", d, p, p, p, p, p, p, p, p)
		row("Y", d, q, q, q, q, q, q, q, q)
	}
	fmt.Fprintf(&b, "  eof : A ok, P0 r, %s ! \"something is open\"\n}\n", strings.Join(open, "|"))
	b.WriteString("format nested {\n  dfa nested\n  fields { id u64  name str  tree str  weight f64 }\n" +
		"  test `1|a|[x [y \"]\" #]#] \\|]|2.5\n` => { id 1, name a, tree `[x [y \"]\" #]#] \\|]`, weight 2.5 }\n}\n")
	return b.Bytes()
}

// NestedLine appends a record of it, the i-th: brackets 3 deep on average.
func NestedLine(b []byte, i int, r *rand.Rand) []byte {
	names := [...]string{"alpha", "beta \\| gamma", `"quoted | name"`}
	b = fmt.Appendf(b, "%d|%s %d|", i, names[r.IntN(len(names))], r.IntN(1000))
	var tree func(depth int)
	tree = func(depth int) {
		b = append(b, '[')
		for range 1 + r.IntN(3) {
			switch k := r.IntN(10); {
			case k < 4 && depth < 30:
				tree(depth + 1)
			case k == 4:
				b = append(b, `"a ] in a \" string"`...)
			case k == 5:
				b = append(b, "#a | comment [#"...)
			default:
				b = fmt.Appendf(b, "node%d", r.IntN(1e4))
			}
			b = append(b, ' ')
		}
		b = append(b, ']')
	}
	tree(1)
	return fmt.Appendf(b, "|%d.%02d\n", r.IntN(1000), r.IntN(100))
}
