package convert

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// at is a time in microseconds since 1970, UTC.
func at(s string) int64 {
	t, err := time.Parse("2006-01-02 15:04:05.999999999", s)
	if err != nil {
		panic(err)
	}
	return t.UnixMicro()
}

func day(s string) int64 { return at(s+" 00:00:00") / 86400e6 }

func TestDates(t *testing.T) {
	for _, c := range []typeCase{
		{
			typ: dfa.Type{Kind: dfa.Date},
			good: map[string]any{"1970-01-01": int64(0), "0001-01-01": int64(-719162), "9999-12-31": int64(2932896), "2024-02-29": day("2024-02-29"),
				"2000-02-29": day("2000-02-29"), "": nil},
			bad: map[string]Code{"2023-02-29": NoSuchTime, "1900-02-29": NoSuchTime, "0000-01-01": NoSuchTime, "2024-13-01": NoSuchTime, "2024-00-01": NoSuchTime,
				"2024-04-31": NoSuchTime, "2024-01-00": NoSuchTime, "2024-1-1": BadDate, "2024-01-01 ": BadDate, "2024/01/01": BadDate, "20240101": BadDate,
				"2024-01-0x": BadDate, "24-01-01": BadDate, "\x00\x00\x00\x00-\x00\x00-\x00\x00": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%d.%m.%y"},
			good: map[string]any{"01.02.68": day("2068-02-01"), "1.2.69": day("1969-02-01"), "31.12.99": day("1999-12-31"), "29.2.00": day("2000-02-29")},
			bad:  map[string]Code{"01.02.2003": BadDate, "32.1.01": NoSuchTime, "001.1.01": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%a, %e %B %Y"},
			good: map[string]any{"Fri,  1 march 2024": day("2024-03-01"), "sat, 11 MAY 2024": day("2024-05-11")},
			bad:  map[string]Code{"Foo, 1 March 2024": BadDate, "Fri, 1 Mar 2024": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%Y%j"},
			good: map[string]any{"2024366": day("2024-12-31"), "2023001": day("2023-01-01")},
			bad:  map[string]Code{"202360": BadDate, "2023366": NoSuchTime, "2023000": NoSuchTime, "2023": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%s"},
			good: map[string]any{"0": int64(0), "-1": int64(-1), "86400": int64(1), "1700000000": day("2023-11-14")},
			bad:  map[string]Code{"9999999999999": DateRange, "99999999999999999999999": DateRange, "-": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%d%%%m%n%Y%t"},
			good: map[string]any{"01%02\n2003\t": day("2003-02-01")},
			bad:  map[string]Code{"01%02 2003\t": BadDate},
		},
	} {
		c.run(t)
	}
}

// Numbers come without their leading zeros only where the layout has no digit
// next to them.
func TestUnpaddedNumbers(t *testing.T) {
	for _, c := range []typeCase{
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%y%m%d"},
			good: map[string]any{"811009": day("1981-10-09"), "010203": day("2001-02-03")},
			bad:  map[string]Code{"81109": BadDate, "8119": BadDate, "8110 9": BadDate, "81109 ": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%Y%m%d"},
			good: map[string]any{"20170123": day("2017-01-23")},
			bad:  map[string]Code{"2017123": BadDate, "201713": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%d%b%Y"}, // letters are no digits
			good: map[string]any{"5Jul2024": day("2024-07-05"), "05jul2024": day("2024-07-05")},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%e%m%Y"},
			good: map[string]any{" 5072024": day("2024-07-05"), "15072024": day("2024-07-15")},
			bad:  map[string]Code{"5072024": BadDate, " 572024": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "1%d/%m%%%Y"},
			good: map[string]any{"105/7%2024": day("2024-07-05")},
			bad:  map[string]Code{"15/7%2024": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Timestamp, Layout: "%-m/%-d/%y %-H:%-M:%-S"},
			good: map[string]any{"7/5/24 1:2:3": at("2024-07-05 01:02:03"), "07/05/24 01:02:03": at("2024-07-05 01:02:03"), "12/31/99 23:59:59": at("1999-12-31 23:59:59")},
			bad:  map[string]Code{"7/ 5/24 1:2:3": BadTimestamp, "007/5/24 1:2:3": BadTimestamp, "13/1/24 1:2:3": NoSuchTime},
		},
		{
			typ:  dfa.Type{Kind: dfa.Time, Layout: "%H:%M:%S,%-L"},
			good: map[string]any{"01:02:03,7": int64(3723007000), "01:02:03,70": int64(3723070000), "01:02:03,700": int64(3723700000), "01:02:03,0": int64(3723000000)},
			bad:  map[string]Code{"01:02:03,": BadTime, "01:02:03,7000": BadTime},
		},
		{
			typ:  dfa.Type{Kind: dfa.Time, Unit: dfa.Second, Layout: "%H:%M:%S,%-L"},
			good: map[string]any{"01:02:03,0": int64(3723)},
			bad:  map[string]Code{"01:02:03,7": FinerThanUnit},
		},
		{
			typ:  dfa.Type{Kind: dfa.Time, Layout: "%H%M%S%f"},
			good: map[string]any{"0102035": int64(3723500000)},
			bad:  map[string]Code{"1203": BadTime, "12030": BadTime},
		},
	} {
		c.run(t)
	}
	for _, layout := range []string{"%F %T.%f%L", "%s1", "%z%F", "%d%f%m%Y", "%-d%m%Y", "%Y1%-d", "%-Y", "%F %-", "%T.%-L%-L"} {
		if _, err := compileLayout(layout); err == nil {
			t.Errorf("layout %q: nothing says where its parts end, and it is accepted", layout)
		}
	}
}

// For layouts of all neighbours: a number without its zeros is read if a
// non-digit, or the edge, is on both sides, and then as what it was.
func TestUnpaddedNumbersDrawn(t *testing.T) {
	forms := map[string][2]string{"%Y": {"2006", "2006"}, "%m": {"01", "1"}, "%d": {"02", "2"}, "%H": {"15", "15"}, "%M": {"04", "4"}, "%S": {"05", "5"}, "%b": {"Jan", "Jan"}}
	rapid.Check(t, func(rt *rapid.T) {
		month := rapid.SampledFrom([]string{"%m", "%b"}).Draw(rt, "month")
		order := rapid.Permutation([]string{"%Y", month, "%d", "%H", "%M", "%S"}).Draw(rt, "order")
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(rt, "time"), 0).UTC()
		var layout, field strings.Builder
		var last, lost bool // the last symbol is a digit; a number stands beside one, without its zero
		short := false
		for i, d := range order {
			text := rapid.SampledFrom([]string{"", "/", ":", "x", "7"}).Draw(rt, "text")
			if i == 0 {
				text = ""
			}
			number := d != "%b"
			if text == "" {
				lost = lost || short && number
			} else {
				lost = lost || short && text == "7"
				last = text == "7"
			}
			layout.WriteString(text + d)
			field.WriteString(text)
			form := forms[d][0]
			padded, unpadded := at.Format(form), at.Format(forms[d][1])
			if d == "%H" {
				unpadded = strings.TrimPrefix(padded, "0")
			}
			short = padded != unpadded && rapid.Bool().Draw(rt, "without the zero")
			if short {
				padded = unpadded
			}
			lost = lost || short && last && i > 0
			last = number
			field.WriteString(padded)
		}
		col := dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: layout.String()}}
		got, code := one(t, &col, Options{}, field.String())
		switch {
		case !lost && (code != OK || got != at.UnixMicro()):
			rt.Fatalf("%q by %q: %v (%v), want %d", field.String(), layout.String(), got, code, at.UnixMicro())
		case lost && code == OK && got != at.UnixMicro():
			rt.Fatalf("%q by %q is read as %v, which was %d", field.String(), layout.String(), got, at.UnixMicro())
		case lost && code == OK:
			rt.Fatalf("%q by %q: a number without its zero stands beside a digit", field.String(), layout.String())
		}
	})
}

func TestTimesOfDay(t *testing.T) {
	for _, c := range []typeCase{
		{
			typ: dfa.Type{Kind: dfa.Time},
			good: map[string]any{"00:00:00": int64(0), "23:59:59.999999": int64(86399999999), "01:02:03": int64(3723e6), "12:00:00.5": int64(43200500000),
				"00:00:00.1000000000000": int64(100000)},
			bad: map[string]Code{"24:00:00": NoSuchTime, "23:60:00": NoSuchTime, "23:59:61": NoSuchTime, "23:59:60": NoSuchTime, "1:02:03": BadTime, "01:02": BadTime,
				"01:02:03.": BadTime, "01:02:03.1234567": FinerThanUnit, "01:02:03Z": BadTime},
		},
		{
			typ:  dfa.Type{Kind: dfa.Time, Unit: dfa.Second, Layout: "%I:%M %p"},
			good: map[string]any{"12:00 AM": int64(0), "12:30 pm": int64(45000), "1:05 PM": int64(47100)},
			bad:  map[string]Code{"13:00 PM": NoSuchTime, "0:00 AM": NoSuchTime, "12:00": BadTime, "12:00 XM": BadTime},
		},
		{
			typ:  dfa.Type{Kind: dfa.Time, Unit: dfa.Millisecond, Layout: "%T.%L"},
			good: map[string]any{"10:05:03.250": int64(36303250)},
			bad:  map[string]Code{"10:05:03.25": BadTime, "10:05:03.2500": BadTime},
		},
		{
			typ:  dfa.Type{Kind: dfa.Time, Unit: dfa.Nanosecond, Layout: "%H%M%S.%f"},
			good: map[string]any{"100503.000000001": int64(36303000000001)},
			bad:  map[string]Code{"100503.0000000001": BadTime},
		},
	} {
		c.run(t)
	}
}

func TestTimestamps(t *testing.T) {
	for _, c := range []typeCase{
		{
			typ: dfa.Type{Kind: dfa.Timestamp},
			good: map[string]any{"2015-05-17T10:05:03Z": at("2015-05-17 10:05:03"), "2015-05-17 10:05:03Z": at("2015-05-17 10:05:03"),
				"2015-05-17t10:05:03z": at("2015-05-17 10:05:03"), "2015-05-17 10:05:03.000001+02:00": at("2015-05-17 08:05:03.000001"),
				"2015-05-17T10:05:03-0730": at("2015-05-17 17:35:03"), "2015-05-17T10:05:03.123456000000+01": at("2015-05-17 09:05:03.123456"),
				"2016-12-31T23:59:60Z": at("2017-01-01 00:00:00"), "0001-01-01T00:00:00Z": at("0001-01-01 00:00:00"),
				"9999-12-31T23:59:59.999999Z": at("9999-12-31 23:59:59.999999"), "1969-12-31T23:59:59.5Z": int64(-500000), "": nil},
			bad: map[string]Code{"2015-05-17": BadTimestamp, "2015-05-17T10:05": BadTimestamp, "2015-05-17T10:05:03.": BadTimestamp, "2015-05-17x10:05:03": BadTimestamp,
				"2015-05-17T10:05:03.1234567Z": FinerThanUnit, "2015-02-29T10:05:03Z": NoSuchTime, "2015-05-17T24:00:00Z": NoSuchTime,
				"0001-01-01T00:00:00+00:01": DateRange, "9999-12-31T23:59:60Z": DateRange, "2015-05-17T10:05:03 Z": BadTimestamp, "2015-05-17T10:05:03ZZ": BadTimestamp,
				"2015-05-17T10:05:03+24:00": BadTimestamp, "2015-05-17T10:05:03+01:60": BadTimestamp, "2015-05-17T10:05:03.0000000001Z": FinerThanUnit,
				"2015-05-17 10:05:03": NoOffset, "2015-05-17T10:05:03.5": NoOffset, "2015-05-17T10:05:03+1": BadTimestamp, "2015-05-17T10:05:03+01:0": BadTimestamp, "2015-05-17T1/:05:03Z": BadTimestamp, "2015-05-17T10;05:03Z": BadTimestamp,
				strings.Repeat("\x00", 19): BadTimestamp, strings.Repeat("\x00", 26): BadTimestamp},
		},
		{
			typ:  dfa.Type{Kind: dfa.Timestamp, NoZone: true},
			good: map[string]any{"2015-05-17 10:05:03": at("2015-05-17 10:05:03"), "2015-05-17T10:05:03.5": at("2015-05-17 10:05:03.5"), "2015-05-17 10:05:60": at("2015-05-17 10:06:00")},
			bad:  map[string]Code{"2015-05-17T10:05:03Z": BadTimestamp, "2015-05-17 10:05:03.5+02:00": BadTimestamp, "2015-05-17 10:05:03+00": BadTimestamp},
		},
		{
			typ:  dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%H:%M:%S %z"},
			good: map[string]any{"17/May/2015:10:05:03 +0000": at("2015-05-17 10:05:03"), "17/may/2015:10:05:03 -0130": at("2015-05-17 11:35:03"), "1/May/2015:1:5:3 Z": at("2015-05-01 01:05:03")},
			bad: map[string]Code{"31/Apr/2015:10:05:03 +0000": NoSuchTime, "17/Mai/2015:10:05:03 +0000": BadTimestamp, "17/May/2015:10:05:03 0000": BadTimestamp,
				"17/May/2015:10:05:03  0000": BadTimestamp, "17/May/2015:10:05:03": BadTimestamp, strings.Repeat("\x00", 26): BadTimestamp,
				"17/May/2015:10:05:03\x00\x00\x00\x00\x00\x00": BadTimestamp},
		},
		{
			typ:  dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T,%f", Unit: dfa.Millisecond},
			good: map[string]any{"2015-05-17 10:05:03,25": at("2015-05-17 10:05:03.25") / 1000, "2015-05-17 10:05:03,2500": at("2015-05-17 10:05:03.25") / 1000},
			bad:  map[string]Code{"2015-05-17 10:05:03": BadTimestamp, "2015-05-17 10:05:03,": BadTimestamp, "2015-05-17 10:05:03,2501": FinerThanUnit, "2015-05-17 10:05:03.25": BadTimestamp, "2015-05-17T10:05:03,25": BadTimestamp},
		},
		{
			typ: dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Nanosecond},
			good: map[string]any{"2262-04-11T23:47:16.854775807Z": int64(1<<63 - 1), "1677-09-21T00:12:43.145224192Z": int64(-1 << 63),
				"1677-09-21T00:12:44Z": int64(-9223372036000000000), "1969-12-31T23:59:59.999999999Z": int64(-1)},
			bad: map[string]Code{"2262-04-11T23:47:16.854775808Z": DateRange, "1677-09-21T00:12:43.145224191Z": DateRange, "9999-12-31T00:00:00Z": DateRange, "1677-09-21T00:12:43Z": DateRange},
		},
		{
			typ:  dfa.Type{Kind: dfa.Timestamp, Layout: "%s.%f"},
			good: map[string]any{"1700000000.5": int64(1700000000500000), "-1.5": int64(-1500000), "-0.25": int64(-250000)},
			bad:  map[string]Code{"1700000000": BadTimestamp},
		},
		{
			typ: dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Second},
			good: map[string]any{"0": int64(0), "1700000000.123456": int64(1700000000123456), "-1.5": int64(-1500000), "1.7e9": int64(1700000000e6),
				"1700000000.1234560000000000": int64(1700000000123456), "": nil},
			bad: map[string]Code{"1.1234567": FinerThanUnit, "x": BadTimestamp, "253402300800": DateRange, "-62135596801": DateRange, "1e30": DateRange, "": OK},
		},
		{
			typ:  dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Nanosecond, Unit: dfa.Millisecond},
			good: map[string]any{"1700000000000000000": int64(1700000000000), "0": int64(0)},
			bad:  map[string]Code{"1700000000000000001": FinerThanUnit, "1": FinerThanUnit},
		},
		{
			typ:  dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Second, Unit: dfa.Nanosecond},
			good: map[string]any{"9223372036.854775807": int64(1<<63 - 1), "-9223372036.854775808": int64(-1 << 63)},
			bad:  map[string]Code{"9223372036.854775808": DateRange, "-9223372036.854775809": DateRange},
		},
	} {
		c.run(t)
	}
}

