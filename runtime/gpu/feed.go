//go:build cuda

package gpu

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/spread"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// staging is a block of a partition on its way to the device: in pinned memory,
// then in device memory.
type staging struct {
	room   int // symbols that a block may have
	pinned []byte
	memory device.Memory
	there  *device.Event // the block is in memory
	copied *device.Event // and has been copied from there
	used   bool          // copied was recorded
	pieces []int         // of a file, that nobody copies from when the block is there
}

// open has room for blocks of n symbols, the largest of a partition, so that a block is not in the way of those after
// it; where there is none yet, for those of partitions that are somewhat longer.
func (s *staging) open(d *device.Device, n, room int) (err error) {
	if s.room >= n {
		return nil
	}
	s.close(d)
	if s.memory, err = d.Alloc(room + copyPadding); err != nil {
		return err
	}
	s.room = room
	if s.there, err = d.NewEvent(false); err != nil {
		return err
	}
	s.copied, err = d.NewEvent(false)
	return err
}

// pin gives pinned memory for n bytes of the block.
func (s *staging) pin(d *device.Device, n int) ([]byte, error) {
	if len(s.pinned) < n {
		if s.pinned != nil {
			d.FreeHost(s.pinned)
		}
		var err error
		if s.pinned, err = d.AllocHost(s.room); err != nil {
			return nil, err
		}
	}
	return s.pinned[:n], nil
}

func (s *staging) close(d *device.Device) {
	if s.memory.Size > 0 {
		d.FreeMemory(s.memory) // waits for the copy of a block that is not going to be parsed, too
	}
	if s.pinned != nil {
		d.FreeHost(s.pinned)
	}
	for _, e := range []*device.Event{s.there, s.copied} {
		if e != nil {
			e.Close()
		}
	}
	*s = staging{}
}

// feed brings a partition to the device, block by block, ahead of the flights
// that are parsed.
type feed struct {
	p      *parser
	stages []staging // its own as long as it is open
	data   []byte
	device uint64         // where data lie in the device's memory; 0: they are the host's
	at     int            // of these, what has been handed over
	lying  lying          // how data lie in a file
	blocks chan feedBlock // in order
	free   chan struct{}
	stop   chan struct{}
	wg     sync.WaitGroup
}

// feedBlock is a block of which the copy to the device is under way.
type feedBlock struct {
	stage    *staging
	from, to int    // of the partition
	near     []byte // the block in pinned memory, nil if it was not copied there
	err      error
}

// newFeed makes a feed that begins when another one, which has the parser's stream too, has sent all.
func (p *parser) newFeed(data []byte, stages []staging, before *feed) *feed {
	f := &feed{p: p, stages: stages, data: data, blocks: make(chan feedBlock, len(stages)), free: make(chan struct{}, len(stages)), stop: make(chan struct{})}
	for range stages {
		f.free <- struct{}{}
	}
	f.lying.open(p.mapped, data)
	f.wg.Go(func() {
		if before != nil {
			before.wg.Wait()
		}
		f.send()
	})
	return f
}

// Prepare implements runtime.Preparer: the partition comes in while the one before it is parsed.
func (p *parser) Prepare(part *runtime.Partition) {
	if p.isHosts(part.Binding) {
		return
	}
	p.set = 1 - p.set
	p.fed = p.newFeed(part.Data, p.staging[p.set][:], p.fed)
	p.prepared = append(p.prepared, p.fed)
}

// feedOf is the feed of data: the one that has been prepared, if there is one.
func (p *parser) feedOf(data []byte) *feed {
	for i, f := range p.prepared {
		if len(f.data) == len(data) && unsafe.SliceData(f.data) == unsafe.SliceData(data) {
			p.prepared = slices.Delete(p.prepared, i, i+1)
			return f
		}
	}
	if len(p.prepared) > 0 { // another device has been there for these data: what is prepared waits for them
		return p.newFeed(data, p.staging[1-p.set][:], nil)
	}
	return p.newFeed(data, p.staging[p.set][:], nil)
}

// unprepare ends the feeds of partitions that are not going to be parsed.
func (p *parser) unprepare() {
	for _, f := range p.prepared {
		f.close()
	}
	p.prepared = p.prepared[:0]
}

// close stops sending, before the data may go.
func (f *feed) close() {
	close(f.stop)
	f.wg.Wait()
	f.data = nil
	if f.lying.file == nil {
		return
	}
	f.p.in.Synchronize() // where all went well, that is so already
	for i := range f.stages {
		f.lying.release(&f.stages[i])
	}
	f.lying.close()
}

// send copies block after block to pinned memory and on.
func (f *feed) send() {
	defer close(f.blocks)
	for i, from := 0, 0; from < len(f.data); i++ {
		select {
		case <-f.free:
		case <-f.stop:
			return
		}
		b := feedBlock{stage: &f.stages[i%len(f.stages)], from: from, to: from + f.p.size(i, len(f.data)-from)}
		b.err = runtime.Guard(f.data, func() error { return f.copy(&b) })
		from = b.to
		f.blocks <- b
		if b.err != nil {
			return
		}
	}
}

// leastBlock is the symbols that a block has at least if not all have as many.
var leastBlock = 8 << 20 // less in a test

// size is how many symbols block i has, of those that are left. The first ones
// are small, so that there is soon something to parse, and the last ones, so that
// little is left to do when all symbols are on the device.
func (p *parser) size(i, left int) int {
	size := p.flightSize
	least := min(leastBlock, size)
	if i < 8 {
		size = min(size, least<<i)
	}
	return min(left, max(least, min(size, left/2)))
}

