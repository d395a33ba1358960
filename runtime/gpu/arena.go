//go:build cuda

package gpu

// arena is memory for the values of one partition: taken bit by bit, given back
// at once, and kept for the next.
type arena struct {
	alloc  func(nbytes int) ([]byte, error)
	free   func([]byte) error // nil: it is Go's
	blocks [][]byte
	block  int // the one that is being taken from
	used   int // bytes of it
	first  int // bytes that the first block has at least: what an arena like it needed
}

// taken is how many bytes have been taken, with what could not be.
func (a *arena) taken() int {
	n := a.used
	for _, b := range a.blocks[:min(a.block, len(a.blocks))] {
		n += len(b)
	}
	return n
}

const (
	arenaBlock = 64 << 10 // bytes of the first block; each is twice as large as the largest before
	arenaMost  = 256 << 20
	arenaAlign = 64
)

// take gives n bytes, aligned, of undefined content.
func (a *arena) take(n int) ([]byte, error) {
	for ; a.block < len(a.blocks); a.block, a.used = a.block+1, 0 {
		if b := a.blocks[a.block]; a.used+n <= len(b) {
			from := a.used
			a.used += (n + arenaAlign - 1) &^ (arenaAlign - 1)
			return b[from : from+n : from+n], nil
		}
	}
	size := max(arenaBlock, a.first)
	for _, b := range a.blocks {
		size = min(max(size, 2*len(b)), arenaMost)
	}
	b, err := a.alloc(max(size, (n+arenaAlign-1)&^(arenaAlign-1)))
	if err != nil {
		return nil, err
	}
	a.blocks, a.used = append(a.blocks, b), 0
	return a.take(n)
}

func (a *arena) reset() { a.block, a.used = 0, 0 }

func (a *arena) close() {
	if a.free != nil {
		for _, b := range a.blocks {
			a.free(b)
		}
	}
	a.blocks = nil
}
