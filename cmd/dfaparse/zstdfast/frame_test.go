package zstdfast

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// roundTrip holds what the reference decodes to what was encoded.
func roundTrip(t *testing.T, e *Encoder, src []byte) []byte {
	t.Helper()
	out := e.Append([]byte("before"), src)
	if !bytes.HasPrefix(out, []byte("before")) {
		t.Fatal("what was there is gone")
	}
	got, err := decoder.DecodeAll(out[6:], nil)
	if err != nil {
		t.Fatalf("%d bytes: %v", len(src), err)
	}
	if !bytes.Equal(got, src) {
		t.Fatalf("%d bytes are not what they were", len(src))
	}
	return out[6:]
}

var decoder = func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return d
}()

// texts are of every size near a bound, of little and of much repetition.
func texts() map[string][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 3*blockSize+5)
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	words := strings.Fields("the quick brown fox jumps over a lazy dog 0123456789 of, and. to be (or) not phở")
	var text []byte
	for len(text) < 3*blockSize+1000 {
		text = append(append(text, words[rng.IntN(len(words))]...), ' ')
	}
	all := map[string][]byte{"random": random, "text": text, "zeros": make([]byte, 2*blockSize+3), "text, random, text": append(append(bytes.Clone(text[:blockSize]), random[:2*blockSize]...), text[:blockSize]...)}
	few := make([]byte, 2*blockSize)
	for i := range few {
		few[i] = "ab"[rng.IntN(20)/19]
	}
	all["few symbols"] = few
	far := append(bytes.Clone(random), random...) // matches as long as blocks
	all["twice"] = far
	return all
}

func TestRoundTrip(t *testing.T) {
	var e Encoder
	for name, text := range texts() {
		t.Run(name, func(t *testing.T) {
			out := roundTrip(t, &e, text)
			t.Logf("%d bytes to %d", len(text), len(out))
			if len(out) > len(text)+len(text)/blockSize*3+16 {
				t.Errorf("%d bytes became %d", len(text), len(out))
			}
			for _, n := range []int{0, 1, 2, 3, 7, 8, 15, 16, 23, 24, 25, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 1000, 1023, 1024, 4095, 4096, 1<<14 - 1, 1 << 14, blockSize - 1, blockSize, blockSize + 1, 2 * blockSize} {
				roundTrip(t, &e, text[:min(n, len(text))])
				roundTrip(t, &e, text[len(text)-min(n, len(text)):])
			}
		})
	}
}

// A frame depends on the text alone: not on what was compressed before, nor on
// what follows in memory.
func TestSame(t *testing.T) {
	var used Encoder
	for name, text := range texts() {
		var fresh Encoder
		used.Append(nil, text[len(text)/2:])
		followed := append(bytes.Clone(text), text...)[:len(text)]
		if !bytes.Equal(fresh.Append(nil, text), used.Append(nil, followed)) {
			t.Errorf("%s: the frames differ", name)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, text := range texts() {
		f.Add(text[:2000], uint16(3))
	}
	f.Fuzz(func(t *testing.T, src []byte, repeat uint16) {
		var e Encoder
		src = bytes.Repeat(src, int(repeat%64))
		if len(src) <= 1<<20 {
			roundTrip(t, &e, src)
		}
	})
}
