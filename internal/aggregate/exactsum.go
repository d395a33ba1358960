package aggregate

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// floatTally is of floats: [n], then the sum, see exactSum, then [least, greatest]
// as orderOf64 has them.
//
// Sums are exact, and rounded once, when all values are there: so their order
// plays no part. A float64 is a multiple of 2^-1074, of at most 2,098 bits.
// Nearly all sums need few of these: the state has a window of five words, and
// where it is too small, 34 words among the table's bytes take over.
type floatTally struct{ wants }

func (w *floatTally) words() int {
	n := 1
	if w.sums {
		n += sumWords
	}
	if w.bounds {
		n += 2
	}
	return n
}

func (w *floatTally) begin(s []uint64) {
	if w.bounds {
		s[w.words()-2] = math.MaxUint64
	}
}

func (w *floatTally) refs(s []uint64, f func([]uint64)) {
	if w.sums && s[1]&sumWide != 0 {
		f(s[2:5])
	}
}

func (w *floatTally) add(t *table, at int, a arrow.Array, groups []uint32) {
	var value func(i int) float64
	switch a := a.(type) {
	case *array.Float32:
		value = func(i int) float64 { return float64(a.Value(i)) }
	case *array.Float64:
		value = a.Value
	}
	last := w.words()
	for i, g := range groups {
		if !a.IsValid(i) {
			continue
		}
		s := t.states[int(g)*t.words+at:][:last]
		v := value(i)
		s[0]++
		if w.sums {
			addExact(t, s[1:1+sumWords], v)
		}
		if w.bounds {
			o := orderOf64(v)
			s[last-2], s[last-1] = min(s[last-2], o), max(s[last-1], o)
		}
	}
}

func (w *floatTally) merge(t *table, dst, src []uint64, from []byte) {
	if src[0] == 0 {
		return
	}
	dst[0] += src[0]
	if w.sums {
		mergeExact(t, dst[1:1+sumWords], src[1:1+sumWords], from)
	}
	if k := w.words(); w.bounds {
		dst[k-2], dst[k-1] = min(dst[k-2], src[k-2]), max(dst[k-1], src[k-1])
	}
}

// An exact sum is sumWords words: what it has met, and with sumWindow the number of the
// window's first word, then the window, a signed number; or with sumWide a reference.
const (
	sumWords    = 1 + windowWords
	windowWords = 5
	wideWords   = 34 // 2,176 bits

	sumFirst = 0xff // the window's first word
	sumWide  = 1 << 8
	sumAny   = 1 << 9 // there is a window
	sumInf   = 1 << 10
	sumMinus = 1 << 11 // -Inf
	sumNaN   = 1 << 12
)

// addExact adds v to a sum.
func addExact(t *table, s []uint64, v float64) {
	b := math.Float64bits(v)
	exponent, mantissa := int(b>>52&0x7ff), b&(1<<52-1)
	switch {
	case exponent == 0x7ff && mantissa != 0:
		s[0] |= sumNaN
		return
	case exponent == 0x7ff && b>>63 == 1:
		s[0] |= sumMinus
		return
	case exponent == 0x7ff:
		s[0] |= sumInf
		return
	case exponent > 0:
		mantissa |= 1 << 52
		exponent--
	}
	if mantissa == 0 {
		return
	}
	word, shift := exponent>>6, uint(exponent&63)
	low, high := mantissa<<shift, mantissa>>(64-shift) // of which a shift by 64 is 0
	negative := b>>63 == 1
	if s[0]&(sumAny|sumWide) == 0 {
		s[0] |= sumAny | uint64(max(word-1, 0))
	}
	if s[0]&sumWide == 0 {
		k := word - int(s[0]&sumFirst)
		if k >= 0 && k <= windowWords-3 {
			accumulate(s[1:], k, low, high, negative)
			return
		}
		widen192(t, s)
	}
	wide := t.wordsAt(s[1:])
	accumulate(wide, word, low, high, negative)
	t.putWords(s[1:], wide)
}

