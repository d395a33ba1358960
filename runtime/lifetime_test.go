package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// endless is an input without an end.
type endless struct {
	text string
	at   int
	read int64
}

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e.text[e.at]
		e.at = (e.at + 1) % len(e.text)
	}
	e.read += int64(len(b))
	return len(b), nil
}

// failing gives its text and then an error.
type failing struct {
	text string
	err  error
}

func (f *failing) Read(b []byte) (int, error) {
	if f.text == "" {
		return 0, f.err
	}
	n := copy(b[:min(len(b), 3)], f.text)
	f.text = f.text[n:]
	return n, nil
}

// TestFailingInput: the complete records before the failure are there, and the
// error says after how many bytes it came.
func TestFailingInput(t *testing.T) {
	broken := errors.New("the disk is on fire")
	p := spec(t, pairOf)
	for in, rows := range map[string]int{"": 0, "1,2": 0, "1,2\n": 1, "1,2\n3,4\n5": 2, "1,2\n3,\"4\n5,6\n": 1} {
		o := everyWay(t, p, func() io.Reader { return &failing{in, broken} }, runtime.WithName("disk"))
		want := fmt.Sprintf("disk: after %d bytes: %v", len(in), broken)
		if !errors.Is(o.err, broken) || o.err.Error() != want || len(o.rows) != rows {
			t.Errorf("%q: %d rows, want %d; error %v, want %v", in, len(o.rows), rows, o.err, want)
		}
	}
	p = spec(t, "csv") // in the header, too
	o := everyWay(t, p, func() io.Reader { return &failing{"a,b", broken} })
	if o.opened || !errors.Is(o.err, broken) || !strings.Contains(o.err.Error(), "after 3 bytes") {
		t.Errorf("%v", o.err)
	}
	// And while a record is passed over that is too long.
	o = everyWay(t, spec(t, pairOf), func() io.Reader { return &failing{"1,2\n" + strings.Repeat("x", 1000), broken} }, runtime.WithMaxRecord(10))
	if !errors.Is(o.err, broken) || !strings.Contains(o.err.Error(), "after 1004 bytes") || len(o.rows) != 1 {
		t.Errorf("%d rows, %v", len(o.rows), o.err)
	}
	// An input that ends early by its own account has not ended.
	o = everyWay(t, p, func() io.Reader { return &failing{"a,b\n1,2\n3,", io.ErrUnexpectedEOF} })
	if !errors.Is(o.err, io.ErrUnexpectedEOF) || len(o.rows) != 1 {
		t.Errorf("%d rows, %v", len(o.rows), o.err)
	}
}

func TestContext(t *testing.T) {
	p := spec(t, pairOf)
	for _, w := range []way{{"cpu", 1, whole, whole, false}, {"cpu", 4, 1 << 10, 1 << 16, false}, {"reference", 1, 1 << 10, 1 << 12, false}} {
		ctx, cancel := context.WithCancel(context.Background())
		r, err := runtime.NewReader(&endless{text: "some,thing\n"}, p, append(w.options(), runtime.WithContext(ctx), runtime.WithBatchSize(100))...)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if !r.Next() {
				t.Fatal(r.Err())
			}
		}
		cancel()
		for r.Next() { // what had been read is delivered; there is more without end
		}
		if !errors.Is(r.Err(), context.Canceled) {
			t.Errorf("%+v: %v", w, r.Err())
		}
		r.Release()
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("no time"))
	if o := text(t, p, "1,2\n", runtime.WithContext(ctx)); o.err != ctx.Err() || len(o.rows) != 0 {
		t.Errorf("%s", o)
	}
	// A record without an end does not keep the reader from stopping.
	timed, cancelTimed := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancelTimed()
	r, err := runtime.NewReader(&endless{text: "x"}, p, runtime.WithEngine(cpu.Engine), runtime.WithContext(timed), runtime.WithMaxRecord(1000), runtime.WithPartitionSize(4096))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if r.Next() || !errors.Is(r.Err(), context.DeadlineExceeded) {
		t.Errorf("%v", r.Err())
	}
}

