package convert

import (
	"math"
	"math/bits"
	"unsafe"
)

//go:generate sh -c "cd asm && go run . -out ../kernels_amd64.s -stubs ../kernels_stub_amd64.go -pkg convert"

// kernel is vector code that converts groups of rows. It does the plain ones
// and says which it leaves, so that all else, nulls and errors too, is decided
// in one place, in Go. It reads bytes of src only, and accepts nothing that
// fixed.parse does not accept with the same value.
type kernel func(g *rowGroups, p *params)

// groupRows is how many rows a kernel takes at a time.
const groupRows = 8

// rowGroups is rows in groups, which a kernel works on.
type rowGroups struct {
	src    *byte
	length int // of src; of more than 2^31-1, so many: places are not beyond
	start  *uint32
	end    *uint32
	out    unsafe.Pointer // of as many values as there are rows in the groups
	todo   *byte          // a byte for each group: bit i set, row i is left, its value not defined
	n      int            // groups, not 0
}

// params are the constants of a column, by kernel.
type params [80]uint64

// fewestBytes is how long src has to be for a kernel: windows that would begin
// before it or end behind it are moved inside, and their rows left.
const fewestBytes = 32

// vectors converts rows by a kernel.
type vectors struct {
	kernel kernel // nil: the machine has none for the column
	params params
	// Each may be nil. prepare sets params that depend on the rows; again sets others if
	// the rows that are left are worth that; finish completes what the kernel has
	// converted, and may leave more rows.
	prepare func(p *params, f *Fields)
	again   func(p *params, f *Fields, todo rowSet) bool
	finish  func(out unsafe.Pointer, todo rowSet, n int)
	second  second
	longer  kernel // nil, or one that does more, of the rows that are in todo, and takes them out
	groups  rowGroups
	todo    []uint64
	idle    int // rounds to come in which kernel is not tried
	rest    int // the same of longer
}

// pause is how many rounds are converted without the kernel after one that it
// left more than half of.
const pause = 15

// fewTried rows say nothing about those of other rounds: where a batch ends, rounds are of any size.
const fewTried = 64

// left is told how many of n rows have been left, and are not null.
func (v *vectors) left(rows, n int) {
	if rows > n/2 && n >= fewTried {
		v.idle = pause
	}
}

// convert converts rows of f into out, of n values, and gives the set of those
// that are left; nil if all are.
func (v *vectors) convert(out unsafe.Pointer, f *Fields) rowSet {
	n := len(f.Start)
	if v.kernel == nil && v.longer == nil || n < groupRows || len(f.Src) < fewestBytes {
		return nil
	}
	alone := v.idle > 0 || v.kernel == nil
	if alone {
		v.idle = max(v.idle-1, 0)
		if v.longer == nil || v.rest > 0 {
			v.rest = max(v.rest-1, 0)
			return nil
		}
	}
	nwords := (n + 63) / 64
	if nwords > len(v.todo) {
		v.todo = make([]uint64, nwords)
	}
	todo := rowSet(v.todo[:nwords])
	todo[nwords-1] = 0
	v.groups = rowGroups{unsafe.SliceData(f.Src), min(len(f.Src), math.MaxInt32), unsafe.SliceData(f.Start), unsafe.SliceData(f.End[:n]),
		out, (*byte)(unsafe.Pointer(unsafe.SliceData(todo))), n / groupRows}
	if v.prepare != nil {
		v.prepare(&v.params, f)
	}
	if alone {
		for i := range todo[:nwords-1] {
			todo[i] = all
		}
		todo[nwords-1] = 1<<(n&^(groupRows-1)-64*(nwords-1)) - 1
	} else {
		v.kernel(&v.groups, &v.params)
	}
	if v.longer != nil {
		v.runLonger(todo, n, alone)
	}
	todo.leaveRest(n)
	if v.again != nil && v.again(&v.params, f, todo) {
		v.second.run(v, todo, n)
	}
	v.groups = rowGroups{}
	if v.finish != nil {
		v.finish(out, todo, n)
	}
	return todo
}

// runLonger converts rows of todo by longer, where most that are left had not been left by it lately. Where kernel
// leaves most rows, and longer does them, longer has some rounds alone.
func (v *vectors) runLonger(todo rowSet, n int, alone bool) {
	if v.rest > 0 {
		v.rest--
		return
	}
	before := todo.len()
	if before == 0 {
		return
	}
	v.longer(&v.groups, &v.params)
	done := before - todo.len()
	switch {
	case n < fewTried:
	case done < before/4:
		v.rest = pause
	case done > n/2 && !alone:
		v.idle = pause
	}
}

// second is what a kernel makes of all rows with other params, of which those count that it has left before.
type second struct {
	width  int // bytes of a value, 4 or 8
	values []uint64
	todo   rowSet
}

func (s *second) run(v *vectors, todo rowSet, n int) {
	if n > cap(s.values) {
		s.values, s.todo = make([]uint64, n), make(rowSet, len(v.todo))
	}
	left := s.todo[:len(todo)]
	left[len(left)-1] = 0
	out, own := v.groups.out, unsafe.Pointer(unsafe.SliceData(s.values))
	v.groups.out, v.groups.todo = own, (*byte)(unsafe.Pointer(unsafe.SliceData(left)))
	v.kernel(&v.groups, &v.params)
	left.leaveRest(n)
	for k, w := range todo {
		todo[k] &= left[k]
		for w &^= left[k]; w != 0; w &= w - 1 {
			at := (64*k + bits.TrailingZeros64(w)) * s.width
			if s.width == 8 {
				*(*uint64)(unsafe.Add(out, at)) = *(*uint64)(unsafe.Add(own, at))
			} else {
				*(*uint32)(unsafe.Add(out, at)) = *(*uint32)(unsafe.Add(own, at))
			}
		}
	}
}

// rowSet has bit i&63 of word i>>6 set for row i.
type rowSet []uint64

// leaveRest adds those of the set's n rows that are behind the last whole group, at which kernels do not look.
func (s rowSet) leaveRest(n int) {
	if rest := n % groupRows; rest > 0 {
		s[len(s)-1] |= (1<<rest - 1) << ((n - rest) % 64)
	}
}

func (s rowSet) len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// What next passes over.
const (
	none = uint64(0)
	all  = ^none
)

// next is the first row from i on that is in the set, passing over those that
// are not, or with all over those that are; beyond the last if there is none.
func (s rowSet) next(i int, over uint64) int {
	for k := i >> 6; k < len(s); k++ {
		if w := (s[k] ^ over) >> (i & 63); w != 0 {
			return i + bits.TrailingZeros64(w)
		}
		i = (k + 1) << 6
	}
	return i
}
