package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/abreast"
	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/expr"
	"github.com/dfaparse/dfaparse/internal/follow"
	"github.com/dfaparse/dfaparse/internal/hive"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/internal/splits"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// job is one run of parse, head or count: inputs, through a Program, to an
// output.
type job struct {
	ctx     context.Context
	std     *streams
	paths   []string
	passed  int      // inputs that were, for what their folders say
	empty   []string // inputs that are not read, for there is nothing in them
	r       *reading
	w       *writing
	program *dfa.Program
	chosen  *chosen
	engine  runtime.Engine
	opts    []runtime.Option
	split   *runtime.Split // that opts have; nil: all is read
	kind    string         // of output
	memory  *memoryBudget

	file interface { // nil: the standard output
		Commit() error
		Abort()
	}
	writer   output.Writer
	schema   *arrow.Schema // of the first input
	unifier  *output.Unifier
	matched  *discover.Matched
	inputs   *abreast.Group
	follow   *follow.File // nil: files are read to the end that they have
	followed int          // inputs that were
	rejects  *rejectLog
	progress *progress
	began    time.Time
	total    runtime.Stats

	leftOut   func() int                          // lines of a footer that were left out; nil: none is to be
	counted   func(input string, s runtime.Stats) // called after each input; may be nil
	cut       bool                                // a list is never closed
	unsettled bool                                // it failed, perhaps for want of what all records tell of how they are written
	unwritten bool                                // it failed where records are written: what was read beyond them depends on the engine
	begun     bool                                // an input has been read whose types are those of its first rows
	hints     strings.Builder                     // of such inputs
	grouped   string                              // how the engine has grouped rows itself, or why not; "": nobody has asked it
	sorted    string                              // how a device has sorted rows, or why not; "": nobody has asked one
	through   *passage                            // what records go through before they are written; may be nil
}

// newJob checks the flags and the outputs, and compiles the format; it opens nothing. through may be nil.
func newJob(cmd *cobra.Command, paths []string, r *reading, w *writing, std *streams, through *passage) (*job, error) {
	j := &job{ctx: cmd.Context(), std: std, paths: paths, r: r, w: w, began: time.Now(), through: through}
	if err := oneOf("progress", w.progress, "auto", "always", "never"); err != nil {
		return nil, err
	}
	if w.out == "-" || w.out == "/dev/stdout" {
		w.out = ""
	}
	if err := j.checkOutputs(); err != nil {
		return nil, err
	}
	if err := w.parted.check(j); err != nil {
		return nil, err
	}
	if w.rejects != "" && r.onError == "fail" {
		return nil, usagef("--on-error fail rejects nothing; leave it away, or --rejects")
	}
	r.growing = r.growing || r.follow // while it is looked at
	var err error
	if j.opts, err = r.options(); err != nil {
		return nil, err
	}
	if j.kind, err = j.outputKind(); err != nil {
		return nil, err
	}
	if j.memory, err = newMemoryBudget(r.memory.size, j.kind); err != nil {
		return nil, err
	}
	if j.memory != nil {
		j.opts = append(j.opts, runtime.WithMemory(j.memory.reading()))
	}
	if err := checkInputs(paths); err != nil {
		return nil, err
	}
	if err := j.checkWritable(); err != nil {
		return nil, err
	}
	if !r.follow {
		paths, j.empty = input.WithoutEmpty(j.ctx, paths)
		j.paths = paths
	}
	if err := r.chooseEngine(j.kind, paths, std); err != nil {
		return nil, err
	}
	how, err := w.together.asked(paths)
	if err != nil {
		return nil, err
	}
	j.matched = discover.NewMatched(how, paths, r.columns)
	r.once = r.once && !r.again && j.mayBeginAgain()
	g := &guess{r: r, paths: paths, std: std, union: how.Union, named: j.checkNames, memory: j.memory}
	g.folders = func(ctx context.Context, given *infer.Given) error {
		if err := j.matched.Folders(ctx, given); err != nil || r.where == "" {
			return err
		}
		if err := j.passFolders(expr.Source{Name: "--where", Text: r.where}); err != nil {
			return err
		}
		g.paths = j.paths
		return nil
	}
	if j.chosen, err = choose(j.ctx, g); err != nil {
		return nil, j.memory.lookingError(paths, err)
	}
	j.program = j.chosen.program
	j.sayNever()
	if j.engine, err = r.chosenEngine(j.program); err != nil {
		return nil, err
	}
	j.opts = append(j.opts, runtime.WithEngine(j.engine))
	if trust := j.chosen.trust; trust != nil {
		j.opts = append(j.opts, runtime.WithLook(trust.Look))
	}
	if w.rejects != "" && r.onError == "" && j.program.OnError == dfa.Fail {
		j.opts = append(j.opts, runtime.WithErrorMode(dfa.Reject))
	}
	return j, nil
}

