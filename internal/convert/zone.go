package convert

import (
	"fmt"
	"math"
	"time"
)

// zone turns wall clock times into instants. A time that the clock showed
// twice is the first of the two; a time that it never showed, because it was
// put forward, is as much later: both by the offset in force before the
// change.
type zone struct {
	loc *time.Location
	// For times of the wall clock from lo to hi, in seconds, the offset is
	// known: they are more than a day from a change.
	lo, hi int64
	offset int64
}

func newZone(name string) (*zone, error) {
	if name == "Local" {
		return nil, fmt.Errorf("zone %q differs from machine to machine; give its IANA name", name)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	return &zone{loc: loc, lo: 1}, nil
}

// utc is the instant, in seconds since 1970, of a wall clock time, in seconds
// since 1970-01-01T00:00:00 of the same clock.
func (z *zone) utc(wall int64) int64 {
	if z.lo <= wall && wall < z.hi {
		return wall - z.offset
	}
	return z.find(wall)
}

func (z *zone) find(wall int64) int64 {
	// Offsets are less than a day: this instant comes before the one sought.
	_, before := z.at(wall - secondsPerDay)
	utc := wall - before
	t, offset := z.at(utc)
	if offset != before {
		if _, again := z.at(wall - offset); again == offset {
			utc = wall - offset
		}
	}
	z.offset, z.lo, z.hi = wall-utc, math.MinInt64, math.MaxInt64
	if offset != z.offset {
		z.lo, z.hi = 1, 0
		return utc
	}
	from, to := t.ZoneBounds()
	if !from.IsZero() {
		z.lo = from.Unix() + offset + secondsPerDay
	}
	if !to.IsZero() {
		z.hi = to.Unix() + offset - secondsPerDay
	}
	return utc
}

func (z *zone) at(utc int64) (time.Time, int64) {
	t := time.Unix(utc, 0).In(z.loc)
	_, offset := t.Zone()
	return t, int64(offset)
}
