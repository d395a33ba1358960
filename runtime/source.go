package runtime

import (
	"fmt"
	"io"
	"math/bits"

	"github.com/dfaparse/dfaparse/internal/columns"
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
	orders  chan order // nil if the input is in memory
	account *columns.Account
	blocks  chan block
	stop    chan struct{}

	size  int // bytes of a block
	room  int // bytes in front of them
	whole int // bytes that data is cut into, if not 0: then blocks have another size, for little to be left over
	due   int // bytes ordered that have not come
	cur   *slab
	spare [][]byte // memory of blocks that nobody uses

	prompt bool  // the input answers in time, so that who ends the reading can wait for the last answer
	live   *live // the input, if what has come is not to wait for more; else nil
	late   bool  // data are all that has come so far

	mapping *mapping // that the input in memory is, nil if it is none
	beyond  int      // bytes of an input in memory that are not to be read, at its end
	partial bool     // the input goes on behind what is to be read
	data    []byte   // what has not been consumed; of an input in memory its capacity is all of that
	err     error    // after data: io.EOF or a failure
}

// order asks for a block.
type order struct {
	mem  []byte // for room and size bytes; nil: there is none
	size int
}

type block struct {
	mem  []byte // room + what was read
	size int    // that was ordered
	err  error  // after these bytes
	late bool   // nothing more has come so far
}

// slab is the memory of a block, and how many use it: the source, as long as data
// is in it, and those that took data out of it.
type slab struct {
	mem  []byte
	uses int
}

const (
	readAhead = 2 // blocks being read or waiting
	maxSpare  = 4
	maxEmpty  = 100 // reads in a row that give nothing
)

// newSource reads in in blocks of size bytes, whose memory is account's.
func newSource(in io.Reader, prompt bool, size int, account *columns.Account) *source {
	s := &source{
		orders: make(chan order, readAhead), blocks: make(chan block, readAhead),
		stop: make(chan struct{}), prompt: prompt, account: account, size: size, room: min(size, 1<<20),
	}
	s.live, _ = in.(*live)
	go s.read(in)
	for range readAhead {
		s.order()
	}
	return s
}

// memorySource gives whole in steps of size bytes.
func memorySource(whole []byte, size int) *source {
	return &source{data: whole[:0:len(whole)], size: size}
}

