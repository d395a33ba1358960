package runtime

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// Engine executes Programs. The engines of this module give the same Results,
// byte for byte, for every chunk size, partition size and number of threads.
type Engine interface {
	Name() string
	// Open prepares to run plan.Program over one input.
	Open(plan *Plan, cfg Config) (Parser, error)
}

// Sizer is an Engine that works best with partitions of another size than the
// default, which is for caches.
type Sizer interface {
	Engine
	PartitionSize(threads int) (nbytes int)
}

// Mapper is an Engine that says whether files may be mapped into memory for it, of
// which pages go away if the file becomes shorter: see Guard and Config.Mapped. Of
// others a Sizer may not have them, and whoever is none may.
type Mapper interface {
	Engine
	Maps() bool
}

// Config is how an engine runs, which never changes what it gives.
type Config struct {
	Threads int // workers, > 0
	Chunk   int // bytes that one worker reads at once, > 0

	Partition int // bytes of a Partition, as a rule; 0 if nobody knows

	// Mapped is the file that Partitions lie in, from the beginning of a page, if it
	// is mapped into memory. It is until the Parser and its forks are closed.
	Mapped []byte
	// File is that file, from the same place on, for who copies it: no page has to be
	// mapped for that, and let go. Where it gives less than Mapped has, the file has
	// become shorter, which reading Mapped tells too. Nil: there is none.
	File io.ReaderAt
}

// Parser runs a Program over the partitions of one input, in order.
type Parser interface {
	// Parse reads the complete records of p. It may keep p.Data only until it
	// returns; the Result is valid until the next call.
	Parse(ctx context.Context, p *Partition) (*Result, error)
	Close() error
}

// Forker is a Parser that can be had several times, to read partitions of one
// input side by side. For this it guesses where records begin; nobody believes
// it: a partition that was read counts if it began where the one before it ended.
type Forker interface {
	Parser
	// Guess gives the offset of a record near the end of data, and the context
	// there. How many symbols from there on show that the record before has ended is
	// ahead: see Partition.Ahead. It reports whether it has an idea.
	Guess(data []byte, b *Binding) (at, ahead int, state dfa.StateID, ok bool)
	// Fork gives a Parser of one worker, for the same plan, of whose Results the
	// last n are valid. It is closed like any other.
	Fork(n int) (Parser, error)
}

// Cutter is a Forker that may know where records end without a look at them.
type Cutter interface {
	Forker
	// Cut gives how much of n symbols, before the first of which the context is state, is whole
	// records, and the context there. It reports whether it knows.
	Cut(n int, state dfa.StateID) (at int, next dfa.StateID, ok bool)
}

// Wide is a Forker whose forks work on a partition with all that they have, a device
// above all. They are few, and read partitions of the usual size: while one's
// Results wait for whoever wants the records, the next is at work.
type Wide interface {
	Forker // whose Guess is called by several goroutines at once
	// Ahead is how many partitions shall be read at a time, 0 if there is nothing
	// to be gained, and Parse shall read one after the other.
	Ahead() int
}

// Preparer is a fork of a Wide that makes use of knowing which partitions it will be given: all
// of them, in this order.
type Preparer interface {
	Parser
	// Prepare is called before Parse is for the partition, and before it is for the one before
	// that as a rule. Its data stay what they are until Parse has returned, or the Parser is closed.
	Prepare(p *Partition)
}

// Releaser is a Parser, or a fork, that makes use of knowing that a Result is needed no
// more, before its time is over: the memory that it lies in is there for the next.
type Releaser interface {
	Parser
	// Release is called once for a Result, by whoever makes records of them, which may be
	// while another partition is parsed.
	Release(r *Result)
}

// Plan is what an engine has to deliver: the Program with the reader's options
// resolved. It is read-only.
type Plan struct {
	Program   *dfa.Program
	Columns   []dfa.Column // the columns of a record, as the header, directives and spec name them
	Outputs   []Output     // the columns to deliver, in order
	MaxRecord int          // longest record in bytes
	UTF8      dfa.UTF8Policy
	BaseTime  time.Time // completes time stamps without a year
	// Drops reports whether the row of a problem is left out, whatever else is
	// said of it: see Rows.Gone. It goes by Output and What alone. Nil: of no problem.
	Drops func(*Problem) bool
	// Settles: Problems that are asked for get their Offsets by the reader, if an engine leaves them Unsettled.
	// It may do so where a Problem of a field is the only one of its record, and of no binary record.
	Settles bool
	// Look gives what wants to see the fields of a column that are converted, on any goroutine,
	// those of several at once; nil if nobody does. See WithLook.
	Look func(column string) func(*convert.Fields)
	// Memory is what columns of the engine's own take their memory from, nil if
	// there is no bound to it. What has not enough panics with a *MemoryError.
	Memory *columns.Pool
	// Bind gives the binding that a directive record sets; raw is the record
	// without its line end. A nil Binding leaves the one in force.
	Bind func(kind dfa.RecordKind, raw []byte) (*Binding, error)
}

