package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/internal/charset"
	"github.com/dfaparse/dfaparse/internal/discover"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
)

// hintBytes are as many as an encoding is guessed from where one is met.
const hintBytes = 64 << 10

// encodingHint says which encoding an input may be in that is read as UTF-8, if the line from an
// offset on is none; else "".
func encodingHint(raw io.ReaderAt, offset int64) string {
	text := make([]byte, hintBytes)
	n, _ := raw.ReadAt(text, offset)
	text = text[:n]
	if line, _, _ := bytes.Cut(text, []byte{'\n'}); utf8.Valid(line) {
		return ""
	}
	g := charset.GuessOf(text, n < hintBytes)
	if g.Name == "" {
		return ""
	}
	return fmt.Sprintf("\n  if the input is in %s, --encoding says so", discover.OneOf(append([]string{g.Name}, g.Others...)))
}

// utf8Hint says that a file which is read in an encoding is UTF-8 rather, if its beginning has
// characters beyond ASCII, and all of them are; else "".
func utf8Hint(in *input.Input, encoding string) string {
	if in.Plain == nil {
		return ""
	}
	text := make([]byte, hintBytes)
	n, _ := in.Plain.ReadAt(text, in.Base)
	read, as, ok := charset.MisreadUTF8(text[:n], n < hintBytes, encoding)
	if !ok {
		return ""
	}
	return fmt.Sprintf("all characters beyond ASCII in its beginning are UTF-8: as %s, %q is read as %q; --encoding UTF-8 says otherwise", encoding, as, read)
}

// encodedPlaces makes places in inputs as UTF-8 ones in their own bytes. Places that come in the
// order of the input cost one more reading of it together.
type encodedPlaces struct {
	ctx  context.Context
	std  *streams
	name string       // of the input that is open; "": none
	raw  *input.Input // nil: nothing is known of it, or it is UTF-8
	at   *charset.Offsets

	line, lineAt int64 // where the last line began, and where that is
}

// place changes a place in the input of that name, if it is not in UTF-8. It is cheap where no
// record, of which the offset is said too, begins before the one of the call before.
func (e *encodedPlaces) place(name string, record int64, offset, column *int64) {
	if e.std.encoding == "" || name == input.Stdin {
		return
	}
	if name != e.name {
		e.open(name)
	}
	line := *offset - *column + 1
	if first := min(record, line); e.raw == nil {
		return
	} else if !e.passTo(first) {
		if e.open(name); e.raw == nil || !e.passTo(first) {
			return
		}
	}
	if line != e.line {
		at, ok := e.at.Encoded(line)
		if !ok {
			return
		}
		e.line, e.lineAt = line, at
	}
	if at, ok := e.at.Encoded(*offset); ok {
		*offset, *column = at, at-e.lineAt+1
	}
}

// passTo lets no place before first be asked for again, and reports whether it could be.
func (e *encodedPlaces) passTo(first int64) bool {
	if _, ok := e.at.Encoded(first); !ok {
		return false
	}
	e.at.Mark()
	return true
}

func (e *encodedPlaces) open(name string) {
	e.close()
	e.name, e.line = name, -1
	raw, err := openRaw(e.ctx, name, e.std, nil)
	if err != nil {
		return
	}
	if encoding, err := e.std.encodingOf(raw); err == nil && encoding != "" {
		e.at = charset.NewOffsets(raw, encoding)
		if _, known := e.at.Encoded(0); known {
			e.raw = raw
			return
		}
	}
	raw.Close()
}

func (e *encodedPlaces) close() {
	if e.raw != nil {
		e.raw.Close()
	}
	e.name, e.raw = "", nil
}

// reject is one whose place is in the input's own bytes.
func (e *encodedPlaces) reject(r *runtime.Reject) *runtime.Reject {
	if e.std.encoding == "" {
		return r
	}
	own := *r
	e.place(r.File, r.Start, &own.Offset, &own.Column)
	return &own
}
