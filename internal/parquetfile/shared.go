package parquetfile

import (
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
)

// shared is a record that several columns use; the last to let go of it
// releases it.
type shared struct {
	arrow.Record
	users atomic.Int64
	last  func() // called once nobody uses it
}

func (s *shared) done() {
	if s.users.Add(-1) == 0 {
		s.Record.Release()
		s.last()
	}
}

// budget bounds the bytes of records that wait.
type budget struct {
	mu      sync.Mutex
	changed sync.Cond
	left    int64
	records int
}

// take waits until there is room for n bytes, or nothing else waits.
func (b *budget) take(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.left < n && b.records > 0 {
		b.changed.Wait()
	}
	b.left -= n
	b.records++
}

func (b *budget) give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
	b.records--
	b.changed.Signal()
}

// RecordBytes is the size of a record's buffers, those of dictionaries apart:
// they are the same from record to record.
func RecordBytes(rec arrow.Record) int64 {
	n := int64(0)
	for _, c := range rec.Columns() {
		n += dataBytes(c.Data())
	}
	return n
}

func dataBytes(d arrow.ArrayData) int64 {
	n := int64(0)
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		n += dataBytes(c)
	}
	return n
}
