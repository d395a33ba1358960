//go:build !amd64

package convert

func integerKernel(int) kernel { return nil }
func floatKernel(int) kernel   { return nil }
func decimalKernel() kernel    { return nil }
