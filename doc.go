// Package dfaparse reads CSV, logs and formats of your own as typed Arrow
// records, or as values of your structs:
//
//	r, err := dfaparse.Open(ctx, "access.log.gz", dfaparse.Format("nginx"))
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	for rec, err := range r.Records() { … }
//
// A format says what the bytes look like: a built-in one or a spec in a file
// (Format), the text of a spec (Spec), or one that was built in Go (Program, with
// package compile). Inputs that are compressed are decompressed.
//
// An input is read exactly, in parallel: rows, rejects, errors and their places
// depend on nothing but the input, the format, and the options that say what to
// read. The engine is the CPU's (package runtime/cpu) unless WithEngine gives
// another. Options for rare needs are those of package runtime, through With.
//
// What cannot be read is a *ParseError with file, byte, line, column and what was
// expected; errors.Is tells its kind (ErrSyntax, ErrValue, …). A format that does
// not compile is a compile.Faults, an option out of range an *OptionError, a row
// that does not go into a struct a *RowError, a file that was written to while it
// was read a *ChangedError.
//
// Records are those of github.com/apache/arrow/go/v17, valid until the next one
// unless they are retained. Module arrow18 makes them those of arrow-go/v18.
package dfaparse
