package runtime_test

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// failingMemory fails at the call number at, counted from 0.
type failingMemory struct {
	memory.Allocator
	calls, at int
	how       string
}

var errMemory = errors.New("no memory")

func (m *failingMemory) fail(n int, f func() []byte) []byte {
	if m.calls++; m.calls-1 != m.at {
		return f()
	}
	switch m.how {
	case "nil":
		return nil
	case "text":
		panic("no memory")
	}
	panic(errMemory)
}

func (m *failingMemory) Allocate(n int) []byte {
	return m.fail(n, func() []byte { return m.Allocator.Allocate(n) })
}

func (m *failingMemory) Reallocate(n int, b []byte) []byte {
	return m.fail(n, func() []byte { return m.Allocator.Reallocate(n, b) })
}

// TestAllocatorFails: an allocator that fails, at whatever call and however, is an
// error of the Reader. What it gave before is given back, and no goroutine stays.
func TestAllocatorFails(t *testing.T) {
	p := spec(t, `delimited { sep ','  quote '"' doubled } fields { a i64!  b str  c list(str, sep ';')  d dict  e enum(x y)?  f map(str)? }`)
	var in strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&in, "%d,t%d,a;b;%d,d%d,x,k=%d\n", i, i, i, i%5, i)
	}
	before := goruntime.NumGoroutine()
	for _, how := range []string{"error", "text", "nil"} {
		for _, threads := range []int{1, 3} {
			for at := 0; ; at++ {
				checked := memory.NewCheckedAllocator(memory.DefaultAllocator)
				mem := &failingMemory{Allocator: checked, at: at, how: how}
				r, err := runtime.NewReader(strings.NewReader(in.String()), p, runtime.WithEngine(cpu.Engine), runtime.WithAllocator(mem), runtime.WithThreads(threads),
					runtime.WithPartitionSize(20000), runtime.WithBatchSize(700))
				if err != nil {
					t.Fatal(err)
				}
				rows := int64(0)
				for r.Next() {
					rows += r.Record().NumRows()
				}
				err = r.Err()
				r.Release()
				checked.AssertSize(t, 0)
				if mem.calls <= at {
					if err != nil || rows != 3000 {
						t.Errorf("%s, %d threads: %d rows, %v", how, threads, rows, err)
					}
					break
				}
				if err == nil || !strings.Contains(err.Error(), "the allocator gave no") || errors.Is(err, errMemory) != (how == "error") {
					t.Fatalf("%s, %d threads, call %d: %d rows, %v", how, threads, at, rows, err)
				}
			}
		}
	}
	settle(t, before)
}
