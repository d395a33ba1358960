package runtime

import (
	"context"
	"fmt"
	goruntime "runtime"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// Defaults and bounds of the options.
const (
	DefaultBatchSize = 16 << 10  // rows
	DefaultChunk     = 256 << 10 // bytes
	minPartition     = 1 << 10
	maxPartition     = 1 << 30
)

// Option changes how a Reader reads.
type Option func(*options)

type options struct {
	ctx       context.Context
	mem       memory.Allocator
	named     bool // mem is the caller's
	loose     bool // records end where partitions do
	reuse     bool // of the memory of released records, unless named
	engine    Engine
	columns   []string
	limit     int64 // rows; -1: all
	skip      int64 // data records
	skipLines int64 // at the head
	shape     string
	batch     int
	batched   bool // it is what the caller wants
	threads   int
	chunk     int
	partition int
	sized     bool // it is what the caller wants
	mode      dfa.ErrorMode
	maxReject int64 // -1: any number
	details   int   // most rejects of each kind that are told, -1: any number
	maxShare  float64
	onReject  func(*Reject) error
	maxRecord int
	utf8      dfa.UTF8Policy
	base      time.Time
	look      func(column string) func(*convert.Fields)
	name      string
	progress  func(nbytes int64)
	growing   bool
	wait      time.Duration // see WithBatchTime
	bounded   bool
	memory    int64             // bytes that reading may take; 0: any number
	split     *Split            // to be read, nil: all
	every     int64             // bytes between checkpoints
	note      func(*Checkpoint) // nil: nobody asks where records begin
	account   *columns.Account  // of most of them, nil: there is no bound
	pool      *columns.Pool     // of the columns' part of account
}

func newOptions(p *dfa.Program, opts []Option) (*options, error) {
	if p == nil || p.Automaton == nil {
		return nil, &OptionError{"Program", "there is no Program to read by"}
	}
	if p.Encoding != "" {
		return nil, &OptionError{"Program", fmt.Sprintf("format %s is of text in %s, and a Reader of package runtime reads UTF-8: decode the input and give Program.OfText, or read it with package dfaparse", p.Name, p.Encoding)}
	}
	o := &options{
		ctx: context.Background(), mem: memory.DefaultAllocator,
		limit: -1, maxReject: -1, details: -1, maxShare: 1, batch: DefaultBatchSize,
		threads: goruntime.GOMAXPROCS(0), chunk: DefaultChunk,
		mode: p.OnError, maxRecord: p.MaxRecord, utf8: p.UTF8, name: "input",
	}
	for _, f := range opts {
		f(o)
	}
	o.sized = o.partition != 0
	if !o.sized {
		o.partition = min(max(4*o.threads*o.chunk, 1<<20), 64<<20)
	}
	if err := o.budget(); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.checkBinary(p); err != nil {
		return nil, err
	}
	return o, nil
}

// OptionError is an option that cannot be, or does not fit the input.
type OptionError struct {
	Option string // the function that gives it: WithBatchSize
	Reason string
}

// Error is the reason.
func (e *OptionError) Error() string { return e.Reason }

// check holds the options to their bounds.
func (o *options) check() error {
	wrong := func(option, format string, args ...any) error {
		return &OptionError{option, fmt.Sprintf(format, args...)}
	}
	switch {
	case o.engine == nil:
		return wrong("WithEngine", "no engine: WithEngine gives one")
	case o.batch < 1 || o.batch > 1<<28:
		return wrong("WithBatchSize", "batches of %d rows, want 1 to %d", o.batch, 1<<28)
	case o.threads < 1 || o.threads > 1<<12:
		return wrong("WithThreads", "%d threads, want 1 to %d", o.threads, 1<<12)
	case o.wait < 0:
		return wrong("WithBatchTime", "rows that wait for %v, want 0 or more", o.wait)
	case o.skipLines < 0:
		return wrong("WithSkipLines", "%d lines to skip, want 0 or more", o.skipLines)
	case o.chunk < 1 || o.chunk > maxPartition:
		return wrong("WithChunkSize", "chunks of %d bytes, want 1 to %d", o.chunk, maxPartition)
	case o.partition < 1 || o.partition > maxPartition:
		return wrong("WithPartitionSize", "partitions of %d bytes, want 1 to %d", o.partition, maxPartition)
	case o.maxRecord < 1 || o.maxRecord > dfa.LimitMaxRecord:
		return wrong("WithMaxRecord", "records of at most %d bytes, want 1 to %d", o.maxRecord, dfa.LimitMaxRecord)
	case !(o.maxShare >= 0 && o.maxShare <= 1):
		return wrong("WithMaxRejectShare", "at most a share of %v of the records rejected, want 0 to 1", o.maxShare)
	case int(o.mode) >= len(dfa.ErrorModes()):
		return wrong("WithErrorMode", "unknown error mode %d", o.mode)
	case int(o.utf8) >= len(dfa.UTF8Policies()):
		return wrong("WithUTF8", "unknown UTF-8 policy %d", o.utf8)
	case o.ctx == nil:
		return wrong("WithContext", "the context is nil")
	case o.mem == nil:
		return wrong("WithAllocator", "the allocator is nil")
	}
	return nil
}

// config is how an engine runs with these options.
func (o *options) config() Config {
	return Config{Threads: o.threads, Chunk: o.chunk, Partition: o.partition}
}

// WithContext stops the Reader with ctx.Err() when ctx is done.
func WithContext(ctx context.Context) Option { return func(o *options) { o.ctx = ctx } }

// WithAllocator takes the memory of the Arrow records from mem. Without it, it
// is Go's, and what is taken out of a record lasts as long as somebody has it.
func WithAllocator(mem memory.Allocator) Option {
	return func(o *options) { o.mem, o.named = mem, true }
}

// WithReuse uses the memory of released records again, which is faster: large
// new memory is cleared, and costs page faults. What is taken out of a record,
// strings too, is a view of its memory and changes once the record is released:
// what is kept has to be copied, keys of maps too. It is of no effect together
// with WithAllocator.
func WithReuse() Option { return func(o *options) { o.reuse = true } }

// WithLooseBatches lets records end where an engine's partitions do, as far as that saves copies
// of rows. They have the batch size at most; unless WithBatchSize gives one, up to 131,072 rows
// where rows are narrow. Where a device reads, they are as long as that whatever their rows are,
// but end before a column has more than 8 MiB of text. How many rows each has then depends on the
// engine and the number of threads. It is for who takes rows in whatever records they come.
func WithLooseBatches() Option { return func(o *options) { o.loose = true } }

// WithEngine says which engine reads: cpu.Engine, reference.Engine, gpu.New.
// Without this option there is none, which is an error.
func WithEngine(e Engine) Option { return func(o *options) { o.engine = e } }

// WithColumns delivers only the named columns, in this order. The others are
// not converted, so their values are not checked.
func WithColumns(names ...string) Option { return func(o *options) { o.columns = names } }

// WithLimit stops after n rows.
func WithLimit(n int64) Option { return func(o *options) { o.limit = n } }

// WithSkip passes over the first n data records, whatever they hold.
func WithSkip(n int64) Option { return func(o *options) { o.skip = n } }

// WithSkipLines passes over the first n lines of the input, whatever they hold,
// and only then over those that the Program skips, and reads its header. Lines
// are those that errors count: every \n ends one, and where CR ends records a \r
// does as well.
func WithSkipLines(n int64) Option { return func(o *options) { o.skipLines = n } }

// WithShape reads the records of one shape only, of a Program whose records have
// several (dfa.Definition.Shapes): those of others are passed over, and counted as
// dropped. The columns are those of the shape.
func WithShape(name string) Option { return func(o *options) { o.shape = name } }

// WithBatchSize sets the rows of each Arrow record but the last. A record ends
// earlier if a column's text would pass 1 GiB. Without this option it has at most
// DefaultBatchSize rows, and ends before a column's text would pass 2 MiB.
func WithBatchSize(rows int) Option {
	return func(o *options) { o.batch, o.batched = rows, true }
}

// WithBatchTime delivers rows of an input that is neither a file nor in memory, nor can
// be sought, a pipe say, at most so long after they came, in a record that may be small.
// Without it, or with 0, a record is complete, or the input at its end.
func WithBatchTime(d time.Duration) Option { return func(o *options) { o.wait = d } }

// WithThreads sets the number of workers; the default is GOMAXPROCS.
func WithThreads(n int) Option { return func(o *options) { o.threads = n } }

// WithChunkSize sets the bytes that one worker reads at once.
func WithChunkSize(nbytes int) Option { return func(o *options) { o.chunk = nbytes } }

// WithPartitionSize sets the bytes handed to the engine at once; together with
// the longest record it bounds the Reader's memory.
func WithPartitionSize(nbytes int) Option { return func(o *options) { o.partition = nbytes } }

// WithErrorMode replaces the spec's on_error.
func WithErrorMode(m dfa.ErrorMode) Option { return func(o *options) { o.mode = m } }

// WithMaxRejects fails the Reader at the reject after the n-th.
func WithMaxRejects(n int64) Option { return func(o *options) { o.maxReject = n } }

// WithMaxRejectShare fails the Reader if more than this share of the data records
// (0 to 1; those left out by WithSkip do not count) is rejected. It is looked at
// where a record is rejected, once LeastShared records have been read, and again
// at the end of the reading. So where it fails depends on the input alone.
func WithMaxRejectShare(share float64) Option { return func(o *options) { o.maxShare = share } }

// LeastShared is from how many records on WithMaxRejectShare is looked at before
// the end: of fewer, one reject may be a large share.
const LeastShared = 1000

// WithRejectHandler hands every reject to f, in input order, instead of
// keeping the first of them for Rejects. An error of f stops the Reader.
func WithRejectHandler(f func(*Reject) error) Option { return func(o *options) { o.onReject = f } }

// WithRejectDetails tells no more than the first so many records that were left
// out, and the first so many fields that were made null (Reject.FieldOnly): to the
// handler, or by Rejects. Stats counts all of them, which is much cheaper than to
// say what is wrong with each. Without it all are told.
func WithRejectDetails(most int) Option { return func(o *options) { o.details = most } }

// WithMaxRecord replaces the spec's max_record: longer records are malformed.
func WithMaxRecord(nbytes int) Option { return func(o *options) { o.maxRecord = nbytes } }

// WithUTF8 replaces the spec's policy for invalid UTF-8.
func WithUTF8(p dfa.UTF8Policy) Option { return func(o *options) { o.utf8 = p } }

// BaseTimeSlack is how much later than a file was changed, or than the present,
// its time stamps may be: they can be of another zone, or of another machine's
// clock.
const BaseTimeSlack = 24 * time.Hour

// WithLook lets look see the fields of columns that are converted, records that are rejected
// included, but for numbers and time stamps that are written as most are (convert.Options.Look):
// by the name of a column it gives what is called, on any goroutine and on several at once, or
// nil. Of a map whose keys have columns and that is not delivered it sees the fields in which there
// are other keys. What it is given holds only until it returns. The engine for CPUs does so, the
// others do not.
func WithLook(look func(column string) func(*convert.Fields)) Option {
	return func(o *options) { o.look = look }
}

// WithBaseTime completes time stamps without a year: each is in the last year
// in which it is not after t, which is taken by the clock of the column where it
// has a zone, and of UTC where it has none. Without this option t is BaseTimeSlack
// after the modification time for ReadFile, after the present for others.
func WithBaseTime(t time.Time) Option { return func(o *options) { o.base = t } }

// WithName is the input's name in errors.
func WithName(name string) Option { return func(o *options) { o.name = name } }

// WithProgress calls f after each partition with the bytes read so far.
func WithProgress(f func(nbytes int64)) Option { return func(o *options) { o.progress = f } }

// WithGrowing reads a file that gets longer meanwhile, such as a log: what it has
// at first, up to its last line end. That it changes in another way is an error
// as without it.
func WithGrowing() Option { return func(o *options) { o.growing = true } }
