package convert

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
)

func newDuration(t *dfa.Type, _ Options) (appender, error) {
	per := uint64(perSecond(t.Unit))
	switch t.Layout {
	case "":
		n := &counts{
			decimals:  formOfDecimals(t, powerOf(t.Unit)-powerOf(t.CountUnit), 19),
			lo:        math.MinInt64,
			hi:        math.MaxInt64,
			malformed: BadDuration,
			tooLarge:  Overflow,
		}
		return n.appender(), checkSeparators(t)
	case "go":
		parse := func(b []byte) (int64, Code) {
			var d nanoseconds
			b, neg := takeSign(b)
			return d.units(goDuration(b, &d), neg, per)
		}
		return &fixed[int64]{run: runDurations(per, easyGo), parse: parse}, nil
	case "clock":
		parse := func(b []byte) (int64, Code) {
			var d nanoseconds
			b, neg := takeSign(b)
			return d.units(clockDuration(b, &d), neg, per)
		}
		return &fixed[int64]{run: runClocks(per), parse: parse}, nil
	}
	return nil, fmt.Errorf("unknown form of durations %q; there are \"go\" and \"clock\"", t.Layout)
}

// nanoseconds is a magnitude in nanoseconds: 128 bits, so that no unit of 63
// bits is out of reach.
type nanoseconds struct {
	decimal128
	over  bool
	finer bool
}

// add adds n·unit, unit in nanoseconds.
func (d *nanoseconds) add(n, unit uint64) {
	hi, lo := bits.Mul64(n, unit)
	var carry uint64
	d.lo, carry = bits.Add64(d.lo, lo, 0)
	d.hi, carry = bits.Add64(d.hi, hi, carry)
	d.over = d.over || carry != 0
}

// takeSign takes the sign off the front of b, if it has one.
func takeSign(b []byte) (rest []byte, neg bool) {
	neg = len(b) > 0 && b[0] == '-'
	if neg || len(b) > 0 && b[0] == '+' {
		b = b[1:]
	}
	return b, neg
}

// units is d, or less than nothing, in units of which per make a second; ok: d is a duration.
func (d *nanoseconds) units(ok, neg bool, per uint64) (int64, Code) {
	if !ok {
		return 0, BadDuration
	}
	unit := 1e9 / per
	if d.over || d.hi >= unit {
		return 0, Overflow
	}
	v, rest := bits.Div64(d.hi, d.lo, unit)
	if d.finer || rest != 0 {
		return 0, FinerThanUnit
	}
	limit := uint64(math.MaxInt64)
	if neg {
		limit++
	}
	if v > limit {
		return 0, Overflow
	}
	if neg {
		v = -v
	}
	return int64(v), OK
}

// goDuration reads 1h2m3.5s, or 0: numbers with units, in any order, each with
// a fraction if need be.
func goDuration(b []byte, d *nanoseconds) bool {
	if string(b) == "0" {
		return true
	}
	for len(b) > 0 {
		whole, rest, ok := digits(b, d)
		fraction := rest[:0]
		if len(rest) > 0 && rest[0] == '.' {
			n := 1
			for n < len(rest) && rest[n]-'0' <= 9 {
				n++
			}
			fraction, rest = rest[1:n], rest[n:]
		}
		if !ok && len(fraction) == 0 {
			return false
		}
		unit, n := goUnit(rest)
		if n == 0 {
			return false
		}
		d.add(whole, unit)
		d.addFraction(fraction, unit)
		b = rest[n:]
		if len(b) == 0 {
			return true
		}
	}
	return false
}

// goUnit is the unit at the front of b in nanoseconds, and its length.
func goUnit(b []byte) (unit uint64, n int) {
	n = 0
	for n < len(b) && b[n] != '.' && b[n]-'0' > 9 {
		n++
	}
	switch string(b[:n]) {
	case "ns":
		return 1, n
	case "us", "µs", "μs":
		return 1e3, n
	case "ms":
		return 1e6, n
	case "s":
		return 1e9, n
	case "m":
		return 60e9, n
	case "h":
		return 3600e9, n
	}
	return 0, 0
}

// digits reads a whole number; too large a one is marked in d.
func digits(b []byte, d *nanoseconds) (v uint64, rest []byte, ok bool) {
	n := 0
	for n < len(b) && b[n]-'0' <= 9 {
		if v > (math.MaxUint64-9)/10 {
			d.over = true
		}
		v = v*10 + uint64(b[n]-'0')
		n++
	}
	return v, b[n:], n > 0
}

// addFraction adds 0.fraction·unit. The largest unit, 3600·10^9 = 2^13·3^2·5^11,
// leaves a fraction whole for at most 13 digits: more than 15 are too fine if
// they are not 0.
func (d *nanoseconds) addFraction(fraction []byte, unit uint64) {
	num, den := uint64(0), uint64(1)
	for _, c := range fraction {
		digit := uint64(c - '0')
		if den >= 1e15 {
			d.finer = d.finer || digit != 0
			continue
		}
		num, den = num*10+digit, den*10
	}
	hi, lo := bits.Mul64(num, unit)
	v, rest := bits.Div64(hi, lo, den)
	d.finer = d.finer || rest != 0
	d.add(v, 1)
}

// clockDuration reads [h:]mm:ss[.fff]. Without hours the minutes may be any
// number.
func clockDuration(b []byte, d *nanoseconds) bool {
	var parts [3]uint64
	n := 0
	for {
		v, rest, ok := digits(b, d)
		if !ok || n > 0 && len(b)-len(rest) != 2 {
			return false
		}
		parts[n], b = v, rest
		n++
		if n == 3 || len(b) == 0 || b[0] != ':' {
			break
		}
		b = b[1:]
	}
	if n < 2 || parts[n-1] > 59 || n == 3 && parts[1] > 59 {
		return false
	}
	for i, unit := range []uint64{3600e9, 60e9, 1e9}[3-n:] {
		d.add(parts[i], unit)
	}
	if len(b) > 0 {
		if b[0] != '.' || len(b) == 1 {
			return false
		}
		for _, c := range b[1:] {
			if c-'0' > 9 {
				return false
			}
		}
		d.addFraction(b[1:], 1e9)
	}
	return true
}
