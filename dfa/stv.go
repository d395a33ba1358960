package dfa

// STV is a state-transition vector: STV[s] is the state that some symbols lead
// to from state s (ParPaRaw, section 3.1).
type STV []StateID

// Identity is the vector of no symbols, for an automaton of n states.
func Identity(n int) STV {
	v := make(STV, n)
	for s := range v {
		v[s] = StateID(s)
	}
	return v
}

// Vector is the state-transition vector of chunk.
func (a *Automaton) Vector(chunk []byte) STV {
	v := Identity(len(a.States))
	for _, symbol := range chunk {
		row := a.Row(a.Group[symbol])
		for s, t := range v {
			v[s] = row[t]
		}
	}
	return v
}

// Row is the transitions of one symbol group, by state: the vector of one
// symbol. It is a's own and read-only.
func (a *Automaton) Row(g GroupID) STV {
	n := len(a.States)
	return STV(a.Next[int(g)*n : (int(g)+1)*n])
}

// Compose sets dst to a∘b, the vector of a's symbols followed by b's:
// dst[s] = b[a[s]]. dst may be a, not b; all three have the same length.
// Composition is associative, so that vectors can be scanned.
//
//	a      1 0 1      0 goes to 1, 1 to 0, 2 to 1
//	b      2 2 0      0 goes to 2, 1 to 2, 2 to 0
//	a∘b    2 2 2      0 goes to 1, then to 2
func Compose(dst, a, b STV) {
	for s, t := range a {
		dst[s] = b[t]
	}
}
