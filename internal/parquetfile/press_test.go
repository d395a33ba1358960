package parquetfile

import (
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
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

// TestPageTooLong: a page whose length its header cannot say is an error.
func TestPageTooLong(t *testing.T) {
	defer func(n int) { maxPage = n }(maxPage)
	maxPage = 1000
	for _, c := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Zstd} {
		w, err := New(io.Discard, mixed, Options{Compression: c, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(mixedRecord(5000, 0)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err == nil || !strings.Contains(err.Error(), "1000 are the most") {
			t.Errorf("%s: %v", c, err)
		}
	}
}

// TestLongEntries: a dictionary of few long texts that repeat is not written out where it is
// given up, which would take many times what they do.
func TestLongEntries(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, Nullable: true}}, nil)
	var entries []string
	var recs []arrow.Record
	for _, letter := range "abc" { // the third is too much
		entries = append(entries, strings.Repeat(string(letter), maxDictBytes/5*2))
		codes, texts := array.NewInt32Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
		for row := range 60 {
			codes.Append(int32(row % len(entries)))
		}
		codes.AppendNull()
		texts.AppendValues(entries, nil)
		column := array.NewDictionaryArray(schema.Field(0).Type, codes.NewArray(), texts.NewArray())
		recs = append(recs, array.NewRecord(schema, []arrow.Array{column}, 61))
	}
	recs = append(recs, recs[2].NewSlice(0, 3))
	out := written(t, 1, compress.Codecs.Uncompressed, recs...)
	if most := 5 * 2 * maxDictBytes; len(out) > most {
		t.Errorf("%d bytes, want at most %d", len(out), most)
	}
	table, _ := readBack(t, out)
	var want []arrow.Array
	for _, rec := range recs {
		want = append(want, rec.Column(0))
	}
	if !slices.Equal(texted(table.Column(0).Data().Chunks()), texted(want)) {
		t.Error("read back otherwise")
	}
}
