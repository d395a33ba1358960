package aggregate

import (
	"math"
	"math/big"
	"math/bits"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// floatTally is of floats: [n], then [least, greatest] as orderOf64 has them, then the
// near sum, two numbers of 128 bits [low, high], and the far sum, see sumWords.
//
// Sums are exact, and rounded once, when all values are there: so their order
// plays no part. A float64 is a multiple of 2^-1074, of at most 2,098 bits.
// Nearly all values of a column are whole multiples of one unit, less than 2^125 of them:
// the near sum has a number of units, and one of 2^63 units each. What is no such multiple is
// in the far sum. Nearly all of those need few bits: the state has a window of five words, and
// where it is too small, 34 words among the table's bytes take over.
type floatTally struct {
	wants
	units atomic.Uint64 // how many there are in 1, see unitsFor, as a float64; 0: nobody has chosen
}

func (w *floatTally) words() int {
	n := 1
	if w.sums {
		n += nearWords + sumWords
	}
	if w.bounds {
		n += boundWords
	}
	return n
}

// The parts of a state.
const (
	boundWords = 2
	nearWords  = 4
)

func (w *floatTally) extremes(s []uint64) []uint64 { return s[1:][:boundWords] }
func (w *floatTally) near(s []uint64) []uint64     { return s[w.words()-sumWords-nearWords:][:nearWords] }
func (w *floatTally) far(s []uint64) []uint64      { return s[w.words()-sumWords:][:sumWords] }

func (w *floatTally) begin(s []uint64) {
	if w.bounds {
		w.extremes(s)[0] = math.MaxUint64
	}
}

func (w *floatTally) refs(s []uint64, f func([]uint64)) {
	if !w.sums {
		return
	}
	if far := w.far(s); far[0]&sumWide != 0 {
		f(far[1:4])
	}
}

func (w *floatTally) add(t *table, at int, a arrow.Array, groups []uint32) {
	values := t.scratch.float(a)
	valid, offset := bitmap(a)
	units, words, states, size, wants := w.unitsOf(values), t.words, t.states, w.words(), w.wants
	values = values[:len(groups)]
	for i, g := range groups {
		if valid != nil && valid[(offset+i)>>3]>>((offset+i)&7)&1 == 0 {
			continue
		}
		s := states[int(g)*words+at:][:size:size]
		v := values[i]
		s[0]++
		if wants.bounds {
			x, o := (*[boundWords]uint64)(s[1:]), orderOf64(v)
			if o < x[0] {
				x[0] = o
			}
			if o > x[1] {
				x[1] = o
			}
			s = s[boundWords:]
		}
		if !wants.sums {
			continue
		}
		near, x := (*[nearWords]uint64)(s[1:]), v*units
		// What is no number, or too large, gives any whole number, by the kind of the processor.
		high, low := int64(x*0x1p-63), x
		if high != 0 {
			low -= float64(high) * 0x1p63
		}
		n := int64(low)
		if float64(n) != low || uint64(high+1<<62) >= 1<<63 {
			addExact(t, s[1+nearWords:], v)
			continue
		}
		var c uint64
		near[0], c = bits.Add64(near[0], uint64(n), 0)
		near[1] += uint64(n>>63) + c
		if high != 0 {
			near[2], c = bits.Add64(near[2], uint64(high), 0)
			near[3] += uint64(high>>63) + c
		}
	}
}

// unitsOf is how many units there are in 1, of which the first values decide. That makes no
// difference to sums, only to how long they take.
func (w *floatTally) unitsOf(values []float64) float64 {
	if w.units.Load() == 0 {
		n := unitsFor(values)
		if n == 0 { // they are zeros
			return 1
		}
		w.units.CompareAndSwap(0, math.Float64bits(n))
	}
	return math.Float64frombits(w.units.Load())
}

// unitsFor is so many units in 1 that values are whole numbers of them, if they are so with
// 2^103 at most; and not less than one, so that a value times it is exact, or infinite. Where that
// leaves room, the largest values are some 2^62.
func unitsFor(values []float64) float64 {
	most, digits := 0.0, 0 // digits after the binary point
	for _, v := range values {
		if v = math.Abs(v); v == 0 || !(v <= math.MaxFloat64) {
			continue
		}
		most = max(most, v)
		f, exponent := math.Frexp(v)
		digits = max(digits, 53-exponent-bits.TrailingZeros64(uint64(f*0x1p53)))
	}
	if most == 0 {
		return 0
	}
	_, exponent := math.Frexp(most)
	return math.Ldexp(1, min(max(min(digits, 103-exponent), 63-exponent, 0), 1023))
}

// float are the values of a as float64s.
func (s *scratch) float(a arrow.Array) []float64 {
	if a, ok := a.(*array.Float64); ok {
		return a.Float64Values()
	}
	s.floats = s.floats[:0]
	for _, v := range a.(*array.Float32).Float32Values() {
		s.floats = append(s.floats, float64(v))
	}
	return s.floats
}

func (w *floatTally) merge(t *table, dst, src []uint64, from []byte) {
	if src[0] == 0 {
		return
	}
	dst[0] += src[0]
	if w.sums {
		d, s := w.near(dst), w.near(src)
		addWords(d[:2], s[:2])
		addWords(d[2:], s[2:])
		mergeExact(t, w.far(dst), w.far(src), from)
	}
	if w.bounds {
		d, s := w.extremes(dst), w.extremes(src)
		d[0], d[1] = min(d[0], s[0]), max(d[1], s[1])
	}
}

// An exact sum is sumWords words: what it has met, and with sumWindow the number of the
// window's first word, then the window, a signed number; or with sumWide a reference.
const (
	sumWords    = 1 + windowWords
	windowWords = 5
	wideWords   = 34                   // 2,176 bits
	sumBits     = 64 * (wideWords + 3) // that any sum has

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

// sum is that of a state as the float64 that is nearest to it, and exactly; nil where it is
// no finite number.
func (w *floatTally) sum(state []uint64, from []byte) (float64, *big.Float) {
	s := w.far(state)
	switch infinite := s[0] & (sumInf | sumMinus); {
	case s[0]&sumNaN != 0 || infinite == sumInf|sumMinus:
		return math.NaN(), nil
	case infinite == sumInf:
		return math.Inf(1), nil
	case infinite == sumMinus:
		return math.Inf(-1), nil
	}
	x := new(big.Float)
	add := func(words []uint64, unit int) {
		y := new(big.Float).SetInt(bigWords(words))
		if y.SetMantExp(y, unit); x.Sign() == 0 {
			x = y
		} else {
			x.SetPrec(sumBits).Add(x, y)
		}
	}
	switch {
	case s[0]&sumWide != 0:
		add(wordsOf(refIn(from, s[1:])), -1074)
	case s[0]&sumAny != 0:
		add(s[1:1+windowWords], 64*int(s[0]&sumFirst)-1074)
	}
	_, exponent := math.Frexp(math.Float64frombits(w.units.Load()))
	add(w.near(state)[:2], 1-exponent)
	add(w.near(state)[2:], 64-exponent)
	if x.Sign() == 0 {
		return 0, new(big.Float)
	}
	v, _ := x.Float64()
	return v, x
}
