package convert

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestPresent: rounds in which many rows are absent, empty or null tokens, or decoded, give what each row gives by
// itself, in columns that have no kernel.
func TestPresent(t *testing.T) {
	t.Run("as it is", testPresent)
	defer noInstructions()()
	t.Run("no vectors", testPresent)
}

func testPresent(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	kinds := []struct {
		typ   dfa.Type
		plain func(r *rand.Rand) string
	}{
		{dfa.Type{Kind: dfa.Enum, Tokens: []string{"in", "out", "-x", "0"}}, oneOf("in", "out", "-x", "0", "other")},
		{dfa.Type{Kind: dfa.Enum, Tokens: []string{"inbound and long", "out"}}, oneOf("inbound and long", "out")},
		{dfa.Type{Kind: dfa.Duration, Layout: "clock", Unit: dfa.Second}, oneOf("1:02:03", "00:35:46", "7:08", "99:59", "1:60:00", "123:00:00", "0:00.5")},
		{dfa.Type{Kind: dfa.Duration, Layout: "go", Unit: dfa.Millisecond}, oneOf("1h2m", "35ms", "0", "1ns")},
		{dfa.Type{Kind: dfa.Time, Unit: dfa.Second, Layout: "%H:%M"}, oneOf("07:15", "23:59", "24:00", "7:05")},
		{dfa.Type{Kind: dfa.Dictionary}, oneOf("in", "out", "0", "a token of many symbols", "\xff", "é")},
		{dfa.Type{Kind: dfa.Int32}, oneOf("0", "7", "12345", "-999", "1x", "99999999999")},
		{dfa.Type{Kind: dfa.Float64}, oneOf("0", "7.5", "-1e300", "-999", "nan", "x", "12345.678")},
	}
	used, usedTokens := 0, 0
	for run := range 900 {
		k := kinds[run%len(kinds)]
		col := &dfa.Column{Name: "c", Type: k.typ, Nulls: [][]string{nil, {"-"}, {"0", "n/a"}, {"", "-999", "out"}}[r.IntN(4)], Required: r.IntN(8) == 0}
		if r.IntN(8) == 0 {
			col.Default, col.HasDefault = k.plain(r), true
		}
		fast, err := NewConverter(col, Options{})
		if err != nil {
			continue // of the default
		}
		plain, err := NewConverter(col, Options{Plain: true})
		if err != nil {
			t.Fatal(err)
		}
		got, want := NewColumn(&k.typ), NewColumn(&k.typ)
		for round := range 4 {
			missing := []int{0, 3, 10, 30}[r.IntN(4)] // of thirty
			f, free := column(r, r.IntN(200), func(r *rand.Rand) string { return k.plain(r) }, []float64{0, 0.1}[r.IntN(2)])
			for i := range f.Len() {
				if r.IntN(30) < missing {
					switch token := append(col.Nulls, "")[r.IntN(len(col.Nulls)+1)]; r.IntN(4) {
					case 0:
						f.Start[i], f.End[i] = Absent, 0
					case 1:
						f.set(i, []byte(token))
						if r.IntN(8) == 0 {
							f.literally(Literal{Row: uint32(i), Start: f.Start[i]})
						}
					default:
						if n := uint32(len(token)); f.Start[i] < InDecoded && f.End[i]-f.Start[i] >= n {
							copy(f.Src[f.Start[i]:], token)
							f.End[i] = f.Start[i] + n
						}
					}
				}
			}
			for decoded := r.IntN(11); r.IntN(2) == 0; decoded = 10 { // of ten rows
				for i := range f.Len() {
					if b, ok := f.At(i); ok && r.IntN(10) < decoded {
						f.set(i, slices.Clone(b))
					}
				}
			}
			if r.IntN(4) == 0 { // values are written over others
				got.Reset()
				want.Reset()
			}
			errs, wantErrs := fast.Append(got, f, nil), plain.Append(want, f, nil)
			if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
				t.Fatalf("run %d, %s, %+v, round %d: %s", run, Name(&k.typ), col, round, roundDifference(f, got, want, errs, wantErrs))
			}
			free()
		}
		if p, ok := fast.impl.(*fixed[int64]); ok {
			used += asBit(len(p.present.values) > 0)
		}
		if p, ok := fast.impl.(*dictionary); ok {
			usedTokens += asBit(len(p.present.values) > 0)
		}
	}
	if used == 0 || usedTokens == 0 {
		t.Fatal("no rows were read apart from those that are null")
	}
}