// sayNever says of which texts --where compares a column with one that none of its values is.
func (j *job) sayNever() {
	where := expr.Source{Name: "--where", Text: j.r.where}
	test, err := expr.ParseWhere(where)
	if err != nil {
		return // which is said elsewhere, if there is a test
	}
	for _, err := range where.Never(test, func(name string) []string {
		for i := range j.program.Columns {
			if c := &j.program.Columns[i]; c.Name == name && c.Type.Kind == dfa.Enum {
				return c.Type.Tokens
			}
		}
		return nil
	}) {
		fmt.Fprintf(people{j.std.err}, "dfaparse: %v\n", err)
	}
}

// mayBeginAgain reports whether nobody sees what a run has written before it is complete, and
// whether it is of all of the inputs.
func (j *job) mayBeginAgain() bool {
	return (j.w.out != "" && output.Hidden(j.w.out) || j.kind == "none" || j.r.condenses) && len(j.w.parted.by) == 0 && j.w.rejects == "" &&
		(j.r.onError == "" || j.r.onError == "fail") && j.r.limit < 0 && j.r.skip == 0 && j.memory == nil && !j.r.growing &&
		(j.r.engine == "cpu" || j.r.engine == "auto" && j.r.opening == nil)
}

// errBeginAgain is the end of a run whose types are not those of all rows.
var errBeginAgain = errors.New("the types of the first rows are not those of all")

// amiss is errBeginAgain if the types are not those of all rows, or may be what the run failed for,
// as expressions do that do not go with them; else err.
func (j *job) amiss(err error) error {
	if trust := j.chosen.trust; trust == nil || !trust.Amiss() && (err == nil || j.ctx.Err() != nil || errors.As(err, new(*fs.PathError)) || errors.As(err, new(*output.WriteError))) {
		return err
	}
	return errBeginAgain
}

// checkNames is an error if a flag names a column that is none of those that the inputs have, and none that
// their folders or --file-column add.
func (j *job) checkNames(names []string) error {
	names = j.matched.Names(names)
	for _, name := range j.r.columns {
		if no := (&runtime.NoColumnError{Name: name, Columns: names}); !slices.Contains(names, name) {
			return cmp.Or(j.through.fault(no), error(&usageError{err: no}))
		}
	}
	for _, name := range j.w.parted.by {
		if !slices.Contains(names, name) {
			return &usageError{err: hive.NoColumn(name, names)}
		}
	}
	return j.through.fault(&runtime.NoColumnError{Columns: names})
}

// checkWritable is an error if an output cannot be written, which nobody should learn after hours.
func (j *job) checkWritable() error {
	outs := []string{j.w.out, j.w.rejects}
	if len(j.w.parted.by) > 0 { // of whose folder that is known
		outs = outs[1:]
	}
	for _, path := range outs {
		if path == "" {
			continue
		}
		if err := output.Check(path); err != nil {
			return err
		}
	}
	return nil
}

