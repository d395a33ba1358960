//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

// slot is the device memory of one flight: its symbols, the tables
// that the stages make of them, and the buffers of the values.
type slot struct {
	device  *device.Device
	memory  device.Memory
	symbols int    // capacity
	rows    int    // capacity
	before  uint64 // memory for job.DataBefore, where that is counted
	own     uint64 // memory for a flight's symbols, where job.Data is but for those that are read where they lie

	job      kernels.Job
	delivery kernels.Delivery
	outputs  []kernels.Output
	splits   []kernels.Split
	css      kernels.Css
	raw      []uint8 // Css.raw; empty if no symbols are moved

	// Addresses of the same on the device, side by side, and what goes there.
	params       uint64
	jobAddress   pointer[kernels.Job]
	deliveryAddr pointer[kernels.Delivery]
	cssAddress   pointer[kernels.Css]

	cleared region // counts, the list's length, counters and ranges: zero before a flight
	counts  uint64
	counter uint64 // of output 0; counterSize apart
	left    uint64 // counts what is in list
	list    region // of rows left
	listed  int    // how many rows it holds
	bitmaps region // of all outputs and splits, side by side, behind Delivery.Malformed
	heap    region
	scratch region
	fault   region
	narrow  narrowSlot
	maps    []mapSlot

	chunkUTF8 uint64

	transposed int // bytes of params

	pinned []byte        // params on their way there
	landed *device.Event // the values of the flight before are on the host; nil: there was none
}

// region is some of a slot's memory.
type region struct {
	address uint64
	size    int
}

const (
	regionAlign = 256
	viewSize    = 16 // bytes
	counterSize = 32 // bytes of Output.Counters
	leftCount   = 16 // bytes of its length, and what aligns what follows
)

// shape is what a slot's memory depends on, beside its capacities.
type shape struct {
	flags    uint32 // of the Program
	columns  int    // of spans
	parts    int    // the last of these, which splits make
	tagging  Tagging
	outputs  []kernels.Output
	splits   []splitColumn
	splitOf  func(output int) int
	text     []bool // per output: it has offsets
	views    []bool // per output: it has views; nil: none has
	tokens   []*dictionary
	maps     []mapColumn
	defaults int // bytes of the defaults of all strings
	texts    int // outputs that may hold the same symbol
	scratch  func(symbols, rows, outputs int) int

	transposed int // bytes of what transposing needs; 0: records are found by an automaton
}

// planSlot is a slot for flights of up to so many symbols and rows, and the memory
// that it takes.
func planSlot(d *device.Device, s *shape, symbols, rows int) (x *slot, nbytes int) {
	x = &slot{device: d, symbols: symbols, rows: rows, transposed: s.transposed, outputs: append([]kernels.Output(nil), s.outputs...)}
	for i := range s.splits {
		x.splits = append(x.splits, s.splits[i].image)
	}
	if s.tagging != TaggingNone {
		x.raw = make([]uint8, s.columns-s.parts)
	}
	for i := range x.outputs {
		if _, ok := canNarrow(&x.outputs[i]); ok {
			x.narrow.of = append(x.narrow.of, i)
		}
	}
	at := uint64(0)
	x.lay(s, &at)
	return x, int(at)
}

// newSlot takes the memory for flights of up to so many symbols and rows.
func newSlot(d *device.Device, s *shape, symbols, rows int) (*slot, error) {
	x, nbytes := planSlot(d, s, symbols, rows)
	memory, err := d.Alloc(nbytes)
	if err != nil {
		return nil, err
	}
	base := memory.Address
	x.memory = memory
	x.lay(s, &base)
	if x.pinned, err = d.AllocHost((x.paramsSize() + 15) &^ 15); err != nil {
		d.FreeMemory(memory)
		return nil, err
	}
	return x, nil
}

func (x *slot) close() {
	x.device.FreeHost(x.pinned)
	x.device.FreeMemory(x.memory)
}

// keep is close of a slot that the device does not use any more.
func (x *slot) keep() {
	x.device.FreeHost(x.pinned)
	x.device.KeepMemory(x.memory)
}

func (x *slot) paramsSize() int {
	return sizeOf[kernels.Job]() + 3*sizeOf[kernels.Delivery]() + sizeOf[fusedImage]() + len(x.outputs)*sizeOf[kernels.Output]() + len(x.splits)*sizeOf[kernels.Split]() +
		sizeOf[kernels.Css]() + len(x.raw) + x.transposed
}

// read has a flight's symbols be at an address.
func (x *slot) read(address uint64) {
	if x.job.Value == x.job.Data { // no symbol stands for another one
		x.job.Value = address
	}
	x.job.Data = address
}

// rowWords are the bytes of a bitmap of rows.
func (x *slot) rowWords() int { return 4 * (x.rows/32 + 2) }

// pitchOf is how far what is of n bytes is from what is taken next.
func pitchOf(n int) int { return (n + regionAlign - 1) &^ (regionAlign - 1) }

