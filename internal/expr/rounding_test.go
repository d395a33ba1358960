package expr

import (
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
)

// TestRoundingAtChanges: a time becomes the first one from which on the local clock has shown the same hour, or minute, without
// being put forward or back, also in zones that do so within an hour.
func TestRoundingAtChanges(t *testing.T) {
	for _, name := range []string{"America/St_Johns", "Australia/Lord_Howe", "Europe/Berlin", "Asia/Kathmandu", "America/Caracas", "UTC"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range []string{"hour", "minute", "second"} {
			r, err := newRounding(unit, &arrow.TimestampType{Unit: arrow.Second, TimeZone: name})
			if err != nil {
				t.Fatal(err)
			}
			size := secondsIn[unit]
			shows := func(at int64) (of, offset int64) {
				_, shift := time.Unix(at, 0).In(zone).Zone()
				return floorTo(at+int64(shift), size), int64(shift)
			}
			for at := time.Unix(-3_000_000_000, 0).In(zone); ; {
				_, change := at.ZoneBounds()
				if change.IsZero() || change.Year() > 2036 {
					break
				}
				at = change
				for s := change.Unix() - 7300; s < change.Unix()+7300; s += 61 {
					want := s
					for of, offset := shows(s); s-want < size; want-- {
						if earlier, shift := shows(want - 1); earlier != of || shift != offset {
							break
						}
					}
					from, to, got := r.around(s)
					if got != want || from > s || to <= s {
						t.Fatalf("%s of %v is %v, want %v, for those from %d to %d", unit, time.Unix(s, 0).In(zone), time.Unix(got, 0).In(zone), time.Unix(want, 0).In(zone), from-s, to-s)
					}
				}
			}
		}
	}
}