// passFolders leaves away inputs of which --where wants no row, as their folders say.
func (j *job) passFolders(where expr.Source) error {
	test, err := expr.ParseWhere(where)
	if err == nil {
		err = j.matched.Where(where, test)
	}
	if err != nil {
		return exprFault(err)
	}
	j.passed = len(j.paths) - len(j.matched.Paths)
	j.paths = j.matched.Paths
	return nil
}

// outputKind is the form of output that the flags ask for.
func (j *job) outputKind() (string, error) {
	kind := j.w.to
	var err error
	switch {
	case len(j.w.parted.by) > 0:
		kind, err = j.w.parted.kind(j.w)
	case kind != "":
		err = oneOf("to", kind, output.Kinds()...)
	case j.w.out != "":
		kind, err = output.KindOf(j.w.out)
	case isTerminal(j.std.out):
		kind = "table"
	default:
		kind = "jsonl"
	}
	if err != nil {
		return "", &usageError{err: err}
	}
	if j.w.out != "" && len(j.w.parted.by) == 0 {
		if byName, err := output.KindOf(j.w.out); kind == "none" || err == nil && byName != kind {
			return "", usagef("--to %s does not go with -o %s", kind, j.w.out)
		}
	}
	if err := j.w.style.options(&output.Options{}, kind); err != nil {
		return "", err
	}
	if j.w.out == "" && output.Binary(kind) && isTerminal(j.std.out) {
		return "", usagef("%s would disturb the terminal; write a file with -o, or into a pipe", kind)
	}
	return kind, nil
}

// run reads all inputs and completes, or gives up, the outputs.
func (j *job) run() (err error) {
	if j.rejects, err = newRejectLog(j.ctx, j.std, j.w.rejects); err != nil {
		return err
	}
	if err := j.startFollow(); err != nil {
		j.rejects.close(true)
		return err
	}
	if j.follow != nil {
		defer j.follow.Close()
	}
	headers := (&guess{r: j.r, paths: j.paths, std: j.std, union: j.matched.Union}).inputs(j.ctx)
	if err := j.matched.Headers(j.ctx, headers, j.program, append(slices.Clip(j.opts), runtime.WithEngine(cpu.Engine), runtime.WithContext(j.ctx))...); err != nil {
		j.rejects.close(true)
		return err
	}
	j.progress = newProgress(j)
	ctx, watched := j.memory.watch(j.ctx)
	defer watched()
	j.ctx = ctx
	j.inputs = abreast.New(j.ctx, j.paths, j.openAt, j.inputOptions()...)
	for i, path := range j.paths {
		if err = j.readAll(i, path); err != nil || j.limitLeft() == 0 || j.through.full() {
			break
		}
	}
	j.inputs.Close()
	j.unsettled = err != nil && j.chosen.doubted && j.ctx.Err() == nil
	if err = j.amiss(err); err != errBeginAgain && j.begun && !j.unsettled {
		j.chosen.say()
		fmt.Fprint(j.std.err, j.hints.String())
	}
	j.progress.finish()
	if j.unifier != nil {
		j.unifier.Release()
	}
	if failure := memoryFailure(ctx); failure != nil && err != nil {
		err = failure
	}
	err = j.finishWriter(err)
	if failure := memoryFailure(ctx); failure != nil && err == nil {
		err = failure
	}
	if rerr := j.rejects.close(errors.Is(err, context.Canceled)); err == nil {
		err = rerr
	}
	err = j.finishFile(err) // last: there is no output without its rejects
	if err == errBeginAgain {
		return err
	}
	if isClosedPipe(err) || j.unsettled {
		return err
	}
	if said := discover.SayEmpty(j.empty); said != "" {
		fmt.Fprintln(people{j.std.err}, "dfaparse: "+said)
	}
	if said := j.chosen.ends.Said(); said != "" {
		fmt.Fprintln(people{j.std.err}, "dfaparse: "+said)
	}
	if !j.unwritten {
		j.report()
	}
	if j.w.stats {
		printStats(people{j.std.err}, j)
	}
	if err == nil && (j.total.Rejected > 0 || j.cut) {
		return &rejectedError{j.total.Rejected}
	}
	return err
}

