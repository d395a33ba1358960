package infer

import (
	"bytes"
	"testing"

	"github.com/dfaparse/dfaparse/internal/gen"
)

// benchInput is 10 MiB of a kind, as people have them at hand.
func benchInput(b *testing.B, kind string) string {
	var out bytes.Buffer
	if err := gen.Write(&out, kind, 10<<20, 1); err != nil {
		b.Fatal(err)
	}
	return out.String()
}

func BenchmarkGuess(b *testing.B) {
	for _, kind := range []string{"taxi", "lineitem", "yelp"} {
		in := []byte(benchInput(b, kind))
		b.Run(kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Guess(in[:SampleBytes], false, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkInfer(b *testing.B) {
	for _, kind := range []string{"taxi", "lineitem", "yelp"} {
		in := benchInput(b, kind)
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := inferText(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
