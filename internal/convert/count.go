package convert

import (
	"math"
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
)

// counts converts a column of numbers of some unit, kept as integers of
// another: epochs and durations.
type counts struct {
	decimals
	lo, hi    int64 // the values allowed
	malformed Code
	tooLarge  Code
}

func (n *counts) appender() appender {
	p := &fixed[int64]{parse: n.parse}
	if n.point == '.' {
		p.run = n.run
		p.vectors.kernel = countKernel()
		p.vectors.params = n.params(min(tens[maxDigits64].lo-1, uint64(n.hi), uint64(-(n.lo + 1))))
	}
	return p
}

func newEpoch(t *dfa.Type) (appender, error) {
	if t.Zone != "" {
		if _, err := newZone(t.Zone); err != nil {
			return nil, err
		}
	}
	per := perSecond(t.Unit)
	n := &counts{
		decimals:  formOfDecimals(t, powerOf(t.Unit)-powerOf(t.CountUnit), 19),
		lo:        math.MinInt64,
		hi:        math.MaxInt64,
		malformed: BadTimestamp,
		tooLarge:  DateRange,
	}
	if per < 1e9 {
		n.lo, n.hi = minSeconds*per, endSeconds*per-1
	}
	return n.appender(), checkSeparators(t)
}

// powerOf is how many digits a second has after the point in units.
func powerOf(u dfa.Unit) int {
	return [...]int{dfa.Microsecond: 6, dfa.Second: 0, dfa.Millisecond: 3, dfa.Nanosecond: 9}[u]
}

// run reads up to 16 symbols without an exponent.
func (n *counts) run(out []int64, f *Fields, i int) int {
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
	for ; i < len(start); i++ {
		m, places, neg, ok := scanShort(f.Src, start[i], end[i], dotDigit)
		shift := uint(n.scale - places)
		if !ok || shift > 19 {
			return i
		}
		hi, lo := bits.Mul64(m, tens[shift].lo)
		v := int64(lo)
		if neg {
			v = -v
		}
		if hi != 0 || lo > math.MaxInt64 || v < n.lo || v > n.hi {
			return i
		}
		out[i] = v
	}
	return i
}

func (n *counts) parse(b []byte) (int64, Code) {
	m, neg, code := n.magnitude(b)
	switch code {
	case OK:
	case FractionLost:
		return 0, FinerThanUnit
	case Overflow:
		return 0, n.tooLarge
	default:
		return 0, n.malformed
	}
	limit := uint64(math.MaxInt64)
	if neg {
		limit++
	}
	if m.hi != 0 || m.lo > limit {
		return 0, n.tooLarge
	}
	v := int64(m.lo)
	if neg {
		v = -v
	}
	if v < n.lo || v > n.hi {
		return 0, n.tooLarge
	}
	return v, OK
}
