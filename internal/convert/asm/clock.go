package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Dates and times have one length and their digits in known places. Every
// symbol is tested in some window by XOR with a template, digits being '0'
// there and all else itself, and by an addition that carries into the top bit
// of what is larger than it may be. Multiplications add up the digits.

// clockReader collects what is wrong with the rows of a group.
type clockReader struct {
	*kernel
	last    vec // the last place, 32-bit lanes
	length  Op  // of fields
	refused vec // top bit set
	test    vec // top bit of any byte set
	unequal rowset
}

// newClockReader reads fields of so many symbols.
func newClockReader(k *kernel, length int) *clockReader {
	return clockReaderOf(k, rare(uint64(length)), rare(uint64(length)|uint64(length)<<32))
}

// clockReaderOf is the same where the length is known by words of 64 bits and of 32.
func clockReaderOf(k *kernel, length, half Op) *clockReader {
	c := &clockReader{kernel: k, length: length, last: k.half()}
	VPSUBD(half, k.length, c.last)
	return c
}

// read emits the windows of a group at the places given.
func (c *clockReader) read(disps ...int) []vec {
	k := c.kernel
	start, place := k.half(), k.half()
	k.moveHalf(k.at(k.start), start)
	VPMINUD(c.last, start, place)
	k.setPlaces(k.start, start, place)
	from := k.widen(start)
	c.refused = k.sub(from, k.widen(c.last))
	n := k.sub(from, k.widen(k.at(k.end)))
	c.unequal = k.nonzero(k.xor(c.length, n))
	c.test = nil
	return k.windows(disps...)
}

// digits gives x with its digits as their values and what is not a digit as 0,
// and tests each: form has a digit for the largest that may be there, and 0
// bytes where anything is welcome that is not above 127.
func (c *clockReader) digits(form string, x vec) vec {
	return c.digitsOf(rare(template(form)), form, x)
}

func (c *clockReader) digitsOf(template Op, form string, x vec) vec {
	var above uint64
	for i := range form {
		limit := uint64(0)
		switch b := form[i]; {
		case b >= '0' && b <= '9':
			limit = 0x7f - uint64(b-'0')
		case b != 0:
			limit = 0x7f
		}
		above |= limit << (8 * i)
	}
	x = c.xor(template, x)
	t := c.op(VPADDUSB, rare(above), x)
	if c.test != nil {
		t = c.or(c.test, t)
	}
	c.test = t
	return x
}

func template(form string) (q uint64) {
	for i := range form {
		b := form[i]
		if b >= '0' && b <= '9' {
			b = '0'
		}
		q |= uint64(b) << (8 * i)
	}
	return q
}

// pairs multiplies each byte by its weight and adds up two and two.
func (c *clockReader) pairs(x vec, weights ...byte) vec {
	var q uint64
	for i, w := range weights {
		q |= uint64(w) << (8 * i)
	}
	return c.op(VPMADDUBSW, rare(q), x)
}

// fours does the same with 16-bit numbers.
func (c *clockReader) fours(x vec, weights ...uint16) vec {
	var q uint64
	for i, w := range weights {
		q |= uint64(w) << (16 * i)
	}
	return c.op(VPMADDWD, rare(q), x)
}

func (c *clockReader) lowByte(x vec) vec { return c.and(rare(0xff), x) }

func (c *clockReader) lowHalf(x vec) vec { return c.and(rare(1<<32-1), x) }

// sum is the sum of the halves of the lanes.
func (c *clockReader) sum(x vec) vec { return c.lowHalf(c.add(c.shr(32, x), x)) }

// refuse leaves the rows in which x is below 0.
func (c *clockReader) refuse(x vec) { c.refused = c.or(c.refused, x) }

// refuseOther leaves the rows in which x, at most 63 bits, is not 0.
func (c *clockReader) refuseOther(x vec) { c.refuse(c.sub(x, c.zero())) }

// secondOfDay reads 15:04:05.
func (c *clockReader) secondOfDay(x vec) vec {
	p := c.pairs(c.digits("29:59:59", x), 10, 1, 0, 10, 1, 0, 10, 1)
	s := c.sum(c.fours(p, 3600, 60, 60, 1))
	c.refuse(c.sub(s, c.load(rare(86399))))
	return s
}

