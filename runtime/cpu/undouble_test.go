package cpu

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestUndoubleTwins compares the vector code with its twin in Go.
func TestUndoubleTwins(t *testing.T) { onEach(t, testUndoubleTwins) }

func testUndoubleTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 5000 {
		value := make([]byte, rng.IntN(300))
		rare := 1 + rng.IntN(40)
		for i := range value {
			if value[i] = 'a' + byte(rng.IntN(26)); rng.IntN(rare) == 0 {
				value[i] = '"'
			}
		}
		before := bytes.Repeat([]byte{'z'}, rng.IntN(3))
		got, want := appendUndoubled(bytes.Clone(before), value, '"'), appendUndoubledGeneric(bytes.Clone(before), value, '"')
		if !bytes.Equal(got, want) {
			t.Fatalf("%q: %q, in Go %q", value, got, want)
		}
		doubled := bytes.ReplaceAll(value, []byte{'"'}, []byte{'"', '"'})
		if got := appendUndoubled(nil, doubled, '"'); !bytes.Equal(got, value) {
			t.Fatalf("%q: %q", doubled, got)
		}
		got, want = appendWithout(bytes.Clone(before), value, '"'), append(before, bytes.ReplaceAll(value, []byte{'"'}, nil)...)
		if generic := appendWithoutGeneric(nil, value, '"'); !bytes.Equal(got, want) || !bytes.Equal(generic, want[len(before):]) {
			t.Fatalf("%q without: %q, in Go %q, want %q", value, got, generic, want)
		}
	}
}
