//go:build !(js && wasm)

package main

import "log"

func main() { log.Fatal("this is for browsers: GOOS=js GOARCH=wasm") }
