package parquetfile

import (
	"runtime"
	"testing"
	"weak"

	"github.com/apache/arrow/go/v17/parquet/compress"
)

// TestPagesLetGo: a page that is compressed holds nothing of what it was made of.
func TestPagesLetGo(t *testing.T) {
	codec, err := newCodec(compress.Codecs.Snappy, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	press := newPress(codec, 1)
	press.buffer(longPage) // so that shorter memory is not kept
	var chunk columnChunk
	page, dict := make([]byte, 1<<16), make([]byte, 1<<16)
	ofPage, ofDict := weak.Make(&page[0]), weak.Make(&dict[0])
	chunk.add(press, all(page), 1, true)
	chunk.finish(press, dictionary{dict, 1}, nil, nil)
	page, dict = nil, nil
	runtime.GC()
	if ofPage.Value() != nil || ofDict.Value() != nil {
		t.Error("the chunk holds what is not compressed")
	}
	runtime.KeepAlive(&chunk)
}
