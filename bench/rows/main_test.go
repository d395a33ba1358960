package main

import (
	"io"
	"testing"
)

// TestReadersAgree lets every reader read the same file: measure compares what
// they find.
func TestReadersAgree(t *testing.T) {
	if err := measure(io.Discard, 1<<18, 1); err != nil {
		t.Fatal(err)
	}
}
