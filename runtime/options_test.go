package runtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// numbered are n records of three columns; every seventh cannot be read.
func numbered(n int) string {
	var b strings.Builder
	b.WriteString("id,name,at\n")
	for i := 1; i <= n; i++ {
		if i%7 == 0 {
			fmt.Fprintf(&b, "%d,\"bad\"%d\n", i, i)
		} else {
			fmt.Fprintf(&b, "%d,\"na\"\"me\n%d\",2024-01-%02d\n", i, i, i%28+1)
		}
	}
	return b.String()
}

const columns = `delimited { sep ','  quote '"' doubled } header names fields { id i64!  name str  at date } on_error reject`

func TestLimit(t *testing.T) {
	p := spec(t, columns)
	in := numbered(50)
	all := text(t, p, in)
	if len(all.rows) != 43 || len(all.rejects) != 7 {
		t.Fatalf("%d rows, %d rejects", len(all.rows), len(all.rejects))
	}
	for _, limit := range []int64{0, 1, 6, 7, 42, 43, 44, 1 << 40} {
		o := text(t, p, in, runtime.WithLimit(limit), runtime.WithBatchSize(5))
		if want := min(limit, 43); o.err != nil || o.stats.Rows != want || fmt.Sprint(o.rows) != fmt.Sprint(all.rows[:want]) {
			t.Errorf("limit %d: %d rows, %v", limit, len(o.rows), o.err)
		}
	}
	// What comes after the limit is not looked at, whatever it is.
	if o := text(t, p, in, runtime.WithLimit(6), runtime.WithErrorMode(dfa.Fail)); o.err != nil || o.stats.Records != 6 || len(o.rejects) != 0 {
		t.Errorf("%+v, %v", o.stats, o.err)
	}
	if o := text(t, p, in, runtime.WithLimit(7), runtime.WithErrorMode(dfa.Fail)); !errors.Is(o.err, runtime.ErrSyntax) || o.stats.Rows != 6 || o.stats.Records != 7 {
		t.Errorf("%+v, %v", o.stats, o.err)
	}
}

func TestSkip(t *testing.T) {
	p := spec(t, columns)
	in := numbered(20)
	for skip, want := range map[int64]struct {
		rows, rejects, first string
	}{
		0:   {"18", "2", "1 "},
		1:   {"17", "2", "2 "},
		6:   {"12", "2", "8 "},
		7:   {"12", "1", "8 "},
		14:  {"6", "0", "15 "},
		19:  {"1", "0", "20 "},
		20:  {"0", "0", ""},
		100: {"0", "0", ""},
	} {
		o := text(t, p, in, runtime.WithSkip(skip))
		first := ""
		if len(o.rows) > 0 {
			first = o.rows[0][:strings.IndexByte(o.rows[0], ' ')+1]
		}
		if o.err != nil || fmt.Sprint(len(o.rows)) != want.rows || fmt.Sprint(len(o.rejects)) != want.rejects || first != want.first {
			t.Errorf("skip %d: %d rows from %q, %d rejects, %v; want %v", skip, len(o.rows), first, len(o.rejects), o.err, want)
		}
		if o.stats.Records != 20 {
			t.Errorf("skip %d: %d records, want 20", skip, o.stats.Records)
		}
		for _, r := range o.rejects {
			if r.Record%7 != 0 {
				t.Errorf("skip %d: reject of record %d", skip, r.Record)
			}
		}
	}
	o := text(t, p, in, runtime.WithSkip(5), runtime.WithLimit(3))
	if o.err != nil || len(o.rows) != 3 || !strings.HasPrefix(o.rows[2], "9 ") {
		t.Errorf("%s", o)
	}
}

// TestRecordsTooLongAreSkipped: records that are longer than the limit count
// as records do, whether they are there as a whole or in parts.
func TestRecordsTooLongAreSkipped(t *testing.T) {
	long := strings.Repeat("x", 5000)
	in := "1,a\n2," + long + "\n3,c\n4,\"" + long + "\"\n5,e\n"
	p := spec(t, pairOf)
	for skip, want := range map[int64]string{0: "3 rows, 2 rejects of 2 4", 1: "2 rows, 2 rejects of 2 4", 2: "2 rows, 1 rejects of 4", 4: "1 rows, 0 rejects of"} {
		o := text(t, p, in, runtime.WithSkip(skip), runtime.WithMaxRecord(100), runtime.WithErrorMode(dfa.Reject))
		got := fmt.Sprintf("%d rows, %d rejects of", len(o.rows), len(o.rejects))
		for _, r := range o.rejects {
			got += fmt.Sprint(" ", r.Record)
			if !errors.Is(&r.ParseError, runtime.ErrTooLong) || len(r.Raw) != 100 {
				t.Errorf("skip %d: %v: %d bytes of it kept", skip, &r.ParseError, len(r.Raw))
			}
		}
		if got != want || o.err != nil || o.stats.Records != 5 {
			t.Errorf("skip %d: %s, %d records, %v; want %s", skip, got, o.stats.Records, o.err, want)
		}
	}
}

