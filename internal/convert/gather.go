package convert

// With ListDuplicates the values of a key that repeats are put side by side, and it stays where it was first.
//
//	keys    a b a c      a b c      heads 0 2 3
//	values  1 2 3 4      1 3 2 4

// rowKeys is scratch memory for the keys of one row.
type rowKeys struct {
	numbers []int32 // by key: which of those that differ it is
	places  []int32 // by number, and one more: where its values go
	fields  Fields
	pieces  []int32 // by key
	order   []int32 // pieces, the keys that are the same side by side
}

// gather is unify where all values are kept, as lists; those of the rows are from number first on.
func (m *maps) gather(at, first int32, ends []int32, start, stop []uint32) {
	keys, x := &m.keys[0].fields, &m.unique.rowKeys
	to, from := at, at
	for i := range ends {
		end := at + ends[i]
		n, differ := end-from, end-from
		switch {
		case m.unique.replaces && !isASCII(keys.Src[start[i]:stop[i]]) && !validKeys(keys, from, end):
			m.unseen = append(m.unseen, span{to, to + n})
		case n <= mostKeys:
			x.numbers, differ = m.keyed.numbers(x.numbers[:0], keys, from, end)
		default:
			x.numbers, differ = m.unique.numbers(x.numbers[:0], keys, from, end)
		}
		if differ == n { // as nearly always
			if to != from {
				copy(keys.Start[to:], keys.Start[from:end])
				copy(keys.End[to:], keys.End[from:end])
			}
			m.addHeads(first, n)
		} else {
			x.place(differ)
			for _, place := range x.places[:differ] {
				m.heads = append(m.heads, first+place)
			}
			x.keepFirst(keys, from, to)
			x.move(&m.values.fields, first)
		}
		first += n
		to += differ
		from = end
		ends[i] = to - at
	}
	keys.cut(int(to))
}

// addHeads begins n lists of one value each, from value first on.
func (m *maps) addHeads(first, n int32) {
	for i := range n {
		m.heads = append(m.heads, first+i)
	}
}

// validKeys reports whether the keys from one up to another, which lie in Src, are UTF-8.
func validKeys(keys *Fields, from, to int32) bool {
	for k := from; k < to; k++ {
		if !validUTF8(keys.Src[keys.Start[k]:keys.End[k]]) {
			return false
		}
	}
	return true
}

// place finds the places of the values of so many keys that differ.
func (x *rowKeys) place(differ int32) {
	x.places = append(x.places[:0], make([]int32, differ+1)...)
	for _, number := range x.numbers {
		x.places[number+1]++
	}
	for i := range differ {
		x.places[i+1] += x.places[i]
	}
}

// keepFirst leaves of the keys of a row, which begin at from, the first of each, from number to on.
func (x *rowKeys) keepFirst(keys *Fields, from, to int32) {
	next := int32(0)
	for i, number := range x.numbers {
		if number == next {
			k := from + int32(i)
			keys.Start[to+next], keys.End[to+next] = keys.Start[k], keys.End[k]
			next++
		}
	}
}

// move puts the values of a row, which begin at first, where their places are.
func (x *rowKeys) move(values *Fields, first int32) {
	n := int32(len(x.numbers))
	start, end := values.Start[first:first+n], values.End[first:first+n]
	had := &x.fields
	had.Start, had.End = append(had.Start[:0], start...), append(had.End[:0], end...)
	for i, number := range x.numbers {
		at := x.places[number]
		x.places[number]++
		start[at], end[at] = had.Start[i], had.End[i]
	}
}
