package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dfaparse/dfaparse/internal/steady"
)

// input is a file, or the standard input, decompressed.
type input struct {
	io.Reader
	name    string
	plain   *os.File     // the file itself, if it is not compressed and can be read again
	base    int64        // where in the file the input begins: of the standard input others may have read before
	steady  *steady.File // nil if it cannot change
	changed time.Time    // when, zero if unknown
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
			return nil, fmt.Errorf("%s: %w", in.name, pathless(err))
		case info.IsDir():
			in.Close()
			return nil, folderError(in.name)
		case info.Mode().IsRegular():
			in.changed = info.ModTime()
			if in.base, err = f.Seek(0, io.SeekCurrent); err == nil {
				in.plain, in.steady = f, steady.Of(f, info)
			}
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
		return fmt.Errorf("%s: %w", in.name, pathless(err))
	}
	c := recognise(head[:n])
	if want := decompressor(ext); c == nil && want != nil && n == 0 {
		return fmt.Errorf("%s: the extension says %s, but it is empty", in.name, want.name)
	} else if c == nil && want != nil {
		return fmt.Errorf("%s: the extension says %s, but it is not", in.name, want.name)
	}
	if in.plain == nil {
		in.Reader = &counted{io.MultiReader(bytes.NewReader(head[:n]), raw), count}
	} else {
		if _, err := in.plain.Seek(in.base, io.SeekStart); err != nil {
			return fmt.Errorf("%s: %w", in.name, pathless(err))
		}
		in.Reader = &countedFile{counted: counted{in.plain, count}, in: in}
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

// pathless is what the system said, without the call and the name.
func pathless(err error) error {
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
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

// countedFile counts what is read of a file, which can be read again, and fails
// when it changes.
type countedFile struct {
	counted
	in *input
	at int64 // from where the input begins
}

func (c *countedFile) Read(p []byte) (int, error) {
	n, err := c.counted.Read(p)
	c.at += int64(n)
	if changed := c.in.steady.Check(); changed != nil {
		return 0, changed
	}
	return n, err
}

// Seek takes back the count of what will be read again.
func (c *countedFile) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		offset += c.in.base
	}
	at, err := c.Reader.(io.Seeker).Seek(offset, whence)
	if err == nil {
		at -= c.in.base
		if c.count != nil {
			c.count(int(at - c.at))
		}
		c.at = at
	}
	return at, err
}
