package runtime_test

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// One shape of several: its columns, its records; the others are counted as dropped.
func TestWithShape(t *testing.T) {
	spec, err := compile.Compile("x.dfp", []byte("format x { record a `A{x}` record b `B{y}:{x}` shape kind }"))
	if err != nil {
		t.Fatal(err)
	}
	in := "A1\nB2:3\nB4:5\n\nC\n"
	for shape, want := range map[string][4]int64{"": {3, 1, 1, 3}, "a": {1, 3, 1, 2}, "b": {2, 2, 1, 3}} {
		r, err := runtime.NewReader(strings.NewReader(in), spec.Program, runtime.WithEngine(cpu.Engine), runtime.WithShape(shape))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		s := r.Stats()
		got := [4]int64{s.Rows, s.Account.Dropped.Records, s.Rejected, int64(r.Schema().NumFields())}
		if got != want {
			t.Errorf("shape %q: rows, dropped, rejected, columns %v, want %v", shape, got, want)
		}
		r.Release()
	}
	_, err = runtime.NewReader(strings.NewReader(in), spec.Program, runtime.WithEngine(cpu.Engine), runtime.WithShape("c"))
	if err == nil || !strings.Contains(err.Error(), `format x has no shape "c"; it has a, b`) {
		t.Error(err)
	}
}
