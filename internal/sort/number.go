package sort

import (
	"cmp"
	"math/bits"
)

// number has 128 bits, and no sign.
type number struct{ high, low uint64 }

func (a number) compare(b number) int {
	if c := cmp.Compare(a.high, b.high); c != 0 {
		return c
	}
	return cmp.Compare(a.low, b.low)
}

func (a number) minus(b number) number {
	low, borrow := bits.Sub64(a.low, b.low, 0)
	high, _ := bits.Sub64(a.high, b.high, borrow)
	return number{high, low}
}

// shifted are the 64 lowest bits of the number without its n lowest.
func (a number) shifted(n int) uint64 { return a.low>>n | a.high<<(64-n) }