func TestColumns(t *testing.T) {
	p := spec(t, `delimited { sep ','  quote '"' doubled } fields { id i32!  pair str  left str  right i32  last str } split pair "{left}:{right}"`)
	in := "1,a:2,x\nno,b:no,y\n3,c,\n"
	all := text(t, p, in, runtime.WithErrorMode(dfa.Null))
	if got := names(all.schema); got != "id pair left right last" {
		t.Errorf("columns %s", got)
	}
	for _, c := range []struct{ columns, rows, rejects string }{
		{"last id", `["x" 1 "" 3]`, "id"},
		{"right last left", `[2 "x" "a" null "y" "b" null "" null]`, "right pair"},
		{"left", `["a" "b" null]`, "pair"},
		{"pair pair", `["a:2" "a:2" "b:no" "b:no" "c" "c"]`, ""},
	} {
		o := text(t, p, in, runtime.WithErrorMode(dfa.Null), runtime.WithColumns(strings.Fields(c.columns)...))
		var got []string
		for _, r := range o.rejects {
			got = append(got, r.Field)
		}
		if o.err != nil || names(o.schema) != c.columns || fmt.Sprint(o.rows) != c.rows || strings.Join(got, " ") != c.rejects {
			t.Errorf("%s: %s\nwant rows %s, rejects of %q", c.columns, o, c.rows, c.rejects)
		}
	}
	o := text(t, p, in, runtime.WithColumns("id", "lft"))
	if o.opened || o.err == nil || !strings.Contains(o.err.Error(), `no column "lft", did you mean "left"?`) {
		t.Errorf("%v", o.err)
	}
}

// TestRejectDetails: of the fields made null and of the records left out as many
// are told as asked for, and all are counted; the one that is too many is told.
func TestRejectDetails(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { id i32!  pair str  left str  right i32 } split pair "{left}:{right}"`)
	in := "1,a\n2,b\nx,c:1\n3,c:x\n4,c:1\ny,c:1\n5,c:1\n"
	all := text(t, p, in, runtime.WithErrorMode(dfa.Reject))
	for most, want := range map[int]string{-1: "pair pair id right id", 0: "", 1: "pair id", 2: "pair pair id id", 9: "pair pair id right id"} {
		o := all
		if most >= 0 {
			o = everyWay(t, p, func() io.Reader { return strings.NewReader(in) }, runtime.WithErrorMode(dfa.Reject), runtime.WithRejectDetails(most))
		}
		if got, want := counted(o.stats), counted(all.stats); got != want {
			t.Errorf("%d: counts\n%s, want\n%s", most, got, want)
		}
		var got []string
		for _, r := range o.rejects {
			got = append(got, r.Field)
		}
		if o.err != nil || strings.Join(got, " ") != want || o.stats.Nulled != 3 || o.stats.Rejected != 2 || o.stats.RejectedLines != 2 || o.stats.Rows != 5 {
			t.Errorf("%d: %s\nwant rejects of %s", most, o, want)
		}
	}
}

// TestTheRejectThatIsTooMany is told in the error, though nobody wants details.
func TestTheRejectThatIsTooMany(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { id i32! }`)
	in := strings.Repeat("1\nx\n", 2*runtime.LeastShared)
	for name, opt := range map[string]runtime.Option{"a number": runtime.WithMaxRejects(3), "a share": runtime.WithMaxRejectShare(0.25)} {
		limited := everyWay(t, p, func() io.Reader { return strings.NewReader(in) }, runtime.WithErrorMode(dfa.Reject), opt, runtime.WithRejectDetails(1))
		all := everyWay(t, p, func() io.Reader { return strings.NewReader(in) }, runtime.WithErrorMode(dfa.Reject), opt)
		if len(limited.rejects) != 1 || len(all.rejects) < 4 || limited.err == nil || limited.err.Error() != all.err.Error() {
			t.Errorf("%s: %d and %d rejects, %v and %v", name, len(limited.rejects), len(all.rejects), limited.err, all.err)
		}
	}
}

