package infer

import (
	"strings"
	"testing"
)

// TestWeekdays: a date that is cut behind its weekday is said to be.
func TestWeekdays(t *testing.T) {
	for in, want := range map[string]string{
		"1,Mon, 02 Jan 2006 15:04:05 -0700,a\n2,Thu, 05 Jan 2006 15:04:05 -0700,b\n": "columns 2 and 3 look like one date",
		"id,when,who\n1,Monday, January 2, 2006,a\n2,Thursday, January 5, 2006,b\n":  "columns 2 and 3 look like one date",
		"Mon, 2 Jan 2006 15:04:05 +0000\nThu, 5 Jan 2006 15:04:05 +0000\n":           "columns 1 and 2 look like one date",
		"day,date\nMon,02 Jan 2006\nThu,05 Jan 2006\n":                               "",
		"id;when\n1;Mon, 02 Jan 2006\n2;Thu, 05 Jan 2006\n":                          "",
		"id,when\n1,\"Mon, 02 Jan 2006\"\n2,\"Thu, 05 Jan 2006\"\n":                  "",
		"1,Mon, 02 Jan 2006 15:04:05 -0700,a\n2,x, 05 Jan 2006 15:04:05 -0700,b\n":   "",
	} {
		table, err := Guess([]byte(in), true, nil)
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		if got := table.Summary(""); want == "" && strings.Contains(got, "one date") || !strings.Contains(got, want) {
			t.Errorf("%q: %s", in, got)
		}
	}
}
