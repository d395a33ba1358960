package sort

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
)

// item is a row, by the number that is made of its key.
type item struct {
	key  uint64
	slab uint32
	row  uint32
}

// before orders items by their numbers, then by where they are in the input.
func before(a, b item) int {
	if c := cmp.Compare(a.key, b.key); c != 0 {
		return c
	}
	return earlier(a, b)
}

func earlier(a, b item) int {
	if c := cmp.Compare(a.slab, b.slab); c != 0 {
		return c
	}
	return cmp.Compare(a.row, b.row)
}

const (
	digitBits = 8
	nDigits   = 1 << digitBits
	// fewItems are sorted by comparing them.
	fewItems = 96
	// localItems are sorted from their last digit to the first; more than these,
	// which no cache holds, are first parted by their first digit.
	localItems = 1 << 16
)

// radix sorts items, which are in the order of the input, by their numbers; tmp is as long. done is
// called for parts of them that are sorted, whose items have other numbers than those of
// other parts, from several goroutines if threads is more than 1.
func radix(items, tmp []item, threads int, done func(items, tmp []item)) {
	differ, sorted := differing(items)
	switch {
	case sorted:
		done(items, tmp)
		return
	case len(items) <= fewItems:
		slices.SortFunc(items, before)
		done(items, tmp)
		return
	case len(items) <= localItems:
		local(items, tmp, differ)
		done(items, tmp)
		return
	}
	shift := max(bits.Len64(differ)-digitBits, 0)
	var ends [nDigits]int
	for i := range items {
		ends[items[i].key>>shift&(nDigits-1)]++
	}
	n := 0
	for d, count := range ends {
		ends[d] = n
		n += count
	}
	for i := range items {
		d := items[i].key >> shift & (nDigits - 1)
		tmp[ends[d]] = items[i]
		ends[d]++
	}
	copy(items, tmp)
	from := 0
	var wait sync.WaitGroup
	free := make(chan struct{}, max(threads, 1))
	for _, to := range ends {
		part, partTmp := items[from:to], tmp[from:to]
		from = to
		if len(part) == 0 {
			continue
		}
		if threads < 2 {
			radix(part, partTmp, 1, done)
			continue
		}
		free <- struct{}{}
		wait.Go(func() {
			radix(part, partTmp, 1, done)
			<-free
		})
	}
	wait.Wait()
}

// differing are the bits by which the items' numbers differ, and whether they are in order.
func differing(items []item) (differ uint64, sorted bool) {
	sorted = true
	for i := 1; i < len(items); i++ {
		a, b := items[i-1].key, items[i].key
		differ |= a ^ b
		sorted = sorted && a <= b
	}
	return differ, sorted
}

// local sorts items by the digits by which they differ, from the last to the first.
func local(items, tmp []item, differ uint64) {
	from, to := items, tmp
	for shift := bits.TrailingZeros64(differ); differ>>shift != 0; {
		var ends [nDigits]int
		for i := range from {
			ends[from[i].key>>shift&(nDigits-1)]++
		}
		n := 0
		for d, count := range ends {
			ends[d] = n
			n += count
		}
		for i := range from {
			d := from[i].key >> shift & (nDigits - 1)
			to[ends[d]] = from[i]
			ends[d]++
		}
		from, to = to, from
		if shift += digitBits; shift < 64 {
			shift += min(bits.TrailingZeros64(differ>>shift), 64-shift)
		}
	}
	if &from[0] != &items[0] {
		copy(items, from)
	}
}
