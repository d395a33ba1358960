package convert

import (
	"bytes"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
)

// unique makes the keys of a map's pieces differ, as the type says: there is no
// Arrow map, and no JSON object, that all readers take where they do not.
//
//	a=1 b=2 a=3     first: a=1 b=2    last: b=2 a=3    list: a=[1,3] b=[2]
type unique struct {
	policy   dfa.Duplicates
	levels   int  // of keys
	replaces bool // what is no UTF-8 in keys becomes U+FFFD, which may make them the same
}

// entry is a key and what belongs to it: entries of the next level, or values.
type entry struct {
	text []byte
	key  dfa.Piece
	in   []entry
	// The values, one for each time that the key is there; a nil one is missing.
	values []*dfa.Piece
}

// repeats reports whether a key is there twice among those of its map.
func (u *unique) repeats(pieces []dfa.Piece, value, decoded []byte) bool {
	const few = 16
	for level := range u.levels {
		var seen map[string]bool
		from := 0 // where the map begins
		n := 0    // its keys so far
		for i := range pieces {
			p := &pieces[i]
			if int(p.Column) < level {
				from, n, seen = i+1, 0, nil
				continue
			}
			if int(p.Column) != level {
				continue
			}
			key := u.text(p, value, decoded)
			if n++; n <= few {
				for k := from; k < i; k++ {
					if int(pieces[k].Column) == level && bytes.Equal(key, u.text(&pieces[k], value, decoded)) {
						return true
					}
				}
				continue
			}
			if seen == nil {
				seen = map[string]bool{}
				for k := from; k < i; k++ {
					if int(pieces[k].Column) == level {
						seen[string(u.text(&pieces[k], value, decoded))] = true
					}
				}
			}
			if seen[string(key)] {
				return true
			}
			seen[string(key)] = true
		}
	}
	return false
}

// text is a key as it will be in the column.
func (u *unique) text(p *dfa.Piece, value, decoded []byte) []byte {
	b := p.Of(value, decoded)
	if !u.replaces || utf8.Valid(b) {
		return b
	}
	return []byte(string([]rune(string(b)))) // U+FFFD for each byte
}

// merge is what the policy makes of pieces that make sense and in which keys
// repeat. Then again[i] says that piece i is a key that goes on with the values
// of the one before.
func (u *unique) merge(pieces []dfa.Piece, value, decoded []byte) (merged []dfa.Piece, again []bool) {
	root := entry{}
	path := make([]*entry, u.levels+1)
	path[0] = &root
	for i := range pieces {
		p := &pieces[i]
		level := int(p.Column)
		if level == u.levels {
			values := path[level].values
			values[len(values)-1] = p
			continue
		}
		e := path[level].add(*p, u.text(p, value, decoded), u.policy)
		if level == u.levels-1 {
			e.values = append(e.values, nil)
		}
		path[level+1] = e
	}
	root.flatten(&merged, &again)
	return merged, again
}

// add is the entry of a key in e: a new one, or the one that is there.
func (e *entry) add(key dfa.Piece, text []byte, policy dfa.Duplicates) *entry {
	for i := range e.in {
		if !bytes.Equal(e.in[i].text, text) {
			continue
		}
		switch policy {
		case dfa.ListDuplicates:
			return &e.in[i]
		case dfa.FirstDuplicate:
			return &entry{} // what comes is of no one
		}
		e.in = append(e.in[:i], e.in[i+1:]...)
		break
	}
	e.in = append(e.in, entry{text: text, key: key})
	return &e.in[len(e.in)-1]
}

func (e *entry) flatten(pieces *[]dfa.Piece, again *[]bool) {
	for i := range e.in {
		in := &e.in[i]
		for k := range max(1, len(in.values)) {
			*pieces, *again = append(*pieces, in.key), append(*again, k > 0)
			if k < len(in.values) && in.values[k] != nil {
				*pieces, *again = append(*pieces, *in.values[k]), append(*again, false)
			}
		}
		in.flatten(pieces, again)
	}
}
