//go:build cuda

package gpu

import (
	"errors"
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file finds out where records of several lines begin, for the path of lines: one
// symbol ends them all, but not each such symbol ends one.
//
//	2024-05-06 07:08:09,123 ERROR no        a record
//	java.io.IOException: closed             goes on: no date begins here
//	2024-05-06 07:08:10,004 INFO yes        the next one
//
// The automaton tells of the end some symbols later, by a boundary that lags. If what
// tells is the same in all states that the symbol leads to, whether a record ends is
// known without them, and each record can be read from its begin in the first state.

// mostBeginLag bounds how many symbols behind a record's end it is told of.
const mostBeginLag = 64

// recordBegins is by what follows a symbol decided whether a record begins behind it.
type recordBegins struct {
	a      *dfa.Automaton
	symbol int
	group  dfa.GroupID
	next   []uint16 // [node*groups + group] of kernels/fused/begins.cuh
	most   int      // symbols that tell
	can    [][]bool // [symbols read][state]: whether a record may yet turn out to begin

	// By state that the symbol leads to from within a record: how a record ends whose end
	// is told of from there.
	ends map[dfa.StateID]*dfa.Emission
}

// newRecordBegins finds the symbol, or says why there is none. It gives nil if records end
// where they are told to.
func newRecordBegins(a *dfa.Automaton) (*recordBegins, error) {
	of := make([]int, a.NGroups) // symbols
	for _, g := range a.Group {
		of[g]++
	}
	most := 0
	for i := range a.Emissions {
		if e := &a.Emissions[i]; e.Kind == dfa.Record && e.Lag > e.Open {
			most = max(most, int(e.Lag))
		}
	}
	if most == 0 {
		return nil, nil
	}
	if most > mostBeginLag {
		return nil, fmt.Errorf("a record's end is told of more than %d symbols later", mostBeginLag)
	}
	err := errors.New("no symbol is the only one that ends records")
	for symbol, g := range a.Group {
		x := &recordBegins{a: a, symbol: symbol, group: g, most: most, ends: map[dfa.StateID]*dfa.Emission{}}
		if of[g] != 1 || !x.endsAll() {
			continue
		}
		if err = x.find(); err == nil {
			return x, nil
		}
	}
	return nil, err
}

func (x *recordBegins) step(s dfa.StateID, g dfa.GroupID) (dfa.StateID, *dfa.Emission) {
	i := int(g)*x.a.NStates() + int(s)
	return x.a.Next[i], &x.a.Emissions[x.a.Emit[i]]
}

// lags reports whether a record is told of that ended before its last symbol.
func lags(e *dfa.Emission) bool { return e.Kind == dfa.Record && e.Lag > e.Open }

// after are the states that some symbols of a kind lead to from some of those of from.
func (x *recordBegins) after(from []bool, is func(g dfa.GroupID) bool) []bool {
	to := make([]bool, len(from))
	for g := range dfa.GroupID(x.a.NGroups) {
		for s := range from {
			if from[s] && is(g) {
				next, _ := x.step(dfa.StateID(s), g)
				to[next] = true
			}
		}
	}
	return to
}

// endsAll reports whether every record ends at the symbol, whatever came before.
func (x *recordBegins) endsAll() bool {
	n := x.a.NStates()
	all := make([]bool, n)
	for s := range all {
		all[s] = true
	}
	any := func(dfa.GroupID) bool { return true }
	// The states so many symbols behind another symbol, or behind a record's begin.
	behind := x.after(all, func(g dfa.GroupID) bool { return g != x.group })
	behind[x.a.Start] = true
	for lag := 1; lag <= x.most; lag++ {
		for s := range n {
			for g := range dfa.GroupID(x.a.NGroups) {
				next, e := x.step(dfa.StateID(s), g)
				if lags(e) && int(e.Lag) == lag && behind[s] || e.Kind == dfa.Record && !lags(e) && (g != x.group || next != x.a.Start) {
					return false
				}
			}
		}
		behind = x.after(behind, any)
	}
	return true
}

// beginNode is a state so many symbols behind the symbol.
type beginNode struct {
	state dfa.StateID
	n     int
}

// read is what symbol g tells at a node: yes, no, or neither, and the node behind it.
func (x *recordBegins) read(at beginNode, g dfa.GroupID) (to beginNode, told uint16) {
	next, e := x.step(at.state, g)
	switch {
	case lags(e) && int(e.Lag) == at.n+1:
		return to, beginYes
	case at.n+1 < x.most && x.can[at.n+1][next]:
		return beginNode{next, at.n + 1}, 0
	}
	return to, beginNo
}

// find makes next and ends, or says why what follows does not tell.
func (x *recordBegins) find() error {
	n, groups := x.a.NStates(), dfa.GroupID(x.a.NGroups)
	x.can = make([][]bool, x.most)
	for k := x.most - 1; k >= 0; k-- {
		x.can[k] = make([]bool, n)
		for s := range n {
			for g := range groups {
				if _, told := x.read(beginNode{dfa.StateID(s), k}, g); told != beginNo {
					x.can[k][s] = true
				}
			}
		}
	}
	// In which states a line may end within a record, and that no record has ended there.
	within, first := map[dfa.StateID]bool{}, dfa.StateID(0)
	for s := range n {
		next, e := x.step(dfa.StateID(s), x.group)
		is := e.Kind != dfa.Record
		if was, ok := within[next]; ok && was != is {
			return errors.New("whether a record has ended depends on what came before")
		}
		if e.Kind == dfa.Field {
			return errors.New("the symbol that ends records ends fields, too")
		}
		if within[next] = is; is {
			first = next
		}
	}
	if err := x.list(beginNode{first, 0}); err != nil {
		return err
	}
	for s, is := range within {
		if !is {
			continue
		}
		if err := x.compare(first, s); err != nil {
			return err
		}
		if err := x.follow(s); err != nil {
			return err
		}
	}
	return nil
}

// list makes next of the nodes from one on.
func (x *recordBegins) list(from beginNode) error {
	groups := x.a.NGroups
	places, nodes := map[beginNode]int{from: 0}, []beginNode{from}
	for i := 0; i < len(nodes); i++ {
		if len(nodes)*groups > beginTransitions {
			return fmt.Errorf("whether a record begins takes more than %d transitions", beginTransitions)
		}
		for g := range dfa.GroupID(groups) {
			to, told := x.read(nodes[i], g)
			if told == 0 {
				if g == x.group {
					return errors.New("whether a record begins takes more than a line")
				}
				place, ok := places[to]
				if !ok {
					place = len(nodes)
					places[to], nodes = place, append(nodes, to)
				}
				told = uint16(place * groups)
			}
			x.next = append(x.next, told)
		}
	}
	return nil
}

// compare says an error if what follows does not tell the same in states a and b.
func (x *recordBegins) compare(a, b dfa.StateID) error {
	type pair struct{ a, b beginNode }
	from := pair{beginNode{a, 0}, beginNode{b, 0}}
	seen, todo := map[pair]bool{from: true}, []pair{from}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for g := range dfa.GroupID(x.a.NGroups) {
			to, tells := x.read(p.a, g)
			other, tellsOther := x.read(p.b, g)
			if tells != tellsOther {
				return errors.New("whether a record begins depends on what came before")
			}
			q := pair{to, other}
			if tells != 0 || seen[q] {
				continue
			}
			if len(seen) > beginTransitions {
				return fmt.Errorf("whether a record begins takes more than %d transitions", beginTransitions)
			}
			seen[q] = true
			todo = append(todo, q)
		}
	}
	return nil
}

