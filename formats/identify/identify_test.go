package identify

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestOwn: the records that the first test of a built-in format reads are identified as
// of that format, or of one that is as likely.
func TestOwn(t *testing.T) {
	other := map[string]string{
		"csv_lax":   "csv",            // reads what is exact, and its test has none
		"lines":     "",               // demands nothing
		"postfix":   "syslog_rfc3164", // takes its columns apart
		"sshd":      "syslog_rfc3164",
		"gcs_usage": "gcs_usage", // is a CSV
		"pgcopy":    "mysql_tab", // has the same null token
	}
	for _, name := range formats.Names() {
		s, err := formats.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		input := readable(t, s.Program, s.Examples[0].Input)
		m, err := Bytes(context.Background(), []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		var best []string
		if len(m) > 0 {
			best = append(best, m[0].Name)
		}
		for _, tie := range m.Ties() {
			best = append(best, tie.Name)
		}
		if want, ok := other[name]; !slices.Contains(best, name) && !(ok && (want == "" || slices.Contains(best, want))) {
			t.Errorf("%s is taken for %v: %+v in %q", name, best, m[:min(len(m), 4)], input)
		}
	}
}

// readable is an input without the records that are rejected.
func readable(t *testing.T, p *dfa.Program, input string) string {
	r, err := runtime.ReadBytes([]byte(input), p, runtime.WithEngine(cpu.Engine), runtime.WithErrorMode(dfa.Reject),
		runtime.WithRejectHandler(func(rej *runtime.Reject) error {
			input = strings.Replace(input, string(rej.Raw)+"\n", "", 1)
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	return input
}

// TestNone: what no built-in format is of, and what csv and logfmt could read.
func TestNone(t *testing.T) {
	for what, text := range map[string]string{
		"nothing":              "",
		"prose":                "It was the best of times, it was the worst of times,\nit was the age of wisdom, it was the age of foolishness,\n",
		"lists of JSON":        `["ts", "2013-09-06T20:00:48Z"]` + "\n" + `["ts", "2013-09-06T20:00:49Z"]` + "\n",
		"one comma a line":     "DEBUG foo, 1\nWARN bar, 2\n",
		"values, no header":    "1,2,3\n4,5,6\n",
		"tabs, no header":      "a\t2\tx\nb\t5\ty\n",
		"a few pairs":          "user ann logged in from home with x=1\nuser joe logged in from work with x=2\n",
		"keys that are none":   "http://a/?x=1 http://b/?y=2\n",
		"a map in braces":      "{a=1.0/2.0/3.0, b=1.5/2.5/3.5, c=2.0/2.0/2.0}\n",
		"source code":          "func main() {\n\tx := 1\n\tfmt.Println(x)\n}\n",
		"bytes of a picture":   "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00",
		"a list of commands":   "ls -l\n# and\ncat a, b\n",
		"values in quotes":     "\"1.5\",\"2.5\"\n\"NaN\",\"1,000.00\"\n",
		"a few fields, quoted": "\" \",\"1\",\"12:00:00\"\n\"x\",\"1e-400\",\"12:00:00\"\n",
		"times in quotes":      "\"2024-01-02 00:00:00\"\n\"\"\n\"2024-01-02 12:30:15\"\n",
		"times after names":    "update-alternatives 2025-06-24 14:36:53: link group\n",
		"what git changed":     " runtime/directed_test.go     |   3 +++\n docs/studio.md               |   9 +++---\n 2 files changed, 12 insertions(+), 3 deletions(-)\n",
		"halves of days":       "2025-01-06 07:05:12 PM x starting\n2025-01-06 11:05:12 PM y done\n",
		"seconds since 1970":   "[1764493501] unbound[123:0] notice: init module 0: validator\n[1764493502] unbound[123:0] info: start\n",
		"a table in Markdown":  "| a | b |\n|---|---|\n| 1 | 2 |\n",
	} {
		m, err := Bytes(context.Background(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if m.Named() {
			t.Errorf("%s is taken for %+v", what, m[0])
		}
	}
}

// TestNamed: the format that demands more is named, and a part that cannot be read counts.
func TestNamed(t *testing.T) {
	const access = `192.0.2.1 - - [20/Jul/2009:22:59:26 +0000] "GET / HTTP/1.0" 200 134`
	for _, c := range []struct {
		what, text, want string
		read, records    int64
	}{
		{"the common log format", access + "\n" + access + "\n", "apache_common", 2, 2},
		{"the combined one", access + " \"-\" \"curl\"\n", "apache_combined", 1, 1},
		{"one bad line of three", access + "\n" + access + "\nx\n", "apache_common", 2, 3},
		{"a table", "id,name\n1,a\n2,b\n", "csv", 2, 2},
		{"a table with text in between", "id,name\n1,\"a,\nb\"\n2,b\n", "csv", 2, 2},
		{"pairs", "level=info msg=\"a b\" t=1\nlevel=warn msg=c t=2\n", "logfmt", 2, 2},
		{"JSON Lines", `{"ts": "2013-09-06T20:00:48Z", "msg": "a b", "n": 1}` + "\n" + `{"ts": "2013-09-06T20:00:49Z", "msg": "c d", "n": 2}` + "\n", "jsonl", 2, 2},
		{"a shell's history", "#1700000000\nls -l\n#1700000001\ncat a, b\n", "shell_history", 4, 4},
		{"times of the day", "10:22:40,672 DEBUG foo\n10:22:41,001 WARN bar\n", "generic_log_clock", 2, 2},
		{"a log of no name", "2024-01-02 03:04:05.678 one\n2024-01-02 03:04:06.000 two\n", "generic_log", 2, 2},
	} {
		m, err := Bytes(context.Background(), []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if !m.Named() || m[0].Name != c.want || m[0].Read != c.read || m[0].Records != c.records {
			t.Errorf("%s: %+v", c.what, m[:min(len(m), 3)])
		}
	}
	m, err := Bytes(context.Background(), []byte(access+" \"-\" \"curl\"\n"))
	if ties := m.Ties(); err != nil || len(ties) != 1 || ties[0].Name != "nginx" {
		t.Errorf("as good as the first: %+v, %v", ties, err)
	}
}

// TestSample: whole lines of the head, and of places further on.
func TestSample(t *testing.T) {
	var b bytes.Buffer
	for i := range 100000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	all := b.Bytes()
	got, err := Sample(bytes.NewReader(all), bytes.NewReader(all), int64(len(all)))
	if err != nil || len(got) > headSize+places*placeSize || len(got) < headSize+places*placeSize/2 {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	for line := range strings.Lines(string(got)) {
		var n int
		if _, err := fmt.Sscanf(line, "line %d\n", &n); err != nil || fmt.Sprintf("line %d\n", n) != line {
			t.Fatalf("%q is no line", line)
		}
	}
	if head, err := Sample(bytes.NewReader(all), nil, 0); err != nil || !bytes.HasPrefix(got, head) || len(head) > headSize {
		t.Errorf("the head alone: %d bytes, %v", len(head), err)
	}
	if short, err := Sample(strings.NewReader("a\nb"), nil, 0); err != nil || string(short) != "a\nb" {
		t.Errorf("%q, %v", short, err)
	}
}

// TestNamedFirst: a format that reads all goes before one that reads a part and demands more
// of it, and comments are no demands.
func TestNamedFirst(t *testing.T) {
	const text = `# Time: 2021-01-26T23:45:57.678222Z
# User@Host: owncloud[owncloud] @ localhost []  Id:     2
# Query_time: 0.011853  Lock_time: 0.011542  Rows_sent: 268  Rows_examined: 268  Rows_affected: 0
use owncloud;
SELECT 1, 2, 3;
`
	m, err := Bytes(context.Background(), []byte(text+strings.Repeat(text+"a b c d 1 2\n", 3)))
	if err != nil {
		t.Fatal(err)
	}
	if !m.Named() || m[0].Name != "mysql_slow" || m[0].Read != 4 {
		t.Errorf("%+v", m)
	}
}

// TestHeld: a log that holds the records of another format is of its own: what stands before these is nobody's address.
func TestHeld(t *testing.T) {
	const ingress = `172.18.0.1 - - [28/Jan/2022:16:04:05 +0000] "GET / HTTP/1.1" 200 13 "-" "a" 80 0.000 [b] [] 10.0.0.9:5678 13 0.000 200 c9` + "\n"
	for text, want := range map[string]string{ingress: "nginx_ingress", "2022-01-28T16:04:05.413656027Z stdout F " + ingress: "cri"} {
		m, err := Bytes(context.Background(), []byte(strings.Repeat(text, 3)))
		if err != nil {
			t.Fatal(err)
		}
		if !m.Named() || m[0].Name != want {
			t.Errorf("%q: %+v, want %s", text, m, want)
		}
	}
}

// TestRefined: formats that only take the columns of others apart are not named.
func TestRefined(t *testing.T) {
	for name, want := range map[string]bool{"sshd": true, "postfix": true, "syslog_rfc3164": false, "apache_combined": false} {
		if needs()[name].refined != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// TestLong: a long sample is identified as a short one is, also where only its end or its
// middle is of the format.
func TestLong(t *testing.T) {
	for _, name := range []string{"apache_combined", "syslog_rfc5424", "jsonl", "w3c", "mysql_slow", "log4j", "postgresql", "uwsgi"} {
		s, err := formats.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		input := readable(t, s.Program, s.Examples[0].Input)
		if !strings.HasSuffix(input, "\n") {
			input += "\n"
		}
		short, err := Bytes(context.Background(), []byte(input))
		if err != nil || !short.Named() {
			t.Fatalf("%s: %+v, %v", name, short, err)
		}
		many := strings.Repeat(input, 1+(128<<10)/len(input))
		prose := strings.Repeat("what nobody has described\n", 100)
		for what, long := range map[string]string{"alone": many, "behind prose": prose + many, "between prose": prose + many + prose} {
			if what != "alone" && s.Program.Header.Mode != dfa.NoHeader {
				continue
			}
			m, err := Bytes(context.Background(), []byte(long))
			if err != nil {
				t.Fatal(err)
			}
			if !m.Named() || m[0].Name != short[0].Name {
				t.Errorf("%s, %s: %+v, want %s", name, what, m[:min(len(m), 3)], short[0].Name)
			}
		}
	}
}

// TestBest: it is Bytes without what is behind the first and its ties, or is never named.
func TestBest(t *testing.T) {
	var texts []byte
	for i, name := range formats.Names() {
		s, err := formats.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(s.Examples[0].Input)
		if texts = append(texts, text...); i%10 == 9 {
			text, texts = texts, nil // of several formats, each of which reads some
		} else if i%5 > 0 {
			continue
		}
		all, err := Bytes(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		best, err := Best(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		all = slices.DeleteFunc(all, func(m Match) bool { return m.Share() < namedShare })
		if all.Named() {
			all = all[:1+len(all.Ties())]
		}
		if !slices.Equal(all, best) {
			t.Errorf("%q: %+v, and of all %+v", text, best, all)
		}
	}
}

// TestProse: a page of text with some lines of a log in it is no log; a log that begins within a record is.
func TestProse(t *testing.T) {
	const records = `2026-03-02 09:15:07.402 INFO  worker-3  shop.Orders   - order 17 taken
2026-03-02 09:16:44.007 ERROR worker-1  shop.Payments - card refused
2026-03-02 09:16:44.009 WARN  worker-2  shop.Payments - card asked for again
`
	prose := strings.Repeat("It says what it has read, and what it has left out.\n", 12)
	for _, c := range []struct {
		sample string
		log    bool
	}{
		{prose + records, false},
		{prose + records + prose[:len(prose)/2], false},
		{prose[:len(prose)/6] + strings.Repeat(records, 3) + prose[:len(prose)/2], true},
		{prose + strings.Repeat(records, 8), true},
		{strings.Repeat(prose, 5) + records + strings.Repeat(prose, 11), false},
		{strings.Repeat(records, 8), true},
	} {
		m, err := Best(context.Background(), []byte(c.sample))
		if err != nil {
			t.Fatal(err)
		}
		if log := m.Named() && strings.HasPrefix(m[0].Name, "generic_log"); log != c.log {
			t.Errorf("%v in %q", m, c.sample)
		}
	}
}

// TestReadsNone: a format of which the automaton says that it reads no record of a text reads none.
func TestReadsNone(t *testing.T) {
	names, sure := formats.Names(), 0
	for i, of := range names {
		s, err := formats.Spec(of)
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(s.Examples[0].Input)
		for j, name := range names {
			if (i+j)%5 != 0 && i != j {
				continue
			}
			p, err := formats.Program(name)
			if err != nil {
				t.Fatal(err)
			}
			if !readsNone(p, text) {
				continue
			}
			sure++
			if taken, stats, err := take(context.Background(), p, text); err == nil && taken != nil && stats.Rows > 0 {
				t.Errorf("%s reads %d records of %q", name, stats.Rows, text)
			}
		}
	}
	if sure < len(names) {
		t.Errorf("of %d formats none reads a record for sure", sure)
	}
}
