package reference

import "github.com/dfaparse/dfaparse/dfa"

// Contexts is the stage context: the state in which each chunk of data really
// begins, if the first begins in start (ParPaRaw, section 3.1). No chunk looks
// at another one's symbols: every chunk is read from every state at once, which
// gives its state-transition vector (figure 2); an exclusive scan under
// composition, seeded with the identity, gives the vector of all that lies
// before each chunk; and entry start of that is the context.
//
// The result has one state a chunk.
func Contexts(g Grid, a *dfa.Automaton, data []byte, start dfa.StateID) []dfa.StateID {
	n := g.Chunks(len(data))
	if n == 1 { // nothing lies before it
		return []dfa.StateID{start}
	}
	vectors := make([]dfa.STV, n)
	g.Each(n, func(i int) {
		from, to := g.Bounds(i, len(data))
		vectors[i] = a.Vector(data[from:to])
	})
	before, _ := ExclusiveScan(vectors, dfa.Identity(a.NStates()), compose)
	contexts := make([]dfa.StateID, n)
	g.Each(n, func(i int) { contexts[i] = before[i][start] })
	return contexts
}

// compose is a∘b as a vector of its own.
func compose(a, b dfa.STV) dfa.STV {
	ab := make(dfa.STV, len(a))
	dfa.Compose(ab, a, b)
	return ab
}
