package runtime_test

import (
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestRecordAtTheLimit: a record of exactly the limit is read, one of a byte
// more is not, and what comes after it is.
func TestRecordAtTheLimit(t *testing.T) {
	for what, c := range map[string]struct{ spec, record, end string }{
		"bare":      {pairOf, "a,%s", "\n"},
		"quoted":    {pairOf, "a,\"%s\n\"", "\n"},
		"CRLF":      {`delimited { sep ','  eol crlf } fields { a str  b str }`, "a,%s", "\r\n"},
		"separator": {`delimited { sep "||" } fields { a str  b str }`, "a||%s", "\n"},
		"template":  {"record `{a}: {b};`", "a: %s;", "\n"},
		"the end":   {pairOf, "a,%s", ""},
	} {
		p := spec(t, c.spec)
		for _, limit := range []int{10, 64, 100, 1000} {
			for _, more := range []int{-1, 0, 1, 2, 5, 3000} {
				fill := strings.Repeat("x", limit+more-len(fmt.Sprintf(c.record, "")))
				in := fmt.Sprintf(c.record, fill) + c.end
				if c.end != "" {
					in = in + fmt.Sprintf(c.record, "y") + c.end
				}
				o := text(t, p, in, runtime.WithMaxRecord(limit), runtime.WithErrorMode(dfa.Reject))
				long := len(fmt.Sprintf(c.record, fill))
				if c.spec == `delimited { sep ','  eol crlf } fields { a str  b str }` {
					long++ // the carriage return is control, the line feed the boundary
				}
				rejected := long > limit
				if o.err != nil || (len(o.rejects) == 1) != rejected || rejected && !errors.Is(&o.rejects[0].ParseError, runtime.ErrTooLong) {
					t.Errorf("%s: %d bytes, limit %d: %v, rejects %v", what, long, limit, o.err, o.rejects)
				}
				if c.end != "" && !strings.Contains(o.rows[len(o.rows)-1], "y") {
					t.Errorf("%s: the record after it: %v", what, o.rows)
				}
			}
		}
	}
}

// TestLongLead: what says which columns there are is bounded as records are,
// and that does not depend on how much of it is seen at once.
func TestLongLead(t *testing.T) {
	const limit = 50
	long := strings.Repeat("x", 200)
	const unnamed = `delimited { sep ','  quote '"' doubled  comment "#" } header none`
	for what, c := range map[string]struct {
		spec, in string
		rows     string // or what the error says
		kind     error
	}{
		"a header":                        {"csv", "a,\"" + long + "\"\n1,2\n", "1:1: what says which columns there are is longer than 50 bytes", runtime.ErrHeader},
		"a header without an end":         {"csv", "a,\"" + long, "1:1: what says", runtime.ErrTooLong},
		"a header and long records":       {"csv", "a,b\n1," + long + "\n3,4\n", "[\"3\" \"4\"]", nil},
		"the first record":                {unnamed, "1,2," + long + "\n1,2,3\n", "1:1: what says", runtime.ErrHeader},
		"a first comment":                 {unnamed, "#c\n#" + long + "\n1,2,3\n", "2:1: what says", runtime.ErrHeader},
		"many comments":                   {unnamed, strings.Repeat("#comment\n", 100) + "1,2,3\n", "[\"1\" \"2\" \"3\"]", nil},
		"a directive":                     {"w3c", "#Fields: a\nb\n#Fields: a " + long + "\nc\n", "3:1: directive: names columns and is longer than 50 bytes", runtime.ErrDirective},
		"a directive that means nothing":  {"w3c", "#Fields: a\nb\n#Remark: " + long + "\nc\n", "[\"b\" \"c\"]", nil},
		"a directive after a long record": {"w3c", "#Fields: a\n" + long + "\n#Fields: b\nc\n", "[null \"c\"]", nil},
	} {
		p := spec(t, c.spec)
		open := func() io.Reader { return strings.NewReader(c.in) }
		o := everyWay(t, p, open, runtime.WithMaxRecord(limit), runtime.WithErrorMode(dfa.Reject))
		switch {
		case c.kind == nil && (o.err != nil || fmt.Sprint(o.rows) != c.rows):
			t.Errorf("%s: rows %v, %v, want %s", what, o.rows, o.err, c.rows)
		case c.kind != nil && (!errors.Is(o.err, c.kind) || !strings.Contains(o.err.Error(), c.rows)):
			t.Errorf("%s: %v, want %s", what, o.err, c.rows)
		}
	}
}

// gib is an input of a record, another of about n bytes, and a third.
type gib struct {
	head, fill, tail string
	n                int64
	at               int // in fill
}

func (g *gib) Read(b []byte) (n int, err error) {
	switch {
	case g.head != "":
		n = copy(b, g.head)
		g.head = g.head[n:]
	case g.n > 0:
		for n < len(b) && g.n > 0 {
			k := copy(b[n:], g.fill[g.at:])
			n, g.n, g.at = n+k, g.n-int64(k), (g.at+k)%len(g.fill)
		}
	case g.tail != "":
		n = copy(b, g.tail)
		g.tail = g.tail[n:]
	default:
		return 0, io.EOF
	}
	return n, nil
}

// peak is the largest heap seen while f runs, sampled at every call of the
// function that f is given.
func peak(f func(sample func(int64))) uint64 {
	goruntime.GC()
	var m goruntime.MemStats
	most := uint64(0)
	sampled := int64(0)
	sample := func(n int64) {
		if n-sampled >= 32<<20 || n == 0 {
			sampled = n
			goruntime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
		}
	}
	f(sample)
	sample(0)
	return most
}

// TestGiBInOneRecord: a record of 1 GiB, quoted with line ends inside, is
// rejected under a limit of a MiB, in memory that the limit and the partition
// bound; the records beside it are read.
func TestGiBInOneRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("reads some GiB")
	}
	p := spec(t, pairOf)
	for what, mode := range map[string]dfa.ErrorMode{"rejected": dfa.Reject, "failed": dfa.Fail} {
		in := &gib{head: "1,a\n2,\"", fill: strings.Repeat("a line, of the \"\"record\n", 1<<12), tail: "\"\n3,c\n", n: 1 << 30}
		in.n -= in.n % int64(len(in.fill))
		var o outcome
		most := peak(func(sample func(int64)) {
			o = read(t, p, in, runtime.WithErrorMode(mode), runtime.WithPartitionSize(4<<20),
				runtime.WithMaxRecord(1<<20), runtime.WithProgress(sample), runtime.WithMaxRejects(10))
		})
		t.Logf("%s: heap of at most %d MiB", what, most>>20)
		if most > 100<<20 {
			t.Errorf("%s: heap of %d MiB", what, most>>20)
		}
		if mode == dfa.Fail {
			var e *runtime.ParseError
			if !errors.As(o.err, &e) || !errors.Is(e, runtime.ErrTooLong) || e.Record != 2 || e.Offset != 4 || e.Line != 2 {
				t.Errorf("%v", o.err)
			}
			continue
		}
		if o.err != nil || fmt.Sprint(o.rows) != `["1" "a" "3" "c"]` || len(o.rejects) != 1 || o.rejects[0].Offset != 4 || len(o.rejects[0].Raw) != 1<<20 {
			t.Errorf("%s: %v, rows %v, %d rejects", what, o.err, o.rows, len(o.rejects))
		}
		if o.stats.Records != 3 || o.stats.Bytes < 1<<29 {
			t.Errorf("%+v", o.stats)
		}
	}
}

