package input

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// This file reads the frames of zstd and lz4, whose parts say how long they are.

// frame passes a frame through, and ends with it.
type frame struct {
	in   *source
	part func() (length int64, text int, err error) // of the part that comes next; io.EOF after the last
	left int64                                      // of the part
}

func (f *frame) Read(p []byte) (int, error) {
	for f.left == 0 {
		var err error
		if f.left, _, err = f.part(); err != nil {
			return 0, err
		}
	}
	n, err := f.in.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	return n, cutShort(err)
}

// cutShort is an error where more has to come.
func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// gather takes parts until the frame is complete. It is not if it has more than most bytes
// of text, or something is wrong: what was taken is data, and the frame has the rest.
func (f *frame) gather(most int) (data []byte, text int, complete bool) {
	for {
		n, size, err := f.part()
		if err != nil || n > int64(most) {
			f.left = n
			return data, text, err == io.EOF
		}
		at := len(data)
		data = append(data, make([]byte, n)...)
		got, err := io.ReadFull(f.in, data[at:])
		if text += size; err != nil || text > most {
			f.left = n - int64(got)
			return data[:at+got], text, false
		}
	}
}

// text is the text of a frame, which ends where the frame does and not before: some
// decompressors take a beginning of one for nothing.
type text struct {
	io.Reader
	frame *frame
}

func (t *text) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if err == io.EOF {
		var more int
		if more, err = t.frame.Read(make([]byte, 1)); more > 0 {
			err = errors.New("the frame is longer than what it has")
		}
	}
	return n, err
}

// framed are the frames of a compression.
type framed struct {
	in      *source
	begins  func(head []byte) bool // a frame, by as many bytes as there are of four
	frame   func(*source) *frame
	stream  func(io.Reader) (io.Reader, error)
	whole   func(text, data []byte) ([]byte, error)
	closing func()
	large   *frame // that was met after small ones
	taken   []byte // of it
}

func (f *framed) close() { f.closing() }

func (f *framed) decode(to, data []byte) ([]byte, error) { return f.whole(to, data) }

func (f *framed) next(most int) (u unit, err error) {
	if f.large == nil {
		for u.size < smallUnit {
			if err := f.in.begins(4, f.begins); err != nil {
				if u.data != nil {
					return u, nil // and then comes the error
				}
				return u, err
			}
			next := f.frame(f.in)
			data, text, complete := []byte(nil), 0, false
			if most > 0 {
				data, text, complete = next.gather(most)
			}
			if !complete {
				f.large, f.taken = next, data
				break
			}
			u.data, u.size = append(u.data, data...), u.size+text
		}
		if u.data != nil {
			return u, nil
		}
	}
	in, err := f.stream(io.MultiReader(bytes.NewReader(f.taken), f.large))
	u.stream = &text{in, f.large}
	f.large, f.taken = nil, nil
	return u, err
}

// Frames that decompressors pass over (RFC 8878, 3.1.2; lz4 has them too).
var skippable = []byte{0x50, 0x2a, 0x4d, 0x18}

func isSkippable(head []byte) bool { return maySkip(head) && len(head) >= 4 }

// maySkip is isSkippable of the first of its bytes.
func maySkip(head []byte) bool {
	head = head[:min(len(head), 4)]
	return len(head) > 0 && head[0]&0xf0 == skippable[0] && bytes.HasPrefix(skippable[1:], head[1:])
}

// zstdMagic and lz4Magic begin frames; lz4Legacy begins one that has no end, and is not read.
var (
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	lz4Magic  = []byte{0x04, 0x22, 0x4d, 0x18}
	lz4Legacy = []byte{0x02, 0x21, 0x4c, 0x18}
)

// legacy says what to do about it.
const legacy = `is lz4 in its legacy frame (lz4 -l), which is not read; decompress it first ("lz4 -dc")`

func beginsFrame(magic []byte) func(head []byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(magic, head) || maySkip(head) }
}

