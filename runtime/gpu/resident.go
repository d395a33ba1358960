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
	goheap "github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/spread"
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

// keeping is a batch in the making.
type keeping struct {
	c    *Columns
	p    *parser
	x    *flight
	rows int
	runs []run
	gone []int // rows that are left out, in order

	bitmaps [][]byte // per output of the device: validity on the host; nil: it is not there
	todo    [][]byte // per output: rows that are left; nil: none

	addresses [][]byte // per output of the device: the bytes of its texts, a uint64; nil: it is none of addresses

	parts  []part
	size   int
	behind []func() error // what is ordered when these are there
	goneAt *Buffer        // gone, nil: nobody has asked for it

	once   map[uint64]*Buffer // what several columns' views are into, in the batch's memory: by where it is on the device
	shared []sharedBuffer     // that memory as other columns have it
}

// part is a buffer that is to be filled: from the device, or from the host, or later by a kernel.
type part struct {
	buffer *Buffer
	from   uint64
	host   []byte
}

// take gives a buffer its place in the batch's memory.
func (k *keeping) take(b *Buffer, from uint64, host []byte, n int) {
	b.Size = n
	if n == 0 {
		return
	}
	b.Address = uint64(k.size) // in the memory to come
	k.size += pitchOf(n)
	k.parts = append(k.parts, part{b, from, host})
}

// ofHost makes a batch of rows that the CPU has read.
func (k *keeping) ofHost() (*DeviceBatch, error) {
	outputs := make([]int, len(k.p.plan.Outputs))
	for i := range outputs {
		outputs[i] = i
	}
	patches, n := newPatches(k.p.plan, outputs), 0
	var problems []runtime.Problem
	for i := range k.x.onCPU.Rows {
		rows := &k.x.onCPU.Rows[i]
		for c, column := range rows.Columns {
			patches[c].column.AppendRows(column, rows.From, rows.From+rows.N)
		}
		for _, problem := range rows.Problems {
			problem.Row += n
			problems = append(problems, problem)
		}
		if k.c.strict && len(rows.Notes) > 0 {
			return nil, errTold
		}
		n += rows.N
	}
	var all []*columns.Column
	for _, patch := range patches {
		all = append(all, patch.column)
	}
	return k.hosted(all, n, problems)
}

// hosted makes a batch of columns of the host, less the rows that are left out.
func (k *keeping) hosted(all []*columns.Column, rows int, problems []runtime.Problem) (*DeviceBatch, error) {
	gone, err := k.c.judge(problems)
	if err != nil || rows == len(gone) {
		return nil, err
	}
	b := &DeviceBatch{Rows: rows - len(gone), Columns: make([]Column, len(all))}
	for i, column := range all {
		column.Remove(0, gone)
		k.upload(&b.Columns[i], column)
	}
	return k.finish(b)
}

// upload has a column's rows copied from the host.
func (k *keeping) upload(to *Column, from *columns.Column) {
	array := from.Array(goheap.DefaultAllocator)
	defer array.Release()
	if view := viewType(array.DataType()); k.p.views && view != nil {
		k.uploadViews(to, view, array.Data())
		return
	}
	k.uploadData(to, array.Data())
}

func (k *keeping) uploadData(to *Column, from arrow.ArrayData) {
	to.Type, to.Len, to.Nulls = from.DataType(), from.Len(), from.NullN()
	to.Buffers = make([]Buffer, len(from.Buffers()))
	for i, b := range from.Buffers() {
		if b != nil {
			k.take(&to.Buffers[i], 0, slices.Clip(b.Bytes()), b.Len())
		}
	}
	to.Children = make([]Column, len(from.Children()))
	for i, child := range from.Children() {
		k.uploadData(&to.Children[i], child)
	}
	if _, ok := to.Type.(*arrow.DictionaryType); ok {
		to.Dictionary = &Column{}
		k.uploadData(to.Dictionary, from.Dictionary())
	}
}

