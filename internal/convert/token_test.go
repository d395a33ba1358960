package convert

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// compareRows compares what rows become by what is easy, and one by one, where fields are drawn
// from texts.
func compareRows(rt *rapid.T, typ dfa.Type, texts []string) {
	col := dfa.Column{Name: "c", Type: typ, Required: rapid.Bool().Draw(rt, "required"), Trim: rapid.Bool().Draw(rt, "trim")}
	if rapid.Bool().Draw(rt, "null") {
		col.Nulls = []string{rapid.SampledFrom(append(texts, "", "-")).Draw(rt, "token")}
	}
	easy, err := NewConverter(&col, Options{})
	if err != nil {
		rt.Fatal(err)
	}
	f := &Fields{}
	for range rapid.IntRange(0, 40).Draw(rt, "rows") {
		text := rapid.SampledFrom(texts).Draw(rt, "text")
		switch rapid.IntRange(0, 30).Draw(rt, "as") {
		case 0:
			f.PushDecoded([]byte(text))
			continue
		case 1:
			f.PushAbsent()
			continue
		case 2:
			text = rapid.SampledFrom([]string{"", "-", " ", "--"}).Draw(rt, "other")
		case 3:
			text = " " + text
		case 4:
			if b := []byte(text); len(b) > 0 {
				b[rapid.IntRange(0, len(b)-1).Draw(rt, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
				text = string(b)
			}
		case 5:
			text = text[:rapid.IntRange(0, len(text)).Draw(rt, "cut")]
		}
		at := uint32(len(f.Src))
		f.Src = append(f.Src, text...)
		f.Push(at, uint32(len(f.Src)))
		f.Src = append(f.Src, "0a-, "[:rapid.IntRange(0, 5).Draw(rt, "between")]...)
	}
	f.Src = append(f.Src, make([]byte, rapid.SampledFrom([]int{0, 7, 40}).Draw(rt, "behind"))...)
	var apart Fields // the same, of which none is easy
	for i := range f.Len() {
		if b, ok := f.At(i); ok {
			apart.PushDecoded(b)
		} else {
			apart.PushAbsent()
		}
	}
	got, want := NewColumn(&typ), NewColumn(&typ)
	for range 2 {
		gotErrs := easy.Append(got, f, nil)
		wantErrs := easy.Append(want, &apart, nil)
		if !slices.Equal(gotErrs, wantErrs) || !sameColumn(got, want) {
			rt.Fatal(difference(f, got, want, gotErrs, wantErrs))
		}
	}
}

// TestTokenWords: tokens that are found by words are those that parse finds.
func TestTokenWords(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		short := rapid.Bool().Draw(rt, "short")
		token := rapid.OneOf(rapid.StringMatching("[ab]{1,8}"), rapid.StringMatching("[a-z]{1,4}"))
		if !short {
			token = rapid.OneOf(token, rapid.StringMatching("a{0,9}b?[ab]{0,2}a{1,9}"), rapid.Custom(func(rt *rapid.T) string {
				return strings.Repeat("x", rapid.IntRange(1, 40).Draw(rt, "n")) + rapid.SampledFrom([]string{"", "y", "xy"}).Draw(rt, "end")
			}))
		}
		tokens := rapid.SliceOfNDistinct(token, 1, rapid.SampledFrom([]int{4, 40, 200}).Draw(rt, "most"), func(s string) string { return s }).Draw(rt, "tokens")
		if rapid.Bool().Draw(rt, "bool") && len(tokens) > 1 {
			compareRows(rt, dfa.Type{Kind: dfa.Bool, True: tokens[:1], False: tokens[1:]}, tokens)
			return
		}
		compareRows(rt, dfa.Type{Kind: dfa.Enum, Tokens: tokens}, tokens)
	})
}

// TestManyTokens: none of many tokens is lost, and those that are too many for a table are looked for otherwise.
func TestManyTokens(t *testing.T) {
	for _, n := range []int{1, 33, mostTokens, mostTokens + 1} {
		var tokens []string
		var f Fields
		for i := range n {
			tokens = append(tokens, fmt.Sprint("a token ", i))
		}
		for _, s := range tokens {
			f.Push(uint32(len(f.Src)), uint32(len(f.Src)+len(s)))
			f.Src = append(f.Src, s...)
		}
		f.Src = append(f.Src, "        "...)
		c, err := NewConverter(&dfa.Column{Type: dfa.Type{Kind: dfa.Enum, Tokens: tokens}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		dst := NewColumn(c.typ)
		if errs := c.Append(dst, &f, nil); len(errs) > 0 {
			t.Fatal(errs)
		}
		for i, v := range columns.ValuesOf[int32](dst.Fixed) {
			if int(v) != i {
				t.Fatalf("%d tokens: %q is %d", n, tokens[i], v)
			}
		}
		if p := c.impl.(*fixed[int32]); (p.run == nil) != (n > mostTokens) {
			t.Errorf("%d tokens: a table %t", n, p.run != nil)
		}
	}
}

// TestBoolInAnyCase: every way to write true and false.
func TestBoolInAnyCase(t *testing.T) {
	texts := append(inAnyCase("1", "t", "y", "on", "yes", "true"), inAnyCase("0", "f", "n", "no", "off", "false")...)
	rapid.Check(t, func(rt *rapid.T) { compareRows(rt, dfa.Type{Kind: dfa.Bool}, texts) })
}

// TestImpliedPoints: digits with an implied point, by words and digit by digit.
func TestImpliedPoints(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		precision := rapid.IntRange(1, 38).Draw(rt, "precision")
		typ := dfa.Type{Kind: dfa.Decimal, Precision: precision, Scale: rapid.IntRange(0, precision).Draw(rt, "scale"), Implied: true}
		if rapid.Bool().Draw(rt, "thousands") {
			typ.Thousands = ','
		}
		compareRows(rt, typ, rapid.SliceOfN(rapid.StringMatching("[-+]?[0-9]{1,20}|[0-9]{1,3}(,[0-9]{3}){1,3}|-|0{1,17}"), 1, 10).Draw(rt, "texts"))
	})
}
