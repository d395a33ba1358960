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
