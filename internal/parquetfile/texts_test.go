package parquetfile

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTextTable: texts are numbered in the order of their first occurrence, wherever they stand
// in their data, and equal ones alone have one number.
func TestTextTable(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string { // many have the same ends, and differ between them
		n := rapid.IntRange(0, 4).Draw(t, "n")
		return strings.Repeat("a", rapid.SampledFrom([]int{0, 1, 7, 8, 9}).Draw(t, "front")) +
			rapid.StringOfN(rapid.SampledFrom([]rune{0, 'a', 'b'}), n, n, -1).Draw(t, "middle") +
			strings.Repeat("a", rapid.SampledFrom([]int{0, 1, 4, 8, 9}).Draw(t, "back"))
	})
	rapid.Check(t, func(t *rapid.T) {
		table, numbers := newTextTable(), map[string]uint32{}
		texts := rapid.SliceOf(text).Draw(t, "texts")
		data := []byte(strings.Join(texts, ""))
		from := 0
		for _, v := range texts {
			want, known := numbers[v]
			if !known {
				want = uint32(len(numbers))
				numbers[v] = want
			}
			if got := table.number(data, from, from+len(v)); got != want || string(table.key(got)) != v {
				t.Fatalf("%q is number %d, want %d", v, got, want)
			}
			from += len(v)
		}
	})
}
