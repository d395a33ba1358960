package sort

import (
	"slices"

	"github.com/dfaparse/dfaparse/internal/spread"
)

// run is rows in memory.
type run struct {
	plan    *Plan
	slabs   []*slab
	values  [][]values // by slab and column of the key
	items   []item
	extents []extent // what is known of the key
	opts    *Options
	how     string // items were sorted elsewhere, or why not
}

// sort puts the items of all rows in order.
func (r *run) sort(threads int, ranks []ranking) {
	n := 0
	starts := make([]int, len(r.slabs))
	for i, c := range r.slabs {
		starts[i] = n
		n += c.rows
	}
	r.values = make([][]values, len(r.slabs))
	perSlab := make([][]extent, len(r.slabs))
	spread.Over(threads, len(r.slabs), func(i int) {
		c := r.slabs[i]
		perSlab[i] = make([]extent, len(r.plan.columns))
		for k, column := range r.plan.columns {
			v := column.valuesOf(c.rec, ranks)
			r.values[i] = append(r.values[i], v)
			perSlab[i][k].seeAll(&v, c.rows)
		}
	})
	r.extents = make([]extent, len(r.plan.columns))
	for _, of := range perSlab {
		for k := range of {
			r.extents[k].merge(&of[k])
		}
	}
	l := layOut(r.plan.columns, r.extents, 0)
	r.items = make([]item, n)
	spread.Over(threads, len(r.slabs), func(i int) {
		items := r.items[starts[i]:][:r.slabs[i].rows]
		for row := range items {
			items[row] = item{0, uint32(i), uint32(row)}
		}
		l.number(items, r.values[i])
	})
	if !r.sortElsewhere(l) {
		radix(r.items, make([]item, n), threads, func(items, tmp []item) { r.untie(items, tmp, l) })
	}
}

// limit keeps the first n rows alone; 0: all.
func (r *run) limit(n int64) {
	if n > 0 && n < int64(len(r.items)) {
		r.items = r.items[:n]
	}
}

// untie sorts items that have one number by what of their keys is not in it.
func (r *run) untie(items, tmp []item, l *layout) {
	if l.rest == len(r.plan.columns) {
		return
	}
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].key == items[from].key {
			to++
		}
		if to-from > 1 {
			r.sortTied(items[from:to], tmp[from:to], l.rest)
		}
		from = to
	}
}

// sortTied sorts items of which the first columns are equal.
func (r *run) sortTied(items, tmp []item, first int) {
	compare := func(a, b item) int {
		if c := r.compare(a, b, first); c != 0 {
			return c
		}
		return earlier(a, b)
	}
	if len(items) <= fewItems {
		slices.SortFunc(items, compare)
		return
	}
	extents := make([]extent, len(r.plan.columns))
	for k := first; k < len(extents); k++ {
		for _, it := range items {
			extents[k].see(&r.values[it.slab][k], int(it.row))
		}
	}
	l := layOut(r.plan.columns, extents, first)
	if l.bits == 0 && l.rest < len(r.plan.columns) {
		slices.SortFunc(items, compare)
		return
	}
	for i := range items {
		items[i].key = 0
		for k := range l.fields {
			f := &l.fields[k]
			items[i].key = items[i].key<<f.bits | f.of(&r.values[items[i].slab][f.at], int(items[i].row))
		}
	}
	if differ, _ := differing(items); differ == 0 { // zeros that texts end with, or do not have
		if l.rest < len(r.plan.columns) {
			slices.SortFunc(items, compare)
		}
		return
	}
	radix(items, tmp, 1, func(items, tmp []item) { r.untie(items, tmp, l) })
}

// compare compares the keys of two rows from a column on.
func (r *run) compare(a, b item, first int) int {
	v, w := r.values[a.slab], r.values[b.slab]
	for k := first; k < len(v); k++ {
		if c := v[k].compare(int(a.row), &w[k], int(b.row)); c != 0 {
			return c
		}
	}
	return 0
}

// release lets go of the key's arrays, and of the slabs.
func (r *run) release() {
	for _, of := range r.values {
		for _, v := range of {
			v.array.Release()
		}
	}
	for _, c := range r.slabs {
		if c.rec != nil { // it has been copied
			c.rec.Release()
		}
	}
	*r = run{plan: r.plan, opts: r.opts}
}
