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

// ownPlaces makes places in inputs as UTF-8 ones in their own bytes.
func (s *streams) ownPlaces(ctx context.Context) input.OwnPlaces {
	return input.OwnPlaces{
		Open:     func(name string) (*input.Input, error) { return openRaw(ctx, name, s, nil) },
		Encoding: s.encodingToFind,
	}
}

// encodingToFind is the encoding of inputs, input.AutoEncoding where each shows its own.
func (s *streams) encodingToFind() string {
	if s.guessed && s.encoding != "" {
		return input.AutoEncoding
	}
	return s.encoding
}
