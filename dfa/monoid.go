package dfa

import "fmt"

// ElementID numbers the elements of a Monoid; 0 is the identity.
type ElementID uint16

// Monoid is the transition monoid of an automaton: every distinct
// state-transition vector that an input can have. Where it is small, the
// context of a chunk is one number, and a scan composes numbers.
type Monoid struct {
	NStates  int
	Elements []STV       // by ElementID, in the order of their shortest words
	Of       []ElementID // per group: the element of one symbol
	// After[e*groups+g] is the element of a word of element e followed by a
	// symbol of group g.
	After  []ElementID
	parent []ElementID // the element without its word's last symbol
	last   []GroupID   // that symbol's group
	ngroup int
}

// NewMonoid finds the transition monoid of a, over all its states. It gives up
// and says false when there are more than bound elements, or 65536.
func NewMonoid(a *Automaton, bound int) (*Monoid, bool) {
	m, ok := buildMonoid(a, min(bound, 1<<16), -1)
	return m, ok
}

func buildMonoid(a *Automaton, bound, work int) (*Monoid, bool) {
	n := len(a.States)
	m := &Monoid{NStates: n, ngroup: a.NGroups, Elements: []STV{Identity(n)}, parent: []ElementID{0}, last: []GroupID{0}}
	key := appendVector(nil, m.Elements[0])
	ids := map[string]ElementID{string(key): 0}
	v := make(STV, n)
	for e := 0; e < len(m.Elements); e++ {
		for g := range a.NGroups {
			if work >= 0 {
				if work -= n; work < 0 {
					return m, false
				}
			}
			Compose(v, m.Elements[e], a.Row(GroupID(g)))
			key = appendVector(key[:0], v)
			id, ok := ids[string(key)]
			if !ok {
				if len(m.Elements) >= bound {
					return m, false
				}
				id = ElementID(len(m.Elements))
				ids[string(key)] = id
				m.Elements = append(m.Elements, append(STV(nil), v...))
				m.parent = append(m.parent, ElementID(e))
				m.last = append(m.last, GroupID(g))
			}
			m.After = append(m.After, id)
		}
	}
	m.Of = m.After[:a.NGroups]
	return m, true
}

// appendVector appends v, which as a text is the key of a map.
func appendVector(dst []byte, v STV) []byte {
	for _, s := range v {
		dst = append(dst, byte(s), byte(s>>8))
	}
	return dst
}

// Step is the element of e's symbols followed by one of group g.
func (m *Monoid) Step(e ElementID, g GroupID) ElementID { return m.After[int(e)*m.ngroup+int(g)] }

// Table is the composition table: with n elements, Table[a*n+b] is the element
// of a's symbols followed by b's.
func (m *Monoid) Table() []ElementID {
	n := len(m.Elements)
	t := make([]ElementID, n*n)
	for a := range n {
		row := t[a*n : (a+1)*n]
		row[0] = ElementID(a)
		for b := 1; b < n; b++ { // a∘(b'·g) = (a∘b')·g, and b' comes before b
			row[b] = m.Step(row[m.parent[b]], m.last[b])
		}
	}
	return t
}

// MonoidSize is the size of the transition monoid.
type MonoidSize struct {
	Elements int  // the identity among them
	Complete bool // false: there are more than Elements, the search was cut short
}

func (m MonoidSize) String() string {
	if m.Complete {
		return fmt.Sprintf("%d elements", m.Elements)
	}
	return fmt.Sprintf("more than %d elements, not searched further", m.Elements)
}

func monoidSize(a *Automaton) MonoidSize {
	m, ok := buildMonoid(a, monoidBound, monoidWork)
	return MonoidSize{len(m.Elements), ok}
}
