package compile

import (
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// maxKeys bounds the columns of one keyed, as holes are bounded in a template.
const maxKeys = 1024

// keys reads the columns that keys of a map become. They are read with the types of
// fields; which map it is, is looked for when all columns are known.
func (d *definer) keys(k *keyedItem) {
	s := &dfa.Split{Keyed: true, Strict: true}
	d.ofKeys = append(d.ofKeys, s)
	if k.As != nil {
		s.JSON = choose(d, "keyed "+k.Column.String(), k.As, map[string]bool{"json": true})
	}
	if k.Path != nil {
		switch s.Path = k.Path.Value(); {
		case !s.JSON:
			d.bad.addf(k.Path.Pos, "keyed: a path goes into objects of JSON: keyed %s json path %s", k.Column.source(), k.Path.Token)
		case s.Path == "":
			d.bad.addf(k.Path.Pos, "keyed: path wants the text between the keys of a path, as in path '.'")
		}
	}
	if len(k.fields) == 0 {
		d.bad.addf(k.Pos, "keyed %s { } has no keys; they stand with their types, as level str", k.Column)
	}
	if len(k.fields) > maxKeys {
		d.bad.addf(k.Pos, "%d keys of one map, at most %d", len(k.fields), maxKeys)
		return
	}
	for _, f := range k.fields {
		name := f.Name.String()
		switch {
		case f.Name.Text == nil && slices.Contains(modifierWords, name):
			d.bad.addf(f.Pos, "%s is a modifier%s", name, quotedColumn(name))
		case name == "":
			d.bad.addf(f.Pos, "a key without a name becomes no column")
		case s.Path != "" && slices.Contains(strings.Split(name, s.Path), ""):
			d.bad.addf(f.Pos, "the path %q has a key without a name", name)
		}
		c := d.column(f)
		if c.Optional {
			d.bad.addf(f.Pos, "column %q: a key need not be there, so ? says nothing; with ! it has to be", name)
		}
		s.Columns = append(s.Columns, c)
	}
}

// byKey gives the maps what keys gave. It comes after the columns are known.
func (d *definer) byKey() {
	for n, k := range d.keyed {
		name := k.Column.String()
		i := slices.IndexFunc(d.def.Columns, func(c dfa.Column) bool { return c.Name == name && !c.Hidden })
		if i < 0 {
			d.notThere("keyed", k.Column, "map(str)")
			continue
		}
		c, s := &d.def.Columns[i], d.ofKeys[n]
		out := slices.ContainsFunc(d.without, func(n *Name) bool { return n.String() == name })
		for j, f := range k.fields {
			if j >= len(s.Columns) || out && s.Columns[j].Name == name {
				continue // the map gives up its name
			}
			if slices.Contains(columnNames(d.def.Columns), s.Columns[j].Name) {
				d.bad.addf(f.Pos, "keyed: there is a column %q already", s.Columns[j].Name)
			}
		}
		switch {
		case c.Type.Kind != dfa.Map:
			d.bad.addf(k.Column.Pos, "keyed: column %q is no map; in fields, %s map(str, pairs ' ', kv '=') says which pairs it has", name, k.Column.source())
		case c.Type.Elem != nil && c.Type.Elem.Kind == dfa.Map:
			d.bad.addf(k.Column.Pos, "keyed: column %q is a map of maps; the keys of a map(str) become columns", name)
		case c.Type.Duplicates == dfa.ListDuplicates:
			d.bad.addf(k.Column.Pos, "keyed: of a key that is there twice a column has one value: duplicates first, last or error, not list")
		case c.Split != nil:
			d.bad.addf(k.Column.Pos, "keyed: column %q is taken apart by split already", name)
		default:
			s.Decoded = c.Type.Decoded
			c.Split = s
		}
	}
}
