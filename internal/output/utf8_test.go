package output

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Text that is not UTF-8 is never written as another: a form that has none
// refuses it, the others keep its bytes.
func TestInvalidUTF8(t *testing.T) {
	for _, c := range []struct {
		name string
		typ  arrow.DataType
		put  func(b array.Builder, text string)
	}{
		{"string", arrow.BinaryTypes.String, func(b array.Builder, s string) { b.(*array.StringBuilder).Append(s) }},
		{"dictionary", dictType, func(b array.Builder, s string) { _ = b.(*array.BinaryDictionaryBuilder).AppendString(s) }},
		{"list", arrow.ListOf(arrow.BinaryTypes.String), func(b array.Builder, s string) {
			b.(*array.ListBuilder).Append(true)
			b.(*array.ListBuilder).ValueBuilder().(*array.StringBuilder).AppendValues([]string{"x", s}, nil)
		}},
		{"key", arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String), func(b array.Builder, s string) {
			m := b.(*array.MapBuilder)
			m.Append(true)
			m.KeyBuilder().(*array.StringBuilder).Append(s)
			m.ItemBuilder().(*array.StringBuilder).Append("v")
		}},
		{"value", arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String), func(b array.Builder, s string) {
			m := b.(*array.MapBuilder)
			m.Append(true)
			m.KeyBuilder().(*array.StringBuilder).Append("k")
			m.ItemBuilder().(*array.StringBuilder).Append(s)
		}},
	} {
		// é, cut in two: its halves make sense only side by side.
		for _, texts := range [][]string{{"a", "é", "\uFFFD"}, {"a", "\xc3", "\xa9"}} {
			b := array.NewBuilder(memory.DefaultAllocator, c.typ)
			for _, s := range texts {
				c.put(b, s)
			}
			a := b.NewArray()
			schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: c.typ, Nullable: true}}, nil)
			rec := array.NewRecord(schema, []arrow.Array{a}, int64(a.Len()))
			for _, kind := range Kinds() {
				if kind == "binary" {
					continue // it has the layout of a format
				}
				var out bytes.Buffer
				w, err := Open(kind, &out, schema, Options{KeptUTF8: true, SpoolDir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				err = w.Write(rec)
				nested := c.name == "list" || c.name == "key" || c.name == "value"
				refuses := kind == "jsonl" || Binary(kind) || nested && (kind == "csv" || kind == "tsv")
				switch bad := texts[1] == "\xc3"; {
				case !bad && err != nil, bad && !refuses && err != nil:
					t.Errorf("%s as %s: %v", c.name, kind, err)
				case bad && refuses && (err == nil || !strings.Contains(err.Error(), `row 2, column "x": "\xc3" is not UTF-8`)):
					t.Errorf("%s as %s: %v", c.name, kind, err)
				case bad && !refuses && (kind == "csv" || kind == "tsv") && !bytes.Contains(out.Bytes(), []byte("\xc3")):
					t.Errorf("%s as %s: %q", c.name, kind, out.Bytes())
				}
				Abort(w)
			}
			rec.Release()
		}
	}
}

var dictType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
