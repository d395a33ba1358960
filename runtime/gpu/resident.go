//go:build cuda

package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// This file leaves values in the device's memory, for kernels of the caller's.
//
// A flight's values are copied, on the device, out of the tables that its kernels have
// filled, which have room for any flight, to memory of just their size, which is the
// batch's; the next flight is parsed meanwhile. What the CPU has to say of rows that are
// left comes from the host and is put in its place by kernels, which also close up what
// is left out: see stayed.go. Columns that no kernel converts, and some others, are made on
// the host as a whole, and so is a batch of a flight that the CPU has read.

// Input is what Columns reads: a whole input, in memory of the host or of the device.
type Input struct {
	host    []byte
	file    *os.File // of which host is a mapping
	pinned  bool
	address uint64
	size    int
}

// HostInput is an input in the host's memory. It may not change while it is read.
func HostInput(data []byte) Input { return Input{host: data, size: len(data)} }

// fileInput is a file of the host, which may become shorter while it is read: then that is
// an error. The blocks that go to the device are read, not mapped: a page that is
// mapped costs more than one that is copied.
func fileInput(f *os.File) (in Input, unmap func() error, err error) {
	info, err := f.Stat()
	if err != nil {
		return in, nil, err
	}
	if !info.Mode().IsRegular() {
		return in, nil, &errHost{"the input is no file"}
	}
	if info.Size() == 0 {
		return Input{file: f}, func() error { return nil }, nil
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return in, nil, err
	}
	return Input{host: b, file: f, size: len(b)}, func() error { return syscall.Munmap(b) }, nil
}

// PinnedInput is an input in memory of the host that is pinned, by the driver's
// cuMemHostAlloc or cuMemHostRegister: it goes over the bus from where it lies.
func PinnedInput(data []byte) Input { return Input{host: data, pinned: true, size: len(data)} }

// DeviceInput is an input in the memory of the engine's device, in its primary context.
// It is all there, and may not change while it is read. What the CPU has to read of it
// is copied to the host.
func DeviceInput(address uint64, nbytes int) Input { return Input{address: address, size: nbytes} }

// Columns reads an input to columns in the device's memory, batch by batch. It is used by
// one goroutine:
//
//	for c.Next() {
//		batch := c.Batch() // until the next call of Next, unless it is retained
//	}
//	err := c.Err()
type Columns struct {
	engine *Engine
	input  Input
	parser *parser
	begin  *runtime.Beginning
	schema *arrow.Schema // of the batches
	spec   *dfa.Program
	opts   []runtime.Option

	data     []byte // after the header; of an input on the device what is there of it on the host
	mapped   []byte // data lie in it; nil: they are the caller's
	feed     *feed
	pending  *flight // is being parsed
	last     bool    // nothing comes behind pending
	consumed int
	state    dfa.StateID
	binding  *runtime.Binding
	landed   [4]*device.Event
	flights  int

	memory  *residentMemory
	batch   *DeviceBatch
	dropped int64
	rows    int64
	left    int64
	brought int // bytes of an input on the device, to the host
	extents runtime.Extents
	strict  bool // whatever is to be told of a record ends the reading, by errTold
	err     error
}

