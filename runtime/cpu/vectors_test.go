package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
)

// TestVectors: a chunk's vector is what each state comes to, whether vectors are kept or not.
func TestVectors(t *testing.T) {
	defer func(from, most int) { vectorsFrom, mostVectors = from, most }(vectorsFrom, mostVectors)
	rng := rand.New(rand.NewPCG(41, 42))
	programs := []*dfa.Program{bracketedProgram(t, "json")}
	for _, f := range laneFormats {
		s, err := compile.Compile("f.dfp", []byte(f.spec))
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, s.Program)
	}
	for _, p := range programs {
		a, c := p.Automaton, newMachine(p).contexts()
		c.monoid, c.sync = nil, nil
		for range 100 {
			chunk := make([]byte, rng.IntN(600))
			several := 1 + rng.IntN(12)
			for i := range chunk {
				chunk[i] = "\\\"{}[]\n|x,:a"[rng.IntN(several)]
			}
			want := make([]dfa.StateID, len(a.States))
			for state := range want {
				want[state] = dfa.StateID(state)
				for _, symbol := range chunk {
					want[state], _ = a.Step(want[state], symbol)
				}
			}
			for _, vectorsFrom = range []int{0, 1, 100, stripSize} {
				for _, mostVectors = range []int{1, 2, 20, 1 << 12} {
					if got := c.vector(chunk, nil); !slices.Equal(got, want) {
						t.Fatalf("%q from %d, %d vectors: %v, want %v", chunk, vectorsFrom, mostVectors, got, want)
					}
				}
			}
		}
	}
}
