package symbols

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// testBlocks is how many blocks are looked through at once.
const testBlocks = 64

// TestWords compares what is found in words with the set itself: sets of few symbols
// and of many, of ranges, rare symbols and frequent ones, beside their neighbours.
func TestWords(t *testing.T) { onEach(t, testWords) }

func testWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	ways := map[string]int{}
	for range 2000 {
		var set dfa.Set
		for range rng.IntN(6) {
			set = set.Union(dfa.Bytes(byte(rng.IntN(256))))
		}
		for range max(rng.IntN(6)-3, 0) {
			first := rng.IntN(256)
			for c := first; c < min(first+rng.IntN(200), 256); c++ {
				set = set.Union(dfa.Bytes(byte(c)))
			}
		}
		if rng.IntN(10) == 0 {
			set = dfa.Set{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()}
		}
		near := []byte{'x'}
		for c := range 256 {
			if set.Has(byte(c)) {
				near = append(near, byte(c), byte(c+1), byte(c-1), byte(c^0x80))
			}
		}
		src, every := make([]byte, Block*rng.IntN(testBlocks+1)), 1+rng.IntN(60)
		for i := range src {
			if src[i] = byte(rng.Uint32()); rng.IntN(every) == 0 {
				src[i] = near[rng.IntN(len(near))]
			} else if every > 1 && rng.IntN(every) != 0 {
				src[i] = 'x'
			}
		}
		x := NewWords(set)
		switch {
		case len(x.ranges) > 1 || len(x.symbols) > 2*maxInWords:
			ways["many"]++
		case len(x.ranges) > 0:
			ways["ranges"]++
		default:
			ways["symbols"]++
		}
		got := make([]uint64, len(src)/Block)
		for i := range got {
			got[i] = rng.Uint64()
		}
		often := make([]uint64, len(got))
		x.findOften(often, src)
		some := x.Find(got, src)
		if !slices.Equal(often, got) {
			t.Fatalf("%v in %q: %x, of those that come often %x", set, src, got, often)
		}
		for i, b := range src {
			is := got[i/Block]>>(i%Block)&1 == 1
			if is != set.Has(b) {
				t.Fatalf("symbol %#x at %d of %d, in %v: %v", b, i, len(src), set, is)
			}
			if is && !some {
				t.Fatalf("symbol %#x is there, but there are none of %v", b, set)
			}
		}
	}
	for _, way := range []string{"many", "ranges", "symbols"} {
		if ways[way] < 50 {
			t.Errorf("only %d sets are looked for as %s", ways[way], way)
		}
	}
}

// BenchmarkWords looks for sets without vector code.
func BenchmarkWords(b *testing.B) {
	line := "2,2018-01-01 00:13:03,2018-01-01 00:25:17,5,1.99,1,N,79,230,1,8,0.5,0.5,1.86,0,0.3,11.16\n"
	src := make([]byte, testBlocks*Block)
	for i := range src {
		src[i] = line[i%len(line)]
	}
	for _, set := range []struct {
		name string
		of   dfa.Set
	}{
		{"absent", dfa.Bytes('"')},
		{"rare", dfa.Bytes('\n')},
		{"1", dfa.Bytes(',')},
		{"2", dfa.Bytes(',', '0')},
		{"csv", dfa.Bytes(',', '\n', '\r', '"')},
		{"3", dfa.Bytes(',', '0', ':')},
		{"4", dfa.Bytes(',', '0', ':', '2')},
		{"range", dfa.Bytes('0', '1', '2', '3')},
		{"table", dfa.Bytes('0', '2', '4', 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, ',', ':')},
	} {
		b.Run(set.name, func(b *testing.B) {
			x, dst := NewWords(set.of), make([]uint64, testBlocks)
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				x.Find(dst, src)
			}
		})
	}
}
