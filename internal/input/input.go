package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/steady"
)

// Input is a file, or what somebody reads from, decompressed.
type Input struct {
	io.Reader
	Name      string
	Plain     *os.File     // the file itself, if it is not compressed and can be read again
	Base      int64        // where in the file the input begins: others may have read before
	Changed   time.Time    // when the file was, zero if unknown
	Size      int64        // bytes that are stored, compressed or not, 0 if unknown
	Tag       string       // by which a server says which version it is, "" if it does not
	Beginning bool         // it is what came first of one that can be read only once
	steady    *steady.File // nil if it cannot change
	close     []func() error
	giveUp    func()        // nil if nobody waits long for what is read
	packed    *decompressed // nil if it is not compressed
}

// Close closes what was opened.
func (in *Input) Close() error {
	in.GiveUp()
	var err error
	for i := len(in.close) - 1; i >= 0; i-- {
		err = errors.Join(err, in.close[i]())
	}
	in.close = nil
	return err
}

// GiveUp lets a Read that waits for a pipe or a server fail, and all after it: who ends the
// reading need not wait either.
func (in *Input) GiveUp() {
	if in.giveUp != nil {
		in.giveUp()
	}
}

// OnClose lets f be called when the input is closed.
func (in *Input) OnClose(f func() error) { in.close = append(in.close, f) }

// Open opens the file path, the member of an archive, or what a server has. Each block read from it, compressed or not, is
// counted by count, which may be nil.
func Open(ctx context.Context, path string, count func(nbytes int)) (*Input, error) {
	if IsRemote(path) {
		return openWeb(ctx, path, count)
	}
	if archive, member, ok := Member(path); ok {
		return openMember(ctx, archive, member, count)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, PathError(err)
	}
	in := &Input{Name: path, close: []func() error{f.Close}}
	if err := in.open(ctx, f, filepath.Ext(path), count); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// Of is the input that r gives, which the caller closes; name is for errors.
func Of(ctx context.Context, r io.Reader, name string, count func(nbytes int)) (*Input, error) {
	in := &Input{Name: name}
	if err := in.open(ctx, r, "", count); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

func (in *Input) open(ctx context.Context, raw io.Reader, ext string, count func(nbytes int)) error {
	if f, ok := raw.(*os.File); ok {
		info, err := f.Stat()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", in.Name, Pathless(err))
		case info.IsDir():
			return FolderError(in.Name)
		case info.Mode().IsRegular():
			in.Changed, in.Size = info.ModTime(), info.Size()
			if in.Base, err = f.Seek(0, io.SeekCurrent); err == nil {
				in.Plain, in.steady = f, steady.Of(f, info)
			}
		}
	}
	if in.Plain == nil {
		if s, ok := seekable(raw); ok && count == nil {
			return in.decompress(s, ext, nil)
		}
		ctx, cancel := context.WithCancel(ctx)
		in.giveUp = cancel
		raw = newInterruptible(ctx, raw)
	}
	return in.decompress(raw, ext, count)
}

// sought is what begins somewhere in what can be sought.
type sought struct {
	io.ReadSeeker
	base int64
}

// seekable is r from where it is, if it can be read again from there. Of files
// the regular ones can, which are not asked for here.
func seekable(r io.Reader) (*sought, bool) {
	s, ok := r.(io.ReadSeeker)
	if _, file := r.(*os.File); !ok || file {
		return nil, false
	}
	base, err := s.Seek(0, io.SeekCurrent)
	return &sought{s, base}, err == nil
}

func (s *sought) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		offset += s.base
	}
	at, err := s.ReadSeeker.Seek(offset, whence)
	return at - s.base, err
}

// magicBytes is how much of an input shows how it is compressed.
const magicBytes = 10

// decompress sets the Reader: of a file one that can be read again from the
// beginning, compressed or not.
func (in *Input) decompress(raw io.Reader, ext string, count func(int)) error {
	head := make([]byte, magicBytes)
	n, err := readMagic(raw, head)
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, Pathless(err))
	}
	c := recognise(head[:n])
	if want := decompressor(ext); c == nil && want != nil && n == 0 {
		return fmt.Errorf("%s: the extension says %s, but it is empty", in.Name, want.name)
	} else if c == nil && want != nil && want.name == "lz4" && bytes.HasPrefix(head, lz4Legacy) {
		return fmt.Errorf("%s: it %s", in.Name, legacy)
	} else if c == nil && want != nil {
		return fmt.Errorf("%s: the extension says %s, but it is not", in.Name, want.name)
	}
	again, isSought := raw.(*sought)
	switch {
	case isSought:
		if _, err := again.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("%s: %w", in.Name, Pathless(err))
		}
		in.Reader = again
	case in.Plain == nil:
		in.Reader = &counted{io.MultiReader(bytes.NewReader(head[:n]), raw), count}
	default:
		if _, err := in.Plain.Seek(in.Base, io.SeekStart); err != nil {
			return fmt.Errorf("%s: %w", in.Name, Pathless(err))
		}
		in.Reader = &countedFile{counted: counted{in.Plain, count}, in: in}
	}
	if c == nil {
		return nil
	}
	d := &decompressed{compression: c, in: in.Reader}
	if err := d.open(); err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	in.close = append(in.close, d.finish)
	in.Reader, in.packed = d, d
	if in.Plain != nil || isSought {
		in.Reader = &rewindable{decompressed: d}
		in.Plain = nil
	}
	return nil
}

// readMagic reads as much of an input as tells whether it is compressed: a pipe may not
// have more for long.
func readMagic(r io.Reader, head []byte) (n int, err error) {
	for n < len(head) && undecided(head[:n]) {
		m, err := readSome(r, head[n:])
		n += m
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil && err != io.ErrUnexpectedEOF:
			return n, err
		case err != nil:
			return n, nil
		}
	}
	return n, nil
}

// maxEmpty is how many reads in a row may give nothing.
const maxEmpty = 100

// readSome reads a byte or more into mem, or fails.
func readSome(r io.Reader, mem []byte) (int, error) {
	for range maxEmpty {
		if n, err := r.Read(mem); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// ReadFull reads until p is full or the input ends.
func ReadFull(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return n, err
}

// FileError is what the system says of a file, without the call.
type FileError struct {
	Name string
	Err  error
}

func (e *FileError) Error() string { return e.Name + ": " + e.Err.Error() }

func (e *FileError) Unwrap() error { return e.Err }

// PathError says what the system said, without "open", as a *FileError.
func PathError(err error) error {
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		return &FileError{pe.Path, pe.Err}
	}
	return err
}

// Pathless is what the system said, without the call and the name.
func Pathless(err error) error {
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
	in *Input
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
		offset += c.in.Base
	}
	at, err := c.Reader.(io.Seeker).Seek(offset, whence)
	if err == nil {
		at -= c.in.Base
		if c.count != nil {
			c.count(int(at - c.at))
		}
		c.at = at
	}
	return at, err
}

// FolderError says that path is a folder, and how to name the files in it.
func FolderError(path string) error {
	if path == Stdin {
		return errors.New("the standard input is a folder; name the files in it")
	}
	example := filepath.Join(path, "*")
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		name := Bare(e.Name())
		if _, ok := formats.ByExtension(name); ok {
			example = filepath.Join(path, "*"+strings.TrimPrefix(e.Name(), strings.TrimSuffix(name, filepath.Ext(name))))
			break
		}
	}
	return fmt.Errorf("%s is a folder; name the files in it, such as %s", path, example)
}
