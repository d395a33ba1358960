package output

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/parquetfile"
)

// CodedSchema is s with the codes of dictionaries in their place, also inside of lists and maps.
func CodedSchema(s *arrow.Schema) *arrow.Schema {
	return rewriteSchema(s, func(t arrow.DataType) arrow.DataType {
		if d, ok := t.(*arrow.DictionaryType); ok {
			return d.IndexType
		}
		return t
	})
}

// Dictionaries is how many dictionaries the first columns of s have.
func Dictionaries(s *arrow.Schema, columns int) (n int) {
	hasLeaf(arrow.NewSchema(s.Fields()[:columns], nil), func(t arrow.DataType) bool {
		if isDictionary(t) {
			n++
		}
		return false
	})
	return n
}

// Coded is rec with the codes of dictionaries in their place. dict is called with each
// dictionary and its number. The caller releases the record.
func Coded(rec arrow.Record, coded *arrow.Schema, dict func(n int, d arrow.ArrayData)) arrow.Record {
	n := 0
	return rewriteRecord(rec, coded, func(d arrow.ArrayData, to arrow.DataType) arrow.ArrayData {
		if !isDictionary(d.DataType()) {
			return share(d)
		}
		dict(n, d.Dictionary())
		n++
		return array.NewData(to, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset())
	})
}

// Decoded is rec, which Coded has given, with the dictionaries of dicts by number. The caller
// releases it.
func Decoded(rec arrow.Record, schema *arrow.Schema, dicts []arrow.ArrayData) arrow.Record {
	n := 0
	return rewriteRecord(rec, schema, func(d arrow.ArrayData, to arrow.DataType) arrow.ArrayData {
		if !isDictionary(to) {
			return share(d)
		}
		n++
		return array.NewDataWithDictionary(to, d.Len(), d.Buffers(), d.NullN(), d.Offset(), dicts[n-1].(*array.Data))
	})
}

// RecordBytes is the size of a record's buffers, those of dictionaries apart.
func RecordBytes(rec arrow.Record) int64 { return parquetfile.RecordBytes(rec) }
