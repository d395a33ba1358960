package aggregate

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"io"
	"slices"
)

// stream gives groups in the order of their keys, each once; nil at the end.
type stream interface {
	next() (*entry, error)
	close()
}

// sorted are the groups of a table by their keys.
func sorted(t *table) []uint32 {
	type item struct {
		prefix uint64 // of the key, so that most comparisons need not look at it
		group  uint32
	}
	items := make([]item, t.len())
	for g := range items {
		var head [8]byte
		copy(head[:], t.key(uint32(g)))
		items[g] = item{binary.BigEndian.Uint64(head[:]), uint32(g)}
	}
	slices.SortFunc(items, func(a, b item) int {
		if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
			return c
		}
		return bytes.Compare(t.key(a.group), t.key(b.group))
	})
	order := make([]uint32, len(items))
	for i := range items {
		order[i] = items[i].group
	}
	return order
}

// tableStream is the stream of a table.
type tableStream struct {
	t     *table
	order []uint32
	e     entry
}

func (s *tableStream) next() (*entry, error) {
	if len(s.order) == 0 {
		return nil, nil
	}
	g := s.order[0]
	s.order = s.order[1:]
	s.e = s.t.entry(g)
	return &s.e, nil
}

func (*tableStream) close() {}

// runs are groups in a file, in stretches that are in order.
type runs struct {
	*grouping
	file *tempFile
	ends []int64
}

// put appends a table as one run.
func (r *runs) put(t *table) error {
	w := bufio.NewWriterSize(r.file, 64<<10)
	for _, g := range sorted(t) {
		e := t.entry(g)
		if err := r.write(w, &e); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	r.ends = append(r.ends, r.file.size)
	return nil
}

// mergeStream is the stream of all runs.
type mergeStream struct {
	file  *tempFile
	heads heads
	last  *entryReader // whose entry was given
}

func (r *runs) stream(memory int64) (*mergeStream, error) {
	m := &mergeStream{file: r.file}
	size := min(max(int(memory)/max(len(r.ends), 1), 4<<10), 256<<10)
	from := int64(0)
	for _, end := range r.ends {
		run := &entryReader{grouping: r.grouping, r: bufio.NewReaderSize(io.NewSectionReader(r.file, from, end-from), size)}
		from = end
		if err := m.advance(run); err != nil {
			return m, err
		}
	}
	return m, nil
}

func (m *mergeStream) advance(run *entryReader) error {
	switch _, err := run.next(); err {
	case nil:
		heap.Push(&m.heads, run)
		return nil
	case io.EOF:
		return nil
	default:
		return err
	}
}

func (m *mergeStream) next() (*entry, error) {
	if m.last != nil {
		if err := m.advance(m.last); err != nil {
			return nil, err
		}
		m.last = nil
	}
	if len(m.heads) == 0 {
		return nil, nil
	}
	m.last = heap.Pop(&m.heads).(*entryReader)
	return &m.last.e, nil
}

func (m *mergeStream) close() { m.file.Close() }

// heads are the runs by their next entry.
type heads []*entryReader

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return bytes.Compare(h[i].e.key, h[j].e.key) < 0 }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.(*entryReader)) }
func (h *heads) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
