package input

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/ulikunitz/xz"
)

// xzBlocks are the blocks of xz data, where they say how long they are, as those that
// several threads have made do (The .xz File Format 1.2, 3.1). Other streams are one unit.
type xzBlocks struct {
	in     *source
	some   bool   // a stream was read
	header []byte // of the stream that is read, nil before one
	blocks []xzBlock
}

// xzBlock is a record of an index: what a block takes without its padding, and its text.
type xzBlock struct{ stored, text uint64 }

const xzHeader = 12 // bytes, of a footer too

func newXZ(in *source) units { return &xzBlocks{in: in} }

func (x *xzBlocks) close() {}

var xzMagic = []byte{0xfd, '7', 'z', 'X', 'Z', 0}

// errXZ says that a stream is not one whose blocks all say how long they are.
var errXZ = errors.New("the data are damaged")

func (x *xzBlocks) next(most int) (unit, error) {
	if x.header == nil {
		for x.some { // four zeros may be between streams, and again
			if pad, _ := x.in.Peek(4); string(pad) != "\x00\x00\x00\x00" {
				break
			}
			if _, err := x.in.Discard(4); err != nil {
				return unit{}, err
			}
		}
		if err := x.in.begins(len(xzMagic), func(head []byte) bool { return bytes.HasPrefix(xzMagic, head) }); err != nil {
			return unit{}, err
		}
		x.some = true
		head, _ := x.in.Peek(xzHeader + xzBlockHeader)
		if most == 0 || len(head) < xzHeader || !x.first(head[xzHeader:], most) {
			z, err := newXZStream(x.in)
			return unit{stream: z}, err
		}
		x.header, x.blocks = bytes.Clone(head[:xzHeader]), nil
		if _, err := x.in.Discard(xzHeader); err != nil {
			return unit{}, err
		}
	}
	head, err := x.in.Peek(1)
	if err != nil {
		return unit{}, cutShort(err)
	}
	if head[0] == 0 {
		if err := x.index(); err != nil {
			return unit{}, err
		}
		x.header = nil
		return x.next(most)
	}
	head, _ = x.in.Peek(xzBlockHeader)
	b, ok := xzSizes(head, xzCheck(x.header))
	if !ok || b.text > uint64(most) || b.stored > uint64(most) {
		return unit{}, errXZ
	}
	x.blocks = append(x.blocks, b)
	n := int(b.stored+3) &^ 3
	data := make([]byte, xzHeader+n, xzHeader+n+64)
	copy(data, x.header)
	if _, err := io.ReadFull(x.in, data[xzHeader:]); err != nil {
		return unit{}, cutShort(err)
	}
	index := xzIndex([]xzBlock{b})
	return unit{data: append(append(data, index...), xzFooter(x.header, len(index))...), size: int(b.text)}, nil
}

// first reports whether a stream that begins with this block can be read block by block.
func (x *xzBlocks) first(head []byte, most int) bool {
	b, ok := xzSizes(head, 0)
	return ok && b.text <= uint64(most) && b.stored <= uint64(most)
}

func (x *xzBlocks) decode(text, data []byte) ([]byte, error) {
	z, err := xz.NewReader(bytes.NewReader(data))
	if err != nil {
		return text, cutShort(err)
	}
	return readAll(text, z)
}

// xzBlockHeader is how many bytes the header of a block may have.
const xzBlockHeader = 1024

// xzCheck is how many bytes the check behind each block of a stream has (2.1.1.2).
func xzCheck(header []byte) uint64 {
	kind := header[7] & 15
	if kind == 0 {
		return 0
	}
	return 4 << ((kind - 1) / 3)
}

// xzSizes are those that the header of a block says. ok is false where it does not say all.
func xzSizes(head []byte, check uint64) (b xzBlock, ok bool) {
	const both = 0xc0 // of the flags: it says the sizes of what is stored and of the text
	if len(head) < 2 || head[0] == 0 || head[1]&both != both {
		return b, false
	}
	stored, n := binary.Uvarint(head[2:])
	if n <= 0 {
		return b, false
	}
	text, m := binary.Uvarint(head[2+n:])
	if m <= 0 || stored > 1<<62 {
		return b, false
	}
	return xzBlock{(uint64(head[0])+1)*4 + stored + check, text}, true
}

// index reads the end of a stream, which says again what blocks it has.
func (x *xzBlocks) index() error {
	want := xzIndex(x.blocks)
	want = append(want, xzFooter(x.header, len(want))...)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(x.in, got); err != nil {
		return cutShort(err)
	}
	if !bytes.Equal(got, want) {
		return errXZ
	}
	return nil
}

// xzIndex is the index of a stream of these blocks (4).
func xzIndex(blocks []xzBlock) []byte {
	index := binary.AppendUvarint([]byte{0}, uint64(len(blocks)))
	for _, b := range blocks {
		index = binary.AppendUvarint(binary.AppendUvarint(index, b.stored), b.text)
	}
	for len(index)%4 > 0 {
		index = append(index, 0)
	}
	return binary.LittleEndian.AppendUint32(index, crc32.ChecksumIEEE(index))
}

// xzFooter is that of a stream with such a header, and an index of that many bytes (2.1.2).
func xzFooter(header []byte, index int) []byte {
	footer := binary.LittleEndian.AppendUint32(make([]byte, 4, xzHeader), uint32(index/4-1))
	footer = append(footer, header[6:8]...)
	binary.LittleEndian.PutUint32(footer, crc32.ChecksumIEEE(footer[4:]))
	return append(footer, "YZ"...)
}

// xzStream is one stream.
type xzStream struct {
	in   *source
	ends int // how often the decompressor has found that nothing is left
	z    *xz.Reader
	err  error // after the text
}

func newXZStream(in *source) (_ *xzStream, err error) {
	x := &xzStream{in: in}
	x.z, err = xz.ReaderConfig{SingleStream: true}.NewReader(xzBytes{x})
	return x, cutShort(err)
}

// xzBytes are the bytes that the decompressor takes.
type xzBytes struct{ *xzStream }

func (x xzBytes) Read(p []byte) (int, error) {
	n, err := x.in.Read(p)
	if err == io.EOF {
		x.ends++
	}
	return n, err
}

// errAfterXZ is what the decompressor says of what is left: it has read one byte of it.
const errAfterXZ = "xz: unexpected data after stream"

// Read gives the text. The decompressor takes a header of a block that goes on beyond the
// data for the end of the stream, behind which it looks for more: it has then found the
// end twice, and of a complete stream once.
func (x *xzStream) Read(p []byte) (n int, err error) {
	if x.err != nil {
		return 0, x.err
	}
	n, err = x.z.Read(p)
	switch {
	case err == io.EOF && x.ends > 1:
		err = io.ErrUnexpectedEOF
	case err != nil && err.Error() == errAfterXZ:
		if err = x.in.UnreadByte(); err == nil {
			err = io.EOF
		}
	}
	x.err = err
	return n, err
}
