//go:build cuda

package gpu

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestKeyedMaps: a map lacks the keys that have columns of their own.
func TestKeyedMaps(t *testing.T) {
	newBench(t)
	spec := compiled(t, "format f {\n record `{n} {more...}`\n fields { n i32  more map(str, pairs ' ', kv '=') }\n keyed more { a str  b i32 }\n}\n")
	in := strings.Repeat("1 a=x b=2 c=3\n2 c=4\n3 b=1\n", 100)
	want := readAll(cpu.Engine, spec.Program, in)
	if got := readAll(New(), spec.Program, in); got != want {
		t.Error(whereOther(got, want))
	}
}
