package sort

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// spill is runs in a file, one behind the other, each an Arrow IPC stream of records with
// codes in place of dictionaries.
type spill struct {
	plan *Plan
	file *os.File
	size int64
	runs []stretch
}

// stretch is where a run is.
type stretch struct{ from, to int64 }

func newSpill(p *Plan, dir string) (*spill, error) {
	f, err := os.CreateTemp(dir, "dfaparse-rows-*")
	if err != nil {
		return nil, fmt.Errorf("rows do not fit into memory, and there is no file for them: %w", err)
	}
	_ = os.Remove(f.Name()) // where a file that is open can go; elsewhere close sees to it
	return &spill{plan: p, file: f}, nil
}

func (s *spill) close() {
	if s != nil {
		s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// Write appends to the file.
func (s *spill) Write(b []byte) (int, error) {
	n, err := s.file.WriteAt(b, s.size)
	s.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("rows do not fit into memory, nor into a file: %w", err)
	}
	return n, nil
}

// runWriter appends a run.
type runWriter struct {
	*spill
	from   int64
	buffer *bufio.Writer
	ipc    *ipc.Writer
}

func (s *spill) begin() *runWriter {
	w := &runWriter{spill: s, from: s.size, buffer: bufio.NewWriterSize(s, 64<<10)}
	w.ipc = ipc.NewWriter(w.buffer, ipc.WithSchema(s.plan.coded))
	return w
}

func (w *runWriter) write(rec arrow.Record) error { return w.ipc.Write(rec) }

func (w *runWriter) close() error {
	if err := w.ipc.Close(); err != nil {
		return err
	}
	if err := w.buffer.Flush(); err != nil {
		return err
	}
	w.runs = append(w.runs, stretch{w.from, w.size})
	return nil
}

// open begins to read a run.
func (s *spill) open(r stretch) (*ipc.Reader, error) {
	return ipc.NewReader(bufio.NewReaderSize(io.NewSectionReader(s.file, r.from, r.to-r.from), 16<<10))
}
