package main

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// input is a file, or the standard input, decompressed.
type input struct {
	io.Reader
	name    string
	plain   *os.File  // the file itself, if it is not compressed and can be read again
	changed time.Time // when, zero if unknown
	close   []func() error
}

// Close closes what was opened.
func (in *input) Close() error {
	var err error
	for i := len(in.close) - 1; i >= 0; i-- {
		err = errors.Join(err, in.close[i]())
	}
	in.close = nil
	return err
}

// compression is one way to compress a file, known by its first bytes.
type compression struct {
	name  string
	ext   string
	magic []byte
	open  func(io.Reader) (io.Reader, func() error, error)
}

func noClose() error { return nil }

var compressions = []compression{
	{"gzip", ".gz", []byte{0x1f, 0x8b}, func(r io.Reader) (io.Reader, func() error, error) {
		z, err := gzip.NewReader(r)
		return z, noClose, err
	}},
	{"zstd", ".zst", []byte{0x28, 0xb5, 0x2f, 0xfd}, func(r io.Reader) (io.Reader, func() error, error) {
		z, err := zstd.NewReader(r)
		if err != nil {
			return nil, nil, err
		}
		return z, func() error { z.Close(); return nil }, nil
	}},
	{"bzip2", ".bz2", []byte("BZh"), func(r io.Reader) (io.Reader, func() error, error) {
		return bzip2.NewReader(r), noClose, nil
	}},
	{"xz", ".xz", []byte{0xfd, '7', 'z', 'X', 'Z', 0}, func(r io.Reader) (io.Reader, func() error, error) {
		z, err := xz.NewReader(r)
		return z, noClose, err
	}},
	{"lz4", ".lz4", []byte{0x04, 0x22, 0x4d, 0x18}, func(r io.Reader) (io.Reader, func() error, error) {
		return lz4.NewReader(r), noClose, nil
	}},
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

// recognise is the compression that the first bytes of an input show. The
// magic of bzip2 is text, so that its first block has to be there too.
func recognise(head []byte) *compression {
	for i := range compressions {
		c := &compressions[i]
		if bytes.HasPrefix(head, c.magic) && (c.name != "bzip2" || len(head) >= 10 && string(head[4:10]) == "1AY&SY") {
			return c
		}
	}
	return nil
}

// openInput opens a file, or the standard input if it is named "-". Each block
// read from it, compressed or not, is counted by count, which may be nil.
func openInput(ctx context.Context, path string, std *streams, count func(nbytes int)) (*input, error) {
	in := &input{name: path}
	var raw io.Reader
	if path == "-" {
		in.name, raw = "stdin", std.in
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, pathError(err)
		}
		raw = f
		in.close = append(in.close, f.Close)
	}
	if f, ok := raw.(*os.File); ok {
		info, err := f.Stat()
		switch {
		case err != nil:
			in.Close()
			return nil, pathError(err)
		case info.IsDir():
			in.Close()
			return nil, fmt.Errorf("%s is a folder", path)
		case info.Mode().IsRegular():
			in.plain, in.changed = f, info.ModTime()
		}
	}
	if in.plain == nil {
		raw = newInterruptible(ctx, raw)
	}
	if err := in.decompress(raw, filepath.Ext(path), count); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// magicBytes is how much of an input shows how it is compressed.
const magicBytes = 10

// decompress sets the Reader: of a file one that can be read again from the
// beginning, compressed or not.
func (in *input) decompress(raw io.Reader, ext string, count func(int)) error {
	head := make([]byte, magicBytes)
	n, err := readFull(raw, head)
	if err != nil {
		return fmt.Errorf("%s: %w", in.name, err)
	}
	c := recognise(head[:n])
	if want := decompressor(ext); c == nil && want != nil && n > 0 {
		return fmt.Errorf("%s: the extension says %s, but it is not", in.name, want.name)
	}
	if in.plain == nil {
		in.Reader = &counted{io.MultiReader(bytes.NewReader(head[:n]), raw), count}
	} else {
		if _, err := in.plain.Seek(-int64(n), io.SeekCurrent); err != nil {
			return pathError(err)
		}
		in.Reader = &countedFile{counted: counted{in.plain, count}, file: in.plain}
	}
	if c == nil {
		return nil
	}
	d := &decompressed{compression: c, in: in.Reader}
	if err := d.open(); err != nil {
		return fmt.Errorf("%s: %w", in.name, err)
	}
	in.close = append(in.close, func() error { return d.close() })
	in.Reader = d
	if in.plain != nil {
		in.Reader = &rewindable{decompressed: d}
		in.plain = nil
	}
	return nil
}

// decompressed is an input decompressed; it says what could not be.
type decompressed struct {
	compression *compression
	in          io.Reader
	out         io.Reader
	close       func() error
}

func (d *decompressed) open() error {
	out, closer, err := d.compression.open(bufio.NewReaderSize(d.in, 1<<20))
	if err != nil {
		return d.failure(err)
	}
	d.out, d.close = out, closer
	return nil
}

func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.out.Read(p)
	return n, d.failure(err)
}

