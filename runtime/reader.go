package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/render"
)

// Reader reads an input through a Program as Arrow records. It is an
// array.RecordReader: a record is valid until the next call of Next, unless it
// is retained; what has been taken out of it lasts (but see WithReuse and
// WithAllocator). A Reader is used by one goroutine; any number of Readers may
// share a Program.
type Reader struct {
	refs      atomic.Int64
	o         *options
	plan      *Plan
	needsPart map[int]bool // columns of which some part must not be null
	schema    *arrow.Schema
	metadata  map[string][]string // lines before the data, by the prefix of their directive
	parser    Parser
	tasks     *tasks // nil: one partition after the other
	src       *source
	entry     *entry
	pos       position // of src.data[0]
	cursor    position // somewhere in src.data, where the last error was

	state   dfa.StateID // context at src.data[0]
	binding *Binding    // in force there
	standing
	asm     *assembler
	dense   float64 // problems for each byte of the last partition; < 0: none has been read
	whole   bool    // the next partition is all of the data
	queue   []arrow.Record
	current arrow.Record
	done    bool
	closed  bool // before the end
	err     error

	cr      bool            // a lone \r ends a line
	binary  bool            // records are, and there are no lines
	extents func() *extents // of records, see there

	first  int64        // data records before those that are read
	from   int64        // offset from which on bytes are counted
	survey *surveying   // nil: nobody asks where records begin
	tables *rangeTables // nil: nobody has read ranges
	misled int          // how often more directives are looked for without a guess

	stats   Stats
	fate    fate   // of the records of the partition whose result is assembled
	notes   []Note // of these
	rejects []*Reject
	told    struct{ records, fields int } // rejects, see WithRejectDetails
	hints   []string
	phrases phrases
	finders finders

	lastReject *ParseError // if there is a share of rejects that may not be passed
}

var _ array.RecordReader = (*Reader)(nil)

// keptRejects bounds what Rejects gives where there is no handler.
const keptRejects = 1000

// NewReader reads r. If the Program's columns come from directives, which may
// occur anywhere, r is read twice where it is an io.ReadSeeker; otherwise a
// directive that names a new column after the first data is an error.
//
// An *os.File is read from where it is; as ReadFile says, it may not change
// meanwhile.
//
// The Reader holds goroutines and memory until it is read to its end, fails,
// or is released. It does not close r.
func NewReader(r io.Reader, p *dfa.Program, opts ...Option) (*Reader, error) {
	if err := errNilInput(r); err != nil {
		return nil, err
	}
	o, err := newOptions(p, opts)
	if err != nil {
		return nil, err
	}
	if f, ok := r.(*os.File); ok {
		e, err := o.entryOf(f)
		if err != nil {
			return nil, err
		}
		return newReader(e, p, o)
	}
	return newReader(&entry{in: r}, p, o)
}

// errNilInput is the error of an input that is nil, or a nil pointer in an
// interface: it would be found out on another goroutine.
func errNilInput(r io.Reader) error {
	v := reflect.ValueOf(r)
	switch v.Kind() {
	case reflect.Invalid:
		return errors.New("the input is nil")
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Chan, reflect.Slice:
		if v.IsNil() {
			return fmt.Errorf("the input is a nil %T", r)
		}
	}
	return nil
}

// ReadBytes reads data, which is a whole input. It copies none of it: data may
// not change until the Reader has been read to its end, has failed, or is
// released.
func ReadBytes(data []byte, p *dfa.Program, opts ...Option) (*Reader, error) {
	o, err := newOptions(p, opts)
	if err != nil {
		return nil, err
	}
	return newReader(&entry{in: bytes.NewReader(data), memory: func(partition int) *source { return memorySource(data, partition) }}, p, o)
}

