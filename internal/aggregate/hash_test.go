package aggregate

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

// Keys that differ in a few bytes, wherever these are, have hashes of their own, and these
// have their own first and last bits about as often as those of any keys.
func TestHashes(t *testing.T) {
	s := newSeed()
	t.Run("as they are", func(t *testing.T) { testHashes(t, s) })
	s.aes = false
	t.Run("without AES", func(t *testing.T) { testHashes(t, s) })
}

func testHashes(t *testing.T, s seed) {
	testHashesLike(t, s, "sixteen bytes in")
	if s.aes { // else they are the library's
		testHashesLike(t, s, "a key of 16 bytes and 16 bytes more")
	}
}

func testHashesLike(t *testing.T, s seed, text string) {
	for first := range len(text) {
		for second := first % 2; second < first; second += 1 + len(text)/17 { // of a long one every other
			all, parts, slots := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
			for a := range 64 {
				for b := range 64 {
					key := []byte(text)
					key[first], key[second] = byte(4*a), byte(4*b)
					low, high := head(key)
					h := s.hash(low, high, key)
					all[h], parts[h>>48], slots[h&(1<<16-1)] = true, true, true
				}
			}
			if len(all) < 4096 || min(len(parts), len(slots)) < 3600 { // 3,969 are to be expected
				t.Errorf("%q, bytes %d and %d: %d hashes, %d first bits, %d last", text, second, first, len(all), len(parts), len(slots))
			}
		}
	}
}

// TestFindTexts: a key is in the group of its text and of no other, whatever the seed, by Go and by assembly.
func TestFindTexts(t *testing.T) {
	parsed, err := Parse(Query{By: "key", Agg: "count()"})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := parsed.Bind(arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}}, nil))
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"", "a", "a\x00", "a\x00\x00", "\x00", "b", "0", "1", "101", "201", "7 bytes", "exactly sixteen?", "exactly sixteen\x00", "exactly sixteen??"}
	for _, n := range []int{31, 32, 33, 47, 48, 49, 64, 100} {
		text := strings.Repeat("a longer text, ", 7)[:n]
		texts = append(texts, text)
		for _, at := range []int{0, 15, 16, n / 2, n - 17, n - 16, n - 1} {
			texts = append(texts, text[:at]+"!"+text[at+1:])
		}
	}
	var data []byte
	offsets := []int32{0}
	var keys []string
	for i := range 3 * len(texts) {
		keys = append(keys, texts[i*5%len(texts)])
		data = append(data, keys[i]...)
		offsets = append(offsets, int32(len(data)))
	}
	data = append(data, make([]byte, 16)...) // so that none lies at the end
	for round := range 4000 {
		table := newTable(plan.main, newSeed())
		table.seed.aes = table.seed.aes && round%2 == 0
		groups := make([]uint32, len(keys))
		findTexts(table, data, offsets, groups)
		ids := map[string]uint32{}
		for i, key := range keys {
			id, ok := ids[key]
			if !ok {
				id = uint32(len(ids))
				ids[key] = id
			}
			if groups[i] != id {
				t.Fatalf("aes %v: row %d, key %q, is in group %d, want %d", table.seed.aes, i, key, groups[i], id)
			}
		}
	}
}