func names(s *arrow.Schema) string {
	var out []string
	for _, f := range s.Fields() {
		out = append(out, f.Name)
	}
	return strings.Join(out, " ")
}

// TestBatchSize: every record but the last has exactly the rows asked for,
// wherever partitions end and rejects lie.
func TestBatchSize(t *testing.T) {
	p := spec(t, columns)
	in := numbered(60)
	all := text(t, p, in)
	for batch := 1; batch <= len(all.rows)+1; batch++ {
		for _, w := range []way{{"cpu", 1, whole, whole, false}, {"cpu", 2, 16, 100, false}, {"reference", 1, 50, 64, false}} {
			o := read(t, p, strings.NewReader(in), append(w.options(), runtime.WithBatchSize(batch))...)
			if o.err != nil || fmt.Sprint(o.rows) != fmt.Sprint(all.rows) {
				t.Fatalf("batches of %d, %+v: other rows: %v", batch, w, o.err)
			}
			left := len(all.rows)
			for _, n := range o.batches {
				if n != int64(min(batch, left)) {
					t.Fatalf("batches of %d, %+v: %v", batch, w, o.batches)
				}
				left -= int(n)
			}
			if o.stats.Batches != int64(len(o.batches)) {
				t.Fatalf("%d batches counted, %d given", o.stats.Batches, len(o.batches))
			}
		}
	}
}

func TestMaxRejects(t *testing.T) {
	p := spec(t, columns)
	in := numbered(50) // 7 rejects
	for _, n := range []int64{0, 1, 6, 7, 8} {
		o := text(t, p, in, runtime.WithMaxRejects(n))
		if n >= 7 {
			if o.err != nil || len(o.rejects) != 7 {
				t.Errorf("at most %d: %s", n, o)
			}
			continue
		}
		var e *runtime.ParseError
		if !errors.Is(o.err, runtime.ErrTooManyRejects) || !errors.As(o.err, &e) || e.Record != 7*(n+1) || int64(len(o.rejects)) != n+1 {
			t.Errorf("at most %d: %d rejects, %v", n, len(o.rejects), o.err)
		}
		if want := 7*(n+1) - 1 - n; o.stats.Rows != want { // what was read before is delivered
			t.Errorf("at most %d: %d rows, want %d", n, o.stats.Rows, want)
		}
	}
	// Fields that became null are no rejects.
	o := text(t, spec(t, `delimited { sep ',' } fields { a i32  b i32 }`), "x,1\ny,2\n3,4\n", runtime.WithErrorMode(dfa.Null), runtime.WithMaxRejects(0))
	if o.err != nil || o.stats.Nulled != 2 || o.stats.Rows != 3 {
		t.Errorf("%s", o)
	}
}

func TestRejectHandler(t *testing.T) {
	p := spec(t, columns)
	enough := errors.New("enough")
	n := 0
	handler := func(*runtime.Reject) error {
		if n++; n == 3 {
			return enough
		}
		return nil
	}
	r, err := runtime.NewReader(strings.NewReader(numbered(50)), p, runtime.WithEngine(cpu.Engine), runtime.WithRejectHandler(handler))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	if r.Err() != enough || n != 3 || len(r.Rejects()) != 0 || r.Stats().Rows != 18 {
		t.Errorf("%v after %d rejects, %d kept, %d rows", r.Err(), n, len(r.Rejects()), r.Stats().Rows)
	}
	// Without a handler the first thousand are kept.
	r, err = runtime.NewReader(strings.NewReader(numbered(7*1200)), p, runtime.WithEngine(cpu.Engine))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	if r.Err() != nil || len(r.Rejects()) != 1000 || r.Stats().Rejected != 1200 {
		t.Errorf("%v, %d kept of %d", r.Err(), len(r.Rejects()), r.Stats().Rejected)
	}
}

