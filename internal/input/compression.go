package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/internal/inflate"
)

// compression is one way to compress a file, known by its first bytes.
type compression struct {
	name  string
	ext   string
	magic []byte
	units func(*source) units
	// guessed says that where units end is guessed, for speed.
	guessed bool
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
	{name: "gzip", ext: ".gz", magic: []byte{0x1f, 0x8b}, units: newGzip, resume: resumeGzip},
	{name: "zstd", ext: ".zst", magic: zstdMagic, units: newZstd, resume: resumeZstd},
	{name: "bzip2", ext: ".bz2", magic: []byte("BZh"), units: newBzip2, guessed: true},
	{name: "xz", ext: ".xz", magic: xzMagic, units: newXZ, guessed: true},
	{name: "lz4", ext: ".lz4", magic: lz4Magic, units: newLZ4},
}

// LeftOverError says that something else is left after compressed data.
type LeftOverError struct{ At int64 } // its place in the input

func (e *LeftOverError) Error() string {
	return fmt.Sprintf("something else is left after the compressed data, from byte %d on", e.At)
}

// IgnoreLeftOver lets the input end where its compressed data do, whatever is left after
// them: told is called then.
func (in *Input) IgnoreLeftOver(told func(*LeftOverError)) {
	if in.packed != nil {
		in.packed.leftOver = told
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

// Behind the magic of bzip2 and a digit its first block begins, or, of nothing, the end:
// the magic alone is text.
var behindBzip2 = []string{"1AY&SY", "\x17rE8P\x90"}

func isBzip2(head []byte) bool {
	return bytes.HasPrefix(head, []byte("BZh")) && len(head) > 4 && slices.ContainsFunc(behindBzip2, func(s string) bool { return strings.HasPrefix(s, string(head[4:min(len(head), 10)])) })
}

// recognise is the compression that the first bytes of an input show, which are
// magicBytes, or all that there is. Of an input that ends within them a part is
// enough, if it is no text.
func recognise(head []byte) *compression {
	for i := range compressions {
		c := &compressions[i]
		switch {
		case c.name == "bzip2":
			if isBzip2(head) {
				return c
			}
		case bytes.HasPrefix(head, c.magic), c.name == "zstd" && len(head) >= 4 && isSkippable(head),
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
		if len(head) < len(c.magic) && (bytes.HasPrefix(c.magic, head) || c.name == "zstd" && maySkip(head)) || c.name == "bzip2" && bytes.HasPrefix(head, c.magic) {
			return true
		}
	}
	return false
}

// decompressed is an input decompressed; it says what could not be.
type decompressed struct {
	compression *compression
	in          io.Reader
	out         io.Reader
	close       func() error
	workers     int                  // that decompress, 0 for one
	leftOver    func(*LeftOverError) // nil: it is an error

	mu   sync.Mutex // held while it is read
	shut bool
}

// finish closes it, after the Read that is going on.
func (d *decompressed) finish() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = true
	return d.close()
}

func (d *decompressed) open() error {
	a := &assembled{decompressed: d}
	if err := a.begin(); err != nil {
		return d.failure(err)
	}
	d.out, d.close = a, a.end
	return nil
}

func (d *decompressed) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		return 0, fs.ErrClosed
	}
	n, err := d.out.Read(p)
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
		return fmt.Errorf("the %s data are cut off, or damaged", d.compression.name)
	case err.Error() == "xz: unsupported filter count":
		return errors.New(`it is xz with a filter before its compression (xz --x86, --delta), which is not read; decompress it first ("xz -dc")`)
	case strings.HasPrefix(err.Error(), d.compression.name):
		return err
	}
	return fmt.Errorf("%s: %w", d.compression.name, err)
}
