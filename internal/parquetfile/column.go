package parquetfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// A page ends where it holds so many values, nulls included, or where its
// values take so many bytes.
const (
	pageValues = 1 << 16
	pageBytes  = 1 << 20
)

// A page that is so long, because a value is, is not copied where that can be
// avoided, and its memory is not kept for others. Levels in front of it take
// roomForLevels, as a rule.
const (
	longPage      = 4 << 20
	roomForLevels = 64 << 10
)

// maxPage is how many bytes a page may have: its header counts them in 32 bits with a sign.
var maxPage = math.MaxInt32 - 1<<10

// stride is how many rows are encoded at once: their values are still in the
// first-level cache when they are used a second time.
const stride = 2048

// column encodes one column of Parquet.
type column struct {
	field          int // of the record
	leaf           leaf
	maxDef, maxRep uint8
	press          *press
	turns          chan turn
	values         values
	first          *column // the one of the first lane; nil: this is it
	verdict        verdict

	// Of the page. Without nested values def is empty until a null comes.
	def, rep []uint8
	levels   []byte // scratch: both as they are written
	n        int    // values, nulls included
	nulls    int

	chunk *columnChunk
	rows  []int32 // scratch: rows that are not null
}

// span says which rows of a leaf's data are values: from to to-1, or, where
// some of them are null, those in rows.
type span struct {
	from, to int
	rows     []int32
}

func (s span) len() int {
	if s.rows != nil {
		return len(s.rows)
	}
	return s.to - s.from
}

// row is the k-th row.
func (s span) row(k int) int {
	if s.rows != nil {
		return int(s.rows[k])
	}
	return s.from + k
}

// values encodes the values of a leaf that are not null.
type values interface {
	// add takes values into the page, one at least.
	add(d arrow.ArrayData, s span)
	// size is how many bytes the page's values take so far, at most.
	size() int
	// flush gives the page of levels and values, and says if they are indices
	// into the dictionary.
	flush(levels []byte) (page raw, indices bool)
	// finish gives the chunk's dictionary, if there is one, and the smallest
	// and largest value, if known, and begins anew.
	finish() (dict dictionary, least, most []byte)
}

// dictionary is the distinct values of a chunk, PLAIN.
type dictionary struct {
	body []byte
	n    int
}

func newColumn(field int, l leaf, desc *schema.Column, press *press) (*column, error) {
	c := &column{field: field, leaf: l, press: press, turns: make(chan turn, 64), chunk: &columnChunk{}, rows: make([]int32, 0, stride)}
	c.maxDef, c.maxRep = l.maxLevels()
	if int16(c.maxDef) != desc.MaxDefinitionLevel() || int16(c.maxRep) != desc.MaxRepetitionLevel() {
		return nil, fmt.Errorf("parquet: column %s is nested %d, %d deep, not %d, %d", desc.Path(), desc.MaxDefinitionLevel(), desc.MaxRepetitionLevel(), c.maxDef, c.maxRep)
	}
	c.verdict.told = make(chan struct{})
	var err error
	c.values, err = newValues(l.typ, desc, press)
	return c, err
}

// run does the column's turns in order, each with a token of workers.
func (c *column) run(workers chan struct{}) {
	if c.first != nil {
		<-c.first.verdict.told
		if d, ok := c.values.(dictionaried); ok && c.first.verdict.inVain {
			d.plainly()
		}
	}
	for t := range c.turns {
		workers <- struct{}{}
		if t.record != nil {
			c.add(t.record.Column(c.field).Data())
			t.record.done()
		} else {
			c.endChunk(t.chunk)
		}
		c.verdict.tell(c.values, c.chunk.nvalues+c.n, t.record == nil)
		<-workers
	}
}

// add encodes the column of a record.
func (c *column) add(d arrow.ArrayData) {
	for from := 0; from < d.Len(); from += stride {
		to := min(from+stride, d.Len())
		if len(c.leaf.path) > 0 {
			c.addNested(d, from, to)
		} else {
			c.addFlat(d, from, to)
		}
		if c.n >= pageValues || c.values.size() >= pageBytes {
			c.endPage()
		}
	}
}

func (c *column) addFlat(d arrow.ArrayData, from, to int) {
	s := span{from: from, to: to}
	if d.NullN() != 0 && d.Buffers()[0] != nil { // of a slice it is -1, not known
		c.rows = c.rows[:0]
		for i := from; i < to; i++ {
			if !isNull(d, i) {
				c.rows = append(c.rows, int32(i))
			}
		}
		if len(c.rows) < to-from {
			s.rows = c.rows
		}
	}
	if s.rows != nil && c.nulls == 0 { // the first in this page
		c.def = slices.Grow(c.def[:0], c.n+to-from)
		for range c.n {
			c.def = append(c.def, 1)
		}
	}
	if s.rows != nil || c.nulls > 0 {
		for i := from; i < to; i++ {
			there := uint8(1)
			if isNull(d, i) {
				there = 0
			}
			c.def = append(c.def, there)
		}
	}
	c.n += to - from
	c.nulls += to - from - s.len()
	if s.len() > 0 {
		c.values.add(d, s)
	}
}

func (c *column) addNested(d arrow.ArrayData, from, to int) {
	s := newShredder(&c.leaf, d)
	s.out = levels{def: c.def, rep: c.rep, rows: c.rows[:0]}
	for i := from; i < to; i++ {
		s.row(i, 0, 0, 0)
	}
	before := len(c.def)
	c.def, c.rep, c.rows = s.out.def, s.out.rep, s.out.rows
	c.n = len(c.def)
	c.nulls += len(c.def) - before - len(c.rows)
	if len(c.rows) > 0 {
		c.values.add(s.data[len(s.data)-1], span{rows: c.rows})
	}
}

// endPage completes the page, if it is not empty.
func (c *column) endPage() {
	if c.n == 0 {
		return
	}
	levels := c.levels[:0]
	if c.maxRep > 0 {
		levels = appendLevels(levels, c.rep, c.maxRep)
	}
	if c.maxDef > 0 {
		if len(c.def) == 0 { // all are there: one run
			levels = binary.LittleEndian.AppendUint32(levels, uint32(len(binary.AppendUvarint(nil, uint64(c.n)<<1))+1))
			levels = append(binary.AppendUvarint(levels, uint64(c.n)<<1), c.maxDef)
		} else {
			levels = appendLevels(levels, c.def, c.maxDef)
		}
	}
	page, indices := c.values.flush(levels)
	c.chunk.add(c.press, page, c.n, indices)
	c.levels = levels
	c.chunk.nulls += c.nulls
	c.def, c.rep, c.n, c.nulls = c.def[:0], c.rep[:0], 0, 0
}

// appendLevels appends levels up to limit behind their length in bytes.
func appendLevels(dst []byte, levels []uint8, limit uint8) []byte {
	at := len(dst)
	dst = appendHybrid(append(dst, 0, 0, 0, 0), levels, widthOf(uint32(limit)))
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// endChunk completes the chunk and hands it over.
func (c *column) endChunk(to chan<- *columnChunk) {
	c.endPage()
	dict, least, most := c.values.finish()
	c.chunk.finish(c.press, dict, least, most)
	to <- c.chunk
	c.chunk = &columnChunk{}
}
