package parquetfile

import (
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/zstd"
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
		// The library's own codec makes an encoder anew for each page.
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(workers), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
		return zstdCodec{enc}, err
	}
	lib, err := compress.GetCodec(c)
	return libraryCodec{lib}, err
}

type zstdCodec struct{ enc *zstd.Encoder }

func (z zstdCodec) compress(dst, src []byte) []byte { return z.enc.EncodeAll(src, dst) }

type libraryCodec struct{ lib compress.Codec }

func (l libraryCodec) compress(dst, src []byte) []byte {
	return append(dst, l.lib.Encode(make([]byte, l.lib.CompressBound(int64(len(src)))), src)...)
}
