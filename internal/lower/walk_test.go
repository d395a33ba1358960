package lower

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

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

// restarts checks that reading can begin again at every record: that what
// follows a record, read alone from the state that is left there, gives the
// same records.
func restarts(t *testing.T, a *dfa.Automaton, in string) {
	t.Helper()
	records := func(from int, s dfa.StateID) (out []dfa.RawRecord) {
		a.Walk([]byte(in[from:]), s, func(r *dfa.RawRecord) bool {
			moved := *r
			moved.Start, moved.End, moved.Next, moved.Offset, moved.At = r.Start+from, r.End+from, r.Next+from, r.Offset+from, r.At+from
			if r.Code == 0 {
				moved.Offset, moved.At = 0, 0
			}
			moved.Fields = nil
			for _, f := range r.Fields {
				f.Start, f.End = f.Start+from, f.End+from
				moved.Fields = append(moved.Fields, f)
			}
			out = append(out, moved)
			return true
		})
		return out
	}
	whole := records(0, a.Start)
	state, n := a.Start, 0
	for p := range len(in) {
		next, e := a.Step(state, in[p])
		state = next
		if e.Kind != dfa.Record {
			continue
		}
		n++
		if rest := records(e.After(p), a.Resume(e, next)); !reflect.DeepEqual(rest, append([]dfa.RawRecord(nil), whole[n:]...)) {
			t.Errorf("%q: from record %d on\n got %v\nwant %v", in, n, rest, whole[n:])
		}
	}
}
