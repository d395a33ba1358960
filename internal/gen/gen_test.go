package gen

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func generate(t testing.TB, kind string, size int64, seed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, kind, size, seed); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The bytes are a promise: benchmarks are compared across versions.
func TestStable(t *testing.T) {
	want := map[string]string{ // the first 8 bytes of the SHA-256 of 1 MiB, seed 7
		"taxi":           "38dff756d1c231f3",
		"yelp":           "1e8dacd76d7fbbc9",
		"lineitem":       "f91ffc927a7712fa",
		"combined":       "3bd5b7b67155300f",
		"1brc":           "b82869641590df6f",
		"haproxy":        "24bb8f350f6423d8",
		"syslog":         "ca3951d5523e5d7e",
		"java":           "8a6064b59a290320",
		"java_multiline": "89d0eaeb87ef9110",
		"auditd":         "c9ff55b5dc56f646",
		"fixed":          "db8cf53aa8609ae5",
		"postgres":       "7163f5ba6f443c40",
		"klog":           "83952ccf0c3f3725",
		"syslog_rfc5424": "39ea0fa3a3835b3d",
		"w3c":            "35a8aa3616682977",
		"logfmt":         "c4a4a4fc7724036d",
		"ticks":          "7611be3f8fa7578e",
		"torture":        "ed1f01518042b552",
	}
	for _, kind := range Kinds() {
		sum := sha256.Sum256(generate(t, kind, 1<<20, 7))
		if got := hex.EncodeToString(sum[:8]); got != want[kind] {
			t.Errorf("%s: digest %s, want %s", kind, got, want[kind])
		}
	}
}

func TestSize(t *testing.T) {
	for _, kind := range Kinds() {
		const size = 1 << 20
		b := generate(t, kind, size, 1)
		if len(b) > size || len(b) < size-80000 {
			t.Errorf("%s: %d bytes, want up to %d", kind, len(b), size)
		}
		if kind == "ticks" {
			continue // binary
		}
		if b[len(b)-1] != '\n' {
			t.Errorf("%s: ends in %q", kind, b[len(b)-20:])
		}
		if !utf8.Valid(b) {
			t.Errorf("%s: invalid UTF-8", kind)
		}
		if longer := generate(t, kind, 2*size, 1); !bytes.HasPrefix(longer, b) {
			t.Errorf("%s: a longer file does not begin with the shorter", kind)
		}
		if bytes.Equal(b, generate(t, kind, size, 2)) {
			t.Errorf("%s: the seed does not matter", kind)
		}
	}
}

func TestDelimited(t *testing.T) {
	for _, c := range []struct {
		kind    string
		comma   rune
		columns int
		average int // bytes a record
	}{
		{"taxi", ',', 17, 88},
		{"yelp", ',', 9, 720},
		{"lineitem", '|', 17, 126}, // the 17th is the nothing after the last '|'
		{"1brc", ';', 2, 14},
		{"torture", ',', 3, 55000},
	} {
		b := generate(t, c.kind, 4<<20, 1)
		r := csv.NewReader(bytes.NewReader(b))
		r.Comma = c.comma
		r.FieldsPerRecord = c.columns
		rows, err := r.ReadAll()
		if err != nil {
			t.Errorf("%s: %v", c.kind, err)
			continue
		}
		if got := len(b) / len(rows); got < c.average*9/10 || got > c.average*11/10 {
			t.Errorf("%s: %d bytes a record, want about %d", c.kind, got, c.average)
		}
	}
}

func TestTaxi(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(generate(t, "taxi", 1<<20, 1))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ",") + "\n"; got != taxiHeader {
		t.Errorf("header %q", got)
	}
	distance := regexp.MustCompile(`^[0-9]*\.[0-9][0-9]$`)
	for i, row := range rows[1:] {
		for _, k := range []int{1, 2} {
			if _, err := time.Parse(time.DateTime, row[k]); err != nil {
				t.Fatalf("row %d: %v", i, err)
			}
		}
		if !distance.MatchString(row[4]) {
			t.Fatalf("row %d: distance %q", i, row[4])
		}
	}
}

func TestYelpText(t *testing.T) {
	b := generate(t, "yelp", 1<<20, 1)
	for _, part := range []string{"\n\n", `""`, ", "} {
		if !bytes.Contains(b, []byte(part)) {
			t.Errorf("no %q", part)
		}
	}
}

func TestCombined(t *testing.T) {
	b := generate(t, "combined", 4<<20, 1)
	line := regexp.MustCompile(`^\S+ - \S+ \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000\] "([^"\\]|\\.)*" \d{3} (\d+|-) "([^"\\]|\\.)*" "([^"\\]|\\.)*"$`)
	for i, l := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		if !line.MatchString(l) {
			t.Fatalf("line %d: %s", i+1, l)
		}
	}
	if !bytes.Contains(b, []byte(`\"`)) || !bytes.Contains(b, []byte(` 304 - `)) {
		t.Error("no escaped quote or no - for the bytes")
	}
}

func TestTorture(t *testing.T) {
	b := generate(t, "torture", 0, 1)
	if len(b) < 65e6 {
		t.Errorf("%d bytes, want at least 65 MB", len(b))
	}
	r := csv.NewReader(bytes.NewReader(b))
	r.ReuseRecord = true
	ids := map[string]bool{}
	for n := 0; ; n++ {
		row, err := r.Read()
		if err == io.EOF {
			if n != 1301 {
				t.Errorf("%d records with the header, want 1301", n)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(row[1], "\n"); n > 0 && lines != tortureLines {
			t.Fatalf("record %d: %d lines", n, lines)
		}
		ids[strings.Clone(row[0])] = true
	}
	if len(ids) != 1301 {
		t.Errorf("%d distinct ids with the header's, want 1301", len(ids))
	}
}

func TestStations(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range newStations().all {
		if s.name == "" || seen[s.name] || strings.ContainsAny(s.name, ";\n\t\"") || len(s.name) > 100 {
			t.Errorf("station %q", s.name)
		}
		seen[s.name] = true
	}
	if len(seen) < 300 {
		t.Errorf("%d stations", len(seen))
	}
	line := regexp.MustCompile(`^[^;]+;-?[0-9]{1,2}\.[0-9]$`)
	for i, l := range strings.Split(strings.TrimSpace(string(generate(t, "1brc", 1<<20, 1))), "\n") {
		if !line.MatchString(l) {
			t.Fatalf("line %d: %s", i+1, l)
		}
	}
}

func TestCivil(t *testing.T) {
	for day := range 40000 {
		want := time.Unix(int64(day)*86400, 0).UTC()
		if y, m, d := civil(day); y != want.Year() || m != int(want.Month()) || d != want.Day() {
			t.Fatalf("day %d: %d-%d-%d, want %s", day, y, m, d, want.Format(time.DateOnly))
		}
	}
}

func TestUnknownKind(t *testing.T) {
	err := Write(io.Discard, "taxis", 1, 1)
	if err == nil || !strings.Contains(err.Error(), "taxi, yelp") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, kind := range Kinds() {
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(16 << 20)
			for range b.N {
				if err := Write(io.Discard, kind, 16<<20, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
