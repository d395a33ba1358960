//go:build cuda

package gpu

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// Engine is the engine "gpu". Its parsers share the kernels that a device has
// loaded and nothing else, so several may work side by side, on one device or
// on many.
type Engine struct {
	flightSize int // symbols
	general    bool
	hold       bool // files are read where they lie
	pinned     bool // and so are inputs in memory
	views      bool // of texts that stay
	tagging    Tagging
	noMasks    bool      // fields are not found by masks, where they could be
	ordinals   []int     // of the devices; none: all that there are
	fallback   *fallback // nil: a failure of the device, of which there is one, is an error
	devices    *devices
}

// Option changes how an Engine works, and, but for WithTextViews, never what it gives.
type Option func(*Engine)

// WithDevice sets the GPU by its ordinal, from 0, which is the default.
func WithDevice(ordinal int) Option { return Devices(ordinal) }

// WithFlight sets the symbols that are parsed at once; the default is
// DefaultFlight.
func WithFlight(symbols int) Option { return func(e *Engine) { e.flightSize = symbols } }

// WithGeneralPath rules the fused path out.
func WithGeneralPath() Option { return func(e *Engine) { e.general = true } }

// WithHeldFiles has the device read files that are mapped where they lie, in the system's
// cache, which are held there meanwhile, rather than have the cores copy them to pinned
// memory. That leaves the cores to others, and is slower where there are many of them.
func WithHeldFiles() Option { return func(e *Engine) { e.hold = true } }

// WithPinnedInput says that inputs in memory, those of runtime.ReadBytes, are pinned, by the
// driver's cuMemHostAlloc or cuMemHostRegister: they go over the bus from where they lie, and
// no core copies them. Of an input that is not it is no error, but slow.
func WithPinnedInput() Option { return func(e *Engine) { e.pinned = true } }

// WithoutMasks has the fused path find contexts whatever the automaton: kernels/fused.cu
// in place of kernels/tiles.cu.
func WithoutMasks() Option { return func(e *Engine) { e.noMasks = true } }

// WithTextViews has Columns give texts as views into the input, Arrow's Utf8View and BinaryView, in
// place of offsets and a copy of their bytes, but for those within lists and maps. It is of no
// effect on Readers.
func WithTextViews() Option { return func(e *Engine) { e.views = true } }

// WithTagging has the symbols of each column moved together. Like
// WithGeneralPath it rules the fused path out, unless it is TaggingNone.
func WithTagging(t Tagging) Option {
	return func(e *Engine) { e.tagging, e.general = t, e.general || t != TaggingNone }
}

// New makes an engine with devices of its own.
func New(opts ...Option) *Engine {
	e := &Engine{flightSize: DefaultFlight, ordinals: []int{0}, devices: &devices{}}
	for _, f := range opts {
		f(e)
	}
	if e.fallback == nil && len(e.ordinals) != 1 {
		e.fallback = &fallback{report: func(error) {}}
	}
	return e
}

// DefaultFlight is in symbols: long enough to fill the device, and short enough that what
// comes in, what is parsed and what goes out overlap.
const DefaultFlight = 32 << 20

// Name implements runtime.Engine.
func (*Engine) Name() string { return "gpu" }

// PartitionSize implements runtime.Sizer. Several partitions are read at a time, so one
// need not fill the device; and the less the host has of it at a time, the less memory
// is pinned, and the more of it is in the caches when it is used again. Of 4 to 64 MiB,
// 8 were quickest on an H200 with 16 cores, and 64 took three times as long.
func (*Engine) PartitionSize(threads int) int { return min(4*threads<<20, 8<<20) }

// Maps implements runtime.Mapper: what reads the input here expects that pages of a
// file go away, and the driver is given none but those that it holds.
func (*Engine) Maps() bool { return true }

// Open implements runtime.Engine.
func (e *Engine) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	if e.fallback != nil {
		return e.openFallback(plan, cfg)
	}
	p, err := e.openParser(plan, cfg)
	if err != nil {
		return nil, err
	}
	p.warm()
	return p, nil
}

// openParser opens a parser on the first device.
func (e *Engine) openParser(plan *runtime.Plan, cfg runtime.Config) (*parser, error) {
	ordinals, err := e.all()
	if err != nil {
		return nil, err
	}
	return e.openOn(ordinals[0], plan, cfg)
}

