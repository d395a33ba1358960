package convert

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestFrames reads times around what a frame has to know: days on which the clock
// is changed, the day after which the year is another one, midnight, the last
// second of minutes, other lengths, and digits that the unit has no place for.
func TestFrames(t *testing.T) {
	for _, c := range []struct {
		typ    dfa.Type
		layout string
		first  time.Time
	}{
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T,%L", Zone: "Europe/Berlin"}, "2006-01-02 15:04:05,000", time.Date(2024, 3, 28, 0, 0, 0, 0, time.UTC)},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T,%L", Zone: "Europe/Berlin"}, "2006-01-02 15:04:05,000", time.Date(2024, 10, 24, 0, 0, 0, 0, time.UTC)},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T.%f", Zone: "Australia/Lord_Howe", Unit: dfa.Millisecond}, "2006-01-02 15:04:05.000", time.Date(2024, 4, 4, 0, 0, 0, 0, time.UTC)},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T"}, "Jan _2 15:04:05", base.AddDate(0, 0, -3)},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%d %b %T%z"}, "02 Jan 15:04:05-0700", base.AddDate(0, 0, -3)},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T", Zone: "America/New_York"}, "Jan _2 15:04:05", base.AddDate(0, 0, -3)},
		{dfa.Type{Kind: dfa.Timestamp}, time.RFC3339Nano, time.Date(1999, 12, 30, 0, 0, 0, 123000, time.FixedZone("", -3600*9))},
		{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Nanosecond}, time.RFC3339Nano, time.Date(2262, 4, 8, 0, 0, 0, 0, time.UTC)},
		{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Nanosecond}, time.RFC3339Nano, time.Date(1677, 9, 19, 0, 0, 0, 0, time.UTC)},
		// Nine digits, the last not 0, in the second window and in the first.
		{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Nanosecond}, "2006-01-02T15:04:05.000000000Z07:00", time.Date(2024, 3, 28, 0, 0, 0, 7, time.UTC)},
		{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Nanosecond, Layout: "%H%M%S.%f %F day."}, "150405.000000000 2006-01-02 day.", time.Date(2024, 3, 28, 0, 0, 0, 7, time.UTC)},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%d.%m.%Y %H:%M", Zone: "Europe/Berlin"}, "02.01.2006 15:04", time.Date(2024, 3, 28, 0, 0, 0, 0, time.UTC)},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%H%M %b %e"}, "1504 Jan _2", base.AddDate(0, 0, -3)},
		{dfa.Type{Kind: dfa.Time, Layout: "%H.%M.%S %f"}, "15.04.05 000000", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
		// The second form and the third, with rows of the others among them.
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%T", Zone: "Europe/Berlin", Or: []dfa.ClockForm{{Layout: "%F %H:%M:%S,%L"}, {Layout: ""}}}, "2006-01-02 15:04:05,000", time.Date(2024, 3, 28, 0, 0, 0, 0, time.UTC)},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%T", Zone: "Europe/Berlin", Or: []dfa.ClockForm{{Layout: "%F %H:%M:%S,%L"}, {Layout: ""}}}, "2006-01-02 15:04:05.000", time.Date(2024, 3, 28, 0, 0, 0, 0, time.UTC)},
		// What the second form reads, the first reads in part: it has one digit for an hour, or the offset is one.
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %-H:%M:%S", Zone: "UTC", Or: []dfa.ClockForm{{Layout: "%F %T"}, {Layout: "%d.%m.%y %T"}}}, "2006-01-02 15:04:05", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
		{dfa.Type{Kind: dfa.Time, Layout: "%H:%M:%S", Unit: dfa.Second, Or: []dfa.ClockForm{{Layout: "%S:%M:%H"}, {Layout: "%H.%M.%S"}}}, "15.04.05", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%F%z", Zone: "UTC", Or: []dfa.ClockForm{{Layout: "%F+%H%M"}}}, "2006-01-02+1504", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%F 12:%M:%S", Zone: "UTC", Or: []dfa.ClockForm{{Layout: "%F %S:%M:%H"}, {Layout: "%F %T"}}}, "2006-01-02 15:04:05", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		var lying, copied Fields
		odd := []string{"", "x", "28/Mar/2024:10:05:03", "2024-03-28 10:05:03,5", "2024-03-28T10:05:03", "2024-03-31 02:60:00,000", "2024-03-31 24:00:00,000", "Feb 30 10:00:00", "Mar  1 23:59:60"}
		for i := range 6 * 24 * 60 {
			at := c.first.Add(time.Duration(i)*time.Minute + time.Duration(i%97)*time.Millisecond + time.Duration(i%11*i)*time.Microsecond)
			s := at.Format(c.layout)
			switch i % 50 {
			case 7:
				s = odd[i/50%len(odd)]
			case 9:
				s = at.Format(c.layout + "000")
			case 11:
				b := []byte(s)
				b[i%len(b)] = "0569:x "[i%7]
				s = string(b)
			}
			lying.Push(uint32(len(lying.Src)), uint32(len(lying.Src)+len(s)))
			lying.Src = append(append(lying.Src, s...), '\n')
			copied.PushDecoded([]byte(s)) // which no frame is asked about
		}
		col := &dfa.Column{Type: c.typ}
		want, wantErrs := appendFuzzed(t, col, Options{BaseTime: base}, &copied)
		compare := func(t *testing.T) {
			for _, round := range []int{lying.Len(), 64, 7} {
				conv, err := NewConverter(col, Options{BaseTime: base})
				if err != nil {
					t.Fatal(err)
				}
				dst := NewColumn(&c.typ)
				var errs []FieldError
				for i := 0; i < lying.Len(); i += round {
					var part Fields
					lying.Slice(&part, i, min(i+round, lying.Len()))
					errs = conv.Append(dst, &part, errs)
				}
				if !sameColumn(dst, want) || !slices.Equal(errs, wantErrs) {
					t.Fatalf("%s, rounds of %d: %s", Name(&c.typ), round, difference(&copied, dst, want, errs, wantErrs))
				}
			}
		}
		t.Run(fmt.Sprint(Name(&c.typ), " ", c.typ.Zone), func(t *testing.T) {
			sets(t, func(t *testing.T, without func(func())) {
				compare(t)
				without(func() { compare(t) })
			})
			compare(t)
		})
	}
}
