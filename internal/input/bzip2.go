package input

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"io"
	"math/bits"
)

// bzip2Blocks are the blocks of bzip2 data. They begin at any bit, with a magic of 48 bits,
// as the end of a stream does, and nothing says how long they are: those magics are looked
// for. Before 1 of 2^48 bits there is one by chance.
type bzip2Blocks struct {
	in    *source
	open  bool   // a stream
	level byte   // of the stream, its size of blocks
	sum   uint32 // of the blocks of the stream, so far
	data  []byte // from the byte in which a block or the end of the stream begins
	shift int    // bits of it that are before that
	last  uint64 // the last bytes that were read
}

func newBzip2(in *source) units { return &bzip2Blocks{in: in} }

func (b *bzip2Blocks) close() {}

func (b *bzip2Blocks) decode(text, data []byte) ([]byte, error) {
	return readAll(text, bzip2.NewReader(bytes.NewReader(data)))
}

const (
	bzip2Block = 0x314159265359
	bzip2End   = 0x177245385090
	bzip2Mask  = 1<<48 - 1
	mostBzip2  = 4 << 20 // bytes of a block: 900,000 symbols of at most 20 bits, and its tables
	bzip2Text  = 1 << 20 // bytes of a block's text, unless they are all the same
)

// errBzip2 says that there is no block where one has to be.
var errBzip2 = errors.New("the data are damaged")

func (b *bzip2Blocks) next(most int) (unit, error) {
	for {
		if !b.open {
			err := b.in.begins(4, func(head []byte) bool { return bytes.HasPrefix([]byte("BZh"), head[:min(len(head), 3)]) })
			if err != nil {
				return unit{}, err
			}
			if most == 0 {
				return unit{stream: newBzip2Stream(b.in)}, nil
			}
			if err := b.begin(); err != nil {
				return unit{}, err
			}
		}
		if b.magic() == bzip2End {
			if err := b.end(); err != nil {
				return unit{}, err
			}
			continue
		}
		return b.block()
	}
}

// take reads another byte.
func (b *bzip2Blocks) take() error {
	c, err := b.in.ReadByte()
	if err != nil {
		return cutShort(err)
	}
	b.data, b.last = append(b.data, c), b.last<<8|uint64(c)
	return nil
}

// begin reads the header of a stream, and the magic behind it.
func (b *bzip2Blocks) begin() error {
	b.open, b.sum, b.data, b.shift = true, 0, nil, 0
	for range 4 + 6 {
		if err := b.take(); err != nil {
			return err
		}
	}
	b.level, b.data = b.data[3], b.data[4:]
	if m := b.magic(); m != bzip2Block && m != bzip2End {
		return errBzip2
	}
	return nil
}

// bits are those of data from one on, up to 56.
func (b *bzip2Blocks) bits(from, n int) uint64 {
	var v uint64
	for _, c := range b.data[from/8 : min(from/8+8, len(b.data))] {
		v = v<<8 | uint64(c)
	}
	v <<= 8 * max(0, from/8+8-len(b.data))
	return v << (from % 8) >> (64 - n)
}

func (b *bzip2Blocks) magic() uint64 { return b.bits(b.shift, 48) }

// end reads the end of a stream.
func (b *bzip2Blocks) end() error {
	for len(b.data)*8 < b.shift+48+32 {
		if err := b.take(); err != nil {
			return err
		}
	}
	if b.open = false; uint32(b.bits(b.shift+48, 32)) != b.sum {
		return errBzip2
	}
	return nil
}

// block reads a block, as a stream of its own, and the magic behind it.
func (b *bzip2Blocks) block() (unit, error) {
	for {
		if err := b.take(); err != nil {
			return unit{}, err
		}
		if len(b.data) > mostBzip2 {
			return unit{}, errBzip2
		}
		for s := range 8 {
			m := b.last >> s & bzip2Mask
			if m != bzip2Block && m != bzip2End {
				continue
			}
			if end := len(b.data)*8 - s - 48; end >= b.shift+48+32 {
				u := unit{data: b.alone(end), size: bzip2Text}
				b.data, b.shift = b.data[end/8:], end%8
				return u, nil
			}
		}
	}
}

// alone is the block up to a bit of the data as a stream.
func (b *bzip2Blocks) alone(end int) []byte {
	sum := uint32(b.bits(b.shift+48, 32))
	b.sum = bits.RotateLeft32(b.sum, 1) ^ sum
	n := (end - b.shift) / 8 // whole bytes
	alone := append(make([]byte, 0, n+16), 'B', 'Z', 'h', b.level)
	if b.shift == 0 {
		alone = append(alone, b.data[:n]...)
	} else {
		for i, c := range b.data[:n] {
			alone = append(alone, c<<b.shift|b.data[i+1]>>(8-b.shift))
		}
	}
	// Bits of the block that fill no byte, and the end of the stream.
	rest := end - b.shift - 8*n
	var acc uint64
	push := func(v uint64, nbits int) {
		acc, rest = acc<<nbits|v, rest+nbits
		for ; rest >= 8; rest -= 8 {
			alone = append(alone, byte(acc>>(rest-8)))
		}
	}
	acc = b.bits(end-rest, rest)
	push(bzip2End>>24, 24)
	push(bzip2End&(1<<24-1), 24)
	push(uint64(sum), 32)
	if rest > 0 {
		push(0, 8-rest)
	}
	return alone
}

// bzip2Stream are streams of bzip2 to the last.
type bzip2Stream struct {
	in         *source
	z          io.Reader
	high, last uint64 // the last 16 bytes
}

func newBzip2Stream(in *source) *bzip2Stream {
	s := &bzip2Stream{in: in}
	s.z = bzip2.NewReader(bzip2Bytes{s})
	return s
}

// bzip2Bytes are the bytes that the decompressor takes.
type bzip2Bytes struct{ *bzip2Stream }

// ReadByte implements io.ByteReader.
func (s bzip2Bytes) ReadByte() (byte, error) {
	c, err := s.in.ReadByte()
	if err == nil {
		s.high, s.last = s.high<<8|s.last>>56, s.last<<8|uint64(c)
	}
	return c, err
}

// errAfterBzip2 is what the decompressor says of what is left: it has read two bytes of it.
const errAfterBzip2 = bzip2.StructuralError("bad magic value in continuation file")

func (s *bzip2Stream) Read(p []byte) (int, error) {
	n, err := s.z.Read(p)
	switch {
	case err == errAfterBzip2:
		err = &LeftOverError{s.in.at() - 2}
	case errors.Is(err, io.ErrUnexpectedEOF) && byte(s.last) != 'B' && s.ended():
		err = &LeftOverError{s.in.at() - 1}
	}
	return n, err
}

// ended reports whether a stream has ended before the last byte.
func (s *bzip2Stream) ended() bool {
	for pad := 0; pad < 8; pad++ {
		if before := 8 + pad + 32; (s.last>>before|s.high<<(64-before))&bzip2Mask == bzip2End {
			return true
		}
	}
	return false
}
