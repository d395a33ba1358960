package parquetfile

import (
	"encoding/binary"
	"slices"
	"testing"
)

// hybridValues decodes n values of width bits, bit by bit.
func hybridValues(t *testing.T, b []byte, n int, width uint) (values []uint32) {
	t.Helper()
	for len(values) < n {
		header, size := binary.Uvarint(b)
		if size <= 0 {
			t.Fatalf("no header after %d of %d values", len(values), n)
		}
		b = b[size:]
		if header&1 == 0 {
			v := uint32(0)
			for k := range (width + 7) / 8 {
				v |= uint32(b[k]) << (8 * k)
			}
			b = b[(width+7)/8:]
			for range header >> 1 {
				values = append(values, v)
			}
			continue
		}
		count := int(header>>1) * 8
		for i := range count {
			v := uint32(0)
			for k := range width {
				bit := uint(i)*width + k
				v |= uint32(b[bit/8]>>(bit%8)&1) << k
			}
			values = append(values, v)
		}
		b = b[uint(count)*width/8:]
	}
	if len(b) > 0 {
		t.Fatalf("%d bytes are left", len(b))
	}
	return values
}

// FuzzHybrid encodes runs: each byte is a value in its upper bits, and how
// often it comes in its lower ones.
func FuzzHybrid(f *testing.F) {
	f.Add([]byte{0x1f, 0x21, 0x31, 0x11, 0x3f, 0x00}, uint8(3))
	f.Add([]byte{0x17, 0x21, 0x31, 0x11, 0x21, 0x37, 0x17, 0x1f}, uint8(17))
	f.Fuzz(func(t *testing.T, runs []byte, width uint8) {
		w := uint(width%32) + 1
		var in []uint32
		for i, r := range runs {
			v := (uint32(r>>5) * 0x9e3779b9 >> 3 * uint32(i%3+1)) & (1<<w - 1)
			for range r & 31 {
				in = append(in, v)
			}
		}
		got := hybridValues(t, appendHybrid(nil, in, w), len(in), w)
		if len(got) < len(in) || len(got) >= len(in)+8 || !slices.Equal(got[:len(in)], in) {
			t.Fatalf("%d bits: got %v, want %v", w, got, in)
		}
	})
}
