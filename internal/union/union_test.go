package union

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// schemaOf is a schema as in "id:i v:s! w:d": whole numbers, texts, dictionaries; ! is not null.
func schemaOf(text string) *arrow.Schema {
	types := map[string]arrow.DataType{
		"i": arrow.PrimitiveTypes.Int64, "s": arrow.BinaryTypes.String,
		"d": &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
	}
	var fields []arrow.Field
	for _, f := range strings.Fields(text) {
		name, typ, _ := strings.Cut(f, ":")
		fields = append(fields, arrow.Field{Name: name, Type: types[strings.TrimSuffix(typ, "!")], Nullable: !strings.HasSuffix(typ, "!")})
	}
	return arrow.NewSchema(fields, nil)
}

// TestAlign: which columns a union has, and what of an input goes where.
func TestAlign(t *testing.T) {
	for _, c := range []struct {
		mode        Mode
		a, b        string
		names, want string // of the union; of b's record with values 0, 1, 2 by column, or the error
	}{
		{Same, "id:i v:i", "id:i v:i", "id v", "as it is"},
		{Same, "id:i v:i", "v:i id:i", "id v", "1 0"},
		{Same, "id:i v:i", "id:i", "", `b: its columns are not those of a: there is no "v"; --union name reads it as null`},
		{Same, "id:i", "id:i v:i", "", `b: its columns are not those of a: there is also "v"; --union name reads all columns`},
		{Same, "id:i v:i", "id:i v:s", "", `b: its columns are not those of a: column "v" is utf8, not int64`},
		{ByName, "id:i v:i", "w:i id:i", "id v w", "1 (null) 0"},
		{ByName, "id:i v:s d:d", "id:i", "id v d", "0 (null) (null)"},
		{ByName, "id:i v:i!", "id:i", "", `b: its columns are not those of a: there is no "v", which may not be null`},
		{ByName, "id:i", "id:i v:i!", "", `a: its columns are not those of b: there is no "v", which may not be null`},
		{ByName, "id:i", "id:s", "", `b: its columns are not those of a: column "id" is utf8, not int64`},
		{ByPosition, "id:i v:i", "x:i y:i", "id v", "0 1"},
		{ByPosition, "id:i v:i", "id:i", "", "b: its columns are not those of a: it has 1 column, not 2"},
		{ByPosition, "id:i", "id:s", "", `b: its columns are not those of a: column "id" is utf8, not int64`},
	} {
		u := &Union{Mode: c.mode}
		b := schemaOf(c.b)
		err := u.Add("a", schemaOf(c.a))
		if err == nil && c.mode == ByName {
			err = u.Add("b", b)
		}
		var to *Aligned
		if err == nil {
			to, err = u.Align("b", b)
		}
		if err != nil {
			if err.Error() != c.want {
				t.Errorf("%s, %s and %s: %v, want %s", c.mode, c.a, c.b, err, c.want)
			}
			continue
		}
		got, names := "as it is", []string(nil)
		s, _ := u.Schema()
		if to != nil {
			rec := numbered(b)
			out := to.Record(rec)
			var values []string
			for i := range int(out.NumCols()) {
				values = append(values, out.Column(i).ValueStr(0))
			}
			got, s = strings.Join(values, " "), out.Schema()
		}
		for _, f := range s.Fields() {
			names = append(names, f.Name)
		}
		if got != c.want || strings.Join(names, " ") != c.names {
			t.Errorf("%s, %s and %s: %q of %v, want %q of %s", c.mode, c.a, c.b, got, names, c.want, c.names)
		}
	}
}

// numbered is a record of one row, whose values say the column.
func numbered(s *arrow.Schema) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for i := range s.NumFields() {
		if n, ok := b.Field(i).(*array.Int64Builder); ok {
			n.Append(int64(i))
		} else {
			b.Field(i).AppendNull()
		}
	}
	return b.NewRecord()
}
