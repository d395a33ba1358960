package columns

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"
)

// TestLexicon: rows of columns that have begun with the tokens of another are the same,
// and their dictionary is, as if that one had met them all in order.
func TestLexicon(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{2, 30, 1000}).Draw(rt, "tokens")
		text := func() any {
			k := rapid.IntRange(-1, n).Draw(rt, "token")
			if k < 0 {
				return nil
			}
			return fmt.Sprint("token "[:k%7], k, "and so on, and on"[:k%17])
		}
		all, want := New(tokens), New(tokens)
		var x *Lexicon
		for range rapid.IntRange(1, 6).Draw(rt, "parts") {
			src, rest := New(tokens), New(tokens)
			src.Begin(x)
			if rapid.Bool().Draw(rt, "both") {
				rest.Begin(x)
			}
			var rows, more []any
			for range rapid.IntRange(0, 60).Draw(rt, "rows") {
				rows = append(rows, text())
			}
			for range rapid.IntRange(0, 10).Draw(rt, "more rows") {
				more = append(more, text())
			}
			addAll(src, rows)
			addAll(rest, more)
			from := rapid.IntRange(0, len(rows)).Draw(rt, "from")
			addAll(want, rows[from:])
			addAll(want, more)
			var got fmt.Stringer
			if rapid.Bool().Draw(rt, "adopted") {
				all.Adopt(src, from)
				src.AppendAdopted(rest, 0, rest.Len)
				src.Drop(from)
				got = src.Array(memory.DefaultAllocator).(fmt.Stringer)
			} else {
				all.AppendRows(src, from, src.Len)
				all.AppendRows(rest, 0, rest.Len)
				got = all.Array(memory.DefaultAllocator).(fmt.Stringer)
			}
			if want := want.Array(memory.DefaultAllocator).(fmt.Stringer); got.String() != want.String() {
				rt.Fatalf("%v, want %v", got, want)
			}
			x = all.Lexicon(x)
		}
	})
}

// TestFindTokens: what is found is what Token finds.
func TestFindTokens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, common := New(tokens), New(tokens)
		text := func() []byte {
			return rapid.SliceOfN(rapid.SampledFrom([]byte("\x00\x00ab")), 0, 20).Draw(rt, "text")
		}
		for range rapid.IntRange(0, 300).Draw(rt, "known") {
			common.Intern(text())
		}
		if rapid.Bool().Draw(rt, "begins") {
			c.Begin(common.Lexicon(nil))
		}
		for range rapid.IntRange(0, 300).Draw(rt, "own") {
			c.Intern(text())
		}
		var src []byte
		var start, end []uint32
		for range 20 {
			start = append(start, uint32(len(src)))
			src = append(src, text()...)
			end = append(end, uint32(len(src)))
		}
		out := make([]int32, len(start))
		n := c.FindTokens(out, src, start, end)
		for i := range n {
			b := src[start[i]:end[i]]
			if want := c.Token(b); out[i] != want || want < 0 || string(c.tokenText(want)) != string(b) {
				rt.Fatalf("%q is token %d, want %d", b, out[i], want)
			}
		}
		if n < len(out) {
			if b := src[start[n]:end[n]]; len(b) <= mostShort && int(start[n])+mostShort <= len(src) && c.Token(b) >= 0 {
				rt.Fatalf("%q is not found", b)
			}
		}
	})
}

// TestFindAlikeTokens: what is found at once is what Token finds, for tokens that differ in one
// byte, of a lexicon or not, many of which want the same place.
func TestFindAlikeTokens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := New(tokens)
		word := rapid.Custom(func(rt *rapid.T) []byte {
			b := []byte(strings.Repeat("a", rapid.IntRange(0, 18).Draw(rt, "size")))
			if len(b) > 0 {
				b[rapid.IntRange(0, len(b)-1).Draw(rt, "at")] = byte(rapid.IntRange(0, 255).Draw(rt, "byte"))
			}
			return b
		})
		intern := func(to *Column) {
			for range rapid.IntRange(0, 300).Draw(rt, "tokens") {
				to.Intern(word.Draw(rt, "token"))
			}
		}
		if rapid.Bool().Draw(rt, "lexicon") {
			first := New(c.Form)
			intern(first)
			c.Begin(first.Lexicon(nil))
		}
		intern(c)
		var src []byte
		var start, end []uint32
		for range rapid.IntRange(0, 100).Draw(rt, "rows") {
			start = append(start, uint32(len(src)))
			src = append(src, word.Draw(rt, "field")...)
			end = append(end, uint32(len(src)))
		}
		src = append(src, "behind"...)
		out := make([]int32, len(start))
		for i := 0; i < len(out); i++ {
			n := c.FindTokens(out[i:], src, start[i:], end[i:])
			for k := i; k < i+n; k++ {
				if want := c.Token(src[start[k]:end[k]]); out[k] != want || want < 0 {
					rt.Fatalf("%q is token %d, want %d", src[start[k]:end[k]], out[k], want)
				}
			}
			i += n
			if i < len(out) && c.Token(src[start[i]:end[i]]) >= 0 && end[i]-start[i] <= mostShort && int(start[i])+mostShort <= len(src) {
				rt.Fatalf("%q is not found", src[start[i]:end[i]])
			}
		}
	})
}
