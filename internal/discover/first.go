package discover

import (
	"context"
	"errors"
	"os"
	goruntime "runtime"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/union"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file is about the types that the first rows of inputs have: to read all rows by these,
// and to hold every value against them meanwhile, takes a third of the time that it takes to
// read them as texts and to look at those.

// From what size on inputs are read by the types of their first rows, and how many these are; of
// large inputs eight times as many. Tests have less.
var (
	TrustedBytes int64 = 2 << 20
	FirstRows    int64 = 1 << 11
)

// largeBytes is from what size on inputs are large. Others take a few hundredths of a second, much of
// which goes to fetching memory from the system, so that little of them is read at a time.
const (
	largeBytes = 16 << 20
	smallPart  = 256 << 10
	smallBatch = 4 << 10
)

// inSmallParts lets each thread read few bytes of an input at a time, if the inputs are not large.
func (in *Inputs) inSmallParts(opts []runtime.Option) []runtime.Option {
	if in.Size() >= largeBytes {
		return opts
	}
	return append(slices.Clip(opts), runtime.WithPartitionSize(smallPart*goruntime.GOMAXPROCS(0)))
}

// Trustworthy reports whether the inputs are not small, and can be read again if their first rows have
// other types than all of them.
func (in *Inputs) Trustworthy(f *Found, t *infer.Table) bool {
	var size int64
	for _, path := range in.Paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
		size += info.Size()
	}
	given := t.Given
	return size >= TrustedBytes && t.Keyed == nil && !f.Once && !given.Exact && in.Union != union.ByPosition &&
		(given.Misfits == "" || given.Misfits == "widen") && !(given.AllStrings && len(given.Types) == 0)
}

// TypesOfFirst infers the types of the first rows, and gives what holds all others against them;
// nil if these rows leave something open, as which of two types a column is, and the table is as it was then.
func (in *Inputs) TypesOfFirst(ctx context.Context, name string, f *Found, t *infer.Table) (*infer.Trust, error) {
	before, first := *t, *in
	rows := FirstRows
	if in.Size() >= largeBytes {
		rows *= 8
	}
	first.first = max(1, rows/int64(len(in.Paths)))
	first.Options = in.inSmallParts(in.Options)
	err := first.types(ctx, name, f, t, false)
	if err == nil && t.Rejected == 0 && t.Guessed() == nil && !(first.cut > 0 && t.DecidedFrom(first.cut-1)) {
		if trust := t.Trust(); trust != nil {
			if first.cut > 0 {
				t.Records = 0 // who knows how many there are
			}
			return trust, nil
		}
	}
	*t = before
	return nil, ctx.Err()
}

var errDoubted = errors.New("the types of the first rows are not those of all")

// hold reports whether all rows have the types that the first have, and counts them.
func (in *Inputs) hold(ctx context.Context, name string, f *Found, t *infer.Table, trust *infer.Trust) (bool, error) {
	spec, err := t.Build(ctx, name, true)
	if err != nil {
		return false, nil // whatever it is, the whole says
	}
	rows := int64(0)
	in.ends = NewOwnEnds(t, in.SkipLines)
	m := &many{Inputs: in, ctx: ctx}
	opts := append([]runtime.Option{runtime.WithName(f.Name)}, in.Options...)
	opts = append(opts, runtime.WithReuse(), runtime.WithErrorMode(dfa.Reject), runtime.WithMaxRejects(0), runtime.WithRejectDetails(1), runtime.WithLook(trust.Look))
	if in.Size() < largeBytes {
		opts = append(in.inSmallParts(opts), runtime.WithLooseBatches(), runtime.WithBatchSize(smallBatch))
	}
	err = m.read(spec.Program, trust.Typed(), func(r infer.Records) error {
		for r.Next() {
			if trust.Amiss() {
				return errDoubted
			}
		}
		s := r.Stats()
		rows += s.Rows
		return r.Err()
	}, opts...)
	if err != nil || trust.Amiss() {
		return false, ctx.Err()
	}
	t.Records, t.Lacking = rows, m.lacking
	return true, nil
}
