package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	lent "github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// lending is an engine that lends the memory of its rows, as that for GPUs does,
// some rows at a time. What has come back is overwritten.
type lending struct {
	runtime.Engine
	rows int           // of each part of a Result
	open *atomic.Int64 // Leases that have not ended
	all  *atomic.Int64 // Leases
}

func newLending(e runtime.Engine, rows int) lending {
	return lending{e, rows, new(atomic.Int64), new(atomic.Int64)}
}

func (e lending) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	whole := *plan
	whole.Drops = nil
	p, err := e.Engine.Open(&whole, cfg)
	return &lender{parser: p, e: e, plan: plan}, err
}

type lender struct {
	parser runtime.Parser
	e      lending
	last   []*lent.Lease
	plan   *runtime.Plan
	from   runtime.Lexicons // what dictionaries begin with; nil: with nothing
}

func (l *lender) Parse(ctx context.Context, p *runtime.Partition) (*runtime.Result, error) {
	l.end()
	part := *p
	part.Batches, l.from = nil, p.Lexicons
	result, err := l.parser.Parse(ctx, &part)
	if err != nil {
		return nil, err
	}
	out := *result
	out.Rows = nil
	for i := range result.Rows {
		all := &result.Rows[i]
		for from := 0; from < all.N; from += l.e.rows {
			out.Rows = append(out.Rows, l.lend(all, from, min(from+l.e.rows, all.N)))
		}
	}
	return &out, nil
}

// lend gives the rows from up to to of all, in memory of their own.
func (l *lender) lend(all *runtime.Rows, from, to int) runtime.Rows {
	rows := runtime.Rows{N: to - from}
	for i, c := range all.Columns {
		own := lent.New(c.Form)
		if l.from != nil && l.plan != nil && l.plan.Def(l.plan.Outputs[i]).Type.Kind == dfa.Dictionary {
			own.Begin(l.from.Lexicon(i))
		}
		own.AppendRows(c, from, to)
		rows.Columns = append(rows.Columns, own)
	}
	for _, problem := range all.Problems {
		if problem.Row -= from; problem.Row >= 0 && problem.Row < rows.N {
			rows.Problems = append(rows.Problems, problem)
		}
	}
	for _, note := range all.Notes {
		if note.Row -= from; note.Row >= 0 && note.Row < rows.N {
			rows.Notes = append(rows.Notes, note)
		}
	}
	l.e.open.Add(1)
	l.e.all.Add(1)
	rows.Lease = lent.NewLease(func() {
		l.e.open.Add(-1)
		for _, c := range rows.Columns {
			overwrite(c)
		}
	})
	l.last = append(l.last, rows.Lease)
	return rows
}

func overwrite(c *lent.Column) {
	for _, b := range [][]byte{c.Valid, c.Fixed, c.Data} {
		for i := range b {
			b[i] = 0xdb
		}
	}
	for i := range c.Offsets {
		c.Offsets[i] = -1
	}
	for _, child := range c.Children {
		overwrite(child)
	}
}

// end lets go of what the last Result was made of.
func (l *lender) end() {
	for _, lease := range l.last {
		lease.Release()
	}
	l.last = nil
}

func (l *lender) Close() error {
	l.end()
	return l.parser.Close()
}

