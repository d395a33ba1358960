package explain

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/dfaparse/dfaparse/dfa"
)

// errOutside ends the search at a symbol that the automaton does not read.
var errOutside = errors.New("outside of what the automaton reads")

// preamble passes over the byte order mark and the lines before the first record, up to the
// byte to explain if it is in one.
func (f *finder) preamble(skipLines int64) error {
	if head, _ := f.in.Peek(len(dfa.ByteOrderMark)); string(head) == dfa.ByteOrderMark && len(f.p.Cells) == 0 {
		if err := f.leaveOut(int64(len(dfa.ByteOrderMark)), "the byte order mark, which is no data"); err != nil {
			return err
		}
		f.lineStart = f.base
	}
	lines := func(n int64) error {
		for ; n > 0; n-- {
			if more, err := f.passLine(); err != nil || !more {
				return err
			}
		}
		return nil
	}
	if n := int64(f.p.Preface); n > 0 {
		return f.leaveOut(n, fmt.Sprintf("the header of %d bytes before the first record, whatever it holds", n))
	}
	if err := lines(skipLines); err != nil {
		return err
	}
	for i := range f.p.Skip {
		s := &f.p.Skip[i]
		if err := lines(int64(s.Lines)); err != nil {
			return err
		}
		for len(s.Prefixes) > 0 && f.lineBegins(s.Prefixes) || len(s.Until) > 0 && !f.lineBegins(s.Until) {
			if more, err := f.passLine(); err != nil {
				return err
			} else if !more {
				return fmt.Errorf("all %d bytes of the input are lines that the format skips", f.base)
			}
		}
	}
	return lines(int64(f.p.Header.Lines()))
}

// leaveOut passes over n bytes, which are of what is said.
func (f *finder) leaveOut(n int64, of string) error {
	passed, err := f.in.Discard(int(min(n, f.offset-f.base)))
	inside := f.offset < f.base+n
	f.base += int64(passed)
	if err == nil && inside {
		if err = f.outside(of); err == nil {
			return errOutside
		}
	}
	if err == io.EOF {
		err = fmt.Errorf("all %d bytes of the input are in the header, which has %d", f.base, n)
	}
	return err
}

// outside explains the symbol, which the automaton does not read.
func (f *finder) outside(of string) error {
	at := int(f.offset - f.base)
	tail, err := f.in.Peek(at - len(f.data) + lookAhead)
	if f.x.Around, f.x.At = append(bytes.Clone(f.data), tail...), at; at >= len(f.x.Around) {
		return err
	}
	f.x.Outside, f.x.Symbol = of, f.x.Around[at]
	f.place(min(at, len(f.data)))
	return nil
}

func (f *finder) lineBegins(prefixes []string) bool {
	for _, p := range prefixes {
		if head, _ := f.in.Peek(len(p)); string(head) == p {
			return true
		}
	}
	return false
}

// passLine passes over one line, and reports whether there was one.
func (f *finder) passLine() (bool, error) {
	cr := f.p.LinesEndAtCR()
	pass := func() { f.base, f.data = f.base+int64(len(f.data)), f.data[:0] }
	for {
		symbol, err := f.in.ReadByte()
		if err != nil && err != io.EOF {
			return false, err
		}
		if err == io.EOF {
			some := len(f.data) > 0
			pass()
			return some, nil
		}
		f.data = append(f.data, symbol)
		end := symbol == '\n' || cr && symbol == '\r'
		if next, _ := f.in.Peek(1); cr && symbol == '\r' && len(next) > 0 && next[0] == '\n' {
			end = false
		}
		if f.base+int64(len(f.data)) > f.offset {
			if err := f.outside("a line that is passed over, whatever it holds"); err != nil {
				return false, err
			}
			return false, errOutside
		}
		if end {
			pass()
			f.line, f.lineStart = f.line+1, f.base
			return true, nil
		}
	}
}

// Skipped is where the first record of an input may begin, header included: behind the byte
// order mark, and the lines that the Program passes over whatever they hold.
func Skipped(data []byte, p *dfa.Program) int {
	f := &finder{p: p, a: p.Automaton, in: bufio.NewReader(bytes.NewReader(data)), offset: math.MaxInt64, x: &Explanation{Program: p}}
	if err := f.preamble(0); err != nil {
		return len(data)
	}
	return int(f.base)
}

// Shift moves all places by so many bytes, lines and records: for an input whose head was
// left out between its header and its records.
func (x *Explanation) Shift(nbytes, lines, records int64) {
	x.Offset += nbytes
	x.Line += lines
	x.Since += nbytes
	if x.Later != nil {
		x.Later.Offset += nbytes
		x.Later.Boundary += nbytes
	}
	r := x.Record
	if r == nil {
		return
	}
	r.Start, r.End, r.ProblemAt = r.Start+nbytes, r.End+nbytes, r.ProblemAt+nbytes
	if r.Number > 0 {
		r.Number += records
	}
	if r.Field != nil {
		r.Field.Start, r.Field.End = r.Field.Start+nbytes, r.Field.End+nbytes
	}
}
