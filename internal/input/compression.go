package input

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"

	"github.com/dfaparse/dfaparse/internal/inflate"
)

// compression is one way to compress a file, known by its first bytes.
type compression struct {
	name  string
	ext   string
	magic []byte
	open  func(io.Reader) (io.Reader, func() error, error)
	// ends reports whether compressed data whose last bytes are last, but for
	// zeros, are complete. It is for a decompressor that does not look, else nil.
	ends func(last []byte) bool
	// resume decompresses from a place that was noted, and notes others; in is at the place's
	// Begin. It is nil where that cannot be.
	resume func(in io.ReadSeeker, from *inflate.Point, every int64, note func(inflate.Point)) (io.Reader, func() error, error)
}

// Bare is the name of a file, or the path of an address, without the extension of what it
// is compressed by.
func Bare(name string) string {
	name = pathOf(name)
	if ext := filepath.Ext(name); decompressor(ext) != nil {
		return strings.TrimSuffix(name, ext)
	}
	return name
}

// Compressed reports whether the first bytes of an input show that it is compressed.
func Compressed(data []byte) bool { return recognise(data[:min(len(data), magicBytes)]) != nil }

func noClose() error { return nil }

var compressions = []compression{
	{name: "gzip", ext: ".gz", magic: []byte{0x1f, 0x8b}, resume: resumeGzip, open: openGzip},
	{name: "zstd", ext: ".zst", magic: []byte{0x28, 0xb5, 0x2f, 0xfd}, resume: resumeZstd, open: func(r io.Reader) (io.Reader, func() error, error) {
		z, err := zstd.NewReader(r)
		if err != nil {
			return nil, nil, err
		}
		return z, func() error { z.Close(); return nil }, nil
	}},
	{name: "bzip2", ext: ".bz2", magic: []byte("BZh"), open: func(r io.Reader) (io.Reader, func() error, error) {
		return bzip2.NewReader(r), noClose, nil
	}},
	{name: "xz", ext: ".xz", magic: []byte{0xfd, '7', 'z', 'X', 'Z', 0}, ends: isFooterXZ, open: func(r io.Reader) (io.Reader, func() error, error) {
		z, err := xz.NewReader(r)
		return z, noClose, err
	}},
	{name: "lz4", ext: ".lz4", magic: []byte{0x04, 0x22, 0x4d, 0x18}, open: func(r io.Reader) (io.Reader, func() error, error) {
		return lz4.NewReader(r), noClose, nil
	}},
}

// LeftOverError says that something else is left after compressed data.
type LeftOverError struct{ At int64 } // its place in the input, 0 if that is unknown

func (e *LeftOverError) Error() string {
	if e.At == 0 {
		return "something else is left after the compressed data"
	}
	return fmt.Sprintf("something else is left after the compressed data, from byte %d on", e.At)
}

// IgnoreLeftOver lets the input end where its compressed data do, whatever is left after
// them: told is called then.
func (in *Input) IgnoreLeftOver(told func(*LeftOverError)) {
	if in.packed != nil {
		in.packed.leftOver = told
	}
}

// gzipMembers reads gzip data one member after the other, so as to know where they end.
type gzipMembers struct {
	*gzip.Reader
	in    *bufio.Reader
	tally *tally
}

// tally counts what is read.
type tally struct {
	io.Reader
	n int64
}

func (t *tally) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	t.n += int64(n)
	return n, err
}

func openGzip(r io.Reader) (io.Reader, func() error, error) {
	m := &gzipMembers{tally: &tally{Reader: r}}
	m.in = bufio.NewReaderSize(m.tally, 1<<16)
	var err error
	if m.Reader, err = gzip.NewReader(m.in); err != nil {
		return nil, nil, err
	}
	m.Multistream(false)
	return m, noClose, nil
}

func (m *gzipMembers) Read(p []byte) (int, error) {
	for {
		n, err := m.Reader.Read(p)
		if err != io.EOF || n > 0 {
			if err == io.EOF {
				err = nil // it comes again
			}
			return n, err
		}
		head, err := m.in.Peek(2)
		switch {
		case err != nil && err != io.EOF:
			return 0, err
		case len(head) == 0:
			return 0, io.EOF
		case head[0] != 0x1f || len(head) > 1 && head[1] != 0x8b:
			return 0, &LeftOverError{m.tally.n - int64(m.in.Buffered())}
		}
		if err := m.Reset(m.in); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		m.Multistream(false)
	}
}

