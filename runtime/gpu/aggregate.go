//go:build cuda

package gpu

import (
	"errors"
	"os"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/aggregate"
	"github.com/dfaparse/dfaparse/runtime"
)

// Aggregate groups the rows of an input on the device, of which only groups come to the host.
// bind makes a plan for the columns that there are. What is given is finished by the caller.
//
// Where aggregate.Elsewhere is the error, nothing was delivered and nothing is known of
// the input: it is to be read by a Reader. That is so of what the device does not do, and of an
// input with records that cannot be read, for a Reader says which.
func (e *Engine) Aggregate(in Input, p *dfa.Program, bind func(*arrow.Schema) (*aggregate.Plan, error), o aggregate.Options, opts ...runtime.Option) (a *aggregate.Aggregation, s runtime.Stats, how string, err error) {
	c, err := e.Columns(in, p, opts...)
	if err != nil {
		return nil, s, "", elsewhere(err)
	}
	defer c.Close()
	c.strict = true
	plan, err := bind(c.Schema())
	if err != nil {
		return nil, s, "", elsewhere(err)
	}
	most := o.Memory
	if most <= 0 {
		most = aggregate.DefaultMemory
	}
	o.Threads = 1 // who adds groups of the device
	a = aggregate.New(plan, o)
	g := &Grouped{}
	if err = e.group(c, plan, int(most), a, g); err != nil {
		a.Close()
		return nil, s, "", elsewhere(err)
	}
	s = c.begin.Stats
	s.Rows, s.Records, s.Batches = c.rows, c.rows, g.Batches
	s.Bytes += c.extents.Bytes()
	s.Account.Delivered = runtime.Extent{Records: c.rows, Bytes: c.extents.Data}
	s.Account.Dropped.Records += c.extents.Dropped.Records
	s.Account.Dropped.Bytes += c.extents.Dropped.Bytes
	s.Account.Directives.Records += c.extents.Directives.Records
	s.Account.Directives.Bytes += c.extents.Directives.Bytes
	s.Account.Tail += c.extents.Tail
	return a, s, g.String(), nil
}

// AggregateFile is Aggregate of a file, from its begin to its end.
func (e *Engine) AggregateFile(f *os.File, p *dfa.Program, bind func(*arrow.Schema) (*aggregate.Plan, error), o aggregate.Options, opts ...runtime.Option) (a *aggregate.Aggregation, s runtime.Stats, how string, err error) {
	before, err := f.Stat()
	if err != nil {
		return nil, s, "", err
	}
	in, unmap, err := fileInput(f)
	if err != nil {
		return nil, s, "", elsewhere(err)
	}
	defer unmap()
	err = runtime.Guard(in.host, func() error {
		a, s, how, err = e.Aggregate(in, p, bind, o, opts...)
		return err
	})
	if err != nil {
		return nil, s, "", elsewhere(err)
	}
	if after, err := f.Stat(); err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		a.Close()
		return nil, s, "", &aggregate.Elsewhere{Why: "the file has changed"}
	}
	return a, s, how, nil
}

// elsewhere is err as a reason to read by a Reader, which fails likewise if the reason is
// the input.
func elsewhere(err error) error {
	var other *aggregate.Elsewhere
	if errors.As(err, &other) {
		return err
	}
	why, ok := isHost(err)
	if !ok {
		why = err.Error()
	}
	return &aggregate.Elsewhere{Why: why}
}

func (e *Engine) group(c *Columns, plan *aggregate.Plan, most int, into *aggregate.Aggregation, g *Grouped) error {
	if len(c.begin.Hints) > 0 {
		return &errHost{"a hint is to be told"}
	}
	if len(c.parser.mine) == 0 {
		return &errHost{"no column is converted by the device"}
	}
	t, err := newGroupTable(c.parser.device, plan, c.Schema(), most, into)
	if err != nil {
		return err
	}
	defer t.close()
	for c.Next() {
		if err := t.add(c.Batch()); err != nil {
			return err
		}
		t.report.Batches++
	}
	if err := errors.Join(c.Err(), t.finish()); err != nil {
		return err
	}
	t.report.Rows, t.report.Left = c.Rows(), c.Left()
	*g = t.report
	return nil
}
