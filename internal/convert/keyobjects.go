package convert

import (
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file has what keyBatches do for objects of JSON, whose pairs are found by members: a value has its quotes, may have
// escapes between them, and is nothing if it is null. What paths lead to is looked for in the values of their first keys.

// keyedObject is what is looked for in values of one key, and where these are.
type keyedObject struct {
	*object
	start, end []uint32 // by row of a batch
}

// inObject is the column of the key of the first keyedObject, those of the others come below.
const inObject = -2

// open makes the values of n rows absent.
func (o *keyedObject) open(n int) keyPlaces {
	if o.start == nil {
		o.start, o.end = make([]uint32, batchRows), make([]uint32, batchRows)
	}
	for i := range o.start[:n] {
		o.start[i] = Absent
	}
	return keyPlaces{start: unsafe.Pointer(unsafe.SliceData(o.start)), end: unsafe.Pointer(unsafe.SliceData(o.end)), column: 2}
}

// objectsOf are those in which paths lead to columns, but for those whose keys have columns themselves.
func objectsOf(k *keys) (all []*object) {
	for key, o := range k.paths {
		if _, is := k.index[key]; !is {
			all = append(all, o)
		}
	}
	return all
}

// newObjectPairing is nil if members do not find the pairs of maps of t, or not faster than bridges, as they do with AVX-512,
// or if other symbols are quotes and leads.
func newObjectPairing(t *dfa.Table, lex *lexer) *pairing {
	if !hasVBMI {
		return nil
	}
	m := newMembers(t, lex)
	if m == nil || m.kinds['"'] != kindQuote || m.kinds['\\'] != kindLead {
		return nil
	}
	return &pairing{table: t, members: m}
}

// putObjects is put for objects, the first of which is row i of f. Rows are odd too if something may be escaped in them, or
// what paths look into is wrong.
func (x *keyBatches) putObjects(s *Splitter, f *Fields, i, n int, parts []Fields) bool {
	again, odd, from, at := uint32(3), false, int32(0), 0
	if x.keys.policy == dfa.LastDuplicate {
		again = 2
	}
	b, src := x.pairs.blocks, unsafe.Pointer(unsafe.SliceData(x.values.Src))
	for row, end := range x.pairs.ends[:n] {
		var leads uint64
		for to := at + blocksOf(x.pairs.end[row]-x.pairs.start[row]); at < to; at++ {
			leads |= b.signs[signLead][at] & (b.behind[at] - 1)
		}
		twice := x.putObject(src, row, x.of[from:end], x.values.Start[from:end], x.values.End[from:end])
		x.odd[row] = leads != 0 || twice&again != 0 || len(x.objects) > 0 && !x.putWithin(s, f, i, row, parts)
		odd = odd || x.odd[row]
		from = end
	}
	return !odd
}

// nullWord is null as four symbols are loaded.
const nullWord = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24

// putObject puts the values of one row, which lie in src, where the batch has them: what is between the quotes of strings, and
// nothing for null. It gives what keys are there twice, as keyPlaces has it.
func (x *keyBatches) putObject(src unsafe.Pointer, row int, of []int32, starts, ends []uint32) (twice uint32) {
	places, number := unsafe.Pointer(&x.places[len(x.objects)]), uint32(row)+1
	ends, of = ends[:len(starts)], of[:len(starts)]
	for k, start := range starts {
		end := ends[k]
		p := (*keyPlaces)(unsafe.Add(places, (int(of[k])+1)*int(unsafe.Sizeof(keyPlaces{})))) // one a column, before them that of -1, and of objects
		twice |= p.column & -uint32(asBit(p.row == number))
		p.row = number
		quote := uint32(asBit(*(*byte)(unsafe.Add(src, start)) == '"'))
		other := *(*uint32)(unsafe.Add(src, end-4)) ^ nullWord | (end - start ^ 4) // a key stands before the value
		absent := -uint32(asBit(other == 0))
		*(*uint32)(unsafe.Add(p.start, 4*row)) = start + quote | absent // a place has as many rows as the batch
		*(*uint32)(unsafe.Add(p.end, 4*row)) = (end - quote) &^ absent
	}
	return twice
}

// putWithin puts what paths lead to in a row of the batch, whose first is row i of f, in which no key of an object is there
// twice. It is false if that is wrong.
func (x *keyBatches) putWithin(s *Splitter, f *Fields, i, row int, parts []Fields) bool {
	x.keys.next()
	for k := range x.objects {
		o := &x.objects[k]
		start, end := o.start[row], o.end[row]
		if start == Absent || f.Src[start-1] == '"' { // null, and strings, have nothing within
			continue
		}
		if !s.pathsWithin(o.object, nil, f.Src[start:end], f, i+row, parts) {
			return false
		}
	}
	return true
}

// oddRow is row, for objects too, for row i of f. It is false if the row is a misfit.
func (x *keyBatches) oddRow(s *Splitter, f *Fields, i int, from, to int32, parts []Fields) bool {
	if !x.keys.json {
		return x.row(i, from, to, parts)
	}
	keys := x.keys
	keys.next()
	for k := from; k < to; k++ {
		c := int(x.of[k])
		text := f.Src[x.values.Start[k]:x.values.End[k]]
		if c <= inObject && !s.pathsWithin(x.objects[inObject-c].object, nil, text, f, i, parts) {
			return false
		}
		if c < 0 {
			keys.others = true
			continue
		}
		again, fault := keys.again(c, nil)
		if fault != "" {
			return false
		}
		if !again && !s.jsonWithin(text, f, i, &parts[c]) {
			return false
		}
	}
	return true
}
