//go:build cuda

package gpu

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate sh -c "cd asm && go run . -out ../widen_amd64.s -stubs ../widen_stub_amd64.go -pkg gpu"

// hasAVX2 is what the machine has. Tests take it away.
var hasAVX2 = cpu.X86.HasAVX2

const (
	widenGroup = 8  // values that the assembly makes at once
	widenAlign = 32 // of their memory
	sumGroup   = 16 // lengths that the assembly adds up at once
)

// widenBy has the assembly by the bytes that it makes values of, and theirs.
var widenBy = map[[2]int]func(values, n *byte, times int, base, unit uint64){
	{1, 4}: widen8To32AVX2, {2, 4}: widen16To32AVX2,
	{1, 8}: widen8To64AVX2, {2, 8}: widen16To64AVX2, {4, 8}: widen32To64AVX2,
	{1, 16}: widen8To128AVX2, {2, 16}: widen16To128AVX2, {4, 16}: widen32To128AVX2, {8, 16}: widen64To128AVX2,
}

// widenVectors makes values of rows from from on, and says to where; where rows
// are null it makes none, so that what it has written need not be written again.
func (w *wide) widenVectors(from, to int) int {
	width := w.column.Form.Width
	times := (to - from) / widenGroup
	if !hasAVX2 || w.width == 0 || w.column.Nulls != 0 || times == 0 {
		return from
	}
	values, n := &w.column.Fixed[from*width : to*width][0], &w.n[from*w.width : to*w.width][0]
	if uintptr(unsafe.Pointer(values))%widenAlign != 0 {
		return from
	}
	widenBy[[2]int{w.width, width}](values, n, times, w.base, w.unit)
	return from + times*widenGroup
}

// sumVectors makes the ends of texts of their lengths from row from on, which begins at at: it gives
// which row comes next, and where that begins.
func (w *wide) sumVectors(from, to int, at int32) (next int, end int32) {
	times := (to - from) / sumGroup
	if !hasAVX2 || times == 0 {
		return from, at
	}
	sum := [...]func(ends *int32, n *byte, times int, base, at uint64) uint64{sum0AVX2, sum8AVX2, sum16AVX2}[w.width]
	n := unsafe.SliceData(w.n[from*w.width:])
	return from + times*sumGroup, int32(sum(&w.column.Offsets[from+1], n, times, w.base, uint64(uint32(at))))
}
