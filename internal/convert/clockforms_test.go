package convert

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// A field is read in the first form whose symbols it has, and is wrong if that makes no
// day or time: no other form is then tried.
func TestFirstFormThatFits(t *testing.T) {
	layouts := func(all ...string) (or []dfa.ClockForm) {
		for _, s := range all {
			or = append(or, dfa.ClockForm{Layout: s})
		}
		return or
	}
	for _, c := range []typeCase{
		{
			typ: dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T", Zone: "UTC", Or: append(layouts("%d/%b/%Y:%T %z", ""), dfa.ClockForm{Epoch: true, CountUnit: dfa.Millisecond})},
			good: map[string]any{"2015-05-17 10:05:03": at("2015-05-17 10:05:03"), "17/May/2015:12:05:03 +0200": at("2015-05-17 10:05:03"),
				"2015-05-17T10:05:03.5Z": at("2015-05-17 10:05:03.5"), "1431857103250": at("2015-05-17 10:05:03.25"), "": nil},
			bad: map[string]Code{"2015-13-17 10:05:03": NoSuchTime, "17/May/2015:25:05:03 +0200": NoSuchTime, "17/May/2015": BadTimestamp, "x": BadTimestamp,
				"1431857103.2500001": FinerThanUnit},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%d.%m.%Y", Or: layouts("%F", "%Y%m%d")},
			good: map[string]any{"17.05.2015": day("2015-05-17"), "2015-05-17": day("2015-05-17"), "20150517": day("2015-05-17")},
			bad:  map[string]Code{"05.17.2015": NoSuchTime, "2015-5-": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Time, Layout: "%H:%M", Or: layouts("%T", "%I:%M %p")},
			good: map[string]any{"10:05": int64(36300e6), "10:05:03": int64(36303e6), "1:05 PM": int64(47100e6)},
			bad:  map[string]Code{"24:05": NoSuchTime, "1:05 XM": BadTime},
		},
		{
			typ:  dfa.Type{Kind: dfa.Time, Unit: dfa.Second, Layout: "%H:%M", Or: layouts("%T")},
			good: map[string]any{"10:05": int64(36300), "10:05:03": int64(36303)},
		},
	} {
		c.run(t)
	}
	mixed := dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T", Or: layouts("%F %T %z")}}
	if _, err := NewConverter(&mixed, Options{}); err == nil {
		t.Error("times with an offset and without, and no zone, are read")
	}
}

// Go's package time is the oracle: what several layouts read is what the first of them
// reads that Go reads it by.
func TestFormsAsInGo(t *testing.T) {
	forms := map[string]string{"%Y-%m-%d %H:%M:%S": "2006-01-02 15:04:05", "%d/%b/%Y:%H:%M:%S %z": "02/Jan/2006:15:04:05 -0700", "%d %B %Y %H:%M": "02 January 2006 15:04",
		"%Y%m%d%H%M%S": "20060102150405", "%a %b %d %H:%M:%S %Y": "Mon Jan 02 15:04:05 2006", "%m/%d/%y %I:%M %p": "01/02/06 03:04 PM"}
	var layouts []string
	for s := range forms {
		layouts = append(layouts, s)
	}
	rapid.Check(t, func(rt *rapid.T) {
		order := rapid.Permutation(layouts).Draw(rt, "order")[:rapid.IntRange(2, len(layouts)).Draw(rt, "n")]
		typ := dfa.Type{Kind: dfa.Timestamp, Zone: "UTC", Layout: order[0]}
		for _, s := range order[1:] {
			typ.Or = append(typ.Or, dfa.ClockForm{Layout: s})
		}
		moment := time.Unix(rapid.Int64Range(0, 4e9).Draw(rt, "time"), 0).UTC()
		field := moment.Format(forms[rapid.SampledFrom(layouts).Draw(rt, "written as")])
		var want any
		for _, s := range order {
			if read, err := time.Parse(forms[s], field); err == nil {
				want = read.UnixMicro()
				break
			}
		}
		got, code := one(t, &dfa.Column{Type: typ}, Options{}, field)
		if (code == OK) != (want != nil) || code == OK && got != want {
			rt.Fatalf("%q by %s: %v (%v), Go has %v", field, &typ, got, code, want)
		}
	})
}