// TestLending: records are made of memory that the engine lends, which stays what
// it is until the last of their arrays is released, beyond the Reader's end; rows
// that lie in two parts, and what is taken out of records that do not give their
// memory back, are copies.
func TestLending(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { n i64  s str  b bool  d dict  e enum(x y)  l list(i32, sep ';')  m map(str, pairs ';')  ip ip }`)
	var in strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&in, "%d,text %d,%v,d%d,%c,%d;%d,a=%d,10.0.0.%d\n", i, i, i%3 == 0, i%7, 'x'+i%2, i, -i, i, i%256)
	}
	want := read(t, p, strings.NewReader(in.String()), runtime.WithBatchSize(64)).rows
	for _, reuse := range []bool{true, false} {
		e := newLending(reference.Engine, 300)
		opts := []runtime.Option{runtime.WithEngine(e), runtime.WithBatchSize(64), runtime.WithPartitionSize(15000)}
		if reuse {
			opts = append(opts, runtime.WithReuse())
		}
		r, err := runtime.ReadBytes([]byte(in.String()), p, opts...)
		if err != nil {
			t.Fatal(err)
		}
		var kept []arrow.Record
		for r.Next() {
			r.Record().Retain()
			kept = append(kept, r.Record())
		}
		if r.Err() != nil || len(kept) != 16 {
			t.Fatalf("%d records, %v", len(kept), r.Err())
		}
		r.Release()
		if all, open := e.all.Load(), e.open.Load(); all < 4 || reuse && open == 0 || !reuse && open != 0 {
			t.Errorf("reuse %v: %d of %d leases are held", reuse, open, all)
		}
		row := 0
		for _, rec := range kept {
			for i := range int(rec.NumRows()) {
				if got := jsonRow(rec, i); got != want[row] {
					t.Fatalf("reuse %v: row %d is %s, want %s", reuse, row, got, want[row])
				}
				row++
			}
			n := rec.Column(0).(*array.Int64).Int64Values()
			rec.Release()
			if !reuse && n[0] == -0x2424242424242425 {
				t.Error("what was taken out of a record has changed")
			}
		}
		if open := e.open.Load(); open != 0 {
			t.Errorf("reuse %v: %d leases are held by nobody", reuse, open)
		}
	}
}

// TestLendingLong: long texts that are lent in several parts are whole in the records that
// are made of them, whose copies are parted.
func TestLendingLong(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { n i64  s str  d dict }`)
	var in strings.Builder
	for i := range 40 {
		fmt.Fprintf(&in, "%d,%s,d%d\n", i, strings.Repeat(string(rune('a'+i%26)), 100_000+777*i), i%5)
	}
	want := read(t, p, strings.NewReader(in.String()), runtime.WithBatchSize(64)).rows
	for _, rows := range []int{7, 12, 100} { // of a part; a record has 9
		e := newLending(cpu.Engine, rows)
		r, err := runtime.ReadBytes([]byte(in.String()), p, runtime.WithEngine(e), runtime.WithReuse(), runtime.WithBatchSize(9), runtime.WithPartitionSize(2_000_000), runtime.WithThreads(4))
		if err != nil {
			t.Fatal(err)
		}
		row := 0
		for r.Next() {
			rec := r.Record()
			if n := int(rec.NumRows()); n != min(9, len(want)-row) {
				t.Errorf("a record of %d rows at row %d", n, row)
			}
			for i := range int(rec.NumRows()) {
				if got := jsonRow(rec, i); got != want[row] {
					t.Fatalf("parts of %d rows: row %d is %.60s, want %.60s", rows, row, got, want[row])
				}
				row++
			}
		}
		if r.Err() != nil || row != len(want) || r.Stats().Rows != int64(row) || r.Stats().Batches != 5 {
			t.Errorf("%d rows, %+v, error %v", row, r.Stats(), r.Err())
		}
		r.Release()
		if open := e.open.Load(); open != 0 {
			t.Errorf("%d leases are held by nobody", open)
		}
	}
}

// TestLendingReleased: a Reader that is given up lets go of what was lent for the
// records that nobody has taken.
func TestLendingReleased(t *testing.T) {
	p := spec(t, pairOf)
	for n := range 5 {
		e := newLending(cpu.Engine, 20)
		r, err := runtime.NewReader(&endless{text: "some,thing\n"}, p, runtime.WithEngine(e), runtime.WithReuse(), runtime.WithBatchSize(7), runtime.WithPartitionSize(5000))
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			if !r.Next() {
				t.Fatal(r.Err())
			}
		}
		r.Release()
		if e.open.Load() != 0 || n > 0 && e.all.Load() == 0 {
			t.Errorf("after %d records %d of %d leases are held", n, e.open.Load(), e.all.Load())
		}
	}
}

// TestLendingModes: skip, limit and error modes find rows that are lent where they
// find others.
func TestLendingModes(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { n i64  s str }`)
	var in strings.Builder
	for i := range 500 {
		if i%50 < 3 {
			fmt.Fprintf(&in, "x%d,bad\n", i)
		} else {
			fmt.Fprintf(&in, "%d,row %d\n", i, i)
		}
	}
	for _, mode := range []dfa.ErrorMode{dfa.Null, dfa.Reject} {
		for _, skip := range []int64{0, 1, 17} {
			for _, limit := range []int64{-1, 3, 130} {
				text(t, p, in.String(), runtime.WithErrorMode(mode), runtime.WithSkip(skip), runtime.WithLimit(limit), runtime.WithBatchSize(11))
			}
		}
	}
}
