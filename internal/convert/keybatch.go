package convert

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

// keyBatches take many maps apart at once whose keys are columns: their pairs are found by masks, then the columns of all keys of
// a batch are looked up, and the values put there, without a branch that depends on which key comes next.
type keyBatches struct {
	keys   *keys
	pairs  *pairing
	maps   *Converter // has their null tokens
	names  Fields     // of the pairs of a batch
	values Fields
	tries  tries
	noted  *others // gets the pairs of keys that have no column, nil if nobody asks
	known  knownKeys
	of     []int32         // by pair: the column of its key, below 0 if it has none
	places []keyPlaces     // by column, behind those of values that have none and, before that, of objects
	sink   []uint32        // the places of values that have no column, by row of a batch
	odd    [batchRows]bool // by row

	objects []keyedObject // in which paths lead to columns
}

// keyPlaces are where the values of a key are put.
type keyPlaces struct {
	start, end unsafe.Pointer // of the first row of a batch
	row        uint32         // the row of the batch that it was last met in, from 1 on
	column     uint32         // 1 if it is a column, 2 if it is an object
}

// knownKeys are the columns of keys that have been read, those met last by their symbols.
type knownKeys struct {
	columnOf func(key []byte) int
	all      map[string]knownKey
	slots    []keySlot
	of       []int32 // scratch memory of others
}

// knownKey is a key.
type knownKey struct {
	text   string
	column int32 // -1: it has none
}

// keySlot is a key, by its symbols. It is in the slot that they say, or has been driven by others to one of the keyWays-1
// beside it.
type keySlot struct {
	keySymbols
	second, lastBut uint64 // eight symbols behind the first and before the last ones, if there are more than 16
	size            uint32
	knownKey
}

// keySymbols are eight symbols that a key begins with, and eight that it ends with, rotated. They are all, followed by zeros,
// if there are fewer.
type keySymbols struct{ first, last uint64 }

// mostKnownKeys are kept, of at most longestKept symbols each; of up to longestFound symbols all are compared at once.
const mostKnownKeys, keySlotBits, keyWays, longestFound = 1 << 12, 9, 4, 32

// noKey is the size of a free slot.
const noKey = longestKept + 1

// newKeyBatches is nil if maps have no pairs that masks find, or more than keys matters.
func newKeyBatches(s *Splitter) *keyBatches {
	if s.trim {
		return nil
	}
	var p *pairing
	var in []*object
	if s.keys.json {
		in, p = objectsOf(s.keys), newObjectPairing(s.lex, s.keys.fast)
		if len(in) < len(s.keys.paths) {
			return nil
		}
	} else if s.keys.paths == nil && len(s.keys.leads) == 0 {
		p = newPairing(s.lex)
	}
	if p == nil {
		return nil
	}
	x := &keyBatches{keys: s.keys, pairs: p, maps: &Converter{nulls: s.nulls, tokens: newTokenSet(s.nulls)}, sink: make([]uint32, batchRows)}
	for _, o := range in {
		x.objects = append(x.objects, keyedObject{object: o})
	}
	x.known = newKnownKeys(x.columnOf)
	return x
}

// columnOf is the column of a key, -1 if it has none; of one that has a keyedObject it is inObject less its number.
func (x *keyBatches) columnOf(key []byte) int {
	is := x.keys.lookUp(key)
	for k := range x.objects {
		if is.object == x.objects[k].object {
			return inObject - k
		}
	}
	return is.column
}

