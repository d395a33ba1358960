package expr

import (
	"fmt"
	"math"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Roundings are the functions that take dates and times back to where their unit
// begins.
var Roundings = []string{"year", "quarter", "month", "week", "day", "hour", "minute", "second"}

// rounding takes the values of a column of dates or times back to the beginning of
// their unit, in the column's zone.
type rounding struct {
	gives arrow.DataType
	of    arrow.DataType
	zone  *time.Location
	ticks int64 // of the column in a second; 0 of a date
	unit  string
	days  bool // the result is a date
}

var secondsIn = map[string]int64{"hour": 3600, "minute": 60, "second": 1}

func newRounding(unit string, of arrow.DataType) (*rounding, error) {
	r := &rounding{of: of, gives: of, unit: unit, zone: time.UTC, days: secondsIn[unit] == 0}
	switch t := of.(type) {
	case *arrow.Date32Type:
		if !r.days {
			return nil, fmt.Errorf("a date has no %s", unit)
		}
	case *arrow.TimestampType:
		r.ticks = int64(time.Second / t.Unit.Multiplier())
		if t.TimeZone != "" {
			var err error
			if r.zone, err = time.LoadLocation(t.TimeZone); err != nil {
				return nil, err
			}
		}
	case *arrow.Time32Type:
		r.ticks = int64(time.Second / t.Unit.Multiplier())
	case *arrow.Time64Type:
		r.ticks = int64(time.Second / t.Unit.Multiplier())
	default:
		return nil, fmt.Errorf("it wants dates or times, and these are %s", TypeName(&arrow.Field{Type: of}))
	}
	if _, isTime := of.(arrow.TemporalWithUnit); isTime && r.days && of.ID() != arrow.TIMESTAMP {
		return nil, fmt.Errorf("a time of day has no %s", unit)
	}
	if r.days {
		r.gives = arrow.FixedWidthTypes.Date32
	}
	return r, nil
}

// array is what a's values become.
func (r *rounding) array(a arrow.Array) arrow.Array {
	width := r.gives.(arrow.FixedWidthDataType).Bytes()
	values := make([]byte, a.Len()*width)
	switch r.of.ID() {
	case arrow.DATE32:
		roundInto(r, arrow.Date32Traits.CastFromBytes(values), a.(*array.Date32).Date32Values())
	case arrow.TIME32:
		roundInto(r, arrow.Time32Traits.CastFromBytes(values), a.(*array.Time32).Time32Values())
	case arrow.TIME64:
		roundInto(r, arrow.Time64Traits.CastFromBytes(values), a.(*array.Time64).Time64Values())
	case arrow.TIMESTAMP:
		if from := a.(*array.Timestamp).TimestampValues(); r.days {
			roundInto(r, arrow.Date32Traits.CastFromBytes(values), from)
		} else {
			roundInto(r, arrow.TimestampTraits.CastFromBytes(values), from)
		}
	}
	valid := validity(a)
	data := array.NewData(r.gives, a.Len(), []*memory.Buffer{valid, memory.NewBufferBytes(values)}, nil, a.NullN(), 0)
	if valid != nil {
		valid.Release()
	}
	defer data.Release()
	return array.MakeFromData(data)
}

type signed interface{ ~int32 | ~int64 }

// roundInto rounds values, of which neighbours tend to be of one unit.
func roundInto[D, S signed](r *rounding, dst []D, src []S) {
	from, to, result := int64(1), int64(0), D(0)
	for i, x := range src {
		if v := int64(x); v < from || v >= to {
			var at int64
			from, to, at = r.around(v)
			result = D(at)
		}
		dst[i] = result
	}
}

// around is what v becomes, and the values from up to to that become the same.
func (r *rounding) around(v int64) (from, to, result int64) {
	if r.of.ID() == arrow.TIME32 || r.of.ID() == arrow.TIME64 {
		from = floorTo(v, r.ticks*secondsIn[r.unit])
		return from, from + r.ticks*secondsIn[r.unit], from
	}
	if r.ticks == 0 { // dates
		first := r.first(time.Unix(v*86400, 0).UTC())
		from = first.Unix() / 86400
		return from, r.next(first).Unix() / 86400, from
	}
	seconds := floorTo(v, r.ticks) / r.ticks
	t := time.Unix(seconds, 0).In(r.zone)
	begin, end := t.ZoneBounds()
	_, offset := t.Zone()
	shift := int64(offset)
	if r.days {
		local := time.Unix(seconds+shift, 0).UTC()
		first := r.first(local)
		result = first.Unix() / 86400
		from, to = first.Unix()-shift, r.next(first).Unix()-shift
	} else {
		unit := secondsIn[r.unit]
		from = floorTo(seconds+shift, unit) - shift
		to = from + unit
		result = from * r.ticks
	}
	// Neighbours beyond a change of the zone's offset are looked at for themselves.
	if !begin.IsZero() && begin.Unix() > from {
		from = begin.Unix()
		if _, before := begin.Add(-1).Zone(); before != offset && !r.days { // as in St. John's at 0:01: the unit begins anew
			result = from * r.ticks
		}
	}
	if !end.IsZero() {
		to = min(to, end.Unix())
	}
	if limit := math.MaxInt64 / r.ticks; from <= -limit || to >= limit { // centuries from here no unit is whole
		return v, v + 1, result
	}
	return from * r.ticks, to * r.ticks, result
}

func floorTo(v, unit int64) int64 {
	m := v % unit
	if m < 0 {
		m += unit
	}
	return v - m
}

// first is the first day of t's unit.
func (r *rounding) first(t time.Time) time.Time {
	y, m, d := t.Date()
	switch r.unit {
	case "year":
		m, d = 1, 1
	case "quarter":
		m, d = (m-1)/3*3+1, 1
	case "month":
		d = 1
	case "week": // which begins on Monday, as that of ISO 8601
		d -= (int(t.Weekday()) + 6) % 7
	}
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func (r *rounding) next(first time.Time) time.Time {
	switch r.unit {
	case "year":
		return first.AddDate(1, 0, 0)
	case "quarter":
		return first.AddDate(0, 3, 0)
	case "month":
		return first.AddDate(0, 1, 0)
	case "week":
		return first.AddDate(0, 0, 7)
	}
	return first.AddDate(0, 0, 1)
}
