package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestSamples has a sample for each built-in format, of which every record can
// be read.
func TestSamples(t *testing.T) {
	var names []string
	for _, s := range samples {
		names = append(names, s.format)
		p, err := formats.Program(s.format)
		if err != nil {
			t.Fatal(err)
		}
		data, err := s.make(100 << 10)
		if err != nil {
			t.Fatal(err)
		}
		r, err := runtime.NewReader(bytes.NewReader(data), p, runtime.WithEngine(cpu.Engine))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		if r.Err() != nil || r.Stats().Rows < 100 || r.Stats().Rejected > 0 {
			t.Errorf("%s: %+v, %v", s.format, r.Stats(), r.Err())
		}
		r.Release()
	}
	want := formats.Names()
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("there are samples of %v, formats are %v", names, want)
	}
}
