package convert

import "github.com/dfaparse/dfaparse/dfa"

// keyBatches take many maps apart at once whose keys are columns: their pairs are found by masks, and the
// key behind another one is mostly that which came behind it before.
type keyBatches struct {
	keys   *keys
	pairs  *pairing
	maps   *Converter // has their null tokens
	names  Fields     // of the pairs of a batch
	values Fields
	tries  tries
	noted  *others // gets the pairs of keys that have no column, nil if nobody asks
	nextKeys
}

// nextKeys are keys that have been read, and which come behind them. Where many come behind another one than before,
// each is looked for by its symbols.
type nextKeys struct {
	columnOf func(key []byte) int
	all      map[string]*nextKey
	first    *nextKey                // whose next one is the first of a map
	spare    nextKey                 // one that is not kept
	slots    [1 << slotBits]*nextKey // those met last, by their symbols
	varied   int                     // batches to come whose keys are looked for
	changed  int                     // keys of the batch that came behind another one than before
}

// nextKey is a key.
type nextKey struct {
	text   string
	packed     // the text
	column int // -1: it has none
	next   *nextKey
}

// mostNextKeys are kept, of at most longestKept symbols each. Keys are looked for where one in manyChanged came behind
// another one than before, in so many batches.
const mostNextKeys, slotBits, manyChanged, variedBatches = 1 << 12, 9, 8, 15

// newKeyBatches is nil if maps have no pairs that masks find, or more than keys matters.
func newKeyBatches(s *Splitter) *keyBatches {
	if s.trim || s.keys.json || s.keys.paths != nil || len(s.keys.leads) > 0 {
		return nil
	}
	p := newPairing(s.lex)
	if p == nil {
		return nil
	}
	return &keyBatches{keys: s.keys, pairs: p, maps: &Converter{nulls: s.nulls, tokens: newTokenSet(s.nulls)},
		nextKeys: newNextKeys(func(key []byte) int { return s.keys.lookUp(key).column })}
}

func newNextKeys(columnOf func(key []byte) int) nextKeys {
	first := &nextKey{}
	first.next = first
	return nextKeys{columnOf: columnOf, all: map[string]*nextKey{}, first: first, spare: nextKey{next: first}}
}

// Rows is Row for as many rows from i on as can be taken at once, perhaps none; misfits are added to those given.
func (s *Splitter) Rows(f *Fields, i int, parts []Fields, misfits []int) (int, []int) {
	if s.keys == nil || s.keys.batches == nil || len(f.Literal) > 0 {
		return 0, misfits
	}
	x := s.keys.batches
	if !x.tries.due() {
		return 0, misfits
	}
	x.names.Reset(f.Src)
	x.values.Reset(f.Src)
	n := x.pairs.batch(x.maps, f, i, f.Len(), &x.names, &x.values)
	x.tries.gave(n)
	from := int32(0)
	for row, end := range x.pairs.ends[:n] {
		ok := x.row(i+row, from, end, parts)
		if o := x.noted; o != nil && ok && o.lie() {
			o.noteRow(f.Start[i+row], f.End[i+row])
		} else if o != nil {
			o.drop()
		}
		if !ok {
			for k := range parts {
				parts[k].Start[i+row], parts[k].End[i+row] = Absent, 0
			}
			misfits = append(misfits, i+row)
		}
		s.lookAtOthers(f, i+row)
		from = end
	}
	x.endBatch(int(from))
	return n, misfits
}

