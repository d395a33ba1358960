package parquetfile

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
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
	case compress.Codecs.Gzip:
		return &gzipCodec{}, nil
	case LZ4:
		return lz4Codec{}, nil
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
	dst = slices.Grow(dst, int(s.CompressBound(int64(len(src)))))
	return dst[:len(dst)+len(s.Encode(dst[len(dst):cap(dst)], src))]
}

// gzipCodec has writers to be used again: they are large, and the library's own codec makes one for
// each page.
type gzipCodec struct{ writers sync.Pool }

func (g *gzipCodec) compress(dst, src []byte) []byte {
	out := bytes.NewBuffer(dst)
	w, ok := g.writers.Get().(*gzip.Writer)
	if ok {
		w.Reset(out)
	} else {
		w = gzip.NewWriter(out)
	}
	_, _ = w.Write(src) // into memory, which does not fail
	_ = w.Close()
	g.writers.Put(w)
	return out.Bytes()
}

// LZ4 is LZ4_RAW of the format's definition, blocks without a frame, which Arrow's library does not
// know.
const LZ4 = compress.Compression(7)

type lz4Codec struct{}

func (lz4Codec) compress(dst, src []byte) []byte {
	dst = slices.Grow(dst, lz4.CompressBlockBound(len(src)))
	n, err := lz4.CompressBlock(src, dst[len(dst):cap(dst)], nil)
	if err != nil {
		panic(err) // of too little room alone
	}
	return dst[:len(dst)+n]
}
