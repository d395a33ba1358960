package gen_test

import (
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/gen"
)

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

// BenchmarkCompile compiles every format, without its tests, and reports the least
// time: other programs may run beside.
func BenchmarkCompile(b *testing.B) {
	for _, name := range gen.AllFormats() {
		b.Run(name, func(b *testing.B) {
			best := time.Hour
			for b.Loop() {
				began := time.Now()
				compileOne(b, name)
				best = min(best, time.Since(began))
			}
			b.ReportMetric(float64(best.Microseconds())/1000, "least-ms")
		})
	}
}
