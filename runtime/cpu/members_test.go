package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

func TestMembers(t *testing.T) {
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
		got := make([]uint64, len(src)/blockSize+1)
		members(got, src, newNibbles(set))
		for i, b := range src {
			if is := got[i/blockSize]>>(i%blockSize)&1 == 1; is != set.Has(b) {
				t.Fatalf("symbol %#x at %d of %d: %v, want %v", b, i, len(src), is, set.Has(b))
			}
		}
		if n := len(src); n%blockSize != 0 && got[n/blockSize]>>(n%blockSize) != 0 {
			t.Fatalf("bits after the end of %d symbols", n)
		}
	}
}

// TestVectorLegs says what the tests of vector code run here: make vectors.
func TestVectorLegs(t *testing.T) { onEach(t, func(*testing.T) {}) }

// TestMembersTwins compares the vector code with its twin in Go.
func TestMembersTwins(t *testing.T) { onEach(t, testMembersTwins) }

func testMembersTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		src := make([]byte, 64*rng.IntN(20))
		for i := range src {
			src[i] = byte(rng.Uint32())
		}
		set := newNibbles(dfa.Set{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()})
		a, b := make([]uint64, len(src)/64), make([]uint64, len(src)/64)
		membersBlocks(a, src, set)
		membersGeneric(b, src, set)
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("block %d of %d: %#x, in Go %#x", i, len(a), a[i], b[i])
			}
		}
	}
}

func BenchmarkMembers(b *testing.B) {
	src := make([]byte, 64<<10)
	dst := make([]uint64, len(src)/64)
	set := newNibbles(dfa.Bytes(',', '"', '\n', '\r'))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		members(dst, src, set)
	}
}
