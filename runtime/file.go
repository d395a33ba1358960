package runtime

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/dfaparse/dfaparse/dfa"
)

// ReadFile reads the file at path, which is closed when the Reader ends or is
// released. Time stamps without a year take the file's modification time as
// their base, unless WithBaseTime says otherwise.
//
// Where the system can, the file is mapped into memory. Of a file that grows
// meanwhile, what it had at first is read; if it becomes shorter, the reading
// fails.
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
	r, err := readFile(f, info, p, opts)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// readFile is ReadFile; the Reader closes f, unless there is none.
func readFile(f *os.File, info os.FileInfo, p *dfa.Program, opts []Option) (*Reader, error) {
	var m *mapping
	if info.Mode().IsRegular() && mapped(p, opts) {
		m = mapFile(f, info.Size())
	}
	if m == nil {
		r, err := NewReader(f, p, opts...)
		if err == nil {
			r.closer = f
		}
		return r, err
	}
	closer := closers{m, f}
	r, err := newReader(bytes.NewReader(m.whole), func(partition int) *source {
		s := memorySource(m.whole, partition)
		s.mapping, m.asked, m.gone = m, 0, 0
		return s
	}, m.whole, p, opts)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	r.closer = closer
	return r, nil
}

// mapped reports whether files should be mapped: not for an engine with wishes
// of its own, which runs on a device whose driver does not expect memory to go away.
func mapped(p *dfa.Program, opts []Option) bool {
	o, err := newOptions(p, opts)
	if err != nil {
		return false
	}
	engine, err := findEngine(o.engine)
	_, device := engine.(Sizer)
	return err == nil && !device
}

// closers are closed in order.
type closers []io.Closer

// Close implements io.Closer.
func (c closers) Close() (err error) {
	for _, x := range c {
		err = errors.Join(err, x.Close())
	}
	return err
}
