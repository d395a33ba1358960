package convert

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/guard"
)

// TestShortIntegers: columns of integers of few digits, with some that are another, decoded or absent, or near the end
// of the input, are what they are one by one.
func TestShortIntegers(t *testing.T) {
	defer noInstructions()()
	r := rand.New(rand.NewPCG(7, 8))
	for run := range 4000 {
		kind := []dfa.TypeKind{dfa.Int8, dfa.Uint8, dfa.Int16, dfa.Uint16, dfa.Int32, dfa.Uint32, dfa.Int64, dfa.Uint64}[run%8]
		col := dfa.Column{Name: "c", Type: dfa.Type{Kind: kind}}
		c, err := NewConverter(&col, Options{})
		if err != nil {
			t.Fatal(err)
		}
		most, odd := 1+r.IntN(6), 1+r.IntN(200)
		var f Fields
		var text []byte
		for range r.IntN(300) {
			number := fmt.Sprint(r.IntN([]int{10, 100, 1000, 10000, 100000, 1000000}[r.IntN(most)]))
			if r.IntN(20) == 0 {
				number = "0" + number
			}
			if r.IntN(odd) == 0 {
				number = []string{"", "-1", "-", "-123", "1x", "12/4", "1:34", ":", "12 ", " 1", "+5", "65535", "65536", "4294967296", "1.5"}[r.IntN(15)]
			}
			switch kind := r.IntN(3 * odd); kind {
			case 0:
				f.PushAbsent()
			case 1:
				f.PushDecoded([]byte(number))
			default:
				f.Push(uint32(len(text)), uint32(len(text)+len(number)))
				text = append(text, number...)
			}
			if r.IntN(4) == 0 {
				text = append(text, "99,-"[:1+r.IntN(4)]...)
			}
		}
		src, free := guard.Bytes(len(text), run%3 == 0)
		copy(src, text)
		f.Src = src
		got, want := NewColumn(&col.Type), NewColumn(&col.Type)
		errs := c.Append(got, &f, nil)
		var wantErrs []FieldError
		for i := range f.Len() {
			one := f
			one.Start, one.End = f.Start[i:i+1], f.End[i:i+1]
			wantErrs = c.Append(want, &one, wantErrs)
		}
		if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
			t.Fatalf("%v, run %d: %s", kind, run, difference(&f, got, want, errs, wantErrs))
		}
		free()
	}
}
