//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

var baseTime = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

// clockWriter writes moments in a layout.
type clockWriter struct {
	rng *rand.Rand
	ops []convert.ClockOp
	// loose: digits and letters as readers allow them, times that do not exist.
	loose bool
	// places is how many digits of a second's fraction the column holds.
	places int
	lo, hi int64 // seconds since 1970
}

var isoOps = map[dfa.TypeKind]string{dfa.Date: "%F", dfa.Time: "%T", dfa.Timestamp: "%F %T"}

// newClockWriter writes fields for columns of a type.
func newClockWriter(t testing.TB, rng *rand.Rand, typ dfa.Type, loose bool) *clockWriter {
	t.Helper()
	if typ.Layout == "" {
		typ.Layout = isoOps[typ.Kind]
	}
	f, err := convert.NewClockForm(&typ, convert.Options{BaseTime: baseTime})
	if err != nil {
		t.Fatal(err)
	}
	w := &clockWriter{rng: rng, ops: f.Ops, loose: loose, places: digitsOf(typ.Unit), lo: -2e9, hi: 4e9}
	switch {
	case typ.Unit == dfa.Nanosecond:
	case loose && typ.Zone == "":
		w.lo, w.hi = firstSecond-86400, endSecond-1+86400
	}
	if strings.Contains(typ.Layout, "%y") || strings.Contains(typ.Layout, "%D") {
		w.lo, w.hi = 0, 3e9
	}
	return w
}

// digits writes v, with zeros in front or without.
func (w *clockWriter) digits(v, width int) string {
	if w.loose && width < 4 && w.rng.IntN(4) == 0 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%0*d", width, v)
}

func (w *clockWriter) anyCase(s string) string {
	switch w.rng.IntN(4) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return strings.ToLower(s)
	}
	return s
}

func (w *clockWriter) fraction() string {
	most := w.places
	if w.loose || most == 0 {
		most = 9
	}
	n := 1 + w.rng.IntN(most)
	s := fmt.Sprintf("%0*d", n, w.rng.Int64N(1e9))[:n]
	if w.places == 0 && !w.loose {
		s = strings.Repeat("0", n)
	}
	return s
}

// offset writes one in one of its forms.
func (w *clockWriter) offset() string {
	hours, minutes := w.rng.IntN(15), 15*w.rng.IntN(4)
	if w.loose {
		hours, minutes = w.rng.IntN(27), w.rng.IntN(65)
	}
	sign := "+-"[w.rng.IntN(2)]
	switch w.rng.IntN(4) {
	case 0:
		return fmt.Sprintf("%c%02d:%02d", sign, hours, minutes)
	case 1:
		return fmt.Sprintf("%c%02d%02d", sign, hours, minutes)
	case 2:
		return fmt.Sprintf("%c%02d", sign, hours)
	}
	return w.anyCase("Z")
}

