package convert

// recent is the values of the short fields of a column that were read last. Where there are few, as of a fee or a rate,
// to look one up takes half the time that reading it takes; where there are many, it is found out soon that they are
// not known, and they are read.
type recent[T any] struct {
	slots [1 << recentBits]recentValue[T] // by what keys are spread to
	// Rows whose value was known, less those whose was not, at their cost. Below 0 rows are read for a while.
	credit int
	pause  int    // so many
	part   Fields // one row
}

type recentValue[T any] struct {
	key   uint64 // 0: none
	value T
}

const (
	recentBits     = 7
	recentSymbols  = 7  // at most; one byte of a key is their number
	recentMiss     = 8  // known rows that gain what one that is not costs
	recentCredit   = 64 // at first,
	recentMost     = 256
	recentPause    = 1 << 12
	recentMultiple = 0x9E3779B97F4A7C15
)

// recentKey has the first n symbols of w and their number.
func recentKey(w uint64, n uint32) uint64 { return w<<((64-8*n)&63) | uint64(n) }

func (k *recent[T]) slot(key uint64) *recentValue[T] {
	return &k.slots[key*recentMultiple>>(64-recentBits)]
}

// run converts rows as read does, which reads bytes of f.Src only, and of whose rows the value is that of their
// bytes alone.
func (k *recent[T]) run(out []T, f *Fields, i int, read func(out []T, f *Fields, i int) int) int {
	for n := len(f.Start); i < n; i++ {
		from := i
		if k.pause > 0 {
			i = read(out, f, i)
			k.pause -= i - from
			return i
		}
		if i = k.recall(out, f, i); i == n {
			break
		}
		k.part = Fields{Src: f.Src, Start: f.Start[i : i+1], End: f.End[i : i+1]}
		took := read(out[i:i+1], &k.part, 0)
		s, n := k.part.Start[0], k.part.End[0]-k.part.Start[0]
		k.part = Fields{}
		if took == 0 {
			return i
		}
		if src := (eights{f.Src}); n-1 < recentSymbols && src.has(s) {
			key := recentKey(src.at(s), n)
			*k.slot(key) = recentValue[T]{key, out[i]}
		}
		if k.credit = min(k.credit+i-from, recentMost) - recentMiss; k.credit < 0 {
			k.pause, k.credit = recentPause, recentCredit
		}
	}
	return i
}

// recall converts the rows from i on up to the first whose value is not known.
func (k *recent[T]) recall(out []T, f *Fields, i int) int {
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
	src := eights{f.Src}
	for ; uint(i) < uint(len(start)); i++ { // which says that i is no index below 0
		s, n := start[i], end[i]-start[i]
		if n-1 >= recentSymbols || !src.has(s) { // nor is what is not in Src, which starts beyond its end
			return i
		}
		key := recentKey(src.at(s), n)
		slot := k.slot(key)
		if slot.key != key {
			return i
		}
		out[i] = slot.value
	}
	return i
}
