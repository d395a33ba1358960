package identify

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/formats"
)

// TestBeginnings: the first line, two and three of what a format reads are of no other format, but
// for those that read them with as good a reason.
func TestBeginnings(t *testing.T) {
	others := map[string][]string{
		"csv":         {"csv_lax"},
		"gcs_usage":   {"csv"},
		"pgcopy":      {"tsv", "mysql_tab"},
		"sshd":        {"syslog_rfc3164"},
		"postfix":     {"syslog_rfc3164"},
		"docker_json": {"jsonl"},
	}
	for _, name := range formats.Names() {
		s, err := formats.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		input := readable(t, s.Program, s.Examples[0].Input)
		for n := 1; n <= 3; n++ {
			text := strings.Join(strings.SplitAfterN(input, "\n", n+1)[:min(n, strings.Count(input, "\n"))], "")
			m, err := Bytes(context.Background(), []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if !m.Named() {
				continue
			}
			best := []string{m[0].Name}
			for _, tie := range m.Ties() {
				best = append(best, tie.Name)
			}
			if !slices.Contains(best, name) && !slices.Contains(others[name], m[0].Name) && !strings.HasPrefix(m[0].Name, "generic_log") {
				t.Errorf("%s is taken for %v: %+v in %q", name, best, m[0], text)
			}
		}
	}
}

// TestShort: a few lines of other tables, of text and of bytes are of no format, but tables that
// have their names, and messages with the time of day.
func TestShort(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 1))
	word := func() string {
		return []string{"alpha", "beta", "ann", "joe", "oslo", "red", "yes", "no", "on", "start", "error", "info", "user", "host"}[r.IntN(14)]
	}
	cells := []func() string{
		word,
		func() string { return word() + " " + word() },
		func() string { return "/" + word() + "/" + word() },
		func() string { return fmt.Sprint(r.IntN(100)) },
		func() string { return fmt.Sprint(r.IntN(2_000_000_000)) },
		func() string { return fmt.Sprintf("%.2f", r.Float64()*1000) },
		func() string { return fmt.Sprintf("2024-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)) },
		func() string { return fmt.Sprintf("%02d:%02d:%02d", r.IntN(24), r.IntN(60), r.IntN(60)) },
		func() string { return fmt.Sprintf("%d.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256)) },
		func() string { return fmt.Sprintf("%x", r.Uint64()) },
		func() string { return "-" },
		func() string { return "" },
	}
	table := func() string {
		sep := []string{" ", "  ", "\t", ",", ";", "|", ":", " | ", "   ", ", "}[r.IntN(10)]
		kinds := make([]int, 1+r.IntN(9))
		for i := range kinds {
			kinds[i] = r.IntN(len(cells))
		}
		var b strings.Builder
		for range 1 + r.IntN(3) {
			for i, kind := range kinds {
				b.WriteString(strings.Repeat(sep, min(i, 1)) + cells[kind]())
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	symbols := func() string {
		of := []string{"abcdefgh XYZ0123456789.,:;-_/=[]()\"'\n\t#@", "\x00\x01\x02\xff\x80abc \n", "a1 \n:=-/", "0123456789 \n", "#\n abc=/:", "\n\n\n \t"}[r.IntN(6)]
		b := make([]byte, []int{1, 2, 3, 5, 10, 20, 50, 100, 1000}[r.IntN(9)])
		for i := range b {
			b[i] = of[r.IntN(len(of))]
		}
		return string(b)
	}
	records := func() string {
		var b []byte
		size, fill := 4+r.IntN(28), []byte{0, ' ', '\n', 0xFF}[r.IntN(4)]
		for i := range 1 + r.IntN(4) {
			record := binary.LittleEndian.AppendUint32(nil, uint32(i))
			for len(record) < size {
				record = append(record, fill)
			}
			b = append(b, record...)
		}
		return string(b)
	}
	named := map[string]bool{"csv": true, "csv_lax": true, "tsv": true, "generic_log_clock": true, "bed": true, "group": true} // which such a line may be of
	for i := range 450 {
		text := []func() string{table, symbols, records}[i%3]()
		m, err := Bytes(context.Background(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if m.Named() && !named[m[0].Name] {
			t.Errorf("taken for %+v: %q", m[0], text)
		}
	}
	for what, text := range map[string]string{
		"a licence":               "                                 Apache License\n                           Version 2.0, January 2004\n",
		"two records of one byte": "a\x00\x00\x00b\x00\x00\x00",
		"empty lines":             "'1\x10b;bob\n" + strings.Repeat("\n", 2000),
		"times between colons":    "a:07:08:09:10:b:c\n",
		"nothing between commas":  ",,,,,,,,,,,,,,,,,,,,,,,\n",
		"nothing between tabs":    "\t-\t62\t11.99\t\t19\t2024-09-07\t87\n",
		"dashes between blanks":   " - 15:19:23 - lima -\n - 13:58:54 - gamma -\n",
		"figures":                 "96258414251978\n6835\n",
		"figures and words":       "61    -  2ef6e40a5242f1aa  95  61\n66    -  a54fc637a7ba0b97  93  41\n",
		"a text and a bar":        "\"HYDRONIC GMBH\"                                                      |x\n",
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

// TestLikely: of formats that read a text alike, the one is named whose columns have values, and not
// a child before its parent.
func TestLikely(t *testing.T) {
	for text, want := range map[string]string{
		"2024-03-05 10:11:12 dance libfoo 1\n":                                                                                 "generic_log",
		"Nov  3 09:23:38 veridian automount[7998]: lookup for foobar failed\n":                                                 "syslog_rfc3164",
		"2026-11-30T09:15:01.123Z [INFO]  agent: Started: address=a\n2026-11-30T09:15:02.123Z [WARN]  agent: x\n":              "generic_log_zone",
		"2024-03-05T10:11:12+01:00 [2001:db8::7] sshd[7]: no\n":                                                                "syslog_iso",
		"Nov  3 09:15:01 router1: %SYS-5-CONFIG_I: Configured\nNov  3 09:15:02 router1: %SYS-5-CONFIG_I: Configured\n":         "syslog_rfc3164",
		"2024-03-05T10:11:12Z host.a: sshd[7]: no\n2024-03-05T10:11:13Z host.a: cron[7]: no\n":                                 "syslog_iso",
		"Nov  3 09:15:01 [192.0.2.7] sshd[7]: no\nNov  3 09:15:02 [192.0.2.7] cron[7]: no\n":                                   "syslog_rfc3164",
		"Nov  3 09:15:01 imap: Info: Login: a\nNov 30 09:15:02 auth: Error: b\n":                                               "generic_log_month",
		"août 19 11:08:37 nlaptop ann[4961]: test\n":                                                                           "syslog_fr",
		"UUID=ab  /  ext4  errors=remount-ro  0  1\ntmpfs /tmp tmpfs defaults 0 0\n":                                           "fstab",
		"proc /proc proc rw,nosuid 0 0\n":                                                                                      "fstab",
		"# m h  dom mon dow   command\n0 5 * * 1 tar -zcf /home\n*/15 * * * * /bin/x --all\n@reboot /bin/y\n":                  "crontab",
		"tcpmux\t\t1/tcp\t\t# multiplexer\necho\t\t7/tcp\n":                                                                    "services",
		"Listing...\nadduser/stable,now 3.134 all [installed]\n":                                                               "apt_list",
		"||/ Name    Version  Architecture Description\n+++-=====-====-====-======\nii  apt  2.6.1  amd64  manages packages\n": "dpkg_list",
		"root:x:0:0:root:/root:/bin/bash\n":                                                                                    "passwd",
	} {
		m, err := Bytes(context.Background(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if !m.Named() || m[0].Name != want {
			t.Errorf("%q: %+v, want %s", text, m[:min(len(m), 2)], want)
		}
	}
}
