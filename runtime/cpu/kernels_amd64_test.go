package cpu

import "testing"

// onEach runs f with all that the machine has, and with less. What it has not is
// skipped, with the reason.
func onEach(t *testing.T, f func(t *testing.T)) {
	avx2, vbmi2, lanes := hasAVX2, hasVBMI2, hasLanes
	defer func() { hasAVX2, hasVBMI2, hasLanes = avx2, vbmi2, lanes }()
	for _, leg := range []struct {
		name              string
		have              bool
		lacks             string
		avx2, vbmi2, lane bool
	}{
		{"AVX512", lanes, "AVX-512 with DQ, VL, VBMI, VBMI2 and VPCLMULQDQ", true, true, true},
		{"VBMI2", vbmi2, "AVX-512 with BW and VBMI2", true, true, false},
		{"AVX2", avx2, "AVX2 with BMI1, BMI2, PCLMULQDQ and POPCNT", true, false, false},
		{"Go", true, "", false, false, false},
	} {
		t.Run(leg.name, func(t *testing.T) {
			if !leg.have {
				t.Skipf("this machine has no %s", leg.lacks)
			}
			hasAVX2, hasVBMI2, hasLanes = leg.avx2, leg.vbmi2, leg.lane
			f(t)
		})
	}
}
