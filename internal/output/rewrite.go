package output

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// This file rewrites the leaves of a record: the columns, and inside lists and
// maps the values that are neither. What is not rewritten is shared.

// leafType gives the type that a leaf of type t becomes.
type leafType func(t arrow.DataType) arrow.DataType

// leafData gives the data that a leaf becomes, whose type is to. The caller
// owns the reference.
type leafData func(d arrow.ArrayData, to arrow.DataType) arrow.ArrayData

// rewriteSchema is s with its leaves rewritten; names and metadata stay.
func rewriteSchema(s *arrow.Schema, leaf leafType) *arrow.Schema {
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		f.Type = rewriteType(f.Type, leaf)
		fields[i] = f
	}
	meta := s.Metadata()
	return arrow.NewSchema(fields, &meta)
}

func rewriteType(t arrow.DataType, leaf leafType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.ListType:
		elem := t.ElemField()
		elem.Type = rewriteType(elem.Type, leaf)
		return arrow.ListOfField(elem)
	case *arrow.MapType:
		key, item := t.KeyField(), t.ItemField()
		m := arrow.MapOfWithMetadata(rewriteType(key.Type, leaf), key.Metadata, rewriteType(item.Type, leaf), item.Metadata)
		m.KeysSorted = t.KeysSorted
		m.SetItemNullable(item.Nullable)
		return m
	}
	return leaf(t)
}

// rewriteRecord is rec with the schema to, its leaves rewritten.
func rewriteRecord(rec arrow.Record, to *arrow.Schema, leaf leafData) arrow.Record {
	cols := make([]arrow.Array, rec.NumCols())
	for i, c := range rec.Columns() {
		d := rewriteData(c.Data(), to.Field(i).Type, leaf)
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	out := array.NewRecord(to, cols, rec.NumRows())
	for _, c := range cols {
		c.Release()
	}
	return out
}

func rewriteData(d arrow.ArrayData, to arrow.DataType, leaf leafData) arrow.ArrayData {
	var elems []arrow.DataType
	switch t := to.(type) {
	case *arrow.ListType:
		elems = []arrow.DataType{t.Elem()}
	case *arrow.MapType:
		elems = []arrow.DataType{t.Elem()}
	case *arrow.StructType: // the entries of a map
		for _, f := range t.Fields() {
			elems = append(elems, f.Type)
		}
	default:
		return leaf(d, to)
	}
	children := make([]arrow.ArrayData, len(elems))
	for i, e := range elems {
		children[i] = rewriteData(d.Children()[i], e, leaf)
	}
	out := array.NewData(to, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
	for _, c := range children {
		c.Release()
	}
	return out
}

// share is a leaf that stays as it is.
func share(d arrow.ArrayData) arrow.ArrayData {
	d.Retain()
	return d
}

// hasLeaf reports whether some leaf of the schema satisfies is.
func hasLeaf(s *arrow.Schema, is func(arrow.DataType) bool) bool {
	found := false
	rewriteSchema(s, func(t arrow.DataType) arrow.DataType {
		found = found || is(t)
		return t
	})
	return found
}

func isDictionary(t arrow.DataType) bool { return t.ID() == arrow.DICTIONARY }
