package infer

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// TestKeysAreKept: what was noted of a key lasts, whatever becomes of the record's memory.
func TestKeysAreKept(t *testing.T) {
	b := array.NewMapBuilder(memory.DefaultAllocator, arrow.BinaryTypes.String, arrow.BinaryTypes.String, false)
	defer b.Release()
	k := &Keyed{seen: map[string]bool{}, flags: map[string]bool{}}
	for range 3 {
		b.Append(true)
		b.KeyBuilder().(*array.StringBuilder).Append("key")
		b.ItemBuilder().AppendNull()
		m := b.NewMapArray()
		k.note(m)
		clear(m.Keys().(*array.String).ValueBytes())
		m.Release()
	}
	if !k.seen["key"] || !k.flags["key"] || len(k.flags) > 1 {
		t.Errorf("%v, %v", k.seen, k.flags)
	}
}
