package compile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
)

// BenchmarkCompile compiles built-in formats, which programs do when they
// start.
func BenchmarkCompile(b *testing.B) {
	dir := filepath.Join("..", "formats", "spec")
	resolve := func(name string) (*compile.File, error) {
		src, err := os.ReadFile(filepath.Join(dir, name+".dfp"))
		if err != nil {
			return nil, err
		}
		return compile.Parse(name+".dfp", src)
	}
	for _, name := range []string{"csv", "apache_combined", "syslog_rfc5424", "w3c"} {
		b.Run(name, func(b *testing.B) {
			src, err := os.ReadFile(filepath.Join(dir, name+".dfp"))
			if err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				if _, err := compile.Compile(name+".dfp", src, compile.WithResolver(resolve)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