// limitLeft is how many rows are still wanted, -1 for all.
func (j *job) limitLeft() int64 {
	if j.r.limit < 0 {
		return -1
	}
	return max(0, j.r.limit-j.total.Rows)
}

// inputOptions are those of the next input.
func (j *job) inputOptions() []runtime.Option {
	limit := j.limitLeft()
	if j.knownRows() > 0 {
		limit = terminalRows
	}
	opts := append([]runtime.Option{
		runtime.WithContext(j.ctx), runtime.WithLimit(limit), runtime.WithRejectHandler(j.rejects.add), runtime.WithReuse(),
	}, j.opts...)
	if j.through.whole() || j.kind == "none" {
		opts = append(opts, runtime.WithLooseBatches())
	}
	if j.r.skip > 0 {
		opts = append(opts, runtime.WithSkip(max(0, j.r.skip-j.total.Records)))
	}
	if j.w.rejects == "" {
		opts = append(opts, runtime.WithRejectDetails(1))
	}
	switch most := j.w.maxRejects; {
	case most.isShare:
		opts = append(opts, runtime.WithMaxRejectShare(most.share))
	case most.n >= 0:
		opts = append(opts, runtime.WithMaxRejects(max(0, most.n-j.total.Rejected)))
	}
	return opts
}

// openAt opens input i, and begins to read it. It is called on other goroutines if others
// are read meanwhile, of which none changes what it looks at.
func (j *job) openAt(ctx context.Context, i int, ahead bool, more ...runtime.Option) (*input.Input, *runtime.Reader, error) {
	path, open := j.paths[i], openInput
	if ahead {
		open = openFresh
	}
	var in *input.Input
	var err error
	if j.follow != nil {
		in, err = j.openFollowed(ctx)
	} else {
		in, err = open(ctx, path, j.std, j.progress.add)
	}
	if err != nil {
		return nil, nil, err
	}
	if !ahead {
		if done, err := j.aggregateElsewhere(in, path); done || err != nil {
			return in, nil, &elsewhere{err}
		}
	}
	if j.split != nil {
		if err := splits.Resume(in, j.split); err != nil {
			return in, nil, err
		}
	}
	if j.chosen.late != nil {
		j.leftOut = discover.LeaveOut(in, j.chosen.late)
	}
	j.chosen.ends.LeaveOut(in)
	discover.WatchEnd(in, j.program)
	opts := append(j.inputOptions(), runtime.WithName(in.Name))
	if j.r.baseTime == "" && !in.Changed.IsZero() {
		opts = append(opts, runtime.WithBaseTime(in.Changed.Add(runtime.BaseTimeSlack)))
	}
	if in.Plain != nil {
		before := int64(0)
		opts = append(opts, runtime.WithProgress(func(nbytes int64) {
			j.progress.add(int(nbytes - before))
			before = nbytes
		}))
	}
	opts = append(opts, j.matched.Options(path)...)
	r, err := abreast.Read(in, j.program, append(opts, more...)...)
	return in, r, err
}

// elsewhere ends the reading of an input that the engine has grouped itself, or failed to.
type elsewhere struct{ err error }

func (e *elsewhere) Error() string { return fmt.Sprint(e.err) }