// Numbers without padding are read as Go reads them.
func TestUnpaddedAsInGo(t *testing.T) {
	col := dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%-m/%-d/%Y %-I:%-M:%-S %p"}}
	rapid.Check(t, func(rt *rapid.T) {
		field := time.Unix(rapid.Int64Range(0, 4e9).Draw(rt, "time"), 0).UTC().Format("1/2/2006 3:4:5 PM")
		want, err := time.Parse("1/2/2006 3:4:5 PM", field)
		if err != nil {
			rt.Fatal(err)
		}
		if got, code := one(t, &col, Options{}, field); code != OK || got != want.UnixMicro() {
			rt.Fatalf("%q: %v (%v), Go has %v", field, got, code, want)
		}
	})
}

// Fields next to each other, which are read as the ones before, have milliseconds of
// their own.
func TestUnpaddedMillisecondsSideBySide(t *testing.T) {
	col := dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T,%-L"}}
	fields := []string{"2015-05-17 10:05:03,7", "2015-05-17 10:05:03,8", "2015-05-17 10:05:03,12", "2015-05-17 10:05:04,7", "2015-05-17 10:05:04,7", "2015-05-17 10:05:04,9"}
	dst, errs := convertAll(t, &col, Options{}, false, 64, fields...)
	for i, want := range []string{"03.007", "03.008", "03.012", "04.007", "04.007", "04.009"} {
		if got := cell(dst, i); len(errs) > 0 || got != at("2015-05-17 10:05:"+want) {
			t.Errorf("%q is %v, %v", fields[i], got, errs)
		}
	}
}

// TestFormsInTurns: rows of several forms are what each is by itself, whatever came before.
func TestFormsInTurns(t *testing.T) {
	forms := []string{"%F %T", "%FT%TZ", "%F %T,%L", "%d/%b/%Y:%T %z", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%a %b %e %T %Y", "%d %b %H:%M:%S.%f", "%H:%M:%S %d.%m.%y", "%Y%m%d%H%M%S", "%s", ""}
	goForms := []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05Z", "2006-01-02 15:04:05,000", "02/Jan/2006:15:04:05 -0700", "02/01/2006 15:04", "01/02/2006 15:04", "Mon Jan _2 15:04:05 2006",
		"02 Jan 15:04:05.000000", "15:04:05 02.01.06", "20060102150405", "2006-01-02T15:04:05.5-07:00", "1514764800", "2006-13-02 15:04:05", "2006-01-02 25:04:05"}
	rapid.Check(t, func(rt *rapid.T) {
		order := rapid.Permutation(forms).Draw(rt, "order")[:rapid.IntRange(2, len(forms)).Draw(rt, "n")]
		typ := dfa.Type{Kind: dfa.Timestamp, Zone: "Europe/Berlin", Layout: order[0], Unit: rapid.SampledFrom([]dfa.Unit{dfa.Second, dfa.Microsecond, dfa.Nanosecond}).Draw(rt, "unit")}
		for _, s := range order[1:] {
			typ.Or = append(typ.Or, dfa.ClockForm{Layout: s})
		}
		col, opt := dfa.Column{Type: typ}, Options{BaseTime: time.Unix(1.7e9, 0)}
		if _, err := NewConverter(&col, opt); err != nil {
			return
		}
		days := rapid.SliceOfN(rapid.Int64Range(0, 20000), 1, 3).Draw(rt, "days")
		var fields []string
		for range rapid.IntRange(1, 40).Draw(rt, "rows") {
			at := time.Unix(86400*rapid.SampledFrom(days).Draw(rt, "day")+rapid.Int64Range(0, 86399).Draw(rt, "second"), rapid.SampledFrom([]int64{0, 25e7, 123456789}).Draw(rt, "fraction")).UTC()
			fields = append(fields, at.Format(rapid.SampledFrom(goForms).Draw(rt, "form")))
		}
		dst, errs := convertAll(t, &col, opt, false, 64, fields...)
		for i, field := range fields {
			want, code := one(t, &col, opt, field)
			got := OK
			for _, e := range errs {
				if e.Row == i {
					got = e.Code
				}
			}
			if got != code || code == OK && cell(dst, i) != want {
				rt.Fatalf("%q by %s: %v (%v), want %v (%v)", fields[:i+1], &typ, cell(dst, i), got, want, code)
			}
		}
	})
}
