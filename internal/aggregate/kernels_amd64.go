package aggregate

import "golang.org/x/sys/cpu"

// hasKernels says that the machine runs the functions below. Tests take them away.
var hasKernels = cpu.X86.HasAES && cpu.X86.HasAVX

// shortAES is the hash of a key of 16 bytes at most, by words that nobody knows: the first is
// added, each of the others ends a round of AES. Behind two rounds every bit depends on all of the key.
//
//go:noescape
func shortAES(rounds *[5][16]byte, low, high uint64) uint64

// longAES is that of a key of n bytes, more than 16. Each 16 of them are added behind two rounds of those before,
// so that nobody knows what would make up for a difference in these; three rounds follow the last 16, of which
// those before may have some.
//
//go:noescape
func longAES(rounds *[5][16]byte, key *byte, n int) uint64

// findAES is findFirst of n keys, at least one. The first begins at from; 16 bytes may be read
// wherever a key begins that is not behind last. Keys and ends are the table's.
//
//go:noescape
func findAES(rounds *[5][16]byte, data *byte, last, from int, offsets *int32, slots *slot, mask uint64, keys *byte, ends *int, groups *uint32, n int) int

// addWholes adds n values, at least one, each step bytes behind the one before, to the states of
// their groups, of which each has size bytes: to what wholeTally has with sums, and with bounds or without.
//
//go:noescape
func addWholes(states *uint64, size int, bounds bool, values *int64, step int, groups *uint32, n int)

// addFloats is the same of floatTally, up to a value that is no whole number of units of up to 63
// bits. It gives how many there are before.
//
//go:noescape
func addFloats(states *uint64, size int, bounds bool, units float64, values *float64, groups *uint32, n int) int
