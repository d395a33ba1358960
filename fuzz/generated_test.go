package fuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// TestGeneratedConform reads generated inputs of many strips and batches, whole
// and damaged here and there, in several ways.
func TestGeneratedConform(t *testing.T) {
	ways := []setting{
		{"reference", 1, whole, whole}, {"cpu", 1, whole, whole}, {"cpu", 1, whole, 10_000},
		{"cpu", 2, 5000, whole}, {"cpu", 3, 777, 70_000},
	}
	size := int64(300 << 10)
	if testing.Short() {
		size = 100 << 10
	}
	kinds := map[string]string{"apache_combined": "combined"} // by format
	for _, name := range gen.AllFormats() {
		if slices.Contains(gen.Kinds(), name) {
			kinds[name] = name
		}
	}
	for _, name := range []string{"csv_lax", "stations", "stations_dict"} {
		kinds[name] = "1brc"
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var in strings.Builder
			if err := gen.Write(&in, kind, size, 7); err != nil {
				t.Fatal(err)
			}
			p := program(t, name)
			conform(t, "as generated", p, in.String(), dfa.Reject, ways)
			rng := rand.New(rand.NewPCG(1, 2))
			for damage := range 6 {
				b := []byte(in.String())
				for range 1 << damage {
					b[len(b)/8+rng.IntN(len(b)*7/8)] = "\",|\n\r\\ x9[]"[rng.IntN(11)]
				}
				conform(t, fmt.Sprintf("%d bytes damaged", 1<<damage), p, string(b), dfa.Reject, ways)
			}
		})
	}
}
