package dfaparse

import (
	"fmt"

	"github.com/dfaparse/dfaparse/internal/rows"
	"github.com/dfaparse/dfaparse/runtime"
)

// What the reading of an input tells.
type (
	// ParseError says where an input cannot be read, and why.
	ParseError = runtime.ParseError
	// Reject is a record that was left out, or a field that was made null.
	Reject = runtime.Reject
	// Stats are the counts of a Reader.
	Stats = runtime.Stats
	// OptionError is an option out of range, or one that does not fit the input.
	OptionError = runtime.OptionError
	// ChangedError says that a file was written to while it was read.
	ChangedError = runtime.ChangedError
	// MemoryError says that WithMemory has allowed too little.
	MemoryError = runtime.MemoryError
)

// The kinds of ParseError, for errors.Is.
var (
	ErrSyntax         = runtime.ErrSyntax         // malformed record
	ErrTooLong        = runtime.ErrTooLong        // record too long
	ErrTooFewFields   = runtime.ErrTooFewFields   // in a record
	ErrTooManyFields  = runtime.ErrTooManyFields  // in a record
	ErrEnclosure      = runtime.ErrEnclosure      // field not enclosed as its column is
	ErrValue          = runtime.ErrValue          // field cannot be converted
	ErrSplit          = runtime.ErrSplit          // field cannot be split
	ErrHeader         = runtime.ErrHeader         // unusable header
	ErrDirective      = runtime.ErrDirective      // unusable directive
	ErrTooManyRejects = runtime.ErrTooManyRejects // more than WithMaxRejects allows
	ErrForeign        = runtime.ErrForeign        // the input is of another kind: UTF-16, an archive
)

// ErrNull is a null for a field of a struct that cannot be null. A pointer or a
// sql.Null can, and with the option zero in its tag a null is the zero value.
var ErrNull = rows.ErrNull

// RowError is a row whose value a field of the struct cannot hold.
type RowError struct {
	Row    int64 // of the rows that the Reader delivers, from 1
	Column string
	Field  string // of the struct, as in "Trip.Fare"
	Err    error  // ErrNull, or that a length of time is longer than time.Duration counts
}

func (e *RowError) Error() string {
	return fmt.Sprintf("row %d, column %q: %v, in field %s", e.Row, e.Column, e.Err, e.Field)
}

// Unwrap gives the reason.
func (e *RowError) Unwrap() error { return e.Err }
