package convert

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/guard"
)

// TestTextOfAnyPlace: fields in the input, decoded, absent and null, in rounds
// in any order, give what they give one by one; with vector code and without.
func TestTextOfAnyPlace(t *testing.T) {
	t.Run("as it is", testTextOfAnyPlace)
	defer noInstructions()()
	t.Run("no vectors", testTextOfAnyPlace)
}

func testTextOfAnyPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for run := range 3000 {
		col := dfa.Column{Name: "c", Type: dfa.Type{Kind: dfa.String}, Required: run%3 == 0}
		if run%2 == 0 {
			col.Nulls = []string{"-", "null", strings.Repeat("n", 70), ""}[:2+run/2%3]
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
			s := []string{"", "-", "null", "text", strings.Repeat("long é ", r.IntN(12)), strings.Repeat("n", 70), strings.Repeat("longer", r.IntN(50))}[r.IntN(7)]
			if r.IntN(100) == 0 {
				s += "\xff"
			}
			place := r.IntN(5)
			if run%5 < 2 {
				place = 4 // all in the input
			}
			switch place {
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
		f.Src = append(src, strings.Repeat("y", r.IntN([]int{40, 400}[run%2]))...)
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

// FuzzText: with and without vector code, texts are the same, whatever they are,
// wherever they lie.
func FuzzText(f *testing.F) {
	f.Add([]byte(strings.Repeat("some text - and - more of it, - é -", 20)), uint64(1), uint8(0), true)
	f.Add([]byte(strings.Repeat("-", 400)), uint64(2), uint8(1), true)
	f.Add([]byte(strings.Repeat("NA\xff0123456789", 40)), uint64(3), uint8(2), false)
	f.Fuzz(func(t *testing.T, src []byte, seed uint64, policy uint8, nulls bool) {
		if len(src) > 1<<13 {
			return
		}
		col := &dfa.Column{Required: policy&4 != 0}
		if nulls {
			col.Nulls = []string{"-", "NA", "", strings.Repeat("-", 70)}[policy>>3&1:]
		}
		opt := Options{UTF8: dfa.UTF8Policy(policy % 3)}
		r := rand.New(rand.NewPCG(seed, 0))
		memory, free := guard.Bytes(len(src), policy&16 != 0)
		defer free()
		copy(memory, src)
		fields := Fields{Src: memory}
		most := []int{1, 3, 20, 40, 70, 150, 300}[r.IntN(7)]
		for at := 0; at < len(src); {
			n := min(r.IntN(most+1), len(src)-at)
			switch r.IntN(20) {
			case 0:
				fields.PushAbsent()
			case 1:
				fields.PushDecoded(src[at : at+n])
			default:
				fields.Push(uint32(at), uint32(at+n))
			}
			at += max(n, 1)
		}
		restore := noInstructions()
		want, wantErrs := appendFuzzed(t, col, opt, &fields)
		restore()
		got, errs := appendFuzzed(t, col, opt, &fields)
		if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
			t.Fatal(difference(&fields, got, want, errs, wantErrs))
		}
	})
}
