// Package steady tells whether a file stays what it was while it is read. It
// compares size and modification time, which is one call of the system each
// time, and so sees what nobody would see in the data: of a file that is cut
// and written again, memory that it is mapped to holds zeros for a while, and
// a read gives what is there by then.
package steady

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"
)

// ChangedError says that a file is not any more what it was when its reading
// began.
type ChangedError struct {
	From, To int64 // bytes that it had and has
}

func (e *ChangedError) Error() string {
	how := ""
	switch {
	case e.To < e.From:
		how = "has become shorter"
	case e.To > e.From:
		how = "has grown"
	default:
		return "the file was written to while it was read"
	}
	return fmt.Sprintf("the file %s while it was read, from %d bytes to %d", how, e.From, e.To)
}

// File is a file as it was when its reading began. A nil *File never changes.
type File struct {
	file    *os.File
	size    int64
	changed time.Time
	grows   bool

	head, tail []byte    // of what it had, if it may grow
	seen       time.Time // it was changed, and head and tail were right
}

// sample is how much of the beginning and the end of a file that may grow is
// compared.
const sample = 4 << 10

// Of is the file f. It is nil if f is no regular file, or one that says to have
// no bytes, as those of /proc do.
func Of(f *os.File, info os.FileInfo) *File {
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	return &File{file: f, size: info.Size(), changed: info.ModTime()}
}

// MayGrow allows that bytes come after the first size, of which there are that
// many already: the others are not looked at.
func (s *File) MayGrow(size int64) error {
	if s == nil {
		return nil
	}
	s.grows, s.size = true, size
	var err error
	if s.head, err = s.read(0); err == nil {
		s.tail, err = s.read(max(0, size-sample))
	}
	return err
}

// read is a sample at an offset.
func (s *File) read(at int64) ([]byte, error) {
	b := make([]byte, min(sample, s.size-at))
	_, err := s.file.ReadAt(b, at)
	return b, err
}

// Check gives a *ChangedError if the file has changed, or the failure to find
// out. A file that may grow has not changed where it has more bytes, and the
// first and last of those that it had are the same.
func (s *File) Check() error {
	if s == nil {
		return nil
	}
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	changed := &ChangedError{From: s.size, To: info.Size()}
	switch {
	case info.ModTime().Equal(s.changed) && (info.Size() == s.size || s.grows && info.Size() > s.size):
		return nil
	case !s.grows || info.Size() < s.size:
		return changed
	case info.ModTime().Equal(s.seen):
		return nil
	}
	for at, want := range map[int64][]byte{0: s.head, max(0, s.size-sample): s.tail} {
		got, err := s.read(at)
		if err == io.EOF {
			return changed // it has become shorter this moment
		}
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			changed.To = s.size // what it had is not what it was
			return changed
		}
	}
	s.seen = info.ModTime()
	return nil
}

// LastLine is the offset after the last line end of f between two offsets, to
// if there is none: what comes after it may still be being written.
func LastLine(f *os.File, from, to int64) (int64, error) {
	b := make([]byte, 64<<10)
	for end := to; end > from; {
		begin := max(from, end-int64(len(b)))
		part := b[:end-begin]
		if _, err := f.ReadAt(part, begin); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return begin + int64(i) + 1, nil
		}
		end = begin
	}
	return to, nil
}
