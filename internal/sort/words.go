package sort

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
)

// dictionary is the last of a column of words, which begins with all that came before.
type dictionary struct {
	data arrow.ArrayData
	ranking
}

// ranking is the order of the words of a dictionary.
type ranking struct{ ranks []uint32 } // by code; words that are equal have one rank

// grow takes the dictionary of the next record.
func (d *dictionary) grow(next arrow.ArrayData) error {
	if d.data == next {
		return nil
	}
	if d.data != nil && !begins(next, d.data) {
		return fmt.Errorf("a dictionary of %d words does not begin with the %d of the record before", next.Len(), d.data.Len())
	}
	next.Retain()
	if d.data != nil {
		d.data.Release()
	}
	d.data = next
	return nil
}

// begins reports whether a begins with all texts of b.
func begins(a, b arrow.ArrayData) bool {
	if a.Len() < b.Len() {
		return false
	}
	x, y := offsetsOf([]arrow.ArrayData{a})[0], offsetsOf([]arrow.ArrayData{b})[0]
	if b.Len() == 0 {
		return true
	}
	for i := range b.Len() {
		if x[i+1]-x[i] != y[i+1]-y[i] {
			return false
		}
	}
	return bytes.Equal(bytesOf(a, 2)[x[0]:x[b.Len()]], bytesOf(b, 2)[y[0]:y[b.Len()]])
}

// textsOf gives the texts of an array.
func textsOf(d arrow.ArrayData) func(i int) []byte {
	v := values{column: &column{}, raw: bytesOf(d, 2), offsets: offsetsOf([]arrow.ArrayData{d})[0]}
	return v.text
}

// rank brings the ranks up to date.
func (d *dictionary) rank() {
	if d.data == nil || len(d.ranks) == d.data.Len() {
		return
	}
	text := textsOf(d.data)
	codes := make([]uint32, d.data.Len())
	for i := range codes {
		codes[i] = uint32(i)
	}
	slices.SortFunc(codes, func(a, b uint32) int { return bytes.Compare(text(int(a)), text(int(b))) })
	d.ranks = make([]uint32, len(codes))
	for i, code := range codes {
		d.ranks[code] = uint32(i)
		if i > 0 && bytes.Equal(text(int(codes[i-1])), text(int(code))) {
			d.ranks[code] = d.ranks[codes[i-1]]
		}
	}
}

func (d *dictionary) release() {
	if d.data != nil {
		d.data.Release()
		d.data = nil
	}
}
