package aggregate

import (
	"bytes"
	"cmp"
	"container/heap"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

func compareUint(a, b uint64) int  { return cmp.Compare(a, b) }
func compareBytes(a, b []byte) int { return bytes.Compare(a, b) }

// results makes records of groups.
type results struct {
	plan  *Plan
	b     *array.RecordBuilder
	yield func(arrow.Record) error
	rows  int
	text  int
}

// Bounds of a record of results.
const (
	resultRows = 16 << 10
	resultText = 16 << 20
)

func newResults(p *Plan, yield func(arrow.Record) error) *results {
	return &results{plan: p, b: array.NewRecordBuilder(memory.DefaultAllocator, p.schema), yield: yield}
}

func (w *results) release() { w.b.Release() }

func (w *results) put(e *entry) error {
	key := e.key
	g := w.plan.main
	for i := range g.keys {
		key = g.keys[i].take(key, i == len(g.keys)-1 && !g.terminated, w.b.Field(i))
	}
	for i, m := range w.plan.measures {
		r, err := m.result(w.plan, e.state, e.bytes)
		if err != nil {
			return err
		}
		m.append(w.b.Field(len(g.keys)+i), &r)
		w.text += len(r.text)
	}
	w.rows++
	w.text += len(e.key)
	if w.rows == resultRows || w.text >= resultText {
		return w.flush()
	}
	return nil
}

func (w *results) flush() error {
	if w.rows == 0 {
		return nil
	}
	rec := w.b.NewRecord()
	defer rec.Release()
	w.rows, w.text = 0, 0
	return w.yield(rec)
}

// top keeps the groups with the largest first aggregate.
type top struct {
	plan   *Plan
	kept   []ranked // a heap, the one that goes first on top
	memory int64
	most   int64
}

type ranked struct {
	entry
	by result
}

func newTop(p *Plan, most int64) *top { return &top{plan: p, most: most} }

// before reports whether a stands before b in the results: by the first aggregate,
// the largest first and null last, then by keys.
func (t *top) before(a, b *ranked) bool {
	switch {
	case a.by.null != b.by.null:
		return b.by.null
	case !a.by.null:
		if c := t.plan.measures[0].compare(&a.by, &b.by); c != 0 {
			return c > 0
		}
	}
	return bytes.Compare(a.key, b.key) < 0
}

func (t *top) Len() int           { return len(t.kept) }
func (t *top) Less(i, j int) bool { return t.before(&t.kept[j], &t.kept[i]) }
func (t *top) Swap(i, j int)      { t.kept[i], t.kept[j] = t.kept[j], t.kept[i] }
func (t *top) Push(x any)         { t.kept = append(t.kept, x.(ranked)) }
func (t *top) Pop() any {
	last := len(t.kept) - 1
	x := t.kept[last]
	t.kept = t.kept[:last]
	return x
}

func (t *top) offer(e *entry) error {
	by, err := t.plan.measures[0].result(t.plan, e.state, e.bytes)
	if err != nil {
		return err
	}
	r := ranked{*e, by}
	if len(t.kept) == t.plan.top {
		if !t.before(&r, &t.kept[0]) {
			return nil
		}
		gone := heap.Pop(t).(ranked)
		t.memory -= gone.size()
	}
	// What it refers to belongs to the stream.
	r.entry = t.plan.main.copied(e)
	if r.by, err = t.plan.measures[0].result(t.plan, r.state, r.bytes); err != nil {
		return err
	}
	heap.Push(t, r)
	if t.memory += r.size(); t.memory > t.most {
		return fmt.Errorf("the %d groups with the largest %s do not fit into memory: ask for fewer, or give more memory", t.plan.top, t.plan.measures[0].name)
	}
	return nil
}

func (r *ranked) size() int64 {
	return int64(len(r.key)+8*len(r.state)+len(r.bytes)) + 160
}

// copied is an entry that lasts.
func (g *grouping) copied(e *entry) entry {
	c := entry{hash: e.hash, key: bytes.Clone(e.key), state: slices.Clone(e.state)}
	g.refs(c.state, func(ref []uint64) {
		at := len(c.bytes)
		c.bytes = append(c.bytes, refIn(e.bytes, ref)...)
		ref[0], ref[2] = uint64(at), ref[1]
	})
	return c
}

// put writes the groups, the first one first.
func (t *top) put(w *results) error {
	slices.SortFunc(t.kept, func(a, b ranked) int {
		if t.before(&a, &b) {
			return -1
		}
		return 1
	})
	for i := range t.kept {
		if err := w.put(&t.kept[i].entry); err != nil {
			return err
		}
	}
	return nil
}
