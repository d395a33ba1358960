package dfaparse

import (
	"context"
	goruntime "runtime"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/expr"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/sort"
	"github.com/dfaparse/dfaparse/runtime"
)

// Order says in which order Sort puts rows, in the words of docs/sort.md.
type Order struct {
	By    string // "time, host desc nulls first"
	Limit int64  // only the first so many rows; 0: all

	Threads int    // 0: GOMAXPROCS
	Memory  int64  // about how many bytes rows take until they go to files; 0: 1 GiB
	Dir     string // of these files; "": the system's folder for temporary ones

	// Engine sorts on its device, if it is one that does, as that of package runtime/gpu; what many rows'
	// keys come to. The order is the same. DeviceMemory bounds the bytes that it takes there; 0: what is free.
	Engine       runtime.Engine
	DeviceMemory int64
}

func (o *Order) parse() (*sort.Parsed, error) {
	return sort.Parse(expr.Source{Name: "By", Text: o.By})
}

// Columns are the columns that rows are sorted by.
func (o Order) Columns() ([]string, error) {
	p, err := o.parse()
	if err != nil {
		return nil, err
	}
	return append([]string{}, p.Columns()...), nil
}

// Sort puts the rows that are left of r in order. Rows whose keys are equal stay in the order
// that they had. It reads all of r before it returns; what is wrong with the order is said,
// with line and column, before that. Release what is given, and with it the files are gone.
func Sort(ctx context.Context, r array.RecordReader, o Order) (array.RecordReader, error) {
	parsed, err := o.parse()
	if err != nil {
		return nil, err
	}
	plan, err := parsed.Bind(r.Schema())
	if err != nil {
		return nil, err
	}
	if o.Threads == 0 {
		o.Threads = goruntime.GOMAXPROCS(0)
	}
	numbers, _ := o.Engine.(sort.Numbers)
	s := sort.New(plan, sort.Options{Limit: o.Limit, Threads: o.Threads, Memory: o.Memory, Dir: o.Dir, Numbers: numbers, DeviceMemory: o.DeviceMemory})
	add := s.Add
	if _, grow := r.(*Reader); !grow && output.Dictionaries(r.Schema(), r.Schema().NumFields()) > 0 {
		var u output.Unifier
		defer u.Release()
		add = func(ctx context.Context, rec arrow.Record) error {
			u.NextInput()
			unified, err := u.Record(rec)
			if unified != nil {
				defer unified.Release()
			}
			if err != nil {
				return err
			}
			return s.Add(ctx, unified)
		}
	}
	for r.Next() {
		if err = ctx.Err(); err == nil {
			err = add(ctx, r.Record())
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return newPulled(ctx, r.Schema(), s.Finish, s.Close), nil
}
