package rows

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
)

// Tag is the key of the tags of fields: `dfa:"column"`, `dfa:"column,zero"`,
// `dfa:"-"`.
const Tag = "dfa"

// Matching says which column each field of a struct type takes, and how.
type Matching struct {
	typ    reflect.Type
	fields []field
}

// field is one field of the struct, or of one embedded in it.
type field struct {
	path   string // Trip.Fare
	column int
	name   string // of the column
	offset uintptr
	zero   bool // a null is the zero value
	slot   slot
}

// Match finds a column for each exported field of t, a struct type: the one that
// its tag names, else the one of its name, in which capitals, underscores,
// dashes and blanks do not count. Columns that no field takes are left out. A
// field without a column is an error, unless its tag says optional.
func Match(schema *arrow.Schema, t reflect.Type) (*Matching, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("rows are put into structs, not into %s", t)
	}
	b := &Matching{typ: t}
	x := matcher{matching: b, schema: schema, taken: map[int]string{}}
	x.walk(t, 0, t.Name())
	if len(x.faults) > 0 {
		return nil, fmt.Errorf("%s does not fit the columns: %s", t, strings.Join(x.faults, "; "))
	}
	if len(b.fields) == 0 {
		return nil, fmt.Errorf("%s has no exported field", t)
	}
	return b, nil
}

type matcher struct {
	matching *Matching
	schema   *arrow.Schema
	taken    map[int]string // columns, by which field
	faults   []string
}

func (x *matcher) faultf(format string, args ...any) {
	x.faults = append(x.faults, fmt.Sprintf(format, args...))
}

func (x *matcher) walk(t reflect.Type, offset uintptr, path string) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup(Tag)
		name, rest, _ := strings.Cut(tag, ",")
		at := path + "." + f.Name
		if f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct {
			x.walk(f.Type, offset+f.Offset, at)
			continue
		}
		switch {
		case tag == "-":
			continue
		case !f.IsExported():
			if tagged {
				x.faultf("field %s has a tag, and is not exported", at)
			}
			continue
		}
		zero, optional, ok := x.options(at, rest)
		if !ok {
			continue
		}
		column, ok := x.find(f.Name, name)
		if !ok {
			if !optional {
				x.faultf("there is no column for field %s%s; the columns are %s", at, wanted(name), x.names())
			}
			continue
		}
		c := x.schema.Field(column)
		if other, twice := x.taken[column]; twice {
			x.faultf("fields %s and %s both take column %q", other, at, c.Name)
			continue
		}
		x.taken[column] = at
		s, err := slotFor(c.Type, f.Type)
		if err != nil {
			x.faultf("field %s: column %q: %v", at, c.Name, err)
			continue
		}
		x.matching.fields = append(x.matching.fields, field{
			path: at, column: column, name: c.Name, offset: offset + f.Offset, zero: zero, slot: s,
		})
	}
}

func wanted(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(", which wants %q", name)
}

// options reads what follows the name in a tag.
func (x *matcher) options(at, rest string) (zero, optional, ok bool) {
	for _, o := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' }) {
		switch o {
		case "zero":
			zero = true
		case "optional":
			optional = true
		default:
			x.faultf("field %s: the tag has the option %q; the options are zero and optional", at, o)
			return false, false, false
		}
	}
	return zero, optional, true
}

func (x *matcher) find(field, name string) (column int, ok bool) {
	if name != "" {
		for i, c := range x.schema.Fields() {
			if c.Name == name {
				return i, true
			}
		}
		return 0, false
	}
	for i, c := range x.schema.Fields() {
		if c.Name == field {
			return i, true
		}
	}
	for i, c := range x.schema.Fields() {
		if plain(c.Name) == plain(field) {
			return i, true
		}
	}
	return 0, false
}

// plain is a name without what differs between Go's names and those of columns.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

func (x *matcher) names() string {
	var names []string
	for i, c := range x.schema.Fields() {
		if i == 30 {
			names = append(names, fmt.Sprintf("and %d more", x.schema.NumFields()-i))
			break
		}
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// Error is a value that a field cannot hold.
type Error struct {
	Row    int // of the record, from 0
	Field  string
	Column string
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("column %q: %v in field %s", e.Column, e.Err, e.Field)
}

// Unwrap gives ErrNull or what else it was.
func (e *Error) Unwrap() error { return e.Err }

// Record is a record whose rows are being put into structs.
type Record struct {
	matching *Matching
	loads    []loader
	columns  []arrow.Array
}

// Of prepares to read rec, which has the schema that the Matching was made for.
func (b *Matching) Of(rec arrow.Record) *Record {
	r := &Record{matching: b}
	for i := range b.fields {
		f := &b.fields[i]
		column := rec.Column(f.column)
		r.columns = append(r.columns, column)
		r.loads = append(r.loads, f.slot.open(column))
	}
	return r
}

// Fill puts rows from up to to into the structs that begin at block, one after
// the other. It reports the first error of the block's rows, and how many rows
// before it are whole.
func (r *Record) Fill(block unsafe.Pointer, from, to int) (n int, err error) {
	stride := r.matching.typ.Size()
	n = to - from
	for i := range r.matching.fields {
		f := &r.matching.fields[i]
		dst := unsafe.Add(block, f.offset)
		if !f.slot.nulls && r.columns[i].NullN() > 0 {
			for row := from; row < from+n && !f.zero; row++ {
				if r.columns[i].IsNull(row) {
					n, err = row-from, &Error{row, f.path, f.name, ErrNull}
				}
			}
		}
		if bad, e := r.loads[i](dst, stride, from, from+n); e != nil {
			n, err = bad-from, &Error{bad, f.path, f.name, e}
		}
	}
	return n, err
}