// field writes a moment.
func (w *clockWriter) field(typ *dfa.Type) string {
	t := time.Unix(w.lo+w.rng.Int64N(w.hi-w.lo), 0).UTC()
	second := t.Second()
	if w.loose && w.rng.IntN(8) == 0 {
		second = 57 + w.rng.IntN(6)
	}
	day := t.Day()
	if w.loose && w.rng.IntN(8) == 0 {
		day = 27 + w.rng.IntN(6)
	}
	var s strings.Builder
	for _, op := range w.ops {
		switch op.Directive {
		case 0:
			s.WriteString(op.Text)
		case 'Y':
			s.WriteString(w.digits(t.Year(), 4))
		case 'y':
			s.WriteString(w.digits(t.Year()%100, 2))
		case 'm':
			s.WriteString(w.digits(int(t.Month()), 2))
		case 'b':
			s.WriteString(w.anyCase(t.Month().String()[:3]))
		case 'B':
			s.WriteString(w.anyCase(t.Month().String()))
		case 'a':
			s.WriteString(w.anyCase(t.Weekday().String()[:3]))
		case 'A':
			s.WriteString(w.anyCase(t.Weekday().String()))
		case 'd':
			s.WriteString(w.digits(day, 2))
		case 'e':
			fmt.Fprintf(&s, []string{"%d", "%2d", "%02d"}[w.rng.IntN(3)], day)
		case 'j':
			s.WriteString(w.digits(t.YearDay(), 3))
		case 'H':
			s.WriteString(w.digits(t.Hour(), 2))
		case 'I':
			s.WriteString(w.digits((t.Hour()+11)%12+1, 2))
		case 'p':
			s.WriteString(w.anyCase([]string{"AM", "PM"}[t.Hour()/12]))
		case 'M':
			s.WriteString(w.digits(t.Minute(), 2))
		case 'S':
			s.WriteString(w.digits(second, 2))
		case 'f':
			s.WriteString(w.fraction())
		case 'L':
			if w.places == 0 && !w.loose {
				s.WriteString("000")
				break
			}
			fmt.Fprintf(&s, "%03d", w.rng.IntN(1000))
		case 's':
			fmt.Fprint(&s, t.Unix())
		case 'z':
			s.WriteString(w.offset())
		case 'Z':
			s.WriteString(w.anyCase([]string{"UTC", "GMT", "Z"}[w.rng.IntN(3)]))
		}
	}
	if typ.Layout == "" && typ.Kind != dfa.Date {
		if w.rng.IntN(2) == 0 {
			s.WriteString("." + w.fraction())
		}
		if typ.Kind == dfa.Timestamp && w.rng.IntN(2) == 0 {
			s.WriteString(w.offset())
		}
	}
	field := s.String()
	if typ.Layout == "" && typ.Kind == dfa.Timestamp {
		field = field[:10] + string(" Tt"[w.rng.IntN(3)]) + field[11:]
	}
	return field
}

// clockTypes are columns of times in all their variety.
func clockTypes() []dfa.Type {
	types := []dfa.Type{{Kind: dfa.Date}, {Kind: dfa.Timestamp, Zone: "UTC"}, {Kind: dfa.Timestamp, Zone: "Asia/Kolkata"}, {Kind: dfa.Timestamp, Zone: "Europe/Berlin"},
		{Kind: dfa.Timestamp, Zone: "America/New_York", Layout: "%F %T"}, {Kind: dfa.Timestamp, Zone: "Australia/Lord_Howe", Layout: "%b %e %T"},
		{Kind: dfa.Timestamp, Zone: "Pacific/Apia", Layout: "%B %A %d %Y %R"}, {Kind: dfa.Timestamp, Layout: "%b %e %T", Year: 1999}}
	for _, layout := range []string{"%Y-%m-%d", "%d.%m.%y", "%a, %e %B %Y", "%Y%j", "%s", "%d%%%m%n%Y%t", "%A %b %d %Y %H", "%m/%d", "%D", "%s.%f"} {
		types = append(types, dfa.Type{Kind: dfa.Date, Layout: layout})
	}
	for unit := range dfa.Nanosecond + 1 {
		types = append(types, dfa.Type{Kind: dfa.Time, Unit: unit}, dfa.Type{Kind: dfa.Timestamp, Unit: unit})
		for _, layout := range []string{"%T", "%T.%L", "%T,%f", "%I:%M %p", "%H%M%S.%f", "%R", "at %H o'clock %z", "%T%z", "%p%I"} {
			types = append(types, dfa.Type{Kind: dfa.Time, Unit: unit, Layout: layout})
		}
		for _, layout := range []string{"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f%z", "%FT%T%z", "%F %T,%L", "%F_%T.%L%z", "%F\t%T.%f", "%d/%b/%Y:%H:%M:%S %z",
			"%A, %d-%b-%y %T %Z", "%B %e %Y %I:%M:%S %p", "%Y %j %H.%M", "%b %e %T", "%s", "%s.%f", "%s.%L!", "%m/%d/%Y %H:%M", "%Y%m%d%H%M%S", "[%d.%b.%Y %T.%f]",
			"%a %b %d %H:%M:%S %Y", "%d/%b/%Y:%H:%M:%S", "%F %T%%", "%F%%%T", "%F\x00%T", "%z %F", "%F %z %R", "%Y%m%d%H%M%S%f", "%y%m%d", "%H%M%S %d/%m/%Y", "%Y%e %H%M", "%Y%j", "T%d1%m %Y", "%d%b%Y", "%T %F"} {
			types = append(types, dfa.Type{Kind: dfa.Timestamp, Unit: unit, Layout: layout})
		}
	}
	return types
}

