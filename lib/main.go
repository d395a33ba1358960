//go:build cgo && (linux || darwin)

// Package main is libdfaparse, a shared library for programs that speak C:
// go build -buildmode=c-shared -o libdfaparse.so ./lib. Its interface is dfaparse.h,
// and the Python package loads it.
//
//	caller ─▶ dfaparse.c ─▶ call.go ─▶ format.go, reader.go ─▶ the root package
//	   ▲                                        │ arrow.Record, in Go's memory
//	   └── struct ArrowArray, in C's ◀── export.go, block.c
//
// Batches are copied into memory of C, one block each. Go's may not be kept by C, and an
// array that were released by Go could not be released in a process that has forked.
package main

import "C"

func main() {}
