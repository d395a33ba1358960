//go:build !amd64

package convert

// instructionSet is what kernels are written for: there are none.
type instructionSet struct {
	name string
	have bool
	use  func(only bool)
	none func()
}

func instructionSets() []instructionSet { return nil }

func noInstructions() (restore func()) { return func() {} }