func newKnownKeys(columnOf func(key []byte) int) knownKeys {
	slots := make([]keySlot, 1<<keySlotBits)
	for i := range slots {
		slots[i].size = noKey
	}
	return knownKeys{columnOf: columnOf, all: map[string]knownKey{}, slots: slots}
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
	if x.pairs.texts {
		x.tries.rest()
	} else {
		x.tries.gave(n)
	}
	if n == 0 {
		return 0, misfits
	}
	x.of = x.known.columns(x.of[:0], &x.names, 0)
	x.open(i, n, parts)
	if x.put(s, f, i, n, parts) && s.look == nil {
		x.noteAll(f, i)
		return n, misfits
	}
	from := int32(0)
	for row, end := range x.pairs.ends[:n] {
		ok := true
		if x.odd[row] && s.keys.json && len(s.keys.leads) > 0 { // how a value is written matters
			ResetRow(parts, i+row)
			if !s.Row(f, i+row, parts) {
				misfits = append(misfits, i+row)
			}
			from = end
			continue
		}
		if x.odd[row] {
			ok = x.oddRow(s, f, i+row, from, end, parts)
		} else {
			s.keys.others = slices.ContainsFunc(x.of[from:end], func(column int32) bool { return column < 0 })
		}
		if ok {
			x.note(f, i+row, from, end)
		} else {
			ResetRow(parts, i+row)
			misfits = append(misfits, i+row)
		}
		s.lookAtOthers(f, i+row)
		from = end
	}
	return n, misfits
}

// open prepares the places of n rows of parts from row i on.
func (x *keyBatches) open(i, n int, parts []Fields) {
	sink := unsafe.Pointer(unsafe.SliceData(x.sink[:n]))
	x.places = x.places[:0]
	for k := len(x.objects) - 1; k >= 0; k-- {
		x.places = append(x.places, x.objects[k].open(n))
	}
	x.places = append(x.places, keyPlaces{start: sink, end: sink})
	for k := range parts {
		p := &parts[k]
		x.places = append(x.places, keyPlaces{
			start: unsafe.Pointer(unsafe.SliceData(p.Start[i : i+n])), end: unsafe.Pointer(unsafe.SliceData(p.End[i : i+n])), column: 1})
	}
}

// put puts the values of n rows of f from row i on where the batch has them, and says whether no row is odd. Rows are odd, and left to row, if not
// all of their values lie in the input, or a key is there twice of which not the last value counts.
func (x *keyBatches) put(s *Splitter, f *Fields, i, n int, parts []Fields) bool {
	if x.keys.json {
		return x.putObjects(s, f, i, n, parts)
	}
	last, odd, from := x.keys.policy == dfa.LastDuplicate, false, int32(0)
	for row, end := range x.pairs.ends[:n] {
		high, twice := x.putRow(row, x.of[from:end], x.values.Start[from:end], x.values.End[from:end])
		x.odd[row] = high >= InDecoded || twice != 0 && !last
		odd = odd || x.odd[row]
		from = end
	}
	return !odd
}

// putRow is put for the values of one row: high has the bits that any of starts has, and twice is not 0 if a column is there
// twice.
func (x *keyBatches) putRow(row int, of []int32, starts, ends []uint32) (high, twice uint32) {
	places, number := unsafe.Pointer(unsafe.SliceData(x.places)), uint32(row)+1
	ends, of = ends[:len(starts)], of[:len(starts)]
	for k, start := range starts {
		p := (*keyPlaces)(unsafe.Add(places, uintptr(of[k]+1)*unsafe.Sizeof(keyPlaces{}))) // one a column, and that of -1
		twice |= p.column & uint32(asBit(p.row == number))
		p.row = number
		*(*uint32)(unsafe.Add(p.start, 4*row)) = start // a place has as many rows as the batch
		*(*uint32)(unsafe.Add(p.end, 4*row)) = ends[k]
		high |= start
	}
	return high, twice
}

// row puts the values of the pairs from one to another into row i of parts, one by one. It is false if a key is there twice
// where that is an error.
func (x *keyBatches) row(i int, from, to int32, parts []Fields) bool {
	keys := x.keys
	keys.next()
	for k := from; k < to; k++ {
		c := x.of[k]
		if c < 0 {
			keys.others = true
			continue
		}
		if keys.seen[c] == keys.of {
			switch keys.policy {
			case dfa.FirstDuplicate:
				continue
			case dfa.NoDuplicates:
				return false
			}
		}
		keys.seen[c] = keys.of
		part := &parts[c]
		switch start := x.values.Start[k]; {
		case start < InDecoded:
			part.Start[i], part.End[i] = start, x.values.End[k]
		case start != Absent:
			part.set(i, x.values.Decoded[start&^InDecoded:x.values.End[k]])
		case keys.truth[c] != "":
			part.set(i, []byte(keys.truth[c]))
		default:
			part.Start[i], part.End[i] = Absent, 0
		}
	}
	return true
}

