package convert

import "github.com/dfaparse/dfaparse/dfa"

// moment is what a field says about a time, part by part.
type moment struct {
	year       int // unsaid, if it is not
	month, day int // from 1; 1 if not said
	yearDay    int // from 1; unsaid, if it is not
	hour       int // 0..23, or 1..12 with half
	minute     int
	second     int // 60 is a leap second
	nanos      int
	finer      bool // digits beyond the nanoseconds that are not 0
	half       int8 // 1: AM, 2: PM
	hasOffset  bool
	hasEpoch   bool
	offset     int   // seconds east of UTC
	epoch      int64 // seconds since 1970
	before     bool  // the epoch has a minus sign, which is its fraction's too
}

const unsaid = -1

// clear forgets what was said.
func (m *moment) clear() { *m = moment{year: unsaid, month: 1, day: 1, yearDay: unsaid} }

// perSecond is how many units a second has.
func perSecond(u dfa.Unit) int64 {
	return [...]int64{dfa.Microsecond: 1e6, dfa.Second: 1, dfa.Millisecond: 1e3, dfa.Nanosecond: 1e9}[u]
}

// clock turns moments into values of a column.
type clock struct {
	perSecond int64
	zone      *zone // of times without an offset; nil: none is applied
	year      int   // completes dates without a year; 0: base does
	base      int64 // seconds since 1970, by the clock of zone
	baseYear  int
	baseUTC   int64 // the same instant, for times with an offset
}

func newClock(t *dfa.Type, opt Options) (*clock, error) {
	c := &clock{perSecond: perSecond(t.Unit), year: t.Year}
	base := opt.BaseTime.UTC()
	if t.Kind == dfa.Timestamp && t.Zone != "" {
		var err error
		if c.zone, err = newZone(t.Zone); err != nil {
			return nil, err
		}
		base = base.In(c.zone.loc)
	}
	c.baseYear = base.Year()
	_, offset := base.Zone()
	c.base, c.baseUTC = base.Unix()+int64(offset), base.Unix()
	return c, nil
}

// secondOfDay is the time of day, 86400 for a leap second at its end.
func (m *moment) secondOfDay() (int64, bool) {
	h := m.hour
	if m.half != 0 {
		if h < 1 || h > 12 {
			return 0, false
		}
		h = h%12 + 12*int(m.half-1)
	}
	if h > 23 || m.minute > 59 || m.second > 60 {
		return 0, false
	}
	return int64(h*3600 + m.minute*60 + m.second), true
}

// days is the day number of the moment's date; second is its time of day.
func (c *clock) days(m *moment, second int64) (int64, Code) {
	year := m.year
	if year == unsaid && c.year != 0 {
		year = c.year
	}
	if year != unsaid {
		if d, ok := m.dayOf(year); ok {
			return d, OK
		}
		return 0, NoSuchTime
	}
	// The last year in which the time is not after the base, by the same clock,
	// in which it may be the year after already. Eight years always have a 29 February.
	base := c.base
	if m.hasOffset {
		base = c.baseUTC + int64(m.offset)
	}
	for year = c.baseYear + 1; year > c.baseYear-9; year-- {
		if d, ok := m.dayOf(year); ok && d*secondsPerDay+second <= base {
			return d, OK
		}
	}
	return 0, NoSuchTime
}

func (m *moment) dayOf(year int) (int64, bool) {
	if m.yearDay == unsaid {
		return dayNumber(year, m.month, m.day)
	}
	first, ok := dayNumber(year, 1, 1)
	return first + int64(m.yearDay-1), ok && 1 <= m.yearDay && (m.yearDay <= 365 || m.yearDay == 366 && isLeap(year))
}

// seconds is the moment in seconds since 1970, by the clock of the column if
// it has no zone.
func (c *clock) seconds(m *moment) (int64, Code) {
	if m.hasEpoch {
		if m.before && m.nanos > 0 {
			m.nanos = 1e9 - m.nanos
			return m.epoch - 1, OK
		}
		return m.epoch, OK
	}
	second, ok := m.secondOfDay()
	if !ok {
		return 0, NoSuchTime
	}
	days, code := c.days(m, second)
	if code != OK {
		return 0, code
	}
	s := days*secondsPerDay + second
	switch {
	case m.hasOffset:
		s -= int64(m.offset)
	case c.zone != nil:
		s = c.zone.utc(s)
	}
	return s, OK
}

// date is the moment as a day number.
func (c *clock) date(m *moment) (int32, Code) {
	if m.hasEpoch {
		if m.epoch < minSeconds || m.epoch >= endSeconds {
			return 0, DateRange
		}
		return int32((m.epoch-minSeconds)/secondsPerDay + minSeconds/secondsPerDay), OK
	}
	second, ok := m.secondOfDay()
	if !ok {
		return 0, NoSuchTime
	}
	d, code := c.days(m, second)
	return int32(d), code
}

// timeOfDay is the moment in units since midnight.
func (c *clock) timeOfDay(m *moment) (int64, Code) {
	s, ok := m.secondOfDay()
	if !ok || s == secondsPerDay {
		return 0, NoSuchTime
	}
	return c.units(s, m)
}

// timestamp is the moment in units since 1970.
func (c *clock) timestamp(m *moment) (int64, Code) {
	s, code := c.seconds(m)
	if code != OK {
		return 0, code
	}
	if s < minSeconds || s >= endSeconds {
		return 0, DateRange
	}
	return c.units(s, m)
}

// units is s seconds and m's fraction in units.
func (c *clock) units(s int64, m *moment) (int64, Code) {
	n := int64(m.nanos)
	if m.finer {
		return 0, FinerThanUnit
	}
	if n != 0 {
		per := int64(1e9) / c.perSecond
		if n%per != 0 {
			return 0, FinerThanUnit
		}
		n /= per
	}
	if c.perSecond < 1e9 {
		return s*c.perSecond + n, OK // seconds of 4 digits of years: no overflow
	}
	// 2^63 ns are 9223372036.854775808 s.
	if s < 0 && n > 0 {
		s, n = s+1, n-1e9
	}
	if s < -9223372036 || s > 9223372036 {
		return 0, DateRange
	}
	v := s*1e9 + n
	if (n > 0 && v < s*1e9) || (n < 0 && v > s*1e9) {
		return 0, DateRange
	}
	return v, OK
}
