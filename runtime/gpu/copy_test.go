//go:build cuda

package gpu

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/dfaparse/dfaparse/internal/device"
)

// TestCopyStage copies between pinned memory and the device.
func TestCopyStage(t *testing.T) {
	b := newBench(t)
	stage, err := newCopyStage(b.d)
	b.ok(err)
	for _, n := range []int{1, 15, 16, 17, 16 * copyThreads, 16*copyThreads + 1, 10_000} {
		room := (n + 15) &^ 15
		pinned, err := b.d.AllocHost(2 * room)
		b.ok(err)
		m, err := b.d.Alloc(room)
		b.ok(err)
		for i := range pinned {
			pinned[i] = byte(rand.Uint32())
		}
		there, back := pinned[:n], pinned[room:][:n]
		b.ok(stage.upload(b.s, m.Address, there))
		b.ok(stage.download(b.s, back, m.Address))
		b.ok(b.s.Synchronize())
		if !bytes.Equal(there, back) {
			t.Errorf("%d bytes differ", n)
		}
		b.ok(b.d.FreeMemory(m))
		b.ok(b.d.FreeHost(pinned))
	}
}

// TestJoin compares dfa_join with append: symbols from any address, and blocks
// of any size behind them.
func TestJoin(t *testing.T) {
	b := newBench(t)
	stage, err := newCopyStage(b.d)
	b.ok(err)
	const most = 20_000
	var memory [3]device.Memory
	for i := range memory {
		memory[i], err = b.d.Alloc(most + copyPadding)
		b.ok(err)
	}
	carried, block := make([]byte, most), make([]byte, most)
	for i := range most {
		carried[i], block[i] = byte(rand.Uint32()), byte(rand.Uint32())
	}
	b.ok(b.s.Upload(memory[0].Address, carried))
	b.ok(b.s.Upload(memory[1].Address, block))
	for round := range 300 {
		from, n := rand.IntN(100), rand.IntN(100)
		nblock := rand.IntN(300)
		if round%20 == 0 {
			n, nblock = rand.IntN(9000), rand.IntN(10_000)
		}
		if round%7 == 0 {
			n &^= 15
		}
		b.ok(b.s.Fill(memory[2].Address, rubbish, memory[2].Size))
		b.ok(stage.join(b.s, memory[2].Address, memory[0].Address+uint64(from), n, memory[1].Address, nblock))
		got := make([]byte, memory[2].Size)
		b.ok(b.s.Download(got, memory[2].Address))
		b.ok(b.s.Synchronize())
		want := append(append([]byte(nil), carried[from:from+n]...), block[:nblock]...)
		if !bytes.Equal(got[:len(want)], want) {
			t.Fatalf("%d symbols from %d on and %d more differ", n, from, nblock)
		}
		if end := (len(want) + 15) &^ 15; bytes.Count(got[end:], []byte{rubbish}) != len(got)-end {
			t.Fatalf("%d symbols and %d more: something is written behind them", n, nblock)
		}
	}
	for _, m := range memory {
		b.ok(b.d.FreeMemory(m))
	}
}

// TestCountEnds compares dfa_ends with bytes.Count, of pieces and what is left of one.
func TestCountEnds(t *testing.T) {
	b := newBench(t)
	stage, err := newCopyStage(b.d)
	b.ok(err)
	in := arena{alloc: b.d.AllocHost, free: b.d.FreeHost}
	defer in.close()
	const most = endsPieces*endsPiece + 3*endsPiece/2
	m, err := b.d.Alloc(most + copyPadding)
	b.ok(err)
	data := make([]byte, most+copyPadding)
	for _, oneIn := range []uint32{1, 2, 50, 3000} {
		for i := range data {
			if data[i] = byte(rand.Uint32()); rand.Uint32N(oneIn) == 0 {
				data[i] = '\n'
			}
		}
		b.ok(b.s.Upload(m.Address, data))
		for _, n := range []int{0, 1, 3, 15, 16, 17, 511, endsPiece - 1, endsPiece, endsPiece + 5, endsPieces * endsPiece, endsPieces*endsPiece + 1, most} {
			counts, err := stage.countEnds(b.s, &in, m.Address, n)
			b.ok(err)
			b.ok(b.s.Synchronize())
			if len(counts) != (n+endsPiece-1)/endsPiece {
				t.Fatalf("%d counts of %d bytes", len(counts), n)
			}
			for i, got := range counts {
				if want := bytes.Count(data[i*endsPiece:min((i+1)*endsPiece, n)], []byte("\n")); int(got) != want {
					t.Fatalf("%d of %d bytes end a line from %d on, want %d", got, n, i*endsPiece, want)
				}
			}
		}
	}
	b.ok(b.d.FreeMemory(m))
}
