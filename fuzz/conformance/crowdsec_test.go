package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// leastAgreed is the share of values that have to be those of parser.assert.
const leastAgreed = 0.98

// assertedLog is a log of crowdsec's tests, as crowdsec.txt has it.
type assertedLog struct {
	folder, stage string
	lines         bool // the records are lines of the log; else messages of the stage
	formats       []string
	columns       map[string]string // by key; "": no value of the record
	misses        map[int]string    // why, by record
}

func assertedLogs(t *testing.T) (logs []*assertedLog) {
	t.Helper()
	b, err := os.ReadFile("crowdsec.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		switch words[0] {
		case "#":
		case "log":
			logs = append(logs, &assertedLog{words[1], words[2], words[3] == "line", words[4:], map[string]string{}, map[int]string{}})
		case "-":
			for _, key := range words[1:] {
				logs[len(logs)-1].columns[key] = ""
			}
		case "miss":
			i, err := strconv.Atoi(words[1])
			if err != nil {
				t.Fatal(err)
			}
			logs[len(logs)-1].misses[i] = strings.Join(words[2:], " ")
		default:
			logs[len(logs)-1].columns[words[0]] = words[1]
		}
	}
	return logs
}

var asserted = regexp.MustCompile(`^results\["([^"]+)"\]\["([^"]+)"\]\[(\d+)\]\.Evt\.Parsed\["([^"]+)"\] == (".*")$`)

// assertions are the values of keys by record.
func (l *assertedLog) assertions(t *testing.T, folder string) map[int]map[string]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, l.folder, "parser.assert"))
	if err != nil {
		t.Fatal(err)
	}
	of := map[int]map[string]string{}
	for line := range strings.Lines(string(b)) {
		m := asserted.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || m[1]+"/"+m[2] != l.stage {
			continue
		}
		i, _ := strconv.Atoi(m[3])
		value, err := strconv.Unquote(m[5])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if of[i] == nil {
			of[i] = map[string]string{}
		}
		of[i][m[4]] = value
	}
	return of
}

// TestCrowdsec reads the logs of crowdsec's tests, and compares what its own parsers found in them.
func TestCrowdsec(t *testing.T) {
	folder := filepath.Join(corporaFolder(t), "crowdsec")
	var table, why strings.Builder
	all, agree, byOwn := 0, 0, 0
	for _, l := range assertedLogs(t) {
		files, err := filepath.Glob(filepath.Join(folder, l.folder, "*.log"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		b, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.DeleteFunc(strings.Split(string(b), "\n"), func(s string) bool { return strings.TrimSpace(s) == "" })
		records, own, agreed := l.assertions(t, folder), 0, 0
		used := map[string]bool{}
		for i := range len(records) {
			text := records[i]["message"]
			if l.lines {
				text = lines[i]
			}
			row, format := l.read(t, text)
			if row == nil && len(lines) == len(records) { // the message is what the stage made of it
				text = lines[i]
				row, format = l.read(t, text)
			}
			used[format] = true
			bad := 0
			for key, want := range records[i] {
				column, known := l.columns[key]
				switch {
				case !known:
					t.Errorf("%s: nothing says which column holds %s", l.folder, key)
				case column == "" || want == "" && row == nil:
				default:
					own++
					name, layout, _ := strings.Cut(column, "@")
					if got, ok := cell(row, name); same(got, ok, want, layout) {
						agreed++
						if strings.HasPrefix(format, ownFormat) {
							byOwn++
						}
					} else {
						bad++
						t.Logf("%s, record %d: %s is %q here, and %q there", l.folder, i, key, got, want)
					}
				}
			}
			if (bad > 0) != (l.misses[i] != "") {
				t.Errorf("%s, record %d: %d values differ, and the reason is %q: %s", l.folder, i, bad, l.misses[i], text)
			}
			if bad > 0 {
				fmt.Fprintf(&why, "| %s | %d | %d | %s |\n", l.folder, i+1, bad, l.misses[i])
			}
		}
		var names []string
		for _, f := range l.formats {
			if used[f] {
				names = append(names, "`"+strings.TrimPrefix(f, ownFormat)+"`")
			}
		}
		fmt.Fprintf(&table, "| %s | %s | %d | %d | %s |\n", l.folder, strings.Join(names, " "), len(records), own, percent(int64(agreed), int64(own)))
		all, agree = all+own, agree+agreed
	}
	if float64(agree) < leastAgreed*float64(all) {
		t.Errorf("%d of %d values are those of crowdsec", agree, all)
	}
	head := fmt.Sprintf("%d of %d values agree, %.1f%%: %d as built-in formats read them, %d as formats of the configuration do.\n\n| log | read by | records | values | agree |\n|---|---|---|---|---|\n", agree, all, 100*float64(agree)/float64(all), agree-byOwn, byOwn)
	inDocument(t, "crowdsec", head+table.String()+"\n| log | record | values that differ | why |\n|---|---|---|---|\n"+why.String())
}

// ownFormat stands before the names of formats of specs/crowdsec.dfp.
const ownFormat = "own:"

func crowdsecProgram(t *testing.T, name string) *dfa.Program {
	t.Helper()
	own, is := strings.CutPrefix(name, ownFormat)
	if !is {
		return program(t, name)
	}
	src, err := os.ReadFile(filepath.Join("specs", "crowdsec.dfp"))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := compile.Compile("crowdsec.dfp", src, compile.WithFormat(own))
	if err != nil {
		t.Fatal(err)
	}
	return spec.Program
}

// read gives the columns of the one record that text is, by the first format that reads it.
func (l *assertedLog) read(t *testing.T, text string) (row map[string]*string, format string) {
	t.Helper()
	for _, name := range l.formats {
		r, err := runtime.ReadBytes([]byte(text+"\n"), crowdsecProgram(t, name), runtime.WithEngine(cpu.Engine), runtime.WithThreads(1), runtime.WithErrorMode(dfa.Reject),
			runtime.WithBaseTime(time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC)))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
			rec := r.Record()
			if rec.NumRows() != 1 {
				continue
			}
			row = map[string]*string{}
			for c, f := range rec.Schema().Fields() {
				row[f.Name] = nil
				if a := rec.Column(c); a.IsValid(0) {
					s := string(render.AppendText(nil, f, a, 0))
					row[f.Name] = &s
				}
			}
		}
		r.Release()
		if row != nil {
			return row, name
		}
	}
	return nil, ""
}

