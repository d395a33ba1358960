package convert

import (
	"bytes"
	"hash/maphash"
	"slices"
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
	plain    bool // see Options

	// A table of the keys of the map being looked at.
	slots []slot // as many as a power of two
	texts [][]byte
	n     int
	of    uint32 // the map, counted, so that the table is not cleared for each
	rowKeys
}

// entry is a key and what belongs to it: entries of the next level, or values.
type entry struct {
	text []byte
	key  dfa.Piece
	in   []entry
	gone bool           // the key came again, and the last counts
	at   map[string]int // where each key is in in, if there are more than fewKeys
	// The values, one for each time that the key is there; a nil one is missing.
	values []*dfa.Piece
}

// So many keys of maps in maps are looked through one by one.
const fewKeys = 8

// letGo forgets where keys lie.
func (u *unique) letGo() { clear(u.texts[:cap(u.texts)]) }

// repeats reports whether a key is there twice among those of its map.
func (u *unique) repeats(pieces []dfa.Piece, value, decoded []byte) bool {
	asIs := !u.plain && len(decoded) == 0 && (!u.replaces || isASCII(value))
	whole := value[:cap(value)]
	for level := range u.levels {
		u.forget()
		for i := range pieces {
			p := &pieces[i]
			if int(p.Column) != level {
				if int(p.Column) < level {
					u.forget() // the map ends
				}
				continue
			}
			var k key
			if at := p.Start; asIs && int(at)+8 <= len(whole) {
				k.text, k.size = value[at:p.End:p.End], p.End-at
				k.first = word(whole, at)
				if k.size < 8 {
					k.first &= 1<<(8*k.size) - 1
				}
			} else {
				k = keyOf(u.text(p, value, decoded))
			}
			if u.seen(&k) {
				return true
			}
		}
	}
	return false
}

// key is a key as it will be in the column.
type key struct {
	text  []byte
	size  uint32
	first uint64 // eight symbols, or all
}

func keyOf(text []byte) key {
	var b [8]byte
	copy(b[:], text)
	return key{text, uint32(len(text)), word(b[:], 0)}
}

// slot is a place of the table of keys; it is empty if it is of another map.
type slot struct {
	first      uint64
	size, of   uint32
	text, hash uint32 // text is where that of a key of more than eight symbols is in unique.texts
	number     int32  // of the key, among those that differ
}

// forget begins another map.
func (u *unique) forget() {
	u.n, u.texts = 0, u.texts[:0]
	if u.of++; u.of == 0 {
		clear(u.slots)
		u.of = 1
	}
}

// seen reports whether k is among the keys of the map, and adds it.
func (u *unique) seen(k *key) bool {
	n := u.n
	return u.numberOf(k) < int32(n)
}

// keySeed keeps those who write inputs from finding keys whose slots are the same.
var keySeed = maphash.MakeSeed()

