package dfaparse

import (
	"context"
	"fmt"

	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/splits"
	"github.com/dfaparse/dfaparse/runtime"
)

// Split is a range of a file that begins and ends where records do, with all that one has
// to know to read exactly these. It is plain data of a few hundred bytes, for JSON.
type Split = runtime.Split

// The errors of splits and indexes, for errors.Is.
var (
	ErrStale   = splits.ErrStale   // the file is not any more what it was when they were made
	ErrDamaged = splits.ErrDamaged // the index is none, or not any more
)

const mostSplits = 1 << 20

// SplitFile gives n splits of about the same size, which together are the file: each of its
// records is in one, wherever it begins and however long it is. Splits are empty where there
// are more of them than records. The file is read once for that, with all cores; its
// index (IndexFile), if it has one, makes that unnecessary.
//
// Options say the format, as for Open; what they say of columns, of records that cannot
// be read and of how many are wanted is of no effect.
func SplitFile(ctx context.Context, path string, n int, opts ...Option) ([]Split, error) {
	if n < 1 || n > mostSplits {
		return nil, &OptionError{Option: "SplitFile", Reason: fmt.Sprintf("%d splits, want 1 to %d", n, mostSplits)}
	}
	f, err := splitting(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Split(n)
}

// IndexFile reads a file once and writes its index beside it, as path.dfai: with it,
// SplitFile and SplitRecords need not read the file from its beginning.
func IndexFile(ctx context.Context, path string, opts ...Option) error {
	f, err := splitting(ctx, path, opts)
	if err != nil {
		return err
	}
	defer f.Close()
	x, err := f.Survey(splits.Every)
	if err != nil {
		return err
	}
	return splits.WriteIndex(x, path+splits.Extension)
}

// SplitRecords is the split of the data records from one to another, both counted from 1 and
// both in it; to is 0 for all that follow. With an index of the file (IndexFile) hardly
// more than these are read.
func SplitRecords(ctx context.Context, path string, from, to int64, opts ...Option) (*Split, error) {
	if from < 1 || to != 0 && to < from {
		return nil, &OptionError{Option: "SplitRecords", Reason: fmt.Sprintf("records %d to %d", from, to)}
	}
	f, err := splitting(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Records(from, to)
}

func splitting(ctx context.Context, path string, opts []Option) (*splits.File, error) {
	s, err := newSettings(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	if s.joins() {
		return nil, errSplitJoined
	}
	return splits.OpenFile(ctx, path, s.program, s.runtime...)
}

var errSplitJoined = &OptionError{Option: "WithSplit", Reason: "a split is of one file as it is, in a format that is given: not with an encoding, a separator and the like, or columns that are no format's"}

// WithSplit reads the records of a split, of the file that it was made of, and in the same
// format. Places are those of the file, and so are the records that WithSkip passes over;
// WithLimit and WithMaxRejects are the split's. ErrStale is the error of a file that has
// changed since.
func WithSplit(split *Split) Option {
	return func(s *settings) {
		s.split = split
		With(runtime.WithSplit(split))(s)
	}
}

// resume lets an input be read by a split, if one is asked for, and refuses one that has
// changed since its split was made.
func (s *settings) resume(in *input.Input) error {
	if s.split == nil {
		return nil
	}
	return splits.Resume(in, s.split)
}
