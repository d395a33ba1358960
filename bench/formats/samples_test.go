package main

import (
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/internal/gen"
)

// TestSamples has a sample of each format, of which every record can be read, and
// one of the tests of each spec: a new format needs no code here.
func TestSamples(t *testing.T) {
	all, err := allSamples()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all {
		names = append(names, s.format)
		measurable(t, s)
	}
	for _, name := range gen.AllFormats() {
		if !slices.Contains(names, name) {
			t.Errorf("there is no sample of %s", name)
		}
		spec, err := gen.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ofTests(spec)
		if err != nil {
			t.Fatal(err)
		}
		measurable(t, s)
	}
}

func measurable(t *testing.T, s sample) {
	t.Helper()
	p, data, err := s.load(100 << 10)
	if err != nil {
		t.Fatalf("%s: %v", s.format, err)
	}
	stats, err := readAll(p, data)
	if err != nil || stats.Rows < 100 || stats.Rejected > 0 {
		t.Errorf("%s, %s: %+v, %v", s.format, s.what, stats, err)
	}
}