func newReader(e *entry, p *dfa.Program, o *options) (*Reader, error) {
	if o.shape != "" {
		var err error
		if p, err = p.OnlyShape(o.shape); err != nil {
			return nil, &OptionError{"WithShape", err.Error()}
		}
	}
	if o.base.IsZero() {
		o.base = time.Now().Add(BaseTimeSlack)
	}
	if s, ok := o.engine.(Sizer); ok && !o.sized && o.account == nil {
		o.partition = s.PartitionSize(o.threads)
	}
	rd := &Reader{dense: -1, o: o, state: p.Automaton.Start, entry: e}
	rd.refs.Store(1)
	e.account = o.account
	rd.pos.init(p)
	rd.cursor = rd.pos
	names := newSchema(p, o.utf8)
	err := rd.guard(func() error {
		if e.prompt = isPrompt(e.in); o.wait > 0 && !e.prompt {
			e.in = newLive(e.in, o.wait)
		}
		head, whole, err := e.look()
		if err != nil {
			return err
		}
		if err := rd.foreign(head, whole, p); err != nil {
			return err
		}
		if p, err = p.SeparatedAs(head); err != nil {
			return rd.after(0, errors.Join(ErrDirective, err))
		}
		names.program = p
		if err := o.checkSplit(p); err != nil {
			return err
		}
		if err := e.limit(o.split); err != nil {
			return err
		}
		if o.split != nil && p.Dynamic() && p.Header.Mode != dfa.NamesHeader {
			err = rd.bindDirectives(p, names)
		} else if o.split == nil {
			err = rd.scanDirectives(e.in, e.open, p, names)
		}
		if err != nil {
			return err
		}
		rd.src = e.open(o.head())
		if err := rd.open(p, names); err != nil {
			return err
		}
		if err := rd.enter(p, names); err != nil {
			return err
		}
		if rd.parser, err = o.engine.Open(rd.plan, rd.config()); err != nil {
			return err
		}
		rd.tasks = newTasks(rd.parser, o)
		rd.asm.aside = rd.tasks != nil && rd.tasks.whole == 0 && !o.named && o.account == nil
		rd.reached()
		return rd.unchanged()
	})
	if err != nil {
		if l, ok := e.in.(*live); ok && rd.src == nil {
			close(l.done)
		}
		if rd.src != nil {
			rd.src.close()
		}
		if rd.asm != nil {
			rd.asm.pool.Close()
		}
		if rd.parser != nil {
			err = errors.Join(err, rd.parser.Close())
		}
		return nil, err
	}
	return rd, nil
}

// guard calls f, which reads the input.
func (r *Reader) guard(f func() error) error {
	if r.entry.mapped == nil && r.o.account == nil {
		return f()
	}
	err := Guard(r.entry.mapped, f)
	if memory := (*MemoryError)(nil); errors.As(err, &memory) {
		if r.asm != nil {
			r.asm.giveUp() // a column may be half a row longer than another
		}
		if err == error(memory) {
			return r.after(r.pos.offset, err)
		}
	}
	if err == errFault {
		if changed := r.unchanged(); changed != nil {
			return changed
		}
		err = r.after(r.pos.offset, err)
	}
	return err
}

// unchanged gives an error if the input is a file that has been changed since its
// reading began. Of what was read before, nobody knows then what it is.
func (r *Reader) unchanged() error {
	err := r.entry.file.Check()
	if err != nil {
		err = r.after(r.pos.offset, err)
	}
	return err
}

