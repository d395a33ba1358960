package inflate_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/inflate"
)

// text is compressible text of so many bytes, with parts that are not.
func text(seed uint64, nbytes int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	for b.Len() < nbytes {
		switch r.IntN(8) {
		case 0:
			for range r.IntN(2000) {
				b.WriteByte(byte(r.Uint32()))
			}
		case 1:
			b.Write(bytes.Repeat([]byte{byte(r.Uint32())}, r.IntN(3000)))
		default:
			for range r.IntN(300) {
				fmt.Fprintf(&b, "%d,name %d,%x\n", r.IntN(100), r.IntN(5000), r.IntN(1<<16))
			}
		}
	}
	return b.Bytes()[:nbytes]
}

// members compresses text into several members at a level.
func members(text []byte, level, each int) []byte {
	var b bytes.Buffer
	for first := true; first || len(text) > 0; first = false {
		n := min(each, len(text))
		w, err := gzip.NewWriterLevel(&b, level)
		if err != nil {
			panic(err)
		}
		w.Name, w.Comment, w.Extra = "a name", "a comment", []byte("more")
		w.Write(text[:n])
		w.Close()
		text = text[n:]
	}
	return b.Bytes()
}

func all(t *rapid.T, data []byte, every int64) (points []inflate.Point, got []byte) {
	r, err := inflate.NewReader(bytes.NewReader(data), &inflate.Point{})
	if err != nil {
		t.Fatal(err)
	}
	r.Every, r.Note = every, func(p inflate.Point) { points = append(points, p) }
	if got, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return points, got
}

// TestReader: what is read is what was compressed, from the beginning and from every place.
func TestReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := text(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 400_000).Draw(t, "bytes"))
		level := rapid.SampledFrom([]int{flate.HuffmanOnly, 0, 1, 6, 9}).Draw(t, "level")
		data := members(want, level, rapid.SampledFrom([]int{1 << 10, 64 << 10, 1 << 20}).Draw(t, "member"))
		points, got := all(t, data, rapid.Int64Range(1, 100_000).Draw(t, "every"))
		if !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, want %d", len(got), len(want))
		}
		for i := range points {
			p := &points[i]
			if err := p.Check(int64(len(data))); err != nil {
				t.Fatal(err)
			}
			r, err := inflate.NewReader(iotest.HalfReader(bytes.NewReader(data[p.Begin():])), p)
			if err != nil {
				t.Fatal(err)
			}
			if i%7 != 0 { // some of them to their end
				some := make([]byte, min(200, len(want)-int(p.Out)))
				if _, err := io.ReadFull(r, some); err != nil || !bytes.Equal(some, want[p.Out:][:len(some)]) {
					t.Fatalf("from %d: %v", p.Out, err)
				}
				continue
			}
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want[p.Out:]) {
				t.Fatalf("from %d: %d bytes, want %d: %v", p.Out, len(got), len(want)-int(p.Out), err)
			}
		}
	})
}

// TestPlaces: there are as many as are asked for.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := text(1, 2<<20)
		points, _ := all(t, members(want, 6, rapid.SampledFrom([]int{60 << 10, 4 << 20}).Draw(t, "member")), 256<<10)
		if n := len(points); n < 5 || n > 8 {
			t.Fatalf("%d places of 2 MiB by 256 KiB", n)
		}
	})
}

// FuzzReader: the standard library accepts what a Reader accepts, and gives the same text.
func FuzzReader(f *testing.F) {
	for _, level := range []int{flate.HuffmanOnly, 0, 1, 9} {
		f.Add(members(text(2, 3000), level, 1000))
	}
	f.Add(members(nil, 6, 1))
	f.Add([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := inflate.NewReader(bytes.NewReader(data), &inflate.Point{})
		if err != nil {
			t.Fatal(err)
		}
		const most = 1 << 20
		got, err := io.ReadAll(io.LimitReader(r, most))
		z, zerr := gzip.NewReader(bytes.NewReader(data))
		var want []byte
		if zerr == nil {
			want, zerr = io.ReadAll(io.LimitReader(z, most))
		}
		if len(data) == 0 || len(got) == most || len(want) == most {
			return
		}
		if (err == nil) != (zerr == nil) {
			t.Fatalf("%v, compress/gzip says %v", err, zerr)
		}
		if err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, compress/gzip has %d", len(got), len(want))
		}
	})
}

// TestDamaged: every byte that is another is an error, or no matter.
func TestDamaged(t *testing.T) {
	want := text(3, 5000)
	data := members(want, 6, 2500)
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x55
		r, err := inflate.NewReader(bytes.NewReader(bad), &inflate.Point{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err == nil && !bytes.Equal(got, want) {
			t.Fatalf("byte %d is another, and nobody says it", i)
		}
		r, _ = inflate.NewReader(bytes.NewReader(data[:i]), &inflate.Point{})
		if got, err := io.ReadAll(r); err == nil && i > 0 && len(got) != 2500 {
			t.Fatalf("cut off at byte %d, and nobody says it", i)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	data := members(text(4, 8<<20), 6, 64<<20)
	b.SetBytes(8 << 20)
	for b.Loop() {
		r, err := inflate.NewReader(bytes.NewReader(data), &inflate.Point{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Fatal(err)
		}
	}
}
