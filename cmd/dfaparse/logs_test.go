package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSourcesOfLargeLogs: where a record comes from is a column if all of the records say it, however many
// there are; else none is rejected for it.
func TestSourcesOfLargeLogs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "app.txt")
	for _, c := range []struct{ row, late, want, plain string }{
		{"2024-01-01 10:%02d:%02d [main] INFO: began %d\n", "2024-01-01 11:00:00 no level\n", "time,source,level,message", "time,message"},
		{"2024-01-01 10:%02d:%02d [main] INFO: began %d\n", "2024-01-01 11:00:00 [main] WEIRD: no level\n", "time,source,level,message", "time,message"},
		{"[10:%02d:%02d] warn - slow %d\n", "[11:00:00] warn no sign\n", "time,level,message", "time,message"},
	} {
		var text strings.Builder
		for n := range 3000 {
			fmt.Fprintf(&text, c.row, n/60%60, n%60, n)
		}
		for _, late := range []string{"", c.late} {
			want, rows := c.want, 3000
			if late != "" {
				want, rows = c.plain, 3001
			}
			if err := os.WriteFile(path, []byte(text.String()+late), 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, said := told([]string{"parse", "--to", "csv", path}, nil)
			if head, _, _ := strings.Cut(out, "\n"); code != 0 || head != want || strings.Count(out, "\n") != rows+1 {
				t.Errorf("%q: exit %d, %s, columns %s, %d rows", late, code, said, head, strings.Count(out, "\n")-1)
			}
			if head, _, _ := strings.Cut(out, "\n"); head != want {
				continue
			}
			inferred(t, path, filepath.Join(dir, "inferred.dfp"))
			code, out, said = told([]string{"parse", "--to", "csv", "-"}, readerFunc(strings.NewReader(text.String()+late).Read))
			if code != 0 || strings.Count(out, "\n") != rows+1 {
				t.Errorf("%q, piped: exit %d, %s, %d rows", late, code, said, strings.Count(out, "\n")-1)
			}
		}
	}
}

// TestInferredLogsWithoutYears: the spec of a log whose times have no year has a test that passes in any year.
func TestInferredLogsWithoutYears(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "app.txt")
	for text, want := range map[string]string{
		"Nov  3 09:15:01 imap: Info: Login: a\nNov 30 09:15:02 auth: Error: b\n":  "time,source,level,message",
		"[Nov  3 09:15:01] NOTICE[1] a: b\n  c\n[Nov 30 09:15:02] WARNING[2] d\n": "time,message",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, said := told([]string{"parse", "--to", "csv", path}, nil)
		if head, _, _ := strings.Cut(out, "\n"); code != 0 || head != want || !strings.Contains(out, "-11-03T09:15:01") {
			t.Errorf("%q: exit %d, %s, %s", text, code, said, out)
		}
		inferred(t, path, filepath.Join(dir, "inferred.dfp"))
	}
}

// TestDaysOfLargeLogs: whether days stand before months is told by all of a log, and no record is part of the one
// before because that was guessed.
func TestDaysOfLargeLogs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "app.txt")
	for _, row := range []string{"01.02.2024 10:%02d:%02d began %d\n", "[01.02.2024 10:%02d:%02d] [main] INFO: began %d\n"} {
		var text strings.Builder
		for n := range 4000 {
			fmt.Fprintf(&text, row, n/60%60, n%60, n)
		}
		for day, want := range map[string]string{"01.25.2024": "2024-01-25T", "25.01.2024": "2024-01-25T", "02.01.2024": "2024-01-02T"} {
			last := strings.Replace(fmt.Sprintf(row, 11, 0, 1), "01.02.2024", day, 1)
			if err := os.WriteFile(path, []byte(text.String()+last), 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, said := told([]string{"parse", "--to", "csv", path}, nil)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if guess := want == "2024-01-02T"; code != 0 || len(lines) != 4002 || !strings.HasPrefix(lines[4001], want) || strings.Contains(said, "is a guess") != guess {
				t.Errorf("%s: exit %d, %d lines, the last %q, %s", day, code, len(lines), lines[len(lines)-1], said)
			}
			if code, _, said := told([]string{"schema", "--strict", path}, nil); (code == 0) != (want != "2024-01-02T") {
				t.Errorf("%s, --strict: exit %d, %s", day, code, said)
			}
		}
	}
}