// TestOffsetsOfRows: an offset that is remembered of one row is not that of a row which has symbols behind it, NULs too,
// nor is the one from which a web log starts that of a row without the space.
func TestOffsetsOfRows(t *testing.T) {
	const front = "2015-05-17T10:05:03.1234567"
	col := &dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Nanosecond}}
	for _, offset := range []string{"Z", "+01", "+0100", "-01:00"} {
		for n := 1; n < 5; n++ {
			good := front + offset
			if _, errs := convertAll(t, col, Options{}, false, 0, good, good, good+strings.Repeat("\x00", n), good); len(errs) != 1 || errs[0].Code != BadTimestamp {
				t.Errorf("%q and %d NULs: %v", good, n, errs)
			}
		}
	}
	col.Type.Layout = "%d/%b/%Y:%H:%M:%S %z"
	for c := range 256 {
		bad := "17/May/2015:10:05:03+0000" + string([]byte{byte(c)})
		if _, errs := convertAll(t, col, Options{}, false, 0, bad, bad, "17/May/2015:10:05:03 +0000", bad); len(errs) != 3 {
			t.Errorf("%q: %v", bad, errs)
		}
	}
}

func TestYearlessTimestamps(t *testing.T) {
	for _, c := range []typeCase{
		{ // base: 2024-03-01 12:00
			typ: dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T"}, opt: Options{BaseTime: base},
			good: map[string]any{"Mar  1 11:00:00": at("2024-03-01 11:00:00"), "Mar  1 12:00:00": at("2024-03-01 12:00:00"), "Mar  1 12:00:01": at("2023-03-01 12:00:01"),
				"Dec 31 23:59:59": at("2023-12-31 23:59:59"), "Feb 29 00:00:00": at("2024-02-29 00:00:00")},
			bad: map[string]Code{"Feb 30 00:00:00": NoSuchTime},
		},
		{
			typ: dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T"}, opt: Options{BaseTime: base.AddDate(1, 0, 0)},
			good: map[string]any{"Feb 29 00:00:00": at("2024-02-29 00:00:00"), "Feb 28 00:00:00": at("2025-02-28 00:00:00")},
		},
		{
			typ: dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T", Year: 1999}, opt: Options{BaseTime: base},
			good: map[string]any{"Dec 31 23:59:59": at("1999-12-31 23:59:59")},
			bad:  map[string]Code{"Feb 29 00:00:00": NoSuchTime},
		},
		{ // by the clock of the zone: 2024-03-01 17:30
			typ: dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T", Zone: "Asia/Kolkata"}, opt: Options{BaseTime: base},
			good: map[string]any{"Mar  1 17:30:00": at("2024-03-01 12:00:00"), "Mar  1 17:30:01": at("2023-03-01 12:00:01")},
		},
		{ // by that of the offset, whose year may be the next one
			typ: dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T %z"}, opt: Options{BaseTime: time.Date(2023, 12, 31, 23, 30, 0, 0, time.UTC)},
			good: map[string]any{"Jan  1 00:30:00 +0100": at("2023-12-31 23:30:00"), "Jan  1 00:30:01 +0100": at("2022-12-31 23:30:01"), "Dec 31 23:30:01 +0000": at("2022-12-31 23:30:01"),
				"Dec 31 22:30:00 -0100": at("2023-12-31 23:30:00")},
		},
	} {
		c.run(t)
	}
	if _, err := NewConverter(&dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T"}}, Options{}); err == nil {
		t.Error("a layout without a year and no base time: no error")
	}
}

