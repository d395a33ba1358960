package dfaparse

import (
	"context"
	"iter"
	goruntime "runtime"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/aggregate"
)

// Query says how Aggregate groups rows and what it finds out of the groups, in the
// words of docs/aggregate.md.
type Query struct {
	By    string // "hour(time) status"; "": all rows are one group
	Agg   string // "count() mean(size) as average"; "" is "count()"
	Where string // "status >= 500 and size > 0"; "": all rows
	Top   int    // only so many groups, those with the largest first aggregate; 0: all, in the order of their keys

	Threads int    // 0: GOMAXPROCS
	Memory  int64  // about how many bytes groups take until they go to files; 0: 1 GiB
	Dir     string // of these files; "": the system's folder for temporary ones
}

func (q *Query) parse() (*aggregate.Parsed, error) {
	return aggregate.Parse(aggregate.Query{
		By: q.By, Agg: q.Agg, Where: q.Where, Top: q.Top,
		Names: aggregate.Names{By: "By", Agg: "Agg", Where: "Where", Top: "Top"},
	})
}

// Columns are the columns that the query reads, for WithColumns: the others need
// not be converted.
func (q Query) Columns() ([]string, error) {
	p, err := q.parse()
	if err != nil {
		return nil, err
	}
	return append([]string{}, p.Columns()...), nil // not nil, which would be all
}

// Aggregate groups the rows that are left of r, and gives a record for each group: its
// keys, then its aggregates. What is wrong with the query is said with line and
// column before anything is read. Release what is given.
func Aggregate(ctx context.Context, r array.RecordReader, q Query) (array.RecordReader, error) {
	parsed, err := q.parse()
	if err != nil {
		return nil, err
	}
	plan, err := parsed.Bind(r.Schema())
	if err != nil {
		return nil, err
	}
	if q.Threads == 0 {
		q.Threads = goruntime.GOMAXPROCS(0)
	}
	a := aggregate.New(plan, aggregate.Options{Threads: q.Threads, Memory: q.Memory, Dir: q.Dir})
	for r.Next() {
		if err = ctx.Err(); err == nil {
			err = a.Add(r.Record())
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	g := &groups{schema: plan.Schema()}
	g.refs.Store(1)
	g.next, g.stop = iter.Pull2(func(yield func(arrow.Record, error) bool) {
		stopped := false
		err := a.Finish(ctx, func(rec arrow.Record) error {
			if stopped = !yield(rec, nil); stopped {
				return context.Canceled
			}
			return nil
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	})
	g.close = a.Close
	return g, nil
}

// groups are the results of Aggregate.
type groups struct {
	refs    atomic.Int64
	schema  *arrow.Schema
	next    func() (arrow.Record, error, bool)
	stop    func()
	close   func()
	current arrow.Record
	err     error
}

// Schema implements array.RecordReader, and so do the others.
func (g *groups) Schema() *arrow.Schema { return g.schema }
func (g *groups) Record() arrow.Record  { return g.current }
func (g *groups) Err() error            { return g.err }
func (g *groups) Retain()               { g.refs.Add(1) }

func (g *groups) Next() bool {
	if g.err != nil {
		return false
	}
	var ok bool
	g.current, g.err, ok = g.next()
	if !ok {
		g.current = nil
	}
	return ok && g.err == nil
}

func (g *groups) Release() {
	if g.refs.Add(-1) == 0 {
		g.stop()
		g.close()
	}
}
