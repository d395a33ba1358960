//go:build !amd64

package convert

import "github.com/dfaparse/dfaparse/internal/columns"

// hasAVX2 is for code that has one kernel and its twin side by side.
const hasAVX2, hasVBMI = false, false

func measureTextAVX2(b *uintptr, groups int)                            { panic("no AVX2") }
func copyTextAVX2(b *uintptr) (done int)                                { panic("no AVX2") }
func copyLines(*textGroups) int                                         { panic("no AVX-512") }
func asciiAVX2(b *byte, blocks int) (any uint32)                        { panic("no AVX2") }
func findSigns(*pairBlocks, []byte, []uint32, []uint32, *[6]byte, bool) { panic("no AVX2") }
func listPairsAVX512(b *uint64, nblocks int, keyStart, keyEnd, valueStart, valueEnd *uint32) {
	panic("no AVX-512")
}
func placePairs(b *pairBlocks, from, to int, have *[6]uint64) (done int) {
	return placePairsGeneric(b, from, to, have)
}
func placeNesting(b *pairBlocks, from, to int, have *[6]uint64, barred uint64) (done int) {
	return placeNestingGeneric(b, from, to, have, barred)
}
func packPairs(b *pairBlocks, nblocks int, src []byte, t *packedPairs) {
	packPairsGeneric(b, 0, nblocks, src, t)
}
func packOuters(b *pairBlocks, nblocks int, src []byte, data *byte, at int, ends, pairs *int32) int {
	panic("no AVX-512")
}
func distinctKeys([]int32, int32, []int32, []byte) int { panic("no AVX-512") }
func keepMarked(dst, src []uint32, marks []int32) int  { return keepMarkedGeneric(dst, src, marks) }
func addressTexts(*columns.Column, [][16]byte, int, []int32, []byte) (int, []byte) {
	panic("no AVX-512")
}
func plainUTF8AVX512(b *byte, blocks int) (doubt uint32)   { panic("no AVX-512") }
func utf8AVX2(b *byte, blocks int) (bad uint32)            { panic("no AVX2") }
func utf8ErrorsAVX2(b *byte, blocks int, errors *uint64)   { panic("no AVX2") }
func utf8ErrorsAVX512(b *byte, blocks int, errors *uint64) { panic("no AVX-512") }

func findAbsent(rowSet, []uint32, []uint32, bool) int { return 0 }

func trimRows([]byte, []uint32, []uint32, []uint32, []uint32) int { return 0 }

func integerKernel(int) kernel   { return nil }
func plainIntegerKernel() kernel { return nil }
func plainFloatKernel() kernel   { return nil }
func floatKernel(int) kernel     { return nil }
func longFloatKernel() kernel    { return nil }
func shortDateKernel() kernel    { return nil }
func datedKernel() kernel        { return nil }
func decimalKernel() kernel      { return nil }
func countKernel() kernel        { return nil }
func isoTimestampKernel() kernel { return nil }
func webTimestampKernel() kernel { return nil }
func isoDateKernel() kernel      { return nil }
func placedDateKernel() kernel   { return nil }
func timeKernel(int) kernel      { return nil }
func frameKernel(int) kernel     { return nil }
func addressKernel() kernel      { return nil }

func addressRows(_ [][16]byte, _ *Fields, i int) int { return i }

func uuidRows(_ [][16]byte, _ *Fields, i int) int { return i }

func findKinds(x *members, b *pairBlocks, src []byte, start, end []uint32) {
	x.findKinds(b, src, start, end)
}

func placeMembers(*pairBlocks, int, int) int { panic("no AVX-512") }
