package runtime

import (
	"os"

	"github.com/dfaparse/dfaparse/dfa"
)

// ReadFile reads the file at path, which is closed when the Reader ends or is
// released. Time stamps without a year take the file's modification time as
// their base, unless WithBaseTime says otherwise.
func ReadFile(path string, p *dfa.Program, opts ...Option) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	opts = append([]Option{WithName(path), WithBaseTime(info.ModTime())}, opts...)
	r, err := NewReader(f, p, opts...)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.closer = f
	return r, nil
}