// read reads one input.
func (j *job) read(i int, path string) (err error) {
	before := j.total
	in, reader, err := j.inputs.Take(min(i, len(j.paths)-1))
	if in != nil {
		defer in.Close()
	}
	if err != nil {
		if in == nil {
			return err
		}
		if e := (*elsewhere)(nil); errors.As(err, &e) {
			return e.err
		}
		if fault := j.through.fault(err); fault != nil {
			return fault
		}
		return j.readError(in, err)
	}
	defer func() {
		in.GiveUp()
		reader.Release()
	}()
	if !j.chosen.pending() {
		printHints(j.std.err, in, reader)
	} else {
		defer func() {
			j.begun = true
			printHints(&j.hints, in, reader)
		}()
	}
	schema := reader.Schema()
	aligned, err := j.matched.Align(in, schema)
	if err != nil {
		return err
	}
	if aligned != nil {
		schema = aligned.Schema()
	}
	typer, err := j.chosen.typer(schema)
	if err != nil {
		return err
	}
	if typer != nil {
		schema = typer.Schema()
	}
	if schema, err = j.matched.Widen(schema); err != nil {
		return &usageError{err: err}
	}
	if err := j.begin(i, in, schema); err != nil {
		return err
	}
	defer func() {
		s := reader.Stats()
		j.total = before
		j.total.Add(&s)
	}()
	for !j.through.full() && reader.Next() {
		rec := reader.Record()
		if aligned != nil {
			rec = aligned.Record(rec)
		}
		err := j.writeTyped(in, path, typer, rec)
		if aligned != nil {
			rec.Release()
		}
		if err != nil {
			j.unwritten = true
			return err
		}
		if j.chosen.trust.Amiss() {
			return errBeginAgain
		}
	}
	if path == "-" && in.Plain != nil { // who reads after us goes on where we were
		_, _ = in.Plain.Seek(in.Base+reader.Stats().Bytes, io.SeekStart)
	}
	if err := reader.Err(); err != nil {
		return j.readError(in, err)
	}
	if err := j.cutOff(in, reader.Stats().Rows); err != nil {
		return err
	}
	j.chosen.ends.Read(in)
	if j.leftOut != nil && j.leftOut() > 0 {
		to := io.Writer(j.std.err)
		if j.chosen.pending() {
			to = &j.hints
		}
		fmt.Fprintf(people{to}, "%s: %s\n", render.Printable(in.Name), discover.SayLeftOut(j.leftOut()))
	}
	if j.counted != nil {
		j.counted(in.Name, reader.Stats())
	}
	return nil
}

// cutOff is the error of a list that nothing closes at the end of what was read, unless errors do not end the
// reading: then it is said.
func (j *job) cutOff(in *input.Input, rows int64) error {
	if left := j.limitLeft(); j.split != nil || left >= 0 && rows >= left || j.through.full() {
		return nil
	}
	err := discover.CutOff(in, j.program)
	if err == nil {
		return nil
	}
	if err = j.readError(in, err); j.r.onError == "fail" || j.r.onError == "" && j.w.rejects == "" && j.program.OnError == dfa.Fail {
		return err
	}
	j.cut = true
	say(j.std, err)
	return nil
}

// printHints says what of an input is probably not what was meant.
func printHints(w io.Writer, in *input.Input, r abreast.Source) {
	for _, hint := range r.Hints() {
		fmt.Fprintf(w, "dfaparse: %s: %s\n", render.Printable(in.Name), hint)
	}
}

