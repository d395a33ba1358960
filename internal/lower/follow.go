package lower

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// This file walks the places of instructions: where reading may stand, and how a
// hole is found to have ended.

// point is a place in the instructions, and how much of a literal has been read or
// whether a blank has.
type point struct{ pc, off int }

// follow is how a hole is ended.
type follow struct {
	match    *matcher
	complete [][]byte // per node: the text that is complete there, nil: none
	anchored []int    // per node: the length of a text that is complete if the record ends, 0: none
	after    map[string]int32
	end      bool // the record may end in the hole
}

// closure adds the places that pc leads to without reading anything.
func (t *template) closure(set []point, pc int) []point {
	if t.ins[pc].op == opSplit {
		return t.closure(t.closure(set, t.ins[pc].next), t.ins[pc].alt)
	}
	if c := (point{pc, 0}); !slices.Contains(set, c) {
		set = append(set, c)
	}
	return set
}

// advance adds the places after b at c, if b stands there in a literal or
// among blanks.
func (t *template) advance(set []point, c point, b byte) []point {
	i := &t.ins[c.pc]
	switch {
	case i.op == opLiteral && i.text[c.off] == b && c.off+1 < len(i.text):
		return append(set, point{c.pc, c.off + 1})
	case i.op == opLiteral && i.text[c.off] == b:
		return t.closure(set, i.next)
	case i.op == opBlanks && blank(b):
		return t.closure(append(set, point{c.pc, 1}), i.next)
	}
	return set
}

func blank(b byte) bool { return b == ' ' || b == '\t' }

// intern numbers a set of places.
func (t *template) intern(set []point) int32 {
	set = append(t.set[:0], set...)
	slices.SortFunc(set, func(a, b point) int {
		if a.pc != b.pc {
			return b.pc - a.pc
		}
		return a.off - b.off
	})
	set = slices.Compact(set)
	key := t.key[:0]
	for _, c := range set {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(c.pc)), uint64(c.off))
	}
	id, ok := t.setIDs[string(key)]
	if !ok {
		id = int32(len(t.sets))
		t.sets = append(t.sets, slices.Clone(set))
		t.setIDs[string(key)] = id
	}
	t.set, t.key = set, key
	return id
}

// newFollow finds out how the hole at pc is ended.
func (t *template) newFollow(pc int) (*follow, error) {
	hole := &t.ins[pc]
	where := "field " + hole.hole.Name
	f := &follow{after: map[string]int32{}}
	start := t.closure(nil, hole.next)
	var patterns, anchored [][]byte
	for _, c := range start {
		i := &t.ins[c.pc]
		switch {
		case i.op == opEnd:
			f.end = true
		case i.op == opHole && hole.hole.Embedded != nil:
			// It ends where its form does.
		case i.op == opHole || i.op == opRest:
			return nil, &Fault{Where: where, What: "nothing stands between it and field " + t.columns[i.col].Name}
		case i.op == opBlanks:
			patterns = append(patterns, []byte(" "), []byte("\t"))
		case i.anchored && !hole.commits:
			anchored = append(anchored, i.text)
		default:
			patterns = append(patterns, i.text)
		}
	}
	for i, p := range patterns {
		if hole.hole.Escape.opens(p[0]) {
			return nil, &Fault{Where: where, What: fmt.Sprintf("%q both ends it and leads an escape", p[0]), Witness: p[:1]}
		}
		if hole.commits {
			patterns[i] = p[:1]
		}
	}
	if err := checkLength(where, slices.Concat(patterns, anchored)); err != nil {
		return nil, err
	}
	f.match = newMatcher(slices.Concat(patterns, anchored))
	f.complete = make([][]byte, len(f.match.nodes))
	f.anchored = make([]int, len(f.match.nodes))
	for n := range f.match.nodes {
		text := f.match.nodes[n].text
		for _, p := range patterns {
			// Of several the longest has begun first.
			if bytes.HasSuffix(text, p) && len(p) > len(f.complete[n]) {
				f.complete[n] = p
			}
		}
		for _, p := range anchored {
			if bytes.HasSuffix(text, p) {
				f.anchored[n] = len(p)
			}
		}
		if p := f.complete[n]; p != nil {
			set := start
			for _, b := range p {
				var after []point
				for _, c := range set {
					after = t.advance(after, c, b)
				}
				set = after
			}
			f.after[string(p)] = t.intern(set)
		}
	}
	return f, nil
}

// mayEnd reports whether the record may end at or after set with no hole in
// between.
func (t *template) mayEnd(set int32) bool {
	return slices.ContainsFunc(t.sets[set], func(c point) bool { return t.reachEnd[c.pc] })
}

// expected says what may come at a set.
func (t *template) expected(set int32) string {
	if text, ok := t.words[set]; ok {
		return text
	}
	var words []string
	for _, c := range t.sets[set] {
		w := ""
		switch i := &t.ins[c.pc]; i.op {
		case opEnd:
			w = "the end of the " + t.unit()
		case opLiteral:
			w = shown(i.text[c.off:])
		case opHole, opRest:
			w = "field " + t.columns[i.col].Name
		case opNone:
			w = "no more fields"
		case opBlanks:
			if c.off > 0 {
				continue
			}
			w = "a space or tab"
		}
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	text := "expected " + strings.Join(words, " or ")
	t.words[set] = text
	return text
}
