package dfaparse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/charset"
	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// Option says how to read: Format, Spec or Program in which format, the others
// what and how.
type Option func(*settings)

type settings struct {
	runtime []runtime.Option
	formats []func(context.Context) (*dfa.Program, error) // one is wanted
	program *dfa.Program

	format     string       // of the one option Format, if it is one of those of which more can be said
	byName     bool         // it is that of the extension
	given      *infer.Given // nil: nothing of how a delimited input is written
	said       string       // the option that said so
	dialect    bool         // more was said than that it be found out
	wrong      error        // what one of them cannot mean
	encoding   string
	ascii      bool // the columns of the format are told by their bytes, see Program.CountsBytes
	together   discover.Together
	columns    []string // nil: all
	limit      *int64   // nil: all
	skip       int64
	maxRejects *int64 // nil: any number
	skipLines  int64
	split      *Split         // nil: all
	forgiving  bool           // what cannot be read does not end the reading
	engine     runtime.Engine // that WithEngine has given; nil: none
}

// errNoFormat is for a file without an extension that would say its format.
var errNoFormat = errors.New("no format: give one with Format, Spec or Program, or find it out with Infer")

func newSettings(ctx context.Context, path string, opts []Option) (*settings, error) {
	s := &settings{runtime: []runtime.Option{runtime.WithContext(ctx), runtime.WithEngine(cpu.Engine)}}
	for _, f := range opts {
		f(s)
	}
	if err := s.checkGiven(); err != nil {
		return nil, err
	}
	if s.given != nil && len(s.formats) < 2 {
		switch _, delimited := infer.Delimited(s.format); {
		case len(s.formats) == 0 || delimited:
			return s, nil
		case !s.ofFolders():
			return nil, &OptionError{Option: s.said, Reason: s.said + " says how a delimited input is written, and the format says that too: leave one away"}
		}
	}
	switch name, ok := formats.ByExtension(input.Bare(path)); {
	case len(s.formats) > 1:
		return nil, &OptionError{Option: "Format", Reason: fmt.Sprintf("%d formats: one input has one", len(s.formats))}
	case len(s.formats) == 1:
	case ok:
		Format(name)(s)
		s.byName = true
	case path != "":
		return nil, fmt.Errorf("%s: %w", path, errNoFormat)
	default:
		return nil, errNoFormat
	}
	var err error
	if s.program, err = s.formats[0](ctx); err == nil && s.program != nil {
		err = s.decodedAs(s.program)
	}
	return s, err
}

// ofFolders reports whether what is given may be meant for the columns of folders, of which no format says anything.
func (s *settings) ofFolders() bool {
	return s.together.Hive && reflect.DeepEqual(*s.given, infer.Given{Types: s.given.Types, AllStrings: s.given.AllStrings})
}

// decodedAs finds the encoding of what p reads, and makes p the Program of the text that it is.
func (s *settings) decodedAs(p *dfa.Program) error {
	s.encoding = cmp.Or(s.encoding, p.Encoding)
	if canonical, err := charset.Canonical(s.encoding); s.encoding != "" && err == nil && canonical == "" {
		s.encoding = "" // as is all that is not decoded
	}
	if s.encoding != "" && len(p.Cells) > 0 {
		return &OptionError{Option: "WithEncoding", Reason: fmt.Sprintf("records of %s are binary, and no text in %s", p.Name, s.encoding)}
	}
	s.program, s.ascii = p.OfText(), p.CountsBytes()
	return nil
}

// options are the runtime's, of an input of this name unless it has another.
func (s *settings) options(name string) []runtime.Option {
	return append([]runtime.Option{runtime.WithName(name)}, s.runtime...)
}

// Format is a format by what "dfaparse -f" takes: the name of a built-in one
// (docs/formats.md), the path of a spec (.dfp, or .dfp:NAME for one of several)
// or of a saved Program (.dfac), or the name of a spec in ./formats or in a folder
// of $DFAPARSE_PATH. The tests in a spec are run. KIND:TEXT is what another tool has
// to describe a format, as "apache:%h %l %u %t \"%r\" %>s %b" (docs/import.md).
func Format(nameOrPath string) Option {
	find := format(func(ctx context.Context) (*dfa.Program, error) {
		found, err := formats.Find(nameOrPath)
		if err != nil {
			return nil, err
		}
		return compiled(ctx, found)
	})
	return func(s *settings) {
		s.format = nameOrPath
		find(s)
	}
}

