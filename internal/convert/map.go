package convert

import (
	"slices"
	"sort"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// maps collects the entries of maps, and of maps in them that the same
// automaton reads: column l of a value is a key of level l, and the column
// after the last level a value.
type maps struct {
	keys   []*part
	values *part
	// first[l][i] is the first entry of level l+1 that belongs to entry i of
	// level l.
	first [][]int32
	inner []*columns.Column // of the maps that are entries of level 0 and on
	// With ListDuplicates: the lists of values, and the first value of each.
	lists *columns.Column
	heads []int32

	taken  map[string]int // keys that have columns of their own, which the maps lack
	known  knownKeys      // that have been looked for there
	json   bool           // those are of JSON
	key    []byte         // scratch memory, of meantKey
	unique unique
	// Rows whose keys have not been compared yet: the entries of each from one up to
	// another.
	unseen []span
	differ []int32 // scratch memory, of unify
	keyed  *keyTable
	one    struct { // row, as unify takes it
		end         [1]int32
		start, stop [1]uint32
	}
}

type span struct{ from, to int32 }

// MapShape is how many levels of keys maps of type t have, and what the values of the last one are: with
// ListDuplicates lists.
func MapShape(t *dfa.Type) (levels int, values *dfa.Type) {
	levels, values = 1, t.Elem
	for ; values.Kind == dfa.Map && values.Lex == nil; values = values.Elem {
		levels++
	}
	return levels, values
}

func newMap(t *dfa.Type, opt Options) (appender, error) {
	if t.Lex == nil {
		return nil, errNoLex
	}
	m := &maps{unique: unique{policy: t.Duplicates, replaces: opt.UTF8 == dfa.ReplaceUTF8, plain: opt.Plain}}
	levels, leaf := MapShape(t)
	inner := t
	for l := range levels {
		key, err := newPart(stringType, opt)
		if err != nil {
			return nil, err
		}
		m.keys = append(m.keys, key)
		if inner = inner.Elem; l < levels-1 {
			m.inner = append(m.inner, &columns.Column{Form: FormOf(inner)})
			m.first = append(m.first, nil)
		}
	}
	m.unique.levels = len(m.keys)
	if t.Duplicates == dfa.ListDuplicates {
		m.lists = &columns.Column{Form: FormOf(leaf)}
		leaf = leaf.Elem
	}
	var err error
	if m.values, err = newPart(leaf, opt); err != nil {
		return nil, err
	}
	lex := t.Lex.Table()
	n := &nested{lex: lex, malformed: BadMap, asWritten: !t.Decoded, elements: m}
	if t.Ahead != nil {
		n.ahead = t
	} else {
		n.fast = newLexer(lex)
	}
	n.notes = m.values.plain()
	if len(m.keys) == 1 {
		n.texts = m.lists == nil && m.keys[0].texts() && m.values.texts()
		if t.Ahead != nil {
			if n.keysAhead = newKeyAhead(t); n.keysAhead != nil {
				n.maps, m.keyed = m, new(keyTable)
			}
			return n, nil
		}
		n.maps, m.keyed = m, new(keyTable)
		packs := m.lists == nil && m.keys[0].plain() && m.values.plain()
		if n.pairs = newPairing(lex); n.pairs != nil {
			n.unpack = 1
			if packs {
				n.packer = n.pairs
			}
		} else if x := newMembers(lex, n.fast); x != nil && packs {
			n.unpack, n.packer = 1, &pairing{table: lex, members: x}
		}
		n.bridge()
	}
	if len(m.keys) == 2 && t.Ahead == nil && m.values.plain() {
		if x := newNesting(lex); x != nil {
			n.maps, m.keyed, n.unpack, n.packer = m, new(keyTable), 1, x
		}
	}
	return n, nil
}

func (m *maps) reset(src []byte) {
	for l, k := range m.keys {
		k.fields.Reset(src)
		if l < len(m.first) {
			m.first[l] = m.first[l][:0]
		}
	}
	m.values.fields.Reset(src)
	m.heads = m.heads[:0]
	m.unseen = m.unseen[:0]
	if src == nil {
		m.unique.letGo()
	}
}

func (m *maps) add(pieces []dfa.Piece, value, decoded []byte, at int) Code {
	if m.taken != nil {
		if _, _, ok := misplaced(pieces, 1); !ok {
			return BadMap
		}
		pieces = m.others(pieces, value, decoded)
	}
	var again []bool
	if m.unique.repeats(pieces, value, decoded) {
		if _, _, ok := misplaced(pieces, len(m.keys)); !ok {
			return BadMap
		}
		if m.unique.policy == dfa.NoDuplicates {
			return DuplicateKey
		}
		pieces, again = m.unique.merge(pieces, value, decoded)
	}
	if len(m.keys) == 1 && m.lists == nil && again == nil && at >= 0 && len(decoded) == 0 {
		if !m.pairs(pieces, uint32(at)) {
			return BadMap
		}
		return OK
	}
	var before [4]int // entries of each level; types nest no deeper
	values := m.values.fields.Len()
	for l, k := range m.keys {
		before[l] = k.fields.Len()
	}
	if m.entries(pieces, again, value, decoded, at) {
		return OK
	}
	for l, k := range m.keys {
		k.fields.cut(before[l])
		if l < len(m.first) {
			m.first[l] = m.first[l][:before[l]]
		}
	}
	m.values.fields.cut(values)
	if m.lists != nil {
		m.heads = m.heads[:before[len(m.keys)-1]]
	}
	return BadMap
}

// pairs adds the entries of a map without maps in it, whose pieces lie in src from
// at on: none, if they make no sense.
func (m *maps) pairs(pieces []dfa.Piece, at uint32) bool {
	keys, values := &m.keys[0].fields, &m.values.fields
	n := keys.Len()
	keys.grow(len(pieces))
	values.grow(len(pieces))
	k := n - 1
	hasValue := true // there is no key yet
	for i := range pieces {
		p := &pieces[i]
		switch {
		case p.Column == 0:
			k++
			keys.Start[k], keys.End[k] = at+p.Start, at+p.End
			values.Start[k], values.End[k] = Absent, 0
			hasValue = false
		case p.Column == 1 && !hasValue:
			values.Start[k], values.End[k] = at+p.Start, at+p.End
			hasValue = true
		default:
			keys.cut(n)
			values.cut(n)
			return false
		}
	}
	keys.cut(k + 1)
	values.cut(k + 1)
	return true
}

// grow appends n rows that are to be set.
func (f *Fields) grow(n int) {
	f.Start = slices.Grow(f.Start, n)[:len(f.Start)+n]
	f.End = slices.Grow(f.End, n)[:len(f.End)+n]
}

// cut takes back the rows from n on.
func (f *Fields) cut(n int) { f.Start, f.End = f.Start[:n], f.End[:n] }

// entries adds the entries of one row until one makes no sense: a key outside
// of an outer one, a value without a key, a second value. again says which keys
// go on with the values of the one before; nil: none.
func (m *maps) entries(pieces []dfa.Piece, again []bool, value, decoded []byte, at int) bool {
	open := 0         // keys of the path from the outermost one
	hasValue := false // of the entry with that path
	for i := range pieces {
		p := &pieces[i]
		level := int(p.Column)
		switch {
		case level > open || level == len(m.keys) && hasValue:
			return false
		case level == len(m.keys):
			m.values.fields.cut(m.values.fields.Len() - 1)
			m.values.push(p, value, decoded, at)
			hasValue = true
			continue
		case level < len(m.first):
			m.first[level] = append(m.first[level], int32(m.keys[level+1].fields.Len()))
		default:
			if again != nil && again[i] {
				m.values.fields.PushAbsent()
				hasValue = false
				continue
			}
			if m.lists != nil {
				m.heads = append(m.heads, int32(m.values.fields.Len()))
			}
			m.values.fields.PushAbsent()
		}
		m.keys[level].push(p, value, decoded, at)
		open, hasValue = level+1, false
	}
	return true
}

// misplaced is the first piece of a value that makes no sense to entries, where
// keys nest so many deep, in words; ok if there is none.
func misplaced(pieces []dfa.Piece, levels int) (i int, what string, ok bool) {
	open, hasValue := 0, false // as in entries
	for i := range pieces {
		switch level := int(pieces[i].Column); {
		case level > levels:
			return i, "a field that is neither key nor value", false
		case level > open && level == levels:
			return i, "a value without a key", false
		case level > open:
			return i, "a key without the outer one", false
		case level == levels && hasValue:
			return i, "a second value of a key", false
		case level == levels:
			hasValue = true
		default:
			open, hasValue = level+1, false
		}
	}
	return 0, "", true
}

func (m *maps) size() (n, nbytes int) {
	for _, k := range m.keys {
		n += k.fields.Len()
		nbytes += len(k.fields.Decoded)
	}
	return m.keys[0].fields.Len(), nbytes + len(m.values.fields.Decoded) + n
}

func (m *maps) convert(fail func(int, Code), into []*columns.Column) []*columns.Column {
	var to [2]*columns.Column
	copy(to[:], into)
	var keys *columns.Column // of level 0
	for l, k := range m.keys {
		base := 0
		if to[0] != nil {
			base = to[0].Len
		}
		column := k.convert(to[0])
		if l == 0 {
			if keys = column; m.repeats(keys, base, fail) {
				return nil
			}
		}
		for _, e := range k.errs {
			fail(m.outermost(e.Row-base, l), e.Code)
		}
	}
	base := 0
	if to[1] != nil {
		base = to[1].Len
	}
	values := m.values.convert(to[1])
	for _, e := range m.values.errs {
		fail(m.outermost(m.entryOf(e.Row-base), len(m.keys)-1), e.Code)
	}
	if m.lists != nil {
		values = m.lists.Over(m.heads, values)
	}
	for l := len(m.inner) - 1; l >= 0; l-- {
		values = m.inner[l].Over(m.first[l], m.keys[l+1].column, values)
	}
	return []*columns.Column{keys, values}
}

// repeats compares the keys of the rows that have not been compared yet, which have
// become rows of column from base on, and calls fail with those in which one is there
// twice. It is true where one by one they become something else.
func (m *maps) repeats(column *columns.Column, base int, fail func(int, Code)) bool {
	keys := m.keys[0]
	for _, s := range m.unseen {
		if len(keys.errs) == 0 && m.keyed.distinct(column, span{s.from + int32(base), s.to + int32(base)}) {
			continue
		}
		if m.twice(&keys.fields, s) {
			if m.unique.policy != dfa.NoDuplicates || m.unique.replaces { // what it replaces would count
				return true
			}
			fail(int(s.from), DuplicateKey)
		}
	}
	return false
}

// addRow is told of a row that lies in src from s up to e, whose keys are those from number at on, and its values
// those from number first on: they are made to differ, or will be compared. It gives how many keys there are then.
func (m *maps) addRow(at, first int32, s, e uint32) int32 {
	end := int32(m.keys[0].fields.Len())
	if !m.unifiesEarly() {
		m.unseen = append(m.unseen, span{at, end})
		return end
	}
	m.one.end[0], m.one.start[0], m.one.stop[0] = end-at, s, e
	m.unify(at, first, m.one.end[:], m.one.start[:], m.one.stop[:])
	return at + m.one.end[0]
}

// unifiesEarly reports whether keys that repeat are left out before they become texts.
func (m *maps) unifiesEarly() bool { return m.unique.policy != dfa.NoDuplicates }

// unify leaves of the keys from number at on, whose values are those from number first on, the first or last of each in
// its row, with its value, or with all of them. They lie in src, with eight symbols behind each; so do the rows, from
// start up to stop. Their keys end at ends, relative to at, which are changed. Rows whose keys may become others are
// not looked at yet.
func (m *maps) unify(at, first int32, ends []int32, start, stop []uint32) {
	if m.lists != nil {
		m.gather(at, first, ends, start, stop)
		return
	}
	keys, values := &m.keys[0].fields, &m.values.fields
	to, from := at, at
	last := m.unique.policy == dfa.LastDuplicate
	for i := range ends {
		end := at + ends[i]
		differ := m.differ[:0]
		if m.unique.replaces && !isASCII(keys.Src[start[i]:stop[i]]) {
			for k := range end - from {
				differ = append(differ, from+k)
			}
			m.unseen = append(m.unseen, span{to, to + end - from})
		} else if end-from <= mostKeys {
			differ = m.keyed.differing(differ, keys, from, end, last)
		} else {
			differ = m.unique.differing(differ, keys, from, end, last)
		}
		m.differ = differ
		if n := int32(len(differ)); to == from && n == end-from {
			to, from = end, end // as nearly always
			continue
		}
		if last && len(differ) > 1 && differ[0] > from {
			slices.Reverse(differ)
		}
		for _, k := range differ {
			keys.Start[to], keys.End[to] = keys.Start[k], keys.End[k]
			values.Start[to], values.End[to] = values.Start[k], values.End[k]
			to++
		}
		from = end
		ends[i] = to - at
	}
	keys.cut(int(to))
	values.cut(int(to))
}

// differing appends the numbers of the keys from up to to that are not there before, or, from the last on,
// behind them.
func (u *unique) differing(numbers []int32, keys *Fields, from, to int32, last bool) []int32 {
	u.forget()
	for i := range to - from {
		k := from + i
		if last {
			k = to - 1 - i
		}
		key := keyOf(keys.Src[keys.Start[k]:keys.End[k]])
		if !u.seen(&key) {
			numbers = append(numbers, k)
		}
	}
	return numbers
}

// twice reports whether a key is there twice.
func (m *maps) twice(keys *Fields, s span) bool {
	m.unique.forget()
	for i := int(s.from); i < int(s.to); i++ {
		text, _ := keys.At(i)
		k := keyOf(m.unique.asText(text))
		if m.unique.seen(&k) {
			return true
		}
	}
	return false
}

// entryOf is the entry of the last level that value i belongs to.
func (m *maps) entryOf(i int) int {
	if m.lists == nil {
		return i
	}
	return sort.Search(len(m.heads), func(k int) bool { return int(m.heads[k]) > i }) - 1
}

// outermost is the entry of level 0 that entry i of level l belongs to.
func (m *maps) outermost(i, l int) int {
	for l--; l >= 0; l-- {
		first := m.first[l]
		i = sort.Search(len(first), func(k int) bool { return int(first[k]) > i }) - 1
	}
	return i
}

func (m *maps) replaced() int64 {
	n := m.values.converter.replaced
	for _, k := range m.keys {
		n += k.converter.replaced
	}
	return n
}

func (m *maps) eachReplaced(yield func(int, int64)) {
	for l, k := range m.keys {
		for _, r := range k.converter.impl.(*text).replaced {
			yield(m.outermost(r.row, l), r.nbytes)
		}
	}
	for _, r := range m.values.converter.impl.(*text).replaced {
		yield(m.outermost(m.entryOf(r.row), len(m.keys)-1), r.nbytes)
	}
}

func (m *maps) countAgain(from int64) {
	for _, k := range m.keys {
		k.converter.replaced = 0
	}
	m.values.converter.replaced = from
}