// largest is how many symbols the largest block of n has. Fewer have none that is larger.
func (p *parser) largest(n int) (most int) {
	for i := 0; n > 0; i++ {
		size := p.size(i, n)
		if size <= most { // blocks grow, and then they shrink
			break
		}
		most, n = size, n-size
	}
	return most
}

// blockRoom is for how many symbols there is room where the blocks of a partition of n symbols come: of
// partitions of about the usual length the usual room, so that one is found where another has been.
func (p *parser) blockRoom(n int) int {
	most := p.largest(n)
	if usual := p.blockSize(); usual/2 < most && most <= usual {
		return usual
	}
	return p.andMore(most)
}

// andMore is so many symbols and some more, as partitions are not of one length.
func (p *parser) andMore(n int) int { return min(p.flightSize, n+n/8) }

// usual is how many symbols the longest flight has, but for what is carried into it.
func (f *feed) usual() int {
	if f.device != 0 {
		return min(f.p.flightSize, len(f.data))
	}
	return f.p.largest(len(f.data))
}

func (f *feed) copy(b *feedBlock) error {
	s := b.stage
	if err := s.open(f.p.device, f.p.largest(len(f.data)), f.p.blockRoom(len(f.data))); err != nil {
		s.close(f.p.device)
		return err
	}
	if s.used { // the copies of the block before are done when that has been reached
		if err := s.copied.Synchronize(); err != nil {
			return err
		}
	}
	f.lying.release(s)
	if ok, err := f.lying.upload(f.p.in, b); ok || err != nil {
		if err != nil {
			return err
		}
		return f.p.in.Record(s.there)
	}
	from := f.data[b.from:b.to]
	if !f.p.inputPinned {
		pinned, err := s.pin(f.p.device, len(from))
		if err != nil {
			return err
		}
		if err := f.p.copyIn(pinned, from, b.from); err != nil {
			return err
		}
		from, b.near = pinned, pinned
		f.p.devices.copied.Add(int64(len(from)))
	}
	if err := f.p.in.Upload(s.memory.Address, from); err != nil {
		return err
	}
	return f.p.in.Record(s.there)
}

// copyPiece is how many symbols a worker of copyIn takes at once.
const copyPiece = 512 << 10

// copyIn is copy by several workers: one does not reach the speed of the bus. at is where
// from lies in the partition. Of a file that is mapped the system copies: to read its pages
// in memory would have it map each of them, and take it away again, which takes longer than
// the copy.
func (p *parser) copyIn(to, from []byte, at int) error {
	most := 8
	if p.read != nil { // which is less work for each, and there is nobody else who wants the cores
		most = 16
	}
	inFile := -1 // of from
	if p.read == nil && p.cfg.File != nil && len(from) > 0 {
		inFile = offsetIn(p.cfg.Mapped, from)
	}
	bring := func(lo, hi int) error {
		if p.read != nil {
			_, err := p.read.ReadAt(to[lo:hi], p.readAt+int64(at+lo))
			return err
		}
		if inFile >= 0 {
			n, _ := p.cfg.File.ReadAt(to[lo:hi], int64(inFile+lo))
			lo += n
		}
		copy(to[lo:hi], from[lo:hi]) // what the file does not have any more is told here
		return nil
	}
	errs := make([]error, (len(from)+copyPiece-1)/copyPiece)
	spread.Over(min(p.cfg.Threads, most, len(errs)/2), len(errs), func(i int) {
		lo, hi := i*copyPiece, min((i+1)*copyPiece, len(from))
		errs[i] = runtime.Guard(from, func() error { return bring(lo, hi) })
	})
	return cmp.Or(errs...)
}

// next is the next block; of an empty partition, none with nothing in it.
func (f *feed) next() (feedBlock, error) {
	if f.device != 0 {
		b := feedBlock{from: f.at, to: f.at + f.onDevice(len(f.data)-f.at)}
		f.at = b.to
		return b, nil
	}
	b, ok := <-f.blocks
	if !ok {
		return feedBlock{from: len(f.data), to: len(f.data)}, nil
	}
	return b, b.err
}

// An input on the device is read where it lies, where kernels can: from a multiple of symbolsAlign on, as far as they
// may read beyondFlight bytes behind it. What else there is, at its begin and its end, comes in short flights and is copied.
var (
	shortFlight  = 32 << 20
	beyondFlight = kernels.Padding // less in a test
)

const symbolsAlign = 16

// liesThere reports whether a flight's symbols are read where the caller has them.
func (f *feed) liesThere(from, to int) bool {
	return f.device != 0 && (f.device+uint64(from))%symbolsAlign == 0 && len(f.data)-to >= beyondFlight && len(f.p.columns.maps) == 0
}

// onDevice is how many symbols the next flight of an input on the device has, of those that are left.
func (f *feed) onDevice(left int) int {
	n := min(f.p.flightSize, left)
	switch {
	case left < 4*shortFlight: // which take longer than their copies
	case f.at == 0 && f.device%symbolsAlign != 0:
		return min(n, shortFlight)
	case left-n < beyondFlight:
		return left - shortFlight
	}
	return n
}

// release says that b's copy to where it is parsed has been ordered on s.
func (f *feed) release(b feedBlock, s *device.Stream) error {
	if b.stage == nil {
		return nil
	}
	err := s.Record(b.stage.copied)
	b.stage.used = true
	f.free <- struct{}{}
	return err
}
