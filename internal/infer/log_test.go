package infer

import (
	"context"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestClockedLog: the templates of logs that begin with a time, and what is none.
func TestClockedLog(t *testing.T) {
	for in, want := range map[string]string{
		"[10:00:00] INFO a\n[10:00:01] no\n[10:00:02] WARN b\n":                                          "{[}{time}{]}{ }[{level}{ }]{message...}",
		"01.02.2024 10:00:00 [a] (b) <info> x\n01.02.2024 10:00:00 [a] (b) <warn> x\n":                   "{time}{ }{[}{source_1}{]}{ }({source_2}){ }<{level}>{ }{message...}",
		"1700000000 - Error: - x\n\tat y\n1700000001.5 - Info: - x\n":                                    "{time}{ }[-{ }{level}:{ }-{ }]{message...}",
		"[10:00:00] a\n[10:00:01] b\n":                                                                   "{[}{time}{]} {message...}",
		"[10:00:00] {a} [INFO] b\n[10:00:01] [a} [INFO] c\n":                                             "{[}{time}{]} {message...}",
		"2025-01-02 10:00:00 +0100 INFO a\n2025-01-02 10:00:01 WARN b\n":                                 "{time}[{ }{offset:offset}]{ }[{level}{ }]{message...}",
		"2025-01-02 10:00:00 (INFO) a\n2025-01-02 10:00:01 UTC (WARN) b\n":                               "{time}[{ }{offset}]{ }[({level}){ }]{message...}",
		"[2025-01-02T10:00:00Z] - INFO a\n[2025-01-02T10:00:01] b\n":                                     "{[}{time}[{offset:offset}]{]}{ }{message...}",
		"2025-01-02 10:00:00 INFO a\n2025-01-02 10:00:01 +0100 INFO b\n2025-01-02 10:00:02 UTC INFO c\n": "{time} {message...}", // which is no offset alone
		"2025-01-02 10:00:00 b\n2025-01-02 10:00:01 +0100 a\n":                                           "{time} {message...}",
		"Mon 2025-01-06 10:00:00 CET h a\nTue 2025-01-07 10:00:01 CET h b\n":                             "{time} {message...}",
		"[06/Jan/2025:10:00:00 +0100] a\n[06/Jan/2025:10:00:01 +0100] b\n":                               "{[}{time}{]} {message...}",
		"[10:00:00] a:\n[10:00:01]   b\n[10:00:02] \n":                                                   "{[}{time}{]} {message...}", // whose blanks are its own
		"[10:00:00]  a\n[10:00:01]    b\n[10:00:02] \n":                                                  "{[}{time}{]}{ }{message...}",
		"[Jan  6 10:00:00] a\n[Jan 16 10:00:01] b\n":                                                     "{[}{time}{]} {message...}",
		"[2025-01-06 10:00:00][INFO] a\n[2025-01-06 10:00:01][WARN] b\n":                                 "{[}{time}{]}[{[}{level}{]}{ }]{message...}",
		"2025-01-06T10:00:00.123+0100: 0.1: a\n2025-01-06T10:00:00.123+0100: b\n":                        "{time} {message...}",
		"06-Jan-2025 10:00:00 UTC: a\n06-Jan-2025 10:00:01 UTC: b\n":                                     "{time} {message...}",
		"2025-01-06 10:00:00: a\n2025-01-06 10:00:01 +0100: b\n":                                         "",
		"01/02/2025 10:00:00 a\n13/02/2025 10:00:01 b\n":                                                 "{time} {message...}",
		"01/02/2025 10:00:00 a\n12/02/2025 10:00:01 b\n":                                                 "", // the day may be either
		"[20250106 10:00:00.123] a\n[20250106 10:00:01,123] b\n":                                         "{[}{time}{]} {message...}",
		"20250106-10:00:00 - INFO - a\n20250106-10:00:01 - WARN - b\n":                                   "{time}{ }[-{ }{level}{ }-{ }]{message...}",
		"06 Jan 2025 10:00:00 a\n16 Jan 2025 10:00:01 b\n":                                               "{time} {message...}",
		"Jan 06, 2025 10:00:00 a\nJan 16, 2025 10:00:01 b\n":                                             "{time} {message...}",
		"INFO 2025-01-06 10:00:00,123 a, b\nERROR 2025-01-06 10:00:01,123 c\n\tat d\n":                   "{level}{ }{time} {message...}",
		"[INFO] 2025/01/06 10:00:00 a\n[WARN] 2025/01/06 10:00:01 b\n":                                   "{[}{level}{]}{ }{time} {message...}",
		"INFO  [2025-01-06 10:00:00,123] a: b\n! c\nERROR [2025-01-06 10:00:01,123] a: c\n":              "{level}{ }{[}{time}{]} {message...}",
		"info:2025-01-06 10:00:00 +0100 a\nwarning:2025-01-06 10:00:01 +0100 b\n":                        "{level}:{time} {message...}",
		"INFO 2025-01-06 10:00:00 a\nAUDIT 2025-01-06 10:00:01 b\nINFO 2025-01-06 10:00:00 a\n":          "", // a record, and none of a level
		"INFO 2025-01-06 10:00:00 a\nINFO: 2025-01-06 10:00:01 b\nx\n":                                   "",
		"2025-01-06 07:00:00 PM INFO a\n2025-01-06 11:00:01 PM WARN b\n":                                 "{time}{ }[{level}{ }]{message...}",
		"[1/6/2025 7:00:00 PM] a\n[1/16/2025 11:00:01 AM] b\n":                                           "{[}{time}{]} {message...}",
		"Jan 6, 2025 7:00:00 PM a b\nINFO: x\nJan 16, 2025 7:00:01 PM a b\nINFO: x\n":                    "{time} {message...}",
		"7:00:00.5 pm a\n11:00:01.5 pm b\n":                                                              "{time} {message...}",
		"10:00:00: 1\n10:00:01: 2\n":                                                                     "", // keys
		"10:00:00 INFO\n":                                                                                "",
		"a\n10:00:00 INFO a\n10:00:00 INFO b\n":                                                          "",
		"10:00:00,1\n10:00:01,2\n":                                                                       "",
	} {
		l := ClockedLog([]byte(in), true, true)
		switch {
		case want == "" && l != nil:
			t.Errorf("%q: %s", in, l.template)
		case want == "":
		case l == nil || l.template != want:
			t.Errorf("%q: %+v, want %s", in, l, want)
		default:
			spec := l.Build(context.Background(), "t")
			if spec == nil {
				t.Errorf("%q: no format", in)
			} else if source := l.Source("t", []byte(in), spec.Program, "", runtime.WithEngine(cpu.Engine)); !strings.Contains(source, `test "the first rows"`) {
				t.Errorf("%q: %s", in, source)
			}
		}
	}
}

// TestClockedLogDays: which number is the month is what values above 12 say.
func TestClockedLogDays(t *testing.T) {
	for in, want := range map[string]string{
		"12.01.2024 10:00:00 a\n12.13.2024 10:00:00 b\n":           "%m.%d.%Y",
		"\ufeff[12.01.2024 10:00:00] a\n[13.12.2024 10:00:00] b\n": "%d.%m.%Y",
		"01/02/2024 10:00:00 a\n01/13/2024 10:00:00 b\n":           "%m/%d/%Y",
		"12.13.2024 10:00:00 a\n13.12.2024 10:00:00 b\n":           "",
		"12.11.2024 10:00:00 a\n10.12.2024 10:00:00 b\n":           "%d.%m.%Y",
	} {
		l := ClockedLog([]byte(in), true, true)
		if l != nil && strings.Contains(l.String(), "is a guess") != strings.HasPrefix(in, "12.11.") {
			t.Errorf("%q: %s", in, l)
		}
		if want == "" && l != nil || want != "" && (l == nil || !strings.Contains(l.time, want)) {
			t.Errorf("%q: %+v, want %s", in, l, want)
		}
	}
}

// TestLogOfMore: a record that has not been looked at may have no level behind where it comes from.
func TestLogOfMore(t *testing.T) {
	const in = "[10:00:00] [a] INFO b\n[10:00:01] [a] INFO c\n"
	if l := ClockedLog([]byte(in), true, false); l == nil || !l.Levelled() || !l.Demanding || l.Plain().Levelled() {
		t.Errorf("%+v", l)
	}
	if l := ClockedLog([]byte(in), true, true); l == nil || l.Demanding {
		t.Errorf("%+v", l)
	}
	if l := LevelledLog(context.Background(), "generic_log", []byte("2024-01-01 10:00:00 [a] INFO b\n2024-01-01 10:00:01 [a] INFO c\n"), false, runtime.WithEngine(cpu.Engine)); l == nil || !l.Demanding {
		t.Errorf("%+v", l)
	}
}

// TestLogFits: a level that some records lack in a way that no template tells is left out.
func TestLogFits(t *testing.T) {
	in := []byte("[10:00:00] INFO - a\n[10:00:01] INFO - b\n[10:00:02] INFO c\n")
	l := ClockedLog(in, true, true)
	if l == nil || !l.Levelled() || !l.Fit(context.Background(), in, runtime.WithEngine(cpu.Engine)) || l.Levelled() {
		t.Errorf("%+v", l)
	}
}

// TestLevelBeforeTime: a record that begins with a word that is no level is no part of the one before, where nothing shows
// that lines of messages begin so.
func TestLevelBeforeTime(t *testing.T) {
	const in = "INFO 2025-01-06 10:00:00 a\n\tb\nWARN 2025-01-06 10:00:01 c\n"
	l := ClockedLog([]byte(in), true, true)
	if l == nil || l.level != "enum("+"TRACE VERBOSE DEBUG FINE INFO INFORMATION NOTICE CONFIG WARN WARNING ERR ERROR SEVERE CRIT CRITICAL ALERT FATAL EMERG EMERGENCY PANIC)" {
		t.Fatalf("%+v", l)
	}
	if n, ok := l.rejects(context.Background(), []byte(in+"AUDIT 2025-01-06 10:00:02 d\n"), []runtime.Option{runtime.WithEngine(cpu.Engine)}); !ok || n != 1 {
		t.Errorf("%d rejected", n)
	}
	if l := ClockedLog([]byte(in+"java.lang.Error: d\n"), true, true); l == nil || !strings.Contains(l.Source("t", nil, nil, ""), "start") {
		t.Errorf("%+v", l)
	}
}
