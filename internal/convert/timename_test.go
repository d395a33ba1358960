package convert

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

var french = dfa.TimeNames{
	Months:        strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
	ShortMonths:   strings.Fields("janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."),
	Weekdays:      strings.Fields("lundi mardi mercredi jeudi vendredi samedi dimanche"),
	ShortWeekdays: strings.Fields("lun. mar. mer. jeu. ven. sam. dim."),
	Zones:         []dfa.ZoneName{{Name: "CET", Offset: 3600}, {Name: "CEST", Offset: 7200}, {Name: "EST", Offset: -5 * 3600}, {Name: "NPT", Offset: 20700}},
}

func TestTimeNames(t *testing.T) {
	czech := dfa.TimeNames{Months: strings.Fields("leden únor březen duben květen červen červenec srpen září říjen listopad prosinec")}
	for _, c := range []typeCase{
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%a %d %b %Y", Names: french},
			good: map[string]any{"lun. 05 févr. 2024": day("2024-02-05"), "MAR. 6 AOÛT 2024": day("2024-08-06")},
			bad:  map[string]Code{"lun. 05 Feb 2024": BadDate, "Mon 05 févr. 2024": BadDate, "lun. 05 fevr. 2024": BadDate, "lun. 05 f\xc3": BadDate, "lun. 05 ": BadDate},
		},
		{
			typ:  dfa.Type{Kind: dfa.Date, Layout: "%d. %B %Y", Names: czech}, // one begins as another does
			good: map[string]any{"1. červen 2024": day("2024-06-01"), "1. červenec 2024": day("2024-07-01"), "1. ČERVENEC 2024": day("2024-07-01")},
			bad:  map[string]Code{"1. červene 2024": BadDate},
		},
		{
			typ: dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T %Z", Names: french},
			good: map[string]any{"2024-02-05 10:00:00 CET": at("2024-02-05 09:00:00"), "2024-02-05 10:00:00 cest": at("2024-02-05 08:00:00"), "2024-02-05 10:00:00 GMT": at("2024-02-05 10:00:00"),
				"2024-02-05 10:00:00 EST": at("2024-02-05 15:00:00")},
			bad: map[string]Code{"2024-02-05 10:00:00 PST": BadTimestamp, "2024-02-05 10:00:00 CES": BadTimestamp},
		},
	} {
		c.run(t)
	}
}

// Go's package time is the oracle: what it writes in English, with the names replaced, is
// the time that it was. Fields lie side by side, as those that are read as the one
// before.
func TestTimeNamesAsInGo(t *testing.T) {
	col := dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%A %d %B %Y %H:%M:%S %Z", Names: french}}
	rapid.Check(t, func(rt *rapid.T) {
		base := rapid.Int64Range(0, 4e9).Draw(rt, "base")
		var fields []string
		var want []int64
		for range 12 {
			at := time.Unix(base+rapid.Int64Range(0, 1e5).Draw(rt, "after"), 0).UTC()
			zone := rapid.SampledFrom(french.Zones).Draw(rt, "zone")
			local := at.In(time.FixedZone(zone.Name, zone.Offset))
			fields = append(fields, fmt.Sprintf("%s %s %s %s %s", french.Weekdays[(local.Weekday()+6)%7], local.Format("02"), french.Months[local.Month()-1], local.Format("2006 15:04:05"), zone.Name))
			want = append(want, at.UnixMicro())
		}
		dst, errs := convertAll(t, &col, Options{}, false, 64, fields...)
		for i := range want {
			if got := cell(dst, i); len(errs) > 0 || got != want[i] {
				rt.Fatalf("%q is %v, want %v (%v)", fields[i], got, want[i], errs)
			}
		}
	})
}