// TestMemoryIsBounded: the memory for a long input does not depend on how long
// it is.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 128 MiB")
	}
	p := spec(t, `delimited { sep ','  quote '"' doubled } fields { a i64  b str  c f64 } on_error reject`)
	in := &gib{fill: strings.Repeat("12,\"some \"\"text\n\",1.5\n", 99) + "x,,\n", n: 128 << 20}
	in.n -= in.n % int64(len(in.fill))
	rows := int64(0)
	most := peak(func(sample func(int64)) {
		r, err := runtime.NewReader(in, p, runtime.WithEngine(cpu.Engine), runtime.WithPartitionSize(1<<20), runtime.WithChunkSize(1<<18), runtime.WithProgress(sample))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		for r.Next() {
			rows += r.Record().NumRows()
		}
		if r.Err() != nil || rows != 99*r.Stats().Rejected {
			t.Errorf("%d rows, %+v, %v", rows, r.Stats(), r.Err())
		}
	})
	t.Logf("%d rows, heap of at most %d MiB", rows, most>>20)
	if most > 80<<20 {
		t.Errorf("heap of %d MiB", most>>20)
	}
}

// TestLongRecordEndsInput: the input ends with a record that is too long, and nothing is read behind
// it, though the end of an empty input ends a record.
func TestLongRecordEndsInput(t *testing.T) {
	p := spec(t, `dfa t {
  group N='\n' | S=' ' | Q='"' | X=*
  A : A r | A f | Q . | A d
  Q : Q d | Q d | A . | Q d
  eof : A r, Q ! "open"
}
format f { dfa t  fields { a str  b str } }`)
	for _, last := range []string{`c "`, "c "} {
		in := "a b\n" + last + strings.Repeat("x", 300)
		for _, size := range []int{16, 64, 1 << 10} {
			o := text(t, p, in, runtime.WithMaxRecord(20), runtime.WithErrorMode(dfa.Reject), runtime.WithPartitionSize(size))
			if o.err != nil || len(o.rejects) != 1 || !errors.Is(&o.rejects[0].ParseError, runtime.ErrTooLong) {
				t.Errorf("%q, partitions of %d: %v, rejects %v", in[:6], size, o.err, o.rejects)
			}
		}
	}
}

// TestLongRecordBehindCR: where CR ends records, an LF behind it is the first byte of the next one, whose
// lines are as many whether it has been in memory as a whole or not.
func TestLongRecordBehindCR(t *testing.T) {
	p := spec(t, "delimited { sep ','  eol cr } fields { a str } on_error reject max_record 8")
	if o := text(t, p, "a\r\nlong long long\nlong\r\nlong long long\rb\r"); o.stats.RejectedLines != 5 || o.stats.Rows != 2 {
		t.Errorf("%d rows, %d lines are rejected", o.stats.Rows, o.stats.RejectedLines)
	}
}
