//go:build cuda

package gpu

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// tester is what rapid.T and testing.TB have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// rowsDevice is a device for the tests of the stages that go by rows.
type rowsDevice struct {
	*device.Device
	stream    *device.Stream
	partition *partitionStage
	split     *splitStage
	strings   *stringsStage
}

// openRows opens the device, or skips the test.
func openRows(tb testing.TB) *rowsDevice {
	tb.Helper()
	d, err := device.Open(0)
	if err != nil {
		tb.Skipf("no device: %v", err)
	}
	x := &rowsDevice{Device: d}
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	x.stream, err = d.NewStream()
	must(err)
	x.partition, err = newPartitionStage(d)
	must(err)
	x.split, err = newSplitStage(d)
	must(err)
	x.strings, err = newStringsStage(d)
	must(err)
	tb.Cleanup(func() {
		x.stream.Close()
		d.Close()
	})
	return x
}

// memory is what a test has on the device, given back by free.
type memory struct {
	t      tester
	d      *rowsDevice
	blocks []device.Memory
}

func (m *memory) free() {
	for _, b := range m.blocks {
		if err := m.d.FreeMemory(b); err != nil {
			m.t.Fatal(err)
		}
	}
}

// alloc gives n bytes, each 0xa5: nothing may count on memory being zero.
func (m *memory) alloc(n int) uint64 {
	b, err := m.d.Alloc(max(n, 1))
	if err != nil {
		m.t.Fatal(err)
	}
	m.blocks = append(m.blocks, b)
	if err := m.d.stream.Fill(b.Address, 0xa5, b.Size); err != nil {
		m.t.Fatal(err)
	}
	return b.Address
}

func rawBytes[T any](v []T) []byte {
	var x T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(x)))
}

// put gives the address of a copy of v, with so many more bytes behind it.
// placed puts a structure there.
func placed[T any](m *memory, v T) pointer[T] { return pointer[T](put(m, []T{v}, 0)) }

func put[T any](m *memory, v []T, more int) uint64 {
	b := rawBytes(v)
	at := m.alloc(len(b) + more)
	if err := m.d.stream.Upload(at, b); err != nil {
		m.t.Fatal(err)
	}
	return at
}

func get[T any](m *memory, at uint64, n int) []T {
	v := make([]T, n)
	if err := m.d.stream.Download(rawBytes(v), at); err != nil {
		m.t.Fatal(err)
	}
	if err := m.d.stream.Synchronize(); err != nil {
		m.t.Fatal(err)
	}
	return v
}

// rows is a partition as the reference's index and shape have it, and its
// tables on the device as the stage index would have made them.
type rows struct {
	memory
	plan     *runtime.Plan
	data     []byte
	state    dfa.StateID
	ix       *reference.Index
	segments []reference.Segment
	shape    *reference.Shape

	isData []bool
	value  []byte

	program             pointer[kernels.Program]
	job                 pointer[kernels.Job]
	counts              uint64 // address
	dataAddr, valueAddr uint64
	scratch             uint64
	scratchSize         int
	flags               uint32
}

func setBits(n int, on func(int) bool) []uint32 {
	words := make([]uint32, n/32+2)
	for i := range n {
		if on(i) {
			words[i>>5] |= 1 << (i & 31)
		}
	}
	return words
}

// putAutomaton gives the address of an automaton's Program, without what the
// stage context reads.
func (m *memory) putAutomaton(a *dfa.Automaton) uint64 {
	im := newImage(a, &trackTables{})
	at := m.alloc(len(im.blob))
	im.place(at)
	if err := m.d.stream.Upload(at, im.blob); err != nil {
		m.t.Fatal(err)
	}
	return at
}