// Output is one column to deliver: a column of Plan.Columns, or a part of one.
type Output struct {
	Column int // index into Plan.Columns
	Part   int // index into its Split.Columns, or -1 for the column itself
}

// Def is the definition of output o.
func (p *Plan) Def(o Output) *dfa.Column {
	c := &p.Columns[o.Column]
	if o.Part >= 0 {
		return &c.Split.Columns[o.Part]
	}
	return c
}

// Binding says where the columns come from in the records of one segment of
// the input: from the header or a directive to the next.
type Binding struct {
	// A record has MinFields to MaxFields fields: fewer is TooFew, more is
	// TooMany unless Truncate. The number of fields of a record is the column
	// of its last field plus one. Pad and automata that name columns in their
	// emissions (templates with optional groups) make MinFields 0: what a record
	// does not have is absent. Of columns of fixed width (Program.Widths) those
	// that the record reaches into count; the last is what there is of it.
	MinFields, MaxFields int
	Truncate             bool
	// Source says where the columns are: Plan.Columns[i] is field Source[i] of
	// the record; -1: the segment has no such column, it is absent. A field is
	// the source of one column; of several fields of one number the last counts.
	Source []int
	// Rest is the field number from which on the record, as written, is the
	// value of that field (Program.HasRest); -1 if there is none. Then no record
	// has too many fields.
	Rest int
}

// Partition is what an engine is handed at once.
type Partition struct {
	Data     []byte      // begins at the first symbol of a record
	State    dfa.StateID // the context at Data[0]
	Final    bool        // the input ends after Data
	Binding  *Binding    // in force at Data[0]
	Batches  Batches     // where rows may go, nil: nowhere
	Lexicons Lexicons    // what its columns of dictionaries may begin with, nil: nothing
	// Ahead is how many symbols at the end of Data are those of the next Partition, which
	// a fork is given to see the last record end: records that begin there are not read, unless
	// they end there too, and Guess was wrong. Only what is cut where Guess says so has any.
	Ahead int
	// Again reports whether a directive that matters says what is in force already. A fork goes
	// on behind those, and ends its reading before any other (Result.Directed): what that one
	// sets depends on those before it. Nil: the engine asks Plan.Bind. It may be called by
	// several goroutines at once.
	Again func(kind dfa.RecordKind, raw []byte) bool
	// Steady says that it does so of all that are in Data.
	Steady bool
	// LineEnds says that somebody may ask which line something is in: see Result.LineEnds.
	LineEnds bool
	// Size says how many bytes and lines the record from start to its boundary end takes; next is where the one after it
	// begins, 0 if that is not known. With it only the first Told of the records that Plan.Drops leaves out are asked
	// about: others may be counted in Rows.Left, and have no Problems. It may be called by several goroutines at once.
	// Nil: all are asked about.
	Size func(p *Partition, start, end, next int, begin dfa.StateID) (nbytes, nlines int64)
	Told int
	// Lines says that lines end at \n only: a record that ends there, and has no other in it, is one.
	Lines bool
}

// Own is how many bytes of Data the records are in that are read.
func (p *Partition) Own() int { return len(p.Data) - p.Ahead }

// Batches are the columns of the Arrow records to come. An engine that has the
// rows of a Partition one after the other may append them there, rather than to
// Columns of its own, so that nobody needs to copy them.
type Batches interface {
	// Next gives columns, one an Output, for the next so many rows; those that
	// are in them are earlier ones. For the rows after these it is called again.
	Next() (columns []*columns.Column, rows int)
}

// Lexicons are the tokens of columns of dictionaries, for the Columns that an engine makes
// itself: where these begin with them, rows need not be changed to become records.
type Lexicons interface {
	// Lexicon is what there is now for an Output, nil: nothing.
	Lexicon(output int) *columns.Lexicon
}

// Result is what an engine found in a Partition.
type Result struct {
	Consumed int         // bytes of Data through the last complete record's boundary
	State    dfa.StateID // the context at Data[Consumed]
	Binding  *Binding    // in force there
	Rows     []Rows      // in input order
	Err      *BindError  // a directive that Bind refused; Rows end before it
	Directed bool        // Data[Consumed:] begins with a directive that Partition.Again does not know
	Extents  Extents     // what Data[:Consumed] is
	// LineEnds are where lines end, as far as the engine has counted that: parts of Data, in order.
	// What is in none is looked at if it has to be known.
	LineEnds []LineEnds
}

// LineEnds are the line ends (\n) of Partition.Data[From:To] in pieces of so many bytes, the last of
// which may be shorter.
type LineEnds struct {
	From, To int
	Piece    int
	N        []uint16 // of each
}