// Times in all layouts: right ones, odd ones and wrong ones. Those written by
// the book are converted here.
func TestClocks(t *testing.T) {
	d := openConvert(t)
	for _, typ := range clockTypes() {
		rng := rand.New(rand.NewPCG(7, uint64(len(typ.Layout))))
		strict, loose := newClockWriter(t, rng, typ, false), newClockWriter(t, rng, typ, true)
		var plain, hard []string
		for range 300 {
			plain = append(plain, strict.field(&typ))
			s := loose.field(&typ)
			hard = append(hard, s, mutated(rng, s, "0123456789:-+ TZz./,jJ"))
		}
		checkFields(t, d, typ, plain, true)
		if lost := checkFields(t, d, typ, hard, false); lost > 30 {
			t.Errorf("%s: of %d hard fields %d are left that have a value", typ.String(), len(hard), lost)
		}
	}
}

// Around what a calendar, a unit and a day end with.
func TestClockEdges(t *testing.T) {
	d := openConvert(t)
	var dates, stamps []string
	for _, year := range []int{0, 1, 2, 4, 100, 399, 400, 401, 1582, 1600, 1677, 1678, 1700, 1900, 1969, 1970, 1999, 2000, 2023, 2024, 2100, 2262, 2263, 2400, 9998, 9999} {
		for month := range 14 {
			for _, day := range []int{0, 1, 28, 29, 30, 31, 32} {
				dates = append(dates, fmt.Sprintf("%04d-%02d-%02d", year, month, day))
			}
		}
		for _, s := range []string{"-01-01T00:00:00", "-02-28 23:59:60", "-12-31T23:59:59.999999999", "-12-31t23:59:60Z", "-09-21T00:12:43.145224192Z", "-04-11T23:47:16.854775807Z",
			"-01-01T00:00:00+00:01", "-12-31T23:59:59-23:59", "-04-11 23:47:16", "-04-11T23:47:16.9", "-09-21 00:12:43.1", "-09-21 00:12:44", "-06-30T24:00:00", "-06-30T23:60:00", "-06-30T23:59:61"} {
			stamps = append(stamps, fmt.Sprintf("%04d", year)+s)
		}
	}
	checkFields(t, d, dfa.Type{Kind: dfa.Date}, dates, true)
	var short []string
	for year := range 100 {
		short = append(short, fmt.Sprintf("29.2.%02d", year), fmt.Sprintf("1.3.%02d", year))
	}
	checkFields(t, d, dfa.Type{Kind: dfa.Date, Layout: "%d.%m.%y"}, short, true)
	checkFields(t, d, dfa.Type{Kind: dfa.Date, Layout: "%Y%j"}, []string{"2023365", "2023366", "2023367", "2024366", "2024367", "2023000", "1900366", "2000366"}, true)
	checkFields(t, d, dfa.Type{Kind: dfa.Date, Layout: "%s.%f"}, []string{"-0.5", "-86400.5", "-86401.0", "86399.9", "-62135596800.5", "-62135596801.5", "253402300799.9"}, true)
	checkFields(t, d, dfa.Type{Kind: dfa.Timestamp, Layout: "%s.%f"}, []string{"-0.5", "-62135596800.0", "-62135596800.5", "-62135596799.5", "253402300799.9", "253402300800.0"}, true)
	// Dates without a year, a day after the file's time and a second more, and a
	// day that the last such years have not.
	late := []string{"Mar  2 11:59:59", "Mar  2 12:00:00", "Mar  2 12:00:01", "Feb 29 00:00:00", "Feb 28 23:59:60", "Dec 31 23:59:59", "Feb 30 00:00:00"}
	for _, base := range []time.Time{baseTime, baseTime.AddDate(79, 0, 0), baseTime.AddDate(76, 0, 0), baseTime.AddDate(-2023, 0, 0)} {
		checkFieldsAt(t, d, dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T"}, base, late, true)
	}
	// 2^64 seconds more or less are not the same.
	checkFields(t, d, dfa.Type{Kind: dfa.Timestamp, Layout: "%s"}, []string{"1700000000", "18446744075409551616", "-18446744072009551616", "999999999999999999", "-0"}, false)
	for unit := range dfa.Nanosecond + 1 {
		checkFields(t, d, dfa.Type{Kind: dfa.Time, Unit: unit}, []string{"00:00:00", "23:59:59", "23:59:60", "22:59:60", "23:58:60", "24:00:00", "23:59:60.000", "::0:00:00", "0::00:00"}, true)
		checkFields(t, d, dfa.Type{Kind: dfa.Timestamp, Unit: unit}, stamps, false)
		checkFields(t, d, dfa.Type{Kind: dfa.Timestamp, Unit: unit, Zone: "America/New_York"}, stamps, false)
	}
}

// Every second hour of the days on which clocks are changed, and some others.
func TestClockZones(t *testing.T) {
	d := openConvert(t)
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Europe/Dublin", "Pacific/Apia", "Asia/Manila", "Africa/Casablanca", "Antarctica/Troll", "Australia/Lord_Howe",
		"Asia/Tokyo", "Etc/GMT+5"} {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Skip(err)
		}
		var fields []string
		at := time.Unix(-4e9, 0).In(loc)
		for at.Year() < 2099 {
			_, end := at.ZoneBounds()
			if end.IsZero() || end.Year() >= 2099 {
				break
			}
			if !end.After(at) {
				end = at.Add(time.Hour)
			}
			at = end
			wall := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
			for minutes := -125; minutes <= 125; minutes += 25 {
				fields = append(fields, wall.Add(time.Duration(minutes)*time.Minute+59*time.Second).Format(time.DateTime))
			}
			for _, hours := range []int{-49, -25, -24, -23, -2, -1, 0, 1, 2, 23, 24, 25, 49} {
				fields = append(fields, wall.Add(time.Duration(hours)*time.Hour).Format(time.DateTime), wall.Add(time.Duration(hours)*time.Hour-time.Second).Format(time.DateTime))
			}
		}
		fields = append(fields, "0001-01-02 00:00:00", "1800-01-01 00:00:00")
		checkFields(t, d, dfa.Type{Kind: dfa.Timestamp, Zone: name}, fields, true)
		checkFields(t, d, dfa.Type{Kind: dfa.Timestamp, Zone: name}, []string{"2100-01-01 00:00:00", "2140-07-01 00:00:00", "9999-12-31 00:00:00"}, false)
	}
}