// readError is an error of the reader, with the place it is about.
func (j *job) readError(in *input.Input, err error) error {
	if memory := j.memory.error(err); memory != err {
		return fmt.Errorf("%s: %w", in.Name, memory)
	}
	var parse *runtime.ParseError
	if errors.As(err, &parse) {
		j.placeEncoded(in.Name, &parse.Offset, &parse.Column)
		text := err.Error()
		if in.Plain != nil {
			text = strings.TrimSuffix(text+"\n"+excerpt(io.NewSectionReader(in.Plain, in.Base, math.MaxInt64-in.Base), parse.Offset, parse.Line), "\n")
		}
		if j.program.Name == "csv" && slices.ContainsFunc([]error{runtime.ErrSyntax, runtime.ErrTooFewFields, runtime.ErrTooManyFields}, func(e error) bool { return errors.Is(err, e) }) {
			text += "\n  csv is strict, as RFC 4180 is; csv_lax reads such files too"
		}
		switch {
		case !errors.Is(err, runtime.ErrValue) && !errors.Is(err, runtime.ErrHeader) || j.std.encoding != "":
		case in.Plain != nil:
			text += encodingHint(io.NewSectionReader(in.Plain, in.Base, math.MaxInt64-in.Base), parse.Offset)
		default: // what it says of the value is all that is left of the input
			if _, quoted, ok := strings.Cut(parse.Detail, notUTF8); ok {
				value, _ := strconv.QuotedPrefix(quoted)
				value, _ = strconv.Unquote(value)
				text += encodingHint(strings.NewReader(value), 0)
			}
		}
		return &locatedError{err, text}
	}
	if changed := (*runtime.ChangedError)(nil); errors.As(err, &changed) && changed.To > changed.From && j.r != nil && !j.r.growing {
		return fmt.Errorf("%w; of a file that only gets longer, --growing reads what it had at first", err)
	}
	if option := (*runtime.OptionError)(nil); errors.As(err, &option) {
		return &usageError{err: err}
	}
	return err
}

// report says what was left out, changed or dropped, and where first.
func (j *job) report() {
	for _, e := range []*runtime.ParseError{j.rejects.record, j.rejects.field} {
		if e != nil {
			j.placeEncoded(e.File, &e.Offset, &e.Column)
		}
	}
	for _, p := range []*runtime.Place{j.total.FirstSurplus, j.total.FirstReplaced} {
		if p != nil {
			j.placeEncoded(p.File, &p.Offset, &p.Column)
		}
	}
	j.rejects.report(people{j.std.err}, &j.total)
	rejected := j.rejects.record != nil && strings.HasPrefix(j.rejects.record.Detail, notUTF8)
	if j.std.encoding == "" && (rejected || j.total.Replaced > 0) {
		fmt.Fprintln(j.std.err, "  if the input is in another encoding, --encoding says which")
	}
}

// notUTF8 is what errors say of text, before they show it.
const notUTF8 = "not UTF-8: "

// placeEncoded makes a place in the input of that name one in the input's own bytes, if these
// are not UTF-8.
func (j *job) placeEncoded(name string, byteOffset, column *int64) {
	p := j.std.ownPlaces(j.ctx)
	defer p.Close()
	p.Place(name, *byteOffset, byteOffset, column)
}

// begin opens the output at the first input, and holds later ones to its
// columns.
func (j *job) begin(i int, in *input.Input, schema *arrow.Schema) error {
	if i > 0 {
		if j.unifier != nil {
			j.unifier.NextInput()
		}
		if why := schemaDifference(j.schema, schema); why != "" {
			return fmt.Errorf("%s: its columns are not those of %s: %s", in.Name, j.paths[0], why)
		}
		return nil
	}
	j.schema = schema
	if len(j.paths) > 1 || j.follow != nil {
		j.unifier = &output.Unifier{}
		j.unifier.NextInput()
	}
	opts := output.Options{Path: j.w.out, Layout: j.program, KeptUTF8: j.r.utf8 == "keep" || j.r.utf8 == "" && j.program.UTF8 == dfa.KeepUTF8}
	if err := j.w.style.options(&opts, j.kind); err != nil {
		return err
	}
	j.memory.writing(&opts)
	if j.kind == "table" && j.w.out == "" {
		opts.Table = tableOptions(j.std.out)
		if j.glances() {
			opts.Table.MaxRows, opts.Table.Rows = terminalRows, j.knownRows()
		}
	}
	var open openOutput
	var err error
	if len(j.w.parted.by) > 0 {
		open, err = j.w.parted.open(j, opts)
	} else {
		open, err = j.openFile(opts)
	}
	if err != nil {
		return err
	}
	if j.through != nil {
		j.writer, err = j.through.begin(j, schema, open)
	} else {
		j.writer, err = open(schema)
	}
	return err
}

