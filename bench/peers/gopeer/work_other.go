//go:build !unix

package main

// work is not counted here.
func work() float64 { return 0 }
