package cpu

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

func membersBlocks(dst []uint64, src []byte, set *nibbles) {
	if len(dst) == 0 {
		return
	}
	if !hasAVX2 {
		membersGeneric(dst, src, set)
		return
	}
	_ = src[len(dst)*blockSize-1]
	membersAVX2(&dst[0], &src[0], len(dst), &set.low[0])
}