// newRows shapes data by the reference and lays the tables out. Its memory is
// to be freed.
func newRows(t tester, d *rowsDevice, plan *runtime.Plan, data []byte, final bool, binding *runtime.Binding) *rows {
	t.Helper()
	a := plan.Program.Automaton
	x := &rows{memory: memory{t: t, d: d}, plan: plan, data: data, state: a.Start}
	g := reference.Grid{Chunk: 4096, Threads: 1}
	x.ix = reference.BuildIndex(g, a, data, reference.Contexts(g, a, data, x.state), final)
	x.segments, _ = reference.Segments(g, plan, data, x.ix, binding)
	x.shape = reference.NewShape(g, plan, x.ix, x.segments)

	n := len(data)
	f, r := &x.ix.Fields, &x.ix.Records
	x.isData, x.value = make([]bool, n), slices.Clone(data)
	for p := range data {
		var value byte
		if value, x.isData[p] = x.ix.Value(a, data, p); x.isData[p] {
			x.value[p] = value
		}
	}
	before := []uint32{0}
	sum := uint32(0)
	for p := range data {
		if x.isData[p] {
			sum++
		}
		if p%kernels.Chunk == kernels.Chunk-1 || p == n-1 {
			before = append(before, sum)
		}
	}
	found, mark, column := make([]uint32, f.Len()), make([]uint32, f.Len()), make([]uint16, f.Len())
	for i, p := range f.Found {
		found[i], column[i] = uint32(p), uint16(f.Column[i])
		mark[i] = transition(a, x.ix.State[min(p+1, n)], x.ix.Emission[p])
		if p == n {
			mark[i] |= kernels.EndOfInput
		}
	}
	last, rowRecord := make([]uint32, r.Len()), []uint32{}
	for i := range last {
		last[i] = uint32(r.Fields[i+1] - 1)
		if r.Kind[i] == dfa.DataRecord {
			rowRecord = append(rowRecord, uint32(i))
		}
	}
	x.program, x.flags = pointer[kernels.Program](x.putAutomaton(a)), programFlags(a)
	x.counts = put(&x.memory, []kernels.Counts{{
		Fields: uint32(f.Len()), Records: uint32(r.Len()), Rows: uint32(len(rowRecord)), Data: sum, EndState: uint32(x.ix.State[n]),
	}}, 0)
	x.dataAddr = put(&x.memory, data, kernels.Padding)
	x.valueAddr = x.dataAddr
	if x.flags&kernels.HasCoded != 0 {
		x.valueAddr = put(&x.memory, x.value, kernels.Padding)
	}
	x.scratchSize = stringsScratch(len(rowRecord)+100, 64)
	x.scratch = x.alloc(x.scratchSize)
	job := kernels.Job{
		Data: x.dataAddr, Size: uint32(n), State: uint32(x.state),
		Found: put(&x.memory, found, 0), Mark: put(&x.memory, mark, 0), RecordLast: put(&x.memory, last, 0),
		Fault:  put(&x.memory, setBits(r.Len(), func(i int) bool { return r.Fault[i] >= 0 }), 0),
		IsData: put(&x.memory, setBits(n, func(p int) bool { return x.isData[p] }), 0), DataBefore: put(&x.memory, before, 0),
		Value: x.valueAddr, Counts: x.counts, Scratch: x.scratch, ScratchSize: uint64(x.scratchSize),
	}
	if final {
		job.Final = 1
	}
	if x.flags&kernels.HasColumns != 0 {
		job.Column = put(&x.memory, column, 0)
	}
	if x.flags&kernels.HasKinds != 0 {
		job.RowRecord = put(&x.memory, rowRecord, 0)
	}
	x.job = placed(&x.memory, job)
	return x
}

// deliveryRows is a delivery on the device: those rows of a segment that fit, and its
// columns of the spans: one for each that the shape wants, then nparts more.
type deliveryRows struct {
	*rows
	kernels.Delivery
	segment  *reference.Segment
	from, n  int // rows of the shape
	nparts   int
	capacity int
}

