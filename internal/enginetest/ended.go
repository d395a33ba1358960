package enginetest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// DrawEnded draws an automaton whose records a newline ends, in every state, and of which most
// states lead to one by most symbols: engines read records of such automata by what others looked like.
func DrawEnded(t *rapid.T) Machine {
	pick := func(most int, what string) int { return rapid.IntRange(0, most).Draw(t, what) }
	odds := func(n int, what string) bool { return pick(n-1, what) == 0 }
	const alphabet = "ab,\"# \n"
	b := dfa.NewBuilder()
	states := make([]dfa.StateID, 2+pick(9, "states")) // more than 8 are too many for some paths
	for i := range states {
		states[i] = b.AddState(fmt.Sprintf("S%d", i), "")
	}
	to := func() dfa.StateID { return states[1+pick(len(states)-2, "next")] } // in the first, nothing has been read
	wrong := dfa.Emission{Kind: dfa.Error, Code: b.Message("wrong")}
	inside := []dfa.Emission{skip, skip, field, field, field, lead, wrong, {Kind: dfa.Field, Column: 1}}
	ends := []dfa.Emission{record, record, record, record, record}
	ends[1].Record = dfa.DroppedRecord
	ends[2].Code = wrong.Code
	for _, s := range states {
		end := ends[max(pick(len(ends)+3, "end")-4, 0)]
		b.On(s, dfa.Bytes('\n'), states[0], end)
		if s != states[0] {
			b.EOF(s, end)
		}
		usual := states[min(max(int(s)+pick(1, "further"), 1), len(states)-1)]
		for _, symbol := range []byte(alphabet[:len(alphabet)-1]) {
			switch pick(5, "symbol") {
			case 0:
				b.On(s, dfa.Bytes(symbol), to(), data)
			case 1, 2:
				next := usual
				if odds(2, "elsewhere") {
					next = to()
				}
				b.On(s, dfa.Bytes(symbol), next, inside[pick(len(inside)-1, "inside")])
			}
		}
		b.Otherwise(s, usual, data)
	}
	b.EOF(states[0], skip)
	a := build(t, b)
	return Machine{"ended", a, alphabet, nil, ""}
}
