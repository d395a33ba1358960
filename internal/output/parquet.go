package output

import (
	"bytes"
	"encoding/base64"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"github.com/dfaparse/dfaparse/internal/parquetfile"
)

// compressions are the codecs of Parquet, the usual one first.
var compressions = []struct {
	name  string
	codec compress.Compression
}{
	{"zstd", compress.Codecs.Zstd},
	{"snappy", compress.Codecs.Snappy},
	{"none", compress.Codecs.Uncompressed},
}

// Compressions are the names of the codecs of Parquet, the usual one first.
func Compressions() []string {
	var names []string
	for _, c := range compressions {
		names = append(names, c.name)
	}
	return names
}

// newParquet writes Parquet 2.6. Parquet has no dictionary type (it
// is an encoding there) and no duration, so these are stored as strings and
// integers; the Arrow schema goes into the footer under "ARROW:schema", from
// which Arrow's readers restore the types.
func newParquet(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	codec := compressions[0].codec
	for _, c := range compressions {
		if c.name == o.Compression {
			codec = c.codec
		}
	}
	var b bytes.Buffer
	s := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := s.Close(); err != nil {
		return nil, err
	}
	return parquetfile.New(w, rewriteSchema(schema, storedType), parquetfile.Options{
		Compression: codec, Memory: o.Memory,
		Metadata: map[string]string{"ARROW:schema": base64.StdEncoding.EncodeToString(b.Bytes())},
	})
}

func storedType(t arrow.DataType) arrow.DataType {
	if t.ID() == arrow.DURATION {
		return arrow.PrimitiveTypes.Int64
	}
	return t
}
