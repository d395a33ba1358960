package aggregate

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Partial is groups that somebody else has made, of one Plan: keys as key.go has
// them, states as the tallies have them. A device that has a table of its own hands
// it over so; and it is what a file of groups holds, entry by entry:
//
//	hash, length of the key, key, words of the state, then what these refer to
//
// all numbers 64 bits wide, low bytes first.
type Partial struct {
	Keys   []byte
	Ends   []int    // of the keys, after a 0
	States []uint64 // of each group a state, of grouping.words words
	Bytes  []byte   // what they refer to
}

// entry is one group: what it consists of is valid until the next one.
type entry struct {
	hash  uint64
	key   []byte
	state []uint64
	bytes []byte // what state refers to
}

// write appends an entry to w.
func (g *grouping) write(w *bufio.Writer, e *entry) error {
	var head [16]byte
	binary.LittleEndian.PutUint64(head[:], e.hash)
	binary.LittleEndian.PutUint64(head[8:], uint64(len(e.key)))
	w.Write(head[:])
	_, err := w.Write(e.key)
	for _, word := range e.state {
		binary.LittleEndian.PutUint64(head[:], word)
		w.Write(head[:8])
	}
	g.refs(e.state, func(ref []uint64) { _, err = w.Write(refIn(e.bytes, ref)) })
	if err != nil {
		return err
	}
	return nil // bufio keeps the first error for Flush
}

// entryReader reads entries.
type entryReader struct {
	*grouping
	r *bufio.Reader
	e entry
}

// next reads the next entry; io.EOF says that there is none.
func (r *entryReader) next() (*entry, error) {
	e := &r.e
	var head [16]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return nil, err
	}
	e.hash = binary.LittleEndian.Uint64(head[:])
	n := int(binary.LittleEndian.Uint64(head[8:]))
	e.key = sized(e.key, n)
	if err := r.read(e.key); err != nil {
		return nil, err
	}
	e.state = sized(e.state, r.words)
	for i := range e.state {
		if err := r.read(head[:8]); err != nil {
			return nil, err
		}
		e.state[i] = binary.LittleEndian.Uint64(head[:])
	}
	e.bytes = e.bytes[:0]
	var err error
	r.refs(e.state, func(ref []uint64) {
		at, n := len(e.bytes), int(ref[1])
		e.bytes = append(e.bytes, make([]byte, n)...)
		if rerr := r.read(e.bytes[at:]); rerr != nil {
			err = rerr
		}
		ref[0], ref[2] = uint64(at), uint64(n)
	})
	return e, err
}

func (r *entryReader) read(b []byte) error {
	_, err := io.ReadFull(r.r, b)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
