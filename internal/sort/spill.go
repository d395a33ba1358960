package sort

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// spill is runs in files. A file is an Arrow IPC stream of blocks: records with codes in place of
// dictionaries, the first of which has no rows. The blocks of a run are in several files,
// so that several goroutines write at once.
type spill struct {
	files []*spillFile
	free  chan *spillFile // those nobody writes to
	runs  [][]place
}

// spillFile is one of the files.
type spillFile struct {
	*os.File
	size   int64
	schema int64 // where the first block begins
	buffer *bufio.Writer
	ipc    *ipc.Writer
}

// place is where a block is.
type place struct {
	file     *spillFile
	from, to int64
}

// maxFiles bounds how many there are: systems let one goroutine at a time write to a file.
const maxFiles = 8

func newSpill(p *Plan, dir string, threads int) (*spill, error) {
	n := max(min(threads, maxFiles), 1)
	s := &spill{free: make(chan *spillFile, n)}
	for range n {
		file, err := os.CreateTemp(dir, "dfaparse-rows-*")
		if err != nil {
			s.close()
			return nil, fmt.Errorf("rows do not fit into memory, and there is no file for them: %w", err)
		}
		_ = os.Remove(file.Name()) // where a file that is open can go; elsewhere close sees to it
		f := &spillFile{File: file}
		f.buffer = bufio.NewWriterSize(appender{f}, 64<<10)
		s.files = append(s.files, f)
		f.ipc = ipc.NewWriter(f.buffer, ipc.WithSchema(p.coded))
		none := array.NewRecordBuilder(memory.DefaultAllocator, p.coded)
		rec := none.NewRecord()
		err = errors.Join(f.ipc.Write(rec), f.buffer.Flush())
		rec.Release()
		none.Release()
		if err != nil {
			s.close()
			return nil, err
		}
		f.schema = f.size
		s.free <- f
	}
	return s, nil
}

func (s *spill) close() {
	if s != nil {
		for _, f := range s.files {
			f.Close()
			_ = os.Remove(f.Name())
		}
	}
}

// appender appends to a file.
type appender struct{ *spillFile }

func (a appender) Write(b []byte) (int, error) {
	n, err := a.WriteAt(b, a.size)
	a.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("rows do not fit into memory, nor into a file: %w", err)
	}
	return n, nil
}

// write writes a block to a file that is free.
func (s *spill) write(rec arrow.Record) (place, error) {
	f := <-s.free
	defer func() { s.free <- f }()
	from := f.size
	if err := f.ipc.Write(rec); err != nil {
		return place{}, err
	}
	if err := f.buffer.Flush(); err != nil {
		return place{}, err
	}
	return place{f, from, f.size}, nil
}

// runReader reads the blocks of a run as one stream.
type runReader struct {
	left []place
	part *io.SectionReader
}

// open begins to read a run, behind the record without rows.
func open(run []place) (*ipc.Reader, error) {
	f := run[0].file
	r, err := ipc.NewReader(bufio.NewReaderSize(&runReader{left: run, part: io.NewSectionReader(f, 0, f.schema)}, 16<<10))
	if err == nil && !r.Next() {
		err = r.Err()
		r.Release()
	}
	return r, err
}

func (r *runReader) Read(b []byte) (int, error) {
	for {
		n, err := r.part.Read(b)
		if n > 0 || err != io.EOF {
			return n, err
		}
		if len(r.left) == 0 {
			return 0, io.EOF
		}
		p := r.left[0]
		r.left, r.part = r.left[1:], io.NewSectionReader(p.file, p.from, p.to-p.from)
	}
}
