package cpu

import "testing"

// onEach runs f with all that the machine has, and with less. What it has not is
// skipped, with the reason. Short runs have two legs, the best one and Go: what a leg
// computes is compared by the others, and what starts goroutines around it is the same.
func onEach(t *testing.T, f func(t *testing.T)) {
	bmi, avx2, vbmi2, lanes := hasBMI, hasAVX2, hasVBMI2, hasLanes
	defer func() { hasBMI, hasAVX2, hasVBMI2, hasLanes = bmi, avx2, vbmi2, lanes }()
	best := true
	for _, leg := range []struct {
		name                   string
		have                   bool
		lacks                  string
		bmi, avx2, vbmi2, lane bool
	}{
		{"AVX512", lanes, "AVX-512 with DQ, VL, VBMI, VBMI2 and VPCLMULQDQ", true, true, true, true},
		{"VBMI2", vbmi2, "AVX-512 with BW, VBMI and VBMI2", true, true, true, false},
		{"AVX2", avx2, "AVX2 with BMI1, BMI2, PCLMULQDQ and POPCNT", true, true, false, false},
		{"BMI", bmi, "BMI1 and POPCNT", true, false, false, false},
		{"Go", true, "", false, false, false, false},
	} {
		t.Run(leg.name, func(t *testing.T) {
			if !leg.have {
				t.Skipf("this machine has no %s", leg.lacks)
			}
			if testing.Short() && !best && leg.name != "Go" {
				t.Skip("long runs have it")
			}
			best = false
			hasBMI, hasAVX2, hasVBMI2, hasLanes = leg.bmi, leg.avx2, leg.vbmi2, leg.lane
			f(t)
		})
	}
}
