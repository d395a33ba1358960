package dfa

import "fmt"

// Parity is the two-element form that quoting by doubled quotes has: whether a
// chunk begins inside or outside quotes is the number of Toggle symbols before
// it, modulo 2, which is a prefix XOR of bit masks.
//
// It guarantees, for every input read from Start up to and including the first
// Error emission: before each symbol, the state s has Class[s] equal to the
// parity of the Toggle symbols read so far. Beyond an error it guarantees
// nothing. An engine therefore runs by parity and looks at the transitions
// that it reads off for errors; the earliest one is a real one, and from there
// on it has to run by another path.
type Parity struct {
	Toggle GroupID // every symbol of it toggles, others leave
	Class  []uint8 // per state: 0 outside, 1 inside; NoClass if only an error leads there
	// After[class*groups+g] is the state after a symbol of group g that was
	// read without an error, where class is the parity with that symbol; NoState
	// if there is no such transition. nil if the parity and the last symbol do
	// not determine the state.
	After []StateID
}

// NoClass is the class of a state that no valid input leads to.
const NoClass = uint8(2)

func (p *Parity) String() string {
	if p == nil {
		return "none"
	}
	s := fmt.Sprintf("group %d toggles, up to the first error", p.Toggle)
	if p.After != nil {
		s += "; with the last symbol it gives the state"
	}
	return s
}

// toggles is a set of groups, as a vector over GF(2).
type toggles [4]uint64

func (t *toggles) xor(u toggles) {
	for i := range t {
		t[i] ^= u[i]
	}
}

func (t *toggles) has(g int) bool { return t[g>>6]>>(g&63)&1 == 1 }

// findParity finds a group that can be the only one to toggle. For each state,
// path is the groups read an odd number of times on one way to it from Start.
// A transition from s to t by g that is not an error closes a cycle, which has
// to leave every class as it is: the sum path(s)+g+path(t) may not contain the
// toggling group.
func findParity(a *Automaton) *Parity {
	n := len(a.States)
	path := make([]toggles, n)
	seen := make([]bool, n)
	seen[a.Start] = true
	queue := []StateID{a.Start}
	var broken toggles // the groups that some cycle contains an odd number of times
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for g := range a.NGroups {
			i := g*n + int(s)
			if a.Emissions[a.Emit[i]].Kind == Error {
				continue
			}
			to, t := path[s], a.Next[i]
			to[g>>6] ^= 1 << (g & 63)
			if !seen[t] {
				seen[t], path[t] = true, to
				queue = append(queue, t)
				continue
			}
			to.xor(path[t])
			for k := range broken {
				broken[k] |= to[k]
			}
		}
	}
	for g := range a.NGroups {
		if broken.has(g) {
			continue
		}
		p := &Parity{Toggle: GroupID(g), Class: make([]uint8, n)}
		inside := 0
		for s := range n {
			switch {
			case !seen[s]:
				p.Class[s] = NoClass
			case path[s].has(g):
				p.Class[s] = 1
				inside++
			}
		}
		if inside > 0 {
			p.After = parityAfter(a, p)
			return p
		}
	}
	return nil
}

// parityAfter gives the state that each class and last symbol determine, nil
// if one of them leaves more than one possible.
func parityAfter(a *Automaton, p *Parity) []StateID {
	n := len(a.States)
	after := make([]StateID, 2*a.NGroups)
	for i := range after {
		after[i] = NoState
	}
	for i, t := range a.Next {
		g, s := i/n, i%n
		if p.Class[s] == NoClass || a.Emissions[a.Emit[i]].Kind == Error {
			continue
		}
		at := &after[int(p.Class[t])*a.NGroups+g]
		if *at != NoState && *at != t {
			return nil
		}
		*at = t
	}
	return after
}
