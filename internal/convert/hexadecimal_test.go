package convert

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestHexRuns: hexadecimal numbers that a loop reads are what they are one by one, and it leaves what is none.
func TestHexRuns(t *testing.T) {
	t.Run("u64", hexRuns[uint64](dfa.Uint64))
	t.Run("i64", hexRuns[int64](dfa.Int64))
	t.Run("u16", hexRuns[uint16](dfa.Uint16))
	t.Run("i8", hexRuns[int8](dfa.Int8))
}

func hexRuns[T integer](kind dfa.TypeKind) func(*testing.T) {
	form := formOf[T](&dfa.Type{Kind: kind, Base16: true})
	return func(t *testing.T) {
		read := 0
		rapid.Check(t, func(rt *rapid.T) {
			digits := rapid.StringOfN(rapid.SampledFrom([]rune("0123456789abcdefABCDEF0001fF")), 0, 18, -1)
			value := rapid.OneOf(digits, digits, digits, rapid.Map(digits, func(s string) string { return "0x" + s }),
				rapid.StringOfN(rapid.SampledFrom([]rune("09afAF/:@G`g\x10\x19\x00xX-+\u00ff")), 0, 18, -1))
			var f Fields
			var src []byte
			values := rapid.SliceOfN(value, 1, 20).Draw(rt, "values")
			for _, v := range values {
				f.Push(uint32(len(src)), uint32(len(src)+len(v)))
				src = append(src, v...)
			}
			f.Src = src[:len(src):len(src)]
			out := make([]T, len(values))
			for i := 0; i < len(values); i++ {
				to := runHex(out, &f, i)
				for ; i < to; i++ {
					v, code := form.parse([]byte(values[i]))
					if code != OK || out[i] != T(v) {
						rt.Fatalf("%q is %v, want %v, %v", values[i], out[i], T(v), code)
					}
					read++
				}
			}
		})
		if read == 0 {
			t.Error("no number is read")
		}
	}
}
