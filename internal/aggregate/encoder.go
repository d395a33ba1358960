package aggregate

import (
	"bytes"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// encoder finds the groups of a record's rows.
type encoder struct {
	groups []uint32
	keys   []byte
	at     []int // by row: where what is put next goes
	ends   []int
	codes  []uint32 // by code of a dictionary: its group + 1
}

// find gives the group in t of each row.
func (e *encoder) find(t *table, arrays []arrow.Array, rows int) []uint32 {
	if cap(e.groups) < rows {
		e.groups = make([]uint32, rows)
	}
	groups := e.groups[:rows]
	switch {
	case len(t.grouping.keys) == 0:
		g := t.find(nil)
		for i := range groups {
			groups[i] = g
		}
	case t.raw:
		a := arrays[t.grouping.keys[0].of]
		if d, ok := a.(*array.Dictionary); ok {
			e.findCodes(t, d, groups)
		} else {
			findRaw(t, a, groups)
		}
	default:
		e.encode(t.grouping, arrays, rows)
		e.findKeys(t, groups)
	}
	return groups
}

// findRaw looks texts up as they lie.
func findRaw(t *table, a arrow.Array, groups []uint32) {
	of := textsOf(a)
	if a.NullN() == 0 {
		findTexts(t, of.data, of.offsets, groups)
		return
	}
	for i := range groups {
		if a.IsNull(i) {
			groups[i] = t.nullGroup()
		} else {
			groups[i] = t.find(of.at(i))
		}
	}
}

// findCodes looks each word of a dictionary up once.
func (e *encoder) findCodes(t *table, d *array.Dictionary, groups []uint32) {
	of := textsOf(d)
	n := d.Dictionary().Len()
	if cap(e.codes) < n {
		e.codes = make([]uint32, n)
	}
	codes := e.codes[:n]
	clear(codes)
	nulls := d.NullN() > 0
	for i := range groups {
		if nulls && d.IsNull(i) {
			groups[i] = t.nullGroup()
			continue
		}
		code := of.codes[i]
		if codes[code] == 0 {
			text := of.at(i)
			codes[code] = t.find(text) + 1
		}
		groups[i] = codes[code] - 1
	}
}

// encode makes the keys of all rows, one behind the other.
func (e *encoder) encode(g *grouping, arrays []arrow.Array, rows int) {
	if cap(e.at) < rows {
		e.at, e.ends = make([]int, rows), make([]int, rows+1)
	}
	at, ends := e.at[:rows], e.ends[:rows+1]
	clear(at)
	sizes := at
	for c := range g.keys {
		k := &g.keys[c]
		a := arrays[k.of]
		last := c == len(g.keys)-1 && !g.terminated
		var of texts
		if k.width == 0 {
			of = textsOf(a)
		}
		nulls := a.NullN() > 0
		for i := range sizes {
			sizes[i]++
			if nulls && a.IsNull(i) {
				continue
			}
			sizes[i] += k.width
			if k.width == 0 {
				text := of.at(i)
				if sizes[i] += len(text); !last {
					sizes[i] += 2 + bytes.Count(text, []byte{0})
				}
			}
		}
	}
	n := 0
	for i, size := range sizes {
		ends[i] = n
		at[i] = n
		n += size
	}
	ends[rows] = n
	if cap(e.keys) < n {
		e.keys = make([]byte, n)
	}
	e.keys = e.keys[:n]
	for c := range g.keys {
		k := &g.keys[c]
		if k.width > 0 {
			k.put(arrays[k.of], e.keys, at)
			continue
		}
		e.putTexts(arrays[k.of], at, c == len(g.keys)-1 && !g.terminated)
	}
	e.at, e.ends = at, ends
}

func (e *encoder) putTexts(a arrow.Array, at []int, last bool) {
	of, nulls := textsOf(a), a.NullN() > 0
	for i := range at {
		if nulls && a.IsNull(i) {
			e.keys[at[i]] = 1
			at[i]++
			continue
		}
		text := of.at(i)
		e.keys[at[i]] = 0
		if last {
			at[i] += 1 + copy(e.keys[at[i]+1:], text)
			continue
		}
		at[i] += 1 + len(appendText(e.keys[at[i]+1:at[i]+1], text))
	}
}

// findKeys looks the encoded keys up; neighbours tend to have one key.
func (e *encoder) findKeys(t *table, groups []uint32) {
	var before []byte
	var group uint32
	for i := range groups {
		key := e.keys[e.ends[i]:e.ends[i+1]]
		if i == 0 || !bytes.Equal(key, before) {
			group, before = t.find(key), key
		}
		groups[i] = group
	}
}
