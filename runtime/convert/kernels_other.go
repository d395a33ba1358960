//go:build !amd64

package convert

func integerKernel(int) kernel   { return nil }
func floatKernel(int) kernel     { return nil }
func decimalKernel() kernel      { return nil }
func isoTimestampKernel() kernel { return nil }
func webTimestampKernel() kernel { return nil }
func isoDateKernel() kernel      { return nil }
func timeKernel(int) kernel      { return nil }
