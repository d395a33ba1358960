package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// dates remembers the date of one row with AVX-512: rows next to each other
// mostly have the same, and a group that has it need not be read.
type dates struct {
	*clockReader
	keys  []vec // its symbols
	start vec   // its first second since epochDay
	// What was wrong with it. At first, with that of no symbols.
	refused, test vec
}

func newDates(c *clockReader, windows int) *dates {
	d := &dates{clockReader: c}
	if c.wide() {
		d.start, d.refused, d.test = c.zero(), c.ones(), c.zero()
		for range windows {
			d.keys = append(d.keys, c.zero())
		}
	}
	return d
}

// firstSecond gives the first second of the date that is in windows, which read
// reads.
func (d *dates) firstSecond(windows []vec, read func() vec) vec {
	c := d.clockReader
	if !c.wide() {
		return c.mul(rare(86400), read())
	}
	same, bits := K(), GP32()
	VPCMPEQQ(d.keys[0], windows[0], same)
	for i, key := range d.keys[1:] {
		VPCMPEQQ(key, windows[i+1], same, same)
	}
	before := c.refused
	start, refused, test := c.load(d.start), c.load(d.refused), c.load(d.test)
	KMOVB(same, bits)
	CMPL(bits, U32(0xff))
	JEQ(LabelRef("sameDate"))
	{
		c.refused, c.test = c.zero(), nil
		c.move(c.mul(rare(86400), read()), start)
		c.move(c.refused, refused)
		c.move(c.test, test)
		for i, key := range d.keys {
			VPBROADCASTQ(windows[i].AsX(), key)
		}
		VPBROADCASTQ(start.AsX(), d.start)
		VPBROADCASTQ(refused.AsX(), d.refused)
		VPBROADCASTQ(test.AsX(), d.test)
	}
	Label("sameDate")
	c.refused, c.test = c.or(before, refused), test
	return start
}
