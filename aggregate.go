package dfaparse

import (
	"context"
	goruntime "runtime"

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
	return newPulled(ctx, plan.Schema(), a.Finish, a.Close), nil
}
