package convert

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// compareRound wants of fields in one round what each gives elsewhere, where no
// kernel reaches.
func compareRound(t *testing.T, typ dfa.Type, fields []string) {
	t.Helper()
	var here, elsewhere Fields
	here.Src = append(here.Src, "padding of 32 symbols, see kernel"...)
	for _, s := range fields {
		here.Push(uint32(len(here.Src)), uint32(len(here.Src)+len(s)))
		here.Src = append(here.Src, s...)
		elsewhere.PushDecoded([]byte(s))
	}
	here.Src = append(here.Src, "padding of 32 symbols, see kernel"...)
	col := &dfa.Column{Type: typ}
	a, errsA := appendFuzzed(t, col, Options{BaseTime: base}, &here)
	b, errsB := appendFuzzed(t, col, Options{BaseTime: base}, &elsewhere)
	if !sameColumn(a, b) || !slices.Equal(errsA, errsB) {
		t.Fatalf("%s: %s", Name(&typ), difference(&here, a, b, errsA, errsB))
	}
}

// Every text of up to four of the symbols that matter, in front of six digits
// too, so that the dot is in either window.
func TestShortNumbers(t *testing.T) {
	const symbols = "0159.-+/:e\xb5"
	var texts []string
	all := []string{""}
	for range 4 {
		var longer []string
		for _, s := range all {
			for _, c := range []byte(symbols) {
				longer = append(longer, s+string([]byte{c}))
			}
		}
		texts, all = append(texts, longer...), longer
	}
	sets(t, func(t *testing.T, _ func(func())) {
		for _, typ := range []dfa.Type{{Kind: dfa.Int8}, {Kind: dfa.Int64}, {Kind: dfa.Uint16}, {Kind: dfa.Float32}, {Kind: dfa.Float64},
			{Kind: dfa.Decimal, Precision: 5, Scale: 2}, {Kind: dfa.Decimal, Precision: 18, Scale: 7}} {
			for _, around := range []string{"%s", "%s987654", "12.4%s", "-7654%s3219"} {
				var fields []string
				for _, s := range texts {
					fields = append(fields, fmt.Sprintf(around, s))
				}
				if around == "%s" { // a group has one way
					for _, s := range texts {
						fields = append(fields, slices.Repeat([]string{s}, groupRows)...)
					}
				}
				// In part, so that the kernel is tried on all.
				for part := range slices.Chunk(fields, 64) {
					compareRound(t, typ, part)
				}
			}
		}
	})
}

// The ends of every month of every year, and days that it lacks.
func TestEveryDay(t *testing.T) {
	sets(t, func(t *testing.T, without func(func())) {
		col := &dfa.Column{Type: dfa.Type{Kind: dfa.Date}}
		for century := range 100 {
			if testing.Short() && century > 21 {
				break
			}
			var f Fields
			f.Src = append(f.Src, "padding of 32 symbols, see kernel"...)
			for y := 100 * century; y < 100*century+100; y++ {
				for m := 1; m <= 12; m++ {
					for d := 27; d <= 32; d++ {
						f.Push(uint32(len(f.Src)), uint32(len(f.Src)+10))
						f.Src = fmt.Appendf(f.Src, "%04d-%02d-%02d", y, m, d)
					}
					f.Push(uint32(len(f.Src)), uint32(len(f.Src)+10))
					f.Src = fmt.Appendf(f.Src, "%04d-%02d-01", y, m)
				}
			}
			fast, errs := appendFuzzed(t, col, Options{}, &f)
			without(func() {
				slow, slowErrs := appendFuzzed(t, col, Options{}, &f)
				if !sameColumn(fast, slow) || !slices.Equal(errs, slowErrs) {
					t.Fatal(difference(&f, fast, slow, errs, slowErrs))
				}
			})
		}
	})
}

// Every time of day, and those just beyond.
func TestEveryTime(t *testing.T) {
	var fields []string
	for h := range 30 {
		for m := range 61 {
			for s := 0; s <= 61; s += 1 + h%7 {
				fields = append(fields, fmt.Sprintf("%02d:%02d:%02d", h, m, s))
			}
		}
	}
	sets(t, func(t *testing.T, _ func(func())) {
		for _, unit := range []dfa.Unit{dfa.Second, dfa.Millisecond, dfa.Microsecond, dfa.Nanosecond} {
			for part := range slices.Chunk(fields, 1000) {
				compareRound(t, dfa.Type{Kind: dfa.Time, Unit: unit}, part)
			}
		}
	})
}