// openOn opens a parser on the device of an ordinal.
func (e *Engine) openOn(ordinal int, plan *runtime.Plan, cfg runtime.Config) (*parser, error) {
	return e.openFor(ordinal, plan, cfg, false)
}

// openFor is openOn; stays: the values do, on the device.
func (e *Engine) openFor(ordinal int, plan *runtime.Plan, cfg runtime.Config, stays bool) (*parser, error) {
	d, err := e.devices.get(ordinal)
	if err != nil {
		return nil, err
	}
	p := &parser{engine: e, plan: plan, cfg: cfg, device: d, devices: e.devices, flightSize: e.flightSize, tagging: e.tagging, stays: stays, results: make([]result, 1)}
	p.inputPinned = e.pinned && cfg.Mapped == nil
	p.fused.noMasks, p.fused.learnt = e.noMasks, &learntHops{}
	if err := p.open(!e.general); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// parser parses on one device.
type parser struct {
	engine     *Engine
	plan       *runtime.Plan
	cfg        runtime.Config
	device     *device.Device
	devices    *devices // of the engine
	flightSize int      // symbols
	tagging    Tagging

	program   *program
	escapes   bool // the device leaves records with escapes, see escapesLeft
	alike     bool // records begin alike, as far as others end before them: in the state begins
	begins    dfa.StateID
	prefixed  bool // that is so, and directives begin with their prefixes
	stages    *stages
	fused     fused
	transpose transpose // of binary records, which have no other path
	mine      []int     // outputs that kernels convert
	theirs    []int     // outputs that the CPU's engine converts
	columns   columnSet

	others     [2]others        // for theirs, by turns
	turnOthers int              // whose turn it was last
	readers    []runtime.Parser // for mine: rows that are left

	binding *runtime.Binding // whose tables are on the device
	tables  bindingTables

	in, parse, out *device.Stream
	staging        [2][3]staging // for two partitions, of which one is parsed
	set            int           // of these, the last that was taken
	fed            *feed         // the last
	prepared       []*feed       // of partitions that will be parsed next, in order
	inputPinned    bool          // a partition's data lie in pinned memory
	read           *os.File      // blocks of the input are read from there; nil: they are copied
	readAt         int64         // where it begins
	stays          bool          // values stay on the device, see Columns
	views          bool          // of texts they are views, then
	mapped         *file         // that partitions' data lie in; nil: in none, or it is copied
	slots          [2]*slot
	sampled        int // symbols that a record has at least, as far as the head of the input says; 0: nobody has looked
	hauls          hauls
	events         eventPool
	guessing       sync.Once
	guesser        runtime.Forker // of guessing; nil: there is none
	warms          sync.WaitGroup // those who pin memory
	closing        atomic.Bool

	counted counted
	spent   spent
	results []result // that are valid, by turns
	turn    int
}

// result is what one call of Parse gives, and what it lies in.
type result struct {
	runtime.Result
	held   []*haul
	whole  []runtime.Parser // the CPU's engine for all outputs, one a flight that it reads
	nwhole int              // of them that have read a flight of this partition
}

// Release implements runtime.Releaser.
func (p *parser) Release(r *runtime.Result) {
	for i := range p.results {
		if own := &p.results[i]; r == &own.Result {
			own.release()
			return
		}
	}
}

// release lets go of what the Result lies in.
func (r *result) release() {
	for _, h := range r.held {
		h.lease.Release()
	}
	r.held, r.nwhole = r.held[:0], 0
}

// result is that of the partition that is being parsed, or was last.
func (p *parser) result() *result { return &p.results[p.turn] }

// counted is how much of its work a Parser has left to the CPU so far, and what
// went over the bus.
type counted struct {
	Flights, FlightsFused, FlightsOnCPU int64
	FlightsByMasks, FlightsQuoted       int64 // of those that were fused; of these by marks of quotes
	FlightsByLines                      int64 // of those that were fused
	FlightsMissed                       int64 // that a fused path was tried for in vain
	Rows, RowsLeft                      int64

	Copies, BytesOut int64 // of values, to the host
}

// spent is where the host's time goes in Parse: first what is between flights, then
// what is beside them.
type spent struct {
	Ordering, Kernels time.Duration // telling the device what to do, and waiting until it is done
	Values, Wide      time.Duration // waiting for values, and making them wide
}

// open makes what does not depend on the input.
func (p *parser) open(fuse bool) (err error) {
	program, err := escapesLeft(p.plan, &p.devices.left)
	if err != nil {
		return err
	}
	p.escapes = program != p.plan.Program
	p.begins, p.alike = alike(p.plan.Program.Automaton)
	p.prefixed = p.alike && prefixed(p.plan.Program, p.begins)
	if p.program, err = newProgram(p.device, program); err != nil {
		return err
	}
	if p.stages, err = newStages(p.device, p.program, p.plan); err != nil {
		return err
	}
	for _, s := range []**device.Stream{&p.in, &p.parse, &p.out} {
		if *s, err = p.device.NewStream(); err != nil {
			return err
		}
	}
	if fuse && len(p.plan.Program.Cells) == 0 {
		if err := p.fused.open(p.device, p.parse, p.plan, program); err != nil {
			return err
		}
	}
	if err := p.columns.open(p.device, p.parse, p.plan, p.stays, !p.stays && p.tagging == TaggingNone); err != nil {
		return err
	}
	p.mine, p.theirs = p.columns.mine, p.columns.theirs
	if len(p.columns.maps) > 0 && p.flightSize == DefaultFlight { // a flight has more kernels, which cost the same however long it is
		p.flightSize *= 2
	}
	if canTranspose(p.plan, p.device) {
		if err := p.transpose.open(p.device, p.plan, &p.columns); err != nil {
			return err
		}
	}
	if len(p.theirs) > 0 {
		if p.others[0].parser, err = p.cpu(p.theirs, p.cfg.Threads); err != nil {
			return err
		}
	}
	p.events.device = p.device
	p.hauls.open(p)
	p.mapped = p.devices.file(p.device, &p.cfg, p.engine.hold)
	p.prepare()
	return nil
}

// cpu opens the CPU's engine for some outputs, all if outputs is nil.
func (p *parser) cpu(outputs []int, threads int) (runtime.Parser, error) {
	return openCPU(p.plan, &p.cfg, outputs, threads)
}

func openCPU(of *runtime.Plan, cfg *runtime.Config, outputs []int, threads int) (runtime.Parser, error) {
	plan := *of
	if outputs != nil {
		plan.Outputs = nil
		for _, o := range outputs {
			plan.Outputs = append(plan.Outputs, of.Outputs[o])
		}
	}
	plan.Drops = nil // their rows lie among those of the device
	plan.Settles = false
	if outputs != nil { // of flights whose directives, if there are some, set what is in force
		plan.Bind = func(dfa.RecordKind, []byte) (*runtime.Binding, error) { return nil, nil }
	}
	return cpu.Engine.Open(&plan, runtime.Config{Threads: threads, Chunk: cfg.Chunk})
}

// Close implements runtime.Parser.
func (p *parser) Close() error {
	p.closing.Store(true)
	p.warms.Wait()
	p.unprepare()
	for _, s := range []*device.Stream{p.in, p.parse, p.out} {
		if s != nil {
			s.Synchronize()
			s.Close()
		}
	}
	for _, s := range p.slots {
		if s != nil {
			s.keep()
		}
	}
	for set := range p.staging {
		for i := range p.staging[set] {
			s := &p.staging[set][i]
			p.device.KeepMemory(s.memory)
			s.memory = device.Memory{}
			s.close(p.device)
		}
	}
	for i := range p.results {
		p.results[i].release()
	}
	p.hauls.close()
	p.devices.leave(p.mapped)
	p.events.close()
	p.tables.close(p.device)
	p.columns.close()
	p.fused.close()
	if p.program != nil {
		p.program.Close()
	}
	return nil
}

// Parse implements runtime.Parser.
func (p *parser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	p.turn = (p.turn + 1) % len(p.results)
	own := p.result()
	own.release()
	p.events.reset()
	own.Result = runtime.Result{State: part.State, Binding: part.Binding, Rows: own.Rows[:0]}
	if p.isHosts(part.Binding) {
		x := &flight{part: *part}
		if err := p.readWhole(ctx, x); err != nil {
			return nil, err
		}
		return x.onCPU, nil
	}
	for _, s := range p.slots {
		if s != nil {
			s.landed = nil
		}
	}
	l := p.newLander(ctx, part.Lexicons)
	err := p.parseFlights(ctx, part, l)
	rows, failed := l.close()
	if own.Rows = rows; err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	p.devices.parsed()
	return &own.Result, nil
}

// haul gives memory for what a flight brings, which lasts as long as the Result.
func (p *parser) haul() *haul {
	h, r := p.hauls.take(), p.result()
	r.held = append(r.held, h)
	return h
}

// parseFlights takes part to the device flight by flight, and hands them to l.
func (p *parser) parseFlights(ctx context.Context, part *runtime.Partition, l *lander) error {
	f := p.feedOf(part.Data)
	defer f.close()
	res := p.result()
	var before *flight
	for !l.failed.Load() {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := f.next()
		if err != nil {
			return err
		}
		last := b.to == len(part.Data)
		x := &flight{from: res.Consumed, haul: p.haul(), part: runtime.Partition{
			Data: part.Data[res.Consumed:b.to], State: res.State, Binding: res.Binding, Final: part.Final && last, Again: part.Again, Steady: part.Steady, LineEnds: part.LineEnds}}
		start := time.Now()
		if err := p.launch(f, b, before, x); err != nil {
			return err
		}
		p.spent.Ordering += time.Since(start)
		if err := p.count(ctx, x); err != nil {
			return err
		}
		l.flights <- x
		res.Consumed, res.State, res.Binding = x.from+x.consumed, x.state, x.binding
		res.Extents.Add(&x.extents)
		if x.refused != nil {
			res.Err = &runtime.BindError{Offset: x.from + x.refused.Offset, Err: x.refused.Err}
		}
		res.Directed = x.directed
		if last || x.refused != nil || x.directed {
			return nil
		}
		before = x
	}
	return nil // l has the error
}

func stateID(s uint32) dfa.StateID { return dfa.StateID(s) }

// bindingTables are a binding as dfa_partition reads it.
type bindingTables struct {
	memory                                  device.Memory
	fieldColumn, class, columnField, widths uint64
	nfields, nwidths                        int
}

func (t *bindingTables) close(d *device.Device) {
	if t.memory.Size > 0 {
		d.FreeMemory(t.memory)
	}
	*t = bindingTables{}
}

// bind puts the tables of b on the device.
func (p *parser) bind(b *runtime.Binding) error {
	if p.binding == b {
		return nil
	}
	n := b.MaxFields
	for _, field := range b.Source {
		n = max(n, field+1)
	}
	column, class := slices.Repeat([]int32{-1}, n), make([]uint8, n)
	number := slices.Repeat([]int32{kernels.NoField}, p.columns.nspans)
	for i := range p.columns.nparts {
		number[p.columns.nspans-1-i] = kernels.PartField
	}
	for c, field := range b.Source {
		if field >= 0 {
			column[field] = int32(p.columns.span[c])
			class[field] = p.plan.Columns[c].Class
			if p.columns.span[c] >= 0 {
				number[p.columns.span[c]] = int32(field)
			}
		}
	}
	var widths []uint32
	for _, w := range p.plan.Program.Widths {
		widths = append(widths, uint32(w))
	}
	var blob []byte
	place := func(b []byte) uint64 {
		at := uint64(len(blob))
		blob = append(blob, b...)
		blob = append(blob, make([]byte, -len(blob)&7)...)
		return at
	}
	t := bindingTables{nfields: n, nwidths: len(widths)}
	t.fieldColumn, t.class, t.columnField, t.widths = place(bytesOf(column)), place(class), place(bytesOf(number)), place(bytesOf(widths))
	memory, err := upload(p.device, p.parse, append(blob, 0))
	if err != nil {
		return err
	}
	t.memory = memory
	t.fieldColumn += memory.Address
	t.class += memory.Address
	t.columnField += memory.Address
	t.widths += memory.Address
	p.tables.close(p.device)
	p.tables, p.binding = t, b
	return p.fused.bind(p.parse, p.plan, &p.columns, b)
}

// isHosts reports whether there is nothing for the kernels to do under a binding, or nothing is named yet.
func (p *parser) isHosts(b *runtime.Binding) bool {
	return len(p.mine) == 0 || b == nil || len(p.plan.Program.Cells) > 0 && !p.transpose.isFor(p.plan, p.mine, b)
}

// upload puts b into memory of its own.
func upload(d *device.Device, s *device.Stream, b []byte) (device.Memory, error) {
	memory, err := d.Alloc(len(b))
	if err != nil {
		return device.Memory{}, err
	}
	if err = s.Upload(memory.Address, b); err == nil {
		err = s.Synchronize()
	}
	if err != nil {
		d.FreeMemory(memory)
		return device.Memory{}, err
	}
	return memory, nil
}

var errTooLong = errors.New("gpu: a flight of 2 GiB or more")
