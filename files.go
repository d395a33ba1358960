package dfaparse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/abreast"
	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/union"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// OpenFiles begins to read several files as one table, in the order in which they are
// named. A name is a file, a folder, which stands for the files in it and in the folders in
// it, or a pattern, as "logs/**/*.csv"; both give files sorted by name (docs/sources.md).
//
// All have the same columns, in any order, unless WithUnion says otherwise. Options of
// package runtime (With) are of each file, WithLimit, WithSkip and WithMaxRejects of all of
// them.
func OpenFiles(ctx context.Context, names []string, opts ...Option) (*Reader, error) {
	paths, err := input.Expand(names)
	switch {
	case err != nil:
		return nil, err
	case len(paths) == 0:
		return nil, errors.New("no file is named")
	}
	paths, empty := input.WithoutEmpty(ctx, paths)
	s, err := newSettings(ctx, paths[0], opts)
	if err != nil {
		return nil, err
	}
	if s.split != nil {
		return nil, errSplitJoined
	}
	if s.byName {
		for _, path := range paths[1:] {
			if f, _ := formats.ByExtension(input.Bare(path)); f != s.format {
				return nil, fmt.Errorf("%s and %s have different formats: give one with Format, Spec or Program", paths[0], path)
			}
		}
	}
	r, err := s.join(ctx, paths, func(path string) (*input.Input, error) { return input.Open(ctx, path, nil) })
	if said := discover.SayEmpty(empty); err == nil && said != "" {
		j := r.r.(*joined)
		j.hints = append(j.hints, said)
	}
	return r, err
}

// How the columns of several inputs are matched, for WithUnion.
const (
	UnionByName     = string(union.ByName)     // all columns of all inputs, null where one has them not
	UnionByPosition = string(union.ByPosition) // the columns of the first, whatever others call theirs
)

// WithUnion matches the columns of several inputs by UnionByName or UnionByPosition.
// Without it all have the same columns, in any order.
func WithUnion(how string) Option { return func(s *settings) { s.together.Union = union.Mode(how) } }

// WithHive gives a column for each folder in the paths of inputs that is named as
// year=2024.
func WithHive() Option { return func(s *settings) { s.together.Hive = true } }

// WithFileColumn gives a column with the path of the input that a row is from.
func WithFileColumn(name string) Option { return func(s *settings) { s.together.FileColumn = name } }

// joins reports whether more is to be done than to read one input by a Program.
func (s *settings) joins() bool {
	return s.given != nil || s.encoding != "" || s.together != discover.Together{}
}

// join reads inputs as one table.
func (s *settings) join(ctx context.Context, paths []string, open func(path string) (*input.Input, error)) (*Reader, error) {
	switch s.together.Union {
	case union.Same, union.ByName, union.ByPosition:
	default:
		return nil, &OptionError{Option: "WithUnion", Reason: fmt.Sprintf("a union by %q, want %q or %q", s.together.Union, UnionByName, UnionByPosition)}
	}
	if s.together.Hive && slices.Contains(paths, "") {
		return nil, &OptionError{Option: "WithHive", Reason: "columns of folders are those of the paths of files, and the input is none"}
	}
	j := &joined{ctx: ctx, settings: s, paths: paths, unifier: &output.Unifier{}, matched: discover.NewMatched(s.together, paths, s.columns), held: map[string]*input.Input{}}
	j.refs.Store(1)
	j.in = &discover.Inputs{
		Paths: paths, Union: s.together.Union, SkipLines: s.skipLines, Encoding: s.encoding,
		Options: append(s.options(paths[0]), runtime.WithEngine(cpu.Engine), runtime.WithLimit(-1), runtime.WithSkip(0), runtime.WithSkipLines(0), runtime.WithColumns(),
			runtime.WithMaxRejects(-1), runtime.WithMaxRejectShare(1), runtime.WithProgress(nil)), // all of an input is looked at
	}
	j.in.Open = func(path string) (*input.Input, error) {
		if held := j.held[path]; held != nil {
			delete(j.held, path)
			return held, nil
		}
		return j.decoded(open(path))
	}
	j.in.Fresh = func(ctx context.Context, path string) (*input.Input, error) {
		return j.decoded(input.Open(ctx, path, nil))
	}
	j.in.Done = func(path string, in *input.Input, once bool) error {
		if once {
			j.held[path] = in
			return nil
		}
		var err error
		if again, ok := in.Reader.(io.Seeker); ok { // what somebody else has opened
			_, err = again.Seek(0, io.SeekStart)
		}
		return errors.Join(err, in.Close())
	}
	j.own = newOwnPlaces(ctx, paths, j.encodingToFind)
	if err := j.begin(); err != nil {
		err = j.own.error(err)
		j.close()
		return nil, err
	}
	return &Reader{r: j, decided: j.decided}, nil
}