// look brings what decides how values are kept: bitmaps of columns that may have nulls,
// and the rows that are left.
func (k *keeping) look() error {
	p, x, s := k.p, k.x, k.x.slot
	if err := p.out.Wait(x.parsed); err != nil {
		return err
	}
	bitmap, pitch := (k.rows+7)/8, pitchOf(4*(s.rows/32+2))
	k.bitmaps, k.todo = make([][]byte, len(s.outputs)), make([][]byte, len(s.outputs))
	var all []download
	patched := p.leavesRecords(x) && x.left > 0
	for i := range s.outputs {
		nulls, left := x.counter(i, 0), x.counter(i, 1)
		if left > 0 || patched || nulls > 0 && x.fused { // which has counted the record that the flight does not complete
			all = append(all, download{s.outputs[i].Valid, bitmap, pitch, &k.bitmaps[i]})
		}
		if left > 0 {
			all = append(all, download{s.outputs[i].Todo, bitmap, pitch, &k.todo[i]})
		}
	}
	sums, err := k.countAddresses()
	if err != nil {
		return err
	}
	all = append(append(all, sums...), download{s.list.address, x.left * leftSize, 0, &x.list})
	if err := p.download(&x.haul.pinned, all); err != nil {
		return err
	}
	if x.left == 0 && len(all) == 1 {
		return nil
	}
	return p.out.Synchronize()
}

// ofDevice makes a batch of what the kernels have left on the device.
func (k *keeping) ofDevice() (*DeviceBatch, error) {
	p, x := k.p, k.x
	if err := k.look(); err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(leftRows(x.list), func(r leftRow) bool { return r.row >= k.rows })
	p.counted.RowsLeft -= int64(x.left - len(left)) // they are parsed again, see align
	var err error
	if k.runs, err = k.readRecords(left); err != nil {
		return nil, err
	}
	var problems []runtime.Problem
	noted := len(x.notes) > 0
	for i := range k.runs {
		problems = append(problems, k.runs[i].problems...)
		noted = noted || len(k.runs[i].notes) > 0
	}
	if k.c.strict && noted {
		return nil, errTold
	}
	for _, problem := range x.found {
		if problem.Output >= 0 { // those of whole records are among the others
			problems = append(problems, p.moved(problem, p.theirs, 0))
		}
	}
	runtime.SortProblems(problems)
	for _, c := range x.other {
		if c.Len != k.rows {
			return nil, fmt.Errorf("gpu: the device has %d rows from offset %d on, the CPU %d", k.rows, x.from, c.Len)
		}
	}
	if k.gone, err = k.c.judge(problems); err != nil || len(k.gone) == k.rows {
		return nil, err
	}
	if len(k.gone) > 0 {
		if err := k.bringBitmaps(); err != nil {
			return nil, err
		}
	}
	b := &DeviceBatch{Rows: k.kept(), Columns: make([]Column, len(p.plan.Outputs))}
	edits := make([]replaced, len(p.mine))
	spread.Over(p.cfg.Threads, len(edits), func(i int) { edits[i] = k.replaced(i) })
	for i, o := range p.mine {
		if err := k.column(&b.Columns[o], i, edits[i]); err != nil {
			return nil, err
		}
	}
	for i, o := range p.theirs {
		x.other[i].Remove(0, k.gone)
		k.upload(&b.Columns[o], x.other[i])
	}
	return k.finish(b)
}

// kept is how many rows the batch has.
func (k *keeping) kept() int { return k.rows - len(k.gone) }