// numberOf is the number of k among the keys of the map that differ, in the order that they came; it is added.
func (u *unique) numberOf(k *key) int32 {
	if 2*u.n >= len(u.slots) {
		u.grow()
	}
	h := maphash.Bytes(keySeed, k.text) >> 32
	mask := uint64(len(u.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &u.slots[i]
		if s.of != u.of {
			*s = slot{first: k.first, size: k.size, of: u.of, hash: uint32(h), number: int32(u.n)}
			if k.size > 8 {
				s.text = uint32(len(u.texts))
				u.texts = append(u.texts, k.text)
			}
			u.n++
			return s.number
		}
		if s.first == k.first && s.size == k.size && (s.size <= 8 || bytes.Equal(u.texts[s.text], k.text)) {
			return s.number
		}
	}
}

// numbers appends which of those that differ each key from one up to another is, and says how many differ.
func (u *unique) numbers(numbers []int32, keys *Fields, from, to int32) (_ []int32, differ int32) {
	u.forget()
	for k := from; k < to; k++ {
		key := keyOf(keys.Src[keys.Start[k]:keys.End[k]])
		numbers = append(numbers, u.numberOf(&key))
	}
	return numbers, int32(u.n)
}

// grow makes room for as many keys again.
func (u *unique) grow() {
	had := u.slots
	u.slots = make([]slot, max(128, 2*len(had)))
	mask := len(u.slots) - 1
	for _, s := range had {
		if s.of != u.of {
			continue
		}
		i := int(s.hash) & mask
		for u.slots[i].of == u.of {
			i = (i + 1) & mask
		}
		u.slots[i] = s
	}
}

// text is a key as it will be in the column.
func (u *unique) text(p *dfa.Piece, value, decoded []byte) []byte {
	return u.asText(p.Of(value, decoded))
}

func (u *unique) asText(b []byte) []byte {
	if !u.replaces || utf8.Valid(b) {
		return b
	}
	b, _ = replaceInvalid(nil, b)
	return b
}

// merge is what the policy makes of pieces that make sense and in which keys
// repeat. Then again[i] says that piece i is a key that goes on with the values
// of the one before; nil: none does. It may use the memory of pieces.
func (u *unique) merge(pieces []dfa.Piece, value, decoded []byte) (merged []dfa.Piece, again []bool) {
	switch {
	case u.levels > 1:
	case u.policy == dfa.FirstDuplicate:
		return u.keepFirst(pieces, value, decoded), nil
	case u.policy == dfa.LastDuplicate:
		return u.keepLast(pieces, value, decoded), nil
	case u.policy == dfa.ListDuplicates:
		return u.keepAll(pieces, value, decoded)
	}
	return u.mergeTree(pieces, value, decoded)
}

// keepFirst leaves of one level of keys the first of each, with its value.
func (u *unique) keepFirst(pieces []dfa.Piece, value, decoded []byte) []dfa.Piece {
	u.forget()
	kept, keep := pieces[:0], false
	for _, p := range pieces {
		if p.Column == 0 {
			k := keyOf(u.text(&p, value, decoded))
			keep = !u.seen(&k)
		}
		if keep {
			kept = append(kept, p)
		}
	}
	return kept
}

// keepLast leaves of one level of keys the last of each, with its value.
func (u *unique) keepLast(pieces []dfa.Piece, value, decoded []byte) []dfa.Piece {
	u.forget()
	from, end := len(pieces), len(pieces) // of what is kept; of the key that is next
	for i := len(pieces) - 1; i >= 0; i-- {
		if pieces[i].Column != 0 {
			continue
		}
		if k := keyOf(u.text(&pieces[i], value, decoded)); !u.seen(&k) {
			from -= copy(pieces[from-(end-i):from], pieces[i:end])
		}
		end = i
	}
	return pieces[from:]
}

// keepAll puts those of one level of keys that are the same side by side, with their values, where the first is.
func (u *unique) keepAll(pieces []dfa.Piece, value, decoded []byte) (merged []dfa.Piece, again []bool) {
	x := &u.rowKeys
	x.numbers, x.pieces = x.numbers[:0], x.pieces[:0]
	u.forget()
	for i := range pieces {
		if pieces[i].Column == 0 {
			k := keyOf(u.text(&pieces[i], value, decoded))
			x.numbers, x.pieces = append(x.numbers, u.numberOf(&k)), append(x.pieces, int32(i))
		}
	}
	x.place(int32(u.n))
	x.order = append(x.order[:0], x.pieces...)
	for k, number := range x.numbers {
		x.order[x.places[number]] = x.pieces[k]
		x.places[number]++ // so that it is where the next one's begin
	}
	merged, again = make([]dfa.Piece, 0, len(pieces)), make([]bool, 0, len(pieces))
	number, first := 0, dfa.Piece{}
	for k, i := range x.order {
		anew := k == 0 || int32(k) == x.places[number-1]
		if anew {
			first = pieces[i]
			number++
		}
		merged, again = append(merged, first), append(again, !anew)
		if int(i)+1 < len(pieces) && pieces[i+1].Column != 0 {
			merged, again = append(merged, pieces[i+1]), append(again, false)
		}
	}
	return merged, again
}

// mergeTree is merge for any number of levels.
func (u *unique) mergeTree(pieces []dfa.Piece, value, decoded []byte) (merged []dfa.Piece, again []bool) {
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
	if i := e.find(text); i >= 0 {
		switch policy {
		case dfa.ListDuplicates:
			return &e.in[i]
		case dfa.FirstDuplicate:
			return &entry{} // what comes is of no one
		}
		e.in[i].gone = true
	}
	e.in = append(e.in, entry{text: text, key: key})
	switch n := len(e.in); {
	case e.at != nil:
		e.at[string(text)] = n - 1
	case n > fewKeys:
		e.at = make(map[string]int, 2*n)
		for i := range e.in {
			e.at[string(e.in[i].text)] = i // of those that are the same, the last
		}
	}
	return &e.in[len(e.in)-1]
}

// find gives where a key is in e, -1 if it is not there.
func (e *entry) find(text []byte) int {
	if e.at != nil {
		if i, ok := e.at[string(text)]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(e.in, func(in entry) bool { return !in.gone && bytes.Equal(in.text, text) })
}

func (e *entry) flatten(pieces *[]dfa.Piece, again *[]bool) {
	for i := range e.in {
		in := &e.in[i]
		if in.gone {
			continue
		}
		for k := range max(1, len(in.values)) {
			*pieces, *again = append(*pieces, in.key), append(*again, k > 0)
			if k < len(in.values) && in.values[k] != nil {
				*pieces, *again = append(*pieces, *in.values[k]), append(*again, false)
			}
		}
		in.flatten(pieces, again)
	}
}
