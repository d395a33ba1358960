package explain

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/dfaparse/dfaparse/dfa"
)

// preamble passes over the lines before the first record; the byte to explain
// may not be in one.
func (f *finder) preamble(skipLines int64) error {
	lines := func(n int64) error {
		for ; n > 0; n-- {
			if more, err := f.passLine(); err != nil || !more {
				return err
			}
		}
		return nil
	}
	if n := int64(f.p.Preface); n > 0 {
		if f.offset < n {
			return fmt.Errorf("byte %d is in the header of %d bytes before the first record", f.offset, n)
		}
		passed, err := f.in.Discard(int(n))
		f.base += int64(passed)
		if err == io.EOF {
			err = fmt.Errorf("all %d bytes of the input are in the header, which has %d", passed, n)
		}
		return err
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
	start := f.base
	for {
		symbol, err := f.in.ReadByte()
		if err != nil && err != io.EOF {
			return false, err
		}
		if err == io.EOF {
			return f.base > start, nil
		}
		f.base++
		end := symbol == '\n' || cr && symbol == '\r'
		if next, _ := f.in.Peek(1); cr && symbol == '\r' && len(next) > 0 && next[0] == '\n' {
			end = false
		}
		if f.base > f.offset {
			return false, fmt.Errorf("byte %d is in line %d, which is passed over whatever it holds", f.offset, f.line+1)
		}
		if end {
			f.line++
			f.lineStart = f.base
			return true, nil
		}
	}
}

// Skipped is where the first record of an input may begin, header included: behind the byte
// order mark, and the lines that the Program passes over whatever they hold.
func Skipped(data []byte, p *dfa.Program) int {
	f := &finder{p: p, a: p.Automaton, in: bufio.NewReader(bytes.NewReader(data)), offset: math.MaxInt64, x: &Explanation{Program: p}}
	if bytes.HasPrefix(data, mark) && len(p.Cells) == 0 {
		_, _ = f.in.Discard(len(mark))
		f.base = int64(len(mark))
	}
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
