package infer

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
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

// TestDatesBelowOneName: what stands alone above dates that the comma behind the weekday divides is the name of their column.
func TestDatesBelowOneName(t *testing.T) {
	for in, want := range map[string]string{
		"date\nMon, 02 Jan 2006 15:04:05 -0700\nThu, 05 Jan 2006 15:04:05 -0700\n":  "date",
		"sent at\nMon, 2 Jan 2006 15:04:05 +0000\nThu, 5 Jan 2006 15:04:05 +0000\n": "sent at",
		"Report of May\nMon, 2 Jan 2006\nThu, 5 Jan 2006\n":                         "column_1 column_2",
	} {
		table, err := Guess([]byte(in), true, nil)
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		if err := table.InferTypes(t.Context(), "t", &Input{Sample: []byte(in), Whole: true}, runtime.WithEngine(cpu.Engine)); err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		var names []string
		for _, c := range table.Columns {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}

// TestHalvedTimes: a clock of twelve hours whose AM or PM is in the next column is no time of day.
func TestHalvedTimes(t *testing.T) {
	for in, want := range map[string]string{
		"01/31/2025 03:04:05 PM start the job\n01/31/2025 03:04:06 AM stop the job\n": "str",
		"day,at,half,x\n2025-01-31,03:04:05,pm,a\n2025-01-31,03:04:06,am,b\n":         "str",
		"day,at,note,x\n2025-01-31,03:04:05,pm,a\n2025-01-31,03:04:06,noon,b\n":       "time",
	} {
		table, err := Infer(t.Context(), "x", &Input{Sample: []byte(in), Whole: true}, nil, runtime.WithEngine(cpu.Engine))
		if err != nil {
			t.Fatal(err)
		}
		if c := table.Columns[1]; c.Type != want {
			t.Errorf("%q: %s, want %s; %s", in, c.Type, want, c.Why)
		}
	}
}
