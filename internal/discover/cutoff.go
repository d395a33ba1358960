package discover

import (
	"bytes"
	"io"
	"math"
	"reflect"
	"sync"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file is about lists of JSON that are cut off. Between two objects their format does not know
// whether these are in a list, so that its end shows it: what begins with '[' ends with ']'.

// objects is the automaton of objects in a list, or one after the other.
var objects = sync.OnceValue(func() *dfa.Automaton {
	p, err := formats.Program("json")
	if err != nil {
		return nil
	}
	return p.Automaton
})

// readsList reports whether a Program reads lists of objects. Of most, the sign that begins a list is data, and their
// format is not asked for.
func readsList(p *dfa.Program) bool {
	if p.Automaton == nil {
		return false
	}
	if _, e := p.Automaton.Step(p.Automaton.Start, '['); e.Kind != dfa.Skip {
		return false
	}
	a := objects()
	return a != nil && len(p.Automaton.States) == len(a.States) && reflect.DeepEqual(p.Automaton, a)
}

// WatchEnd notes how in ends, which a Program is to read, where that cannot be looked at later.
func WatchEnd(in *input.Input, p *dfa.Program) {
	if in.Plain == nil && readsList(p) {
		in.Reader = &watched{Reader: in.Reader}
	}
}

// CutOff is the error of an input that has been read, and is a list that nothing closes; else nil.
func CutOff(in *input.Input, p *dfa.Program) error {
	var e ends
	switch w, ok := in.Reader.(*watched); {
	case ok:
		e = w.ends
	case in.Plain == nil || !readsList(p):
		return nil
	default:
		if e.ofFile(io.NewSectionReader(in.Plain, in.Base, math.MaxInt64-in.Base), size(in)) != nil {
			return nil // whoever read it would have said so
		}
	}
	return e.cutOff(in.Name)
}

// CutOffText is CutOff of a text.
func CutOffText(name string, text []byte, p *dfa.Program) error {
	if !readsList(p) {
		return nil
	}
	var e ends
	e.add(text)
	return e.cutOff(name)
}

func (e *ends) cutOff(name string) error {
	if e.first != '[' || e.last == ']' {
		return nil
	}
	return &runtime.ParseError{File: name, Offset: e.before, Line: e.lines + 1, Column: e.before - e.line + 1,
		Detail: "the list that '[' opens is never closed by ']', found the end of the input", Expected: `"]"`, Err: runtime.ErrSyntax}
}

func size(in *input.Input) int64 {
	info, err := in.Plain.Stat()
	if err != nil {
		return 0
	}
	return info.Size() - in.Base
}

// ends are the first and the last symbol of an input that are no blanks, and where the first is.
type ends struct {
	first, last         byte
	before, lines, line int64 // bytes and lines before the first, and where its line begins
}

const noSymbols = " \t\r\n"

// add takes in what follows.
func (e *ends) add(text []byte) {
	if e.first == 0 {
		text = e.begin(text)
	}
	if text = bytes.TrimRight(text, noSymbols); len(text) > 0 {
		e.last = text[len(text)-1]
	}
}

func (e *ends) begin(text []byte) []byte {
	if e.before == 0 {
		if rest := dfa.WithoutMark(text); len(rest) < len(text) {
			e.before = int64(len(text) - len(rest))
			text = rest
		}
	}
	for i, c := range text {
		switch c {
		case '\n':
			e.lines, e.line = e.lines+1, e.before+1
		case ' ', '\t', '\r':
		default:
			e.first = c
			return text[i:]
		}
		e.before++
	}
	return nil
}

// ofFile looks at a file of so many bytes.
func (e *ends) ofFile(r io.ReaderAt, size int64) error {
	block := make([]byte, 4<<10)
	for at := int64(0); at < size && e.first == 0; at += int64(len(block)) {
		n, err := r.ReadAt(block, at)
		if e.add(block[:n]); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
	for to := size; to > 0; {
		from := max(0, to-int64(len(block)))
		n, err := r.ReadAt(block[:to-from], from)
		if err != nil && err != io.EOF {
			return err
		}
		if text := bytes.TrimRight(block[:n], noSymbols); len(text) > 0 {
			e.last = text[len(text)-1]
			break
		}
		to = from
	}
	return nil
}

// watched notes how what it reads begins and ends.
type watched struct {
	io.Reader
	ends ends
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.ends.add(p[:n])
	return n, err
}
