package dfa

import "fmt"

// Context is an automaton of fewer states that still gives the context of a
// chunk: its classes are a congruence of the automaton's states, such that the
// class after some symbols and the group of the last of them determine the
// state. No two of its classes can be put together further; there may be other
// congruences with as few.
//
// So vectors need an entry a class only, and after the scan the state in which
// a chunk begins is Full at the class found and the symbol before the chunk.
type Context struct {
	Classes int
	Class   []int // per state; -1 where Start does not lead
	// Next[g*Classes+c] is the class after a symbol of group g in class c.
	Next []int
	// Full[c*groups+g] is the state of class c that a symbol of group g leads
	// to, NoState if none does.
	Full []StateID
}

func (c *Context) String() string {
	if c == nil {
		return fmt.Sprintf("not searched beyond %d steps", contextWork)
	}
	return fmt.Sprintf("%d classes; class and last symbol give the state", c.Classes)
}

// congruence is a congruence that grows: a forest of classes over states.
type congruence struct {
	parent  []StateID
	members []bitset // of the class of each root
	apart   []bitset // the states that its members may not meet
	joined  []joined // by the merge under way
	were    []uint64 // members and apart of each x of these
	todo    [][2]StateID
}

// joined is the class of y put into that of x.
type joined struct{ x, y StateID }

func (c *congruence) find(s StateID) StateID {
	for c.parent[s] != s {
		s = c.parent[s]
	}
	return s
}

// merge puts s and t into one class, and so all that has to follow; or, if then
// two states would meet that one symbol's transitions lead to, nothing. What cannot
// be put together now never can, as classes only grow, so that is noted too.
func (c *congruence) merge(a *Automaton, s, t StateID, work *int) {
	c.joined, c.were = c.joined[:0], c.were[:0]
	todo := append(c.todo[:0], [2]StateID{s, t})
	for len(todo) > 0 {
		pair := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x, y := c.find(pair[0]), c.find(pair[1])
		if x == y {
			continue
		}
		if c.members[x].meets(c.apart[y]) {
			c.undo()
			c.apart[s].or(c.members[t])
			c.apart[t].or(c.members[s])
			break
		}
		if y < x {
			x, y = y, x
		}
		c.joined = append(c.joined, joined{x, y})
		c.were = append(append(c.were, c.members[x]...), c.apart[x]...)
		c.members[x].or(c.members[y])
		c.apart[x].or(c.apart[y])
		c.parent[y] = x
		*work -= a.NGroups
		for g := range a.NGroups {
			row := a.Row(GroupID(g))
			if x, y := row[x], row[y]; c.parent[x] != c.parent[y] {
				todo = append(todo, [2]StateID{x, y})
			}
		}
	}
	c.todo = todo
}

// undo takes back the merge under way.
func (c *congruence) undo() {
	for i := len(c.joined) - 1; i >= 0; i-- {
		j := &c.joined[i]
		members, apart := c.members[j.x], c.apart[j.x]
		were := c.were[i*(len(members)+len(apart)):]
		copy(members, were)
		copy(apart, were[len(members):])
		c.parent[j.y] = j.y
	}
}

// findContext merges states pair by pair, each pair with what follows from it
// or not at all; nil if that takes too many steps.
func findContext(a *Automaton, states []StateID) *Context {
	n := len(a.States)
	if len(states)*len(states)*a.NGroups > contextWork {
		return nil
	}
	c := &congruence{}
	for s := range n {
		c.parent = append(c.parent, StateID(s))
		c.members = append(c.members, newBits(n))
		c.apart = append(c.apart, newBits(n))
		c.members[s].set(s)
	}
	for g := range a.NGroups {
		image := newBits(n)
		row := a.Row(GroupID(g))
		for _, s := range states {
			image.set(int(row[s]))
		}
		for _, s := range states {
			c.apart[row[s]].or(image) // s itself too, which merging never asks about
		}
	}
	work := contextWork
	for i, t := range states {
		for _, s := range states[:i] {
			if c.find(t) != t {
				break
			}
			if c.find(s) != s {
				continue
			}
			if work -= n; work < 0 {
				return nil
			}
			c.merge(a, s, t, &work)
		}
	}
	return newContext(a, states, c)
}

func newContext(a *Automaton, states []StateID, c *congruence) *Context {
	r := &Context{Class: make([]int, len(a.States))}
	var roots []StateID
	for s := range r.Class {
		r.Class[s] = -1
	}
	for _, s := range states { // a root is the smallest of its class
		if root := c.find(s); root == s {
			r.Class[s] = len(roots)
			roots = append(roots, s)
		} else {
			r.Class[s] = r.Class[root]
		}
	}
	r.Classes = len(roots)
	r.Next = make([]int, a.NGroups*r.Classes)
	r.Full = make([]StateID, r.Classes*a.NGroups)
	for i := range r.Full {
		r.Full[i] = NoState
	}
	for g := range a.NGroups {
		row := a.Row(GroupID(g))
		for i, s := range roots {
			r.Next[g*r.Classes+i] = r.Class[row[s]]
		}
		for _, s := range states {
			r.Full[r.Class[row[s]]*a.NGroups+g] = row[s]
		}
	}
	return r
}