// openFile begins the one file of -o, or the standard output.
func (j *job) openFile(opts output.Options) (openOutput, error) {
	w := j.std.out
	if j.w.out != "" {
		f, err := j.std.create(j.w.out)
		if err != nil {
			return nil, err
		}
		w, j.file, opts.SpoolDir = f, f, f.Dir()
	}
	return func(schema *arrow.Schema) (output.Writer, error) {
		writer, err := output.Open(j.kind, w, schema, opts)
		if err != nil {
			return nil, err
		}
		return output.Pipelined(writer), nil
	}, nil
}

// terminalRows is how many rows of a table are shown on a terminal to somebody
// who did not ask for a table.
const terminalRows = 40

// writeTyped writes a record whose texts may get their types first.
func (j *job) writeTyped(in *input.Input, path string, typer *infer.Typer, rec arrow.Record) error {
	if typer == nil {
		return j.writeFrom(in, path, rec)
	}
	typed, err := typer.Record(rec)
	if typed != nil {
		defer typed.Release()
		if werr := j.writeFrom(in, path, typed); werr != nil {
			return werr
		}
	}
	if m := (*infer.Misfit)(nil); errors.As(err, &m) {
		return misfit(in.Name, m)
	}
	return err
}

// writeFrom writes a record of an input, with what its name says if that is wanted.
func (j *job) writeFrom(in *input.Input, path string, rec arrow.Record) error {
	if !j.matched.Widens() {
		return j.write(rec)
	}
	named := j.matched.Record(path, in.Name, rec, j.schema)
	defer named.Release()
	return j.write(named)
}

func (j *job) write(rec arrow.Record) error {
	if j.unifier == nil {
		return j.writer.Write(rec)
	}
	unified, err := j.unifier.Record(rec)
	if err != nil {
		return err
	}
	defer unified.Release()
	return j.writer.Write(unified)
}

// finishWriter completes what is written, or after a failure gives it up: of a
// table what was read is still shown.
func (j *job) finishWriter(err error) error {
	if j.writer == nil {
		return err
	}
	if err == nil || j.file == nil && j.kind == "table" && !isClosedPipe(err) && !j.through.whole() {
		if cerr := j.writer.Close(); err == nil && cerr != nil { // it may hold back what was to fail before
			j.unwritten, err = true, cerr
		}
		return err
	}
	output.Abort(j.writer)
	return err
}

// finishFile gives the output its name, or after a failure gives it up.
func (j *job) finishFile(err error) error {
	switch {
	case j.file == nil:
		return err
	case err != nil:
		j.file.Abort()
		return err
	}
	return j.file.Commit()
}

// schemaDifference says how the columns of b differ from those of a.
func schemaDifference(a, b *arrow.Schema) string {
	for i := range max(a.NumFields(), b.NumFields()) {
		switch {
		case i >= a.NumFields():
			return fmt.Sprintf("there is also %q", b.Field(i).Name)
		case i >= b.NumFields():
			return fmt.Sprintf("there is no %q", a.Field(i).Name)
		case a.Field(i).Name != b.Field(i).Name:
			return fmt.Sprintf("column %d is %q, not %q", i+1, b.Field(i).Name, a.Field(i).Name)
		case !a.Field(i).Equal(b.Field(i)):
			return fmt.Sprintf("column %q is %s, not %s", a.Field(i).Name, output.TypeName(b.Field(i)), output.TypeName(a.Field(i)))
		}
	}
	return ""
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// tableOptions are the room that there is for a table on w.
func tableOptions(w io.Writer) output.TableOptions {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(w) {
		return output.TableOptions{}
	}
	o := output.TableOptions{Width: 80, Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		o.Width = width
	}
	return o
}
