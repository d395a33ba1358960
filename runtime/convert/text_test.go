package convert

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestTextOfAnyPlace: fields in the input, decoded, absent and null, in batches
// in any order, give what they give one by one.
func TestTextOfAnyPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for run := range 3000 {
		col := dfa.Column{Name: "c", Type: dfa.Type{Kind: dfa.String}, Required: run%3 == 0}
		if run%2 == 0 {
			col.Nulls = []string{"-", "null", strings.Repeat("n", 70)}
		}
		policy := []dfa.UTF8Policy{dfa.RejectUTF8, dfa.ReplaceUTF8, dfa.KeepUTF8}[r.IntN(3)]
		c, err := NewConverter(&col, Options{UTF8: policy})
		if err != nil {
			t.Fatal(err)
		}
		src := []byte(strings.Repeat("x", r.IntN(40)))
		var f Fields
		var want []string
		for range r.IntN(40) {
			s := []string{"", "-", "null", "text", strings.Repeat("long é ", r.IntN(12)), strings.Repeat("n", 70)}[r.IntN(6)]
			if r.IntN(100) == 0 {
				s += "\xff"
			}
			switch r.IntN(5) {
			case 0:
				f.PushAbsent()
				want = append(want, "null")
				continue
			case 1:
				f.PushDecoded([]byte(s))
			default:
				f.Push(uint32(len(src)), uint32(len(src)+len(s)))
				src = append(src, s...)
			}
			switch {
			case slices.Contains(col.Nulls, s) || policy == dfa.RejectUTF8 && !utf8.ValidString(s):
				want = append(want, "null")
			case policy == dfa.ReplaceUTF8:
				want = append(want, fmt.Sprintf("%q", string([]rune(s))))
			default:
				want = append(want, fmt.Sprintf("%q", s))
			}
		}
		f.Src = append(src, strings.Repeat("y", r.IntN(40))...)
		dst := NewColumn(&col.Type)
		errs := c.Append(dst, &f, nil)
		var got []string
		nulls := 0
		for i := range dst.Len {
			if dst.IsValid(i) {
				got = append(got, fmt.Sprintf("%q", dst.Data[dst.Offsets[i]:dst.Offsets[i+1]]))
			} else {
				got = append(got, "null")
				nulls++
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || nulls != dst.Nulls {
			t.Fatalf("%v, %d null\nwant %v", got, dst.Nulls, want)
		}
		if col.Required && len(errs) != nulls {
			t.Fatalf("%d errors for %d nulls", len(errs), nulls)
		}
	}
}
