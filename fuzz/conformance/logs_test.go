package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats/identify"
	"github.com/dfaparse/dfaparse/internal/golden"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// What has to hold of the logs.
const (
	enough        = 0.98 // of a file's records, for its format to count as one that reads it
	leastRead     = 105  // files that have such a format
	leastNamed    = 0.95 // of those are named rightly by identify
	logsListed    = 118
	undemanding   = "lines" // reads every text, and is never named
	tableOfLogs   = "lnav"
	documentation = "docs/conformance.md"
)

// logFile is a file of lnav's tests, as lnav.txt has it.
type logFile struct{ name, format, reason string }

func logFiles(t *testing.T) (files []logFile) {
	t.Helper()
	b, err := os.ReadFile("lnav.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		format, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
		files = append(files, logFile{name, format, strings.TrimSpace(reason)})
	}
	return files
}

// TestLogs reads the logs of lnav's tests, each with the built-in format that it is of, and
// asks identify for that format.
func TestLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("every file with every format")
	}
	folder := filepath.Join(corporaFolder(t), "lnav")
	files := logFiles(t)
	if len(files) != logsListed {
		t.Errorf("%d files are listed, not %d", len(files), logsListed)
	}
	var table strings.Builder
	table.WriteString("| file | built-in | records | read | `identify` says | why not |\n|---|---|---|---|---|---|\n")
	read, named := 0, 0
	for _, f := range files {
		in, err := os.ReadFile(filepath.Join(folder, f.name))
		if err != nil {
			t.Fatal(err)
		}
		m, err := identify.Bytes(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		answer, right := "nothing", f.format == "-"
		if m.Named() {
			answer, right = "`"+m[0].Name+"`", m[0].Name == f.format
			if right {
				answer = "it"
			}
			for _, tie := range m.Ties() {
				if tie.Name == f.format && !right {
					answer, right = answer+" or it", true
				}
			}
			if name := m[0].Name; !right && (name == "csv" || name == "csv_lax" || name == "logfmt") {
				t.Errorf("%s is no %s", f.name, name)
			}
		}
		if f.format == "-" {
			if f.reason == "" {
				t.Errorf("%s has no format, and nothing says why", f.name)
			}
			fmt.Fprintf(&table, "| %s | | | | %s | %s |\n", f.name, answer, f.reason)
			continue
		}
		p := program(t, f.format)
		all, good := share(t, p, in)
		whole := all > 0 && float64(good) >= enough*float64(all)
		if whole == (f.reason != "") {
			t.Errorf("%s: %s reads %d of %d records, and the reason is %q", f.name, f.format, good, all, f.reason)
		}
		if whole {
			read++
			if right || f.format == undemanding && answer == "nothing" {
				named++
			} else {
				t.Logf("%s is of %s; identify says %s: %+v", f.name, f.format, answer, m[:min(len(m), 4)])
			}
		}
		fmt.Fprintf(&table, "| %s | `%s` | %d | %s | %s | %s |\n", f.name, f.format, all, percent(good, all), answer, f.reason)
	}
	head := fmt.Sprintf("%d of %d files have a built-in format that reads at least %.0f%% of their records; `identify` names it for %d of these.\n\n",
		read, len(files), 100*enough, named)
	t.Log(head)
	if read < leastRead {
		t.Errorf("%d files are read, fewer than %d", read, leastRead)
	}
	if float64(named) < leastNamed*float64(read) {
		t.Errorf("identify is right for %d of %d", named, read)
	}
	inDocument(t, tableOfLogs, head+table.String())
}

func percent(part, all int64) string {
	if all == 0 {
		return ""
	}
	if part == all {
		return "all"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(all))
}

// share is how many of the records of an input a format reads with all their values.
func share(t *testing.T, p *dfa.Program, in []byte) (all, good int64) {
	t.Helper()
	r, err := runtime.ReadBytes(in, p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1), runtime.WithErrorMode(dfa.Reject))
	if err != nil {
		return 0, 0 // a file without a header, for one
	}
	defer r.Release()
	for r.Next() {
	}
	s := r.Stats()
	if r.Err() != nil {
		t.Logf("%s: %v", p.Name, r.Err())
		return s.Records, 0
	}
	return s.Records, s.Rows
}

// corporaFolder is where the real files are; without them the test is skipped.
func corporaFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("DFAPARSE_CORPORA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no real files: %v", err)
	}
	return folder
}

// inDocument holds the part of the document between <!-- logs: NAME --> and <!-- end --> to
// what the test found, or writes it.
func inDocument(t *testing.T, name, content string) {
	t.Helper()
	file := filepath.Join("..", "..", filepath.FromSlash(documentation))
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mark := "<!-- logs: " + name + " -->\n"
	place := regexp.MustCompile("(?s)" + regexp.QuoteMeta(mark) + ".*?<!-- end -->")
	if !place.Match(b) {
		t.Fatalf("%s has no %s", documentation, mark)
	}
	now := place.ReplaceAllLiteral(b, []byte(mark+content+"<!-- end -->"))
	switch {
	case slices.Equal(now, b):
	case *golden.Update:
		if err := os.WriteFile(file, now, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s: the table %s is not what is found; go test ./fuzz/conformance -run %s -update writes it", documentation, name, t.Name())
	}
}
