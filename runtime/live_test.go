package runtime_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

const pairs = `delimited { sep ',' } header names fields { a i64  b str }`

// TestBatchTime: rows of an input that falls silent are delivered, those that are
// complete, while the writer goes on.
func TestBatchTime(t *testing.T) {
	p := spec(t, pairs)
	for _, threads := range []int{1, 2} {
		in, out := io.Pipe()
		go io.WriteString(out, "a,b\n1,x\n2,")
		r, err := runtime.NewReader(in, p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(threads), runtime.WithBatchTime(50*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		next := func(rows int64, first string) {
			t.Helper()
			if !r.Next() || r.Record().NumRows() != rows || r.Record().Column(1).(*array.String).Value(0) != first {
				t.Fatalf("%d threads: no record of %d rows from %q: %v", threads, rows, first, r.Err())
			}
		}
		next(1, "x")
		go io.WriteString(out, "y\n3,z\n")
		next(2, "y")
		go func() {
			io.WriteString(out, "4,end")
			out.Close()
		}()
		next(1, "end")
		if r.Next() || r.Err() != nil {
			t.Errorf("%v", r.Err())
		}
		r.Release()
	}
}

// TestBatchTimeLimit: who wants one row does not wait for a second, and the writer is let go.
func TestBatchTimeLimit(t *testing.T) {
	in, out := io.Pipe()
	go io.WriteString(out, "a,b\n1,x\n")
	r, err := runtime.NewReader(in, spec(t, pairs), runtime.WithEngine(cpu.Engine), runtime.WithLimit(1), runtime.WithBatchTime(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Next() || r.Next() || r.Err() != nil {
		t.Error(r.Err())
	}
	r.Release()
	out.Close()
}

// TestBatchTimeRows: what is read does not depend on when it comes.
func TestBatchTimeRows(t *testing.T) {
	p := spec(t, columns)
	in := numbered(3000)
	want := read(t, p, strings.NewReader(in), runtime.WithEngine(engines["reference"]))
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		pr, pw := io.Pipe()
		go func() {
			for rest := in; rest != ""; {
				n := min(len(rest), 1+rng.IntN(20_000))
				io.WriteString(pw, rest[:n])
				rest = rest[n:]
				if rng.IntN(4) == 0 {
					time.Sleep(time.Duration(rng.IntN(8)) * time.Millisecond)
				}
			}
			pw.Close()
		}()
		var rejects []string
		r, err := runtime.NewReader(pr, p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1+int(seed%3)), runtime.WithPartitionSize(4<<10<<(seed%3)),
			runtime.WithBatchTime(time.Duration(1+seed)*time.Millisecond), runtime.WithRejectHandler(func(j *runtime.Reject) error {
				rejects = append(rejects, j.Error())
				return nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for r.Next() {
			for i := range int(r.Record().NumRows()) {
				var row []string
				for _, c := range r.Record().Columns() {
					row = append(row, c.ValueStr(i))
				}
				rows = append(rows, strings.Join(row, "|"))
			}
		}
		if r.Err() != nil || int64(len(rows)) != want.stats.Rows || len(rejects) != len(want.rejects) || r.Stats().Records != want.stats.Records {
			t.Errorf("seed %d: %d rows, %d rejects, want %d and %d: %v", seed, len(rows), len(rejects), want.stats.Rows, len(want.rejects), r.Err())
		}
		for i, row := range rows {
			if id := strings.SplitN(row, "|", 2)[0]; i > 0 && id == strings.SplitN(rows[i-1], "|", 2)[0] {
				t.Fatalf("row %d comes twice: %s", i, row)
			}
		}
		if last := fmt.Sprint(rows[len(rows)-1]); !strings.HasPrefix(last, "3000|") {
			t.Errorf("the last row is %s", last)
		}
		r.Release()
	}
}
