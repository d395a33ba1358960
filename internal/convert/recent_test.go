package convert

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestRecent compares columns that keep values with columns that do not, of texts that look alike, of few and of many
// of them, so that rows are looked up, and left, and looked up again.
func TestRecent(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, typ := range []dfa.Type{{Kind: dfa.Float64}, {Kind: dfa.Float32}, {Kind: dfa.Decimal, Precision: 9, Scale: 2}} {
		looked := 0
		for range 40 {
			col := &dfa.Column{Type: typ}
			with, err := NewConverter(col, Options{})
			if err != nil {
				t.Fatal(err)
			}
			without, err := NewConverter(col, Options{})
			if err != nil {
				t.Fatal(err)
			}
			with.impl.(keeping).keep(true)
			without.impl.(keeping).keep(false)
			values := make([]string, 1+r.IntN(30))
			for i := range values {
				text := make([]byte, r.IntN(11))
				for k := range text {
					text[k] = "0011885.\x00-+"[r.IntN(8+r.IntN(4))]
				}
				values[i] = string(text)
			}
			rare := r.IntN(40)
			for range 4 {
				var f Fields
				for range 1 + r.IntN(2000) {
					value := values[r.IntN(len(values))]
					if r.IntN(40) < rare {
						value = string(rune('1'+r.IntN(9))) + "." + string(rune('0'+r.IntN(10))) + string(rune('0'+r.IntN(10)))
					}
					s := uint32(len(f.Src))
					f.Src = append(append(f.Src, value...), ',')
					f.Push(s, s+uint32(len(value)))
				}
				f.Src = append(f.Src, "tail of it"[:r.IntN(10)]...)
				got, want := NewColumn(&typ), NewColumn(&typ)
				errs, wanted := with.Append(got, &f, nil), without.Append(want, &f, nil)
				if !slices.Equal(errs, wanted) || !bytes.Equal(got.Fixed, want.Fixed) || got.Nulls != want.Nulls {
					t.Fatalf("%v: columns differ, of %q", typ.Kind, values)
				}
			}
			looked += with.impl.(keeping).kept()
		}
		if looked == 0 {
			t.Errorf("%v: nothing has been kept", typ.Kind)
		}
	}
}

// keeping is a column that may keep values.
type keeping interface {
	keep(on bool) // goes without vector code, and keeps values or not
	kept() int    // how many
}

func (p *fixed[T]) keep(on bool) {
	p.vectors.kernel, p.recent = nil, nil
	if on {
		p.remember()
	}
}

func (p *fixed[T]) kept() (n int) {
	for i := range p.recent.slots {
		if p.recent.slots[i].key != 0 {
			n++
		}
	}
	return n
}
