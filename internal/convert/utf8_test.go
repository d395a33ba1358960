package convert

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/guard"
)

// sequences are UTF-8, and what is not but looks like it.
var sequences = []string{
	"a", "text", "\x7f", "\u0080", "é", "\u07ff", "\u0800", "€", "\ud7ff", "\ue000", "\uffff", "\U00010000", "😀", "\U0010ffff",
	"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xdf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xe1\x80", "\xed\xa0\x80", "\xed\xbf\xbf", "\xef\xbf",
	"\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80", "\xff", "\xfe",
}

// TestValidUTF8: each sequence at each place of the blocks, alone and cut short,
// is what utf8.Valid says it is.
func TestValidUTF8(t *testing.T) {
	sets(t, func(t *testing.T, _ func(func())) { testValidUTF8(t) })
}

func testValidUTF8(t *testing.T) {
	check := func(b []byte) {
		t.Helper()
		if got, want := validUTF8(b), utf8.Valid(b); got != want {
			t.Fatalf("%q: %t, want %t", b, got, want)
		}
	}
	for _, s := range sequences {
		for _, fill := range []string{"x", "é", "€"} {
			for at := range 70 {
				b := append(bytes.Repeat([]byte("x"), at%len(fill)), bytes.Repeat([]byte(fill), at/len(fill))...)
				b = append(b, s...)
				check(b)
				check(append(b, bytes.Repeat([]byte(fill), 70)...))
				for n := 32; n < len(b); n++ {
					check(b[:n])
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		var b []byte
		for n := r.IntN(60); n >= 0; n-- {
			if k := r.IntN(200); k < 14 {
				b = append(b, sequences[r.IntN(14)]...)
			} else if k == 14 {
				b = append(b, sequences[r.IntN(len(sequences))]...)
			} else {
				b = append(b, "éx€"[k%5%3:][:1+k%2]...)
			}
		}
		check(b)
	}
	for range 20000 { // mostly right
		var b []byte
		for n := r.IntN(60); n >= 0; n-- {
			b = append(b, sequences[r.IntN(14)]...)
		}
		check(b)
		if len(b) > 0 {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		check(b)
	}
}

func FuzzValidUTF8(f *testing.F) {
	for _, s := range sequences {
		f.Add([]byte("some text, long enough for a block, then " + s + " and then some more text"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := validUTF8(b), utf8.Valid(b); got != want {
			t.Errorf("%q: %t, want %t", b, got, want)
		}
	})
}

// TestLongTexts: sequences in rows that are written line by line, at each place
// of a line, whole and between two rows, are what they are without vector code.
func TestLongTexts(t *testing.T) {
	var f Fields
	for _, s := range sequences {
		for cut := range len(s) + 1 {
			for at := range 70 {
				text := strings.Repeat("x", 200+at) + s + strings.Repeat("é", 150)
				f.Reset(append([]byte(text), make([]byte, 200)...))
				end := 200 + at + cut
				f.Push(0, uint32(end))
				f.Push(uint32(end), uint32(len(text)))
				col := &dfa.Column{}
				got, errs := appendFuzzed(t, col, Options{}, &f)
				restore := noInstructions()
				want, wantErrs := appendFuzzed(t, col, Options{}, &f)
				restore()
				if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
					t.Fatalf("%q, cut at %d, from %d on: %s", s, cut, at, difference(&f, got, want, errs, wantErrs))
				}
			}
		}
	}
}

// TestCutSequences: a sequence between two of many rows is no text, wherever the rows are and however
// long: those that are copied eight at a time, as short as the longest of them, and one by one.
func TestCutSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var f Fields
	for range 4_000 {
		most := []int{7, 15, 31, 63, 127, 150}[r.IntN(6)]
		var text []byte
		var ends []uint32
		n := 1 + r.IntN(30)
		cut := r.IntN(n)
		for i := range n {
			text = append(text, strings.Repeat("x", r.IntN(most))...)
			if i == cut {
				s := sequences[r.IntN(len(sequences))]
				at := r.IntN(len(s) + 1)
				ends = append(ends, uint32(len(text)+at))
				text = append(text, s...)
				continue
			}
			if r.IntN(4) == 0 {
				text = append(text, "é"...)
			}
			ends = append(ends, uint32(len(text)))
		}
		f.Reset(append(text, make([]byte, r.IntN(2)*400)...))
		start := uint32(0)
		for _, end := range ends {
			f.Push(start, end)
			start = end
		}
		if r.IntN(2) == 0 { // some of the rows are elsewhere
			i := r.IntN(n)
			s, e := f.Start[i], f.End[i]
			f.Start[i] = uint32(len(f.Decoded)) | InDecoded
			f.Decoded = append(f.Decoded, text[s:e]...)
			f.End[i] = uint32(len(f.Decoded))
			f.Decoded = append(f.Decoded, make([]byte, r.IntN(2)*200)...)
		}
		got, errs := appendFuzzed(t, &dfa.Column{}, Options{}, &f)
		restore := noInstructions()
		want, wantErrs := appendFuzzed(t, &dfa.Column{}, Options{}, &f)
		restore()
		if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
			t.Fatalf("%q, ends %d: %s", text, ends, difference(&f, got, want, errs, wantErrs))
		}
	}
}

// Rounds with invalid UTF-8, mended where they have it, against rows that are checked one by one.
func TestMendedTexts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		col := dfa.Column{Required: rapid.Bool().Draw(rt, "required"), Nulls: []string{"-"}}
		opt := Options{UTF8: rapid.SampledFrom([]dfa.UTF8Policy{dfa.RejectUTF8, dfa.ReplaceUTF8}).Draw(rt, "policy")}
		pieces := append([]string{"", "-", "plain", "a longer text of more than eight bytes", "\uFFFD"}, sequences...)
		var all, one *Converter
		for _, c := range []**Converter{&all, &one} {
			var err error
			if *c, err = NewConverter(&col, opt); err != nil {
				rt.Fatal(err)
			}
		}
		got, want := NewColumn(&col.Type), NewColumn(&col.Type)
		for range 2 { // the second is put behind the first
			var f Fields
			for range rapid.IntRange(0, 40).Draw(rt, "rows") {
				f.PushDecoded([]byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 3).Draw(rt, "row"), "")))
			}
			errs := all.Append(got, &f, nil)
			oracle := one.impl.(*text)
			oracle.replaced = oracle.replaced[:0]
			if wanted := oracle.checkRows(one, want, &f, nil); !slices.Equal(errs, wanted) {
				rt.Fatalf("errors %v, want %v", errs, wanted)
			}
			var rows, wantedRows []int64
			all.EachReplaced(&f, func(row int, nbytes int64) { rows = append(rows, int64(row), nbytes) })
			one.EachReplaced(&f, func(row int, nbytes int64) { wantedRows = append(wantedRows, int64(row), nbytes) })
			if !slices.Equal(rows, wantedRows) || all.Replaced() != one.Replaced() {
				rt.Fatalf("rows %v replaced, want %v", rows, wantedRows)
			}
		}
		if !bytes.Equal(got.Data, want.Data) || !slices.Equal(got.Offsets, want.Offsets) || got.Nulls != want.Nulls || !bytes.Equal(got.Valid, want.Valid) {
			rt.Fatalf("%q %v %08b, want %q %v %08b", got.Data, got.Offsets, got.Valid, want.Data, want.Offsets, want.Valid)
		}
	})
}

