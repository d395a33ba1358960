package bench

import (
	"errors"
	"io"
)

// errCut ends a head that was cut out of a longer input.
var errCut = errors.New("the input goes on")

// head is the first bytes of an input, to be read as if the rest were still to
// come: a Reader that fails with errCut has consumed the complete records.
type head struct {
	r      io.Reader
	at     int64
	nbytes int64
	end    error // after nbytes, if there are more: errCut, or io.EOF to end there
}

func (h *head) Read(p []byte) (int, error) {
	if h.at == h.nbytes {
		if h.end == io.EOF {
			return 0, io.EOF
		}
		var next [1]byte
		if _, err := io.ReadFull(h.r, next[:]); err != nil {
			return 0, err
		}
		return 0, h.end
	}
	n, err := h.r.Read(p[:min(int64(len(p)), h.nbytes-h.at)])
	h.at += int64(n)
	return n, err
}

// Seek knows where it is, and the beginning: what a Reader asks for that reads
// twice.
func (h *head) Seek(offset int64, whence int) (int64, error) {
	s, ok := h.r.(io.Seeker)
	switch {
	case !ok:
		return 0, errors.ErrUnsupported
	case offset == 0 && whence == io.SeekCurrent:
		_, err := s.Seek(0, io.SeekCurrent)
		return h.at, err
	case offset != 0 || whence != io.SeekStart:
		return 0, errors.ErrUnsupported
	}
	_, err := s.Seek(0, io.SeekStart)
	h.at = 0
	return 0, err
}