// Wall clock times of a zone, at and around its changes.
func TestZones(t *testing.T) {
	utc := func(s string) int64 { return at(s) }
	c := typeCase{
		typ: dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T", Zone: "America/New_York"},
		good: map[string]any{
			"2024-01-01 00:00:00": utc("2024-01-01 05:00:00"), "2024-07-01 00:00:00": utc("2024-07-01 04:00:00"),
			"2024-03-10 01:59:59": utc("2024-03-10 06:59:59"), "2024-03-10 03:00:00": utc("2024-03-10 07:00:00"),
			"2024-03-10 02:30:00": utc("2024-03-10 07:30:00"), // never shown: 03:30 EDT
			"2024-11-03 01:30:00": utc("2024-11-03 05:30:00"), // shown twice: the first
			"2024-11-03 00:59:59": utc("2024-11-03 04:59:59"), "2024-11-03 02:00:00": utc("2024-11-03 07:00:00"),
		},
	}
	c.run(t)
	iso := typeCase{
		typ:  dfa.Type{Kind: dfa.Timestamp, Zone: "Asia/Kolkata"},
		good: map[string]any{"2024-01-01T00:00:00": utc("2023-12-31 18:30:00"), "2024-01-01T00:00:00Z": utc("2024-01-01 00:00:00"), "2024-01-01T00:00:00.5": utc("2023-12-31 18:30:00.5")},
	}
	iso.run(t)
	// In one round, so that what is remembered of one row meets the next.
	ny, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip(err)
	}
	const layout = "2006-01-02 15:04:05"
	rapid.Check(t, func(rt *rapid.T) {
		var fields []string
		var want []int64
		near := time.Date(2024, 11, 3, 6, 0, 0, 0, time.UTC).Unix() // the clock is put back
		for range 20 {
			second := rapid.OneOf(rapid.Int64Range(-2e9, 2e9), rapid.Int64Range(near-90000, near+90000)).Draw(rt, "time")
			u := time.Unix(second, 0).In(ny)
			field := u.Format(layout)
			if first := u.Add(-time.Hour); first.Format(layout) == field {
				u = first
			}
			fields, want = append(fields, field), append(want, u.UnixMicro())
		}
		dst, errs := convertAll(t, &dfa.Column{Type: c.typ}, Options{}, false, 0, fields...)
		if len(errs) > 0 {
			rt.Fatal(errs)
		}
		for i, w := range want {
			if got := cell(dst, i); got != w {
				rt.Fatalf("%s: %v, want %d", fields[i], got, w)
			}
		}
	})
}

