package gen_test

import (
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// most is how long a spec of this size may take to compile.
const most = 5 * time.Millisecond

// compileOne compiles one of AllFormats anew, without its tests.
func compileOne(tb testing.TB, name string) {
	tb.Helper()
	src, err := gen.Source(name)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := compile.Compile(name+".dfp", src, compile.WithResolver(formats.Resolve)); err != nil {
		tb.Fatal(err)
	}
}

// TestCompileTime: the least of many times, as other programs may run beside. On a
// machine of half the speed, or under the race detector, it would take longer: then
// the bound is what a spec of one column takes, times as much as it usually is.
func TestCompileTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while on a busy machine")
	}
	one := func() {
		if _, err := compile.Compile("x.dfp", []byte("format x { delimited { sep ',' quote '\"' doubled } fields { a u8 } }")); err != nil {
			t.Fatal(err)
		}
	}
	bound := max(most, 16*least(0, one))
	for _, name := range gen.AllFormats() {
		if took := least(bound, func() { compileOne(t, name) }); took > bound {
			t.Errorf("%s takes %v, want at most %v", name, took, bound)
		}
	}
}

// least is the least time that f took, tried until one is within a bound.
func least(bound time.Duration, f func()) time.Duration {
	best := time.Hour
	for range 100 {
		began := time.Now()
		f()
		if best = min(best, time.Since(began)); best <= bound {
			break
		}
	}
	return best
}

// BenchmarkCompile compiles every format, without its tests, and reports the least time.
func BenchmarkCompile(b *testing.B) {
	for _, name := range gen.AllFormats() {
		b.Run(name, func(b *testing.B) {
			best := time.Hour
			for b.Loop() {
				best = min(best, least(time.Hour, func() { compileOne(b, name) }))
			}
			b.ReportMetric(float64(best.Microseconds())/1000, "least-ms")
		})
	}
}
