package aggregate

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sync"
)

// spill is groups in files, by the hash: those of one partition are in one file, and a
// group may be there several times, from several tables.
type spill struct {
	*grouping
	dir   string
	level int // how many times the groups have been parted before
	mu    [nPartitions]sync.Mutex
	files [nPartitions]*tempFile
}

const (
	partitionBits = 6
	nPartitions   = 1 << partitionBits
	maxLevel      = 8 // of 64 bits of hash
)

// partition is that of a hash, by bits that the tables' slots do not go by.
func (s *spill) partition(hash uint64) int {
	return int(hash >> (64 - partitionBits*(s.level+1)) & (nPartitions - 1))
}

// tempFile is a file that goes when it is closed.
type tempFile struct {
	*os.File
	size int64
}

func newTempFile(dir string) (*tempFile, error) {
	f, err := os.CreateTemp(dir, "dfaparse-groups-*")
	if err != nil {
		return nil, fmt.Errorf("groups do not fit into memory, and there is no file for them: %w", err)
	}
	_ = os.Remove(f.Name()) // where a file that is open can go; elsewhere Close sees to it
	return &tempFile{File: f}, nil
}

func (f *tempFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	f.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("groups do not fit into memory, nor into a file: %w", err)
	}
	return n, nil
}

func (f *tempFile) Close() {
	f.File.Close()
	_ = os.Remove(f.Name())
}

// order is the groups of t by their partition; those of partition p begin at begins[p].
func (s *spill) order(t *table) (order []uint32, begins [nPartitions + 1]int) {
	for _, h := range t.hashes {
		begins[s.partition(h)+1]++
	}
	for p := range nPartitions {
		begins[p+1] += begins[p]
	}
	order, next := make([]uint32, t.len()), begins
	for g, h := range t.hashes {
		p := s.partition(h)
		order[next[p]] = uint32(g)
		next[p]++
	}
	return order, begins
}

// put moves all groups of t to the files.
func (s *spill) put(t *table) error {
	order, counts := s.order(t)
	for p := range nPartitions {
		if err := s.putPartition(p, t, order[counts[p]:counts[p+1]]); err != nil {
			return err
		}
	}
	t.reset()
	return nil
}

func (s *spill) putPartition(p int, t *table, groups []uint32) error {
	if len(groups) == 0 {
		return nil
	}
	s.mu[p].Lock()
	defer s.mu[p].Unlock()
	if s.files[p] == nil {
		var err error
		if s.files[p], err = newTempFile(s.dir); err != nil {
			return err
		}
	}
	w := bufio.NewWriterSize(s.files[p], 64<<10)
	for _, g := range groups {
		e := t.entry(g)
		if err := s.write(w, &e); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (s *spill) close() {
	if s == nil {
		return
	}
	for p, f := range s.files {
		if f != nil {
			f.Close()
			s.files[p] = nil
		}
	}
}

// gather makes one table after the other of the partitions, each with all its
// groups, and gives them to f, which may keep them until it returns.
func (s *spill) gather(t *table, limit int64, f func(*table) error) error {
	defer s.close()
	for p := range nPartitions {
		if s.files[p] == nil {
			continue
		}
		if err := s.gatherPartition(p, t, limit, f); err != nil {
			return err
		}
		s.files[p].Close()
		s.files[p] = nil
	}
	return nil
}

func (s *spill) gatherPartition(p int, t *table, limit int64, f func(*table) error) error {
	t.reset()
	var parts *spill
	defer func() { parts.close() }()
	r := entryReader{grouping: s.grouping, r: bufio.NewReaderSize(io.NewSectionReader(s.files[p], 0, s.files[p].size), 64<<10)}
	for {
		e, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		t.absorb(e.hash, e.key, e.state, e.bytes)
		// Groups whose hashes no level tells apart are few: keys that differ in zeros at their end.
		if t.memory() > limit && t.len() > 1 && s.level < maxLevel {
			if parts == nil {
				parts = &spill{grouping: s.grouping, dir: s.dir, level: s.level + 1}
			}
			if err := parts.put(t); err != nil {
				return err
			}
		}
	}
	if parts == nil {
		return f(t)
	}
	if err := parts.put(t); err != nil {
		return err
	}
	return parts.gather(t, limit, f)
}
