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
	slices.Sort(names)
	if want := gen.AllFormats(); !slices.Equal(names, want) {
		t.Errorf("there are samples of %v, formats are %v", names, want)
	}
	for _, name := range names {
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
	p, err := gen.Program(s.format)
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.make(100 << 10)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := readAll(p, data)
	if err != nil || stats.Rows < 100 || stats.Rejected > 0 {
		t.Errorf("%s, %s: %+v, %v", s.format, s.what, stats, err)
	}
}
