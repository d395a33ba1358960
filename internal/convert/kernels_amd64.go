package convert

import (
	"math"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// What the machine has. Tests take it away.
var (
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512CD && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
	hasVBMI   = hasAVX512 && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasAVX512VPCLMULQDQ && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
	hasAVX2   = cpu.X86.HasAVX2
)

// hasBits is for code that takes bits out of masks.
var hasBits = cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPCLMULQDQ && cpu.X86.HasPOPCNT

// trimRows writes the places of fields without the blanks around them, up to one that
// has to be done otherwise, and gives how many these are.
func trimRows(src []byte, start, end, from, to []uint32) (done int) {
	const reach = 64
	if !hasAVX2 || !hasBits || len(start) == 0 || len(src) < reach {
		return 0
	}
	last := min(uint64(len(src)-reach), uint64(InDecoded-1))
	return trimAVX2(&src[0], &start[0], &end[0], &from[0], &to[0], len(start), last)
}

// findAbsent adds the rows that are absent, or empty where that is null, to a set that has none, and gives how many rows
// it has looked at.
func findAbsent(set rowSet, start, end []uint32, emptyIsNull bool) int {
	groups := len(start) / groupRows
	if !hasAVX2 || groups == 0 {
		return 0
	}
	findAbsentAVX2(&start[0], &end[0], groups, (*byte)(unsafe.Pointer(&set[0])), uint32(-asBit(emptyIsNull)))
	return groups * groupRows
}

// assembly is a kernel as it is generated: b is a rowGroups, p are params.
type assembly func(b *uintptr, p *uint64)

// choose gives the best kernel that the machine runs, nil if it runs none.
func choose(avx512, avx2 assembly) kernel {
	run := avx512
	if !hasAVX512 {
		run = avx2
	}
	if run == nil || !hasAVX512 && !hasAVX2 {
		return nil
	}
	return func(g *rowGroups, p *params) { run((*uintptr)(unsafe.Pointer(g)), &p[0]) }
}

// Kernels of 64 bits that leave what is not written as most write it.
func plainIntegerKernel() kernel { return choose(plainIntegers64AVX512, plainIntegers64AVX2) }
func plainFloatKernel() kernel   { return choose(plainFloats64AVX512, plainFloats64AVX2) }

func integerKernel(width int) kernel {
	switch width {
	case 1:
		return choose(integers8AVX512, integers8AVX2)
	case 2:
		return choose(integers16AVX512, integers16AVX2)
	case 4:
		return choose(integers32AVX512, integers32AVX2)
	}
	return choose(integers64AVX512, integers64AVX2)
}

func floatKernel(width int) kernel {
	if width == 4 {
		return choose(floats32AVX512, floats32AVX2)
	}
	return choose(floats64AVX512, floats64AVX2)
}

func longFloatKernel() kernel { return choose(longFloats64AVX512, nil) }
func shortDateKernel() kernel { return choose(shortDatesAVX512, nil) }
func datedKernel() kernel     { return choose(datedAVX512, nil) }

func decimalKernel() kernel { return choose(decimalsAVX512, decimalsAVX2) }
func countKernel() kernel   { return choose(countsAVX512, countsAVX2) }

func isoTimestampKernel() kernel { return choose(isoTimestampsAVX512, isoTimestampsAVX2) }
func webTimestampKernel() kernel { return choose(webTimestampsAVX512, webTimestampsAVX2) }
func isoDateKernel() kernel      { return choose(isoDatesAVX512, isoDatesAVX2) }
func placedDateKernel() kernel   { return choose(placedDatesAVX512, placedDatesAVX2) }

func timeKernel(width int) kernel {
	if width == 4 {
		return choose(times32AVX512, times32AVX2)
	}
	return choose(times64AVX512, times64AVX2)
}

func addressKernel() kernel { return choose(addressesAVX512, nil) }

// addressRows is runAddresses, but for some rows that it leaves.
func addressRows(out [][16]byte, f *Fields, i int) int {
	const reach = 16
	if !hasAVX2 || !hasBits || i >= len(f.Start) || len(f.Src) < reach {
		return i
	}
	n := len(f.Start)
	_, _ = out[n-1], f.End[n-1]
	last := min(uint64(len(f.Src)-reach), uint64(InDecoded-1))
	return i + addressRowsAVX2(&out[i][0], &f.Src[0], &f.Start[i], &f.End[i], n-i, last, &addressForms[0].digits[0][0])
}

// uuidRows is runUUIDs, but for some rows that it leaves.
func uuidRows(out [][16]byte, f *Fields, i int) int {
	const reach = 36
	if !hasAVX2 || i >= len(f.Start) || len(f.Src) < reach {
		return i
	}
	n := len(f.Start)
	_, _ = out[n-1], f.End[n-1]
	last := min(uint64(len(f.Src)-reach), uint64(InDecoded-1))
	return i + uuidRowsAVX2(&out[i][0], &f.Src[0], &f.Start[i], &f.End[i], n-i, last)
}

// addressForm is of addresses whose octets have so many digits: which symbols the digits of the octets are, with none
// first, and what numbers with as many digits are at least.
type addressForm struct {
	digits [4][4]byte
	least  [4]int32
}

// addressForms are by the digits of the four octets, each less one, two bits each.
var addressForms = func() (forms [256]addressForm) {
	for i := range forms {
		symbol := 0
		for k := range 4 {
			f, n := &forms[i], i>>(2*k)&3+1
			f.least[k] = [...]int32{0, 10, 100, math.MaxInt32}[n-1]
			f.digits[k] = [4]byte{255, 255, 255, 255}
			for d := range min(n, 3) {
				f.digits[k][4-min(n, 3)+d] = byte(symbol + d)
			}
			symbol += n + 1
		}
	}
	return forms
}()

// frameKernel is that of values of so many bytes.
func frameKernel(width int) kernel {
	if width == 4 {
		return choose(framed32AVX512, framed32AVX2)
	}
	return choose(framed64AVX512, framed64AVX2)
}

// findSigns finds the four signs of a pairing, or the six of a nesting.
func findSigns(b *pairBlocks, src []byte, start, end []uint32, signs *[6]byte, six bool) {
	find := find4SignsAVX2
	switch {
	case hasAVX512 && six:
		find = find6SignsAVX512
	case hasAVX512:
		find = find4SignsAVX512
	case six:
		find = find6SignsAVX2
	}
	find(&b.signs[0][0], &src[0], &start[0], &end[0], len(start), &signs[0])
}

// findKinds is members.findKinds.
func findKinds(x *members, b *pairBlocks, src []byte, start, end []uint32) {
	if !hasVBMI {
		x.findKinds(b, src, start, end)
		return
	}
	findKindsAVX512(&b.signs[0][0], &src[0], &start[0], &end[0], len(start), &x.kinds)
}

// placePairs is placePairsGeneric.
func placePairs(b *pairBlocks, from, to int, have *[6]uint64) (done int) {
	switch {
	case hasVBMI:
		return min(placePairsAVX512(&b.signs[0][0], from, to, &have[0]), to)
	case hasAVX2 && hasBits && from < to:
		return placePairsAVX(&b.signs[0][0], from, to, &have[0])
	}
	return placePairsGeneric(b, from, to, have)
}

// placeNesting is placeNestingGeneric.
func placeNesting(b *pairBlocks, from, to int, have *[6]uint64, barred uint64) (done int) {
	switch {
	case hasVBMI:
		return min(placeNestingAVX512(&b.signs[0][0], from, to, &have[0], barred), to)
	case hasAVX2 && hasBits && from < to:
		return placeNestingAVX(&b.signs[0][0], from, to, &have[0], barred)
	}
	return placeNestingGeneric(b, from, to, have, barred)
}

// placeMembers is members.places for the rows of blocks from from up to to in which no brackets are in each other. It gives
// the first block in which something is odd, or to.
func placeMembers(b *pairBlocks, from, to int) (done int) {
	return min(placeMembersAVX512(&b.signs[0][0], from, to), to)
}

// packPairs is packPairsGeneric for so many blocks.
func packPairs(b *pairBlocks, nblocks int, src []byte, t *packedPairs) {
	switch {
	case hasVBMI:
		packPairsAVX512(&b.signs[0][0], nblocks, &src[0], (*uintptr)(unsafe.Pointer(t)))
	case hasAVX2 && hasBits && len(src) >= 2*maskBlock:
		for i := 0; i < nblocks; i++ {
			i += packPairsAVX2(&b.signs[0][i], nblocks-i, &src[0], (*uintptr)(unsafe.Pointer(t)), uint64(len(src)-2*maskBlock))
			if i < nblocks {
				packPairsGeneric(b, i, i+1, src, t)
			}
		}
	default:
		packPairsGeneric(b, 0, nblocks, src, t)
	}
}

// packOuters is nesting.packOuter for so many blocks, and gives how many bytes there are then.
func packOuters(b *pairBlocks, nblocks int, src []byte, data *byte, at int, ends, pairs *int32) int {
	t := packedPairs{keys: data, keyEnds: ends, valueEnds: pairs, keysAt: uint64(at)}
	packOutersAVX512(&b.signs[0][0], nblocks, &src[0], (*uintptr)(unsafe.Pointer(&t)))
	return int(t.keysAt)
}

// addressTexts are the texts of ips from row i on, a multiple of four, up to a group of four with one of IPv6; it gives
// how many rows these are.
func addressTexts(c *columns.Column, ips [][16]byte, i int, ends []int32, text []byte) (rows int, _ []byte) {
	const reach = 64
	groups := (len(ips) - i) / 4
	if groups == 0 || cap(text) < reach {
		return 0, text
	}
	all := text[:cap(text)]
	done, to := addressTextsAVX512(&ips[i][0], &c.Valid[0], i/4, groups, &ends[i], &all[0], len(text), cap(text)-reach)
	return 4 * done, text[:to]
}

// distinctKeys is how many rows have keys that differ, at least: they are those of keyTable.distinctRows.
func distinctKeys(offsets []int32, first int32, ends []int32, data []byte) int {
	return distinctKeysAVX512(&offsets[0], &ends[0], len(ends), first, &data[0], len(data))
}

// keepMarked is keepMarkedGeneric, for dst with room for keptRoom values more.
func keepMarked(dst, src []uint32, marks []int32) int {
	if !hasVBMI || len(marks) == 0 {
		return keepMarkedGeneric(dst, src, marks)
	}
	return keepMarkedAVX512(&dst[0], &src[0], &marks[0], len(marks))
}

func copyLines(b *textGroups) int { return copyLinesAVX512((*uintptr)(unsafe.Pointer(b))) }
