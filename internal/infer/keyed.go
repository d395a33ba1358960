package infer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// Keyed is how records of keys and values become a table: a column for each key that there is, in
// the order of their first appearance. A built-in format takes the records apart, to one map.
//
//	{"a": 1, "b": "x"}      a    b    c
//	{"c": 2.5, "a": 3}      1    x
//	                        3         2.5
//
// The keys are those of all of the input: while the values of those that the sample has are looked
// at, it is seen whether there are others, and if there are, these are looked for. Meanwhile those
// of JSON are as they are written, "\u00fc" is another one than "ü"; what they stand for names the
// columns.
type Keyed struct {
	Format string // that is built in
	Rest   bool   // the map stays, as the last column, with the keys that have no column
	Enough bool   // no record is wanted that the sample has not
	Seen   int64  // records of the sample

	of    *dfa.Program
	json  bool            // values are texts of JSON
	names []string        // the keys of the sample, in the order of their first appearance
	seen  map[string]bool // the other ones
	late  []string        // of these, what can be the name of a column, in the same order
	flags map[string]bool // keys that have been there without a value
}

// keyedFormats are those built-in formats whose records are one map of keys and values.
var keyedFormats = map[string]struct {
	words string
	json  bool
}{
	"json":   {"JSON objects, in a list or one after the other", true},
	"jsonl":  {"JSON Lines, an object a line", true},
	"logfmt": {"logfmt, keys and values", false},
	"ltsv":   {"LTSV, labels and values between tabs", false},
}

// Bounds of the columns that keys become.
const (
	mostKeys    = 1024    // as many as a spec may name
	sparseKeys  = 256     // of more than so many, those have a column that
	sparseShare = 100     // one in so many records has
	mostNoted   = 1 << 16 // distinct keys that are remembered
)

// NewKeyed is the table that an input of a built-in format is whose records are keys and values;
// nil if it is none, or not to be one: where the keys are so many that they are data.
func NewKeyed(ctx context.Context, format string, sample []byte, whole bool, given *Given, opts ...runtime.Option) (*Table, error) {
	kind, ok := keyedFormats[format]
	if !ok {
		return nil, nil
	}
	of, err := formats.Program(format)
	if err != nil {
		return nil, err
	}
	k := &Keyed{Format: format, of: of, json: kind.json, seen: map[string]bool{}, flags: map[string]bool{}}
	head := firstLines(sample)
	if !whole {
		sample = k.complete(sample)
	}
	if format == theList {
		head = firstObjects(sample, shownRows)
	}
	r, err := runtime.ReadBytes(sample, of, append(slices.Clip(opts), runtime.WithContext(ctx), runtime.WithErrorMode(dfa.Reject))...)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	records := k.noting(r)
	for records.Next() {
	}
	if r.Err() != nil {
		return nil, ctx.Err()
	}
	k.Seen = r.Stats().Rows
	k.names, k.late, k.seen = k.late, nil, map[string]bool{}
	if len(k.names) == 0 || len(k.names) > mostKeys {
		return nil, nil
	}
	t := &Table{Given: given.numbers(), Keyed: k, Sure: true, head: head}
	return t, given.Check()
}

func firstLines(sample []byte) []byte {
	end := 0
	for range shownRows {
		i := bytes.IndexByte(sample[end:], '\n')
		if i < 0 {
			break
		}
		end += i + 1
	}
	return sample[:end]
}

// Column is the map.
func (k *Keyed) Column() string { return k.of.Columns[0].Name }

// texts is a Program that has keys as columns of text, those of JSON as they are written.
func (k *Keyed) texts(keys []string) (*dfa.Program, error) {
	d := k.of.Definition
	of := d.Columns[0]
	of.Name, of.Hidden = theMap, true
	of.Split = &dfa.Split{Keyed: true, Strict: true, Decoded: of.Type.Decoded}
	for _, key := range keys {
		of.Split.Columns = append(of.Split.Columns, dfa.Column{Name: key})
	}
	d.Columns = []dfa.Column{of}
	return dfa.NewProgram(d)
}

// theMap is what a map is called that is delivered nowhere.
const theMap = ""

// otherKeys lets found be set where there is a key that is no column of texts.
func otherKeys(found *atomic.Bool) runtime.Option {
	return runtime.WithLook(func(column string) func(*convert.Fields) {
		if column != theMap {
			return nil
		}
		return func(*convert.Fields) { found.Store(true) }
	})
}

// noting gives records without their map, whose keys it notes.
func (k *Keyed) noting(r Records) Records {
	fields := r.Schema().Fields()
	md := r.Schema().Metadata()
	return &notedKeys{Records: r, keyed: k, schema: arrow.NewSchema(fields[:len(fields)-1], &md)}
}

type notedKeys struct {
	Records
	keyed  *Keyed
	schema *arrow.Schema
}

func (n *notedKeys) Schema() *arrow.Schema { return n.schema }

func (n *notedKeys) Next() bool {
	if !n.Records.Next() {
		return false
	}
	rec := n.Record()
	n.keyed.note(rec.Column(int(rec.NumCols()) - 1).(*array.Map))
	return true
}

// note takes in the keys of maps.
func (k *Keyed) note(m *array.Map) {
	keys, items := m.Keys().(*array.String), m.Items()
	for i := range m.Len() {
		if m.IsNull(i) {
			continue
		}
		from, to := m.ValueOffsets(i)
		for at := int(from); at < int(to); at++ {
			key := keys.Value(at)
			if !k.seen[key] {
				if len(k.seen) == mostNoted {
					k.Rest = true
					continue
				}
				key = strings.Clone(key) // the memory of the record is used again
				k.seen[key] = true
				k.add(key)
			}
			if !k.json && items.IsNull(at) && !k.flags[key] {
				k.flags[strings.Clone(key)] = true
			}
		}
	}
}

