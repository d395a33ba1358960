package cpu

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// TestPack: the values that stay are side by side, and what is behind all values is as it was.
func TestPack(t *testing.T) {
	onEach(t, func(t *testing.T) {
		pack := packer()
		if pack == nil {
			t.Skip("there is none")
		}
		rapid.Check(t, func(t *rapid.T) {
			width := rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(t, "width")
			nrows := rapid.IntRange(0, 300).Draw(t, "rows")
			odds := rapid.IntRange(0, 8).Draw(t, "stay of 8")
			values := rapid.SliceOfN(rapid.Byte(), (nrows+8)*width, (nrows+8)*width).Draw(t, "values")
			stay := make([]uint64, (nrows+63)/64+1)
			for i := range nrows {
				if rapid.IntRange(1, 8).Draw(t, "odds") <= odds {
					stay[i>>6] |= 1 << (i & 63)
				}
			}
			got := bytes.Clone(values)
			n, done := pack(unsafe.Pointer(&got[0]), width, stay, nrows)
			if want := nrows &^ 15; done != want && (width >= 4 || done != 0) {
				t.Fatalf("%d of %d rows are done", done, nrows)
			}
			var want []byte
			for i := range done {
				if stay[i>>6]>>(i&63)&1 != 0 {
					want = append(want, values[i*width:(i+1)*width]...)
				}
			}
			if !bytes.Equal(got[:n*width], want) || !bytes.Equal(got[done*width:], values[done*width:]) {
				t.Fatalf("%d of %d rows of %d bytes stay: % x, want % x", n, done, width, got[:n*width], want)
			}
		})
	})
}

// TestPackValues: of values one a row those stay whose rows are not removed, with vectors and without.
func TestPackValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		n := 1 + rng.IntN(300)
		var gone columns.Removal
		var values, want []uint32
		for row := range n {
			values = append(values, rng.Uint32())
			if every := 1 + rng.IntN(9); rng.IntN(every) == 0 || row == n-1 && len(gone.Rows) == 0 {
				gone.Rows = append(gone.Rows, row)
			} else {
				want = append(want, values[row])
			}
		}
		for _, p := range []columns.Packer{nil, packer()} {
			gone.Prepare(n, p)
			if got := gone.Pack(slices.Clone(values)); !slices.Equal(got, want) {
				t.Fatalf("%d without %d: %d, want %d", values, gone.Rows, got, want)
			}
		}
	}
}
