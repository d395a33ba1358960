package expr

import (
	"testing"
	"time"
)

// TestMoment: an offset says when a time was, whatever the zone; without one it is in the zone.
func TestMoment(t *testing.T) {
	zone := time.FixedZone("", -5*60*60)
	for text, want := range map[string]string{
		"2025-01-02":                    "2025-01-02T05:00:00Z",
		"2025-01-02 03:04":              "2025-01-02T08:04:00Z",
		"2025-01-02T03:04:05.25":        "2025-01-02T08:04:05.25Z",
		"2025-01-02 03:04 UTC":          "2025-01-02T03:04:00Z",
		"2025-01-02T03:04:05 GMT":       "2025-01-02T03:04:05Z",
		"2025-01-02 03:04:05Z":          "2025-01-02T03:04:05Z",
		"2025-01-02 03:04:05 Z":         "2025-01-02T03:04:05Z",
		"2025-01-02T03:04+02:00":        "2025-01-02T01:04:00Z",
		"2025-01-02 03:04:05.5 +0200":   "2025-01-02T01:04:05.5Z",
		"2025-01-02 03:04:05-0530":      "2025-01-02T08:34:05Z",
		"2025-01-02 UTC":                "",
		"2025-01-02 03:04:05+02:00 UTC": "",
		"2025-01-02 03:04:05 CET":       "",
		"2025-01-02 03:04:05 UTC GMT":   "",
	} {
		got := ""
		if at, ok := moment(text, zone); ok {
			got = at.UTC().Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