// cell is the text of a column, or of what a map in it has for a key; ok is false where it is null. Of several
// columns, that of each format, it is the first that there is.
func cell(row map[string]*string, names string) (text string, ok bool) {
	name := names
	for n := range strings.SplitSeq(names, "|") {
		column, _, _ := strings.Cut(n, ".")
		if _, is := row[column]; is {
			name = n
			break
		}
	}
	name, key, inMap := strings.Cut(name, ".")
	v := row[name]
	if v == nil || !inMap {
		return deref(v), v != nil
	}
	var m map[string]*string
	if json.Unmarshal([]byte(*v), &m) != nil || m[key] == nil {
		return "", false
	}
	if s := ""; json.Unmarshal([]byte(*m[key]), &s) == nil {
		return s, true // a value of JSON in a map of texts
	}
	return *m[key], *m[key] != "null"
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// timesThere are the layouts of times in parser.assert.
var timesThere = map[string]string{"clf": "02/Jan/2006:15:04:05 -0700", "haproxy": "02/Jan/2006:15:04:05.000", "apache": "Mon Jan _2 15:04:05.000000 2006", "rfc3339": time.RFC3339Nano, "syslog": "Jan _2 15:04:05"}

// pairsOf is a map that is shown as JSON, as pairs with blanks between.
func pairsOf(object string) string {
	d := json.NewDecoder(strings.NewReader(object))
	var text strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return text.String()
		}
		if key, isText := token.(string); isText {
			var value string
			if d.Decode(&value) != nil {
				return ""
			}
			if text.Len() > 0 {
				text.WriteByte(' ')
			}
			text.WriteString(key + "=" + value)
		}
	}
}

// same reports whether a value is what crowdsec has, who writes "-" for null and leaves numbers as they stand.
func same(got string, ok bool, want, layout string) bool {
	if !ok {
		return want == "" || want == "-"
	}
	if layout == "" {
		x, errX := strconv.ParseFloat(got, 64)
		y, errY := strconv.ParseFloat(want, 64)
		return got == want || errX == nil && errY == nil && x == y
	}
	if layout == "ms" {
		return got == want || got == want+"ms"
	}
	if layout == "pairs" {
		return pairsOf(got) == want
	}
	var theirs time.Time
	for name := range strings.SplitSeq(layout, "|") {
		if at, err := time.Parse(timesThere[name], want); err == nil {
			theirs = at
		}
	}
	if theirs.IsZero() {
		return false
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00"} {
		if ours, err := time.Parse(form, got); err == nil {
			if layout == "syslog" { // which has no year
				return ours.Format(timesThere[layout]) == theirs.Format(timesThere[layout])
			}
			return ours.Equal(theirs)
		}
	}
	return false
}