// decoded is an input that was opened: in the encoding that was given, or where the first
// input was found to be no UTF-8, in the one that its beginning shows.
func (j *joined) decoded(in *input.Input, err error) (*input.Input, error) {
	if encoding := j.encodingToFind(); err == nil && encoding != "" {
		if err = in.Decode(encoding); err == nil && j.ascii {
			in.OnlyASCII()
		}
	}
	return in, err
}

// encodingToFind is the encoding of inputs, input.AutoEncoding where each shows its own, "" for UTF-8.
func (j *joined) encodingToFind() string {
	if j.in.Encoding == "" {
		return ""
	}
	return cmp.Or(j.encoding, input.AutoEncoding)
}

// joined reads several inputs as one table, or one that needs more than its Program.
type joined struct {
	*settings
	ctx     context.Context
	paths   []string
	in      *discover.Inputs
	held    map[string]*input.Input // by their paths: those that can be read only once, and have been looked at
	table   *infer.Table            // whose types are given to texts; nil: the Program knows all types
	late    *infer.Table            // of an input at whose end there may be a footer, which nobody has seen; else nil
	ends    *discover.OwnEnds       // that each of several inputs has; may be nil
	leftOut func() int              // how many lines that was; nil: there is none to be left out
	matched *discover.Matched
	unifier *output.Unifier
	decided string

	at      int // of the input that is read
	from    *input.Input
	inputs  *abreast.Group // nil: none has been opened
	r       abreast.Source // nil before the first and after the last
	aligned *union.Aligned
	typer   *infer.Typer
	schema  *arrow.Schema

	rec     arrow.Record
	err     error
	done    Stats // of inputs before
	rejects []*Reject
	own     *ownPlaces
	hints   []string
	refs    atomic.Int64
	closed  bool // before the end
}

// begin finds out what nobody has said, and opens the first input.
func (j *joined) begin() error {
	given := &infer.Given{}
	if j.given != nil {
		given = j.given
	}
	if err := j.matched.Folders(j.ctx, given); err != nil {
		return err
	}
	if j.program != nil && len(given.Types) > 0 {
		return &OptionError{Option: "WithTypes", Reason: fmt.Sprintf("no folder is named %s=…, and the format says the types of other columns", given.Types[0].Column)}
	}
	if j.program == nil {
		if err := j.discover(given); err != nil {
			return err
		}
	}
	if err := j.matched.Headers(j.ctx, j.in, j.program, append(j.options(j.paths[0]), runtime.WithEngine(cpu.Engine))...); err != nil {
		return err
	}
	return j.open()
}

// free reports whether nothing is said of how inputs are written.
func (s *settings) free() bool { return s.format == "" && !s.dialect }