// epochDay is what days counts from: 1 March of the year 0, less a day.
const epochDay = 719469

// monthDays are the most a month has.
var monthDays = []byte{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// days is the day number of a date, see epochDay; a date that does not exist
// is refused. year may have anything in its high half.
func (c *clockReader) days(year, month, day vec) vec {
	year = c.lowHalf(year)
	c.refuse(c.sub(rare(1), year))
	c.refuse(c.sub(month, c.load(rare(12))))
	c.refuse(c.sub(rare(1), day))
	c.refuse(c.sub(day, c.shuffle(table16("monthDays", monthDays), month)))
	century := func(year vec) vec { return c.shr(19, c.mul(rare(5243), year)) }

	// 29 February: the years of which the number is no multiple of 4, and
	// those that begin or end a century, are left to Go.
	leap := c.eq(rare(2<<5|29), c.add(c.shl(5, month), day))
	refused := c.load(c.refused)
	bits := c.bits(leap)
	TESTL(bits, bits)
	JZ(LabelRef(c.label("common")))
	{
		odd := c.sub(c.and(rare(3), year), c.zero())
		inCentury := c.sub(c.mul(rare(100), century(year)), year)
		none := c.or(odd, c.sub(rare(1), inCentury))
		c.move(c.or(refused, c.pick(leap, none, c.zero())), refused)
	}
	Label(c.label("common"))
	c.refused = refused

	// Years begin with March.
	before := c.sub(rare(3), month)
	month = c.pick(c.signs(before), c.add(rare(12), month), month)
	year = c.sub(c.shr(63, before), year)
	months := c.shr(5, c.sub(rare(2919), c.mul(rare(979), month)))
	centuries := century(year)
	d := c.add(months, c.shr(2, c.mul(rare(1461), year)))
	d = c.sub(centuries, c.add(c.shr(2, centuries), d))
	return c.add(day, d)
}

// timestamp gives units since 1970. date is its first second.
func (c *clockReader) timestamp(date, second vec) vec {
	s := c.add(c.param(clockOrigin), c.add(second, date))
	c.refuse(c.sub(c.param(clockLeast), s))
	c.refuse(c.sub(s, c.param(clockMost)))
	per := c.param(clockPer)
	r := c.reg()
	if c.wide() {
		VPMULLQ(per, s, r)
		return r
	}
	return c.add(c.shl(32, c.mul(per, c.shr(32, s))), c.mul(per, s))
}

func (c *clockReader) left() rowset {
	return c.either(c.either(c.signs(c.refused), c.hasBits(rare(0x80*each), c.test)), c.unequal)
}

// isoTimestamps: clockForm is the template of the day and what comes after it.
func isoTimestamps(v isa) {
	k := begin(v, "isoTimestamps", "converts 2006-01-02 15:04:05.")
	c := newClockReader(k, 19)
	d := newDates(c, 2)
	k.loop(8, nil, func(out Mem) rowset {
		x := c.read(0, 8, 11)
		x[1] = c.and(rare(1<<24-1), x[1])
		date := d.firstSecond(x[:2], func() vec {
			ym := c.fours(c.pairs(c.digits("9999-99-", x[0]), 10, 1, 10, 1, 0, 10, 1, 0), 100, 1, 1, 1)
			day := c.pairs(c.digitsOf(c.param(clockForm), "99 ", x[1]), 10, 1, 0, 0, 0, 0, 0, 0)
			return c.days(ym, c.shr(32, ym), day)
		})
		k.move(c.timestamp(date, c.secondOfDay(x[2])), out)
		return c.left()
	})
}

// webTimestamps: clockForm is the offset, with the space before it.
func webTimestamps(v isa) {
	k := begin(v, "webTimestamps", "converts 02/Jan/2006:15:04:05 -0700.")
	c := newClockReader(k, 26)
	d := newDates(c, 2)
	k.loop(8, nil, func(out Mem) rowset {
		x := c.read(0, 4, 12, 18)
		date := d.firstSecond(x[:2], func() vec {
			y := c.pairs(c.digits("\x00\x00/9999:", x[1]), 0, 0, 0, 1, 10, 1, 1, 0)
			year := c.sum(c.fours(y, 0, 1000, 10, 1))
			day := c.pairs(c.digits("99/\x00\x00\x00/\x00", x[0]), 10, 1, 0, 0, 0, 0, 0, 0)
			month := c.month(c.and(rare(1<<24-1), c.shr(24, x[0])))
			return c.days(year, month, day)
		})
		c.refuseOther(c.xor(c.param(clockForm), c.shr(16, x[3])))
		k.move(c.timestamp(date, c.secondOfDay(x[2])), out)
		return c.left()
	})
}

const monthNames = "JanFebMarAprMayJunJulAugSepOctNovDec"

// month is the number of the month whose three letters are given. A product
// has different bits for the twelve.
func (c *clockReader) month(letters vec) vec {
	const factor, shift = 61, 15
	var numbers [16]byte
	var names [3][16]byte
	for m := range 12 {
		s := monthNames[3*m:][:3]
		h := (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16) * factor >> shift & 15
		if numbers[h] != 0 {
			panic("two months in one place")
		}
		numbers[h] = byte(m + 1)
		for i := range names {
			names[i][h] = s[i]
		}
	}
	h := c.and(rare(15), c.shr(shift, c.mul(rare(factor), letters)))
	want := c.lowByte(c.shuffle(table16("monthLetter0", names[0][:]), h))
	want = c.or(want, c.shl(8, c.lowByte(c.shuffle(table16("monthLetter1", names[1][:]), h))))
	want = c.or(want, c.shl(16, c.lowByte(c.shuffle(table16("monthLetter2", names[2][:]), h))))
	c.refuseOther(c.xor(want, letters))
	return c.lowByte(c.shuffle(table16("monthNumber", numbers[:]), h))
}

// isoDates has no params.
func isoDates(v isa) {
	k := begin(v, "isoDates", "converts 2006-01-02.")
	c := newClockReader(k, 10)
	k.loop(4, nil, func(out Mem) rowset {
		x := c.read(0, 2)
		ym := c.fours(c.pairs(c.digits("9999-99-", x[0]), 10, 1, 10, 1, 0, 10, 1, 0), 100, 1, 1, 1)
		day := c.shr(48, c.pairs(c.digits("99-99-99", x[1]), 0, 0, 0, 0, 0, 0, 10, 1))
		d := c.sub(rare(epochDay), c.days(ym, c.shr(32, ym), day))
		k.store(d, out, 4)
		return c.left()
	})
}

// placedDates: a field lies in two windows, one from its front and one to its end. The params are its length, and of
// either window its template, what has to be added to its symbols for the top bit of what is larger than it may be,
// and which of them are the digits of year, month and day, for two rows.
func placedDates(v isa) {
	k := begin(v, "placedDates", "converts dates of 8 to 16 symbols, whose digits stand in known places.")
	length, half := k.param(dateLength), k.half()
	VPBROADCASTD(Mem{Base: k.params, Disp: 8 * dateLength}, half)
	c := clockReaderOf(k, length, half)
	front, back := k.src, GP64()
	MOVQ(Mem{Base: k.params, Disp: 8 * dateLength}, back)
	LEAQ(Mem{Base: front, Index: back, Scale: 1, Disp: -8}, back)
	k.loop(4, nil, func(out Mem) rowset {
		windows := c.read(0)
		k.src = back
		windows = append(windows, k.window(0))
		k.src = front
		var x vec
		for w, symbols := range windows {
			symbols = c.xor(c.param(dateForm+w), symbols)
			over := c.op(VPADDUSB, c.param(dateMost+w), symbols)
			digits := c.op(VPSHUFB, Mem{Base: k.params, Disp: 8 * (dateDigits + 8*w)}, symbols)
			if w == 0 {
				x, c.test = digits, over
			} else {
				x, c.test = c.or(digits, x), c.or(over, c.test)
			}
		}
		p := c.pairs(x, 10, 1, 10, 1, 10, 1, 10, 1)
		ym := c.fours(p, 100, 1, 1, 0)
		k.store(c.sub(rare(epochDay), c.days(ym, c.shr(32, ym), c.shr(48, p))), out, 4)
		return c.left()
	})
}

func times(v isa, width int) {
	k := begin(v, map[int]string{4: "times32", 8: "times64"}[width], "converts 15:04:05.")
	c := newClockReader(k, 8)
	k.loop(width, nil, func(out Mem) rowset {
		k.store(c.mul(c.param(timePerSecond), c.secondOfDay(c.read(0)[0])), out, width)
		return c.left()
	})
}

// shortDates does, of the rows that todo has, dates of a number of one or two digits, a sign, another such number, a
// sign, and a year of four digits, or two. The params are the signs, as the first and the fourth symbol of a word,
// without the bits of '0', all ones if months stand first, and all ones if years have two digits.
//
// The second number gets two digits: where it has one, what is before it moves up by a symbol, and a year of two digits
// moves what is before it up by two, so that all stand in known places.
func shortDates() {
	k := begin(avx512, "shortDates", "converts 1/2/2006, whose numbers need not have two digits, of the rows that are left.")
	c := &clockReader{kernel: k}
	signs, short := k.param(dateSigns), GP64()
	MOVQ(Mem{Base: k.params, Disp: 8 * dateShort}, short)
	monthFirst := K()
	VPMOVQ2M(k.param(dateMonthFirst), monthFirst)
	order := GP32() // there are not mask registers for all
	KMOVB(monthFirst, order)
	k.loopLeft(4, func() (vec, rowset) {
		windows, n, bad := k.endWindows(16, -8, -16)
		back, front := windows[0], windows[1]
		TESTQ(short, short)
		JZ(LabelRef("long"))
		{
			k.move(k.or(k.shl(48, back), k.shr(16, front)), front)
			moved := k.and(rare(1<<32-1), k.shr(16, back))
			year := k.and(rare(0xffff<<48), back)
			k.move(k.or(rare('0'<<32|'0'<<40), k.or(moved, year)), back)
			VPADDQ(rare(2), n, n)
		}
		Label("long")
		over := K()
		VPCMPUQ(U8(6), rare(2), k.sub(rare(8), n), over)
		KORB(over, bad, bad)
		x := k.xor(rare('0'*each), back)
		one := k.eq(c.lowByte(signs), c.lowByte(k.shr(8, x)))
		h := k.xor(rare('0'*each), front)
		moved := k.or(k.shl(56, x), k.shr(8, h))
		VMOVDQU64(moved, one, h)
		moved = k.or(c.lowByte(signs), k.and(rare(^uint64(0xffff)), x))
		VMOVDQU64(moved, one, x)
		digits := k.sub(rare(8), n) // of the first number
		VPADDQ(rare(1), digits, one, digits)
		VPCMPUQ(U8(6), rare(1), k.sub(rare(1), digits), over)
		KORB(over, bad, bad)
		h = k.and(k.shlBy(k.sub(k.shl(3, digits), k.load(rare(64))), k.load(rare(1<<64-1))), h)
		const atSigns = 0xff<<24 | 0xff
		VPCMPQ(U8(4), signs, k.and(rare(atSigns), x), over)
		KORB(over, bad, bad)
		x = k.and(rare(^uint64(atSigns)), x)
		VPTESTMQ(rare(0x80*each), k.or(k.op(VPADDUSB, rare((0x7f-9)*each), x), k.op(VPADDUSB, rare((0x7f-9)*each), h)), over)
		KORB(over, bad, bad)

		numbers := c.fours(c.pairs(x, 0, 10, 1, 0, 10, 1, 10, 1), 1, 1, 100, 1)
		second, year := c.lowHalf(numbers), k.shr(32, numbers)
		first := k.shr(48, c.pairs(h, 0, 0, 0, 0, 0, 0, 10, 1))
		TESTQ(short, short)
		JZ(LabelRef("century"))
		{
			early := K()
			VPCMPUQ(U8(1), rare(69), year, early)
			VPADDQ(rare(100), year, early, year)
			VPADDQ(rare(1900), year, year)
		}
		Label("century")
		KMOVB(order, monthFirst)
		month, day := k.pick(monthFirst, first, second), k.pick(monthFirst, second, first)
		c.refused = k.load(rare(0))
		days := c.days(year, month, day)
		KORB(k.signs(c.refused), bad, bad)
		return k.sub(rare(epochDay), days), bad
	})
}
