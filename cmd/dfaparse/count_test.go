package main

import (
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
)

// TestCountsOfEmpty: inputs that are empty stand where they were named, up to the one at which reading has ended.
func TestCountsOfEmpty(t *testing.T) {
	args, empty := []string{"e", "a", "e", "f", "b", "g"}, []string{"e", "e", "f", "g"}
	for read, want := range [][]string{{"e"}, {"e", "a", "e", "f"}, args} {
		var c counts
		for i, input := range []string{"a", "b"}[:read] {
			c.add(input, runtime.Stats{Rows: int64(i + 1)})
		}
		c.addEmpty(args, empty)
		if !slices.Equal(c.inputs, want) {
			t.Errorf("after %d inputs: %q, want %q", read, c.inputs, want)
		}
		for i, input := range c.inputs {
			if n := map[string]int64{"a": 1, "b": 2}[input]; c.rows[i] != n {
				t.Errorf("%q: %d rows, want %d", input, c.rows[i], n)
			}
		}
	}
}