func (d *decompressed) failure(err error) error {
	switch {
	case err == nil || err == io.EOF || errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s data are cut off", d.compression.name)
	}
	return fmt.Errorf("%s: %w", d.compression.name, err)
}

// rewindable is a decompressed file, which can be read again from its
// beginning; Seek knows no other place.
type rewindable struct {
	*decompressed
	at int64
}

func (r *rewindable) Read(p []byte) (int, error) {
	n, err := r.decompressed.Read(p)
	r.at += int64(n)
	return n, err
}

func (r *rewindable) Seek(offset int64, whence int) (int64, error) {
	switch {
	case offset == 0 && whence == io.SeekCurrent:
		return r.at, nil
	case offset != 0 || whence != io.SeekStart:
		return 0, fmt.Errorf("%s data cannot be sought to %d", r.compression.name, offset)
	}
	if _, err := r.in.(io.Seeker).Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	if err := r.close(); err != nil {
		return 0, err
	}
	r.at = 0
	return 0, r.open()
}

// readFull reads until p is full or the input ends.
func readFull(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return n, err
}

// pathError says what the system said, without "open".
func pathError(err error) error {
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// counted counts what is read.
type counted struct {
	io.Reader
	count func(nbytes int)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.count != nil {
		c.count(n)
	}
	return n, err
}

// countedFile counts what is read of a file, which can be read again.
type countedFile struct {
	counted
	file *os.File
	at   int64
}

func (c *countedFile) Read(p []byte) (int, error) {
	n, err := c.counted.Read(p)
	c.at += int64(n)
	return n, err
}

// Seek takes back the count of what will be read again.
func (c *countedFile) Seek(offset int64, whence int) (int64, error) {
	at, err := c.file.Seek(offset, whence)
	if err == nil {
		if c.count != nil {
			c.count(int(at - c.at))
		}
		c.at = at
	}
	return at, err
}

// interruptible reads r, but gives up waiting for it when ctx is done: a
// terminal or a pipe may be silent for long.
type interruptible struct {
	ctx  context.Context
	asks chan []byte
	got  chan readResult
	rest []byte // read and not yet handed out
	mem  []byte
	err  error
}

type readResult struct {
	n   int
	err error
}

func newInterruptible(ctx context.Context, r io.Reader) *interruptible {
	i := &interruptible{ctx: ctx, asks: make(chan []byte), got: make(chan readResult, 1), mem: make([]byte, 64<<10)}
	go func() {
		for p := range i.asks {
			n, err := r.Read(p)
			i.got <- readResult{n, err}
		}
	}()
	return i
}

func (i *interruptible) Read(p []byte) (int, error) {
	for len(i.rest) == 0 {
		if i.err != nil {
			return 0, i.err
		}
		i.asks <- i.mem
		select {
		case got := <-i.got:
			i.rest, i.err = i.mem[:got.n], got.err
			if i.err != nil {
				close(i.asks)
			}
		case <-i.ctx.Done():
			close(i.asks)
			i.err = i.ctx.Err()
		}
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}