func newZstd(in *source) units {
	var stream *zstd.Decoder
	whole := sync.OnceValues(func() (*zstd.Decoder, error) { return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0)) })
	return &framed{
		in: in, begins: beginsFrame(zstdMagic), frame: zstdFrame,
		stream: func(r io.Reader) (_ io.Reader, err error) {
			if stream == nil {
				stream, err = zstd.NewReader(r)
			} else {
				err = stream.Reset(r)
			}
			return stream, err
		},
		whole: func(text, data []byte) ([]byte, error) {
			z, err := whole()
			if err != nil {
				return text, err
			}
			return z.DecodeAll(data, text)
		},
		closing: func() {
			if stream != nil {
				stream.Close()
			}
		},
	}
}

// zstdBlock is how many bytes of text a block may have (RFC 8878, 3.1.1.2.3).
const zstdBlock = 128 << 10

// zstdFrame is the frame of zstd at which in is (RFC 8878, 3.1.1).
func zstdFrame(in *source) *frame {
	var h zstd.Header
	var inside, last bool
	part := func() (int64, int, error) {
		switch {
		case last:
			return 0, 0, io.EOF
		case !inside:
			head, err := in.Peek(zstd.HeaderMaxSize)
			if err != nil && err != io.EOF {
				return 0, 0, err
			}
			if err := h.Decode(head); err != nil {
				return 0, 0, err
			}
			inside, last = true, h.Skippable
			if h.HasFCS { // which the decompressor holds the frame to
				return int64(h.HeaderSize), int(min(h.FrameContentSize, math.MaxInt32)), nil
			}
			return int64(h.HeaderSize) + int64(h.SkippableSize), 0, nil
		}
		head, err := in.Peek(3)
		if err != nil {
			return 0, 0, cutShort(err)
		}
		block := int64(head[0]) | int64(head[1])<<8 | int64(head[2])<<16
		size := 3 + block>>3
		const repeated = 1
		if block>>1&3 == repeated { // one byte stands for all
			size = 3 + 1
		}
		if last = block&1 != 0; last && h.HasCheckSum {
			size += 4
		}
		if h.HasFCS {
			return size, 0, nil
		}
		return size, zstdBlock, nil
	}
	return &frame{in: in, part: part}
}

func newLZ4(in *source) units {
	return &framed{
		in: in, frame: lz4Frame,
		begins:  func(head []byte) bool { return beginsFrame(lz4Magic)(head) || bytes.Equal(head, lz4Legacy) },
		stream:  func(r io.Reader) (io.Reader, error) { return lz4.NewReader(r), nil },
		whole:   func(text, data []byte) ([]byte, error) { return readAll(text, lz4.NewReader(bytes.NewReader(data))) },
		closing: func() {},
	}
}

// lz4Frame is the frame of lz4 at which in is (lz4_Frame_format.md of lz4).
func lz4Frame(in *source) *frame {
	var inside, last bool
	var blockSum, sum int64 // bytes of checksums
	var most int            // bytes of text in a block
	part := func() (int64, int, error) {
		if last {
			return 0, 0, io.EOF
		}
		head, err := in.Peek(4)
		if err != nil {
			return 0, 0, cutShort(err)
		}
		size := int64(binary.LittleEndian.Uint32(head))
		switch {
		case !inside && bytes.Equal(head, lz4Legacy):
			return 0, 0, fmt.Errorf("from byte %d on it %s", in.at(), legacy)
		case !inside && isSkippable(head):
			if head, err = in.Peek(8); err != nil {
				return 0, 0, cutShort(err)
			}
			last = true
			return 8 + int64(binary.LittleEndian.Uint32(head[4:])), 0, nil
		case !inside:
			if head, err = in.Peek(6); err != nil {
				return 0, 0, cutShort(err)
			}
			flags, block := head[4], head[5]>>4&7
			if block < 4 { // no size has such a number; the decompressor says so
				block = 4
			}
			inside, most = true, 1<<(8+2*block)
			blockSum, sum = 4*int64(flags>>4&1), 4*int64(flags>>2&1)
			return 4 + 2 + 8*int64(flags>>3&1) + 4*int64(flags&1) + 1, 0, nil
		case size == 0:
			last = true
			return 4 + sum, 0, nil
		}
		const plain = 1 << 31 // not compressed
		return 4 + size&^plain + blockSum, most, nil
	}
	return &frame{in: in, part: part}
}
