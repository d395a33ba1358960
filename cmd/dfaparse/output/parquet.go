package output

import (
	"bytes"
	"encoding/base64"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"github.com/dfaparse/dfaparse/cmd/dfaparse/parquetfile"
)

// newParquet writes Parquet 2.6 with zstd. Parquet has no dictionary type (it
// is an encoding there) and no duration, so these are stored as strings and
// integers; the Arrow schema goes into the footer under "ARROW:schema", from
// which Arrow's readers restore the types.
func newParquet(w io.Writer, schema *arrow.Schema, _ Options) (Writer, error) {
	var b bytes.Buffer
	s := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := s.Close(); err != nil {
		return nil, err
	}
	return parquetfile.New(w, rewriteSchema(schema, storedType), parquetfile.Options{
		Compression: compress.Codecs.Zstd,
		Metadata:    map[string]string{"ARROW:schema": base64.StdEncoding.EncodeToString(b.Bytes())},
	})
}

func storedType(t arrow.DataType) arrow.DataType {
	if t.ID() == arrow.DURATION {
		return arrow.PrimitiveTypes.Int64
	}
	return t
}
