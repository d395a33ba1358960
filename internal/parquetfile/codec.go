package parquetfile

import (
	"fmt"
	"sync"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// codec compresses pages; it may be used by several goroutines.
type codec interface {
	compress(dst, src []byte) []byte // appends to dst
}

// newCodec is the codec of an algorithm, nil for none.
func newCodec(c compress.Compression, level, workers int) (codec, error) {
	switch c {
	case compress.Codecs.Uncompressed:
		return nil, nil
	case compress.Codecs.Zstd:
		speed := zstd.SpeedFastest
		if level > 0 {
			speed = zstd.EncoderLevelFromZstd(level)
		}
		key := zstdKey{speed, workers}
		if enc, there := zstdCodecs.Load(key); there {
			return enc.(zstdCodec), nil
		}
		// The library's own codec makes an encoder anew for each page.
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(workers), zstd.WithEncoderLevel(speed),
			zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
		if err != nil {
			return nil, err
		}
		made, _ := zstdCodecs.LoadOrStore(key, zstdCodec{enc})
		return made.(zstdCodec), nil
	case compress.Codecs.Snappy:
		codec, err := compress.GetCodec(c)
		return snappyCodec{codec}, err
	}
	return nil, fmt.Errorf("parquet: no codec for %s", c)
}

// zstdCodecs are those made so far, by their zstdKey: encoders are large, and small files many.
var zstdCodecs sync.Map

type zstdKey struct {
	speed   zstd.EncoderLevel
	workers int
}

type zstdCodec struct{ enc *zstd.Encoder }

func (z zstdCodec) compress(dst, src []byte) []byte { return z.enc.EncodeAll(src, dst) }

// snappyCodec is the library's own, by golang/snappy, which takes two thirds of the time that the
// one of klauspost/compress takes for texts.
type snappyCodec struct{ compress.Codec }

func (s snappyCodec) compress(dst, src []byte) []byte {
	if n := int(s.CompressBound(int64(len(src)))); cap(dst)-len(dst) < n {
		dst = append(make([]byte, 0, len(dst)+n), dst...)
	}
	return dst[:len(dst)+len(s.Encode(dst[len(dst):cap(dst)], src))]
}
