package discover

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/infer"
)

// endBytes are looked at, at the end of a file whose beginning is a sample.
const endBytes = 16 << 10

// mostSearched is how large a file is at most that is looked through, which takes a second or two.
const mostSearched = 4 << 30

// mostFooter is how many records a footer is at most, where the file has to be read to find its end.
const mostFooter = 32

// footer looks for one at the end of a large file, and leaves it out if the line that it begins with
// comes nowhere else: where reading would stop there.
func (f *Found) footer(t *infer.Table) error {
	file, err := os.Open(f.file)
	if err != nil {
		return nil // whoever reads it will say so
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil || size < endBytes || size > mostSearched {
		return err
	}
	end := make([]byte, endBytes)
	if _, err := file.ReadAt(end, size-endBytes); err != nil {
		return err
	}
	_, err = leaveOut(t, end, size, func(use func(r io.Reader) error) error {
		_, err := file.Seek(0, io.SeekStart)
		if err != nil {
			return err
		}
		return use(file)
	})
	return err
}

// footer does so where an input is compressed or in another encoding, which is read from its
// beginning to get to its end.
func (in *Inputs) footer(t *infer.Table) (bool, error) {
	read := func(use func(r io.Reader) error) error {
		from, err := in.Open(in.Paths[0])
		if err != nil {
			return err
		}
		return errors.Join(use(from), in.Done(in.Paths[0], from, false))
	}
	end, size := []byte(nil), int64(0)
	if err := read(func(r io.Reader) (err error) {
		end, size, err = lastBytes(r)
		return err
	}); err != nil || size < endBytes || size > mostSearched {
		return false, err
	}
	return leaveOut(t, end, size, read)
}

// lastBytes are the last endBytes of r, and how many there are before and with them.
func lastBytes(r io.Reader) (end []byte, size int64, err error) {
	block := make([]byte, 1<<20)
	for {
		n, err := io.ReadFull(r, block)
		size += int64(n)
		end = append(end, block[max(0, n-endBytes):n]...)
		end = slices.Delete(end, 0, max(0, len(end)-endBytes))
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return end, size, nil
		}
		if err != nil {
			return nil, size, err
		}
	}
}

// leaveOut ends the table before the footer in end, the last bytes of an input of size bytes, which
// read reads from its beginning. It reports whether there is one.
func leaveOut(t *infer.Table, end []byte, size int64, read func(use func(r io.Reader) error) error) (bool, error) {
	_, end, found := bytes.Cut(end, []byte{'\n'})
	if !found {
		return false, nil
	}
	footers, totals := t.FootersIn(end)
	t.Totals = t.Totals || totals
	for _, foot := range footers {
		from, to := t.RecordsFrom(), size-int64(len(end))+int64(foot.At)
		before := func(line []byte) (has bool, err error) {
			err = read(func(r io.Reader) (err error) {
				if _, err = io.CopyN(io.Discard, r, from); err == nil {
					has, err = hasText(io.LimitReader(r, to-from), line)
				}
				return err
			})
			return has, err
		}
		has, err := false, error(nil)
		for _, line := range foot.Stops {
			if has, err = before(line); err != nil {
				return false, err
			}
			if has {
				break
			}
		}
		if !has {
			t.LeaveOut(foot)
			return true, nil
		}
	}
	return false, nil
}

// hasText reports whether r has a text.
func hasText(r io.Reader, text []byte) (bool, error) {
	const block = 1 << 20
	b := make([]byte, 0, block+len(text))
	for {
		n, err := io.ReadFull(r, b[len(b):len(b)+block])
		b = b[:len(b)+n]
		if bytes.Contains(b, text) {
			return true, nil
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = nil
			}
			return false, err
		}
		b = append(b[:0], b[max(0, len(b)-len(text)+1):]...)
	}
}

// hasLines reports whether is holds of some lines of r.
func hasLines(r io.Reader, is func(lines []byte) bool) (bool, error) {
	const block = 1 << 20
	var b []byte
	for {
		b = slices.Grow(b, block)
		n, err := io.ReadFull(r, b[len(b):len(b)+block])
		b = b[:len(b)+n]
		end := len(b)
		if err == nil {
			end = bytes.LastIndexByte(b, '\n') + 1
		}
		if is(b[:end]) {
			return true, nil
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = nil
			}
			return false, err
		}
		b = append(b[:0], b[end:]...)
	}
}

// endsInTime reports whether the last line of a log, behind which no line ends, is likely cut off inside of its time. The
// end of pipes, and of what is compressed, is not known, nor are those of several inputs.
func (f *Found) endsInTime() bool {
	end := f.Head
	switch {
	case f.several:
		return false
	case f.file != "":
		end = endOf(f.file, infer.MostTime)
	case !f.Whole:
		return false
	}
	first, _, _ := bytes.Cut(dfa.WithoutMark(f.Head), []byte{'\n'})
	return infer.CutInTime(first, end[bytes.LastIndexByte(end, '\n')+1:])
}

// endOf is the last n bytes of a file, or all that it has; nil if they cannot be read.
func endOf(path string, n int64) []byte {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	end := make([]byte, min(n, info.Size()))
	if _, err := file.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return nil
	}
	return end
}
