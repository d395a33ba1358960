package convert

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestTrim: what is left of a field without blanks is what trimBlanks leaves.
func TestTrim(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte(" \t \t \t\x00\x01\x0b\x1fa\x89\xa0\xff")), 0, 60).Draw(rt, "bytes")
		s := rapid.IntRange(0, len(b)).Draw(rt, "from")
		e := rapid.IntRange(s, len(b)).Draw(rt, "to")
		from, to := trim(b, uint32(s), uint32(e))
		if got, want := b[from:to], trimBlanks(b[s:e]); string(got) != string(want) || len(want) > 0 && &got[0] != &want[0] {
			rt.Fatalf("%q[%d:%d] is cut to %q, want %q", b, s, e, got, want)
		}
	})
}

// TestTrimmedColumns: a column that trims has the values that it has of fields without
// blanks, for fields in the input, decoded and absent, and null tokens.
func TestTrimmedColumns(t *testing.T) {
	for _, typ := range []dfa.Type{{}, {Kind: dfa.Int64}, {Kind: dfa.Float64}, {Kind: dfa.Dictionary}, {Kind: dfa.Decimal, Precision: 12, Scale: 2}, {Kind: dfa.Bool}} {
		rapid.Check(t, func(rt *rapid.T) {
			texts := []string{"", " ", "7", " 7", "7 ", "\t 12.5   ", "            -3", "x", " n", "n", "- ", "          a text of words          ", "                                                                  \t \tx", " " + strings.Repeat("y", 62) + "\t", strings.Repeat("\t ", 32), "true "}
			col := dfa.Column{Name: "c", Type: typ, Trim: true, Required: rapid.Bool().Draw(rt, "required"), Nulls: []string{"n", "- ", ""}[:rapid.IntRange(0, 3).Draw(rt, "tokens")]}
			plain := col
			plain.Trim = false
			a, err := NewConverter(&col, Options{})
			if err != nil {
				rt.Fatal(err)
			}
			b, err := NewConverter(&plain, Options{})
			if err != nil {
				rt.Fatal(err)
			}
			var f, g Fields
			for range rapid.IntRange(0, 40).Draw(rt, "rows") {
				text := []byte(rapid.SampledFrom(texts).Draw(rt, "text"))
				cut := trimBlanks(text)
				switch rapid.IntRange(0, 5).Draw(rt, "where") {
				case 0:
					f.PushDecoded(text)
					g.PushDecoded(cut)
				case 1:
					f.PushAbsent()
					g.PushAbsent()
				default:
					at := uint32(len(f.Src))
					f.Src = append(f.Src, text...)
					f.Push(at, uint32(len(f.Src)))
					at = uint32(len(g.Src))
					g.Src = append(g.Src, cut...)
					g.Push(at, uint32(len(g.Src)))
				}
			}
			f.Src = append(f.Src, make([]byte, rapid.SampledFrom([]int{0, 30, 100}).Draw(rt, "behind"))...)
			got, want := NewColumn(&typ), NewColumn(&typ)
			gotErrs, wantErrs := a.Append(got, &f, nil), b.Append(want, &g, nil)
			if !a.trim {
				rt.Fatal("it trims no more")
			}
			if fmt.Sprint(gotErrs) != fmt.Sprint(wantErrs) || fmt.Sprint(got.Valid, got.Nulls, got.Fixed, got.Offsets, string(got.Data)) != fmt.Sprint(want.Valid, want.Nulls, want.Fixed, want.Offsets, string(want.Data)) {
				rt.Fatalf("%q: %v %+v, want %v %+v", f.Src, gotErrs, got, wantErrs, want)
			}
		})
	}
}

// TestTrimBesideLiterals: a blank around a field is no part of its value where another row is a literal, which keeps
// its own: not where it might be a decimal point either, or where a layout begins with one.
func TestTrimBesideLiterals(t *testing.T) {
	for _, v := range []struct {
		typ  dfa.Type
		text string
	}{
		{dfa.Type{Kind: dfa.Float64, Point: ' '}, " 5"},
		{dfa.Type{Kind: dfa.Decimal, Precision: 12, Scale: 2, Point: ' '}, " 5"},
		{dfa.Type{Kind: dfa.Date, Layout: " %d.%m.%Y"}, " 01.02.2000"},
		{dfa.Type{}, " a"},
	} {
		for _, literals := range []int{0, 1, 2} {
			col := dfa.Column{Type: v.typ, Trim: true, Nulls: []string{"NA"}}
			var f, trimmed Fields
			for row := range 40 {
				if row < literals {
					for _, g := range []*Fields{&f, &trimmed} {
						g.PushDecoded([]byte([]string{"NA", v.text}[row]))
						g.literally(Literal{Row: uint32(row), Start: g.Start[row]})
					}
					continue
				}
				f.Push(uint32(len(f.Src)), uint32(len(f.Src)+len(v.text)))
				f.Src = append(f.Src, v.text...)
				trimmed.PushDecoded([]byte(v.text)[1:])
			}
			f.literally(Literal{Row: uint32(f.Len())}) // of a record that is left out
			got, gotErrs := appendFuzzed(t, &col, Options{}, &f)
			col.Trim = false
			want, wantErrs := appendFuzzed(t, &col, Options{}, &trimmed)
			if !sameColumn(got, want) || !slices.Equal(gotErrs, wantErrs) {
				t.Errorf("%s, %d literals: %s", Name(&v.typ), literals, difference(&f, got, want, gotErrs, wantErrs))
			}
		}
	}
}

// TestBareDates: 20060102 in the input, which has a loop of its own, is the date that it is
// elsewhere.
func TestBareDates(t *testing.T) {
	col := dfa.Column{Name: "c", Type: dfa.Type{Kind: dfa.Date, Layout: "%Y%m%d"}}
	c, err := NewConverter(&col, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var in, elsewhere Fields
		in.Src = []byte("        ")
		for range rapid.IntRange(1, 30).Draw(rt, "rows") {
			b := fmt.Appendf(nil, "%04d%02d%02d", rapid.SampledFrom([]int{0, 1, 1899, 1970, 2000, 2023, 2024, 9999}).Draw(rt, "year"), rapid.IntRange(0, 13).Draw(rt, "month"), rapid.IntRange(0, 32).Draw(rt, "day"))
			switch rapid.IntRange(0, 9).Draw(rt, "odd") {
			case 0:
				b[rapid.IntRange(0, 7).Draw(rt, "at")] = rapid.SampledFrom([]byte("/: -x\xb1\x00")).Draw(rt, "symbol")
			case 1:
				b = append(b[:rapid.IntRange(0, 8).Draw(rt, "length")], rapid.SampledFrom([]string{"", "1"}).Draw(rt, "more")...)
			}
			in.Push(uint32(len(in.Src)), uint32(len(in.Src)+len(b)))
			in.Src = append(in.Src, b...)
			elsewhere.PushDecoded(b)
		}
		got, want := NewColumn(&col.Type), NewColumn(&col.Type)
		gotErrs, wantErrs := c.Append(got, &in, nil), c.Append(want, &elsewhere, nil)
		if fmt.Sprint(gotErrs, got.Valid, got.Fixed) != fmt.Sprint(wantErrs, want.Valid, want.Fixed) {
			rt.Fatalf("%q: %v %v, want %v %v", in.Src, gotErrs, got, wantErrs, want)
		}
	})
}
