package convert

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