// discover makes the Program of an input: of one that nobody has described the built-in
// format that it shows, or that of a delimited one.
func (j *joined) discover(given *infer.Given) error {
	if base, ok := infer.Delimited(j.format); ok {
		given = given.Over(base)
	}
	f, err := j.in.Look(!given.Exact, nil)
	if err != nil {
		return err
	}
	t, shown, err := f.Decide(j.ctx, j.paths[0], given, j.free())
	if err != nil {
		return err
	}
	if err := j.in.Settle(j.ctx, f, shown); err != nil {
		return err
	}
	if shown != nil && shown.Log != nil {
		j.program, j.decided = shown.Log.Build(j.ctx, "inferred").Program, shown.Log.String()+shown.Doubt()
		return nil
	}
	if shown != nil {
		j.program, err = formats.Program(shown.Name)
		j.decided = shown.Name + shown.Doubt()
		return err
	}
	if t.Looks() {
		if err := j.in.Types(j.ctx, "inferred", f, t, false); err != nil {
			return err
		}
	}
	typed := t.Columns != nil && !t.Sampled && given.Misfits != MisfitNull
	program, err := t.Program(j.ctx, "inferred", typed)
	if err != nil {
		return err
	}
	j.program = program
	if !typed && t.Columns != nil {
		j.table = t
	}
	if len(j.paths) == 1 && f.EndsLate(t, t.Columns != nil) {
		j.late = t
	}
	j.ends = discover.NewOwnEnds(t, j.skipLines)
	if !given.Exact {
		j.decided = t.Summary(f.InEncoding("WithEncoding"))
	}
	return nil
}

// inputOptions are those of the next input but for its name.
func (j *joined) inputOptions() []runtime.Option {
	opts := slices.Clone(j.runtime)
	if handler := runtime.ApartOf(opts...).Rejects; handler != nil {
		opts = append(opts, runtime.WithRejectHandler(func(r *Reject) error { return handler(j.own.handle(r)) }))
	}
	if j.limit != nil {
		opts = append(opts, runtime.WithLimit(max(0, *j.limit-j.done.Rows)))
	}
	if j.skip > 0 {
		opts = append(opts, runtime.WithSkip(max(0, j.skip-j.done.Records)))
	}
	if j.maxRejects != nil {
		opts = append(opts, runtime.WithMaxRejects(max(0, *j.maxRejects-j.done.Rejected)))
	}
	return opts
}

// openAt opens input i, and begins to read it. It is called on other goroutines if others
// are read meanwhile, of which none changes what it looks at.
func (j *joined) openAt(ctx context.Context, i int, ahead bool, more ...runtime.Option) (*input.Input, *runtime.Reader, error) {
	open := j.in.Open
	if ahead {
		open = func(path string) (*input.Input, error) { return j.in.Fresh(ctx, path) }
	}
	in, err := open(j.paths[i])
	if err != nil {
		return nil, nil, err
	}
	if j.late != nil {
		j.leftOut = discover.LeaveOut(in, j.late)
	}
	j.ends.LeaveOut(in)
	discover.WatchEnd(in, j.program)
	opts := []runtime.Option{runtime.WithName(in.Name)}
	if !in.Changed.IsZero() {
		opts = append(opts, runtime.WithBaseTime(in.Changed.Add(runtime.BaseTimeSlack)))
	}
	opts = append(append(opts, j.inputOptions()...), j.matched.Options(j.paths[i])...)
	r, err := abreast.Read(in, j.program, append(opts, more...)...)
	return in, r, err
}

// open begins to read the next input.
func (j *joined) open() error {
	if j.inputs == nil {
		j.inputs = abreast.New(j.ctx, j.paths, j.openAt, j.inputOptions()...)
	}
	in, r, err := j.inputs.Take(j.at)
	j.from = in
	if err != nil {
		return err
	}
	j.r = r
	j.hints = append(j.hints, r.Hints()...)
	schema := r.Schema()
	if j.aligned, err = j.matched.Align(in, schema); err != nil {
		return err
	}
	if j.aligned != nil {
		schema = j.aligned.Schema()
	}
	j.typer = nil
	if j.table != nil {
		if j.typer, err = j.table.Typer(schema, j.table.Given.Misfits == MisfitNull); err != nil {
			return err
		}
		schema = j.typer.Schema()
	}
	if schema, err = j.matched.Widen(schema); err != nil {
		return err
	}
	if j.unifier.NextInput(); j.schema == nil {
		j.schema = schema
	}
	return nil
}