func TestLayoutErrors(t *testing.T) {
	for _, typ := range []dfa.Type{
		{Kind: dfa.Date, Layout: "%Q"}, {Kind: dfa.Date, Layout: "%"}, {Kind: dfa.Date, Layout: "%H:%M"}, {Kind: dfa.Time, Layout: "%M"},
		{Kind: dfa.Time, Layout: "%I:%M"}, {Kind: dfa.Timestamp, Layout: "%F %H %p"}, {Kind: dfa.Timestamp, Zone: "Nowhere/Land"}, {Kind: dfa.Timestamp, Zone: "Local"},
		{Kind: dfa.Timestamp, Layout: "%m/%d", Year: 10000}, {Kind: dfa.Duration, Layout: "iso"},
	} {
		if _, err := NewConverter(&dfa.Column{Type: typ}, Options{BaseTime: base}); err == nil {
			t.Errorf("%s: no error", Name(&typ))
		}
	}
}

// Layouts against those of package time that mean the same.
func TestLayoutsAgainstTime(t *testing.T) {
	for layout, golang := range map[string]string{
		"%Y-%m-%d %H:%M:%S":      "2006-01-02 15:04:05",
		"%Y-%m-%dT%H:%M:%S.%f%z": "2006-01-02T15:04:05.999999Z07:00",
		"%d/%b/%Y:%H:%M:%S %z":   "02/Jan/2006:15:04:05 -0700",
		"":                       time.RFC3339Nano,
		"%A, %d-%b-%y %T %Z":     "Monday, 02-Jan-06 15:04:05 MST",
		"%B %e %Y %I:%M:%S %p":   "January _2 2006 03:04:05 PM",
		"%Y %j %H.%M":            "2006 002 15.04",
		"%Y-%m-%d %H:%M:%S,%L":   "2006-01-02 15:04:05,000",
	} {
		typ := dfa.Type{Kind: dfa.Timestamp, Layout: layout}
		rapid.Check(t, func(rt *rapid.T) {
			lo := int64(minSeconds + 86400*2)
			if strings.Contains(layout, "%y") {
				lo = 0
			}
			hi := int64(endSeconds - 86400*2)
			if strings.Contains(layout, "%y") {
				hi = 2e9
			}
			var fields []string
			var want []int64
			zone := time.UTC
			for range rapid.IntRange(1, 5).Draw(rt, "rows") {
				if rapid.Bool().Draw(rt, "other zone") && !strings.Contains(layout, "%Z") {
					zone = time.FixedZone("", 60*rapid.IntRange(-1439, 1439).Draw(rt, "minutes"))
				}
				u := time.UnixMicro(rapid.Int64Range(lo, hi).Draw(rt, "time")*1e6 + rapid.Int64Range(1, 999999).Draw(rt, "fraction")).In(zone)
				s := u.Format(golang)
				back, err := time.Parse(golang, s)
				if err != nil {
					rt.Fatal(err)
				}
				fields, want = append(fields, s), append(want, back.UnixMicro())
			}
			dst, errs := convertAll(t, &dfa.Column{Type: typ}, Options{}, false, 40, fields...)
			if len(errs) > 0 {
				rt.Fatalf("%q: %v", fields, errs)
			}
			for i := range want {
				if got := cell(dst, i); got != want[i] {
					rt.Fatalf("%q in %q: %v, want %v", fields[i], layout, got, want[i])
				}
			}
		})
	}
}

