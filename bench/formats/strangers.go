package main

import (
	"bytes"
	"embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// Formats as people write them for files of their own, which nobody had in mind who made
// the engine: they are measured beside the others, so that what is slow about them shows.
//
//go:embed spec/*.dfp
var specs embed.FS

var strangers = []sample{
	{"service", "a message at the end of each line", records("", serviceLine)},
	{"worker", "lines that go on, with blank ones", records("", workerLine)},
	{"worker", "the same, with CR LF", crlf(records("", workerLine))},
	{"java_multiline", "`gen java_multiline` with CR LF", crlf(generated("java_multiline", nil))},
	{"w3c", "`gen w3c`, its directives again after every 5,000 lines", generated("w3c", headAgain)},
	{"wide", "25 columns of all kinds", records("", wideLine)},
	{"ps", "what `ps aux` prints", records("USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n", processLine)},
	{"stars", "ten columns of numbers, padded by blanks", records("", starLine)},
	{"jobs", "columns padded by blanks, as a template", records("", jobLine)},
	{"settings", "keys and values, three lines in ten others", records("", settingLine)},
	{"genes", "tabs, and keys with values in quotes", records("", geneLine)},
	{"atoms", "records of three kinds, cut by widths", records("", atomLine)},
	{"inventory", "blanks behind separators, or none", records("", inventoryLine)},
	{"orders", "five columns, all in quotes", records("", orderLine)},
	{"people", "five columns, one in quotes", records("", personLine)},
	{"cities", "two columns, one in quotes", records("", cityLine)},
	{"frame", "a data frame as Python writes it, floats with all their digits", records("id,x,y,share,rate\n", frameLine)},
	{"expenses", "dates with one or two digits, as spreadsheets write them", records("date,who,amount,paid\n", expenseLine)},
	{"jsonl", "a log of objects of 12 to 15 keys, some of them nested", records("", objectLine)},
	{"json", "the same in a list", listed(records("", objectLine))},
	{"objects", "the same, an object a line, by columns", records("", objectLine)},
	{"nested", "a table of 160 states, brackets 3 deep on average", records("", gen.NestedLine)},
}

// source is the text of a format's spec.
func source(format string) (text []byte, err error) {
	if format == "nested" {
		return gen.NestedSpec(40), nil
	}
	if text, err = specs.ReadFile("spec/" + format + ".dfp"); err != nil {
		return gen.Source(format)
	}
	return text, nil
}

// spec compiles a format, its tests as well.
func spec(format string) (*compile.Spec, error) {
	if slices.Contains(gen.AllFormats(), format) {
		return gen.Spec(format)
	}
	text, err := source(format)
	if err != nil {
		return nil, err
	}
	return (&formats.Found{Name: format, File: format + ".dfp", Source: text}).Compile(nil)
}

// records is lines that differ, after a head: the same for the same number of bytes.
func records(head string, line func(b []byte, i int, r *rand.Rand) []byte) func(int) ([]byte, error) {
	return func(nbytes int) ([]byte, error) {
		r := rand.New(rand.NewPCG(1, 2))
		b := append(make([]byte, 0, nbytes+4096), head...)
		for i := 0; len(b) < nbytes; i++ {
			b = line(b, i, r)
		}
		return b, nil
	}
}

// headAgain is a log that is begun anew after every so many lines: what stands at its head comes
// again.
func headAgain(log []byte) []byte {
	head := log[:bytes.LastIndexByte(log[:bytes.LastIndex(log, []byte("\n#"))+2], '\n')+1]
	head = head[:len(head)+bytes.IndexByte(log[len(head):], '\n')+1]
	var b []byte
	n := 0
	for line := range bytes.Lines(log[len(head):]) {
		if n%5000 == 0 {
			b = append(b, head...)
		}
		n++
		b = append(b, line...)
	}
	return b
}

// crlf is what of writes, with CR LF for LF.
func crlf(of func(int) ([]byte, error)) func(int) ([]byte, error) {
	return func(nbytes int) ([]byte, error) {
		b, err := of(nbytes)
		return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")), err
	}
}

// listed is a list of JSON of the objects that of writes line by line.
func listed(of func(int) ([]byte, error)) func(int) ([]byte, error) {
	return func(nbytes int) ([]byte, error) {
		b, err := of(nbytes)
		b = bytes.ReplaceAll(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"), []byte(",\n  "))
		return slices.Concat([]byte("[\n  "), b, []byte("\n]\n")), err
	}
}

var someWords = strings.Fields(`cart order paid: items retry [cache] miss for key=a/b after "timeout" of the upstream
	(attempt connection reset by peer shard 7 rebalanced), lag=120 offset committed — größer als erwartet`)

func someText(b []byte, least, most int, r *rand.Rand) []byte {
	for i := range least + r.IntN(most-least) {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, someWords[r.IntN(len(someWords))]...)
	}
	return b
}

func oneOf(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

var firstLine = time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)

func frameLine(b []byte, i int, r *rand.Rand) []byte {
	b = strconv.AppendInt(b, int64(i), 10)
	for _, v := range []float64{r.Float64(), r.NormFloat64(), r.Float64() * 1000, r.ExpFloat64() * 1e-6} {
		b = append(b, ',')
		if v < 1e-4 && v > -1e-4 { // as Python does
			b = strconv.AppendFloat(b, v, 'e', -1, 64)
		} else {
			b = strconv.AppendFloat(b, v, 'f', -1, 64)
		}
	}
	return append(b, '\n')
}

func expenseLine(b []byte, i int, r *rand.Rand) []byte {
	at := firstLine.AddDate(0, 0, -r.IntN(9000))
	b = at.AppendFormat(b, "1/2/2006,")
	b = fmt.Appendf(b, "%s,%d.%02d,", oneOf(r, "Ana", "Boris", "Chiara", "Dmitri", "Eve"), r.IntN(2000), r.IntN(100))
	return at.AddDate(0, 0, r.IntN(60)).AppendFormat(b, "1/2/2006\n")
}

func serviceLine(b []byte, i int, r *rand.Rand) []byte {
	at := firstLine.Add(time.Duration(i)*13*time.Millisecond + time.Duration(r.IntN(12e6)))
	b = at.AppendFormat(b, "2006-01-02T15:04:05.000000Z")
	b = fmt.Appendf(b, " %s %s[%d] user=", oneOf(r, "DEBUG", "INFO", "INFO", "INFO", "WARN", "ERROR"), oneOf(r, "checkout", "search", "mail", "auth"), 1+r.IntN(30000))
	if r.IntN(5) == 0 {
		b = append(b, '-')
	} else {
		b = fmt.Appendf(b, "%d", r.IntN(1e6))
	}
	b = fmt.Appendf(b, " took=%d.%dms: ", r.IntN(300), r.IntN(1000))
	return append(someText(b, 2, 16, r), '\n')
}

func objectLine(b []byte, i int, r *rand.Rand) []byte {
	at := firstLine.Add(time.Duration(i)*13*time.Millisecond + time.Duration(r.IntN(12e6)))
	b = at.AppendFormat(b, `{"time":"2006-01-02T15:04:05.000000Z"`)
	b = fmt.Appendf(b, `,"level":"%s","logger":"app.%s","message":`, oneOf(r, "debug", "info", "info", "info", "warn", "error"), oneOf(r, "checkout", "search", "mail"))
	b = append(strconv.AppendQuote(b, string(someText(nil, 3, 14, r))), fmt.Sprintf(`,"host":"ip-10-%d-%d","pid":%d,"thread":"worker-%d"`, r.IntN(256), r.IntN(256), 1+r.IntN(32000), r.IntN(17))...)
	if r.IntN(10) < 7 {
		b = fmt.Appendf(b, `,"trace":"%016x%016x"`, r.Uint64(), r.Uint64())
	}
	if r.IntN(10) < 6 {
		b = fmt.Appendf(b, `,"http":{"method":"%s","path":"/api/v1/%s/%d","status":%s}`, oneOf(r, "GET", "POST"), oneOf(r, "cart", "orders", "items"), r.IntN(1e5), oneOf(r, "200", "200", "404", "500"))
	}
	b = fmt.Appendf(b, `,"duration":%d.%03d,"user":%s,"ok":%t`, r.IntN(300), r.IntN(1000), oneOf(r, "null", strconv.Itoa(r.IntN(1e6))), r.IntN(10) > 0)
	if r.IntN(10) < 3 {
		b = append(b, oneOf(r, `,"tags":[]`, `,"tags":["retry"]`, `,"tags":["slow","cold"]`)...)
	}
	return append(b, "}\n"...)
}

func workerLine(b []byte, i int, r *rand.Rand) []byte {
	at := firstLine.Add(time.Duration(i)*70*time.Millisecond + time.Duration(r.IntN(60e6)))
	b = at.AppendFormat(b, "2006-01-02 15:04:05,000")
	level := oneOf(r, "DEBUG", "INFO", "INFO", "INFO", "WARNING", "ERROR")
	b = fmt.Appendf(b, " - %s - %s - ", oneOf(r, "jobs", "jobs.mail", "jobs.sync.remote", "root"), level)
	b = append(someText(b, 2, 12, r), '\n')
	if level != "ERROR" {
		return b
	}
	b = append(b, "Traceback (most recent call last):\n"...)
	for range 1 + r.IntN(9) {
		b = fmt.Appendf(b, "  File \"/srv/app/%s.py\", line %d, in %s\n    ", oneOf(r, "jobs", "mail", "sync/remote"), 1+r.IntN(900), oneOf(r, "send", "run", "_retry"))
		b = append(someText(b, 2, 7, r), '\n')
	}
	b = append(b, oneOf(r, "ValueError: ", "ConnectionResetError: ", "KeyError: ")...)
	return append(someText(b, 1, 6, r), "\n\n"...)
}

func wideLine(b []byte, i int, r *rand.Rand) []byte {
	maybe := func(format string, args ...any) {
		if r.IntN(6) > 0 {
			b = fmt.Appendf(b, format, args...)
		}
		b = append(b, ';')
	}
	at := firstLine.Add(time.Duration(i) * 7 * time.Second)
	b = fmt.Appendf(b, "%d;%08x-%04x-7%03x-8%03x-%012x;%s;", 100000+i, r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Uint64()>>16, at.Format("02.01.2006 15:04"))
	maybe("%s", at.AddDate(0, 0, r.IntN(9)).Format("02.01.2006"))
	b = fmt.Appendf(b, "%d;%s;", r.IntN(1e6), oneOf(r, `"Ann ""A"" Berg"`, `"Berg, Jo"`, "Mia Tal", "Lea von der Au"))
	maybe("kunde%d@example.org", r.IntN(1e6))
	b = fmt.Appendf(b, "%s;%s;%05d;", oneOf(r, "DE", "AT", "CH", "FR", "NL", "PL"), oneOf(r, "Ulm", "Graz", "Zürich", "Bad Homburg vor der Höhe"), r.IntN(1e5))
	maybe("%s %d", oneOf(r, "Am Weg", "Hauptstraße", "Ring"), 1+r.IntN(200))
	maybe("+49 %d", r.IntN(1e9))
	b = fmt.Appendf(b, "%s;%d;%d,%02d;%d,%02d;", oneOf(r, "ja", "nein"), 1+r.IntN(20), r.IntN(900), r.IntN(100), r.IntN(90), r.IntN(100))
	maybe("0,%d", r.IntN(100))
	b = fmt.Appendf(b, "%d.%d;%d;", r.IntN(40), r.IntN(1000), r.IntN(200))
	maybe("%d.%d", r.IntN(200), r.IntN(10))
	b = fmt.Appendf(b, "%s;w%d;%s;", oneOf(r, "DHL", "DPD", "UPS", "Post"), r.IntN(40), oneOf(r, "open", "paid", "shipped", "shipped", "returned", "cancelled_by_customer"))
	b = fmt.Appendf(b, "%d;", r.IntN(200)-100)
	if r.IntN(4) == 0 {
		b = append(b, strings.NewReplacer(`"`, "", ";", ",").Replace(string(someText(nil, 1, 9, r)))...)
	}
	return append(b, '\n')
}

func atomLine(b []byte, i int, r *rand.Rand) []byte {
	residue := oneOf(r, "ALA", "GLY", "LEU", "TRP")
	switch r.IntN(50) {
	case 0:
		return fmt.Appendf(b, "TER   %5d      %s A%4d\n", i%100_000, residue, i/8%10_000)
	case 1:
		return fmt.Appendf(b, "REMARK %3d %-50s\n", r.IntN(1000), someText(nil, 3, 6, r))
	}
	element := oneOf(r, "C", "N", "O", "S")
	at := func() float64 { return float64(r.IntN(200_000)-100_000) / 1000 }
	return fmt.Appendf(b, "ATOM  %5d  %-3s %s %s%4d    %8.3f%8.3f%8.3f  1.00%6.2f           %s\n", i%100_000, element+oneOf(r, "A", "B", ""),
		residue, oneOf(r, "A", "B"), i/8%10_000, at(), at(), at(), float64(r.IntN(9000))/100, element)
}

func inventoryLine(b []byte, i int, r *rand.Rand) []byte {
	blanks := func() string { return oneOf(r, "", " ", "  ") }
	return fmt.Appendf(b, "%d,%s%s,%s%d.%02d,%s%s,%s%s\n", i, blanks(), oneOf(r, `"screws, long"`, "nails", "a hammer", "paint"),
		blanks(), r.IntN(1000), r.IntN(100), blanks(), oneOf(r, "hall 1", "hall 2"), blanks(), firstLine.AddDate(0, 0, r.IntN(900)).Format(time.DateOnly))
}

func processLine(b []byte, i int, r *rand.Rand) []byte {
	return fmt.Appendf(b, "%-8s %7d %4.1f %4.1f %6d %5d %-8s %-4s %02d:%02d %3d:%02d %s %s\n", oneOf(r, "root", "www-data", "postgres", "alice"), 1+i%400_000,
		float64(r.IntN(1000))/10, float64(r.IntN(300))/10, r.IntN(5_000_000), r.IntN(900_000), oneOf(r, "?", "pts/3", "tty1"), oneOf(r, "Ss", "S", "R+", "I<", "Sl"),
		r.IntN(24), r.IntN(60), r.IntN(300), r.IntN(60), oneOf(r, "/usr/sbin/sshd -D", "[kworker/0:1]", "/usr/bin/python3 -m  http.server"), someText(nil, 1, 6, r))
}

func jobLine(b []byte, i int, r *rand.Rand) []byte {
	return fmt.Appendf(b, "%-8d %-9s %-6s %4d %7.1f %9d  %-3s node%d\n", 1+i, oneOf(r, "ann", "bob", "operators", "carol"), oneOf(r, "batch", "debug", "gpu"),
		1<<r.IntN(8), r.Float64()*100, r.IntN(1_000_000), oneOf(r, "R", "R", "PD", "CG", "F"), r.IntN(600))
}

func settingLine(b []byte, i int, r *rand.Rand) []byte {
	switch n := r.IntN(20); {
	case n < 3:
		return append(someText(append(b, "# "...), 1, 8, r), '\n')
	case n < 5:
		return fmt.Appendf(b, "[%s%d]\n", oneOf(r, "server", "client", "store"), i)
	case n < 6:
		return append(b, '\n')
	}
	b = append(b, oneOf(r, "port = ", "host = ", "path=", "timeout = ", "user_name=", "max_size = ")...)
	if r.IntN(2) == 0 {
		return fmt.Appendf(b, "%d\n", r.IntN(100_000))
	}
	return append(b, oneOf(r, "/var/lib/data\n", "true\n", "web.example.com\n", "what to say to those who come\n")...)
}

func geneLine(b []byte, i int, r *rand.Rand) []byte {
	feature := oneOf(r, "gene", "transcript", "exon", "CDS")
	b = fmt.Appendf(b, "%d\t%s\t%s\t%d\t%d\t.\t%s\t%s\tgene_id \"ENSG%011d\"; gene_version \"%d\"", 1+r.IntN(22), oneOf(r, "havana", "ensembl"), feature,
		1+r.IntN(1e8), 1+r.IntN(1e8), oneOf(r, "+", "-"), oneOf(r, ".", "0", "1", "2"), i/9, 1+r.IntN(9))
	if feature != "gene" {
		b = fmt.Appendf(b, "; transcript_id \"ENST%011d\"; transcript_version \"%d\"", i/4, 1+r.IntN(9))
	}
	if feature == "exon" || feature == "CDS" {
		b = fmt.Appendf(b, "; exon_number \"%d\"", 1+r.IntN(30))
	}
	return fmt.Appendf(b, "; gene_name \"%s\"; gene_source \"havana\"; gene_biotype \"%s\";\n", oneOf(r, "DDX11L1", "WASH7P", "OR4F5"), oneOf(r, "protein_coding", "lncRNA"))
}

func starLine(b []byte, i int, r *rand.Rand) []byte {
	return fmt.Appendf(b, "%8d %11.5f %11.5f %9.2f %8.1f %8.1f %8.2f %8.2f %8.2f %7.1f\n", 1+i, r.Float64()*360, r.Float64()*180-90, r.Float64()*100,
		r.Float64()*200-100, r.Float64()*200-100, 5+r.Float64()*15, 5+r.Float64()*15, 5+r.Float64()*15, 2015.5)
}

func orderLine(b []byte, i int, r *rand.Rand) []byte {
	return fmt.Appendf(b, "\"%d\",\"%s\",\"%s, %s\",\"%s\",\"%d.%02d\"\n", 1+i, firstLine.Add(time.Duration(i)*time.Second).Format(time.DateTime),
		oneOf(r, `O""Hara`, "Smith", "García", "van der Berg", "Lee"), oneOf(r, "Ann", "Bob", "Carol"), oneOf(r, "Oslo", "St. John's", "Rome", "New York"), r.IntN(1000), r.IntN(100))
}

func personLine(b []byte, i int, r *rand.Rand) []byte {
	return fmt.Appendf(b, "%d,\"%s, %s\",%s,%04d-%02d-%02d,%d.%d\n", 1+i, oneOf(r, "O'Hara", "Smith", "García", "van der Berg", "Lee"),
		oneOf(r, "Ann", "Bob", "Carol"), oneOf(r, "Oslo", "Rome", "New York", "Wellington"), 1930+r.IntN(80), 1+r.IntN(12), 1+r.IntN(28), r.IntN(1000), r.IntN(10))
}

func cityLine(b []byte, i int, r *rand.Rand) []byte {
	return fmt.Appendf(b, "\"%s\";%d.%d\n", oneOf(r, "Oslo", "Rome", "New York", "Wellington"), r.IntN(100), r.IntN(10))
}
