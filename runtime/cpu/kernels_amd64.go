package cpu

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// What the machine has. Tests take it away.
var (
	hasAVX2  = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPCLMULQDQ && cpu.X86.HasPOPCNT
	hasVBMI2 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2
)

// hasMarkers reports whether marking is quicker than stepping.
func hasMarkers() bool { return hasAVX2 }

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

// run reads the next blocks of data, as many as k.nblocks says.
func (k *marker) run(data []byte, marks []mark, records []uint32) {
	if k.nblocks == 0 || !hasAVX2 || !k.vectors {
		k.runGeneric(data, marks, records)
		return
	}
	_ = data[k.nblocks*blockSize-1]
	_, _ = marks[k.maxMarks+2*blockSize], records[k.maxMarks+2*blockSize]
	k.src, k.marks, k.records = &data[0], &marks[0], &records[0]
	which := 0
	switch {
	case k.bracket:
		which = 2
	case k.quote:
		which = 1
	}
	if hasVBMI2 {
		which += 3
	}
	switch p := (*uint64)(unsafe.Pointer(k)); which {
	case 0:
		markBareAVX2(p)
	case 1:
		markQuotedAVX2(p)
	case 2:
		markBracketedAVX2(p)
	case 3:
		markBareAVX512(p)
	case 4:
		markQuotedAVX512(p)
	case 5:
		markBracketedAVX512(p)
	}
}

func scatter(columns []plainColumn, checks []scatterColumn, marks []mark, first, nrows int, delta uint32) bool {
	n := len(columns)
	if !hasAVX2 || nrows < scatterRows || len(marks) < nrows*n+scatterRows {
		return scatterGeneric(columns, checks, marks, first, nrows, delta)
	}
	run := func(row, nrows int) bool {
		return scatterAVX2((*uintptr)(unsafe.Pointer(&checks[0])), n, (*uint32)(&marks[row*n]), first+row, nrows, delta) == 0
	}
	ok := run(0, nrows&^(scatterRows-1))
	if nrows%scatterRows != 0 { // the last rows once more
		ok = run(nrows-scatterRows, scatterRows) && ok
	}
	return ok
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
