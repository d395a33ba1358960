package parquetfile

import (
	"github.com/apache/arrow/go/v17/arrow"
)

// leaf is a column of Parquet: values that are neither lists nor maps, and the
// way to them from the field of the record.
type leaf struct {
	path     []nesting
	typ      arrow.DataType
	nullable bool
}

// nesting is a list or map on the way to a leaf.
type nesting struct {
	nullable bool
	entries  bool // of a map: its child holds keys and items
	item     int  // of the entries: 0 the key, 1 the item
}

// leaves are the leaves of a field in the order of Parquet's columns. Which of
// them may be null is as schemaOf has it: elements of lists always.
func leaves(f arrow.Field) []leaf {
	below := func(f arrow.Field, s nesting) []leaf {
		found := leaves(f)
		for i := range found {
			found[i].path = append([]nesting{s}, found[i].path...)
		}
		return found
	}
	switch t := f.Type.(type) {
	case *arrow.ListType:
		return below(arrow.Field{Type: t.Elem(), Nullable: true}, nesting{nullable: f.Nullable})
	case *arrow.MapType:
		keys := below(t.KeyField(), nesting{nullable: f.Nullable, entries: true})
		return append(keys, below(t.ItemField(), nesting{nullable: f.Nullable, entries: true, item: 1})...)
	}
	return []leaf{{typ: f.Type, nullable: f.Nullable}}
}

// maxLevels are the definition and repetition level of a value that is there,
// inside the innermost list.
func (l *leaf) maxLevels() (def, rep uint8) {
	for _, s := range l.path {
		rep++
		def++
		if s.nullable {
			def++
		}
	}
	if l.nullable {
		def++
	}
	return def, rep
}

// levels say where values stand in lists, and which are null.
type levels struct {
	def, rep []uint8
	rows     []int32 // of the leaf's data: those that are not null
}

// shredder takes a nested column apart.
type shredder struct {
	leaf *leaf
	data []arrow.ArrayData // one for each nesting, and the leaf
	out  levels
}

func newShredder(l *leaf, top arrow.ArrayData) *shredder {
	s := &shredder{leaf: l, data: []arrow.ArrayData{top}}
	for _, nesting := range l.path {
		next := s.data[len(s.data)-1].Children()[0]
		if nesting.entries {
			next = next.Children()[nesting.item]
		}
		s.data = append(s.data, next)
	}
	return s
}

// row takes row i apart of the data at a depth, whose first value has the
// levels rep and def.
func (s *shredder) row(i int, depth int, rep, def uint8) {
	d := s.data[depth]
	null := isNull(d, i)
	if depth == len(s.leaf.path) {
		if s.leaf.nullable && !null {
			def++
		}
		s.out.def, s.out.rep = append(s.out.def, def), append(s.out.rep, rep)
		if !null {
			s.out.rows = append(s.out.rows, int32(i))
		}
		return
	}
	if s.leaf.path[depth].nullable && !null {
		def++
	}
	offsets := arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset()+i:]
	if null || offsets[0] == offsets[1] {
		s.out.def, s.out.rep = append(s.out.def, def), append(s.out.rep, rep)
		return
	}
	for k := offsets[0]; k < offsets[1]; k++ {
		s.row(int(k), depth+1, rep, def+1)
		rep = uint8(depth + 1)
	}
}

// isNull reports whether row i of d is null.
func isNull(d arrow.ArrayData, i int) bool {
	if d.NullN() == 0 || d.Buffers()[0] == nil {
		return false
	}
	i += d.Offset()
	return d.Buffers()[0].Bytes()[i>>3]>>(i&7)&1 == 0
}
