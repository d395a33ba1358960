package aggregate

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/expr"
)

// floatTally is of floats: [n], then [least, greatest] as expr.OrderOf64 has them, then the
// near sum [low, high], and the far sum, see farWords.
//
// Sums are exact, and rounded once, when all values are there: so their order
// plays no part. A float64 is a multiple of 2^-1074, of at most 2,098 bits. Nearly all
// values of a column are whole multiples of one unit, at most 2^83 of them: of these the near
// sum is the number, in 128 bits. What is no such multiple is in the far sum.
type floatTally struct {
	wants
	units atomic.Uint64 // how many there are in 1, see unitsFor, as a float64; 0: nobody has chosen
}

func (w *floatTally) words() int {
	n := 1
	if w.sums {
		n += nearWords + farWords
	}
	if w.bounds {
		n += boundWords
	}
	return n
}

// The parts of a state.
const (
	boundWords = 2
	nearWords  = 2
)

func (w *floatTally) extremes(s []uint64) []uint64 { return s[1:][:boundWords] }
func (w *floatTally) near(s []uint64) []uint64     { return s[w.words()-farWords-nearWords:][:nearWords] }
func (w *floatTally) far(s []uint64) []uint64      { return s[w.words()-farWords:][:farWords] }

func (w *floatTally) begin(s []uint64) {
	if w.bounds {
		w.extremes(s)[0] = math.MaxUint64
	}
}

func (w *floatTally) refs(s []uint64, f func([]uint64)) {
	if !w.sums {
		return
	}
	if far := w.far(s); far[0]&farAny != 0 {
		f(far[1:4])
	}
}

func (w *floatTally) add(t *table, at int, a arrow.Array, groups []uint32) {
	values := t.scratch.float(a)
	valid, offset := bitmap(a)
	units, words, states, size, wants := w.unitsOf(values), t.words, t.states, w.words(), w.wants
	values = values[:len(groups)]
	for i := 0; i < len(groups); i++ {
		if hasKernels && valid == nil && wants.sums {
			if i += addFloats(&states[at], 8*words, wants.bounds, units, &values[i], &groups[i], len(groups)-i); i == len(groups) {
				break
			}
		}
		g := groups[i]
		if valid != nil && valid[(offset+i)>>3]>>((offset+i)&7)&1 == 0 {
			continue
		}
		s := states[int(g)*words+at:][:size:size]
		v := values[i]
		s[0]++
		if wants.bounds {
			x, o := (*[boundWords]uint64)(s[1:]), expr.OrderOf64(v)
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
		if float64(n) != low || uint64(high+mostHigh) > 2*mostHigh {
			addFar(t, s[1+nearWords:][:farWords], v)
			continue
		}
		var c, d uint64
		near[0], c = bits.Add64(near[0], uint64(n), 0)
		near[1] += uint64(n>>63) + c
		if high != 0 {
			near[0], d = bits.Add64(near[0], uint64(high)<<63, 0)
			near[1] += uint64(high>>1) + d
		}
	}
}

// mostHigh bounds what is in the near sum, in 2^63 units: 2^43 values have room.
const mostHigh = 1 << 20

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
// 2^76 units at most; and not less than one, so that a value times it is exact, or infinite. Where
// that leaves room, the largest values have up to 2^63.
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
	return math.Ldexp(1, min(max(min(digits, 76-exponent), 63-exponent, 0), 1023))
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
		addWords(w.near(dst), w.near(src))
		mergeFar(t, w.far(dst), w.far(src), from)
	}
	if w.bounds {
		d, s := w.extremes(dst), w.extremes(src)
		d[0], d[1] = min(d[0], s[0]), max(d[1], s[1])
	}
}

// A far sum is farWords words: what it has met, and with farAny a reference to wideWords words, a
// signed number of 2^-1074.
const (
	farWords  = 4
	wideWords = 34 // 2,176 bits
	sumBits   = 64 * (wideWords + 3)

	farAny = 1 << iota // there is a number
	sumInf
	sumMinus // -Inf
	sumNaN
)

// addFar adds v to a far sum.
func addFar(t *table, s []uint64, v float64) {
	switch {
	case v == 0:
		return
	case math.IsNaN(v):
		s[0] |= sumNaN
		return
	case math.IsInf(v, -1):
		s[0] |= sumMinus
		return
	case math.IsInf(v, 1):
		s[0] |= sumInf
		return
	}
	if s[0]&farAny == 0 {
		s[0] |= farAny
		t.setBytes(s[1:], make([]byte, 8*wideWords))
	}
	b := math.Float64bits(v)
	exponent, mantissa := b>>52&0x7ff, int64(b&(1<<52-1))
	if exponent > 0 {
		mantissa |= 1 << 52
		exponent--
	}
	sign := int64(b) >> 63
	mantissa = (mantissa ^ sign) - sign
	words := [2]uint64{uint64(mantissa) << (exponent & 63), uint64(mantissa >> 1 >> (^exponent & 63))}
	sum := t.bytesAt(s[1:])[exponent>>6*8:]
	var c uint64
	for k := 0; len(sum) > 0 && (k < len(words) || c != uint64(sign)&1); k++ {
		w := uint64(sign)
		if k < len(words) {
			w = words[k]
		}
		w, c = bits.Add64(binary.LittleEndian.Uint64(sum), w, c)
		binary.LittleEndian.PutUint64(sum, w)
		sum = sum[8:]
	}
}

func mergeFar(t *table, dst, src []uint64, from []byte) {
	dst[0] |= src[0] & (sumInf | sumMinus | sumNaN)
	if src[0]&farAny == 0 {
		return
	}
	other := refIn(from, src[1:])
	if dst[0]&farAny == 0 {
		dst[0] |= farAny
		t.setBytes(dst[1:], other)
		return
	}
	sum := t.wordsAt(dst[1:])
	addWords(sum, wordsOf(other))
	t.putWords(dst[1:], sum)
}

// addWords adds a signed number to one of as many words.
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
	_, exponent := math.Frexp(math.Float64frombits(w.units.Load()))
	x := new(big.Float).SetInt(bigWords(w.near(state)))
	x.SetMantExp(x, 1-exponent)
	if s[0]&farAny != 0 {
		y := new(big.Float).SetInt(bigWords(wordsOf(refIn(from, s[1:]))))
		x.SetPrec(sumBits).Add(x, y.SetMantExp(y, -1074))
	}
	if x.Sign() == 0 {
		return 0, new(big.Float)
	}
	v, _ := x.Float64()
	return v, x
}