// add makes a key one of those that become columns, if it can be the name of one.
func (k *Keyed) add(key string) {
	if k.meant(key) != "" && utf8.ValidString(key) {
		k.late = append(k.late, key)
	} else {
		k.Rest = true
	}
}

// choose leaves in the map what is to be no column: of very many keys those that few records have.
func (t *Table) choose() {
	k := t.Keyed
	t.unite()
	k.Rest = k.Rest || t.Sampled && !k.Enough
	many := len(t.Columns) > sparseKeys
	t.Columns = slices.DeleteFunc(t.Columns, func(c *Column) bool {
		rare := many && !c.Given && c.Values*sparseShare < t.Records
		k.Rest = k.Rest || rare
		return rare
	})
	if len(t.Columns) > mostKeys {
		t.Columns, k.Rest = t.Columns[:mostKeys], true
	}
	if i := slices.IndexFunc(t.Columns, func(c *Column) bool { return c.Name == k.Column() }); i >= 0 && k.Rest {
		t.Columns = slices.Delete(t.Columns, i, i+1) // the map has that name
	}
}

// meant is what a key stands for.
func (k *Keyed) meant(key string) string {
	if k.json {
		return convert.JSONKey(key)
	}
	return key
}

// unite gives columns the names that their keys stand for, and makes one of several that stand for
// the same. These have been looked at one by one: what has different types in them is text.
func (t *Table) unite() {
	first := map[string]*Column{}
	t.Columns = slices.DeleteFunc(t.Columns, func(c *Column) bool {
		c.Name = t.Keyed.meant(c.Name)
		of := first[c.Name]
		if of == nil {
			first[c.Name] = c
			return false
		}
		of.unite(c)
		return true
	})
}

// unite makes c what it and another column, of the same name, are together.
func (c *Column) unite(other *Column) {
	switch {
	case c.Given, other.Values == 0:
	case c.Values == 0:
		*c = *other
	case c.Type == other.Type && c.Type != "str":
		c.Values += other.Values
		c.Blanks = c.Blanks || other.Blanks
		for _, n := range other.Nulls {
			if !slices.Contains(c.Nulls, n) {
				c.Nulls = append(c.Nulls, n)
			}
		}
	default:
		c.Values += other.Values
		c.Type, c.Nulls, c.Blanks, c.lead = "str", nil, false, nil
		if c.Two = false; c.Why == "" {
			c.Why = "its key is written in several ways, with values of several types"
		}
	}
}

// lateColumns are those of keys that the sample has not.
func (t *Table) lateColumns() (columns []*Column) {
	for _, name := range t.Keyed.late[:min(len(t.Keyed.late), mostKeys)] {
		columns = append(columns, t.column(name))
	}
	return columns
}

// decideFlags gives keys that never have a value the type of what is there or not.
func (t *Table) decideFlags() {
	for _, c := range t.Columns {
		if t.Keyed.flags[c.Name] && c.Values == 0 && !c.Given {
			c.Given, c.Type, c.Why = true, "bool", ""
		}
	}
}

// keyed describes the format.
func (t *Table) keyed(b *compile.FormatBuilder, types typing) *compile.FormatBuilder {
	k := t.Keyed
	b.Extends(k.Format)
	if len(t.Given.Nulls) > 0 {
		b.Null(t.Given.Nulls...)
	}
	if len(t.Columns) == 0 {
		return b
	}
	if !k.Rest {
		b.Without(k.Column())
	}
	key := b.Keyed
	if k.json {
		key = b.KeyedJSON
	}
	for _, c := range t.Columns {
		typ, modifiers := c.Type, []*compile.Modifier(nil)
		switch {
		case c.Given:
			typ, modifiers = (&GivenType{c.Name, c.Type}).parts()
			modifiers = slices.DeleteFunc(modifiers, func(m *compile.Modifier) bool { return m.Optional })
		case types == given:
			typ = "str"
		case c.Type != "str":
			if c.Blanks {
				modifiers = append(modifiers, compile.Trim())
			}
			if len(c.Nulls) > 0 {
				modifiers = append(modifiers, compile.NullTokens(c.Nulls...))
			}
		}
		key(k.Column(), c.Name, typ, modifiers...)
	}
	return b
}

// words says how records are written.
func (k *Keyed) words() string { return keyedFormats[k.Format].words }

// passedOver says what becomes of keys that no input has.
func (k *Keyed) passedOver() string {
	if k.Rest {
		return fmt.Sprintf("Keys that have no column are in %s.", k.Column())
	}
	return fmt.Sprintf("The columns are all the keys that there are; without the words \"without %s\" that column has others.", k.Column())
}

// readLate looks for the keys that the sample has not, and at their values.
func (t *Table) readLate(read reading, opts []runtime.Option) error {
	for _, name := range t.Keyed.names {
		t.Keyed.seen[name] = true
	}
	if err := read(t.Keyed.of, nil, func(r Records) error {
		noted := t.Keyed.noting(r)
		for noted.Next() {
		}
		return noted.Err()
	}, opts...); err != nil {
		return err
	}
	if columns := t.lateColumns(); len(columns) > 0 {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.Name
		}
		program, err := t.Keyed.texts(names)
		if err != nil {
			return err
		}
		late := newReduction(columns, true)
		if err := errors.Join(read(program, names, late.read, opts...), late.finish()); err != nil {
			return err
		}
		t.Columns = append(t.Columns, columns...)
	}
	return nil
}
