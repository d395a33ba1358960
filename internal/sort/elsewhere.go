package sort

import (
	"fmt"

	"github.com/dfaparse/dfaparse/internal/spread"
)

// Numbers sorts numbers elsewhere than on the cores, as the engine for GPUs does.
type Numbers interface {
	// SortNumbers sorts n numbers, which fill writes, and says where in these the one was that comes
	// first, and so on, and how it went; equal ones stay in their order. The order is valid until done is called.
	// memory is how many bytes of the device it may take, 0: what there is. An error says
	// that the cores have to sort.
	SortNumbers(n, threads int, memory int64, fill func(keys []uint64)) (order []uint32, how string, done func(), err error)
}

// leastElsewhere is how many items are worth it; less in a test.
var leastElsewhere = 1 << 17

// sortElsewhere has the items sorted elsewhere, and reports whether they are.
func (r *run) sortElsewhere(l *layout) bool {
	n, threads := len(r.items), r.opts.Threads
	if r.opts.Numbers == nil || n < leastElsewhere {
		return false
	}
	if _, sorted := differing(r.items); sorted {
		return false
	}
	part := min(leastElsewhere, 1<<16) // items that a goroutine takes at once
	parts := (n + part - 1) / part
	from := r.items
	order, how, done, err := r.opts.Numbers.SortNumbers(n, threads, r.opts.DeviceMemory, func(keys []uint64) {
		spread.Over(threads, parts, func(p int) {
			for i := p * part; i < min((p+1)*part, n); i++ {
				keys[i] = from[i].key
			}
		})
	})
	if err != nil {
		r.how = fmt.Sprintf("on the cores: %v", err)
		return false
	}
	to := make([]item, n)
	spread.Over(threads, parts, func(p int) {
		for i := p * part; i < min((p+1)*part, n); i++ {
			to[i] = from[order[i]]
		}
	})
	done()
	r.items, r.how = to, how
	if l.rest == len(r.plan.columns) {
		return true
	}
	ends := make([]int, parts) // what is tied is of the part that it begins in
	for p := range ends {
		ends[p] = r.tied(min((p+1)*part, n))
	}
	spread.Over(threads, parts, func(p int) {
		begin, end := 0, ends[p]
		if p > 0 {
			begin = ends[p-1]
		}
		r.untie(to[begin:end], from[begin:end], l)
	})
	return true
}

// tied is the first item from i on whose number is another than that of the one before.
func (r *run) tied(i int) int {
	for i > 0 && i < len(r.items) && r.items[i].key == r.items[i-1].key {
		i++
	}
	return i
}
