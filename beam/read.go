package beam

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dfaparse/dfaparse"
)

// Options say how files are read. They travel to the workers.
type Options struct {
	Format  string `json:"format,omitempty"`   // as dfaparse.Format takes it; "": by the file's name
	Spec    string `json:"spec,omitempty"`     // the text of a spec, in place of Format
	OnError string `json:"on_error,omitempty"` // fail, null or reject; "": as the format says
	Splits  int    `json:"splits,omitempty"`   // of each file; 0: 64
}

const splitsOfFile = 64

var errorModes = map[string]dfaparse.Option{
	"fail":   dfaparse.WithErrorMode(dfaparse.ModeFail),
	"null":   dfaparse.WithErrorMode(dfaparse.ModeNull),
	"reject": dfaparse.WithErrorMode(dfaparse.ModeReject),
}

// options are dfaparse's.
func (o *Options) options() ([]dfaparse.Option, error) {
	var opts []dfaparse.Option
	switch {
	case o.Format != "" && o.Spec != "":
		return nil, fmt.Errorf("a format and a spec: one of the two says how files are read")
	case o.Format != "":
		opts = append(opts, dfaparse.Format(o.Format))
	case o.Spec != "":
		opts = append(opts, dfaparse.Spec(o.Spec))
	}
	if o.OnError != "" {
		mode, ok := errorModes[o.OnError]
		if !ok {
			return nil, fmt.Errorf("OnError is %q, want fail, null or reject", o.OnError)
		}
		opts = append(opts, mode)
	}
	return opts, nil
}

// Read gives the rows of files, each a T, whose fields name columns as dfaparse.Rows wants
// it. Register makes T known first, in an init function.
func Read[T any](s beam.Scope, o Options, paths ...string) beam.PCollection {
	s = s.Scope("dfaparse.Read")
	files := beam.ParDo(s, &cutFn{Options: o}, beam.CreateList(s, paths))
	return beam.ParDo(s, &readFn[T]{Options: o}, beam.Reshuffle(s, files))
}

// Register makes rows of the type T known to Beam.
func Register[T any]() {
	beam.RegisterType(reflect.TypeFor[T]())
	beam.RegisterType(reflect.TypeFor[readFn[T]]())
	register.DoFn4x1[context.Context, *sdf.LockRTracker, file, func(T), error](&readFn[T]{})
	register.Emitter1[T]()
}

func init() {
	beam.RegisterType(reflect.TypeFor[file]())
	register.DoFn3x1[context.Context, string, func(file), error](&cutFn{})
	register.Emitter1[file]()
}

// file is a file and its splits, each as JSON.
type file struct {
	Path   string
	Splits [][]byte
}

// cutFn makes the splits of a file.
type cutFn struct{ Options Options }

func (f *cutFn) ProcessElement(ctx context.Context, path string, emit func(file)) error {
	opts, err := f.Options.options()
	if err != nil {
		return err
	}
	n := f.Options.Splits
	if n == 0 {
		n = splitsOfFile
	}
	splits, err := dfaparse.SplitFile(ctx, path, n, opts...)
	if err != nil {
		return err
	}
	cut := file{Path: path}
	for i := range splits {
		if splits[i].Empty() {
			continue
		}
		text, err := json.Marshal(&splits[i])
		if err != nil {
			return err
		}
		cut.Splits = append(cut.Splits, text)
	}
	emit(cut)
	return nil
}

// readFn reads a range of a file's splits.
type readFn[T any] struct{ Options Options }

// CreateInitialRestriction is all of them.
func (f *readFn[T]) CreateInitialRestriction(of file) offsetrange.Restriction {
	return offsetrange.Restriction{Start: 0, End: int64(len(of.Splits))}
}

// SplitRestriction lets each be read by another worker.
func (f *readFn[T]) SplitRestriction(_ file, r offsetrange.Restriction) []offsetrange.Restriction {
	return r.SizedSplits(1)
}

// RestrictionSize is how many bytes the splits have.
func (f *readFn[T]) RestrictionSize(of file, r offsetrange.Restriction) float64 {
	nbytes := int64(0)
	for i := r.Start; i < r.End; i++ {
		var s dfaparse.Split
		if json.Unmarshal(of.Splits[i], &s) == nil {
			nbytes += s.End - s.Start.Offset
		}
	}
	return float64(nbytes)
}

// CreateTracker tracks which splits are read.
func (f *readFn[T]) CreateTracker(r offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(r))
}

// ProcessElement reads those that it can claim.
func (f *readFn[T]) ProcessElement(ctx context.Context, tracker *sdf.LockRTracker, of file, emit func(T)) error {
	r := tracker.GetRestriction().(offsetrange.Restriction)
	for i := r.Start; tracker.TryClaim(i); i++ {
		if err := f.read(ctx, of.Path, of.Splits[i], emit); err != nil {
			return err
		}
	}
	return nil
}

func (f *readFn[T]) read(ctx context.Context, path string, text []byte, emit func(T)) error {
	var s dfaparse.Split
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	opts, err := f.Options.options()
	if err != nil {
		return err
	}
	in, err := dfaparse.Open(ctx, path, append(opts, dfaparse.WithSplit(&s), dfaparse.WithThreads(1))...)
	if err != nil {
		return err
	}
	defer in.Close()
	for row, err := range dfaparse.Rows[T](in) {
		if err != nil {
			return err
		}
		emit(row)
	}
	return nil
}
