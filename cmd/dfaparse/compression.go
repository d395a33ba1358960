package main

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

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
