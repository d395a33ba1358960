package parquetfile

import (
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
)

// word is a value of Parquet's INT32 and FLOAT, or INT64 and DOUBLE.
type word interface{ uint32 | uint64 }

// order is how words are compared for statistics.
type order uint8

const (
	unsigned order = iota
	signed
	float
)

// words encodes values of 32 or 64 bits.
type words[T word] struct {
	load  func(scratch []T, d arrow.ArrayData, s span) []T
	order order

	dict    *wordTable[T] // nil: PLAIN from here on
	pays    payoff
	given   bool // the dictionary was given up: later chunks have none
	indices []uint32
	keys    []T // of a dictionary that was given up after pages
	plain   plain
	buffer  []T // scratch

	least, most T // of values that are in no dictionary
	some        bool
	nan         bool // is among them
}

func newWords[T word](p *press, load func([]T, arrow.ArrayData, span) []T, o order) *words[T] {
	return &words[T]{load: load, order: o, dict: newWordTable[T](), plain: plain{press: p}}
}

func (w *words[T]) add(d arrow.ArrayData, s span) {
	in := w.load(w.buffer[:0], d, s)
	if s.rows != nil {
		w.buffer = in[:0]
	}
	if w.dict == nil {
		w.addPlain(in)
		return
	}
	w.indices = w.dict.appendIndices(w.indices, in)
	if !w.pays.keep(len(in), len(w.dict.keys), len(bytesOf(w.dict.keys))) {
		w.giveUp()
	}
}

func (w *words[T]) addPlain(in []T) {
	w.plain.memory = append(w.plain.room(), bytesOf(in)...)
	if len(in) > 0 {
		w.observe(in)
	}
}

// giveUp writes the values of the page out, and has no dictionary any more; its
// keys are kept for the pages before.
func (w *words[T]) giveUp() {
	w.keys, w.given = w.dict.keys, true
	w.dict = nil
	w.buffer = w.buffer[:0]
	for _, at := range w.indices {
		w.buffer = append(w.buffer, w.keys[at])
	}
	w.addPlain(w.buffer)
	w.indices = w.indices[:0]
}

func (w *words[T]) size() int { return w.plain.size() }

func (w *words[T]) flush(levels []byte) (raw, bool) {
	if w.dict == nil {
		return w.plain.flush(levels), false
	}
	page := w.plain.press.indices(levels, w.indices, len(w.dict.keys))
	w.indices = w.indices[:0]
	return page, true
}

func (w *words[T]) finish() (dictionary, []byte, []byte) {
	keys := w.keys
	if w.dict != nil {
		keys = w.dict.keys
	}
	if len(keys) > 0 {
		w.observe(keys)
	}
	dict := dictionary{append([]byte(nil), bytesOf(keys)...), len(keys)}
	var least, most []byte
	if w.some && !w.nan {
		least, most = w.statistics()
	}
	w.keys, w.pays, w.some, w.nan = nil, payoff{always: w.pays.always}, false, false
	if !w.given {
		w.dict = newWordTable[T]()
	}
	return dict, least, most
}

// observe widens what is known of the smallest and largest value.
func (w *words[T]) observe(in []T) {
	if w.order == float {
		w.observeFloats(in)
		return
	}
	flip := T(0) // makes signed values compare as unsigned ones
	if w.order == signed {
		flip = 1 << (8*unsafe.Sizeof(flip) - 1)
	}
	least, most := in[0]^flip, in[0]^flip
	for _, v := range in[1:] {
		least, most = min(least, v^flip), max(most, v^flip)
	}
	if w.some {
		least, most = min(least, w.least^flip), max(most, w.most^flip)
	}
	w.least, w.most, w.some = least^flip, most^flip, true
}

// observeFloats is observe for floats. NaN is neither the smallest nor the largest, and where
// there is one the chunk tells neither: readers to whom NaN is larger than all others pass
// over a chunk whose largest value is not large enough, and NaN in it.
func (w *words[T]) observeFloats(in []T) {
	least, most := math.Inf(1), math.Inf(-1)
	if w.some {
		least, most = floatOf(w.least), floatOf(w.most)
	}
	for _, v := range in {
		f := floatOf(v)
		if f < least {
			least = f
		}
		if f > most {
			most = f
		}
		if f != f {
			w.nan = true
		}
	}
	if least > most {
		return
	}
	w.least, w.most, w.some = wordOf[T](least), wordOf[T](most), true
}

// statistics are the smallest and largest value in PLAIN. Of floats zeros have
// the sign that makes them the bound of both zeros, as the format asks.
func (w *words[T]) statistics() (least, most []byte) {
	if w.order == float {
		if floatOf(w.least) == 0 {
			w.least = wordOf[T](math.Copysign(0, -1))
		}
		if floatOf(w.most) == 0 {
			w.most = 0
		}
	}
	return append([]byte(nil), bytesOf([]T{w.least})...), append([]byte(nil), bytesOf([]T{w.most})...)
}

func floatOf[T word](v T) float64 {
	switch v := any(v).(type) {
	case uint32:
		return float64(math.Float32frombits(v))
	case uint64:
		return math.Float64frombits(v)
	}
	return 0
}

func wordOf[T word](f float64) T {
	var v T
	switch p := any(&v).(type) {
	case *uint32:
		*p = math.Float32bits(float32(f))
	case *uint64:
		*p = math.Float64bits(f)
	}
	return v
}

// indices is a page of indices into a dictionary of so many entries.
func (p *press) indices(levels []byte, indices []uint32, entries int) raw {
	width := max(1, widthOf(uint32(max(entries, 1)-1)))
	page := append(append(p.buffer(len(levels)+len(indices)*int(width+1)/8+64), levels...), byte(width))
	return all(appendHybrid(page, indices, width))
}
