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
	// Steps read a field from its front to its end, one after the other; nil:
	// the ISO form of the kind.
	Steps     []ClockStep
	PerSecond int64 // units a second
	// Year completes dates without one. 0: it is the last year, from BaseYear
	// down, in which the time is not after Base, in seconds since 1970 by the
	// clock of the zone. Where the time has an offset, that is another clock.
	Year, BaseYear int
	Base           int64

	zone *zone
}

// ClockStep is text that has to be there, or a directive of a layout.
type ClockStep struct {
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
			f.Steps = append(f.Steps, ClockStep{o.directive, o.full, o.text})
		}
	}
	return f, nil
}

// Canonical is the layout of the steps, in which directives that stand for
// others are written out; "" is the ISO form.
func (f *ClockForm) Canonical() string {
	var s strings.Builder
	for _, step := range f.Steps {
		if step.Directive != 0 {
			s.WriteByte('%')
			s.WriteByte(step.Directive)
		} else {
			s.WriteString(strings.ReplaceAll(step.Text, "%", "%%"))
		}
	}
	return s.String()
}

// MonthNames and DayNames are those of the directives, in lower case; any case
// is read.
func MonthNames() []string { return monthNames[:] }
func DayNames() []string   { return dayNames[:] }

// ZonePiece says that wall clock times from From on, in seconds since 1970 by
// the same clock, are Offset seconds later than UTC.
type ZonePiece struct{ From, Offset int64 }

// ZonePieces are the pieces, in order, of what the zone of times without an
// offset makes of wall clock times below limit, the first one from the
// beginning of time. They hold as far as limit, or for ever if whole: then
// the clock is not changed after the last one. There are none if no zone is
// applied.
func (f *ClockForm) ZonePieces(below int64) (pieces []ZonePiece, whole bool) {
	if f.zone == nil {
		return nil, true
	}
	return f.zone.pieces(below)
}

// pieces is ZonePieces. What find makes of a time depends on the offsets in
// force at three instants: a day before it by UTC, and the time less an offset.
// So it changes only a day after a change of the clock, by UTC, or at a change
// by the clock with some offset of the zone.
func (z *zone) pieces(below int64) (pieces []ZonePiece, whole bool) {
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
		if n := len(pieces); n == 0 || pieces[n-1].Offset != offset {
			pieces = append(pieces, ZonePiece{from, offset})
		}
	}
	pieces[0].From = math.MinInt64
	return pieces, whole
}