// Extents say what the bytes consumed of a Partition are. Engines count each
// part where its records end, so that the sum says whether they have missed
// any. A record's bytes are those from its first symbol to where the next begins.
type Extents struct {
	Data       int64  // of data records, which are rows
	Dropped    Extent // records of which nothing comes: comments, blank lines (dfa.DroppedRecord)
	Directives Extent
	Tail       int64 // bytes at the end of the input that are in no record
}

// Bytes is the sum of all parts.
func (t *Extents) Bytes() int64 { return t.Data + t.Dropped.Bytes + t.Directives.Bytes + t.Tail }

// Pass counts a record that is no data record.
func (t *Extents) Pass(kind dfa.RecordKind, nbytes int) {
	if kind >= dfa.FirstDirective {
		t.Directives.Add(1, int64(nbytes))
	} else {
		t.Dropped.Add(1, int64(nbytes))
	}
}

// Add adds the extents of another part of the input.
func (t *Extents) Add(u *Extents) {
	t.Data += u.Data
	t.Dropped.Add(u.Dropped.Records, u.Dropped.Bytes)
	t.Directives.Add(u.Directives.Records, u.Directives.Bytes)
	t.Tail += u.Tail
}

// BindError is a directive that Plan.Bind refused.
type BindError struct {
	Offset int // of the record in Partition.Data
	Err    error
}

// Rows are consecutive data records, converted. Records of other kinds have no
// row; that blank lines are dropped is the automaton's doing (DroppedRecord),
// there is no rule for them here. Every data record has a row,
// the malformed ones too: their values are null and Problems names them. What
// becomes of them is the reader's decision (dfa.ErrorMode), not the engine's; but
// those that the reader will leave out (Plan.Drops) an engine may take out of the
// columns, while they are in its cache.
type Rows struct {
	N        int
	Columns  []*columns.Column // one an Output, with N rows, less those that are gone
	From     int               // of all its rows, here; not 0 in those of Batches
	Lease    *columns.Lease    // of the memory that Columns lie in, which arrays may hold beyond the Result's time; nil: it is not lent
	Gone     Gone              // those that Plan.Drops leaves out: all of them, or none if the engine does not do it
	Left     Left              // of those that are gone, the ones without Problems: see Partition.Size
	Problems []Problem         // by Row, then by Offset, then by Output
	Notes    []Note            // by Row
}

// Left are records that are left out, of which only this is known.
type Left struct{ Records, Bytes, Lines int64 }

// Add adds others.
func (l *Left) Add(m *Left) {
	l.Records += m.Records
	l.Bytes += m.Bytes
	l.Lines += m.Lines
}

// Note is something that befell a row with which nothing is wrong, but which
// is counted, and told once.
type Note struct {
	Row    int // of Rows
	What   NoteKind
	N      int // of the fields or bytes
	Offset int // in Partition.Data: of the first such field; of the record for bytes
}

// NoteKind is the kind of a Note.
type NoteKind uint8

const (
	SurplusFields NoteKind = iota // were dropped, by Binding.Truncate
	ReplacedBytes                 // were invalid UTF-8; a row may have several Notes of them
)

// SortNotes puts notes into the order of Rows.Notes.
func SortNotes(notes []Note) {
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.What, b.What)) })
}

// Problem is one reason why a record or a field cannot be read. A record has
// either one structural problem (Output -1), the first that applies of
// TooLong, Lexical, TooFew or TooMany, WrongClass; or the problems of its fields.
type Problem struct {
	Row    int // of Rows
	Output int // index into Plan.Outputs, -1 if the record itself is malformed

	// In Partition.Data: where it is, or Unsettled, and the record it is in, boundary left out.
	Offset     int
	Start, End int
	Binding    *Binding // in force there
	Field      int      // field number in the record, -1 if none is meant: TooLong, TooFew, a column that the segment lacks
	At         int      // What == Lexical: the offset in Partition.Data of the symbol for which the automaton had no transition

	// Small ones are side by side: of bad files there are many Problems.
	What    What
	Code    convert.Code  // What == Value
	Begin   dfa.StateID   // the context at Start
	Lexical dfa.ErrorCode // What == Lexical: with
	State   dfa.StateID   // the state in which it had none
}

// Unsettled is the Offset of a Problem for which its record has to be read again: see Plan.Settles.
const Unsettled = -1

// SortProblems puts problems into the order of Rows.Problems.
func SortProblems(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Output, b.Output))
	})
}

// What is the kind of a Problem.
type What uint8

const (
	TooLong    What = iota // the record is longer than Plan.MaxRecord; at its start
	Lexical                // the automaton had no transition; where it blames
	TooFew                 // fields, by Binding.MinFields; at the record's end
	TooMany                // fields, by Binding.MaxFields; at the first surplus field
	WrongClass             // the field is not enclosed as its column is; at the field's start
	Value                  // the field cannot be converted; at the field's start, or the record's end if it is absent
	Part                   // the field cannot be split, which stands for its parts too; at the field's start

	NWhats = iota
)