// note notes those of the pairs from one to another, which are those of row i of f, whose keys have no column, if none of
// their values is decoded.
func (x *keyBatches) note(f *Fields, i int, from, to int32) {
	o := x.noted
	if o == nil {
		return
	}
	x.keepOthers(from, to)
	if o.lie() {
		o.noteRow(f.Start[i], f.End[i])
	} else {
		o.drop()
	}
}

// noteAll is note for all rows of a batch, the first of which is row i of f and none of which is odd.
func (x *keyBatches) noteAll(f *Fields, i int) {
	o := x.noted
	if o == nil {
		return
	}
	pairs, from := len(o.keyStart), int32(0)
	x.keepOthers(0, int32(len(x.of)))
	for row, end := range x.pairs.ends {
		for _, column := range x.of[from:end] {
			pairs += int(uint32(column) >> 31)
		}
		o.rows = append(o.rows, otherRow{f.Start[i+row], f.End[i+row], pairs})
		from = end
	}
}

// keepOthers adds those of the pairs from one to another whose keys have no column to those noted.
func (x *keyBatches) keepOthers(from, to int32) {
	of, o := x.of[from:to], x.noted
	o.keyStart = appendMarked(o.keyStart, x.names.Start[from:to], of)
	o.keyEnd = appendMarked(o.keyEnd, x.names.End[from:to], of)
	o.valueStart = appendMarked(o.valueStart, x.values.Start[from:to], of)
	o.valueEnd = appendMarked(o.valueEnd, x.values.End[from:to], of)
}

// appendMarked appends those of src whose marks are negative to dst.
func appendMarked(dst, src []uint32, marks []int32) []uint32 {
	n := len(dst)
	dst = slices.Grow(dst, len(marks)+keptRoom)
	return dst[:n+keepMarked(dst[n:n+len(marks)+keptRoom], src, marks)]
}

// keptRoom is how many values beyond those that are there may be written.
const keptRoom = 15

// keepMarkedGeneric copies those of src whose marks are negative to dst, which may be at src or before it, and gives how many
// they are.
func keepMarkedGeneric(dst, src []uint32, marks []int32) (kept int) {
	src = src[:len(marks)]
	for i, mark := range marks {
		dst[kept] = src[i]
		kept += int(uint32(mark) >> 31)
	}
	return kept
}

// columns appends the columns of the keys from number from on to dst, -1 for those that have none.
func (x *knownKeys) columns(dst []int32, keys *Fields, from int32) []int32 {
	starts, ends, src := keys.Start[from:], keys.End[from:], eights{keys.Src}
	had := len(dst)
	dst = slices.Grow(dst, len(starts))[:had+len(starts)]
	of := dst[had:]
	for k := x.find(of, src, starts, ends); k < len(starts); k++ {
		start, end := starts[k], ends[k]
		of[k] = x.column(src, start, end)
		k += x.find(of[k+1:], src, starts[k+1:], ends[k+1:])
	}
	return dst
}

