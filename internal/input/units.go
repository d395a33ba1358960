package input

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"runtime/debug"
)

// This file decompresses what consists of units, several of them side by side where it is
// known beforehand where they end.

// source is compressed data, of which it counts what was taken.
type source struct {
	*bufio.Reader
	tally tally
}

func newSource(r io.Reader) *source {
	s := &source{tally: tally{Reader: r}}
	s.Reader = bufio.NewReaderSize(&s.tally, 1<<20)
	return s
}

// at is the place of what is taken next.
func (s *source) at() int64 { return s.tally.n - int64(s.Buffered()) }

// begins reports whether another unit begins here, as those do whose first bytes is says
// so of. It is an error if something else is left.
func (s *source) begins(nbytes int, is func(head []byte) bool) error {
	head, err := s.Peek(nbytes)
	switch {
	case len(head) == 0:
		return err // io.EOF, or what cannot be read
	case err != nil && err != io.EOF:
		return err
	case !is(head):
		return &LeftOverError{s.at()}
	case err != nil:
		return io.ErrUnexpectedEOF
	}
	return nil
}

// tally counts what is read.
type tally struct {
	io.Reader
	n int64
}

func (t *tally) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	t.n += int64(n)
	return n, err
}

// units are the parts of compressed data that can be decompressed each without the others:
// members, frames, blocks.
type units interface {
	// next is the one that comes next, or several small ones; io.EOF after the last. One of
	// more than most bytes of text, or of which nobody says how many it has, is a stream.
	next(most int) (unit, error)
	// decode appends the text of a unit to text. It is called on any goroutine.
	decode(text, data []byte) ([]byte, error)
	close()
}

type unit struct {
	data   []byte    // as a compressed file of its own
	size   int       // bytes of text, at most
	stream io.Reader // not nil: the text; next is called once it has ended
}

// mostUnit is how many bytes of text a unit may have that waits for its turn, and as many
// wait for each worker.
const mostUnit = 48 << 20

// smallUnit is how many bytes of text are decompressed at a time at least, where units have fewer.
const smallUnit = 1 << 20

// assembled is the text of all units.
type assembled struct {
	*decompressed
	units   units
	workers int
	given   int64     // text
	text    []byte    // that is given next
	stream  io.Reader // after the queue
	queue   []*pending
	waiting int      // bytes of text in the queue, at most
	last    *pending // whose text is given
	spare   [][]byte
	err     error // after all that
}

// pending is a unit that a goroutine decompresses.
type pending struct {
	size int
	done chan struct{}
	text []byte
	err  error
}

func (a *assembled) begin() error {
	in := newSource(a.in)
	if _, err := in.Peek(1); err != nil && err != io.EOF {
		return err
	}
	*a = assembled{decompressed: a.decompressed, units: a.compression.units(in)}
	return nil
}

// end leaves what goroutines decompress to them: they read nothing but memory.
func (a *assembled) end() error {
	a.units.close()
	return nil
}

func (a *assembled) Read(p []byte) (int, error) {
	for {
		if len(a.text) > 0 {
			n := copy(p, a.text)
			a.text = a.text[n:]
			a.given += int64(n)
			return n, nil
		}
		if a.last != nil {
			if a.spare = append(a.spare, a.last.text[:0]); a.last.err != nil {
				a.queue, a.stream, a.err = nil, nil, a.last.err
			}
			a.last = nil
		}
		a.fill()
		switch {
		case len(a.queue) > 0:
			a.last = a.queue[0]
			a.queue = a.queue[1:]
			<-a.last.done
			a.waiting -= a.last.size
			a.text = a.last.text
		case a.stream != nil:
			n, err := a.stream.Read(p)
			a.given += int64(n)
			if err == io.EOF {
				a.stream, err = nil, nil
			}
			if err != nil {
				a.stream, a.err = nil, err
			}
			if n > 0 {
				return n, nil
			}
		case a.err != nil && a.guess():
			if err := a.again(); err != nil {
				return 0, err
			}
		default:
			return 0, a.err
		}
	}
}

// fill lets goroutines decompress what comes.
func (a *assembled) fill() {
	if a.workers == 0 {
		a.workers = max(a.decompressed.workers, 1)
	}
	for a.err == nil && a.stream == nil && (len(a.queue) == 0 || len(a.queue) < 2*a.workers && a.waiting < mostUnit*a.workers) {
		most := mostUnit
		if a.workers == 1 {
			most = 0
		}
		u, err := a.units.next(most)
		if err != nil {
			a.err = err
			return
		}
		if u.stream != nil {
			a.stream = u.stream
			return
		}
		d := &pending{size: u.size, done: make(chan struct{})}
		if n := len(a.spare); n > 0 {
			d.text, a.spare = a.spare[n-1], a.spare[:n-1]
		}
		a.queue = append(a.queue, d)
		a.waiting += u.size
		go func(from units) {
			defer close(d.done)
			d.text, d.err = from.decode(d.text, u.data)
		}(a.units)
	}
}

// guess reports whether the error may be none: that of a unit which ends elsewhere.
func (a *assembled) guess() bool {
	left := (*LeftOverError)(nil)
	return a.compression.guessed && a.workers > 1 && a.err != io.EOF && !errors.As(a.err, &left) && !errors.Is(a.err, context.Canceled)
}

// again reads from the beginning without guesses, and passes over what has been given.
func (a *assembled) again() error {
	a.units.close()
	if _, err := a.in.(io.Seeker).Seek(0, io.SeekStart); err != nil {
		return err
	}
	given := a.given
	if err := a.begin(); err != nil {
		return err
	}
	a.workers = 1
	_, err := io.CopyN(io.Discard, a, given)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// SideBySide lets n goroutines decompress the input where it consists of parts that can be
// decompressed each without the others, and can be read again; where the process has a limit
// of memory, one after the other. It is called before the first is read.
func (in *Input) SideBySide(n int) {
	if in.packed == nil || debug.SetMemoryLimit(-1) < math.MaxInt64 {
		return
	}
	if _, again := in.packed.in.(io.Seeker); again {
		in.packed.workers = n
	}
}

// readAll appends what r gives to text.
func readAll(text []byte, r io.Reader) ([]byte, error) {
	for {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			return text, nil
		}
		if err != nil {
			return text, err
		}
	}
}