func TestBaseTime(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { at ts("%b %e %T") }`)
	in := "Dec 31 23:00:00\nJan  1 00:00:00\n"
	// Not a second after the base.
	for base, want := range map[string]string{
		"2024-01-02T00:00:00Z": `["2023-12-31T23:00:00" "2024-01-01T00:00:00"]`,
		"2023-12-31T23:59:59Z": `["2023-12-31T23:00:00" "2023-01-01T00:00:00"]`,
		"2023-12-31T22:59:59Z": `["2022-12-31T23:00:00" "2023-01-01T00:00:00"]`,
		"2024-01-01T00:00:00Z": `["2023-12-31T23:00:00" "2024-01-01T00:00:00"]`,
	} {
		at, err := time.Parse(time.RFC3339, base)
		if err != nil {
			t.Fatal(err)
		}
		if o := text(t, p, in, runtime.WithBaseTime(at)); o.err != nil || fmt.Sprint(o.rows) != want {
			t.Errorf("as of %s: %s, want %s", base, o, want)
		}
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	p := spec(t, pairOf)
	for what, opt := range map[string]runtime.Option{
		"batches":      runtime.WithBatchSize(0),
		"threads":      runtime.WithThreads(0),
		"chunks":       runtime.WithChunkSize(-1),
		"partitions":   runtime.WithPartitionSize(-1),
		"records":      runtime.WithMaxRecord(0),
		"error mode":   runtime.WithErrorMode(9),
		"UTF-8 policy": runtime.WithUTF8(9),
		//lint:ignore SA1012 it is what is tested
		"the context is nil": runtime.WithContext(nil),
		"allocator":          runtime.WithAllocator(nil),
		"no engine":          runtime.WithEngine(nil),
	} {
		if _, err := runtime.NewReader(strings.NewReader("a,b\n"), p, runtime.WithEngine(cpu.Engine), opt); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestProgress(t *testing.T) {
	p := spec(t, pairOf)
	in := strings.Repeat("some,thing\n", 1000)
	last, calls := int64(0), 0
	o := read(t, p, strings.NewReader(in), runtime.WithPartitionSize(1000), runtime.WithProgress(func(n int64) {
		if n < last {
			t.Errorf("%d bytes after %d", n, last)
		}
		last = n
		calls++
	}))
	if o.err != nil || last != int64(len(in)) || calls < 10 || o.stats.Bytes != last {
		t.Errorf("%d bytes of %d in %d calls, %v", last, len(in), calls, o.err)
	}
}

// TestReadTwice: directives name columns anywhere in an input that can be
// rewound; it is read from where it stood.
func TestReadTwice(t *testing.T) {
	p := spec(t, "w3c")
	in := "#Fields: x\na\n#Fields: y x\nb c\n"
	o := everyWay(t, p, func() io.Reader {
		f := strings.NewReader("skipped" + in)
		f.Seek(int64(len("skipped")), io.SeekStart)
		return f
	})
	if o.err != nil || names(o.schema) != "x y" || fmt.Sprint(o.rows) != `["a" null "c" "b"]` {
		t.Errorf("%s", o)
	}
}

// TestProgramOfEncodedText: nothing reads text in another encoding as if it were UTF-8.
func TestProgramOfEncodedText(t *testing.T) {
	p := spec(t, `format l { delimited { sep ',' } encoding "latin1" fields { a str b u8 } test "ä,1\n" => { a "ä", b 1 } }`)
	in := []byte("\xe4,1\n")
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, in, 0o666); err != nil {
		t.Fatal(err)
	}
	engine := runtime.WithEngine(cpu.Engine)
	for name, read := range map[string]func() error{
		"NewReader": func() error { _, err := runtime.NewReader(bytes.NewReader(in), p, engine); return err },
		"ReadBytes": func() error { _, err := runtime.ReadBytes(in, p, engine); return err },
		"ReadFile":  func() error { _, err := runtime.ReadFile(path, p, engine); return err },
		"Begin":     func() error { _, err := runtime.Begin(in, p, engine); return err },
		"Measure":   func() error { _, err := runtime.Measure(in, p, 1, engine); return err },
	} {
		if wrong := (*runtime.OptionError)(nil); !errors.As(read(), &wrong) || !strings.Contains(wrong.Reason, "text in ISO-8859-1") {
			t.Errorf("%s: %v", name, read())
		}
	}
	r, err := runtime.ReadBytes([]byte("ä,1\n"), p.OfText(), engine)
	if err != nil {
		t.Fatal(err)
	}
	r.Release()
	q, err := dfa.DecodeProgram(p.Encode())
	if err != nil || q.Encoding != "ISO-8859-1" || p.OfText().Encoding != "" || p.Encoding == "" {
		t.Errorf("saved: %v, %v", q, err)
	}
}
