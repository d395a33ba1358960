package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dfaparse/dfaparse/internal/render"
)

// The kinds of ParseError, for errors.Is.
var (
	ErrSyntax         = errors.New("malformed record")
	ErrTooLong        = errors.New("record too long")
	ErrTooFewFields   = errors.New("too few fields")
	ErrTooManyFields  = errors.New("too many fields")
	ErrEnclosure      = errors.New("field not enclosed as its column is")
	ErrValue          = errors.New("field cannot be converted")
	ErrSplit          = errors.New("field cannot be split")
	ErrHeader         = errors.New("unusable header")
	ErrDirective      = errors.New("unusable directive")
	ErrTooManyRejects = errors.New("too many rejects")
)

// ErrClosed is why a Reader that was closed before the end of its input has no more records.
var ErrClosed = fmt.Errorf("the reader is closed: %w", fs.ErrClosed)

// errUnaccounted would be a fault of an engine: it does not know what it has read.
var errUnaccounted = errors.New("the engine accounts for not as many bytes as it has read")

// ParseError says where an input cannot be read, and why.
type ParseError struct {
	File   string
	Offset int64  // of the byte, from 0
	Line   int64  // from 1, counted in line ends of the file, inside quotes too; 0 if the input has no lines: it is binary
	Column int64  // of the byte in its line, from 1
	Record int64  // data record, from 1, header and comments not counted; 0 if none is meant
	Field  string // name of the column, "" if none is meant

	State    string // of the automaton, in words; "" if it was not stuck
	Detail   string // what is wrong, with the text in question
	Expected string // what would have been right, "" if that says nothing more
	Note     string // what else there is to know: how many lines a malformed record has swallowed
	Err      error  // one of the Err values above
}

// Error is one line, in which what does not print is escaped.
func (e *ParseError) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "%s:%d:%d: ", e.File, e.Line, e.Column)
	} else {
		fmt.Fprintf(&b, "%s: ", e.File)
	}
	if e.Record > 0 {
		fmt.Fprintf(&b, "record %d, ", e.Record)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, "field %q: ", e.Field)
	}
	detail := e.Detail
	if detail == "" {
		detail = e.Err.Error()
	}
	b.WriteString(detail)
	if e.State != "" {
		fmt.Fprintf(&b, ", %s", e.State)
	}
	if e.Expected != "" && !e.obvious() {
		fmt.Fprintf(&b, "; expected %s", e.Expected)
	}
	if e.Note != "" {
		fmt.Fprintf(&b, "; %s", e.Note)
	}
	fmt.Fprintf(&b, " (byte %d)", e.Offset)
	return render.Printable(b.String())
}

// obvious reports whether Expected adds nothing to the rest of the message: a
// state that goes on with any other symbol, or a detail that says it better.
func (e *ParseError) obvious() bool {
	return strings.HasPrefix(e.Expected, "any symbol") || strings.Contains(e.Detail, "expected")
}

// Unwrap gives the kind of the error.
func (e *ParseError) Unwrap() error { return e.Err }

// Reject is a record that was left out, or (mode Null) a field that was made
// null: FieldOnly tells.
type Reject struct {
	ParseError
	FieldOnly bool
	Start     int64  // offset of the record
	Lines     int64  // that the record takes; an unterminated quote may have swallowed many
	Raw       []byte // the record without its line end; of a record that is too long its beginning
}

// Stats are the counts of a Reader so far. Once the reading has ended they are
// the same for every engine, partition, batch size and number of threads, but
// for Batches and Partitions; until then they may be ahead of what was delivered.
type Stats struct {
	// Bytes read through: to the input's end, behind the last record that a limit
	// allows, or up to the record that ended the reading.
	Bytes         int64
	Records       int64 // data records, good and bad; with the one that ended the reading
	Rows          int64 // delivered
	Rejected      int64 // records left out because they could not be read
	RejectedLines int64 // that these take
	Nulled        int64 // fields made null because they could not be converted; one that could not be split counts once

	// In rows that were delivered: bytes of invalid UTF-8 that were replaced, and
	// fields that were dropped because the record has more than there are columns
	// (ragged truncate), with the records that had some. And where the first are,
	// nil if there are none.
	Replaced                      int64
	SurplusFields, SurplusRecords int64
	FirstReplaced, FirstSurplus   *Place

	Batches    int64
	Partitions int64

	Account Account // what became of Bytes
}