// open finds out the columns, from the head of the input if it names them, and
// starts the engine.
func (r *Reader) open(p *dfa.Program, names *schema) error {
	if err := r.skipMark(p); err != nil {
		return err
	}
	if err := r.preamble(p); err != nil {
		return err
	}
	r.moved()
	r.leadingMetadata(p)
	columns := p.Columns
	var err error
	switch {
	case p.Header.Mode == dfa.NamesHeader:
		header, at, herr := r.header(p)
		if herr != nil {
			return herr
		}
		if r.binding, err = names.bind(header); err != nil {
			r.pos, r.cursor = at, at // the header has been consumed, but it is what the error is about
			return r.locate(0, &ParseError{Err: ErrHeader, Detail: "header: " + err.Error()})
		}
		columns = names.columns
		r.hintSeparator("header names", header)
	case p.Dynamic():
		if r.o.split == nil {
			if err := r.leadingDirectives(p, names); err != nil {
				return err
			}
		}
		r.binding = names.widen(&Binding{Rest: -1})
		columns = names.columns
	default:
		if len(columns) == 0 {
			if columns, err = r.unnamed(p); err != nil {
				return err
			}
		}
		r.binding = positional(p, columns)
	}
	names.sealed = true
	r.inForce = names.inForce
	if r.plan, err = newPlan(p, columns, r.o); err != nil {
		return err
	}
	r.needsPart = map[int]bool{}
	for _, o := range r.plan.Outputs {
		if o.Part >= 0 && r.plan.Def(o).Required {
			r.needsPart[o.Column] = true
		}
	}
	r.plan.Memory, r.plan.Settles = r.o.pool, true
	if r.o.mode != dfa.Fail {
		r.plan.Drops = r.drops
	}
	r.cr, r.extents = p.LinesEndAtCR(), sync.OnceValue(func() *extents { return newExtents(p.Automaton) })
	if r.o.note != nil {
		r.survey = newSurveying(p, r.o)
	}
	r.plan.Bind = func(kind dfa.RecordKind, raw []byte) (*Binding, error) {
		b, err := r.bind(p, names, kind, raw)
		if r.survey != nil && err == nil && (b != nil || p.Directives[kind-dfa.FirstDirective].Action == dfa.TypesDirective) {
			r.survey.bound(kind, raw, b)
		}
		return b, err
	}
	r.schema = r.plan.schema(r.metadata)
	r.o.boundThreads(len(r.plan.Outputs))
	r.asm = newAssembler(r.plan, r.o, r.schema)
	return nil
}

// config is how the engine runs.
func (r *Reader) config() Config {
	cfg := r.o.config()
	cfg.Mapped, cfg.File = r.entry.pages, r.entry.at
	return cfg
}

// Schema of every record.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Record is the record that Next found.
func (r *Reader) Record() arrow.Record { return r.current }

// Err is the error that ended the reading: a *ParseError, the input's own
// error, the context's, or nil at the end of the input.
func (r *Reader) Err() error { return r.err }

// Stats are the counts so far.
func (r *Reader) Stats() Stats { return r.stats }

// Rejects are the first rejects, at most 1,000; with WithRejectHandler there
// are none here.
func (r *Reader) Rejects() []*Reject { return r.rejects }

// Hints are sentences about what is in order, but probably not what was meant:
// a header of one column that another separator would cut. There are none of
// most inputs, and all there are once the Reader is made.
func (r *Reader) Hints() []string { return r.hints }

// Retain adds a reference.
func (r *Reader) Retain() { r.refs.Add(1) }

// Release drops a reference; the last one ends the reading. An input that can be sought is not
// touched after that. One that cannot, such as a pipe, may be silent for long, so that nobody
// waits for it: a Read that has begun may still be going on.
func (r *Reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.closed = !r.done || len(r.queue) > 0
		r.finish()
		r.drop()
	}
}

func (r *Reader) drop() {
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
	for _, rec := range r.queue {
		rec.Release()
	}
	r.queue = nil
}

// finish ends the reading; records already made stay.
func (r *Reader) finish() {
	if r.done {
		return
	}
	r.done = true
	err := errors.Join(r.build(), r.tasks.stop(), r.survey.over(r))
	r.asm.giveUp()
	if err != nil && r.err == nil {
		r.err = err
	}
	r.src.close()
	r.asm.batches.free()
	r.asm.pool.Close()
	if err := r.parser.Close(); err != nil && r.err == nil {
		r.err = err
	}
	if r.entry.close != nil {
		if err := r.entry.close(); err != nil && r.err == nil {
			r.err = err
		}
	}
}

