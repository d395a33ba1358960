package lower

import (
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// BuildStride builds the automaton of records of n symbols each, with nothing between them: a state
// for each symbol. The last one is the boundary, though it is data. An input that
// ends within a record leaves a malformed one.
func BuildStride(n int) (*dfa.Automaton, error) {
	if n < 1 || n > dfa.MaxStride {
		return nil, fmt.Errorf("binary records of %d bytes, want 1 to %d", n, dfa.MaxStride)
	}
	b := dfa.NewBuilder()
	for i := range n {
		doc := "at the start of a record"
		if i > 0 {
			doc = fmt.Sprintf("after %d of the %d bytes of a record", i, n)
		}
		b.AddState(fmt.Sprintf("B%d", i), doc)
	}
	cut := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Code: b.Message("the last record is cut off")}
	for i := range n {
		s := dfa.StateID(i)
		if i == n-1 {
			b.On(s, dfa.All(), 0, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn})
		} else {
			b.On(s, dfa.All(), s+1, dfa.Emission{Kind: dfa.Data})
		}
		if i == 0 {
			b.EOF(s, dfa.Emission{Kind: dfa.Skip})
		} else {
			b.EOF(s, cut)
		}
	}
	return b.Build()
}