// Columns opens an input. The options are those of a Reader, as far as they say what to
// read; batches are as large as flights are: see WithFlight.
func (e *Engine) Columns(in Input, p *dfa.Program, opts ...runtime.Option) (*Columns, error) {
	c := &Columns{engine: e, input: in, spec: p, opts: opts}
	if err := c.open(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// headSize is how much of an input on the device is brought to the host to look at its
// header, at first.
var headSize = 256 << 10 // less in a test

func (c *Columns) open() (err error) {
	ordinals, err := c.engine.all()
	if err != nil {
		return err
	}
	d, err := c.engine.devices.get(ordinals[0])
	if err != nil {
		return err
	}
	c.memory = &residentMemory{device: d}
	whole, headThere := c.input.host, 0
	if c.input.address != 0 {
		if whole, err = c.mapInput(); err != nil {
			return err
		}
		if headThere, err = c.beginOnDevice(d, whole); err != nil {
			return err
		}
	} else if c.begin, err = runtime.Begin(whole, c.spec, c.onHost()...); err != nil {
		return err
	}
	c.data = whole[c.begin.Offset:]
	c.state, c.binding = c.begin.State, c.begin.Binding
	var facts headFacts
	var failed error
	var sampling sync.WaitGroup
	if c.input.address != 0 {
		head := runtime.Partition{Data: c.data[:max(headThere-c.begin.Offset, 0)], State: c.state, Binding: c.binding, Final: headThere == len(whole)}
		sampling.Go(func() { facts, failed = sampleHead(c.begin.Context, c.begin.Plan, &c.begin.Config, head) })
	}
	p, err := c.engine.openFor(ordinals[0], c.begin.Plan, c.begin.Config, true)
	c.parser = p
	sampling.Wait()
	if err := cmp.Or(err, failed); err != nil {
		return err
	}
	if err := p.learn(&facts); err != nil {
		return err
	}
	c.schema = c.begin.Schema
	if p.views = c.engine.views; p.views {
		c.schema = viewSchema(c.schema)
	}
	p.inputPinned = c.input.pinned
	p.read, p.readAt = c.input.file, int64(c.begin.Offset)
	for i := range c.landed {
		if c.landed[i], err = d.NewEvent(false); err != nil {
			return err
		}
	}
	if c.input.pinned && p.flightSize == DefaultFlight {
		p.flightSize = pinnedFlight
	}
	if c.input.address == 0 {
		c.feed = p.feedOf(c.data)
		return nil
	}
	if p.flightSize == DefaultFlight {
		p.flightSize = c.largeFlight(d)
	}
	c.feed = &feed{p: p, data: c.data, device: c.input.address + uint64(c.begin.Offset), stop: make(chan struct{})}
	return nil
}

// onHost are the options for what the host reads by itself.
func (c *Columns) onHost() []runtime.Option {
	return append(slices.Clip(c.opts), runtime.WithEngine(cpu.Engine))
}

// mapInput maps as much memory as the input has, which takes none until it is written.
func (c *Columns) mapInput() (b []byte, err error) {
	if c.input.size == 0 {
		return nil, nil
	}
	c.mapped, err = syscall.Mmap(-1, 0, c.input.size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	return c.mapped, err
}

// beginOnDevice looks at the head of an input on the device, or at all of it where that
// does not hold what comes before the first record, or where directives may stand anywhere.
// It gives how much of it is there, on the host, then.
func (c *Columns) beginOnDevice(d *device.Device, whole []byte) (n int, err error) {
	s, err := d.NewStream()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	n = min(headSize, len(whole))
	if c.spec.Dynamic() && c.spec.Header.Mode != dfa.NamesHeader { // by directives, wherever they stand
		n = len(whole)
	}
	for {
		if err := s.Download(whole[:n], c.input.address); err != nil {
			return n, err
		}
		c.brought += n
		if err := s.Synchronize(); err != nil {
			return n, err
		}
		c.begin, err = runtime.Begin(whole[:n], c.spec, c.onHost()...)
		if n == len(whole) || err == nil && c.begin.Offset < n {
			return n, err
		}
		n = min(8*n, len(whole))
	}
}

// pinnedFlight is how large flights are of an input in pinned memory, where nothing but the bus
// and the kernels takes part: with 32 MiB what comes between two of them counts.
const pinnedFlight = 64 << 20

// mostFlight is how large flights are of an input on the device, if they can be: what
// comes between two of them, half a millisecond or less, should not count.
const mostFlight = 512 << 20

// largeFlight is how large they are with the memory that there is, of which the tables of
// flights may take a third.
func (c *Columns) largeFlight(d *device.Device) int {
	free, _, err := d.Free()
	n := mostFlight
	for err == nil && n > DefaultFlight {
		symbols, rows := c.parser.slotRoom(min(n, len(c.data)))
		if _, nbytes := planSlot(d, c.parser.slotShape(), symbols, rows); 2*nbytes <= free/3 {
			break
		}
		n /= 2
	}
	return n
}

// Schema is that of the batches.
func (c *Columns) Schema() *arrow.Schema { return c.schema }

// Device is the ordinal of the device.
func (c *Columns) Device() int { return c.parser.device.Info().Ordinal }

// Next goes to the next batch, which may still be on its way: see DeviceBatch.Wait.
func (c *Columns) Next() bool {
	if c.batch != nil {
		c.batch.Release()
		c.batch = nil
	}
	for c.err == nil && c.batch == nil {
		if c.pending == nil && (c.last || len(c.data) == 0) {
			return false
		}
		c.err = c.step()
	}
	return c.err == nil
}

// Batch is the current batch.
func (c *Columns) Batch() *DeviceBatch { return c.batch }

// Rows is how many rows the batches so far have, and Dropped how many records were left
// out of them, by the error mode.
func (c *Columns) Rows() int64 { return c.rows }

// Dropped is explained at Rows.
func (c *Columns) Dropped() int64 { return c.dropped }

// Left is how many of the rows so far the CPU has read, because kernels did not know the
// answer.
func (c *Columns) Left() int64 { return c.left }

// Err is why Next has ended before the input did, or nil.
func (c *Columns) Err() error { return c.err }

// Close ends the reading. Batches that are retained stay as they are.
func (c *Columns) Close() error {
	if c.batch != nil {
		c.batch.Release()
		c.batch = nil
	}
	c.data, c.pending, c.last = nil, nil, true
	if c.feed != nil {
		c.feed.close()
		c.feed = nil
	}
	var errs []error
	if c.parser != nil {
		errs = append(errs, c.parser.Close())
		c.parser = nil
	}
	for _, e := range c.landed {
		if e != nil {
			errs = append(errs, e.Close())
		}
	}
	c.landed = [4]*device.Event{}
	if c.mapped != nil {
		errs = append(errs, syscall.Munmap(c.mapped))
		c.mapped = nil
	}
	if c.memory != nil {
		c.memory.close()
	}
	return errors.Join(errs...)
}

// launch has the next flight parsed, behind one that has been counted.
func (c *Columns) launch(before *flight) error {
	p := c.parser
	b, err := c.feed.next()
	if err != nil {
		return err
	}
	c.last = b.to == len(c.data)
	x := &flight{from: c.consumed, haul: p.hauls.take(), part: runtime.Partition{
		Data: c.data[c.consumed:b.to], State: c.state, Binding: c.binding, Final: c.last}}
	c.pending = x
	if c.mapped != nil {
		x.bring = func(of symbolRange) error { return c.bring(x, of) }
	}
	if p.events.used >= len(c.landed) { // of those, two are in use
		p.events.reset()
	}
	if p.isHosts(c.binding) {
		if err := c.feed.release(b, p.parse); err != nil {
			return err
		}
		return nil
	}
	return p.launch(c.feed, b, before, x)
}

// bring has some of a flight's symbols be there on the host.
func (c *Columns) bring(x *flight, of symbolRange) error {
	c.brought += of.to - of.from
	if err := c.parser.out.Download(x.part.Data[of.from:of.to], c.feed.device+uint64(x.from+of.from)); err != nil {
		return err
	}
	return c.parser.out.Synchronize()
}

// gather brings parts of a flight's symbols to the host, one behind the other: at is where each of them is. They are put
// together on the device, where the kernels are done with the flight: a copy of each takes longer than what it copies.
func (c *Columns) gather(x *flight, parts []symbolRange) (symbols []byte, at []int, err error) {
	p, address, size := c.parser, c.feed.device+uint64(x.from), 0
	list := make([]broughtImage, len(parts))
	for i, part := range parts {
		list[i] = broughtImage{From: uint32(part.from), End: uint32(part.to), At: uint64(size)}
		at = append(at, size)
		size += part.to - part.from
	}
	c.brought += size
	if symbols, err = x.haul.pinned.take(size); err != nil {
		return nil, nil, err
	}
	if room := x.slot.scratch; len(parts) > 1 && broughtSize*len(list)+size <= room.size {
		err = p.stages.patch.bring(p.out, room.address, address, list)
		if err == nil {
			err = p.out.Download(symbols, room.address+uint64(broughtSize*len(list)))
		}
	} else {
		for i := 0; i < len(list) && err == nil; i++ {
			err = p.out.Download(symbols[at[i]:][:parts[i].to-parts[i].from], address+uint64(list[i].From))
		}
	}
	return symbols, at, errors.Join(err, p.out.Synchronize())
}

// step reads a flight, begins the next one, and makes a batch of the first.
func (c *Columns) step() error {
	p := c.parser
	ctx := c.begin.Context
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.pending == nil {
		if err := c.launch(nil); err != nil {
			return err
		}
	}
	x := c.pending
	var err error
	if x.slot == nil {
		err = p.readWhole(ctx, x)
	} else {
		err = p.count(ctx, x)
	}
	if err != nil {
		return err
	}
	if x.refused != nil {
		return c.explain(x.refused.Err)
	}
	if !c.last && c.feed.device != 0 {
		if err := c.align(x); err != nil {
			return err
		}
	}
	if x.onCPU != nil && x.slot == nil {
		p.counted.RowsLeft += int64(x.onCPU.NRows())
	}
	c.consumed, c.state, c.binding = x.from+x.consumed, x.state, x.binding
	c.extents.Add(&x.extents)
	c.pending = nil
	if !c.last {
		if err := c.launch(x); err != nil {
			return err
		}
	}
	defer func() {
		x.haul.lease.Release()
		p.result().nwhole = 0 // what the CPU has read has been copied
		if c.mapped != nil && c.last && c.pending == nil {
			return
		}
		if c.mapped != nil {
			c.forget(x)
		}
	}()
	if c.batch, err = c.keep(x); err != nil {
		return err
	}
	c.left = p.counted.RowsLeft // without rows that are parsed again, see align
	if c.batch != nil {
		c.rows += int64(c.batch.Rows)
	}
	return nil
}

// mostAlign is how many records at the end of a flight are looked at for one behind which the next flight
// is read where it lies, in the last of its alignShare parts: what follows makes the next flight larger.
const (
	mostAlign  = 1024
	alignShare = 4
)

// align has a flight of an input on the device end with a record behind which the next flight is read where it
// lies, if there is one near its end: what follows it is parsed again.
func (c *Columns) align(x *flight) error {
	p, rows := c.parser, int(x.counts.Rows)
	n := min(rows, mostAlign)
	if n == 0 || !x.fused || x.onCPU != nil || x.counts.Records != x.counts.Rows || len(p.theirs)+len(p.columns.maps) > 0 || p.transpose.length > 0 {
		return nil
	}
	b, err := x.haul.pinned.take(4 * n)
	if err != nil {
		return err
	}
	if err := p.in.Download(b, x.slot.job.Found+uint64(4*(rows-n))); err != nil { // Fused.record_end
		return err
	}
	if err := p.in.Synchronize(); err != nil {
		return err
	}
	ends := wordsOf(b)
	for i := n - 1; i >= 0; i-- {
		end := int(ends[i]) + 1
		if len(x.part.Data)-end > len(x.part.Data)/alignShare {
			break
		}
		if (c.feed.device+uint64(x.from+end))%symbolsAlign != 0 {
			continue
		}
		rows -= n - i - 1
		x.counts.Rows, x.counts.Records, x.counts.Consumed = uint32(rows), uint32(rows), uint32(end)
		x.consumed = end
		x.extents = x.count()
		return nil
	}
	return nil
}

// forget gives the memory back that a flight of an input on the device has taken on the
// host.
func (c *Columns) forget(x *flight) {
	const page = 4 << 10
	at := len(c.mapped) - len(c.data) + x.from
	from, to := (at+page-1)&^(page-1), (at+x.consumed)&^(page-1)
	if from < to {
		_ = syscall.Madvise(c.mapped[from:to], syscall.MADV_DONTNEED) // advice
	}
}

// explain is the error that a Reader ends with, which says where and what: the host reads
// the input again, up to there.
func (c *Columns) explain(otherwise error) error {
	whole := c.input.host
	if c.mapped != nil {
		whole = c.mapped
		if err := c.parser.out.Download(whole, c.input.address); err != nil {
			return err
		}
		if err := c.parser.out.Synchronize(); err != nil {
			return err
		}
	}
	r, err := runtime.ReadBytes(whole, c.spec, c.onHost()...)
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
	}
	if r.Err() != nil {
		return r.Err()
	}
	return otherwise
}

// errTold is that something is to be told of a record, which Columns that are strict do not.
var errTold = &errHost{"a record is to be told of"}

// judge finds out which rows are left out, or the error that ends the reading.
func (c *Columns) judge(problems []runtime.Problem) (gone []int, err error) {
	if c.strict && len(problems) > 0 {
		return nil, errTold
	}
	for i := range problems {
		pr := &problems[i]
		switch drops := c.begin.Plan.Drops; {
		case c.begin.Fails && !c.begin.Lenient(pr):
			return nil, c.explain(fmt.Errorf("gpu: a record that cannot be read"))
		case drops != nil && drops(pr) && (len(gone) == 0 || gone[len(gone)-1] != pr.Row):
			gone = append(gone, pr.Row)
		}
	}
	c.dropped += int64(len(gone))
	return gone, nil
}

// keep makes a batch of a flight, nil if it has no rows.
func (c *Columns) keep(x *flight) (*DeviceBatch, error) {
	k := &keeping{c: c, p: c.parser, x: x, rows: int(x.counts.Rows)}
	if x.onCPU != nil {
		return k.ofHost()
	}
	if k.rows == 0 {
		return nil, nil
	}
	return k.ofDevice()
}
