package symbols

import (
	"math/rand/v2"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// TestSet compares what is found with the set itself: any sets of symbols, in texts of any
// length, with each kind of code that the machine runs.
func TestSet(t *testing.T) { onEach(t, testSet) }

func testSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var set dfa.Set
		for i := range set {
			set[i] = rng.Uint64() & rng.Uint64()
		}
		src := make([]byte, rng.IntN(200))
		for i := range src {
			src[i] = byte(rng.Uint32())
		}
		got := make([]uint64, len(src)/Block+1)
		NewSet(set).Find(got, src)
		for i, b := range src {
			if is := got[i/Block]>>(i%Block)&1 == 1; is != set.Has(b) {
				t.Fatalf("symbol %#x at %d of %d: %v, want %v", b, i, len(src), is, set.Has(b))
			}
		}
		if n := len(src); n%Block != 0 && got[n/Block]>>(n%Block) != 0 {
			t.Fatalf("bits after the end of %d symbols", n)
		}
	}
}

func BenchmarkSet(b *testing.B) {
	src := make([]byte, 64<<10)
	dst := make([]uint64, len(src)/Block)
	set := NewSet(dfa.Bytes(',', '"', '\n', '\r'))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		set.Find(dst, src)
	}
}

// TestVectorLegs says what the tests of vector code run here: make vectors.
func TestVectorLegs(t *testing.T) { onEach(t, func(*testing.T) {}) }

// TestFindSymbol compares masks of one symbol with the text, among neighbours of the symbol.
func TestFindSymbol(t *testing.T) { onEach(t, testFindSymbol) }

func testFindSymbol(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		symbol := byte(rng.Uint32())
		b := make([]byte, Block*rng.IntN(4))
		for i := range b {
			b[i] = [...]byte{symbol, symbol + 1, symbol - 1, symbol ^ 0x80, 0, byte(rng.Uint32())}[rng.IntN(6)]
		}
		got := make([]uint64, len(b)/Block)
		for i := range got {
			got[i] = rng.Uint64()
		}
		FindSymbol(got, b, symbol)
		for i, c := range b {
			if is := got[i/Block]>>(i%Block)&1 == 1; is != (c == symbol) {
				t.Fatalf("symbol %#x, looked for %#x, at %d: %v", c, symbol, i, is)
			}
		}
	}
}

// TestEach compares what is found of each symbol with the text.
func TestEach(t *testing.T) {
	onEach(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for range 2000 {
			few := make([]byte, 1+rng.IntN(MostEach))
			for k := range few {
				few[k] = byte(rng.Uint32())
			}
			src := make([]byte, rng.IntN(Strip+1)*Block)
			for i := range src {
				if src[i] = byte(rng.Uint32()); rng.IntN(2) == 0 {
					src[i] = few[rng.IntN(len(few))]
				}
			}
			var dst [MostEach][Strip]uint64
			some := NewEach(few).Find(&dst, src, len(src)/Block)
			for k, symbol := range few {
				or := uint64(0)
				for i, b := range src {
					or |= dst[k][i/Block]
					if is := dst[k][i/Block]>>(i%Block)&1 == 1; is != (b == symbol) {
						t.Fatalf("symbol %#x at %d, looked for %#x: %v", b, i, symbol, is)
					}
				}
				if some[k] != or {
					t.Fatalf("symbol %#x: some %#x, want %#x", symbol, some[k], or)
				}
			}
		}
	})
}
