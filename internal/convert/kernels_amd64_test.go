package convert

import (
	"fmt"
	"math/rand/v2"
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

// TestPlainRowsAreTaken wants vector code for rows one by one, and that in Go for UUIDs, to take those that are plain, up to the
// first that is near the end of src.
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
	sets(t, func(t *testing.T, without func(func())) {
		runWithout := func(out [][16]byte, f *Fields, i int) (n int) {
			without(func() { n = runUUIDs(out, f, i) })
			return n
		}
		for _, c := range []struct {
			name  string
			rows  func(out [][16]byte, f *Fields, i int) int
			plain func(r *rand.Rand) string
			reach int // symbols from the begin of a row on
			have  bool
		}{{"addresses", addressRows, address, 16, hasBits}, {"uuids", uuidRows, uuid, 36, true}, {"uuids in Go", runWithout, uuid, 36, true}} {
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
			all := append(f.Src, "          "...)
			out := make([][16]byte, f.Len())
			for cut := range 60 {
				f.Src = all[:len(all)-cut]
				want := 0
				for want < f.Len() && int(f.Start[want])+c.reach <= len(f.Src) {
					want++
				}
				if n := c.rows(out, &f, cut); n != want {
					b, _ := f.At(min(n, want))
					t.Errorf("%s from row %d on are taken up to row %d, want %d; behind them is %q", c.name, cut, n, want, b)
				}
			}
			clear(out)
			few := Fields{Src: all, Start: f.Start[:7], End: f.End[:7]}
			if n := c.rows(out, &few, 0); n != few.Len() || out[n] != [16]byte{} {
				t.Errorf("of %d %s %d are taken, and %x is behind them", few.Len(), c.name, n, out[n])
			}
		}
	})
}
