package convert

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestGrouped: numbers with separators of thousands, in groups or anywhere, are what they are one by one, in rounds that
// have them and in rounds that do not; with vector code and without.
func TestGrouped(t *testing.T) {
	t.Run("as it is", testGrouped)
	defer noInstructions()()
	t.Run("no vectors", testGrouped)
}

func testGrouped(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	types := []dfa.Type{
		{Kind: dfa.Int16}, {Kind: dfa.Uint32}, {Kind: dfa.Int64}, {Kind: dfa.Decimal, Precision: 14, Scale: 2}, {Kind: dfa.Decimal, Precision: 30, Scale: 3},
		{Kind: dfa.Float64}, {Kind: dfa.Float32}, {Kind: dfa.Int32, Base16: true}, {Kind: dfa.Decimal, Precision: 9, Scale: 2, Implied: true},
	}
	copied := 0
	for run := range 600 {
		typ := types[r.IntN(len(types))]
		typ.Thousands, typ.Point = ',', '.'
		if pair := r.IntN(4); pair < 3 {
			typ.Thousands, typ.Point = ".' "[pair], ','
		}
		col := &dfa.Column{Name: "c", Type: typ, Nulls: [][]string{nil, {"-"}, {"1" + string(typ.Thousands) + "000", "n/a"}}[r.IntN(3)]}
		fast, err := NewConverter(col, Options{})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := NewConverter(col, Options{Plain: true})
		if err != nil {
			t.Fatal(err)
		}
		got, want := NewColumn(&typ), NewColumn(&typ)
		for round := range 5 {
			strange := []int{0, 2, 30}[r.IntN(3)] // of a hundred
			group := []int{3, 3, 2, 1}[r.IntN(4)]
			odd := string(typ.Thousands) + string(typ.Point) + "-+e0199ax\x89\xff"
			f, free := column(r, r.IntN(300), func(r *rand.Rand) string {
				var b []byte
				if r.IntN(3) == 0 {
					b = append(b, '-')
				}
				digits := 1 + r.IntN(1+r.IntN(16))
				for k := range digits {
					if b = append(b, '0'+byte(r.IntN(10))); (digits-1-k)%group == 0 && k < digits-1 && round != 2 {
						b = append(b, typ.Thousands)
					}
				}
				if r.IntN(3) == 0 {
					b = append(b, typ.Point)
					for range r.IntN(1 + r.IntN(16)) {
						b = append(b, '0'+byte(r.IntN(10)))
					}
				}
				for r.IntN(100) < strange {
					if at := r.IntN(len(b)); r.IntN(2) == 0 {
						b[at] = odd[r.IntN(len(odd))]
					} else {
						b = slices.Insert(b, at, odd[r.IntN(len(odd))])
					}
				}
				return string(b)
			}, []float64{0, 0.02, 0.3}[r.IntN(3)])
			errs, wantErrs := fast.Append(got, f, nil), plain.Append(want, f, nil)
			if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
				t.Fatalf("run %d, %s, round %d: %s", run, Name(&typ), round, roundDifference(f, got, want, errs, wantErrs))
			}
			free()
		}
		if p, ok := fast.impl.(*fixed[int64]); ok && p.grouped != nil && len(p.grouped.bare.Start) > 0 {
			copied++
		}
	}
	if copied == 0 {
		t.Fatal("no fields were copied")
	}
}
