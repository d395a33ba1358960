package identify

import (
	"regexp"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
)

// taken is what of the records went into columns that take any text.
type taken struct {
	free     text
	doubtful int64 // rows that no such file would have
	// plausible is whether the columns can be those of such a file: where its first
	// line names them and none has a type, they have to be names.
	plausible bool

	columns []taker // of the schema; parts of a split are in the column that was split
	last    int     // the column that is null where a record ends early, if it may; else -1
	late    []int   // the second half of the columns by position, where records may end early
	// wantsNulls: columns of text by position, with no names in the file, are any text
	// that has the separators; only null tokens say that a file is of that format.
	wantsNulls bool
	nulls      int
	named      bool // the file has names for all columns, which is demand enough
}

// taker counts what a column takes, and says which rows are doubtful.
type taker func(a arrow.Array, doubtful []bool) text

func newTaken(p *dfa.Program, schema *arrow.Schema) *taken {
	t := &taken{plausible: true, last: -1}
	kinds := map[string]dfa.TypeKind{}
	parts := map[string]bool{}
	for i := range p.Columns {
		c := &p.Columns[i]
		kinds[c.Name] = c.Type.Kind
		if c.Split != nil {
			for j := range c.Split.Columns {
				parts[c.Split.Columns[j].Name] = true
			}
		}
	}
	fields := schema.Fields()
	for _, f := range fields {
		kind, known := kinds[f.Name]
		switch {
		case parts[f.Name]:
			t.columns = append(t.columns, nil)
		case known && kind != dfa.String && kind != dfa.Dictionary && kind != dfa.Binary && kind != dfa.Map && kind != dfa.List:
			t.columns = append(t.columns, nil) // its type demands something
		default:
			t.columns = append(t.columns, takerOf(f.Type))
		}
	}
	if len(p.Columns) == 0 {
		header := p.Header.Mode == dfa.NamesHeader
		t.plausible = len(fields) > 1 && (!header || areNames(fields))
		t.wantsNulls, t.named = !header, header
		if header && p.Ragged&dfa.Pad != 0 {
			t.last = len(fields) - 1
		}
	}
	if own := len(p.Columns); p.Ragged&dfa.Pad != 0 && len(p.Columns) > 0 {
		for i, f := range fields {
			if !parts[f.Name] && i >= own/2 {
				t.late = append(t.late, i)
			}
		}
	}
	return t
}

var (
	aName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_#@$][\pL\pN_ .()%/#$&*+-]*$`) })
	aKey  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_@][\pL\pN_.@/-]*$`) })
)

// areNames is whether columns have names, not values.
func areNames(fields []arrow.Field) bool {
	for _, f := range fields {
		if len(f.Name) > 48 || strings.Count(f.Name, " ") > 4 || !aName().MatchString(f.Name) {
			return false
		}
	}
	return true
}

// add counts a batch.
func (t *taken) add(rec arrow.Record) {
	doubtful := make([]bool, rec.NumRows())
	for i, take := range t.columns {
		if take == nil {
			continue
		}
		a := rec.Column(i)
		u := take(a, doubtful)
		t.free.blanks += u.blanks
		t.free.others += u.others
		t.nulls += a.NullN()
		if i == t.last {
			for row := range doubtful {
				doubtful[row] = doubtful[row] || a.IsNull(row)
			}
		}
	}
	for row := range doubtful {
		ends := len(t.late) > 0 // before half of its columns
		for _, i := range t.late {
			ends = ends && rec.Column(i).IsNull(row)
		}
		doubtful[row] = doubtful[row] || ends
	}
	for _, d := range doubtful {
		if d {
			t.doubtful++
		}
	}
}

func takerOf(dt arrow.DataType) taker {
	switch dt.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY, arrow.DICTIONARY:
		return takeText
	case arrow.MAP:
		return takeMap
	case arrow.LIST:
		return takeList
	}
	return nil
}

func takeText(a arrow.Array, _ []bool) (t text) {
	for i := range a.Len() {
		if a.IsValid(i) {
			t.add([]byte(stringAt(a, i)))
		}
	}
	return t
}

func takeList(a arrow.Array, doubtful []bool) text {
	if values := a.(array.ListLike).ListValues(); takerOf(values.DataType()) != nil {
		return takeText(values, doubtful)
	}
	return text{}
}

// takeMap counts keys without a value, keys that are no names, and all values: a key
// that is one, where there are several, and the sign behind it, are demands. A row with many of the first is no
// row of pairs.
func takeMap(a arrow.Array, doubtful []bool) (t text) {
	m := a.(*array.Map)
	items := m.Items()
	for i := range m.Len() {
		if m.IsNull(i) {
			continue
		}
		from, to := m.ValueOffsets(i)
		bad := int64(0)
		for j := from; j < to; j++ {
			key := stringAt(m.Keys(), int(j))
			named := items.IsValid(int(j)) && aKey().MatchString(key)
			if !named {
				bad++
			}
			if !named || to-from == 1 { // one sign in a line is by chance
				t.add([]byte(key))
			}
			if items.IsValid(int(j)) && items.DataType().ID() == arrow.STRING {
				t.add([]byte(stringAt(items, int(j))))
			}
		}
		if bad*5 > to-from {
			doubtful[i] = true
		}
	}
	return t
}

func stringAt(a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.String:
		return a.Value(i)
	case *array.LargeString:
		return a.Value(i)
	case *array.Binary:
		return string(a.Value(i))
	case *array.Dictionary:
		return stringAt(a.Dictionary(), a.GetValueIndex(i))
	}
	return ""
}
