package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/charset"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/render"
)

// leftOver tells of inputs what is left after their compressed data, of each once: it may be
// read twice.
type leftOver struct {
	mu   sync.Mutex
	told map[string]bool
}

func (l *leftOver) tell(w io.Writer, name string, left *input.LeftOverError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.told[name] {
		return
	}
	if l.told == nil {
		l.told = map[string]bool{}
	}
	l.told[name] = true
	fmt.Fprintf(people{w}, "dfaparse: %s: %v: ignored\n", render.Printable(name), left)
}

// openInput opens a file, or the standard input if it is named "-". Each block
// read from it, compressed or not, is counted by count, which may be nil.
func openInput(ctx context.Context, path string, std *streams, count func(nbytes int)) (*input.Input, error) {
	if in := std.held[path]; in != nil {
		delete(std.held, path)
		in.Count(count)
		return in, nil
	}
	return openFresh(ctx, path, std, count)
}

// openFresh is openInput of one that nobody holds. It may be called on any goroutine.
func openFresh(ctx context.Context, path string, std *streams, count func(nbytes int)) (*input.Input, error) {
	in, err := openRaw(ctx, path, std, count)
	if err == nil && std.leftOver != nil {
		in.IgnoreLeftOver(func(left *input.LeftOverError) { std.leftOver.tell(std.err, in.Name, left) })
	}
	if err == nil && std.encoding != "" {
		if err = std.decode(in); err != nil {
			in.Close()
			if !std.guessed { // there may be no such encoding
				err = &usageError{err: err}
			}
			return nil, err
		}
	}
	return in, err
}

// decode reads an input as UTF-8 from the encoding that was said, or where the first input was
// found to be no UTF-8, from the one that its own beginning shows.
func (s *streams) decode(in *input.Input) error {
	name := s.encodingToFind()
	if !s.guessed {
		if hint := utf8Hint(in, name); hint != "" && !s.misread.Swap(true) {
			fmt.Fprintf(people{s.err}, "dfaparse: %s: %s\n", render.Printable(in.Name), hint)
		}
	}
	err := in.Decode(name)
	if err == nil && s.ascii {
		in.OnlyASCII()
	}
	return err
}

// decodeFor lets inputs be decoded for a format that was asked for, from the encoding that it or
// somebody says, and gives the Program of the text that they are.
func (s *streams) decodeFor(p *dfa.Program) (*dfa.Program, error) {
	s.encoding = cmp.Or(s.encoding, p.Encoding)
	if canonical, err := charset.Canonical(s.encoding); s.encoding != "" && err == nil && canonical == "" {
		s.encoding = "" // as is all that is not decoded
	}
	if s.encoding != "" && len(p.Cells) > 0 {
		return nil, usagef("records of %s are binary, and no text in %s", p.Name, s.encoding)
	}
	s.ascii = p.CountsBytes()
	return p.OfText(), nil
}

func openRaw(ctx context.Context, path string, std *streams, count func(nbytes int)) (*input.Input, error) {
	if path == "-" {
		return input.Of(ctx, std.in, input.Stdin, count)
	}
	return input.Open(ctx, path, count)
}
