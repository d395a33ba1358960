package convert

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

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
		var rows []string
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
			rows = append(rows, s)
		}
		compareTimes(t, &c.typ, rows)
	}
}

// compareTimes reads rows by each set of instructions and without, in rounds of several sizes, beside what no frame is asked
// about.
func compareTimes(t *testing.T, typ *dfa.Type, rows []string) {
	var lying, copied Fields
	for _, s := range rows {
		lying.Push(uint32(len(lying.Src)), uint32(len(lying.Src)+len(s)))
		lying.Src = append(append(lying.Src, s...), '\n')
		copied.PushDecoded([]byte(s))
	}
	col := &dfa.Column{Type: *typ}
	want, wantErrs := appendFuzzed(t, col, Options{BaseTime: base}, &copied)
	compare := func(t *testing.T) {
		for _, round := range []int{lying.Len(), 64, 16, 7} {
			conv, err := NewConverter(col, Options{BaseTime: base})
			if err != nil {
				t.Fatal(err)
			}
			dst := NewColumn(typ)
			var errs []FieldError
			for i := 0; i < lying.Len(); i += round {
				var part Fields
				lying.Slice(&part, i, min(i+round, lying.Len()))
				errs = conv.Append(dst, &part, errs)
			}
			if !sameColumn(dst, want) || !slices.Equal(errs, wantErrs) {
				t.Fatalf("%s, rounds of %d: %s", Name(typ), round, difference(&copied, dst, want, errs, wantErrs))
			}
		}
	}
	t.Run(fmt.Sprint(Name(typ), " ", typ.Layout, " ", typ.Zone), func(t *testing.T) {
		sets(t, func(t *testing.T, without func(func())) {
			compare(t)
			without(func() { compare(t) })
		})
		compare(t)
	})
}

// dated are layouts whose times have their digits in known places, and how Go writes them.
var dated = []struct {
	typ    dfa.Type
	layout string
}{
	{dfa.Type{Kind: dfa.Timestamp}, "2006-01-02T15:04:05.000000Z07:00"},
	{dfa.Type{Kind: dfa.Timestamp}, "2006-01-02T15:04:05Z07:00"},
	{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Nanosecond}, "2006-01-02 15:04:05.000000000-07"},
	{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Second}, "2006-01-02 15:04:05-0700"},
	{dfa.Type{Kind: dfa.Timestamp, NoZone: true}, "2006-01-02 15:04:05.000000"},
	{dfa.Type{Kind: dfa.Timestamp, NoZone: true, Unit: dfa.Millisecond}, "2006-01-02T15:04:05.000"},
	{dfa.Type{Kind: dfa.Timestamp, NoZone: true}, "2006-01-02 15:04:05"},
	{dfa.Type{Kind: dfa.Timestamp, Zone: "Europe/Berlin"}, "2006-01-02 15:04:05-07:00"},
	{dfa.Type{Kind: dfa.Timestamp, Zone: "Europe/Berlin", Unit: dfa.Second}, "2006-01-02 15:04:05-07:00"},
	{dfa.Type{Kind: dfa.Timestamp, Zone: "Europe/Berlin"}, "2006-01-02 15:04:05.000"},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%m/%d/%Y %H:%M:%S"}, "01/02/2006 15:04:05"},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%d.%m.%Y %H:%M"}, "02.01.2006 15:04"},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%d.%m.%Y %H:%M", Zone: "Europe/Berlin"}, "02.01.2006 15:04"},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%Y%m%d%H%M%S"}, "20060102150405"},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%H:%M %d-%m-%Y"}, "15:04 02-01-2006"},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "at %H h %M min %S,%L of %Y-%m-%d"}, "at 15 h 04 min 05,000 of 2006-01-02"}, // too long for a frame
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%S.%f %M:%H %d/%m/%Y%z"}, "05.00000 04:15 02/01/2006-0700"},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%Y/%m/%d %T,%f", Unit: dfa.Nanosecond}, "2006/01/02 15:04:05,000000000"},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%a %Y-%m-%d %H:%M"}, "Mon 2006-01-02 15:04"}, // a day that says nothing
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%d.%m.%Y %T", Or: []dfa.ClockForm{{Layout: "%m.%d.%Y %T"}, {Layout: "%Y-%m-%d %T"}}}, "01.02.2006 15:04:05"},
}

// drawTime is a time of the years 1 to 9999 in a layout, most of them of those of now.
func drawTime(r *rand.Rand, zone *time.Location, layout string) string {
	seconds := r.Int64N(3e9) - 1e9
	if r.IntN(8) == 0 {
		seconds = r.Int64N(endSeconds-minSeconds) + minSeconds
	}
	at := time.Unix(seconds, r.Int64N(1e9)).In(zone)
	if at.Year() < 1 || at.Year() > 9999 {
		return "0000-00-00"
	}
	return at.Format(layout)
}

// TestDated reads times of which each has another date, some with symbols that are wrong, or of another form.
func TestDated(t *testing.T) {
	for _, c := range dated {
		r := rand.New(rand.NewPCG(5, 6))
		var rows []string
		zone := time.UTC
		for i := range 3000 {
			if i%300 == 0 {
				zone = time.FixedZone("", 3600*(r.IntN(2*14)-14))
			}
			s := drawTime(r, zone, c.layout)
			b := []byte(s)
			switch i % 20 {
			case 3:
				b[r.IntN(len(b))] = "0123569:/-.,x "[r.IntN(14)]
			case 5:
				b = append(b, '0')
			case 7:
				b = b[:len(b)-1]
			case 9: // days that there are not, or only in some years
				b = []byte(time.Date(1896+r.IntN(220), 2, 28, 23, 59, 59, 0, time.UTC).Format(c.layout))
				b = bytes.Replace(b, []byte("28"), []byte([]string{"29", "30", "00"}[r.IntN(3)]), 1)
			}
			if i > 1500 && i < 1700 { // another form for a while
				b = []byte(drawTime(r, zone, "2006-01-02 15:04:05"))
			}
			if i >= 2000 && i < 2900 { // numbers of one digit, or no symbol between two
				at := strings.IndexAny(string(b), []string{"0", "/.-"}[i%2])
				b = slices.Delete(b, max(at, 0), at+1)
			}
			rows = append(rows, string(b))
		}
		compareTimes(t, &c.typ, rows)
	}
}

// TestDatedRuns wants next to no such time to be left, by itself or where there are kernels for others.
func TestDatedRuns(t *testing.T) {
	sets(t, func(t *testing.T, _ func(func())) {
		if datedKernel() == nil {
			t.Skip("that is for AVX-512")
		}
		for _, c := range dated {
			if strings.Contains(c.typ.Layout, "a") || c.typ.Or != nil || c.typ.Zone != "" && !strings.Contains(c.layout, "-07") {
				continue // of one layout, whose numbers say the instant
			}
			conv, err := NewConverter(&dfa.Column{Type: c.typ}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			f, free := column(rand.New(rand.NewPCG(3, 4)), 203, func(r *rand.Rand) string {
				return time.Unix(r.Int64N(3e9), 10*r.Int64N(1e8)).UTC().Format(strings.Replace(c.layout, "Z07:00", "-07:00", 1))
			}, 0)
			out := make([]int64, f.Len())
			v := &conv.impl.(*fixed[int64]).vectors
			if v.finish != nil {
				free()
				continue
			}
			todo := v.convert(unsafe.Pointer(&out[0]), f)
			if left := todo.len(); todo == nil || left > 20 {
				t.Errorf("%s: %d of %d rows are left, as %q", Name(&c.typ), left, f.Len(), f.Src[:32])
			}
			free()
		}
	})
}
