package runtime

import (
	"fmt"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// This file makes of a budget of memory what keeps a Reader within it. Nothing of
// it changes a result.

// MemoryError is what a Reader fails with where it needs more memory than
// WithMemory allows.
type MemoryError = columns.MemoryError

// LeastMemory is the least budget that something can be read with.
const LeastMemory = 8 << 20

// WithMemory bounds the memory that the Reader takes: the window of its input,
// what its engine makes of it, and its records, until they are released and the
// garbage collector has come for what is left of them. The sizes of partitions
// and batches and the number of workers follow from it where they would be too
// large otherwise. A record or a batch that does not fit makes the Reader fail
// with a *MemoryError. Memory of a caller's allocator does not count, nor that of
// a GPU's driver. It bounds one Reader, not the process: for that see
// debug.SetMemoryLimit. Without this option nothing is bounded.
func WithMemory(nbytes int64) Option {
	return func(o *options) { o.memory, o.bounded = nbytes, true }
}

// budget bounds what the options say by the budget of memory.
func (o *options) budget() error {
	if !o.bounded {
		return nil
	}
	if o.memory < LeastMemory {
		return &OptionError{"WithMemory", fmt.Sprintf("a memory budget of %d bytes, want %d or more: nothing can be read with less", o.memory, LeastMemory)}
	}
	// A quarter is for what is not counted: indexes of a partition, small memory,
	// and what the garbage collector has not come for.
	o.account = columns.NewAccount(o.memory - o.memory/4)
	o.pool = columns.BoundPool(o.account, o.reuse && !o.named)
	o.threads = min(o.threads, int(min(max(o.memory/perThread, 1), 1<<12)))
	most := int(min(o.memory/64, maxPartition))
	if o.sized {
		most *= 4
	}
	o.partition = min(o.partition, most)
	o.chunk = min(o.chunk, max(o.partition/4, minPartition))
	return nil
}

// perThread is about what a worker takes.
const perThread = 8 << 20

// perColumn is what a column takes that is empty, in each of the results that a
// worker has at a time.
const perColumn = 1 << 10

// boundThreads bounds the workers by what results of so many columns take.
func (o *options) boundThreads(columns int) {
	if o.account == nil {
		return
	}
	for o.threads > 1 && int64(o.threads)*int64(o.threads+3)*int64(columns)*perColumn > o.memory/4 {
		o.threads--
	}
}

// Bounds of a batch of a bounded Reader.
const (
	leastBatch = 64
	leastText  = 1 << 10
)

// bound bounds records of so many columns.
func (a *assembler) bound(memory int64, columns int) {
	part := int(memory/64) / columns
	a.batchSize = min(a.batchSize, max(part/16, leastBatch)) // few values take more than 16 bytes, but for texts
	a.maxText = min(a.maxText, max(part, leastText))
}
