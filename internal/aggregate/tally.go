package aggregate

import (
	"bytes"
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// tally is what is kept of the values of one column in each group, in words of
// the group's state. The first says how many values there were that are not null.
type tally interface {
	want(measure string) // before words
	words() int
	begin(state []uint64)
	// add takes in the values of a, whose rows are of the groups given. The words
	// are behind the first at of a state.
	add(t *table, at int, a arrow.Array, groups []uint32)
	// merge adds src, whose references are to from, to dst, which is of a group of t.
	merge(t *table, dst, src []uint64, from []byte)
	// refs calls f with the references in a state: three words that say where in
	// the table's bytes something lies, how long it is, and how much room it has.
	refs(state []uint64, f func(ref []uint64))
}

// tallyOf is the tally for a column's type.
func tallyOf(t arrow.DataType) tally {
	switch t := t.(type) {
	case *arrow.Uint64Type:
		return &wideTally{}
	case *arrow.Decimal128Type:
		if t.Precision > 18 {
			return &wideTally{}
		}
		return &wholeTally{}
	case *arrow.Float32Type, *arrow.Float64Type:
		return &floatTally{}
	case *arrow.StringType, *arrow.BinaryType, *arrow.FixedSizeBinaryType, *arrow.DictionaryType:
		return &textTally{}
	case *arrow.ListType, *arrow.MapType, *arrow.NullType:
		return &countTally{}
	}
	return &wholeTally{}
}

// wants are which parts of a tally are needed.
type wants struct{ sums, bounds bool }

func (w *wants) want(measure string) {
	switch measure {
	case "sum", "mean":
		w.sums = true
	case "min", "max":
		w.bounds = true
	}
}

// bitmap is the validity of an array; nil if none of its values is null.
func bitmap(a arrow.Array) (valid []byte, offset int) {
	if a.NullN() == 0 {
		return nil, 0
	}
	return a.NullBitmapBytes(), a.Data().Offset()
}

// countTally counts values: [n].
type countTally struct{ wants }

func (*countTally) words() int                                  { return 1 }
func (*countTally) begin([]uint64)                              {}
func (*countTally) merge(_ *table, dst, src []uint64, _ []byte) { dst[0] += src[0] }
func (*countTally) refs([]uint64, func([]uint64))               {}
func (*countTally) add(t *table, at int, a arrow.Array, groups []uint32) {
	for i, g := range groups {
		if a.IsValid(i) {
			t.states[int(g)*t.words+at]++
		}
	}
}

// wholeTally is of whole numbers of at most 64 bits: [n], then the sum in 128 bits
// [low, high], then [least, greatest].
type wholeTally struct {
	wants
}

func (w *wholeTally) words() int {
	n := 1
	if w.sums {
		n += 2
	}
	if w.bounds {
		n += 2
	}
	return n
}

const (
	least64    = math.MinInt64
	greatest64 = math.MaxInt64
)

func (w *wholeTally) begin(s []uint64) {
	if w.bounds {
		k := w.words()
		low, high := int64(greatest64), int64(least64)
		s[k-2], s[k-1] = uint64(low), uint64(high)
	}
}

func (w *wholeTally) merge(_ *table, dst, src []uint64, _ []byte) {
	dst[0] += src[0]
	if w.sums {
		var c uint64
		dst[1], c = bits.Add64(dst[1], src[1], 0)
		dst[2] += src[2] + c
	}
	if k := w.words(); w.bounds {
		dst[k-2] = uint64(min(int64(dst[k-2]), int64(src[k-2])))
		dst[k-1] = uint64(max(int64(dst[k-1]), int64(src[k-1])))
	}
}

func (*wholeTally) refs([]uint64, func([]uint64)) {}

func (w *wholeTally) add(t *table, at int, a arrow.Array, groups []uint32) {
	values, step := t.scratch.whole(a)
	valid, offset := bitmap(a)
	words, states := t.words, t.states
	switch {
	case valid != nil || !w.sums && !w.bounds:
		for i, g := range groups {
			if valid != nil && valid[(offset+i)>>3]>>((offset+i)&7)&1 == 0 {
				continue
			}
			s := states[int(g)*words+at:]
			v := values[i*step]
			s[0]++
			if w.sums {
				addWhole(s[1:3], v)
			}
			if w.bounds {
				k := w.words()
				s[k-2] = uint64(min(int64(s[k-2]), v))
				s[k-1] = uint64(max(int64(s[k-1]), v))
			}
		}
	case hasKernels && w.sums && len(groups) > 0:
		addWholes(&states[at], 8*words, w.bounds, &values[0], 8*step, &groups[0], len(groups))
	case w.sums && w.bounds:
		for i, g := range groups {
			s := states[int(g)*words+at:][:5:5]
			v := values[i*step]
			var c uint64
			s[0]++
			s[1], c = bits.Add64(s[1], uint64(v), 0)
			s[2] += uint64(v>>63) + c
			if v < int64(s[3]) {
				s[3] = uint64(v)
			}
			if v > int64(s[4]) {
				s[4] = uint64(v)
			}
		}
	case w.sums:
		for i, g := range groups {
			s := states[int(g)*words+at:][:3:3]
			s[0]++
			addWhole(s[1:3], values[i*step])
		}
	default:
		for i, g := range groups {
			s := states[int(g)*words+at:][:3:3]
			v := values[i*step]
			s[0]++
			if v < int64(s[1]) {
				s[1] = uint64(v)
			}
			if v > int64(s[2]) {
				s[2] = uint64(v)
			}
		}
	}
}

func addWhole(s []uint64, v int64) {
	var c uint64
	s[0], c = bits.Add64(s[0], uint64(v), 0)
	s[1] += uint64(v>>63) + c
}

// scratch is memory for one record after the other.
type scratch struct {
	values  []int64
	floats  []float64
	wide    []decimal128.Num
	encoder encoder
}

// whole are the values of a as 64 bits each, the i-th at i*step.
func (s *scratch) whole(a arrow.Array) (values []int64, step int) {
	switch a := a.(type) {
	case *array.Int64:
		return a.Int64Values(), 1
	case *array.Timestamp:
		return arrow.Int64Traits.CastFromBytes(arrow.TimestampTraits.CastToBytes(a.TimestampValues())), 1
	case *array.Time64:
		return arrow.Int64Traits.CastFromBytes(arrow.Time64Traits.CastToBytes(a.Time64Values())), 1
	case *array.Duration:
		return arrow.Int64Traits.CastFromBytes(arrow.DurationTraits.CastToBytes(a.DurationValues())), 1
	case *array.Decimal128: // of which the low halves say all
		return arrow.Int64Traits.CastFromBytes(arrow.Decimal128Traits.CastToBytes(a.Values())), 2
	}
	n := a.Len()
	if cap(s.values) < n {
		s.values = make([]int64, n)
	}
	values = s.values[:n]
	switch a := a.(type) {
	case *array.Int8:
		widen(values, a.Int8Values())
	case *array.Int16:
		widen(values, a.Int16Values())
	case *array.Int32:
		widen(values, a.Int32Values())
	case *array.Uint8:
		widen(values, a.Uint8Values())
	case *array.Uint16:
		widen(values, a.Uint16Values())
	case *array.Uint32:
		widen(values, a.Uint32Values())
	case *array.Date32:
		widen(values, a.Date32Values())
	case *array.Time32:
		widen(values, a.Time32Values())
	case *array.Boolean:
		for i := range values {
			if values[i] = 0; a.Value(i) {
				values[i] = 1
			}
		}
	default:
		panic("aggregate: no whole numbers: " + a.DataType().Name())
	}
	return values, 1
}

func widen[T ~int8 | ~int16 | ~int32 | ~uint8 | ~uint16 | ~uint32](dst []int64, src []T) {
	for i, v := range src {
		dst[i] = int64(v)
	}
}

// wideTally is of whole numbers of up to 128 bits: [n], then the sum in 192 bits,
// low words first, then the least and the greatest [low, high, low, high].
type wideTally struct{ wants }

func (w *wideTally) words() int {
	n := 1
	if w.sums {
		n += 3
	}
	if w.bounds {
		n += 4
	}
	return n
}

func (*wideTally) begin([]uint64)                {}
func (*wideTally) refs([]uint64, func([]uint64)) {}

func (w *wideTally) values(t *table, a arrow.Array) []decimal128.Num {
	switch a := a.(type) {
	case *array.Decimal128:
		return a.Values()
	case *array.Uint64:
		wide := t.scratch.wide[:0]
		for _, v := range a.Uint64Values() {
			wide = append(wide, decimal128.New(0, v))
		}
		t.scratch.wide = wide
		return wide
	}
	panic("aggregate: no wide numbers: " + a.DataType().Name())
}

func (w *wideTally) add(t *table, at int, a arrow.Array, groups []uint32) {
	values := w.values(t, a)
	for i, g := range groups {
		if !a.IsValid(i) {
			continue
		}
		s := t.states[int(g)*t.words+at:]
		v := values[i]
		if w.bounds {
			w.bound(s, v, v)
		}
		if w.sums {
			add192(s[1:4], v.LowBits(), uint64(v.HighBits()), uint64(v.HighBits()>>63))
		}
		s[0]++
	}
}

func add192(s []uint64, low, high, sign uint64) {
	var c uint64
	s[0], c = bits.Add64(s[0], low, 0)
	s[1], c = bits.Add64(s[1], high, c)
	s[2] += sign + c
}

// bound takes low and high into the bounds, before they are counted.
func (w *wideTally) bound(s []uint64, low, high decimal128.Num) {
	b := s[w.words()-4:]
	if s[0] == 0 || low.Less(decimal128.New(int64(b[1]), b[0])) {
		b[0], b[1] = low.LowBits(), uint64(low.HighBits())
	}
	if s[0] == 0 || decimal128.New(int64(b[3]), b[2]).Less(high) {
		b[2], b[3] = high.LowBits(), uint64(high.HighBits())
	}
}

func (w *wideTally) merge(_ *table, dst, src []uint64, _ []byte) {
	if src[0] == 0 {
		return
	}
	if w.bounds {
		b := src[w.words()-4:]
		w.bound(dst, decimal128.New(int64(b[1]), b[0]), decimal128.New(int64(b[3]), b[2]))
	}
	if w.sums {
		add192(dst[1:4], src[1], src[2], src[3])
	}
	dst[0] += src[0]
}

// textTally is of texts: [n], then references to the least and the greatest.
type textTally struct{ wants }

func (w *textTally) words() int {
	if w.bounds {
		return 7
	}
	return 1
}

func (*textTally) begin([]uint64) {}

func (w *textTally) refs(s []uint64, f func([]uint64)) {
	if w.bounds && s[0] > 0 {
		f(s[1:4])
		f(s[4:7])
	}
}

func (w *textTally) add(t *table, at int, a arrow.Array, groups []uint32) {
	if !w.bounds {
		(&countTally{}).add(t, at, a, groups)
		return
	}
	fixed, isFixed := a.(*array.FixedSizeBinary)
	var of texts
	if !isFixed {
		of = textsOf(a)
	}
	for i, g := range groups {
		if !a.IsValid(i) {
			continue
		}
		var text []byte
		if isFixed {
			text = fixed.Value(i)
		} else {
			text = of.at(i)
		}
		s := t.states[int(g)*t.words+at:]
		w.bound(t, s, text, text)
		s[0]++
	}
}

func (w *textTally) bound(t *table, s []uint64, low, high []byte) {
	if s[0] == 0 || bytes.Compare(low, t.bytesAt(s[1:])) < 0 {
		t.setBytes(s[1:], low)
	}
	if s[0] == 0 || bytes.Compare(high, t.bytesAt(s[4:])) > 0 {
		t.setBytes(s[4:], high)
	}
}

func (w *textTally) merge(t *table, dst, src []uint64, from []byte) {
	if src[0] == 0 {
		return
	}
	if w.bounds {
		w.bound(t, dst, refIn(from, src[1:]), refIn(from, src[4:]))
	}
	dst[0] += src[0]
}
