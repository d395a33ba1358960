package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// placeTable says of each symbol its group, whether it is listed, and whether it is sought.
type placeTable struct {
	below   [128]byte // by symbol: group, placeMark if it is listed, placeSought if it is sought
	above   byte      // for those from 128 on,
	uniform bool      // which are alike
	listed  *symbols.Set
	slots   placeSlots
	slotted bool
	sought  uint64 // groups whose symbols are sought, all of them below 128
	many    bool   // whether there may be manyPlaces of a block, or more,
	dense   bool   // or densePlaces
}

// manyPlaces of a block are about as many as are listed by slots, which take the same for none and for all, in the time
// that it takes one by one.
const manyPlaces = 3

// densePlaces of a block are so many that in others there are often more than 16.
const densePlaces = 9

// placeSlots has a slot for each listed symbol: its lower four bits, moved by what its upper ones have, so that no two
// have the same.
type placeSlots struct {
	moves   [16]byte // by upper four bits
	symbols [16]byte // by slot; noSymbol if it is free
	groups  [16]byte // as in placeTable
}

// noSymbol has no slot.
const noSymbol = 255

// set gives the listed symbols slots. It reports whether each has got one: none of those from 128 on does.
func (s *placeSlots) set(listed *dfa.Set, t *placeTable) bool {
	*s = placeSlots{}
	for i := range s.symbols {
		s.symbols[i] = noSymbol
	}
	tries := mostTries
	if listed[2]|listed[3] != 0 || !s.move(listed, 0, 0, &tries) {
		return false
	}
	for c, of := range t.below {
		if listed.Has(byte(c)) {
			slot := byte(c)&15 ^ s.moves[c>>4]
			s.symbols[slot], s.groups[slot] = byte(c), of&^placeSought
		}
	}
	return true
}

// mostTries are how many moves are tried for all listed symbols; more would cost more than they gain.
const mostTries = 1000

// move chooses moves for the symbols below 128 whose upper four bits are upper or more, where slots are taken.
func (s *placeSlots) move(listed *dfa.Set, upper int, taken uint16, tries *int) bool {
	if upper == 8 {
		return true
	}
	lower := uint16(listed[upper>>2] >> (16 * (upper & 3)))
	for by := range 16 {
		if *tries--; *tries < 0 {
			return false
		}
		var slots uint16
		for low := range 16 {
			slots |= lower >> low & 1 << (low ^ by)
		}
		if s.moves[upper] = byte(by); slots&taken == 0 && s.move(listed, upper+1, taken|slots, tries) {
			return true
		}
		if lower == 0 {
			break
		}
	}
	return false
}

// set makes the table list the symbols of some groups, and seek those of others.
func (t *placeTable) set(group *[256]uint8, listed, sought uint64) {
	var set dfa.Set
	t.uniform = true
	for _, g := range group[128:] {
		sought &^= 1 << g
	}
	t.sought = sought
	for c, g := range group {
		of := g
		if listed>>g&1 != 0 {
			of |= placeMark
			set[c>>6] |= 1 << (c & 63)
		}
		if c < 128 {
			t.below[c] = of
			if sought>>g&1 != 0 {
				t.below[c] |= placeSought
			}
			continue
		}
		if c > 128 && of != t.above {
			t.uniform = false
		}
		t.above = of
	}
	t.listed = symbols.NewSet(set)
	t.slotted = t.slots.set(&set, t)
}

// list makes the window the symbols from offset from on, and lists its places. It
// reports whether there are symbols enough.
func (k *hopper) list(data []byte, from int) bool {
	nblocks := k.size / blockSize
	k.final = false
	if left := (len(data) - from - 2*maxSymbols) / blockSize; left <= nblocks {
		nblocks, k.final = left, true
	}
	if nblocks <= 0 {
		k.to = 0
		return false
	}
	if k.grew || k.table.listed == nil || k.asked != k.askedOf {
		k.grew, k.askedOf = false, k.asked
		k.table.set(&k.group, k.listed, k.asked)
	}
	k.from, k.to, k.at = from, from+nblocks*blockSize, 0
	k.searched, k.present, k.pairs, k.unpaired = 0, 0, unknown, sought{}
	k.restartSpans(nblocks)
	k.places = grow(k.places, nblocks*blockSize+blockSize+1)
	nplaces, none := listPlaces(k.places, data[from:k.to], &k.group, &k.table)
	if k.nplaces = nplaces; none {
		k.searched = k.table.sought
	}
	k.table.many, k.table.dense = nplaces > manyPlaces*nblocks, nplaces > densePlaces*nblocks
	for i := range maxSymbols + 1 { // a hop may compare symbols behind the window, which are no places
		k.places[k.nplaces+i] = 1<<32 - 1
	}
	return true
}

// listPlacesGeneric writes the places of the listed symbols of src, whole blocks, and
// gives their number. It writes by fours, whether there are as many or not.
func listPlacesGeneric(places []uint32, src []byte, group *[256]uint8, t *placeTable) (n int) {
	var masks [16]uint64
	var marked [256]uint32
	for c, g := range group {
		marked[c] = (placeMark | uint32(g)) << placeGroup
	}
	for from := 0; from < len(src); from += len(masks) * blockSize {
		part := src[from:min(from+len(masks)*blockSize, len(src))]
		t.listed.FindBlocks(masks[:len(part)/blockSize], part)
		n += placesOf(places[n:], masks[:len(part)/blockSize], part, uint32(from), &marked)
	}
	return n
}

// placesOfGeneric writes the places of the symbols of src that masks have, with what is marked for
// them. The first is at offset at.
func placesOfGeneric(places []uint32, masks []uint64, src []byte, at uint32, marked *[256]uint32) (n int) {
	for b, set := range masks {
		block := (*[blockSize]byte)(src[b*blockSize:])
		out := places[n:]
		n += bits.OnesCount64(set)
		for set != 0 {
			four := (*[4]uint32)(out)
			q0 := firstBit(set) & (blockSize - 1)
			set &= set - 1
			q1 := firstBit(set) & (blockSize - 1)
			set &= set - 1
			q2 := firstBit(set) & (blockSize - 1)
			set &= set - 1
			q3 := firstBit(set) & (blockSize - 1)
			set &= set - 1
			four[0], four[1] = marked[block[q0]]|(at+uint32(q0)), marked[block[q1]]|(at+uint32(q1))
			four[2], four[3] = marked[block[q2]]|(at+uint32(q2)), marked[block[q3]]|(at+uint32(q3))
			out = out[4:]
		}
		at += blockSize
	}
	return n
}