// find gives keys in src their columns, up to one that is not in its slot, and says how many they are.
func (x *knownKeys) find(of []int32, src eights, starts, ends []uint32) int {
	if len(of) == 0 || len(src.src) < 8 {
		return 0
	}
	starts, ends = starts[:len(of)], ends[:len(of)]
	text, slots := unsafe.Pointer(unsafe.SliceData(src.src)), unsafe.Pointer(unsafe.SliceData(x.slots[:1<<keySlotBits]))
	start0, end0, of0 := unsafe.Pointer(&starts[0]), unsafe.Pointer(&ends[0]), unsafe.Pointer(&of[0])
	last := uint32(min(uint64(len(src.src))-8, 1<<31-1))
	k, n := uintptr(0), uintptr(len(of))
	for ; k < n; k++ { // few registers are left: with slices some would be kept in memory
		start, end := *(*uint32)(unsafe.Add(start0, 4*k)), *(*uint32)(unsafe.Add(end0, 4*k))
		size := end - start
		few := min(size, 8)
		if end-few > last || size > longestFound {
			break
		}
		own := ownBytes[few&15]
		s := keySymbols{*(*uint64)(unsafe.Add(text, start)) & own, bits.RotateLeft64(*(*uint64)(unsafe.Add(text, end-few))&own, keyRotation)}
		key := (*keySlot)(unsafe.Add(slots, s.slot(size)*uint64(unsafe.Sizeof(keySlot{})))) // one of 1<<keySlotBits
		if (key.first^s.first)|(key.last^s.last)|uint64(key.size^size) != 0 {
			break
		}
		if size > 16 && (*(*uint64)(unsafe.Add(text, start+8))^key.second)|(*(*uint64)(unsafe.Add(text, end-16))^key.lastBut) != 0 {
			break
		}
		*(*int32)(unsafe.Add(of0, 4*k)) = key.column
	}
	return int(k)
}

// keyRotation is by how much the last symbols are rotated, so that they are no zeros with the first ones where both are alike.
const keyRotation = 29

// slot is where a key of such symbols and size belongs.
func (s keySymbols) slot(size uint32) uint64 {
	return (s.first ^ s.last ^ uint64(size)) * 0x9e3779b97f4a7c15 >> (64 - keySlotBits)
}

// ownBytes[n] are the lower n bytes of a word, up to eight.
var ownBytes = func() (own [16]uint64) {
	for n := range own {
		own[n] = 1<<(8*min(n, 8)) - 1
	}
	return own
}()

// column is the column of the key in src from start up to end, -1 if it has none. If it is kept, it is in its slot from now on, or
// in one beside it.
func (x *knownKeys) column(src eights, start, end uint32) int32 {
	text, size := src.src[start:end], end-start
	few := min(size, 8)
	if !src.has(end-few) || size > longestKept {
		return x.named(text).column
	}
	own := ownBytes[few]
	s := keySymbols{src.at(start) & own, bits.RotateLeft64(src.at(end-few)&own, keyRotation)}
	slot := s.slot(size)
	last := uint64(keyWays - 1) // or the first free one
	for way := last; way < keyWays; way-- {
		key := &x.slots[slot^way]
		if key.size == noKey {
			last = way
		} else if key.size == size && key.text == string(text) {
			return key.column
		}
	}
	known := x.named(text)
	if known.text != string(text) {
		return known.column
	}
	for way := last; way > 0; way-- {
		x.slots[slot^way] = x.slots[slot^(way-1)]
	}
	key := &x.slots[slot]
	*key = keySlot{keySymbols: s, size: size, knownKey: known}
	if size > 16 {
		key.second, key.lastBut = src.at(start+8), src.at(end-16)
	}
	return key.column
}

// named is the key that is text; it has no text if it is not kept.
func (x *knownKeys) named(text []byte) knownKey {
	if known, ok := x.all[string(text)]; ok {
		return known
	}
	column := int32(x.columnOf(text))
	if len(x.all) == mostKnownKeys || len(text) > longestKept {
		return knownKey{column: column}
	}
	known := knownKey{string(text), column}
	x.all[known.text] = known
	return known
}

// others leaves of the keys from number at on those that have no columns, with their values. The keys of
// rows end at ends, relative to at, which are changed.
func (x *knownKeys) others(keys, values *Fields, at int32, ends []int32) {
	x.of = x.columns(x.of[:0], keys, at)
	for _, all := range [][]uint32{keys.Start, keys.End, values.Start, values.End} {
		keepMarkedGeneric(all[at:], all[at:], x.of)
	}
	from, kept := int32(0), int32(0)
	for i, end := range ends {
		for _, column := range x.of[from:end] {
			kept += int32(uint32(column) >> 31)
		}
		from, ends[i] = end, kept
	}
	keys.cut(int(at + kept))
	values.cut(int(at + kept))
}