// lay gives every table its address from *at on.
func (x *slot) lay(s *shape, at *uint64) {
	take := func(n int) uint64 {
		address := *at
		*at += uint64(pitchOf(n))
		return address
	}
	n, rows := x.symbols, x.rows
	rowWords, found := x.rowWords(), n
	if x.transposed > 0 {
		found = 0 // nothing is looked for
	}
	chunks, words := found/kernels.Chunk+2, 4*(found/32+2)

	x.params = take(x.paramsSize())
	x.jobAddress = pointer[kernels.Job](x.params)
	x.deliveryAddr = pointer[kernels.Delivery](x.params + uint64(sizeOf[kernels.Job]()))
	outputs := uint64(x.deliveryAddr) + uint64(sizeOf[kernels.Delivery]())

	x.narrow.at = sizeOf[kernels.Counts]() + leftCount + counterSize*len(x.outputs)
	x.cleared.size = x.planMaps(s, x.narrow.at+sizeOf[narrowRange]()*len(x.narrow.of))
	x.counts = take(x.cleared.size)
	x.left = x.counts + uint64(sizeOf[kernels.Counts]())
	x.counter = x.left + leftCount
	x.cleared.address, x.narrow.ranges = x.counts, pointer[narrowRange](x.counts+uint64(x.narrow.at))
	x.listed = rows/leftShare + fewLeft
	x.list = region{take(x.listed * leftSize), x.listed * leftSize}
	x.scratch.size = max(s.scratch(n, rows, len(x.outputs)), x.mapScratch(rows))
	if s.tagging != TaggingNone {
		x.scratch.size = max(x.scratch.size, cssScratch(rows, len(x.raw), cssSize(n, rows, len(x.raw))))
	}
	x.scratch.address = take(x.scratch.size)

	x.job = kernels.Job{
		Data: take(n + kernels.Padding), DirectiveCapacity: 16,
		ChunkState: take(2 * chunks),
		Found:      take(4 * (found + 2)), Mark: take(4 * (found + 2)),
		RecordLast: take(4 * (found + 2)),
		Directive:  take(4 * 16),
		IsData:     take(words), DataBefore: take(4 * chunks),
		Counts: x.counts, Scratch: x.scratch.address, ScratchSize: uint64(x.scratch.size),
	}
	x.fault = region{take(words), words}
	x.job.Fault = x.fault.address
	x.chunkUTF8 = take(chunkUTF8Size(found))
	x.own, x.before, x.job.Value = x.job.Data, x.job.DataBefore, x.job.Data
	if s.flags&kernels.HasCoded != 0 {
		x.job.Value = take(n + kernels.Padding)
	}
	if s.flags&kernels.HasColumns != 0 {
		x.job.Column = take(2 * (n + 2))
	}
	if s.flags&kernels.HasKinds != 0 {
		x.job.RowRecord = take(4 * (n + 2))
	}

	x.delivery = kernels.Delivery{
		Splits: outputs + uint64(len(x.outputs)*sizeOf[kernels.Output]()), NSplits: uint64(len(x.splits)),
		Capacity: uint32(rows), NColumns: uint32(s.columns), NOutputs: uint32(len(x.outputs)),
		SpanStart: take(4 * rows * s.columns), SpanEnd: take(4 * rows * s.columns),
		Malformed: take(rowWords), Outputs: outputs,
	}
	// What is fetched lies side by side with others of its size: see fetch.go.
	x.bitmaps.address = *at
	for i := range x.outputs {
		x.outputs[i].Valid = take(rowWords)
	}
	for i := range x.outputs {
		if o := &x.outputs[i]; o.Width == 0 && !s.text[i] {
			o.Fixed = take(rowWords)
		}
	}
	for i := range x.outputs {
		x.outputs[i].Todo = take(rowWords)
	}
	for i := range x.splits {
		x.splits[i].Left = take(rowWords)
	}
	for i := range x.outputs {
		if k := s.splitOf(i); k >= 0 {
			x.outputs[i].Left = x.splits[k].Left
		}
	}
	x.bitmaps.size = int(*at - x.bitmaps.address)
	for i := range x.outputs {
		o := &x.outputs[i]
		o.Counters = x.counter + uint64(i*counterSize)
		if s.text[i] {
			o.Offsets = take(4 * (rows + 1))
		}
		if s.views != nil && s.views[i] {
			o.Views = take(viewSize * rows)
		}
	}
	for _, width := range []uint32{1, 2, 4, 8, 16} {
		for i := range x.outputs {
			if o := &x.outputs[i]; o.Width == width && !s.text[i] {
				o.Fixed = take(rows * int(width))
			}
		}
	}
	for i := range x.outputs {
		if s.tokens[i] != nil {
			x.outputs[i].Fixed = take(4 * rows)
		}
	}
	x.narrow.lay(x.outputs, rows, take)
	x.heap.size = s.texts*n + s.defaults*rows + 64*(len(x.outputs)+1)
	if s.views != nil { // strings that are put there with their views take whole words
		x.heap.size += s.texts * n / 8
	}
	x.heap.address = take(x.heap.size)
	x.delivery.Heap, x.delivery.HeapSize = x.heap.address, uint64(x.heap.size)
	x.layMaps(take)
	if s.tagging != TaggingNone {
		x.layCSS(s.tagging, take)
	}
}
