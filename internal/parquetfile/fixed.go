package parquetfile

import (
	"bytes"

	"github.com/apache/arrow/go/v17/arrow"
)

// booleans encodes bits.
type booleans struct {
	plain plain // the last byte perhaps not full
	n     int   // bits
	saw   [2]bool
}

func (b *booleans) add(d arrow.ArrayData, s span) {
	bits := d.Buffers()[1].Bytes()
	for k := range s.len() {
		row := d.Offset() + s.row(k)
		v := bits[row>>3] >> (row & 7) & 1
		if b.n&7 == 0 {
			b.plain.memory = append(b.plain.room(), 0)
		}
		b.plain.memory[len(b.plain.memory)-1] |= v << (b.n & 7)
		b.n++
		b.saw[v] = true
	}
}

func (b *booleans) size() int { return b.plain.size() }

func (b *booleans) flush(levels []byte) (raw, bool) {
	b.n = 0
	return b.plain.flush(levels), false
}

func (b *booleans) finish() (dictionary, []byte, []byte) {
	saw := b.saw
	b.saw = [2]bool{}
	switch saw {
	case [2]bool{true, true}:
		return dictionary{}, []byte{0}, []byte{1}
	case [2]bool{true, false}:
		return dictionary{}, []byte{0}, []byte{0}
	case [2]bool{false, true}:
		return dictionary{}, []byte{1}, []byte{1}
	}
	return dictionary{}, nil, nil
}

// fixed encodes values of a fixed number of bytes, without a dictionary.
type fixed struct {
	in, out     int  // bytes of a value in Arrow and in Parquet
	decimal     bool // little-endian in Arrow, big-endian in Parquet
	plain       plain
	least, most []byte // not of decimals, which compare in another way
}

func newFixed(p *press, in, out int, decimal bool) *fixed {
	return &fixed{in: in, out: out, decimal: decimal, plain: plain{press: p}}
}

func (f *fixed) add(d arrow.ArrayData, s span) {
	all := d.Buffers()[1].Bytes()[d.Offset()*f.in:]
	for k := range s.len() {
		f.one(all[s.row(k)*f.in:][:f.in])
	}
}

func (f *fixed) one(v []byte) {
	if f.decimal {
		room, sign := f.plain.room(), byte(int8(v[f.in-1])>>7)
		for k := f.out - 1; k >= 0; k-- {
			if k < f.in {
				room = append(room, v[k])
			} else {
				room = append(room, sign)
			}
		}
		f.plain.memory = room
		return
	}
	f.plain.memory = append(f.plain.room(), v...)
	if f.least == nil || bytes.Compare(v, f.least) < 0 {
		f.least = append([]byte(nil), v...)
	}
	if f.most == nil || bytes.Compare(v, f.most) > 0 {
		f.most = append([]byte(nil), v...)
	}
}

func (f *fixed) size() int { return f.plain.size() }

func (f *fixed) flush(levels []byte) (raw, bool) { return f.plain.flush(levels), false }

func (f *fixed) finish() (dictionary, []byte, []byte) {
	least, most := f.least, f.most
	f.least, f.most = nil, nil
	return dictionary{}, least, most
}
