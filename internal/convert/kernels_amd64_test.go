package convert

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// instructionSet is what kernels are written for. use(false) brings back what
// the machine has.
type instructionSet struct {
	name string
	have bool
	use  func(only bool)
	none func()
}

func instructionSets() []instructionSet {
	was512, wasVBMI, was2 := hasAVX512, hasVBMI, hasAVX2
	use := func(avx512, vbmi, avx2 bool) func(bool) {
		return func(only bool) {
			hasAVX512, hasVBMI, hasAVX2 = was512, wasVBMI, was2
			if only {
				hasAVX512, hasVBMI, hasAVX2 = avx512, vbmi, avx2
			}
		}
	}
	none := func() { hasAVX512, hasVBMI, hasAVX2 = false, false, false }
	return []instructionSet{
		{"VBMI2", wasVBMI, use(true, true, true), none},
		{"AVX512", was512, use(true, false, true), none},
		{"AVX2", was2, use(false, false, true), none},
	}
}

func noInstructions() (restore func()) {
	was512, wasVBMI, was2 := hasAVX512, hasVBMI, hasAVX2
	hasAVX512, hasVBMI, hasAVX2 = false, false, false
	return func() { hasAVX512, hasVBMI, hasAVX2 = was512, wasVBMI, was2 }
}

// TestPlainRowsAreTaken wants vector code for rows one by one to leave none that is plain and not near the end of src.
func TestPlainRowsAreTaken(t *testing.T) {
	address := func(r *rand.Rand) string {
		return fmt.Sprintf("%d.%d.%d.%d", r.IntN(256), r.IntN(256)>>r.IntN(8), r.IntN(256)>>r.IntN(8), r.IntN(256))
	}
	uuid := func(r *rand.Rand) string {
		for {
			s := plainUUID(r)
			if _, code := parseUUID([]byte(s)); code == OK && len(s) == 36 {
				return s
			}
		}
	}
	sets(t, func(t *testing.T, _ func(func())) {
		for _, c := range []struct {
			name   string
			rows   func(out [][16]byte, f *Fields, i int) int
			plain  func(r *rand.Rand) string
			behind int // symbols that have to be behind the last row
			have   bool
		}{{"addresses", addressRows, address, 16, hasBits}, {"uuids", uuidRows, uuid, 0, true}} {
			if !c.have {
				continue
			}
			r := rand.New(rand.NewPCG(5, 6))
			var f Fields
			for range 300 {
				f.Src = append(f.Src, " ,;"[:r.IntN(3)]...)
				s := c.plain(r)
				f.Push(uint32(len(f.Src)), uint32(len(f.Src)+len(s)))
				f.Src = append(f.Src, s...)
			}
			f.Src = append(f.Src, strings.Repeat(" ", c.behind)...)
			out := make([][16]byte, f.Len())
			for _, from := range []int{0, 7} {
				if n := c.rows(out, &f, from); n != f.Len() {
					b, _ := f.At(n)
					t.Errorf("%s from row %d on: row %d, %q, is left", c.name, from, n, b)
				}
			}
		}
	})
}
