//go:build !amd64

package convert

// instructionSet is what kernels are written for: this processor has none.
type instructionSet struct {
	name string
	have bool
	use  func(only bool)
	none func()
}

func instructionSets() []instructionSet {
	use, none := func(bool) {}, func() {}
	return []instructionSet{{"AVX512", false, use, none}, {"VBMI2", false, use, none}, {"AVX2", false, use, none}}
}

func noInstructions() (restore func()) { return func() {} }
