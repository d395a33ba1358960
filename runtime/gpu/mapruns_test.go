//go:build cuda

package gpu

import (
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// TestMapRuns: a symbol that no comparison is true of is data where a run may begin, and leads to where the next one
// does; and maps of generated files have runs.
func TestMapRuns(t *testing.T) {
	for _, kind := range []string{"auditd", "syslog_rfc5424", "logfmt"} {
		spec, err := gen.Spec(kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range spec.Program.Columns {
			if c.Type.Kind != dfa.Map {
				continue
			}
			a := c.Type.Lex
			x := runsOf(a)
			runs := 0
			for s, next := range x.next[:a.NStates()] {
				if next == oneByOne {
					continue
				}
				runs++
				for symbol := range 256 {
					stepped := false
					for i := range x.mask {
						stepped = stepped || uint8(symbol)|uint8(x.mask[i]) == uint8(x.value[i])
					}
					to, e := a.Step(dfa.StateID(s), byte(symbol))
					if !stepped && (e.Kind != dfa.Data || e.Coded() || to != dfa.StateID(next)) {
						t.Errorf("%s: in state %d symbol %q leads to %d, not to %d, or is no data", kind, s, byte(symbol), to, next)
					}
				}
				if x.next[next] != next {
					t.Errorf("%s: from state %d a run leads to %d, and does not stay there", kind, s, next)
				}
			}
			t.Logf("%s: %d states, runs lead to %v, symbols %x are %x", kind, a.NStates(), x.next[:a.NStates()], x.mask, x.value)
			if runs < 3 {
				t.Errorf("%s: runs in %d of %d states", kind, runs, a.NStates())
			}
		}
	}
}
