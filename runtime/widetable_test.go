package runtime_test

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestMemoryOfManyColumns: what a partition takes beside its bytes grows with the columns, not with their square.
func TestMemoryOfManyColumns(t *testing.T) {
	allocated := func(ncolumns int) uint64 {
		var names []string
		for i := range ncolumns {
			names = append(names, fmt.Sprintf("c%d", i))
		}
		in := []byte(strings.Join(names, ",") + "\n" + strings.Repeat(strings.Repeat("text,", ncolumns-1)+"text\n", 2_000_000/5/ncolumns))
		spec, err := compile.Compile("wide.dfp", []byte("format wide { delimited { sep ','  quote '\"' doubled } header names }"))
		if err != nil {
			t.Fatal(err)
		}
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		r, err := runtime.ReadBytes(in, spec.Program, runtime.WithEngine(cpu.Engine), runtime.WithThreads(2), runtime.WithPartitionSize(256<<10))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		for r.Next() {
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		goruntime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const times = 8
	if few, many := allocated(500), allocated(times*500); many > times*few {
		t.Errorf("%d bytes are allocated for 500 columns, %d for %d times as many, in as many bytes of input", few, many, times)
	}
}
