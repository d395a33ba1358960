package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestPace: much is collected where records are alike, and where there are some kinds of them.
func TestPace(t *testing.T) {
	program, err := gen.Program("syslog_rfc3164")
	if err != nil {
		t.Fatal(err)
	}
	const plain, marked = "Jan 13 09:47:02 h sudo: a\n", "<34>Dec  3 09:23:38 h automount[7998]: b\n"
	for _, test := range []struct {
		name, in string
		most     int
	}{
		{"one kind", strings.Repeat(plain, 8000), maxAbreast},
		{"two kinds", strings.Repeat(plain+marked, 4000), maxAbreast},
		{"two kinds, then one", strings.Repeat(plain+marked, 4000) + strings.Repeat(plain, 12000), maxAbreast},
	} {
		p, binding := alone(t, program)
		nrows := readText(t, p, binding, test.in)
		if n := strings.Count(test.in, "\n"); nrows != n {
			t.Errorf("%s: %d rows, want %d", test.name, nrows, n)
		}
		if most := p.workers[0].hopper.most; most > test.most || most < test.most/4 {
			t.Errorf("%s: %d are collected at once, want up to %d", test.name, most, test.most)
		}
	}
}

// TestFeeds compares the ways to list line feeds with their definition.
func TestFeeds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const group, most = 5, maxAbreast
	for range 2000 {
		var places []uint32
		per := 1 + r.IntN(40)
		for range r.IntN(1000) {
			g := uint32(r.IntN(group))
			if r.IntN(per) == 0 {
				g = group
			}
			places = append(places, (placeMark|g)<<placeGroup|uint32(r.IntN(placeOffset)))
		}
		from, limit := r.IntN(len(places)+1), r.IntN(most+1)
		var start, first []uint32
		for j := from; j < len(places) && len(start) < limit; j++ {
			if places[j]>>placeGroup&63 == group {
				start, first = append(start, places[j]&placeOffset+1), append(first, uint32(j+1))
			}
		}
		for name, list := range map[string]func([]uint32, int, uint32, []uint32, []uint32, int) int{"vectors": feeds, "Go": feedsGeneric} {
			var gotStart, gotFirst [most + 16]uint32
			n := min(list(places, from, (placeMark|group)<<placeGroup, gotStart[:], gotFirst[:], limit), limit)
			if !slices.Equal(gotStart[:n], start) || !slices.Equal(gotFirst[:n], first) {
				t.Fatalf("%s: %d of %d from %d: %v, %v, want %v, %v", name, limit, len(places), from, gotStart[:n], gotFirst[:n], start, first)
			}
		}
	}
}

// TestAcrossLimit: no record is read twice where the CR LF before it lies across the end of a chunk, and a window ends
// before the next record does, so that another begins behind the chunk.
func TestAcrossLimit(t *testing.T) {
	spec, err := compile.Compile("f.dfp", []byte("format f { record `{a} {b}/{c} {d}` rest more }"))
	if err != nil {
		t.Fatal(err)
	}
	smallHops(t, 2*blockSize, 1)
	warmRecords = 8
	rng := rand.New(rand.NewPCG(43, 44))
	var text []byte
	for range 60 {
		text = fmt.Appendf(text, "a b%s/c d\r\n", strings.Repeat("b", rng.IntN(50)))
	}
	want := outcomeOf(t, spec.Program, text, runtime.WithEngine(reference.Engine))
	step := 1
	if testing.Short() {
		step = 7
	}
	for chunk := blockSize; chunk < len(text); chunk += step {
		if got := outcomeOf(t, spec.Program, text, runtime.WithEngine(Engine), runtime.WithThreads(2), runtime.WithChunkSize(chunk)); got != want {
			t.Fatalf("chunks of %d: %s\nwant\n%s", chunk, got, want)
		}
	}
}