// Next advances to the next record and reports whether there is one.
func (r *Reader) Next() bool {
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
	for len(r.queue) == 0 && !r.done {
		if err := r.guard(r.advance); err != nil {
			ferr := r.guard(r.flush)
			if berr := r.guard(r.build); ferr == nil {
				ferr = berr
			}
			if err == io.EOF {
				err = r.overShare(r.stats.Records - min(r.stats.Records, r.o.skip))
			}
			if err == nil {
				err = ferr
			}
			r.err = err
			r.finish()
		}
	}
	if len(r.queue) == 0 {
		if r.closed && r.err == nil {
			r.err = ErrClosed
		}
		return false
	}
	r.current, r.queue = r.queue[0], r.queue[1:]
	return true
}

// flush delivers the rows assembled so far, or has build do so.
func (r *Reader) flush() error {
	if n := r.asm.later(); n > 0 {
		r.stats.Rows += int64(n)
		r.stats.Batches++
		return nil
	}
	if err := r.build(); err != nil {
		return err
	}
	rec, err := r.asm.flush()
	if err != nil {
		return r.after(r.pos.offset, err)
	}
	if rec != nil {
		r.deliver(rec)
	}
	return nil
}

// build delivers the records that have been counted, and are not made yet.
func (r *Reader) build() error {
	made, err := r.asm.build()
	r.queue = append(r.queue, made...)
	return err
}

// takeBuilt delivers the first records that have been made beside, if there are some by now,
// and reports whether there were.
func (r *Reader) takeBuilt() (took bool, err error) {
	if len(r.asm.building) == 0 {
		return false, nil
	}
	select {
	case <-r.asm.building[0].done:
		made, err := r.asm.built()
		r.queue = append(r.queue, made...)
		return true, err
	default:
		return false, nil
	}
}

func (r *Reader) deliver(rec arrow.Record) {
	r.stats.Rows += rec.NumRows()
	r.stats.Batches++
	r.queue = append(r.queue, rec)
}

// advance parses one partition; io.EOF says that there is no more to come.
func (r *Reader) advance() error {
	if took, err := r.takeBuilt(); took || err != nil {
		return err
	}
	if err := r.o.ctx.Err(); err != nil {
		return err
	}
	if r.o.limit == 0 {
		return io.EOF // before a record is found to be too long
	}
	if r.ended() {
		return io.EOF
	}
	if done, err := r.sideBySide(); done || err != nil {
		return err
	}
	if err := r.build(); err != nil { // an engine may put rows where those are that wait
		return err
	}
	before := r.pos.offset
	tell := r.quota()
	p := Partition{Data: r.src.data, State: r.state, Final: r.src.final(), Binding: r.binding, LineEnds: r.tells(tell)}
	r.again(&p)
	r.brief(&p, tell)
	window := r.window()
	if r.directed && !r.whole {
		window = min(window, firstWindow)
	}
	if r.dense < 0 && !r.whole && p.Again == nil && r.plan.Program.MayDirect(p.Data[:min(window, len(p.Data))]) {
		window = min(window, directWindow)
	}
	if !p.Steady && !r.whole {
		window = r.bindable(p.Data[:min(window, len(p.Data))])
	}
	part := window < len(p.Data)
	if part {
		p.Data, p.Final = p.Data[:window:window], false
	}
	if len(p.Data) > 0 || p.Final {
		r.asm.begin(&p)
		result, err := r.parser.Parse(r.o.ctx, &p)
		if err != nil {
			return err
		}
		if err := r.unchanged(); err != nil {
			return err
		}
		if err := r.assemble(&p, result, r.weigh(&p, result, tell, &scout{known: result.LineEnds}), &r.asm.offer, nil); err != nil {
			return err
		}
		r.advancePast(result.Consumed)
		if p.Final && !result.Directed {
			return io.EOF
		}
		r.reached()
		if r.directed = result.Directed || r.directed && result.Consumed == 0; result.Directed {
			return nil
		}
		if part {
			r.whole = result.Consumed == 0 // a record is longer than the window
			return nil
		}
		r.whole = false
		if result.Consumed == 0 && len(p.Data) > r.longest(r.plan.Program) {
			over, err := r.skipRecord()
			if err != nil {
				return err
			}
			if over {
				return io.EOF // of what is left, nothing, no record is made
			}
		}
	}
	switch {
	case r.ended():
		return io.EOF
	case r.src.partial && r.src.err == io.EOF && r.pos.offset > before:
		return nil // what is left may be records, behind one that was too long
	}
	if r.src.err != nil && !r.src.final() {
		return r.inputError()
	}
	if r.src.late && r.asm.rows() > 0 {
		if err := r.flush(); err != nil {
			return err
		}
		return r.build()
	}
	r.src.more()
	return nil
}