// TestUTF8Errors: errors show at bytes that are not UTF-8 or up to three behind them, and nowhere else; of three bytes in a
// row before and behind such a one, and it, one shows.
func TestUTF8Errors(t *testing.T) {
	sets(t, func(t *testing.T, _ func(func())) {
		if !hasAVX2 {
			t.Skip("this set has no code for it")
		}
		rng := rand.New(rand.NewPCG(11, 12))
		for range 10_000 {
			n, odd, most := (1+rng.IntN(12))*UTF8Block, 1+rng.IntN(60), rng.IntN(14)
			data, free := guard.Bytes(n, rng.IntN(2) == 0)
			for at := 0; at < n; {
				s := sequences[rng.IntN(1+most)]
				if rng.IntN(odd) == 0 {
					s = sequences[rng.IntN(len(sequences))]
				}
				if rng.IntN(200) == 0 {
					s = strings.Repeat("x", rng.IntN(5*UTF8Block)) + s[:1]
				}
				if rng.IntN(50) == 0 { // what is begun in the last bytes of a block does not go on in those behind
					s = strings.Repeat("x", UTF8Block-1-(at+rng.IntN(3))%UTF8Block) + s[:max(len(s)-1, 1)] + strings.Repeat("x", 5*UTF8Block)
				}
				at += copy(data[at:], s)
			}
			wrong, shows := make([]bool, n), make([]bool, n)
			for at := 0; at < n; {
				r, size := utf8.DecodeRune(data[at:])
				wrong[at] = r == utf8.RuneError && size == 1
				at += size
			}
			errors := UTF8Errors(slices.Repeat([]uint64{^uint64(0)}, n/UTF8Block)[:0], data)
			for at := range n {
				shows[at] = errors[at/UTF8Block]>>(at%UTF8Block)&1 != 0
			}
			for at := range n {
				from := max(at-3, 0)
				if shows[at] && !slices.Contains(wrong[from:at+1], true) {
					t.Fatalf("%q: an error shows at %d", data, at)
				}
				if at+3 < n && wrong[at] && !slices.Contains(shows[from:at+4], true) {
					t.Fatalf("%q: no error shows at %d", data, at)
				}
			}
			free()
		}
	})
}