// follow finds how records end that the symbol led to state s, and says an error if that
// is not one way, or if what tells of it does not begin the next record as it would from
// the first state on.
func (x *recordBegins) follow(s dfa.StateID) error {
	type pair struct {
		node  beginNode
		fresh dfa.StateID // in the record that begins
		open  int         // of its symbols, so many are control, and all others data
		odd   bool        // or not
	}
	from := pair{node: beginNode{s, 0}, fresh: x.a.Start}
	seen, todo := map[pair]bool{from: true}, []pair{from}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for g := range dfa.GroupID(x.a.NGroups) {
			to, told := x.read(p.node, g)
			if told == beginNo {
				continue
			}
			q := pair{node: to, open: p.open, odd: p.odd}
			next, e := x.step(p.fresh, g)
			q.fresh = next
			switch {
			case e.Kind == dfa.Skip && p.open == p.node.n && !e.Coded():
				q.open++
			case e.Kind != dfa.Data || e.Coded() || e.Code != 0:
				q.odd = true
			}
			if told == beginYes {
				state, e := x.step(p.node.state, g)
				if q.odd || q.open != int(e.Open) || q.fresh != state {
					return errors.New("the symbols that a record begins with do not lead to one state")
				}
				if before := x.ends[s]; before == nil {
					x.ends[s] = e
				} else if !endAlike(before, e) {
					return errors.New("records end in several ways")
				}
				continue
			}
			if len(seen) > beginTransitions {
				return fmt.Errorf("whether a record begins takes more than %d transitions", beginTransitions)
			}
			if !seen[q] {
				seen[q] = true
				todo = append(todo, q)
			}
		}
	}
	if x.ends[s] == nil {
		return errors.New("no record begins behind the symbol that ends them")
	}
	return nil
}

// behind reports whether the symbols behind one that ends lines tell that a record begins.
func (x *recordBegins) behind(in []byte) bool {
	node := 0
	for _, c := range in {
		told := x.next[node+int(x.a.Group[c])]
		if told >= beginNo {
			return told == beginYes
		}
		node = int(told)
	}
	return false
}

// endAlike reports whether two emissions say the same of the record that ends.
func endAlike(a, b *dfa.Emission) bool {
	return a.Column == b.Column && a.Class == b.Class && a.Record == b.Record && a.Code == b.Code
}

// last is what the symbol says where it is a record's last one in state s; end: and the
// input's.
func (x *recordBegins) last(s dfa.StateID, end bool) (step uint32, err error) {
	next, e := x.step(s, x.group)
	if e.Kind == dfa.Record { // at once
		if step, err = lineStep(e, true); end && x.a.EOF(next).Kind != dfa.Skip {
			step |= lineOther
		}
		return step, err
	}
	const bad, other = lineEvent | lineRecord | lineBad, lineEvent | lineRecord | lineOther
	told := x.ends[next]
	if end {
		at := x.a.EOF(next)
		if at.Kind != dfa.Record || at.Record != dfa.DataRecord {
			return other, nil
		}
		if at.Lag != 1 || at.Open != 1 || !endAlike(at, told) {
			return bad, nil
		}
	}
	if e.Kind == dfa.Error || e.Code != 0 {
		if told.Record != dfa.DataRecord {
			return other, nil
		}
		return bad, nil
	}
	return lineStep(&dfa.Emission{Kind: dfa.Record, Column: told.Column, Class: told.Class, Record: told.Record, Code: told.Code}, true)
}
