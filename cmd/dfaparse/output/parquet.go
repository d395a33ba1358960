package output

import (
	"bytes"
	"encoding/base64"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

// A row group ends at the first record that reaches one of these.
const (
	rowGroupRows  = 1 << 20
	rowGroupBytes = 128 << 20
)

// newParquet writes Parquet 2.6 with zstd. Parquet has no dictionary type (it
// is an encoding there, and the library's own) and no duration, so these are
// stored as strings and integers; the Arrow schema goes into the footer under
// "ARROW:schema", from which Arrow's readers restore the types.
func newParquet(w io.Writer, schema *arrow.Schema, _ Options) (Writer, error) {
	props := parquet.NewWriterProperties(
		parquet.WithVersion(parquet.V2_6),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCreatedBy("dfaparse"),
		parquet.WithMaxRowGroupLength(1<<62), // split here, at whole records
	)
	p := &parquetWriter{stored: rewriteSchema(schema, storedType)}
	// The library closes what it can close: hide that from it.
	file, err := pqarrow.NewFileWriter(p.stored, struct{ io.Writer }{w}, props, pqarrow.NewArrowWriterProperties())
	if err != nil {
		return nil, err
	}
	p.file = file
	var b bytes.Buffer
	s := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := s.Close(); err != nil {
		return nil, err
	}
	if err := file.AppendKeyValueMetadata("ARROW:schema", base64.StdEncoding.EncodeToString(b.Bytes())); err != nil {
		return nil, err
	}
	return p, nil
}

type parquetWriter struct {
	file   *pqarrow.FileWriter
	stored *arrow.Schema
	rows   int64 // of the row group
}

func (p *parquetWriter) Write(rec arrow.Record) error {
	if p.rows >= rowGroupRows || p.rows > 0 && p.file.RowGroupTotalBytesWritten() >= rowGroupBytes {
		p.file.NewBufferedRowGroup()
		p.rows = 0
	}
	p.rows += rec.NumRows()
	stored := rewriteRecord(rec, p.stored, storedData)
	defer stored.Release()
	return p.file.WriteBuffered(stored)
}

func (p *parquetWriter) Close() error { return p.file.Close() }

func storedType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return t.ValueType
	case *arrow.DurationType:
		return arrow.PrimitiveTypes.Int64
	}
	return t
}

func storedData(d arrow.ArrayData, to arrow.DataType) arrow.ArrayData {
	switch d.DataType().ID() {
	case arrow.DURATION:
		return array.NewData(to, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset())
	case arrow.DICTIONARY:
		return plain(d)
	}
	return share(d)
}

// plain is a dictionary of strings with its values written out.
func plain(d arrow.ArrayData) arrow.ArrayData {
	a := array.NewDictionaryData(d)
	defer a.Release()
	values := a.Dictionary().(*array.String)
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(values.Value(a.GetValueIndex(i)))
		}
	}
	out := b.NewArray()
	defer out.Release()
	return share(out.Data())
}
