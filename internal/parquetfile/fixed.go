package parquetfile

import (
	"bytes"

	"github.com/apache/arrow/go/v17/arrow"
)

// booleans encodes bits.
type booleans struct {
	plain []byte // of the page, the last byte perhaps not full
	n     int    // bits
	saw   [2]bool
}

func (b *booleans) add(d arrow.ArrayData, s span) {
	bits := d.Buffers()[1].Bytes()
	for k := range s.len() {
		row := d.Offset() + s.row(k)
		v := bits[row>>3] >> (row & 7) & 1
		if b.n&7 == 0 {
			b.plain = append(b.plain, 0)
		}
		b.plain[b.n>>3] |= v << (b.n & 7)
		b.n++
		b.saw[v] = true
	}
}

func (b *booleans) size() int { return len(b.plain) }

func (b *booleans) flush(dst []byte) ([]byte, bool) {
	dst = append(dst, b.plain...)
	b.plain, b.n = b.plain[:0], 0
	return dst, false
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
	plain       []byte
	least, most []byte // not of decimals, which compare in another way
}

func newFixed(in, out int, decimal bool) *fixed { return &fixed{in: in, out: out, decimal: decimal} }

func (f *fixed) add(d arrow.ArrayData, s span) {
	all := d.Buffers()[1].Bytes()[d.Offset()*f.in:]
	for k := range s.len() {
		f.one(all[s.row(k)*f.in:][:f.in])
	}
}

func (f *fixed) one(v []byte) {
	if f.decimal {
		sign := byte(int8(v[f.in-1]) >> 7)
		for k := f.out - 1; k >= 0; k-- {
			if k < f.in {
				f.plain = append(f.plain, v[k])
			} else {
				f.plain = append(f.plain, sign)
			}
		}
		return
	}
	f.plain = append(f.plain, v...)
	if f.least == nil || bytes.Compare(v, f.least) < 0 {
		f.least = append([]byte(nil), v...)
	}
	if f.most == nil || bytes.Compare(v, f.most) > 0 {
		f.most = append([]byte(nil), v...)
	}
}

func (f *fixed) size() int { return len(f.plain) }

func (f *fixed) flush(dst []byte) ([]byte, bool) {
	dst = append(dst, f.plain...)
	f.plain = f.plain[:0]
	return dst, false
}

func (f *fixed) finish() (dictionary, []byte, []byte) {
	least, most := f.least, f.most
	f.least, f.most = nil, nil
	return dictionary{}, least, most
}