// Spec is a format by the text of its spec, whose tests are run.
func Spec(text string) Option {
	return format(func(ctx context.Context) (*dfa.Program, error) {
		return compiled(ctx, &formats.Found{File: "spec", Source: []byte(text)})
	})
}

// Program is a format that was compiled before, or built in Go. Any number of
// Readers may share it.
func Program(p *dfa.Program) Option {
	return format(func(context.Context) (*dfa.Program, error) { return p, nil })
}

func format(f func(context.Context) (*dfa.Program, error)) Option {
	return func(s *settings) { s.formats = append(s.formats, f) }
}

func compiled(ctx context.Context, found *formats.Found) (*dfa.Program, error) {
	return found.Runnable(runtime.Verifier(cpu.Engine), compile.WithContext(ctx))
}

// With gives options of package runtime, for rare needs: UTF-8 that is not, the
// base of times without a year, files that grow, allocators, sizes.
func With(opts ...runtime.Option) Option {
	return func(s *settings) { s.runtime = append(s.runtime, opts...) }
}

// WithEngine reads with another engine than cpu.Engine: gpu.New() of package
// runtime/gpu, under the build tag cuda. What it gives is the same.
func WithEngine(e runtime.Engine) Option {
	return func(s *settings) {
		s.engine = e
		With(runtime.WithEngine(e))(s)
	}
}

// WithColumns delivers only the named columns, in this order. The others are not
// converted, so their values are not checked.
func WithColumns(names ...string) Option {
	return func(s *settings) {
		s.columns = names
		With(runtime.WithColumns(names...))(s)
	}
}

// WithLimit stops after n rows.
func WithLimit(n int64) Option {
	return func(s *settings) {
		if s.limit = &n; n < 0 {
			s.limit = nil // all
		}
		With(runtime.WithLimit(n))(s)
	}
}

// WithSkip passes over the first n records, whatever they hold.
func WithSkip(n int64) Option {
	return func(s *settings) {
		s.skip = n
		With(runtime.WithSkip(n))(s)
	}
}

// WithSkipLines passes over the first n lines, whatever they hold, before the
// header.
func WithSkipLines(n int64) Option {
	return func(s *settings) {
		s.skipLines = n
		With(runtime.WithSkipLines(n))(s)
	}
}

// WithShape reads the records of one shape, of a format that has several.
func WithShape(name string) Option { return With(runtime.WithShape(name)) }

// What becomes of a record that cannot be read.
const (
	ModeFail   = dfa.Fail   // the reading ends with a *ParseError
	ModeNull   = dfa.Null   // the field is null; a record that is malformed as a whole is left out
	ModeReject = dfa.Reject // the record is left out
)

// WithErrorMode replaces the format's own: ModeFail, ModeNull or ModeReject.
func WithErrorMode(m dfa.ErrorMode) Option {
	return func(s *settings) {
		With(runtime.WithErrorMode(m))(s)
		s.forgiving = m != dfa.Fail
	}
}

// WithRejects hands every reject to f, in input order, on the goroutine that calls
// Next. An error of f ends the reading.
func WithRejects(f func(*Reject) error) Option { return With(runtime.WithRejectHandler(f)) }

// WithMaxRejects fails at the reject after the n-th, with ErrTooManyRejects.
func WithMaxRejects(n int64) Option {
	return func(s *settings) {
		if s.maxRejects = &n; n < 0 {
			s.maxRejects = nil
		}
		With(runtime.WithMaxRejects(n))(s)
	}
}

// WithBatchSize sets the rows of each record but the last. Without it a record
// has at most 16,384 rows.
func WithBatchSize(rows int) Option { return With(runtime.WithBatchSize(rows)) }

// WithThreads sets the number of workers; the default is GOMAXPROCS.
func WithThreads(n int) Option { return With(runtime.WithThreads(n)) }

// WithMemory bounds the memory that the Reader may take, at least 8 MiB. What does
// not fit is a *MemoryError.
func WithMemory(nbytes int64) Option { return With(runtime.WithMemory(nbytes)) }

// WithName is the input's name in errors, in place of its path.
func WithName(name string) Option { return With(runtime.WithName(name)) }

// WithProgress calls f from time to time with the bytes read so far, decompressed.
func WithProgress(f func(nbytes int64)) Option { return With(runtime.WithProgress(f)) }