// row makes of the pairs from one to another row i of parts. It is false if a key is there twice where
// that is an error.
func (x *keyBatches) row(i int, from, to int32, parts []Fields) bool {
	keys, key := x.keys, x.first
	keys.next()
	src, known := eights{x.names.Src}, keys.seen
	starts, ends := x.names.Start[from:to], x.names.End[from:to]
	valueStarts, valueEnds := x.values.Start[from:to], x.values.End[from:to]
	for k, start := range starts {
		if x.varied > 0 {
			key = x.at(src, start, ends[k])
		} else {
			key = x.behind(key, src, start, ends[k])
		}
		c := key.column
		if c < 0 {
			keys.others = true
			if o := x.noted; o != nil {
				o.keyStart, o.keyEnd = append(o.keyStart, start), append(o.keyEnd, ends[k])
				o.valueStart, o.valueEnd = append(o.valueStart, valueStarts[k]), append(o.valueEnd, valueEnds[k])
			}
			continue
		}
		if known[c] == keys.of {
			switch keys.policy {
			case dfa.FirstDuplicate:
				continue
			case dfa.NoDuplicates:
				return false
			}
		}
		known[c] = keys.of
		part := &parts[c]
		switch start := valueStarts[k]; {
		case start < InDecoded:
			part.Start[i], part.End[i] = start, valueEnds[k]
		case start != Absent:
			part.set(i, x.values.Decoded[start&^InDecoded:valueEnds[k]])
		case keys.truth[c] != "":
			part.set(i, []byte(keys.truth[c]))
		default:
			part.Start[i], part.End[i] = Absent, 0
		}
	}
	return true
}

// behind is the key that stands in src from start up to end, behind another one. It is expected to be the one that
// came there before, which is quicker than to look for it if it is.
func (x *nextKeys) behind(before *nextKey, src eights, start, end uint32) *nextKey {
	key, size := before.next, end-start
	switch {
	case uint32(len(key.text)) != size || size == 0 || !src.has(start):
	case (src.at(start)^key.first)&key.own != 0:
	case size > 8 && (src.at(start+size-8) != key.last || size > 16 && key.text != string(src.src[start:end])):
	default:
		return key
	}
	key = x.at(src, start, end)
	x.changed += asBit(before.next != key)
	before.next = key
	return key
}

// endBatch ends a batch of so many keys: from now on they are looked for, or no more.
func (x *nextKeys) endBatch(keys int) {
	if x.varied--; x.varied < 0 {
		x.varied = variedBatches * asBit(x.changed > keys/manyChanged)
	}
	x.changed = 0
}

// at is the key that stands in src from start up to end.
func (x *nextKeys) at(src eights, start, end uint32) *nextKey {
	size := end - start
	if size == 0 || !src.has(start) {
		return x.named(src.src[start:end])
	}
	slot := &x.slots[src.slot(start, end)>>(keyBits-slotBits)]
	switch key := *slot; {
	case key == nil || uint32(len(key.text)) != size || (src.at(start)^key.first)&key.own != 0:
	case size > 8 && (src.at(end-8) != key.last || size > 16 && key.text != string(src.src[start:end])):
	default:
		return key
	}
	key := x.named(src.src[start:end])
	if key != &x.spare {
		*slot = key
	}
	return key
}

// named is the key of a text.
func (x *nextKeys) named(text []byte) *nextKey {
	key := x.all[string(text)]
	if key == nil && (len(x.all) == mostNextKeys || len(text) > longestKept) {
		x.spare.column = x.columnOf(text)
		return &x.spare
	}
	if key == nil {
		key = &nextKey{text: string(text), packed: pack(text), column: x.columnOf(text)}
		key.next = key
		x.all[key.text] = key
	}
	return key
}

// others leaves of the keys from number at on those that have no columns, with their values. The keys of
// rows end at ends, relative to at, which are changed.
func (x *nextKeys) others(keys, values *Fields, at int32, ends []int32) {
	src, to, from := eights{keys.Src}, at, at
	for i, end := range ends {
		key := x.first
		for k := from; k < at+end; k++ {
			if key = x.behind(key, src, keys.Start[k], keys.End[k]); key.column >= 0 {
				continue
			}
			keys.Start[to], keys.End[to] = keys.Start[k], keys.End[k]
			values.Start[to], values.End[to] = values.Start[k], values.End[k]
			to++
		}
		from, ends[i] = at+end, to-at
	}
	keys.cut(int(to))
	values.cut(int(to))
}
