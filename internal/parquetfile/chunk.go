package parquetfile

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// columnChunk is the pages of a column in one row group.
type columnChunk struct {
	dict    *page   // the dictionary's, nil if there is none
	pages   []*page // of data
	pending sync.WaitGroup
	nvalues int // nulls included
	nulls   int
	stats   metadata.EncodedStatistics
	indices int // pages of indices
}

// Page types and encodings of the format's Thrift definition.
const (
	dataPage       = 0
	dictionaryPage = 2
	plainEncoding  = 0
	rleEncoding    = 3
	rleDictionary  = 8
)

// maxStatistics is how long the smallest and largest value may be to be told.
const maxStatistics = 256

// add adds a page of data of n values, whose memory it keeps.
func (c *columnChunk) add(press *press, of raw, n int, indices bool) {
	encoding := plainEncoding
	if indices {
		encoding = rleDictionary
		c.indices++
	}
	size := len(of.page)
	p := &page{header: func(h *thrift, compressed int) {
		h.pageHeader(dataPage, size, compressed)
		h.structure(5, func() {
			h.i32(1, n)
			h.i32(2, encoding)
			h.i32(3, rleEncoding)
			h.i32(4, rleEncoding)
		})
	}}
	c.pages = append(c.pages, p)
	press.compress(p, of, &c.pending)
	c.nvalues += n
}

// finish completes the chunk but for pages that are still being compressed.
func (c *columnChunk) finish(press *press, dict dictionary, least, most []byte) {
	if c.indices > 0 {
		size, n := len(dict.body), dict.n
		c.dict = &page{header: func(h *thrift, compressed int) {
			h.pageHeader(dictionaryPage, size, compressed)
			h.structure(7, func() {
				h.i32(1, n)
				h.i32(2, plainEncoding)
			})
		}}
		press.compress(c.dict, all(dict.body), &c.pending)
	}
	c.stats.HasNullCount, c.stats.NullCount = true, int64(c.nulls)
	if least != nil && len(least) <= maxStatistics && len(most) <= maxStatistics {
		c.stats.SetMin(least)
		c.stats.SetMax(most)
	}
}

// write writes the chunk, and what the footer says of it.
func (c *columnChunk) write(out *counted, meta *metadata.ColumnChunkMetaDataBuilder) error {
	c.pending.Wait()
	start := out.at
	info := metadata.ChunkMetaInfo{NumValues: int64(c.nvalues), IndexPageOffset: -1, DataPageOffset: start}
	pages := c.pages
	if c.dict != nil {
		info.DictPageOffset, info.DataPageOffset = start, start+int64(len(c.dict.out)+len(c.dict.rest))
		pages = slices.Insert(slices.Clone(pages), 0, c.dict)
	}
	for _, p := range pages {
		if p.raw > maxPage || len(p.out)+len(p.rest) > maxPage {
			return fmt.Errorf("parquet: a page of %d bytes: %d are the most", p.raw, maxPage)
		}
		info.UncompressedSize += int64(p.raw)
		for _, part := range [][]byte{p.out, p.rest} {
			if len(part) == 0 {
				continue
			}
			if _, err := out.Write(part); err != nil {
				return err
			}
		}
	}
	info.CompressedSize = out.at - start
	meta.SetStats(c.stats)
	plain := len(c.pages) - c.indices
	return meta.Finish(info, c.dict != nil, c.dict != nil && plain > 0, c.encodings(plain), nil)
}

// encodings counts the pages by their encoding, where all pages of data have
// the same: the library gives the order of several to chance.
func (c *columnChunk) encodings(plain int) metadata.EncodingStats {
	var s metadata.EncodingStats
	switch {
	case c.dict == nil:
		s.DataEncodingStats = map[parquet.Encoding]int32{parquet.Encodings.Plain: int32(plain)}
	case plain == 0:
		s.DictEncodingStats = map[parquet.Encoding]int32{parquet.Encodings.Plain: 1}
		s.DataEncodingStats = map[parquet.Encoding]int32{parquet.Encodings.RLEDict: int32(c.indices)}
	}
	return s
}

// thrift writes structures in Thrift's compact protocol.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
type thrift struct {
	out  []byte
	last int // number of the field before
}

const (
	thriftI32       = 5
	thriftStructure = 12
)

func (t *thrift) field(number, kind int) {
	t.out = append(t.out, byte((number-t.last)<<4|kind)) // numbers grow by less than 16
	t.last = number
}

func (t *thrift) i32(number, value int) {
	t.field(number, thriftI32)
	t.out = binary.AppendVarint(t.out, int64(value)) // zigzag
}

func (t *thrift) structure(number int, body func()) {
	t.field(number, thriftStructure)
	t.last = 0
	body()
	t.stop()
	t.last = number
}

func (t *thrift) stop() { t.out = append(t.out, 0) }

func (t *thrift) pageHeader(kind, raw, compressed int) {
	t.i32(1, kind)
	t.i32(2, raw)
	t.i32(3, compressed)
}