// decompressor is what an extension asks for, nil if nothing.
func decompressor(ext string) *compression {
	for i := range compressions {
		if strings.EqualFold(compressions[i].ext, ext) {
			return &compressions[i]
		}
	}
	return nil
}

// blockBzip2 is how the first block of bzip2 begins, after its magic and a digit:
// the magic alone is text.
const blockBzip2 = "1AY&SY"

// recognise is the compression that the first bytes of an input show, which are
// magicBytes, or all that there is. Of an input that ends within them a part is
// enough, if it is no text.
func recognise(head []byte) *compression {
	for i := range compressions {
		c := &compressions[i]
		switch {
		case c.name == "bzip2":
			if block := head[min(len(head), 4):]; bytes.HasPrefix(head, c.magic) && len(block) > 0 && strings.HasPrefix(blockBzip2, string(block[:min(len(block), len(blockBzip2))])) {
				return c
			}
		case bytes.HasPrefix(head, c.magic),
			len(head) < len(c.magic) && bytes.HasPrefix(c.magic, head) && bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' || r == utf8.RuneError }):
			return c
		}
	}
	return nil
}

// undecided reports whether more bytes may show that an input is compressed.
func undecided(head []byte) bool {
	for i := range compressions {
		c := &compressions[i]
		if len(head) < len(c.magic) && bytes.HasPrefix(c.magic, head) || c.name == "bzip2" && bytes.HasPrefix(head, c.magic) {
			return true
		}
	}
	return false
}

// isFooterXZ reports whether the last bytes of an xz stream are its footer: a
// checksum of the six bytes after it, and a magic.
func isFooterXZ(last []byte) bool {
	return len(last) == lastBytes && string(last[10:]) == "YZ" && binary.LittleEndian.Uint32(last) == crc32.ChecksumIEEE(last[4:10])
}

// lastBytes is how many bytes tail keeps.
const lastBytes = 12

// tail reads r, and keeps the last bytes but for zeros.
type tail struct {
	io.Reader
	last  []byte
	zeros int // after them
}

func (t *tail) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	some := bytes.TrimRight(p[:n], "\x00")
	if len(some) == 0 {
		t.zeros += n
		return n, err
	}
	if len(some) < lastBytes {
		t.last = append(t.last, make([]byte, min(t.zeros, lastBytes))...)
	}
	t.last = append(t.last, some[max(0, len(some)-lastBytes):]...)
	t.last = append(t.last[:0], t.last[max(0, len(t.last)-lastBytes):]...)
	t.zeros = n - len(some)
	return n, err
}

// errAfterBzip2 is what bzip2 says of what is left.
const errAfterBzip2 = bzip2.StructuralError("bad magic value in continuation file")

// decompressed is an input decompressed; it says what could not be.
type decompressed struct {
	compression *compression
	in          io.Reader
	out         io.Reader
	close       func() error
	tail        *tail                // nil if nobody has to look at it
	leftOver    func(*LeftOverError) // nil: it is an error
}

func (d *decompressed) open() error {
	in := d.in
	if d.compression.ends != nil {
		d.tail = &tail{Reader: in}
		in = d.tail
	}
	out, closer, err := d.compression.open(bufio.NewReaderSize(in, 1<<20))
	if err != nil {
		return d.failure(err)
	}
	d.out, d.close = out, closer
	return nil
}

func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.out.Read(p)
	if err == io.EOF && d.tail != nil && !d.compression.ends(d.tail.last) {
		err = io.ErrUnexpectedEOF
	}
	err = d.failure(err)
	if left := (*LeftOverError)(nil); d.leftOver != nil && errors.As(err, &left) {
		d.leftOver(left)
		err = io.EOF
	}
	return n, err
}

func (d *decompressed) failure(err error) error {
	switch {
	case err == nil || err == io.EOF || errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s data are cut off", d.compression.name)
	case errors.Is(err, zstd.ErrMagicMismatch) || err == errAfterBzip2: // it has been looked at that they begin rightly
		err = &LeftOverError{}
	}
	return fmt.Errorf("%s: %w", d.compression.name, err)
}
