package formats

import (
	"runtime"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
)

// What loading a format may take of memory: how long it takes cannot be held by a test on
// a machine that does other things too, and what made formats slow to load was what was
// made on the way to their tables.
const (
	maxLoaded      = 7 << 20
	maxAllocations = 57_000
)

// TestLoad bounds what it takes to load each format.
func TestLoad(t *testing.T) {
	load := func(name string) {
		src, err := Source(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compile.Compile(name+ext, src, compile.WithFormat(name), compile.WithResolver(Resolve)); err != nil {
			t.Fatal(err)
		}
	}
	load("csv") // and with it what is made once
	for _, name := range Names() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		load(name)
		runtime.ReadMemStats(&after)
		if n, m := after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs; n > maxLoaded || m > maxAllocations {
			t.Errorf("%s: %d bytes in %d allocations, at most %d in %d", name, n, m, maxLoaded, maxAllocations)
		}
	}
}
