package output

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// newArrowStream writes the Arrow IPC streaming format. What a dictionary has
// gained since the record before is written as a delta.
func newArrowStream(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	return ipc.NewWriter(w, append(arrowOptions(o), ipc.WithSchema(schema), ipc.WithDictionaryDeltas(true))...), nil
}

// ArrowCompressions are the names of the codecs of Arrow's buffers, the usual one first.
func ArrowCompressions() []string { return []string{"none", "zstd", "lz4"} }

func arrowOptions(o Options) []ipc.Option {
	switch o.Compression {
	case "zstd":
		return []ipc.Option{ipc.WithZstd()}
	case "lz4":
		return []ipc.Option{ipc.WithLZ4()}
	}
	return nil
}

// newArrowFile writes the Arrow IPC file format. A file has one dictionary a
// column (deltas are allowed, but many readers refuse them), so that columns
// with dictionaries are spooled until the last record has shown the whole.
func newArrowFile(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	file, err := ipc.NewFileWriter(&positioned{w: w}, append(arrowOptions(o), ipc.WithSchema(schema))...)
	if err != nil {
		return nil, err
	}
	if !hasLeaf(schema, isDictionary) {
		return file, nil
	}
	spool, err := os.CreateTemp(o.SpoolDir, ".dfaparse-spool-*")
	if err != nil {
		return nil, err
	}
	s := &spooled{file: file, schema: schema, spool: spool, buffer: bufio.NewWriterSize(spool, 1<<20)}
	s.indexed = CodedSchema(schema)
	s.stream = ipc.NewWriter(s.buffer, ipc.WithSchema(s.indexed))
	return s, nil
}

// spooled writes an Arrow file in two passes: first the records with indices
// in place of their dictionaries, to the spool; then, from there, the file.
type spooled struct {
	file    *ipc.FileWriter
	schema  *arrow.Schema
	spool   *os.File
	buffer  *bufio.Writer
	stream  *ipc.Writer
	indexed *arrow.Schema // of the spool
	dicts   []arrow.ArrayData
}

func (s *spooled) Write(rec arrow.Record) error {
	indexed := Coded(rec, s.indexed, func(n int, dict arrow.ArrayData) {
		dict.Retain()
		if n == len(s.dicts) {
			s.dicts = append(s.dicts, dict)
		} else {
			s.dicts[n].Release()
			s.dicts[n] = dict
		}
	})
	defer indexed.Release()
	return s.stream.Write(indexed)
}

func (s *spooled) Close() error {
	err := s.unspool()
	if cerr := s.spool.Close(); err == nil {
		err = cerr
	}
	if rerr := os.Remove(s.spool.Name()); err == nil {
		err = rerr
	}
	for _, d := range s.dicts {
		d.Release()
	}
	s.dicts = nil
	return err
}

// Abort removes the spool.
func (s *spooled) Abort() {
	_ = s.spool.Close()
	_ = os.Remove(s.spool.Name())
}

func (s *spooled) unspool() error {
	if err := s.stream.Close(); err != nil {
		return err
	}
	if err := s.buffer.Flush(); err != nil {
		return err
	}
	if _, err := s.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r, err := ipc.NewReader(bufio.NewReaderSize(s.spool, 1<<20), ipc.WithSchema(s.indexed))
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
		rec := Decoded(r.Record(), s.schema, s.dicts)
		err := s.file.Write(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	return s.file.Close()
}

// positioned is a Writer that can say where it is, which is all the seeking
// that the file format needs; so a pipe takes it too.
type positioned struct {
	w  io.Writer
	at int64
}

func (p *positioned) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.at += int64(n)
	return n, err
}

func (p *positioned) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, fmt.Errorf("output: seek to %d, %d in a stream", offset, whence)
	}
	return p.at, nil
}
