package convert

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// The periods of a zone say of every wall clock time what the zone says.
func TestZonePieces(t *testing.T) {
	below := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	for _, name := range []string{"UTC", "Asia/Kolkata", "Europe/Berlin", "America/New_York", "Europe/Dublin", "Pacific/Apia", "Asia/Manila", "Africa/Casablanca",
		"America/Juneau", "Antarctica/Troll", "Australia/Lord_Howe"} {
		f, err := NewClockForm(&dfa.Type{Kind: dfa.Timestamp, Zone: name}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		periods, whole := f.ZonePeriods(below)
		if whole && name == "Europe/Berlin" || !whole && name == "UTC" {
			t.Errorf("%s: whole %v", name, whole)
		}
		fresh := func(wall int64) int64 { return (&zone{loc: f.zone.loc, lo: 1}).find(wall) }
		check := func(wall int64) {
			if wall >= below && !whole {
				return
			}
			i, found := slices.BinarySearchFunc(periods, wall, func(p ZonePeriod, wall int64) int { return int(min(max(p.From, -1<<60)-wall, 1)) })
			if !found {
				i--
			}
			if got, want := wall-periods[i].Offset, fresh(wall); got != want {
				t.Fatalf("%s, wall clock %d: %d, want %d", name, wall, got, want)
			}
		}
		for _, p := range periods[1:] {
			for d := int64(-3); d < 3; d++ {
				check(p.From + d)
				check(p.From + d*3599)
			}
		}
		rapid.Check(t, func(rt *rapid.T) { check(rapid.Int64Range(minSeconds, endSeconds).Draw(rt, "wall clock")) })
		rapid.Check(t, func(rt *rapid.T) { check(rapid.Int64Range(-3e9, below).Draw(rt, "wall clock")) })
	}
}

// A form's canonical layout is that of the same form.
func TestClockFormLayout(t *testing.T) {
	for _, layout := range []string{"", "%F %T", "%d/%b/%Y:%H:%M:%S %z", "100%% %Y%%", "%D"} {
		typ := dfa.Type{Kind: dfa.Timestamp, Layout: layout}
		f, err := NewClockForm(&typ, Options{})
		if err != nil {
			t.Fatal(err)
		}
		typ.Layout = f.Canonical()
		g, err := NewClockForm(&typ, Options{})
		if err != nil || !slices.Equal(f.Ops, g.Ops) {
			t.Errorf("%q became %q: %v", layout, typ.Layout, err)
		}
	}
}
