package output

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Unifier makes the dictionaries of several inputs one: what it gives grows
// from record to record, across inputs, as a single input's dictionaries do.
// Records of the first input pass through. The zero Unifier is ready.
type Unifier struct {
	inputs int
	dicts  []*unified // by depth-first number of the leaf
}

// unified is one dictionary of strings, common to all inputs.
type unified struct {
	last   arrow.ArrayData // the dictionary of the newest record given
	codes  map[string]int32
	values []string
	// of the input being read: how many entries of its dictionary are known,
	// and what their codes are.
	transpose []int32
}

// NextInput says that the records that follow are another input's.
func (u *Unifier) NextInput() {
	u.inputs++
	for _, d := range u.dicts {
		d.transpose = nil
		if d.codes != nil {
			continue
		}
		d.codes = map[string]int32{}
		values := array.NewStringData(d.last)
		for i := range values.Len() {
			d.add(values.Value(i))
		}
		values.Release()
	}
}

// Release lets go of the dictionaries.
func (u *Unifier) Release() {
	for _, d := range u.dicts {
		d.last.Release()
	}
	u.dicts = nil
}

// Record gives rec with unified dictionaries; the caller owns the reference.
func (u *Unifier) Record(rec arrow.Record) (arrow.Record, error) {
	n := 0
	var err error
	out := rewriteRecord(rec, rec.Schema(), func(d arrow.ArrayData, to arrow.DataType) arrow.ArrayData {
		if !isDictionary(to) {
			return share(d)
		}
		if t := to.(*arrow.DictionaryType); t.IndexType.ID() != arrow.INT32 || t.ValueType.ID() != arrow.STRING {
			err = fmt.Errorf("a dictionary of %s by %s cannot be unified", t.ValueType, t.IndexType)
			return share(d)
		}
		if n == len(u.dicts) {
			u.dicts = append(u.dicts, &unified{})
		}
		n++
		return u.dicts[n-1].rewrite(d, u.inputs > 1)
	})
	return out, err
}

func (u *unified) add(value string) int32 {
	code, ok := u.codes[value]
	if !ok {
		value = strings.Clone(value) // its record's memory is used again
		code = int32(len(u.values))
		u.values = append(u.values, value)
		u.codes[value] = code
	}
	return code
}

func (u *unified) rewrite(d arrow.ArrayData, again bool) arrow.ArrayData {
	if !again {
		u.keep(d.Dictionary())
		return share(d)
	}
	if u.codes == nil { // no record came before
		u.codes = map[string]int32{}
	}
	known := len(u.values)
	values := array.NewStringData(d.Dictionary())
	for i := len(u.transpose); i < values.Len(); i++ {
		u.transpose = append(u.transpose, u.add(values.Value(i)))
	}
	values.Release()
	if u.last == nil || len(u.values) > known {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.AppendValues(u.values, nil)
		dict := b.NewArray()
		u.keep(dict.Data())
		dict.Release()
		b.Release()
	}

	indices := arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset() : d.Offset()+d.Len()]
	out := make([]int32, d.Offset()+len(indices))
	for i, code := range indices {
		if int(code) < len(u.transpose) && code >= 0 { // what lies under a null may be anything
			out[d.Offset()+i] = u.transpose[code]
		}
	}
	buffers := []*memory.Buffer{d.Buffers()[0], memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(out))}
	return array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, d.NullN(), d.Offset(), u.last.(*array.Data))
}

func (u *unified) keep(dict arrow.ArrayData) {
	dict.Retain()
	if u.last != nil {
		u.last.Release()
	}
	u.last = dict
}