// TestSuspects: of rows of any length, cut anywhere, behind others and before the end of memory, all that are not UTF-8 are
// suspects; empty ones, of which there may be many between the parts of a sequence, cost little.
func TestSuspects(t *testing.T) {
	sets(t, func(t *testing.T, _ func(func())) {
		if !hasAVX2 {
			t.Skip("this set has no code for it")
		}
		testSuspects(t)
	})
}

func testSuspects(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var x text
	for range 8_000 {
		var data []byte
		odd, most := 1+rng.IntN(20), 1+rng.IntN(20)
		for range 40 + rng.IntN(300) {
			if rng.IntN(odd) > 0 {
				data = append(data, []string{"x", "é", "€", "😀"}[rng.IntN(4)]...)
			} else {
				s := sequences[rng.IntN(len(sequences))]
				data = append(data, s[:1+rng.IntN(len(s))]...)
			}
		}
		from := int32(rng.IntN(len(data) - UTF8Block))
		offsets := []int32{from}
		for at := int(from); at < len(data); offsets = append(offsets, int32(at)) {
			at = min(at+rng.IntN(most+1), len(data))
		}
		src, free := guard.Bytes(len(data), rng.IntN(2) == 0)
		copy(src, data)
		suspects := x.findSuspects(src, offsets)
		free()
		for row, start := range offsets[:len(offsets)-1] {
			if b := data[start:offsets[row+1]]; !utf8.Valid(b) && suspects[row>>6]>>(row&63)&1 == 0 {
				t.Fatalf("%q from %d on, cut at %d: %q is no suspect", data, from, offsets, b)
			}
		}
	}
	const many = 1 << 17
	for _, rows := range [][]string{{strings.Repeat("é", 40), ""}, {"x\xe2", strings.Repeat("\x82", 60)}, {"x\xe2", strings.Repeat("\x82", 60), strings.Repeat("x", 40)}} {
		offsets := append([]int32{0}, slices.Repeat([]int32{int32(len(rows[0]))}, many)...)
		for _, s := range rows[1:] {
			offsets = append(offsets, offsets[len(offsets)-1]+int32(len(s)))
		}
		began := time.Now()
		x.findSuspects([]byte(strings.Join(rows, "")), offsets)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%d empty rows behind the first of %q took %s", many, rows, took)
		}
	}
}