// bringBitmaps brings those that look has not, of columns with nulls, as rows of them are left out.
func (k *keeping) bringBitmaps() error {
	var all []download
	for i := range k.bitmaps {
		if k.bitmaps[i] == nil && k.x.counter(i, 0) > 0 {
			all = append(all, download{k.x.slot.outputs[i].Valid, (k.rows + 7) / 8, pitchOf(k.x.slot.rowWords()), &k.bitmaps[i]})
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := k.p.download(&k.x.haul.pinned, all); err != nil {
		return err
	}
	return k.p.out.Synchronize()
}

// readRecords has the CPU read the records of some rows. Of an input on the device, they are brought to the host.
func (k *keeping) readRecords(left []leftRow) ([]run, error) {
	ctx, p, part := k.c.begin.Context, k.p, k.x.part
	if k.c.mapped == nil || len(left) == 0 {
		return p.readLeft(ctx, &part, left)
	}
	const near = 4 << 10 // that much more is brought rather than in two copies
	var parts []symbolRange
	of := make([]int, len(left)) // in which of them a row's record is
	for i, row := range left {
		last := len(parts) - 1
		if last >= 0 && (row.start <= parts[last].to+near || row.row == left[i-1].row+1) { // neighbours are read with what is between them
			parts[last].to = max(parts[last].to, row.end)
		} else {
			parts = append(parts, symbolRange{row.start, row.end})
		}
		of[i] = len(parts) - 1
	}
	end := &parts[len(parts)-1].to
	*end = min(*end, len(part.Data)) // of a record that goes to the end of the input
	symbols, at, err := k.c.gather(k.x, parts)
	if err != nil {
		return nil, err
	}
	part.Data = symbols
	there := slices.Clone(left)
	for i := range there {
		moved := at[of[i]] - parts[of[i]].from
		there[i].start, there[i].end = there[i].start+moved, there[i].end+moved
	}
	runs, err := p.readLeft(ctx, &part, there)
	for i := range runs {
		problems := runs[i].problems
		for j := range problems {
			row, _ := slices.BinarySearchFunc(left, problems[j].Row, func(r leftRow, row int) int { return r.row - row })
			problems[j] = p.moved(problems[j], nil, parts[of[row]].from-at[of[row]])
		}
	}
	return runs, err
}

// edits calls f for the rows of output i that the host has to put in, with where it has
// them.
func (k *keeping) edits(i int, f func(row int, from *columns.Column, at int)) {
	whole := k.p.leavesRecords(k.x)
	if k.todo[i] == nil && !whole {
		return
	}
	for r := range k.runs {
		run := &k.runs[r]
		for j, row := range run.rows {
			if whole || bit(k.todo[i], row.row) {
				f(row.row, run.columns[i].column, run.first+j)
			}
		}
	}
}

// column keeps output i of the device, of which the host puts in some rows.
func (k *keeping) column(to *Column, i int, r replaced) error {
	x, o := k.x, &k.x.slot.outputs[i]
	form, texts := k.formOf(i), k.p.columns.text[i]
	switch {
	case o.Views != 0:
		k.views(to, i, viewType(form.Arrow), r)
		return nil
	case form.Texts != nil:
		k.addressTexts(to, i, form, r)
		return nil
	case !texts && form.Width == 0 && len(r.rows)+len(k.gone) > 0:
		c, err := k.host(i)
		if err != nil {
			return err
		}
		c.Remove(0, k.gone)
		k.upload(to, c)
		return nil
	}
	to.Type, to.Len = form.Arrow, k.kept()
	to.Buffers = make([]Buffer, 2, 3)
	k.validity(to, i, r)
	switch {
	case texts:
		to.Buffers = to.Buffers[:3]
		text := x.text(i)
		text.address += x.slot.heap.address
		if len(r.rows)+len(k.gone) > 0 {
			k.patchTexts(to, o.Offsets, text, r)
			break
		}
		k.take(&to.Buffers[1], o.Offsets, nil, 4*(k.rows+1))
		k.take(&to.Buffers[2], text.address, nil, text.size)
	case o.Width == 0:
		k.take(&to.Buffers[1], o.Fixed, nil, (k.rows+7)/8)
	default:
		k.takeValues(&to.Buffers[1], o.Fixed, form.Width)
		k.patchValues(&to.Buffers[1], r.moved, r.values, form.Width)
	}
	if form.Tokens != nil {
		array := columns.New(form).Array(goheap.DefaultAllocator)
		defer array.Release()
		to.Dictionary = &Column{}
		k.uploadData(to.Dictionary, array.Data().Dictionary())
	}
	return nil
}

// replaced are the rows of a column that the host puts in, and are not left out.
type replaced struct {
	rows, moved []uint32 // as the device counts them, and as the batch does
	values      []byte   // or texts,
	ends        []uint32 // which end there

	valid []byte // the column's bitmap, nil: no row is null,
	nulls int    // and how many are
}

// replaced finds them, of output i, and completes its bitmap.
func (k *keeping) replaced(i int) (r replaced) {
	width := k.formOf(i).Width // 0: they are texts, or bits
	before := 0                // rows left out
	k.edits(i, func(row int, from *columns.Column, at int) {
		setBit(k.bitmaps[i], row, from.IsValid(at))
		for before < len(k.gone) && k.gone[before] < row {
			before++
		}
		if before < len(k.gone) && k.gone[before] == row {
			return
		}
		r.rows, r.moved = append(r.rows, uint32(row)), append(r.moved, uint32(row-before))
		switch {
		case width > 0:
			r.values = append(r.values, from.Fixed[at*width:][:width]...)
		case from.Offsets != nil:
			r.values = append(r.values, from.Data[from.Offsets[at]:from.Offsets[at+1]]...)
			r.ends = append(r.ends, uint32(len(r.values)))
		}
	})
	if r.valid = k.bitmaps[i]; r.valid == nil {
		r.nulls = k.x.counter(i, 0)
		return r
	}
	cutBits(r.valid, k.rows)
	if len(k.gone) > 0 {
		r.valid = columns.RemoveBits(r.valid, k.rows, 0, k.gone)
	}
	r.nulls = k.kept() - ones(r.valid)
	return r
}

// validity keeps the bitmap of output i.
func (k *keeping) validity(to *Column, i int, r replaced) {
	to.Nulls = r.nulls
	switch bitmap := (k.kept() + 7) / 8; {
	case to.Nulls == 0:
	case len(r.rows)+len(k.gone) > 0:
		k.take(&to.Buffers[0], 0, r.valid[:bitmap], bitmap)
	default:
		k.take(&to.Buffers[0], k.x.slot.outputs[i].Valid, nil, bitmap)
	}
}

// host brings output i, whose values are bits, to the host and completes it.
func (k *keeping) host(i int) (*columns.Column, error) {
	p, x, o := k.p, k.x, &k.x.slot.outputs[i]
	c := convert.NewColumn(&p.plan.Def(p.plan.Outputs[p.mine[i]]).Type)
	c.Len = k.rows
	bitmap := (k.rows + 7) / 8
	c.Valid, c.Fixed = make([]byte, bitmap), make([]byte, bitmap)
	if err := p.out.Download(c.Valid, o.Valid); err != nil {
		return nil, err
	}
	if err := p.out.Download(c.Fixed, o.Fixed); err != nil {
		return nil, err
	}
	if err := p.out.Synchronize(); err != nil {
		return nil, err
	}
	if p.transpose.length > 0 && x.counter(i, 0) == 0 && x.counter(i, 1) == 0 {
		fill(c.Valid, 0xff) // no kernel has written it
	}
	cutBits(c.Fixed, k.rows)
	cutBits(c.Valid, k.rows)
	if todo := k.todo[i]; p.leavesRecords(x) {
		patchRows(c, nil, k.runs, i)
	} else if todo != nil {
		patchRows(c, todo, k.runs, i)
	}
	c.Nulls = c.Len - ones(c.Valid)
	return c, nil
}

// finish gives a batch its memory and orders its copies.
func (k *keeping) finish(b *DeviceBatch) (*DeviceBatch, error) {
	c, p := k.c, k.p
	for i := range b.Columns {
		b.Columns[i].Name = c.schema.Field(i).Name
		b.Columns[i].batch = b
	}
	b.schema, b.device = c.schema, p.device
	m, err := c.memory.take(k.size)
	if err != nil {
		return nil, err
	}
	b.memory = m
	b.lease = columns.NewLease(func() { c.memory.back(m) })
	err = func() error {
		for _, part := range k.parts {
			part.buffer.Address += m.memory.Address
			var err error
			switch {
			case part.host != nil:
				err = p.out.Upload(part.buffer.Address, part.host)
			case part.from != 0:
				err = p.out.Copy(part.buffer.Address, part.from, part.buffer.Size)
			}
			if err != nil {
				return err
			}
		}
		for _, s := range k.shared {
			*s.buffer = *s.of
		}
		for _, order := range k.behind {
			if err := order(); err != nil {
				return err
			}
		}
		if s := k.x.slot; s != nil { // the tables are the next but one flight's when that is done
			s.landed = c.landed[c.flights%len(c.landed)]
			c.flights++
			if err := p.out.Record(s.landed); err != nil {
				return err
			}
		}
		return p.out.Record(m.ready)
	}()
	if err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}
