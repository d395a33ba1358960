package cpu

import (
	"math/bits"
	"slices"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// What the machine has. Tests take it away.
var (
	hasBMI   = cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT
	hasAVX2  = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPCLMULQDQ && cpu.X86.HasPOPCNT
	hasVBMI2 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2
	hasLanes = hasVBMI2 && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VPCLMULQDQ
)

// Vectors says what vector code the engine runs on this processor: "AVX-512", "AVX-512 without VPCLMULQDQ",
// "AVX2" or "none".
func Vectors() string {
	switch {
	case hasLanes:
		return "AVX-512"
	case hasVBMI2:
		return "AVX-512 without VPCLMULQDQ"
	case hasAVX2:
		return "AVX2"
	}
	return "none"
}

// strip reads the blocks of src, at most a strip, and gives how many there are
// before one in which something is odd.
func (k *marker) strip(src []byte, marks []mark, records []uint32) int {
	n := len(src) / blockSize
	if n == 0 || !hasAVX2 || !k.vectors {
		return k.stripGeneric(src, marks, records)
	}
	_, _ = marks[k.nmarks+marksRoom-1], records[k.nrecords+marksRoom-1]
	k.src, k.marks, k.records = &src[0], &marks[0], &records[0]
	lanes := hasLanes && k.few
	switch {
	case lanes && n%laneBlocks == 0:
		return k.stripLanes(src)
	case k.passing == 0 && k.afterPassed == 0:
	case lanes && k.passing >= passingBlocks-stripBlocks: // so that what lanes leave of a run ends no batch
		return k.stripGeneric(src, marks, records)
	default:
		return k.passingInGo(src, marks, records)
	}
	k.left = n
	p := (*uint64)(unsafe.Pointer(k))
	switch {
	case k.bracket && k.leading:
		markBracketedLedAVX2(p)
	case k.quote && k.leading:
		markQuotedLedAVX2(p)
	case k.leading:
		markBareLedAVX2(p)
	case k.bracket:
		markBracketedAVX2(p)
	case k.quote:
		markQuotedAVX2(p)
	default:
		markBareAVX2(p)
	}
	return k.left
}

// stripLanes is strip for a multiple of laneBlocks.
func (k *marker) stripLanes(src []byte) int {
	if k.bitmaps == nil {
		k.bitmaps = new(bitmaps)
		k.bitmaps.reset(k.roles)
	}
	b, n := k.bitmaps, len(src)/blockSize
	b.begin(k, b.lookUp(k.roles, src))
	found := b.of
	passing := k.takePassed(&b.of, n)
	read := b.findEnds(k, n)
	if passing {
		b.of = found
		k.leavePassed(read)
	}
	if read < n {
		b.cut(read)
	}
	if b.hasLeads {
		b.note(k.leads, read, k.number, k.offset)
	}
	b.writeMarks(k)
	k.offset += read * blockSize
	return read
}

// findEnds finds the ends in the first n blocks of a strip, a multiple of laneBlocks, and gives how many blocks there are
// before one in which something is odd.
func (b *bitmaps) findEnds(k *marker, n int) (read int) {
	p, q := (*uint64)(unsafe.Pointer(k)), (*uint64)(unsafe.Pointer(b))
	switch {
	case b.hasBrackets && b.hasLeads:
		read = endsBracketedLedAVX512(p, q, n)
	case b.hasQuotes && b.hasLeads:
		read = endsQuotedLedAVX512(p, q, n)
	case b.hasLeads:
		read = endsBareLedAVX512(p, q, n)
	case b.hasBrackets:
		read = endsBracketedAVX512(p, q, n)
	case b.hasQuotes:
		read = endsQuotedAVX512(p, q, n)
	default:
		read = endsBareAVX512(p, q, n)
	}
	return read
}

// writeMarks writes the marks of the ends that have been found, and the numbers of those that end records.
func (b *bitmaps) writeMarks(k *marker) {
	p, q := (*uint64)(unsafe.Pointer(k)), (*uint64)(unsafe.Pointer(b))
	if b.hasQuotes || b.hasBrackets {
		emitEnclosedAVX512(p, q)
	} else {
		emitBareAVX512(p, q)
	}
}

// markFrom marks the ends in the strip src, which has symbols of some classes, from symbol number first of a block on. It ends
// before the first symbol that is odd, whose offset in the strip it gives; -1 if there is none.
func (b *bitmaps) markFrom(k *masked, src []byte, classes uint8, block int, first uint) (odd int) {
	m, found, n := &k.marker, b.of, len(src)/blockSize-block
	whole := b.without(block, first)
	_, _, _ = k.marks[k.nmarks+marksRoom-1], k.records[k.nrecords+marksRoom-1], src[block*blockSize]
	m.src, m.marks, m.records, m.offset = &src[block*blockSize], &k.marks[0], &k.records[0], block*blockSize+1
	b.begin(m, classes)
	for i, of := range found {
		if of != &b.none {
			b.of[i] = (*[stripBlocks]uint64)(unsafe.Add(unsafe.Pointer(of), block*int(unsafe.Sizeof(of[0]))))
		}
	}
	read := b.findEnds(m, (n+laneBlocks-1)/laneBlocks*laneBlocks) // what is read behind the strip counts for nothing
	b.of = found
	b.restore(block, &whole)
	if odd = -1; read < n {
		odd = (block+read)*blockSize + bits.TrailingZeros64(m.odd)
		b.cutAt(read, m.odd)
	} else {
		b.cut(n)
	}
	b.writeMarks(m)
	return odd
}

// hasLookUp reports whether there is vector code for bitmaps.lookUp.
func hasLookUp() bool { return hasLanes }

// hasMarkers reports whether there is vector code that marks block by block.
func hasMarkers() bool { return hasAVX2 }

// emit is emitGeneric.
func (x *near) emit(k *masked, ends, lasts []uint64) {
	b := x.bitmaps
	if !hasLanes || b == nil {
		x.emitGeneric(k, ends, lasts)
		return
	}
	_, _ = k.marks[marksRoom], k.records[marksRoom] // of as many as a strip has, and what is written beyond
	b.some, b.lasts = 0, 0
	for i, set := range ends {
		b.some |= min(set, 1) << i
		b.lasts |= min(lasts[i], 1) << i
	}
	copy(b.ends[:], ends)
	copy(b.emit[:], ends)
	copy(b.records[:], lasts)
	k.marker.marks, k.marker.records = &k.marks[0], &k.records[0]
	emitBareAVX512((*uint64)(unsafe.Pointer(&k.marker)), (*uint64)(unsafe.Pointer(b)))
}

// lookUp finds the symbols of all roles in src, which is a multiple of laneBlocks, and gives their classes.
func (b *bitmaps) lookUp(r *roles, src []byte) uint8 {
	for {
		classes := uint8(lookUpAVX512(&b.masks[0][0], &src[0], len(src)/blockSize, &r.classes[0], &b.keys[0], b.nkeys))
		if classes&^b.wanted == 0 {
			return classes
		}
		b.want(r, b.wanted|classes)
	}
}

// alike is alikeGeneric.
func alike(records []uint32, n uint32) int {
	if !hasAVX2 || len(records) <= 8 {
		return alikeGeneric(records, n)
	}
	i := alikeAVX2(&records[1], len(records)-1, n)
	return i + alikeGeneric(records[i:], n)
}

// fewScattered is how many rows are filled as fast one by one.
const fewScattered = 3

// scatter is scatterGeneric. All columns have the same number of rows.
func scatter(columns []plainColumn, checks []scatterColumn, marks []mark, first, nrows int, delta uint32) bool {
	n, most := len(columns), max(nrows, scatterRows)
	if !hasAVX2 || nrows < fewScattered || len(marks) < most*n+scatterRows || first+most > len(columns[0].start) {
		return scatterGeneric(columns, checks, marks, first, nrows, delta)
	}
	run := func(row, nrows int) bool {
		return scatterAVX2((*uintptr)(unsafe.Pointer(&checks[0])), n, (*uint32)(&marks[row*n]), first+row, nrows, delta) == 0
	}
	if nrows < scatterRows { // what is written behind them will be written over
		return run(0, scatterRows) || scatterGeneric(columns, checks, marks, first, nrows, delta)
	}
	ok := run(0, nrows&^(scatterRows-1))
	if nrows%scatterRows != 0 { // the last rows once more
		ok = run(nrows-scatterRows, scatterRows) && ok
	}
	return ok
}

// makeEven is evenGeneric. There is room in to for scatterRows marks more.
func makeEven(to []mark, most int, marks []mark, last int, records []uint32) {
	begins := last // of the last record
	if n := len(records); n > 1 {
		begins = int(records[n-2])
	}
	if !hasAVX2 || begins+most+scatterRows > len(marks) || len(records)*(most+1)+scatterRows > len(to) {
		evenGeneric(to, most, marks, last, records)
		return
	}
	evenAVX2((*uint32)(&to[0]), most, (*uint32)(&marks[0]), last, &records[0], len(records))
}

// missing is missingGeneric, of records of which none has fewer than least fields. Behind their rows may be others that are
// written over.
func missing(columns []plainColumn, least, first, last int, records []uint32) {
	n := (len(records) + scatterRows - 1) &^ (scatterRows - 1)
	if !hasAVX2 || first+n > len(columns[0].start) {
		missingGeneric(columns, first, last, records)
		return
	}
	for _, c := range columns[least:] {
		missingAVX2(&c.start[first], &c.end[first], n)
	}
}

func appendUndoubled(dst, value []byte, quote byte) []byte {
	if !hasVBMI2 || len(value) == 0 {
		return appendUndoubledGeneric(dst, value, quote)
	}
	n := len(dst)
	dst = slices.Grow(dst, len(value)+blockSize)
	n += undoubleAVX512(unsafe.SliceData(dst[n:cap(dst)]), &value[0], len(value), uint64(quote))
	return dst[:n]
}

func appendWithout(dst, value []byte, symbol byte) []byte {
	if !hasVBMI2 || len(value) == 0 {
		return appendWithoutGeneric(dst, value, symbol)
	}
	n := len(dst)
	dst = slices.Grow(dst, len(value)+blockSize)
	n += withoutAVX512(unsafe.SliceData(dst[n:cap(dst)]), &value[0], len(value), uint64(symbol))
	return dst[:n]
}

// separate takes the fields apart that have the form of s.separated; the others
// are left.
func (s *split) separate(f *convert.Fields) {
	x, n := s.separated, f.Len()
	if !hasAVX2 || len(f.Src) == 0 || !hasVBMI2 && len(f.Src) < blockSize {
		s.left = x.separateGeneric(f, s.parts, s.left[:0])
		return
	}
	s.columns = s.columns[:0]
	for _, c := range x.columns {
		s.columns = append(s.columns, partColumn{&s.parts[c].Start[0], &s.parts[c].End[0]})
	}
	s.left = slices.Grow(s.left[:0], n)[:n]
	run := separateAVX2
	if hasVBMI2 {
		run = separateAVX512
	}
	last := uint64(len(f.Src) - blockSize)
	s.left = s.left[:run((*uintptr)(unsafe.Pointer(&s.columns[0])), len(s.columns), &f.Src[0], &f.Start[0], &f.End[0], n, uint64(x.separator), &s.left[0], last)]
}

// listPlaces is listPlacesGeneric. It reports as well whether it is certain that no symbol that is sought has come.
// The table is that of several workers.
func listPlaces(places []uint32, src []byte, group *[256]uint8, t *placeTable) (n int, none bool) {
	_ = places[len(src)+blockSize]
	switch {
	case hasVBMI2 && t.uniform:
		few := 16
		if t.dense {
			few = 0 // no branch that depends on their number
		}
		n, groups := listPlacesAVX512(&places[0], &src[0], len(src)/blockSize, &t.below[0], few)
		return n, groups&placeSought == 0
	case hasAVX2 && t.slotted && t.many:
		return listPlacesAVX2(&places[0], &src[0], len(src)/blockSize, &t.slots.moves[0], &placePicks[0][0][0]), false
	}
	return listPlacesGeneric(places, src, group, t), false
}

// placePicks are by byte of a mask how eight numbers and eight groups are shuffled to the places that it lists.
var placePicks = func() (picks [256][8][4]byte) {
	const none = 0x80
	for mask := range picks {
		n := 0
		for i := range byte(8) {
			if mask>>i&1 != 0 {
				picks[mask][n] = [4]byte{i, none, none, 8 + i}
				n++
			}
		}
	}
	return picks
}()

func placesOf(places []uint32, masks []uint64, src []byte, at uint32, marked *[256]uint32) int {
	if !hasBMI || len(masks) == 0 {
		return placesOfGeneric(places, masks, src, at, marked)
	}
	_, _ = src[len(masks)*blockSize-1], places[len(src)+3]
	return placesOfBMI(&places[0], &masks[0], len(masks), &src[0], at, &marked[0])
}

func emit(marks []mark, sets []uint64, offset mark) int {
	if !hasBMI || len(sets) == 0 {
		return emitGeneric(marks, sets, offset)
	}
	_ = marks[len(sets)*blockSize+7]
	return emitBMI((*uint32)(&marks[0]), &sets[0], len(sets), uint32(offset))
}

// emit is emitGeneric.
func (x *runs) emit(marks []mark, sets *[stripBlocks]uint64, n int, offset mark, enclosed bool) int {
	b, k := x.bitmaps, &x.emitter
	if !hasLanes || b == nil {
		return x.emitGeneric(marks, sets, n, offset, enclosed)
	}
	_ = marks[marksRoom-1]
	k.marks, k.records, k.nmarks, k.offset = &marks[0], (*uint32)(&marks[0]), 0, int(offset)
	b.some, b.lasts, b.emit = uint64(1)<<n-1, 0, *sets
	if enclosed {
		b.quoted, b.other = x.quoted, x.doubled
		emitEnclosedAVX512((*uint64)(unsafe.Pointer(k)), (*uint64)(unsafe.Pointer(b)))
	} else {
		emitBareAVX512((*uint64)(unsafe.Pointer(k)), (*uint64)(unsafe.Pointer(b)))
	}
	return k.nmarks
}

// steps is stepsGeneric.
func (r *laneRun) steps(n int) {
	laneSteps((*uint64)(unsafe.Pointer(&r.lanes)), (*uint64)(r.table), (*uint64)(r.events), n)
}

func markGaps(places []uint32, gap uint32) {
	n := 0
	if hasAVX2 && len(places) > 8 {
		n = (len(places) - 1) &^ 7
		markGapsAVX2(&places[0], n, gap)
	}
	markGapsGeneric(places[n:], gap)
}

// packer is what takes rows out of columns of fixed width; nil: it takes no vectors.
func packer() columns.Packer {
	if !hasVBMI2 {
		return nil
	}
	return pack
}

func pack(values unsafe.Pointer, width int, stay []uint64, nrows int) (stayed, done int) {
	if done = nrows &^ 15; done == 0 {
		return 0, 0
	}
	_ = stay[(done-1)>>6]
	switch p := (*byte)(values); width {
	case 4:
		return pack32AVX512(p, &stay[0], done), done
	case 8:
		return pack64AVX512(p, &stay[0], done), done
	case 16:
		return pack128AVX512(p, &stay[0], done), done
	}
	return 0, 0
}

// firstBit is the number of the lowest bit of set, 64 if there is none. Where BMI1 is not taken for granted, the
// compiler has only BSF for that, which takes eight operations on many processors: to count the bits below takes
// fewer.
func firstBit(set uint64) int { return bits.OnesCount64((set - 1) &^ set) }

// hasLeaps reports whether there is vector code for leaps.
func hasLeaps() bool { return hasAVX2 }

func leapVector(l *leap) {
	if hasLanes {
		leapAVX512((*uint64)(unsafe.Pointer(l)))
	} else {
		leapAVX2((*uint64)(unsafe.Pointer(l)))
	}
}

// seriesVector is 0 if all records have taken the series.
func seriesVector(l *seriesLeap) (any uint32) {
	if hasLanes {
		return seriesAVX512((*uint64)(unsafe.Pointer(l)))
	}
	return seriesAVX2((*uint64)(unsafe.Pointer(l)))
}

func feeds(places []uint32, j int, feed uint32, start, first []uint32, most int) int {
	if !hasAVX2 || len(places) == 0 {
		return feedsGeneric(places, j, feed, start, first, most)
	}
	_, _ = start[most+15], first[most+15]
	if !hasLanes {
		whole := j + max(len(places)-j, 0)&^31
		n := feedsAVX2(&places[0], j, whole, feed, &start[0], &first[0], most)
		return n + feedsGeneric(places, whole, feed, start[n:], first[n:], most-n)
	}
	return feedsAVX512(&places[0], j, len(places), feed, &start[0], &first[0], most)
}

// recallStrays is recallGeneric.
func (b *abreast) recallStrays(number, paths uint32) {
	if !hasLanes {
		b.recallGeneric(number, paths)
		return
	}
	recallAVX512((*uint64)(unsafe.Pointer(&b.walkers)), (*uint64)(unsafe.Pointer(&b.strays)), &b.ran[0], number, paths)
}

// strayed is straysGeneric.
func (b *abreast) strayed(i uint8) {
	if !hasLanes {
		b.straysGeneric(i)
		return
	}
	from := b.strays.n
	straysAVX512((*uint64)(unsafe.Pointer(&b.strays)), (*uint64)(unsafe.Pointer(&b.walkers)))
	b.markRan(from, i)
}

// markRan notes of the strays from one number on that they left path number i.
func (b *abreast) markRan(from int, i uint8) {
	for r := range b.ran[from:b.strays.n] {
		b.ran[from+r] = i
	}
}

func hasWalkers() bool { return hasLanes }

// letGo is letGoGeneric.
func (b *abreast) letGo(i uint8, hop uint32) {
	if !hasLanes {
		b.letGoGeneric(i, hop)
		return
	}
	from := b.strays.n
	letGoAVX512((*uint64)(unsafe.Pointer(&b.strays)), (*uint64)(unsafe.Pointer(&b.walkers)), hop)
	b.markRan(from, i)
	b.whole = false
}

// numberLeft is numberLeftGeneric.
func (b *abreast) numberLeft(hop int) int {
	if !hasLanes {
		return b.numberLeftGeneric(hop)
	}
	return numberLeftAVX512(&b.left[0], b.n, uint32(hop))
}

// toLineEnd is toLineEndGeneric.
func (b *abreast) toLineEnd(less uint32) {
	if !hasLanes || !b.whole {
		b.toLineEndGeneric(less)
		return
	}
	toLineEndAVX512(&b.place[0], &b.left[0], &b.first[1], (*uint8)(&b.further[0]), less, b.n)
}

// take is takeGeneric.
func (b *abreast) take(longest uint32, class uint8) (took int) {
	if !hasLanes {
		return b.takeGeneric(longest, class)
	}
	return takeAVX512(&b.start[0], &b.at[0], &b.ended[0], &b.left[0], &b.end[0], &b.shape[0], longest, uint32(class), b.n, &b.others[0])
}