func (s *source) read(in io.Reader) {
	defer close(s.blocks)
	for {
		var o order
		select {
		case o = <-s.orders:
		case <-s.stop:
			return
		}
		if o.mem == nil {
			n := s.room + o.size
			unit := max(1<<bits.Len(uint(n))/16, 1) // blocks of similar size can have each other's
			var err error
			if o.mem, err = s.account.TryMake((n + unit - 1) / unit * unit); err != nil {
				select {
				case s.blocks <- block{size: o.size, err: err}:
				case <-s.stop:
				}
				return
			}
		}
		var n int
		var err error
		late := false
		if s.live != nil {
			n, late, err = s.live.fill(o.mem[s.room : s.room+o.size])
		} else {
			n, err = fill(in, o.mem[s.room:s.room+o.size], s.stop)
		}
		select {
		case s.blocks <- block{o.mem[:s.room+n], o.size, err, late}:
		case <-s.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// fill reads until p is full, in ends or fails, or stop, which may be nil, is closed. An input that ends too early
// for itself, such as a truncated gzip file, says io.ErrUnexpectedEOF, which is
// a failure: io.ReadFull would not tell it from an end.
func fill(in io.Reader, p []byte, stop <-chan struct{}) (n int, err error) {
	for empty := 0; n < len(p) && err == nil; {
		select {
		case <-stop:
			return n, nil
		default:
		}
		var m int
		m, err = in.Read(p[n:])
		switch {
		case m < 0 || m > len(p)-n:
			return n, fmt.Errorf("the input says that it has read %d of %d bytes", m, len(p)-n)
		case m > 0:
			empty = 0
		case err == nil:
			if empty++; empty == maxEmpty {
				err = io.ErrNoProgress
			}
		}
		n += m
	}
	return n, err
}

// close ends the reading ahead. A prompt input is not touched after that; one that may be
// silent for long may still be read once.
func (s *source) close() {
	if s.stays() {
		return
	}
	select {
	case <-s.stop:
	default:
		close(s.stop)
		if s.live != nil {
			close(s.live.done)
		}
	}
	if s.prompt {
		for range s.blocks {
		}
	}
}

// consume drops the first n bytes of data.
func (s *source) consume(n int) {
	s.data = s.data[n:]
	if s.mapping != nil {
		s.mapping.pass(len(s.mapping.whole) - cap(s.data))
	}
}

// stays reports whether the input is in memory, so that data remain what they
// are after they have been consumed.
func (s *source) stays() bool { return s.orders == nil }

// final reports whether the input ends after data, as far as it was read
// without a failure.
func (s *source) final() bool { return s.err == io.EOF && !s.partial }

// more extends data by at least one byte, unless the input has ended or
// failed, and at least doubles it, so that a record of many blocks is not
// copied once a block.
func (s *source) more() {
	n := len(s.data)
	if s.stays() {
		s.extend(n + max(s.size, n))
		return
	}
	s.late = false
	s.extend(max(2*n, n+1))
}

// extend makes data at least n bytes long, unless the input ends or fails before, or
// nothing more has come so far.
func (s *source) extend(n int) {
	if s.stays() {
		if all := cap(s.data) - s.beyond; n >= all {
			n, s.err = all, io.EOF
		}
		s.data = s.data[:max(n, len(s.data))]
		if s.mapping != nil {
			s.mapping.reach(len(s.mapping.whole) - cap(s.data) + len(s.data))
		}
		return
	}
	for s.err == nil && len(s.data) < n && !s.late {
		b, ok := <-s.blocks
		s.receive(b, ok)
	}
}

// needs reports whether blocks have to come before data has n bytes, or as many as
// there are.
func (s *source) needs(n int) bool {
	if s.stays() {
		s.extend(n)
	}
	return len(s.data) < n && s.err == nil
}

// receive appends a block, if there is one, and orders another.
func (s *source) receive(b block, ok bool) {
	if !ok {
		s.err = io.ErrUnexpectedEOF // closed while being read
		return
	}
	s.append(b)
	s.late = b.late
	s.due -= b.size
	if s.err == nil {
		s.order()
	}
}

// order orders a block, for which there is room among the orders.
func (s *source) order() {
	o := order{size: s.size}
	if s.whole > 0 {
		o.size = min(max(readAhead*s.whole+s.whole/16-len(s.data)-s.due, s.whole/8), 2*s.whole)
	}
	for i, mem := range s.spare {
		if last := len(s.spare) - 1; len(mem) >= s.room+o.size {
			o.mem = mem
			s.spare[i], s.spare = s.spare[last], s.spare[:last]
			break
		}
	}
	s.due += o.size
	s.orders <- o
}

func (s *source) append(b block) {
	s.err = b.err
	if b.mem == nil {
		return
	}
	n := len(b.mem) - s.room
	if len(s.data) <= s.room {
		start := s.room - len(s.data)
		copy(b.mem[start:], s.data)
		s.release(s.cur)
		s.cur, s.data = &slab{b.mem, 1}, b.mem[start:]
		return
	}
	if cap(s.data)-len(s.data) < n {
		grown := s.larger(n)
		s.release(s.cur)
		s.cur, s.data = nil, grown
	}
	s.data = append(s.data, b.mem[s.room:]...)
	s.keep(b.mem)
}

// larger is data in memory of its own, with room for n bytes more.
func (s *source) larger(n int) []byte {
	mem, err := s.account.TryMake(2*len(s.data) + 2*s.size)
	if err != nil { // twice as much is for speed
		mem = s.account.Make(len(s.data) + max(n, len(s.data)/8))
	}
	return mem[:copy(mem, s.data)]
}

// cut takes the first n bytes of data out. They are there until the slab is
// released.
func (s *source) cut(n int) ([]byte, *slab) {
	if s.cur != nil {
		s.cur.uses++
	}
	data := s.data[:n]
	s.data = s.data[n:]
	return data, s.cur
}

// restore puts parts, which have been cut one after the other, in front of data
// again, but for so many bytes of those behind the first, which is where these end.
func (s *source) restore(parts [][]byte, taken int) {
	n := len(s.data) - taken
	for _, p := range parts {
		n += len(p)
	}
	if s.stays() {
		s.data = parts[0][:n]
		return
	}
	whole := s.account.Make(n + taken)[:0]
	for _, p := range append(parts, s.data) {
		whole = append(whole, p...)
	}
	s.release(s.cur)
	s.cur, s.data = nil, whole[taken:]
}

// release is the end of one use of a slab.
func (s *source) release(b *slab) {
	if b == nil {
		return
	}
	if b.uses--; b.uses == 0 {
		s.keep(b.mem)
	}
}

// keep keeps memory for a block to come, instead of less.
func (s *source) keep(mem []byte) {
	mem = mem[:cap(mem)]
	if len(s.spare) < maxSpare {
		s.spare = append(s.spare, mem)
		return
	}
	for i, kept := range s.spare {
		if len(kept) < len(mem) {
			s.spare[i], mem = mem, kept
		}
	}
}
