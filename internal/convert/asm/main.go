// Command asm generates the assembly of package convert: run `make
// generate`. It is a module of its own, so that avo is nobody's dependency.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	for _, v := range []isa{avx512, avx2} {
		for _, width := range []int{1, 2, 4, 8} {
			integers(v, width)
		}
		for _, width := range []int{4, 8} {
			floats(v, width)
		}
		integersOf(v, 8, "plainIntegers64", true)
		floatsOf(v, 8, "plainFloats64", true)
		decimals(v)
		counts(v)
		isoTimestamps(v)
		webTimestamps(v)
		isoDates(v)
		placedDates(v)
		for _, width := range []int{4, 8} {
			times(v, width)
			framed(v, width)
		}
	}
	longFloats()
	shortDates()
	dated()
	addresses()
	addressRows()
	uuidRows()
	addressTexts()
	measureText()
	copyText()
	copyLines()
	plainUTF8()
	ascii()
	utf8()
	utf8Errors()
	utf8ErrorsByMasks()
	for _, n := range []int{4, 6} {
		findSigns(avx512, n)
		findSigns(avx2, n)
	}
	findKinds()
	listPairs()
	packPairs()
	packOuters()
	packPairsByTexts()
	placePairs()
	placePairsByBlocks()
	placeNestingByBlocks()
	placeNesting()
	placeMembers()
	distinctKeys()
	keepMarked()
	trimBlanks()
	absentRows()
	Generate()
}
