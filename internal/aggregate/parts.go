package aggregate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/spread"
)

// This file ends an aggregation with all workers: what their tables have is put together by
// parts of the hash, each by one of them; the groups are sorted by ranges of their keys; and
// each range is made records of. The ranges are handed over in order.

// leastParallel is from how many groups on that is worth it.
var leastParallel = 1 << 14 // less in a test

// parts are all groups of a grouping in several tables, each of which has those of some hashes.
type parts struct {
	tables []*table
	ranges [][]item // by ascending keys, once they are sorted
}

// item is a group of parts.
type item struct {
	prefix uint64 // of the key, behind what all keys begin with: most comparisons need no more
	table  uint32
	group  uint32
}

// merged puts the workers' tables of a grouping together; nil if one has to do it alone: there are
// files, few groups, or what is kept of a group changes when it is looked at.
func (a *Aggregation) merged(ctx context.Context, i int) (*parts, error) {
	all, memory := 0, int64(0)
	for _, w := range a.workers {
		all += w.tables[i].len()
		memory += w.tables[i].memory()
	}
	g := a.workers[0].tables[i].grouping
	sketches := slices.ContainsFunc(g.tallies, func(t tally) bool { _, is := t.(*sketchTally); return is })
	if len(a.workers) == 1 || all < leastParallel || memory > a.opts.Memory/2 || sketches || a.spills[i].spill != nil {
		return nil, nil
	}
	var byHash spill // for its way to part hashes
	orders := make([][]uint32, len(a.workers))
	begins := make([][nPartitions + 1]int, len(a.workers))
	a.side(len(a.workers), func(w int) { orders[w], begins[w] = byHash.order(a.workers[w].tables[i]) })
	p := &parts{tables: make([]*table, nPartitions)}
	a.side(nPartitions, func(part int) {
		t := newTable(g, a.seed)
		for w, order := range orders {
			from := a.workers[w].tables[i]
			for _, group := range order[begins[w][part]:begins[w][part+1]] {
				e := from.entry(group)
				t.absorb(e.hash, e.key, e.state, e.bytes)
			}
			if ctx.Err() != nil {
				return
			}
		}
		p.tables[part] = t
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, w := range a.workers {
		w.tables[i].reset()
	}
	p.sort(a)
	return p, nil
}

// side calls f for 0 to n-1, by as many goroutines as there are workers.
func (a *Aggregation) side(n int, f func(i int)) { spread.Over(len(a.workers), n, f) }

// sort makes the ranges: about as many groups in each, by a sample of them.
func (p *parts) sort(a *Aggregation) {
	common := p.common(a)
	items := make([][]item, len(p.tables))
	a.side(len(p.tables), func(k int) {
		t := p.tables[k]
		items[k] = make([]item, t.len())
		for g := range items[k] {
			items[k][g] = item{prefixOf(t, uint32(g), common), uint32(k), uint32(g)}
		}
	})
	var sample []uint64
	for _, of := range items {
		for g := 0; g < len(of); g += 1 + len(of)/64 {
			sample = append(sample, of[g].prefix)
		}
	}
	slices.Sort(sample)
	sample = slices.Compact(sample)
	n := min(8*len(a.workers), len(sample))
	bounds := make([]uint64, 0, n) // of range k are what is at bounds[k-1] or above, and below bounds[k]
	for k := 1; k < n; k++ {
		bounds = append(bounds, sample[k*len(sample)/n])
	}
	parted := make([][][]item, len(p.tables))
	a.side(len(p.tables), func(k int) {
		parted[k] = make([][]item, n)
		for _, x := range items[k] {
			r, is := slices.BinarySearch(bounds, x.prefix)
			if is {
				r++
			}
			parted[k][r] = append(parted[k][r], x)
		}
		items[k] = nil
	})
	p.ranges = make([][]item, n)
	a.side(n, func(r int) {
		var own []item
		for k := range parted {
			own = append(own, parted[k][r]...)
			parted[k][r] = nil
		}
		slices.SortFunc(own, func(x, y item) int {
			if c := cmp.Compare(x.prefix, y.prefix); c != 0 {
				return c
			}
			return bytes.Compare(p.key(x), p.key(y))
		})
		p.ranges[r] = own
	})
}

func (p *parts) key(x item) []byte { return p.tables[x.table].key(x.group) }

// isNullGroup reports whether a group is that of null, of keys that are one text: it comes last.
func isNullGroup(t *table, g uint32) bool { return t.raw && t.null == g+1 }

func prefixOf(t *table, g uint32, common int) uint64 {
	if isNullGroup(t, g) {
		return math.MaxUint64
	}
	var head [8]byte
	copy(head[:], t.key(g)[common:])
	return binary.BigEndian.Uint64(head[:])
}

// common is how many bytes all keys begin with, but that of null.
func (p *parts) common(a *Aggregation) int {
	var first []byte
	for _, t := range p.tables {
		for g := 0; g < t.len() && first == nil; g++ {
			if !isNullGroup(t, uint32(g)) {
				first = t.key(uint32(g))
			}
		}
	}
	of := make([]int, len(p.tables))
	a.side(len(p.tables), func(k int) {
		of[k] = len(first)
		for g := range p.tables[k].len() {
			if isNullGroup(p.tables[k], uint32(g)) {
				continue
			}
			key, n := p.tables[k].key(uint32(g)), 0
			for n < min(of[k], len(key)) && key[n] == first[n] {
				n++
			}
			of[k] = n
		}
	})
	return slices.Min(of)
}

// results hands the groups over as records, made side by side, in order.
func (p *parts) results(ctx context.Context, a *Aggregation, yield func(arrow.Record) error) (err error) {
	type made struct {
		records []arrow.Record
		err     error
	}
	done := make([]chan made, len(p.ranges))
	for r := range done {
		done[r] = make(chan made, 1)
	}
	ahead := make(chan struct{}, len(a.workers)+1) // ranges that are begun and not handed over
	stop, stopped := make(chan struct{}), false
	go func() {
		for r := range p.ranges {
			select {
			case ahead <- struct{}{}:
			case <-stop:
				for ; r < len(done); r++ {
					done[r] <- made{}
				}
				return
			}
			go func() {
				var m made
				w := newResults(a.plan, func(rec arrow.Record) error {
					rec.Retain()
					m.records = append(m.records, rec)
					return ctx.Err()
				})
				defer w.release()
				for _, x := range p.ranges[r] {
					e := p.tables[x.table].entry(x.group)
					if m.err = w.put(&e); m.err != nil {
						break
					}
				}
				if m.err == nil {
					m.err = w.flush()
				}
				done[r] <- m
			}()
		}
	}()
	for r := range done {
		m := <-done[r]
		for _, rec := range m.records {
			if err == nil {
				err = yield(rec)
			}
			rec.Release()
		}
		if err == nil {
			err = m.err
		}
		if err != nil && !stopped {
			close(stop)
			stopped = true
		}
		select {
		case <-ahead:
		default:
		}
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// partsStream is the stream of parts.
type partsStream struct {
	*parts
	e entry
}

func (s *partsStream) next() (*entry, error) {
	for len(s.ranges) > 0 && len(s.ranges[0]) == 0 {
		s.ranges = s.ranges[1:]
	}
	if len(s.ranges) == 0 {
		return nil, nil
	}
	x := s.ranges[0][0]
	s.ranges[0] = s.ranges[0][1:]
	s.e = s.tables[x.table].entry(x.group)
	return &s.e, nil
}

func (*partsStream) close() {}
