package parquetfile

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/zstd"

	"github.com/dfaparse/dfaparse/cmd/dfaparse/zstdfast"
)

// Pages that are too long for our encoders are compressed too.
func TestLongPage(t *testing.T) {
	c, err := newCodec(compress.Codecs.Zstd, 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, n := range []int{zstdfast.MaxSize, zstdfast.MaxSize + 1} {
		page := bytes.Repeat([]byte("a page of a long text. "), n/20)[:n]
		got, err := d.DecodeAll(c.compress(nil, page), nil)
		if err != nil || !bytes.Equal(got, page) {
			t.Errorf("%d bytes: %d come back, %v", n, len(got), err)
		}
	}
}
