package output

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
	{"lz4", parquetfile.LZ4},
	{"gzip", compress.Codecs.Gzip},
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

// levels of zstd.
const maxLevel = 22

// CheckCompression says what is wrong with the compression of a form of output.
func CheckCompression(form, name string) error {
	switch form {
	case "parquet":
		_, _, err := parquetCodec(name)
		return err
	case "arrow", "arrows":
		if !slices.Contains(ArrowCompressions(), name) {
			return fmt.Errorf("%s: want %s", name, strings.Join(ArrowCompressions(), ", "))
		}
		return nil
	}
	if _, _, err := parquetCodec(name); err != nil {
		return err
	}
	return fmt.Errorf("is of Parquet and Arrow, and the output is %s; .gz or .zst behind a file's name compresses text", form)
}

// parquetCodec is a codec and its level, as in zstd:9; of level 0 it is the codec's own.
func parquetCodec(text string) (codec compress.Compression, level int, err error) {
	name, number, leveled := strings.Cut(text, ":")
	for i, c := range compressions {
		if c.name != name && !(text == "" && i == 0) {
			continue
		}
		if leveled {
			if level, err = strconv.Atoi(number); err != nil || level < 1 || level > maxLevel || name != "zstd" {
				return c.codec, 0, fmt.Errorf("%s: of zstd there are the levels 1 to %d, as zstd:9; others have none", text, maxLevel)
			}
		}
		return c.codec, level, nil
	}
	return codec, 0, fmt.Errorf("%s: want %s", text, strings.Join(Compressions(), ", "))
}

// newParquet writes Parquet 2.6. Parquet has no dictionary type (it
// is an encoding there) and no duration, so these are stored as strings and
// integers; the Arrow schema goes into the footer under "ARROW:schema", from
// which Arrow's readers restore the types.
func newParquet(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	codec, level, err := parquetCodec(o.Compression)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	s := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := s.Close(); err != nil {
		return nil, err
	}
	order, err := parseSorted(o.Sorted, schema)
	if err != nil {
		return nil, err
	}
	file, err := parquetfile.New(w, rewriteSchema(schema, storedType), parquetfile.Options{
		Compression: codec, Level: level, Memory: o.Memory, RowGroupRows: o.RowGroupRows, Plain: o.Plain, Dictionary: o.Dictionary, Sorted: order,
		Metadata: map[string]string{"ARROW:schema": base64.StdEncoding.EncodeToString(b.Bytes())},
	})
	if err != nil || len(order) == 0 {
		return file, err
	}
	return &inOrder{Writer: file, order: order, schema: schema}, nil
}

func storedType(t arrow.DataType) arrow.DataType {
	if t.ID() == arrow.DURATION {
		return arrow.PrimitiveTypes.Int64
	}
	return t
}