// Every date that time.Parse accepts, and no other.
func TestDatesAgainstTime(t *testing.T) {
	col := &dfa.Column{Type: dfa.Type{Kind: dfa.Date}}
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.StringMatching(`([0-9]{4}|[0-9]{2}00|20[0-9]{2})-(0[0-9]|1[0-3])-([0-2][0-9]|3[0-2])`).Draw(rt, "date")
		got, code := one(t, col, Options{}, s)
		want, err := time.Parse("2006-01-02", s)
		if ok := err == nil && want.Year() > 0; ok != (code == OK) || ok && got != want.Unix()/86400 {
			rt.Fatalf("%q: %v (%v), want %v (%v)", s, got, code, want, err)
		}
	})
}

func TestDurations(t *testing.T) {
	for _, c := range []typeCase{
		{
			typ:  dfa.Type{Kind: dfa.Duration, CountUnit: dfa.Millisecond, Unit: dfa.Millisecond},
			good: map[string]any{"0": int64(0), "1500": int64(1500), "-2": int64(-2), "1.0": int64(1), "9223372036854775807": int64(1<<63 - 1), "1e3": int64(1000), "": nil},
			bad:  map[string]Code{"1.5": FinerThanUnit, "9223372036854775808": Overflow, "1s": BadDuration, "": OK, "-9223372036854775809": Overflow},
		},
		{
			typ: dfa.Type{Kind: dfa.Duration, CountUnit: dfa.Second},
			good: map[string]any{"1024": int64(1024000000), "1.5": int64(1500000), "-0.000001": int64(-1), "1e-6": int64(1), "1.5000000000": int64(1500000),
				"9223372036854.775807": int64(1<<63 - 1), "-9223372036854.775808": int64(-1 << 63)},
			bad: map[string]Code{"0.0000001": FinerThanUnit, "1e-7": FinerThanUnit, "9223372036854.775808": Overflow, "-9223372036854.775809": Overflow, "1e300": Overflow, "s": BadDuration},
		},
		{
			typ:  dfa.Type{Kind: dfa.Duration, CountUnit: dfa.Millisecond, Unit: dfa.Second},
			good: map[string]any{"0": int64(0), "2000": int64(2), "-1e3": int64(-1), "9223372036854775000": int64(9223372036854775)},
			bad:  map[string]Code{"1500": FinerThanUnit, "1": FinerThanUnit, "2000.5": FinerThanUnit},
		},
		{
			typ: dfa.Type{Kind: dfa.Duration, Layout: "go", Unit: dfa.Nanosecond},
			good: map[string]any{"1h2m3.5s": int64(3723500000000), "-1ns": int64(-1), "0": int64(0), ".5s": int64(500000000), "1.s": int64(1000000000), "1µs1μs1us": int64(3000),
				"2562047h47m16.854775807s": int64(1<<63 - 1), "-2562047h47m16.854775808s": int64(-1 << 63),
				"0.0001220703125h": int64(439453125)},
			bad: map[string]Code{"1": BadDuration, "s": BadDuration, "1d": BadDuration, "-": BadDuration, "1h-2m": BadDuration, "2562047h47m16.854775808s": Overflow,
				"0.5ns": FinerThanUnit, ".s": BadDuration, "99999999999999999999999h": Overflow, "1.00000000000000000000001s": FinerThanUnit, "1..5s": BadDuration},
		},
		{
			typ:  dfa.Type{Kind: dfa.Duration, Layout: "clock", Unit: dfa.Second},
			good: map[string]any{"1:02:03": int64(3723), "100:00": int64(6000), "-0:01": int64(-1), "00:00.000": int64(0), "123456789:00:00": int64(444444440400)},
			bad: map[string]Code{"1:2:03": BadDuration, "1:60:00": BadDuration, "1:60": BadDuration, "1": BadDuration, "0:01.5": FinerThanUnit, "1:02:03:04": BadDuration,
				":01": BadDuration, "1:": BadDuration, "0:01.": BadDuration, "0:01.x": BadDuration, "99999999999999999999:00": Overflow},
		},
	} {
		c.run(t)
	}
	// 1e-13 h are 0.36 ns.
	if _, code := one(t, &dfa.Column{Type: dfa.Type{Kind: dfa.Duration, Layout: "go", Unit: dfa.Nanosecond}}, Options{}, "0.0000000000001h"); code != FinerThanUnit {
		t.Errorf("a tenth of a trillionth of an hour: %v", code)
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := time.Duration(rapid.Int64().Draw(rt, "duration"))
		got, code := one(t, &dfa.Column{Type: dfa.Type{Kind: dfa.Duration, Layout: "go", Unit: dfa.Nanosecond}}, Options{}, d.String())
		if code != OK || got != int64(d) {
			rt.Fatalf("%s: %v (%v), want %d", d, got, code, d)
		}
	})
}

// TestReadWord: the longest word counts, in any case, whatever its first symbol is.
func TestReadWord(t *testing.T) {
	for c := range rune(unicode.MaxRune) {
		if smaller(c) != unicode.ToLower(c) {
			t.Fatalf("%U: %U, want %U", c, smaller(c), unicode.ToLower(c))
		}
	}
	words := []timeName{{"", 1}, {"k", 2}, {"K\u00e4", 3}, {"mai", 4}, {"ma", 5}, {"\u00e9t\u00e9", 6}, {"\u212ao", 7}, {"[", 8}}
	for text, want := range map[string]int{"K.": 2, "\u212a.": 2, "k\u00c4": 3, "MAIs": 4, "MAr": 5, "\u00c9T\u00c9": 6, "KO": 7, "[": 8, "{": 0, "": 0, "x": 0} {
		var m moment
		if _, ok := m.readWord(&op{directive: 'b', words: words}, []byte(text)); m.month != want || ok != (want > 0) {
			t.Errorf("%q: word %d, want %d", text, m.month, want)
		}
	}
}
