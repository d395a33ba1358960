//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestTileSums: texts of which tiles add up the lengths are the CPU's, whichever tiles the record
// that a flight does not end lies in, and whatever texts are read by themselves.
func TestTileSums(t *testing.T) { byMasks(t, testTileSums) }

func testTileSums(t *testing.T) {
	const tile = tileSymbols
	spec, err := compile.Compile("sums.dfp", []byte(
		`format f { delimited { sep ',' quote '"' doubled } header none fields { a str  b i32  c str!  d str  e str } }`))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 31))
		most := []int{5, 300, 9000}[seed%3] // symbols of a text
		odd := seed/3 == 1                  // some are quoted, empty, or no UTF-8
		text := func() string {
			s := strings.Repeat("x", 4+rng.IntN(most-4)*rng.IntN(4)/3)
			if odd && rng.IntN(200) == 0 {
				s = []string{"", s + "\xff", s + "é", `"` + s + `"`, `"` + s + `"""`, `"` + s + "\n" + `"`}[rng.IntN(6)]
			}
			return s
		}
		var in strings.Builder
		for in.Len() < 60_000 {
			end := "\n"
			if odd && rng.IntN(1000) == 0 {
				end = "\r\n"
			}
			fmt.Fprintf(&in, "%s,%d,%s,%s,%s%s", text(), 10+rng.IntN(90), text(), text(), text(), end)
		}
		if odd { // that many blocks check, and find wrong
			fmt.Fprintf(&in, "a,1,%s\xff,d,e\na,2,c,d,e\n", strings.Repeat("x", 40<<10))
		}
		by := int64(0)
		for _, flight := range []int{tile + 64, 2*tile + 40, 1 << 20} {
			e := &openEngine{Engine: New(WithFlight(flight))}
			read := func(e runtime.Engine) string {
				rows, stats, err := readRows(e, spec.Program, in.String(), runtime.WithErrorMode(dfa.Null))
				return rows + fmt.Sprint(stats, err)
			}
			if got, want := read(e), read(cpu.Engine); got != want {
				t.Errorf("seed %d, flights of %d: %.3000s", seed, flight, firstDifference(got, want))
			}
			by += e.counted.FlightsByMasks
		}
		if by == 0 {
			t.Errorf("seed %d: no flight by masks", seed)
		}
	}
}