// Times that are numbers.
func TestEpochs(t *testing.T) {
	d := openConvert(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for unit := range dfa.Nanosecond + 1 {
		for epoch := range dfa.Nanosecond + 1 {
			typ := dfa.Type{Kind: dfa.Timestamp, Epoch: true, Unit: unit, CountUnit: epoch}
			var plain, hard []string
			// In units of the epoch, whole in units of the column.
			most, factor := int64(4e9), int64(1)
			for range digitsOf(epoch) {
				most *= 10
			}
			for range max(0, digitsOf(epoch)-digitsOf(unit)) {
				factor *= 10
			}
			for range 200 {
				v := rng.Int64N(most) / factor * factor
				plain = append(plain, fmt.Sprint(v), fmt.Sprint(-v))
				hard = append(hard, fmt.Sprint(v), fmt.Sprintf("%d.%d", v, rng.IntN(1000000)), fmt.Sprintf("%de%d", v/factor, rng.IntN(12)-3), mutated(rng, fmt.Sprint(v), "0123456789.+-eE"))
			}
			hard = append(hard, "9223372036854775807", "-9223372036854775808", "9223372036854775808", "253402300799", "253402300800", "-62135596800", "-62135596801", "0", "-0", "00.000", "-",
				"9223372036.854775807", "9223372036.854775808", "-9223372036.854775808", "1700000000.123456000000")
			checkFields(t, d, typ, plain, true)
			if lost := checkFields(t, d, typ, hard, false); lost > 8 {
				t.Errorf("%s: %d of %d hard fields are left", typ.String(), lost, len(hard))
			}
		}
	}
}

func TestDurations(t *testing.T) {
	d := openConvert(t)
	rng := rand.New(rand.NewPCG(5, 6))
	edges := []string{"0", "-0", "+0", "1", "1h", "1h2m3.5s", "-1ns", ".5s", "1.s", ".s", "1.", "1µs1μs1us", "2562047h47m16.854775807s", "-2562047h47m16.854775808s", "1h1", "h", "1mm", "1mss", "1nsx",
		"0.000000001h", "1.5h", "0.25m", "1.0000000000s", "1.123456789s", "100000000000000000s", "00000000000000000001s", "1ms500us500us", "0.5ms", "1.5ms0.5ms", "2000ms", "0h0.0m0s", "3us.5s", "1\xc2\xb5", "1\xc2s",
		"1:02", "1:2", "01:02:03", "100:59:59.5", "1:60", "1:59:60", "1:60:59", "1:59:59", "90:00", "1:00:00:00", "1:02.", "1:02.123456789", "1:02.1234567890", "9999999999999999:00", "99999999999999999:00", "1:02:03,5", ":02", "2562047:47:16.854775807",
		"9223372036854775807", "-9223372036854775808", "9223372036854775808", "1.0", "1.5", "1e3", "1e30", "-", "+", "--1"}
	for unit := range dfa.Nanosecond + 1 {
		for _, layout := range []string{"us", "s", "ms", "ns", "go", "clock"} {
			typ := dfa.Type{Kind: dfa.Duration, Unit: unit, Layout: layout}
			for count := range dfa.Nanosecond + 1 {
				if count.String() == layout {
					typ.CountUnit, typ.Layout = count, ""
				}
			}
			// Whole in units of the column.
			factor := int64(1)
			for range max(0, digitsOf(typ.CountUnit)-digitsOf(unit)) {
				factor *= 10
			}
			var plain, hard []string
			for range 300 {
				sign := []string{"", "-"}[rng.IntN(2)]
				d := time.Duration(rng.Int64N(1e15))
				switch unit {
				case dfa.Second:
					d = d.Truncate(time.Second)
				case dfa.Millisecond:
					d = d.Truncate(time.Millisecond)
				case dfa.Microsecond:
					d = d.Truncate(time.Microsecond)
				}
				s := d.String()
				switch layout {
				default:
					s = fmt.Sprint(rng.Int64N(9e9) >> rng.IntN(32) * factor)
					if places := digitsOf(unit) - digitsOf(typ.CountUnit); places > 0 && rng.IntN(2) == 0 {
						s += fmt.Sprintf(".%0*d", places, rng.IntN(1000))
					}
				case "go":
				case "clock":
					second := int(d / time.Second)
					s = fmt.Sprintf("%d:%02d", second/60, second%60)
					if rng.IntN(2) == 0 {
						s = fmt.Sprintf("%02d:%02d:%02d", second/3600, second/60%60, second%60)
					}
					if f := d % time.Second; f != 0 {
						s += strings.TrimRight(fmt.Sprintf(".%09d", int64(f)), "0")
					}
				}
				plain = append(plain, sign+s)
				hard = append(hard, mutated(rng, sign+s, "0123456789:.hmsun+-"))
			}
			checkFields(t, d, typ, plain, true)
			if lost := checkFields(t, d, typ, append(hard, edges...), false); lost > 30 {
				t.Errorf("%s: %d of %d hard fields are left", typ.String(), lost, len(hard))
			}
		}
	}
}
