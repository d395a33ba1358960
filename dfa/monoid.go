package dfa

import (
	"fmt"
	"slices"
)

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
	ids := newVectorTable()
	ids.find(m, m.Elements[0], hashVector(m.Elements[0]))
	v := make(STV, n)
	for e := 0; e < len(m.Elements); e++ {
		for g := range a.NGroups {
			if work >= 0 {
				if work -= n; work < 0 {
					return m, false
				}
			}
			Compose(v, m.Elements[e], a.Row(GroupID(g)))
			at, known := ids.find(m, v, hashVector(v))
			if !known {
				if len(m.Elements) >= bound {
					return m, false
				}
				m.Elements = append(m.Elements, append(STV(nil), v...))
				m.parent = append(m.parent, ElementID(e))
				m.last = append(m.last, GroupID(g))
			}
			m.After = append(m.After, at)
		}
	}
	m.Of = m.After[:a.NGroups]
	return m, true
}

// vectorTable finds the element that a vector is: open addressing.
type vectorTable struct {
	slots []uint32 // number + 1, 0: free
	hash  []uint64 // of each element
}

func newVectorTable() *vectorTable { return &vectorTable{slots: make([]uint32, 1<<8)} }

// find gives the number of v among m's elements. If it is not known it is the next
// one, which the caller adds, or gives up.
func (t *vectorTable) find(m *Monoid, v STV, hash uint64) (id ElementID, known bool) {
	if 2*len(t.hash) >= len(t.slots) { // half of them are free
		t.slots = make([]uint32, 4*len(t.slots))
		for i, h := range t.hash {
			at := h % uint64(len(t.slots))
			for t.slots[at] != 0 {
				at = (at + 1) % uint64(len(t.slots))
			}
			t.slots[at] = uint32(i + 1)
		}
	}
	at := hash % uint64(len(t.slots))
	for ; t.slots[at] != 0; at = (at + 1) % uint64(len(t.slots)) {
		if i := t.slots[at] - 1; t.hash[i] == hash && slices.Equal(m.Elements[i], v) {
			return ElementID(i), true
		}
	}
	t.hash = append(t.hash, hash)
	t.slots[at] = uint32(len(t.hash))
	return ElementID(len(t.hash) - 1), false
}

// hashVector is a hash of v. No entry waits for the one before it.
func hashVector(v STV) (h uint64) {
	k := uint64(len(v))
	for _, s := range v {
		k += 0x9e3779b97f4a7c15
		h += (uint64(s) + k) * (uint64(s) ^ k>>32)
	}
	return h ^ h>>32
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
