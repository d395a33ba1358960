package parquetfile

import (
	"bytes"
	"io"
	"testing"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"pgregory.net/rapid"
)

// TestCodecs: what is compressed behind something else is there again, twice with one codec.
func TestCodecs(t *testing.T) {
	all := map[compress.Compression]func(b []byte, n int) ([]byte, error){
		compress.Codecs.Snappy: func(b []byte, _ int) ([]byte, error) { return snappy.Decode(nil, b) },
		compress.Codecs.Zstd: func(b []byte, _ int) ([]byte, error) {
			r, err := zstd.NewReader(nil)
			if err != nil {
				return nil, err
			}
			defer r.Close()
			return r.DecodeAll(b, nil)
		},
		compress.Codecs.Gzip: func(b []byte, _ int) ([]byte, error) {
			r, err := gzip.NewReader(bytes.NewReader(b))
			if err != nil {
				return nil, err
			}
			return io.ReadAll(r)
		},
		LZ4: func(b []byte, n int) ([]byte, error) {
			out := make([]byte, n)
			n, err := lz4.UncompressBlock(b, out)
			return out[:max(n, 0)], err
		},
	}
	for which, unpack := range all {
		c, err := newCodec(which, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			for range 2 {
				src := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "bytes"), rapid.IntRange(1, 300).Draw(t, "times"))
				before := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "before")
				dst := c.compress(append(make([]byte, 0, rapid.IntRange(20, 200).Draw(t, "room")), before...), src)
				if !bytes.HasPrefix(dst, before) {
					t.Fatalf("%v: what was there is not", which)
				}
				got, err := unpack(dst[len(before):], len(src))
				if err != nil || !bytes.Equal(got, src) {
					t.Fatalf("%v: %d bytes are %d, %v", which, len(src), len(got), err)
				}
			}
		})
	}
}