// accumulate adds two words, at the k-th, to a signed number.
func accumulate(s []uint64, k int, low, high uint64, negative bool) {
	var c uint64
	if negative {
		s[k], c = bits.Sub64(s[k], low, 0)
		s[k+1], c = bits.Sub64(s[k+1], high, c)
		for k += 2; c != 0 && k < len(s); k++ {
			s[k], c = bits.Sub64(s[k], 0, c)
		}
		return
	}
	s[k], c = bits.Add64(s[k], low, 0)
	s[k+1], c = bits.Add64(s[k+1], high, c)
	for k += 2; c != 0 && k < len(s); k++ {
		s[k], c = bits.Add64(s[k], 0, c)
	}
}

// widen192 makes a window all the words that there may be.
func widen192(t *table, s []uint64) {
	wide := wideOf(s)
	s[0] = s[0]&^(sumAny|sumFirst) | sumWide
	s[1], s[2], s[3], s[4], s[5] = 0, 0, 0, 0, 0
	t.putWords(s[1:], wide)
}

// wideOf is a window as a number of all words.
func wideOf(s []uint64) []uint64 {
	wide := make([]uint64, wideWords)
	if s[0]&sumAny == 0 {
		return wide
	}
	first := int(s[0] & sumFirst)
	for i := range wide {
		switch k := i - first; {
		case k >= 0 && k < windowWords:
			wide[i] = s[1+k]
		case k >= windowWords:
			wide[i] = uint64(int64(s[windowWords]) >> 63) // the sign
		}
	}
	return wide
}

func mergeExact(t *table, dst, src []uint64, from []byte) {
	dst[0] |= src[0] & (sumInf | sumMinus | sumNaN)
	const there = sumAny | sumWide
	switch {
	case src[0]&there == 0:
		return
	case dst[0]&there == 0 && src[0]&sumAny != 0:
		dst[0] |= src[0]
		copy(dst[1:], src[1:])
		return
	case dst[0]&sumAny != 0 && src[0]&sumAny != 0 && dst[0]&sumFirst == src[0]&sumFirst:
		addWords(dst[1:1+windowWords], src[1:1+windowWords])
		return
	}
	var other []uint64
	if src[0]&sumWide != 0 {
		other = wordsOf(refIn(from, src[1:]))
	} else {
		other = wideOf(src)
	}
	if dst[0]&sumWide == 0 {
		widen192(t, dst)
	}
	wide := t.wordsAt(dst[1:])
	addWords(wide, other)
	t.putWords(dst[1:], wide)
}

func addWords(dst, src []uint64) {
	var c uint64
	for i, w := range src {
		dst[i], c = bits.Add64(dst[i], w, c)
	}
}

// exactSum is the sum as the float64 that is nearest to it, and exactly; nil where it
// is no finite number.
func exactSum(s []uint64, from []byte) (float64, *big.Float) {
	switch infinite := s[0] & (sumInf | sumMinus); {
	case s[0]&sumNaN != 0 || infinite == sumInf|sumMinus:
		return math.NaN(), nil
	case infinite == sumInf:
		return math.Inf(1), nil
	case infinite == sumMinus:
		return math.Inf(-1), nil
	}
	var wide []uint64
	unit := -1074
	switch {
	case s[0]&sumWide != 0:
		wide = wordsOf(refIn(from, s[1:]))
	case s[0]&sumAny != 0:
		wide = append(wide, s[1:1+windowWords]...)
		unit += 64 * int(s[0]&sumFirst)
	default:
		return 0, new(big.Float)
	}
	negative := int64(wide[len(wide)-1]) < 0
	if negative {
		c := uint64(1)
		for i := range wide {
			wide[i], c = bits.Add64(^wide[i], 0, c)
		}
	}
	x := new(big.Int)
	b := make([]byte, 0, 8*len(wide))
	for i := len(wide) - 1; i >= 0; i-- {
		for shift := 56; shift >= 0; shift -= 8 {
			b = append(b, byte(wide[i]>>shift))
		}
	}
	if x.SetBytes(b); negative {
		x.Neg(x)
	}
	if x.Sign() == 0 {
		return 0, new(big.Float)
	}
	f := new(big.Float).SetInt(x)
	f.SetMantExp(f, unit)
	v, _ := f.Float64()
	return v, f
}