// deliveryOf lays out the delivery of a segment, with memory for so many rows.
func (x *rows) deliveryOf(segment, capacity, nparts int, recordStarts bool) *deliveryRows {
	b := &deliveryRows{rows: x, segment: &x.segments[segment], nparts: nparts, capacity: capacity}
	for b.from < len(x.shape.Segment) && x.shape.Segment[b.from] < segment {
		b.from++
	}
	to := b.from
	for to < len(x.shape.Segment) && x.shape.Segment[to] == segment {
		to++
	}
	b.n = min(to-b.from, capacity)

	binding := b.segment.Binding
	nfields := binding.MaxFields
	for _, field := range binding.Source {
		nfields = max(nfields, field+1)
	}
	wanted := len(x.shape.Wanted)
	column, class := slices.Repeat([]int32{-1}, nfields), make([]uint8, nfields)
	number := slices.Repeat([]int32{kernels.NoField}, wanted+nparts)
	for i := range nparts {
		number[wanted+i] = kernels.PartField
	}
	for c, field := range binding.Source {
		if field < 0 {
			continue
		}
		w := slices.Index(x.shape.Wanted, c)
		column[field], class[field] = int32(w), x.plan.Columns[c].Class
		if w >= 0 {
			number[w] = int32(field)
		}
	}
	var widths []uint32
	for _, w := range x.plan.Program.Widths {
		widths = append(widths, uint32(w))
	}
	spans := (wanted + nparts) * capacity * 4
	b.Delivery = kernels.Delivery{
		RowFrom: uint32(b.from), RowTo: uint32(to), Capacity: uint32(capacity), MaxRecord: uint32(x.plan.MaxRecord),
		MinFields: uint32(binding.MinFields), MaxFields: uint32(binding.MaxFields), Rest: int32(binding.Rest),
		NFields: uint32(nfields), NColumns: uint32(wanted + nparts),
		FieldColumn: put(&x.memory, column, 0), FieldClass: put(&x.memory, class, 0), Widths: put(&x.memory, widths, 0), NWidths: uint32(len(widths)),
		ColumnField: put(&x.memory, number, 0),
		SpanStart:   x.alloc(spans), SpanEnd: x.alloc(spans), Malformed: x.alloc((capacity + 31) / 32 * 4),
	}
	if binding.Truncate {
		b.Truncate = 1
	}
	if recordStarts {
		b.RecordStart = x.alloc(4 * (capacity + 1))
	}
	return b
}

// runPartition runs the stage partition and gives the address of the delivery.
func (b *deliveryRows) runPartition() pointer[kernels.Delivery] {
	at := placed(&b.memory, b.Delivery)
	if err := b.d.partition.launch(b.d.stream, b.program, b.job, at, b.capacity); err != nil {
		b.t.Fatal(err)
	}
	return at
}

// spans are the columns of the spans, as the device has them.
func (b *deliveryRows) spans() (start, end [][]uint32) {
	all := int(b.NColumns)
	s, e := get[uint32](&b.memory, b.SpanStart, all*b.capacity), get[uint32](&b.memory, b.SpanEnd, all*b.capacity)
	for c := range all {
		start, end = append(start, s[c*b.capacity:][:b.n]), append(end, e[c*b.capacity:][:b.n])
	}
	return start, end
}

// want is the value that the reference has for a wanted column of a row of the
// delivery, and whether it is taken as written; nil if there is none.
func (b *deliveryRows) want(w, row int) (value []byte, raw bool) {
	i := b.shape.Span[w][b.from+row]
	if i < 0 {
		return nil, false
	}
	t := &b.shape.Spans
	if t.Raw[i] {
		return b.data[t.Start[i]:t.End[i]:t.End[i]], true
	}
	value = []byte{}
	for p := t.Start[i]; p < t.End[i]; p++ {
		if b.isData[p] {
			value = append(value, b.value[p])
		}
	}
	return value, false
}

// read is the value that a span is; what is not data it may have only if it is
// scattered.
func (b *deliveryRows) read(start, end uint32, raw bool) []byte {
	if raw {
		return b.data[start:end:end]
	}
	if start&kernels.Scattered == 0 {
		return b.value[start:end:end]
	}
	value := []byte{}
	for p := start &^ kernels.Scattered; p < end; p++ {
		if b.isData[p] {
			value = append(value, b.value[p])
		}
	}
	return value
}
