package convert

import (
	"math"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// ClockForm is how the fields of a date, time or timestamp column are written,
// and how a moment becomes a value: what an engine needs to know that reads
// them itself. The meaning of everything is NewConverter's.
type ClockForm struct {
	// Ops read a field from its front to its end, one after the other; nil:
	// the ISO form of the kind.
	Ops       []ClockOp
	PerSecond int64 // units a second
	// Year completes dates without one. 0: it is the last year, from BaseYear
	// down, in which the time is not after Base, in seconds since 1970 by the
	// clock of the zone. Where the time has an offset, that is another clock.
	Year, BaseYear int
	Base           int64

	zone *zone
}

// ClockOp is text that has to be there, or a directive of a layout.
type ClockOp struct {
	Directive byte // 0: text
	Full      bool // a number has all of its digits, without a space in place of one
	Text      string
}

// NewClockForm is the form of columns of type t, which is no epoch.
func NewClockForm(t *dfa.Type, opt Options) (*ClockForm, error) {
	r, err := newClockReader(t, opt, nil)
	if err != nil {
		return nil, err
	}
	f := &ClockForm{PerSecond: r.perSecond, Year: r.year, BaseYear: r.baseYear, Base: r.base, zone: r.zone}
	if r.layout != nil {
		for _, o := range r.layout.ops {
			f.Ops = append(f.Ops, ClockOp{o.directive, o.full, o.text})
		}
	}
	return f, nil
}

// Canonical is the layout of the ops, in which directives that stand for
// others are written out; "" is the ISO form.
func (f *ClockForm) Canonical() string {
	var s strings.Builder
	for _, op := range f.Ops {
		if op.Directive != 0 {
			s.WriteByte('%')
			s.WriteByte(op.Directive)
		} else {
			s.WriteString(strings.ReplaceAll(op.Text, "%", "%%"))
		}
	}
	return s.String()
}

// MonthNames and DayNames are those of the directives, in lower case; any case
// is read.
func MonthNames() []string { return monthNames[:] }
func DayNames() []string   { return dayNames[:] }

// ZonePeriod says that wall clock times from From on, in seconds since 1970 by
// the same clock, are Offset seconds later than UTC.
type ZonePeriod struct{ From, Offset int64 }

// ZonePeriods are the periods, in order, of what the zone of times without an
// offset makes of wall clock times below limit, the first one from the
// beginning of time. They hold as far as limit, or for ever if whole: then
// the clock is not changed after the last one. There are none if no zone is
// applied.
func (f *ClockForm) ZonePeriods(below int64) (periods []ZonePeriod, whole bool) {
	if f.zone == nil {
		return nil, true
	}
	return f.zone.periods(below)
}

// periods is ZonePeriods. What find makes of a time depends on the offsets in
// force at three instants: a day before it by UTC, and the time less an offset.
// So it changes only a day after a change of the clock, by UTC, or at a change
// by the clock with some offset of the zone.
func (z *zone) periods(below int64) (periods []ZonePeriod, whole bool) {
	const ever = -1 << 60
	var changes, offsets []int64
	t, offset := z.at(ever)
	for {
		if !slices.Contains(offsets, offset) {
			offsets = append(offsets, offset)
		}
		_, end := t.ZoneBounds()
		if whole = end.IsZero(); whole {
			break
		}
		// ZoneBounds may stand still at the turn of a year (Go 1.26). No clock
		// is changed in the hour after.
		change := end.Unix()
		if change <= t.Unix() {
			change = t.Unix() + 3600
		}
		if change > below+2*secondsPerDay {
			break
		}
		changes = append(changes, change)
		t, offset = z.at(change)
	}
	at := []int64{ever}
	for _, change := range changes {
		at = append(at, change+secondsPerDay)
		for _, offset := range offsets {
			at = append(at, change+offset)
		}
	}
	slices.Sort(at)
	fresh := &zone{loc: z.loc, lo: 1}
	for _, from := range at {
		if from >= below && !whole {
			break
		}
		offset := from - fresh.find(from)
		if n := len(periods); n == 0 || periods[n-1].Offset != offset {
			periods = append(periods, ZonePeriod{from, offset})
		}
	}
	periods[0].From = math.MinInt64
	return periods, whole
}