// settle waits until there are no more goroutines than before.
func settle(t *testing.T, before int) {
	t.Helper()
	for range 6000 { // on a busy machine
		if goruntime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Fatalf("%d goroutines, before %d\n%s", goruntime.NumGoroutine(), before, buf[:goruntime.Stack(buf, true)])
}

// TestReleaseEarly: a Reader that is given up after any number of records, or
// was never read, leaves no goroutine and no memory behind.
func TestReleaseEarly(t *testing.T) {
	p := spec(t, pairOf)
	before := goruntime.NumGoroutine()
	for n := range 5 {
		for _, w := range []way{{"cpu", 1, whole, whole, false}, {"cpu", 4, 100, 5000, false}, {"reference", 1, 100, 5000, false}} {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			r, err := runtime.NewReader(&endless{text: "some,thing\n"}, p, append(w.options(), runtime.WithAllocator(mem), runtime.WithBatchSize(7))...)
			if err != nil {
				t.Fatal(err)
			}
			for range n {
				if !r.Next() {
					t.Fatal(r.Err())
				}
			}
			r.Release()
			mem.AssertSize(t, 0)
			if r.Next() {
				t.Error("a record after the release")
			}
		}
	}
	settle(t, before)
	// Nor does one that could not be opened, failed, or was read to its end.
	for _, in := range []string{"", "a,b", "a,b\n1\n", "a,b\n1,2\n", "\xff\xfe", "a,\"b"} {
		read(t, spec(t, "csv"), strings.NewReader(in), runtime.WithPartitionSize(1))
		read(t, spec(t, "w3c"), strings.NewReader(in), runtime.WithPartitionSize(1))
	}
	settle(t, before)
}

// TestRetain: records that were retained outlive the Reader, and a Reader that
// was retained outlives one release.
func TestRetain(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	r, err := runtime.NewReader(strings.NewReader("1,a\n2,b\n3,c\n"), spec(t, pairOf), runtime.WithEngine(cpu.Engine), runtime.WithAllocator(mem), runtime.WithBatchSize(1))
	if err != nil {
		t.Fatal(err)
	}
	r.Retain()
	var kept []arrow.Record
	for r.Next() {
		rec := r.Record()
		rec.Retain()
		kept = append(kept, rec)
		if len(kept) == 1 {
			r.Release()
		}
	}
	if r.Err() != nil || r.Record() != nil {
		t.Errorf("%v, a record after the last: %v", r.Err(), r.Record())
	}
	r.Release()
	for i, rec := range kept {
		if got := rec.Column(1).(*array.String).Value(0); got != string(rune('a'+i)) {
			t.Errorf("record %d is %q", i, got)
		}
		rec.Release()
	}
}

// TestConcurrentReaders: readers that share a Program do not disturb each
// other; the race detector looks on.
func TestConcurrentReaders(t *testing.T) {
	p := spec(t, "format test { delimited { sep ','  quote '\"' doubled } header names\n"+
		"fields { id i64!  tags list(str, sep ';')  m map(str)  at ts  d dict  part str } split part \"{x}-{y}\" }")
	var b strings.Builder
	b.WriteString("id,tags,m,at,d,part\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%d,\"a;b%d\",k=%d,2024-01-02T03:04:05Z,d%d,x-%d\n", i, i, i, i%7, i)
	}
	in := b.String()
	want := read(t, p, strings.NewReader(in)).String()
	var wg sync.WaitGroup
	for i := range 8 {
		w := ways[i%len(ways)]
		w.partition, w.chunk = max(w.partition, 500), max(w.chunk, 50)
		wg.Go(func() {
			if got := read(t, p, strings.NewReader(in), w.options()...).String(); got != want {
				t.Errorf("%+v: another outcome", w)
			}
		})
	}
	wg.Wait()
}

// TestDictionaries: the dictionary of each record begins with that of the one
// before, so that a file of several records can hold them as deltas.
func TestDictionaries(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { d dict  e enum(x y z)  n i32 } on_error null`)
	in := "b,x,1\na,y,2\n,z,3\nb,x,4\nc,?,5\na,x,6\nd,z,q\ne,x,8\n"
	for batch := 1; batch <= 8; batch++ {
		var before []string
		all := ""
		o := everyWay(t, p, func() io.Reader { return strings.NewReader(in) }, runtime.WithBatchSize(batch))
		r, err := runtime.NewReader(strings.NewReader(in), p, runtime.WithEngine(cpu.Engine), runtime.WithBatchSize(batch), runtime.WithPartitionSize(5))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
			col := r.Record().Column(0).(*array.Dictionary)
			tokens := col.Dictionary().(*array.String)
			var now []string
			for i := range tokens.Len() {
				now = append(now, strings.Clone(tokens.Value(i)))
			}
			if len(now) < len(before) || fmt.Sprint(now[:len(before)]) != fmt.Sprint(before) {
				t.Errorf("batches of %d: dictionary %q after %q", batch, now, before)
			}
			before = now
			for i := range col.Len() {
				all += tokens.Value(col.GetValueIndex(i)) + " "
			}
			if e := r.Record().Column(1).(*array.Dictionary).Dictionary().(*array.String); e.Len() != 3 || e.Value(2) != "z" {
				t.Errorf("enum dictionary %v", e)
			}
		}
		r.Release()
		if all != "b a  b c a d e " || fmt.Sprint(before) != "[b a  c d e]" || r.Err() != nil {
			t.Errorf("batches of %d: %q, dictionary %q, %v", batch, all, before, r.Err())
		}
		if o.stats.Nulled != 2 || o.stats.Rows != 8 {
			t.Errorf("%s", o)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(path, []byte("id,note\n1,x\ny,z\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := runtime.ReadFile(path, spec(t, typed), runtime.WithEngine(cpu.Engine), runtime.WithErrorMode(dfa.Reject))
	if err != nil {
		t.Fatal(err)
	}
	for r.Next() {
	}
	if r.Err() != nil || len(r.Rejects()) != 1 || r.Rejects()[0].File != path {
		t.Errorf("%v, %v", r.Err(), r.Rejects())
	}
	r.Release()
	if _, err := runtime.ReadFile(path+"x", spec(t, typed), runtime.WithEngine(cpu.Engine)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := runtime.ReadFile(t.TempDir(), spec(t, typed), runtime.WithEngine(cpu.Engine)); err == nil {
		t.Error("a folder is read")
	}
}
