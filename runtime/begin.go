package runtime

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
)

// Beginning is what a Reader has found out about an input when it comes to the first
// record: for those who hand an engine's Results on in another form than Arrow
// records of the host.
type Beginning struct {
	Context context.Context
	Plan    *Plan
	Config  Config
	Schema  *arrow.Schema // of the columns that are delivered
	Offset  int           // of the first record in the data
	State   dfa.StateID   // the context there
	Binding *Binding      // in force there
	Fails   bool          // a problem that Lenient does not forgive ends the reading; in the other modes Plan.Drops says what is left out
	Lenient func(*Problem) bool
	Stats   Stats // of what comes before the first record
	Hints   []string
}

// Begin reads the header and the directives at the head of data as a Reader with these
// options does. Options that choose among the records are none for it.
func Begin(data []byte, p *dfa.Program, opts ...Option) (*Beginning, error) {
	r, err := ReadBytes(data, p, opts...)
	if err != nil {
		return nil, err
	}
	r.Release() // only what it has found out is wanted
	switch o := r.o; {
	case r.err != nil:
		return nil, r.err
	case o.growing:
		return nil, &OptionError{"WithGrowing", "a file that grows is for a Reader"}
	case o.limit >= 0 || o.skip > 0:
		return nil, &OptionError{"WithLimit", "a limit, or records to pass over, are for a Reader"}
	case o.account != nil:
		return nil, &OptionError{"WithMemory", fmt.Sprintf("a bound of %d bytes of memory is for a Reader", o.memory)}
	}
	plan := *r.plan
	plan.Settles = false
	return &Beginning{
		Context: r.o.ctx, Plan: &plan, Config: r.o.config(), Schema: r.schema, Offset: int(r.pos.offset), State: r.state, Binding: r.binding,
		Fails: r.o.mode == dfa.Fail, Lenient: r.lenient, Stats: r.stats, Hints: r.hints,
	}, nil
}
