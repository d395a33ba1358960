package runtime

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/steady"
)

// ChangedError says that a file is not any more what it was when its reading
// began: it was written to, or became shorter.
type ChangedError = steady.ChangedError

// entry is an input and how it is read.
type entry struct {
	in      io.Reader                   // where it can be sought, it is looked at for directives first
	memory  func(partition int) *source // begins to read an input in memory; nil: in is read
	mapped  []byte                      // all of it, if it is a file in memory
	pages   []byte                      // the memory of that, from the beginning of a page
	at      io.ReaderAt                 // the file, from the same place on
	file    *steady.File                // nil if it is none
	prompt  bool                        // in can be read again, and is not silent for long
	account *columns.Account            // of the memory that it is read into, nil: there is no bound
	close   func() error                // nil if there is nothing to close
	base    int64                       // where in in the input begins, if it can be sought
}

// open begins to read the input, by partitions of so many bytes.
func (e *entry) open(partition int) *source {
	if e.memory != nil {
		return e.memory(partition)
	}
	return newSource(e.in, e.prompt, partition, e.account)
}

// ReadFile reads the file at path, which is closed when the Reader ends or is
// released. Time stamps without a year are taken to be no later than a day after
// the file was changed, unless WithBaseTime says otherwise.
//
// Where the system can, the file is mapped into memory. A file that is written
// to while it is read, or becomes shorter, makes the reading fail with a
// *ChangedError; see WithGrowing for files that only get longer.
func ReadFile(path string, p *dfa.Program, opts ...Option) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := readFile(f, p, append([]Option{WithName(path)}, opts...), f.Close)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// ReadOpenFile is ReadFile of a file that is open already. It reads from where
// f is, neither moves nor closes it, and if f is no regular file, reads it as
// NewReader would.
func ReadOpenFile(f *os.File, p *dfa.Program, opts ...Option) (*Reader, error) {
	if f == nil {
		return nil, errNilInput(f)
	}
	return readFile(f, p, append([]Option{WithName(f.Name())}, opts...), func() error { return nil })
}

// readFile reads f, which the Reader closes by done.
func readFile(f *os.File, p *dfa.Program, opts []Option, done func() error) (*Reader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	opts = append([]Option{WithBaseTime(info.ModTime().Add(BaseTimeSlack))}, opts...)
	o, err := newOptions(p, opts)
	if err != nil {
		return nil, err
	}
	e, err := o.entryOf(f)
	if err != nil {
		return nil, err
	}
	e.close = done
	if !info.Mode().IsRegular() || !o.maps() {
		return newReader(e, p, o)
	}
	end := info.Size()
	if section, ok := e.in.(*io.SectionReader); ok {
		_, at, n := section.Outer()
		end = at + n
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	m := mapFile(f, end)
	if m == nil || at > end {
		return newReader(e, p, o)
	}
	data := m.whole[at:]
	e.in, e.mapped, e.pages, e.at = bytes.NewReader(data), data, m.whole, f
	e.memory = func(partition int) *source {
		s := memorySource(data, partition)
		s.mapping, m.asked, m.gone = m, int(at), int(at)&^(mappedUnit-1)
		return s
	}
	e.close = func() error { return errors.Join(m.Close(), done()) }
	r, err := newReader(e, p, o)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return r, nil
}

// entryOf is an open file, to be read from where it is: to its end, or where it
// may grow, to the end of the last line that it has.
func (o *options) entryOf(f *os.File) (*entry, error) {
	e := &entry{in: f}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if e.file = steady.Of(f, info); e.file == nil || !o.growing {
		return e, nil
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	end, err := steady.LastLine(f, min(at, info.Size()), info.Size())
	if err != nil {
		return nil, err
	}
	if err := e.file.MayGrow(end); err != nil {
		return nil, err
	}
	section := io.NewSectionReader(f, at, max(0, end-at))
	e.in = section
	return e, nil
}

// maps reports whether files should be mapped: not for an engine that does not
// expect memory to go away.
func (o *options) maps() bool {
	if o.account != nil {
		return false // pages of a file are memory too, which nobody counts
	}
	if m, ok := o.engine.(Mapper); ok {
		return m.Maps()
	}
	_, device := o.engine.(Sizer)
	return !device
}
