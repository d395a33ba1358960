package dfa

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestVectorOfConcatenation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAutomaton(t)
		x, y := drawInput(t, 10), drawInput(t, 10)
		got := make(STV, a.NStates())
		Compose(got, a.Vector(x), a.Vector(y))
		if want := a.Vector(slices.Concat(x, y)); !slices.Equal(got, want) {
			t.Fatalf("composed %v, want %v", got, want)
		}
		s := a.Start
		for _, b := range x {
			s, _ = a.Step(s, b)
		}
		if got := a.Vector(x)[a.Start]; got != s {
			t.Fatalf("vector gives state %d, steps give %d", got, s)
		}
	})
}

func TestComposeIsAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "states")
		draw := func() STV {
			v := make(STV, n)
			for s := range v {
				v[s] = StateID(rapid.IntRange(0, n-1).Draw(t, "state"))
			}
			return v
		}
		a, b, c := draw(), draw(), draw()
		left, right, id := make(STV, n), make(STV, n), make(STV, n)
		Compose(left, a, b)
		Compose(left, left, c)
		Compose(right, b, c)
		Compose(right, a, slices.Clone(right))
		if !slices.Equal(left, right) {
			t.Fatalf("(a∘b)∘c = %v, a∘(b∘c) = %v", left, right)
		}
		Compose(id, Identity(n), a)
		if !slices.Equal(id, a) {
			t.Fatalf("identity∘a = %v, a = %v", id, a)
		}
	})
}