// leave ends the reading of an input.
func (j *joined) leave() {
	if j.r != nil {
		s := j.r.Stats()
		j.done.Add(&s)
		j.rejects = append(j.rejects, j.r.Rejects()...)
		if j.from != nil {
			j.from.GiveUp()
		}
		j.r.Release()
		j.r = nil
	}
	if j.from != nil {
		j.from.Close()
		j.from = nil
	}
}

func (j *joined) Next() bool {
	if j.rec != nil {
		j.rec.Release()
		j.rec = nil
	}
	if j.closed && j.err == nil {
		j.err = runtime.ErrClosed
	}
	for j.err == nil && j.at < len(j.paths) {
		if j.r == nil {
			if j.err = j.open(); j.err != nil {
				break
			}
		}
		if j.r.Next() {
			j.rec, j.err = j.made(j.r.Record())
			return j.rec != nil
		}
		if j.err = j.r.Err(); j.err != nil {
			break
		}
		if j.leftOut != nil && j.leftOut() > 0 {
			j.hints = append(j.hints, discover.SayLeftOut(j.leftOut()))
		}
		if j.err = j.cutOff(); j.err != nil {
			break
		}
		j.ends.Read(j.from)
		j.leave()
		if j.at++; j.limit != nil && j.done.Rows >= *j.limit {
			j.at = len(j.paths)
		}
		if said := j.ends.Said(); said != "" && j.at == len(j.paths) {
			j.hints = append(j.hints, said)
		}
	}
	return false
}

// cutOff is the error of a list that nothing closes at the end of what was read.
func (j *joined) cutOff() error {
	if j.limit != nil && j.done.Rows+j.r.Stats().Rows >= *j.limit {
		return nil
	}
	err := discover.CutOff(j.from, j.program)
	if err != nil && j.forgiving {
		j.hints = append(j.hints, err.Error())
		err = nil
	}
	return err
}

// made is a record of an input as one of the table. Before an error come the rows before it.
func (j *joined) made(rec arrow.Record) (arrow.Record, error) {
	rec.Retain()
	if j.aligned != nil {
		aligned := j.aligned.Record(rec)
		rec.Release()
		rec = aligned
	}
	var misfit error
	if j.typer != nil {
		typed, err := j.typer.Record(rec)
		if err != nil {
			misfit = fmt.Errorf("%s: %w", j.from.Name, err)
		}
		rec.Release()
		if rec = typed; rec == nil {
			return nil, misfit
		}
	}
	if j.matched.Widens() {
		wide := j.matched.Record(j.paths[j.at], j.from.Name, rec, j.schema)
		rec.Release()
		rec = wide
	}
	if len(j.paths) == 1 {
		return rec, misfit
	}
	unified, err := j.unifier.Record(rec)
	rec.Release()
	if err != nil {
		return nil, err
	}
	return unified, misfit
}

func (j *joined) Schema() *arrow.Schema { return j.schema }
func (j *joined) Record() arrow.Record  { return j.rec }
func (j *joined) Err() error            { return j.own.error(j.err) }

func (j *joined) Stats() Stats {
	s := j.done
	if j.r != nil {
		own := j.r.Stats()
		s.Add(&own)
	}
	s.FirstReplaced, s.FirstSurplus = j.own.place(s.FirstReplaced), j.own.place(s.FirstSurplus)
	return s
}

func (j *joined) Rejects() []*Reject {
	all := slices.Clip(j.rejects)
	if j.r != nil {
		all = append(all, j.r.Rejects()...)
	}
	return j.own.rejectsOf(all)
}

func (j *joined) Hints() []string { return j.hints }
func (j *joined) Retain()         { j.refs.Add(1) }

func (j *joined) Release() {
	if j.refs.Add(-1) == 0 {
		j.closed = j.at < len(j.paths)
		j.close()
	}
}

func (j *joined) close() {
	if j.rec != nil {
		j.rec.Release()
		j.rec = nil
	}
	j.leave()
	if j.inputs != nil {
		j.inputs.Close()
	}
	j.unifier.Release()
	j.unifier = &output.Unifier{}
	j.own.close()
	for _, in := range j.held {
		in.Close()
	}
}
