//go:build cuda

package gpu

import (
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestMeasureOfPaths: what the fused path cannot read, here since each row has an escape that stands for
// another symbol, is measured on the general path, and that is said.
func TestMeasureOfPaths(t *testing.T) {
	newBench(t)
	const rows = 3000
	for _, x := range []struct {
		format, row string
		left        int64
		stage       string // of its path
		told        bool
	}{
		{"mysql_tab", "12345\t\\N\tsome words\n", rows, "partition", true},
		{"mysql_tab", "12345\tN.\tsome words\n", 0, "fused", false},
	} {
		spec, err := formats.Spec(x.format)
		if err != nil {
			t.Fatal(err)
		}
		m, err := runtime.Measure([]byte(strings.Repeat(x.row, rows)), spec.Program, 1, runtime.WithEngine(New()))
		if err != nil {
			t.Errorf("%q: %v", x.row, err)
			continue
		}
		told := slices.ContainsFunc(m.Notes, func(note string) bool { return strings.Contains(note, "the fused path cannot read this") })
		staged := slices.ContainsFunc(m.Stages, func(s runtime.StageTime) bool { return s.Name == x.stage })
		if m.Rows != rows || m.Left != x.left || told != x.told || !staged {
			t.Errorf("%q: %d rows, %d left, stages %v, %q", x.row, m.Rows, m.Left, m.Stages, m.Notes)
		}
	}
}
