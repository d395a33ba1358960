//go:build !amd64

package cpu

func membersBlocks(dst []uint64, src []byte, set *nibbles) { membersGeneric(dst, src, set) }