// after is an error that has no place but how far the input had been read.
func (r *Reader) after(nbytes int64, err error) error {
	return fmt.Errorf("%s: after %d bytes: %w", render.Printable(r.o.name), nbytes, err)
}

// inputError is the failure of the input itself.
func (r *Reader) inputError() error {
	if r.src.partial && r.src.err == io.EOF {
		return r.after(r.pos.offset, fmt.Errorf("%w: no record ends where it does", errSplit))
	}
	return r.after(r.pos.offset+int64(len(r.src.data)), r.src.err)
}

// assemble assembles the rows of a Result, for which o has given batches; of are the
// verdicts on its records. If there is a release, the records may be made beside, and it
// is called when the Result is needed no more.
func (r *Reader) assemble(p *Partition, result *Result, of []verdicts, o *offer, release func()) error {
	before := r.stats.Rows + int64(r.asm.rows())
	r.stats.Partitions++
	r.fate = fate{records: r.stats.Records}
	var none verdicts
	var err error
	for i := range result.Rows {
		vs := &none
		if of != nil {
			vs = &of[i]
		}
		if err = r.rows(p, &result.Rows[i], vs); err != nil {
			break
		}
	}
	if err != nil {
		if failed := r.build(); failed != nil {
			err = failed
		}
		r.stop(p)
		return err
	}
	if err := r.settle(p, result); err != nil {
		return err
	}
	if e := result.Err; e != nil {
		r.stats.Bytes = r.pos.offset + int64(result.Consumed) - r.from
		return r.locate(e.Offset, &ParseError{Err: ErrDirective, Detail: "directive: " + e.Err.Error()})
	}
	r.state, r.binding = result.State, result.Binding
	r.meet(result)
	nbytes := result.Consumed
	if r.o.loose && (r.asm.aside && r.asm.ripe() || release != nil && r.asm.ripeWhereLent()) {
		if err := r.flush(); err != nil {
			return err
		}
	}
	beside := release != nil && r.asm.buildBeside(release)
	if !beside {
		if err := r.build(); err != nil {
			return err
		}
		if r.o.loose && r.asm.ripe() {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	r.asm.end(o)
	r.learn(nbytes, int(r.stats.Rows+int64(r.asm.rows())-before))
	if !beside && release != nil {
		release()
	}
	return nil
}

// move makes the data begin n bytes later.
func (r *Reader) move(n int) {
	if r.src.stays() {
		r.pos.skip(r.src.data[:n])
	} else {
		r.pos.pass(r.src.data[:n])
	}
	r.src.consume(n)
}

func (r *Reader) advancePast(n int) {
	r.move(n)
	r.moved()
}

// moved says how far the reading has come.
func (r *Reader) moved() {
	r.stats.Bytes = r.pos.offset - r.from
	if r.o.progress != nil {
		r.o.progress(r.stats.Bytes)
	}
}
