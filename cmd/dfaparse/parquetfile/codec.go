package parquetfile

import (
	"fmt"
	"sync"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/dfaparse/dfaparse/cmd/dfaparse/zstdfast"
)

// codec compresses pages; it may be used by several goroutines.
type codec interface {
	compress(dst, src []byte) []byte // appends to dst
}

// newCodec is the codec of an algorithm, nil for none.
func newCodec(c compress.Compression, workers int) (codec, error) {
	switch c {
	case compress.Codecs.Uncompressed:
		return nil, nil
	case compress.Codecs.Zstd:
		long, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(workers), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
		return &zstdCodec{long: long}, err
	case compress.Codecs.Snappy:
		return snappyCodec{}, nil
	}
	return nil, fmt.Errorf("parquet: no codec for %s", c)
}

// zstdCodec compresses pages with encoders of our own, and with the library's
// those few that are too long for them.
type zstdCodec struct {
	encoders sync.Pool // of *zstdfast.Encoder
	long     *zstd.Encoder
}

func (z *zstdCodec) compress(dst, src []byte) []byte {
	if len(src) > zstdfast.MaxSize {
		return z.long.EncodeAll(src, dst)
	}
	enc, ok := z.encoders.Get().(*zstdfast.Encoder)
	if !ok {
		enc = new(zstdfast.Encoder)
	}
	defer z.encoders.Put(enc)
	return enc.Append(dst, src)
}

type snappyCodec struct{}

func (snappyCodec) compress(dst, src []byte) []byte {
	if n := s2.MaxEncodedLen(len(src)); cap(dst)-len(dst) < n {
		dst = append(make([]byte, 0, len(dst)+n), dst...)
	}
	return dst[:len(dst)+len(s2.EncodeSnappy(dst[len(dst):cap(dst)], src))]
}
