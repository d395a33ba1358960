package discover

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/dfaparse/dfaparse/internal/infer"
)

// endBytes are looked at, at the end of a file whose beginning is a sample.
const endBytes = 16 << 10

// mostSearched is how large a file is at most that is looked through, which takes a second or two.
const mostSearched = 4 << 30

// footer looks for one at the end of a large file, and leaves it out if the line that it begins with
// comes nowhere else: where reading would stop there.
func (f *Found) footer(t *infer.Table) error {
	file, err := os.Open(f.file)
	if err != nil {
		return nil // whoever reads it will say so
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil || size < infer.SampleBytes+endBytes || size > mostSearched {
		return err
	}
	end := make([]byte, endBytes)
	if _, err := file.ReadAt(end, size-endBytes); err != nil {
		return err
	}
	_, end, found := bytes.Cut(end, []byte{'\n'})
	foot := t.FooterIn(end)
	if !found || foot == nil {
		return nil
	}
	from, to := t.RecordsFrom(), size-int64(len(end))+int64(foot.At)
	for _, line := range foot.Stops {
		if has, err := hasLine(io.NewSectionReader(file, from, to-from), line); err != nil || has {
			return err
		}
	}
	t.LeaveOut(foot)
	return nil
}

// hasLine reports whether r has a text, which begins with a line end.
func hasLine(r io.Reader, text []byte) (bool, error) {
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
