package runtime

import (
	"io"
)

// source cuts an input into partitions. One goroutine reads ahead into blocks,
// so that reading overlaps parsing; a block has room in front for the
// carry-over, so that as a rule only the carry-over is copied.
//
//	block  [ room | bytes read              ]
//	data        [ carry-over | bytes read   ]
//
// Of an input that is in memory anyway data is a window, and nothing is copied.
type source struct {
	rest []byte // of an input in memory: from data's beginning to its end

	blocks chan block // nil if the input is in memory
	free   chan []byte
	stop   chan struct{}

	size int    // bytes read into a block
	room int    // bytes in front of them
	cur  []byte // memory of the present block, nil if it is not to be used again
	data []byte // what has not been consumed
	err  error  // after data: io.EOF or a failure
}

type block struct {
	mem []byte // room + what was read
	err error  // after these bytes
}

const readAhead = 2 // blocks being read or waiting

// newSource reads in in blocks of size bytes.
func newSource(in io.Reader, size int) *source {
	s := &source{
		blocks: make(chan block, readAhead-1), free: make(chan []byte, readAhead+1),
		stop: make(chan struct{}), size: size, room: min(size, 1<<20),
	}
	go s.read(in)
	return s
}

// memorySource gives whole in steps of size bytes.
func memorySource(whole []byte, size int) *source { return &source{rest: whole, size: size} }

func (s *source) read(in io.Reader) {
	defer close(s.blocks)
	for {
		var mem []byte
		select {
		case mem = <-s.free:
		default:
			mem = make([]byte, s.room+s.size)
		}
		n, err := fill(in, mem[s.room:])
		select {
		case s.blocks <- block{mem[:s.room+n], err}:
		case <-s.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// fill reads until p is full or in ends or fails. An input that ends too early
// for itself, such as a truncated gzip file, says io.ErrUnexpectedEOF, which is
// a failure: io.ReadFull would not tell it from an end.
func fill(in io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = in.Read(p[n:])
		n += m
	}
	return n, err
}

// close ends the reading ahead.
func (s *source) close() {
	if s.stays() {
		return
	}
	select {
	case <-s.stop:
	default:
		close(s.stop)
	}
}

// drain ends the reading ahead and waits until the input is let go.
func (s *source) drain() {
	s.close()
	for range s.blocks {
	}
}

// consume drops the first n bytes of data.
func (s *source) consume(n int) {
	s.data = s.data[n:]
	if s.stays() {
		s.rest = s.rest[n:]
	}
}

// stays reports whether the input is in memory, so that data remain what they
// are after they have been consumed.
func (s *source) stays() bool { return s.blocks == nil }

// final reports whether the input ends after data, as far as it was read
// without a failure.
func (s *source) final() bool { return s.err == io.EOF }

// more extends data by at least one byte, unless the input has ended or
// failed, and at least doubles it, so that a record of many blocks is not
// copied once a block.
func (s *source) more() {
	if s.stays() {
		n := len(s.data) + max(s.size, len(s.data))
		if n >= len(s.rest) {
			n, s.err = len(s.rest), io.EOF
		}
		s.data = s.rest[:n]
		return
	}
	want := 2 * len(s.data)
	for first := true; s.err == nil && (first || len(s.data) < want); first = false {
		b, ok := <-s.blocks
		if !ok {
			s.err = io.ErrUnexpectedEOF // closed while being read
			return
		}
		s.append(b)
	}
}

func (s *source) append(b block) {
	s.err = b.err
	n := len(b.mem) - s.room
	if len(s.data) <= s.room {
		start := s.room - len(s.data)
		copy(b.mem[start:], s.data)
		s.recycle()
		s.cur, s.data = b.mem, b.mem[start:]
		return
	}
	if cap(s.data)-len(s.data) < n {
		grown := make([]byte, len(s.data), 2*len(s.data)+2*s.size)
		copy(grown, s.data)
		s.recycle()
		s.data = grown
	}
	s.data = append(s.data, b.mem[s.room:]...)
	s.release(b.mem)
}

func (s *source) recycle() {
	if s.cur != nil {
		s.release(s.cur)
		s.cur = nil
	}
}

func (s *source) release(mem []byte) {
	select {
	case s.free <- mem[:cap(mem)]:
	default:
	}
}
