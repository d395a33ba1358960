package render

import (
	"strconv"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// appendTime appends a date, a time, a timestamp or a duration, and reports
// whether a is one of them.
func appendTime(dst []byte, a arrow.Array, row int) ([]byte, bool) {
	switch a := a.(type) {
	case *array.Timestamp:
		return appendTimestamp(dst, a.DataType().(*arrow.TimestampType), int64(a.Value(row))), true
	case *array.Date32:
		return appendDate(dst, int64(a.Value(row))), true
	case *array.Date64:
		return appendDate(dst, floorDiv(int64(a.Value(row)), 86400000)), true
	case *array.Time32:
		return appendClock(dst, int64(a.Value(row)), perSecond(a.DataType().(*arrow.Time32Type).Unit)), true
	case *array.Time64:
		return appendClock(dst, int64(a.Value(row)), perSecond(a.DataType().(*arrow.Time64Type).Unit)), true
	case *array.Duration:
		return appendDuration(dst, int64(a.Value(row)), perSecond(a.DataType().(*arrow.DurationType).Unit)), true
	}
	return dst, false
}

// perSecond is how many of a unit make a second.
func perSecond(u arrow.TimeUnit) int64 {
	switch u {
	case arrow.Millisecond:
		return 1e3
	case arrow.Microsecond:
		return 1e6
	case arrow.Nanosecond:
		return 1e9
	}
	return 1
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func appendTimestamp(dst []byte, t *arrow.TimestampType, v int64) []byte {
	per := perSecond(t.Unit)
	sec := floorDiv(v, per)
	fraction := v - sec*per
	offset, zoned := 0, t.TimeZone != "" && t.TimeZone != "UTC"
	if zoned {
		if loc, err := t.GetZone(); err == nil {
			_, offset = time.Unix(sec, 0).In(loc).Zone()
			// RFC 3339 has no seconds in offsets, which those of before 1972
			// may have: the clock is that of the whole minutes, so that the
			// instant stays.
			offset -= offset % 60
		} else {
			zoned = false // an unknown zone: the instant is still right in UTC
		}
	}
	local := sec + int64(offset)
	day := floorDiv(local, 86400)
	dst = appendDate(dst, day)
	dst = append(dst, 'T')
	dst = appendClock(dst, (local-day*86400)*per+fraction, per)
	switch {
	case zoned:
		return appendOffset(dst, offset)
	case t.TimeZone != "":
		return append(dst, 'Z')
	}
	return dst
}

// appendOffset appends whole minutes, as seconds east of UTC, as +01:00.
func appendOffset(dst []byte, offset int) []byte {
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = append(dst, sign)
	dst = append2(dst, offset/3600)
	dst = append(dst, ':')
	return append2(dst, offset/60%60)
}

// appendDate appends a day since 1970-01-01; years outside 0000 to 9999 have a
// sign (ISO 8601's expanded form). The algorithm counts eras of 400 years that
// begin on the first of March of the proleptic Gregorian calendar.
func appendDate(dst []byte, day int64) []byte {
	day += 719468 // since 0000-03-01
	era := floorDiv(day, 146097)
	doe := day - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	dom := doy - (153*mp+2)/5 + 1
	year, month := yoe+era*400, mp+3
	if month > 12 {
		year, month = year+1, month-12
	}
	switch {
	case year < 0:
		dst, year = append(dst, '-'), -year
	case year > 9999:
		dst = append(dst, '+')
	}
	for p := int64(1000); p > 1 && year < p; p /= 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, year, 10)
	dst = append(dst, '-')
	dst = append2(dst, int(month))
	dst = append(dst, '-')
	return append2(dst, int(dom))
}

// appendClock appends a time of day counted in units, per of which make a
// second: 15:04:05.25.
func appendClock(dst []byte, v, per int64) []byte {
	if v < 0 {
		dst, v = append(dst, '-'), -v
	}
	sec := v / per
	if hours := sec / 3600; hours < 100 {
		dst = append2(dst, int(hours))
	} else {
		dst = strconv.AppendInt(dst, hours, 10)
	}
	dst = append(dst, ':')
	dst = append2(dst, int(sec/60%60))
	dst = append(dst, ':')
	dst = append2(dst, int(sec%60))
	return appendFraction(dst, uint64(v%per), uint64(per))
}

// appendFraction appends v/per, less than 1, as .25, or nothing if it is 0.
func appendFraction(dst []byte, v, per uint64) []byte {
	if v == 0 {
		return dst
	}
	dst = append(dst, '.')
	for v != 0 {
		per /= 10
		dst = append(dst, byte('0'+v/per))
		v %= per
	}
	return dst
}

// appendDuration appends v units, per of which make a second, as Go's
// time.Duration does, for the whole range of an int64 in every unit.
func appendDuration(dst []byte, v, per int64) []byte {
	u := uint64(v)
	if v < 0 {
		dst, u = append(dst, '-'), -u
	}
	sec, rest := u/uint64(per), u%uint64(per)
	if sec == 0 && rest != 0 { // below a second: the largest unit with a digit before the point
		for _, unit := range [...]struct {
			per  uint64 // of it make a second
			name string
		}{{1e3, "ms"}, {1e6, "µs"}, {1e9, "ns"}} {
			scale := uint64(per) / unit.per
			if rest >= scale && scale > 0 {
				dst = strconv.AppendUint(dst, rest/scale, 10)
				dst = appendFraction(dst, rest%scale, scale)
				return append(dst, unit.name...)
			}
		}
	}
	if hours := sec / 3600; hours > 0 {
		dst = append(strconv.AppendUint(dst, hours, 10), 'h')
	}
	if sec >= 60 {
		dst = append(strconv.AppendUint(dst, sec/60%60, 10), 'm')
	}
	dst = strconv.AppendUint(dst, sec%60, 10)
	dst = appendFraction(dst, rest, uint64(per))
	return append(dst, 's')
}

func append2(dst []byte, v int) []byte {
	return append(dst, byte('0'+v/10), byte('0'+v%10))
}
