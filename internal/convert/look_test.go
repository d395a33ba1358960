package convert

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// Numbers as most are written.
var (
	usualInteger = regexp.MustCompile(`^(-?[1-9]\d*|0)$`)
	usualFloat   = regexp.MustCompile(`^-?((0|[1-9]\d*)(\.\d*)?|\.\d+)$`)
)

// usual reports whether nobody needs to look at a value that converts.
func usual(t *testing.T, typ *dfa.Type, b []byte) bool {
	switch typ.Kind {
	case dfa.Int64, dfa.Uint64:
		return usualInteger.Match(b)
	case dfa.Float64:
		return usualFloat.Match(b) && len(bytes.Trim(bytes.Replace(b, []byte("."), nil, 1), "-")) <= 15
	case dfa.Timestamp:
		r, err := newClockReader(typ, Options{BaseTime: base}, isoTimestamp)
		if err != nil {
			t.Fatal(err)
		}
		return r.understand(b) && r.m.second < 60
	}
	return false
}

// TestLook: who looks sees all that is not usual, whatever converts it, and what is converted is the
// same. Of what is usual little is seen where there is a kernel.
func TestLook(t *testing.T) {
	numbers := func(r *rand.Rand) string {
		return []string{"0", "-0", "00", "007", "-7", "-07", "0.5", ".5", "-.5", "00.5", "-0.5", "-00.5", "5.", "0.", "05.", "123456789012345", "1234567890123456", "1234567.12345678",
			"12345678.12345678", "0000000000000001", "0.00000000000001", "01234567", "012345678", "00000000", "-0000000", "1e5", "+5", "12345678", "123456789", "-12345678", "-1234567"}[r.IntN(31)]
	}
	sets(t, func(t *testing.T, without func(func())) {
		for i, v := range vectored {
			r := rand.New(rand.NewPCG(7, uint64(i)))
			c, err := NewConverter(&dfa.Column{Type: v.typ}, Options{BaseTime: base, Look: func(*Fields) {}})
			if err != nil {
				t.Fatal(err)
			}
			p, ok := c.impl.(interface{ looks() bool })
			picks := ok && p.looks()
			unseen := 0
			for round := range 200 {
				plain := v.plain
				if round&4 == 4 && v.typ.Kind >= dfa.Int8 && v.typ.Kind <= dfa.Float64 {
					plain = numbers
				}
				f, free := column(r, r.IntN(150), plain, []float64{0, 0.02, 0.5}[round%3])
				col := &dfa.Column{Type: v.typ, Trim: round&2 == 2}
				seen := map[string]bool{}
				look := Options{BaseTime: base, Look: func(f *Fields) {
					for i := range f.Len() {
						b, _ := f.At(i)
						seen[string(trimBlanks(b))] = true
					}
				}}
				for _, set := range []func(func()){func(f func()) { f() }, without} {
					clear(seen)
					set(func() {
						got, gotErrs := appendFuzzed(t, col, look, f)
						want, wantErrs := appendFuzzed(t, col, Options{BaseTime: base}, f)
						if !sameColumn(got, want) || !slices.Equal(gotErrs, wantErrs) {
							t.Fatalf("%s: %s", Name(&v.typ), difference(f, got, want, gotErrs, wantErrs))
						}
						for row := range f.Len() {
							b, ok := f.At(row)
							if b = trimBlanks(b); !ok || seen[string(b)] {
								continue
							}
							unseen++
							if !picks || !got.IsValid(row) || !usual(t, &v.typ, b) {
								t.Errorf("%s: %q is not seen", Name(&v.typ), b)
							}
						}
					})
				}
				free()
			}
			wants := map[dfa.TypeKind]bool{dfa.Int64: true, dfa.Uint64: true, dfa.Float64: v.typ.Point == 0, dfa.Timestamp: !v.typ.Epoch}[v.typ.Kind]
			if picks != wants || wants && unseen < 500 {
				t.Errorf("%s: %d fields are not seen", Name(&v.typ), unseen)
			}
		}
	})
}
