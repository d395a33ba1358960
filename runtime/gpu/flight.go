//go:build cuda

package gpu

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/spread"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// Of more rows left than fewLeft, and than one in leftShare, the CPU reads the
// whole flight.
const (
	fewLeft   = 64
	leftShare = 4
)

// leastSlot is the symbols that a slot has room for at least.
const leastSlot = 64 << 10

// textOverflow is the counter of an output that is not 0 if its texts do not fit.
const textOverflow = 5

// flight is part of a partition from its launch until its rows are in the result.
type flight struct {
	part  runtime.Partition
	from  int // of the flight in the partition
	slot  *slot
	haul  *haul
	fused bool // it takes the fused path, or that of lines,
	lines bool // which it is

	parsed *device.Event // the kernels are done, and what they counted is on the host
	landed *device.Event // and so are the values
	report []byte        // slot.cleared, on the host
	counts kernels.Counts
	left   int // rows

	// What follows for the next flight.
	consumed int
	extents  runtime.Extents
	state    dfa.StateID
	binding  *runtime.Binding
	refused  *runtime.BindError
	directed bool // a directive follows that Partition.Again does not know

	onCPU  *runtime.Result // the CPU has read the whole flight
	other  []*columns.Column
	joined sync.WaitGroup    // their rows are being brought together
	found  []runtime.Problem // among the others, not moved yet
	notes  []runtime.Note    // among the others, not moved yet

	bring func(symbolRange) error // has some of part.Data of the host be what the device has; nil: it is

	columns []*columns.Column // of the device's outputs, their memory on its way
	tokens  []*flightTokens   // of those with dictionaries
	narrow  []wide            // those of them that come narrow
	entries []*wideEntries    // of maps
	widened sync.WaitGroup    // their values are being made
	wide    time.Duration     // which took so long
	failed  error             // of the lander's beginning
	todo    [][]byte          // per column, nil if nothing of it is left
	list    []byte            // of rows left
}

// symbolRange is symbols of a flight, from one up to another.
type symbolRange struct{ from, to int }

// launch orders all that the device has to do for a flight. It waits for nothing.
func (p *parser) launch(f *feed, b feedBlock, before *flight, x *flight) error {
	n := len(x.part.Data)
	if n >= kernels.MaxPartition-kernels.Padding {
		return errTooLong
	}
	if err := p.bind(x.part.Binding); err != nil {
		return err
	}
	s, err := p.slot(before, n, f.usual())
	if err != nil {
		return err
	}
	x.slot = s
	if b.near != nil && b.from == 0 && n == len(f.data) { // nobody else has the stage until the partition has been parsed
		x.part.Data = b.near[:n:n] // its pages are there, and those of a file may not be
	}
	if s.landed != nil {
		if err := p.parse.Wait(s.landed); err != nil {
			return err
		}
	}
	if address := f.device + uint64(x.from); f.liesThere(x.from, b.to) {
		s.read(address)
	} else {
		s.read(s.own)
		if err := p.copySymbols(f, b, before, x); err != nil {
			return err
		}
	}
	if x.part.LineEnds && b.stage != nil && b.to > b.from {
		counts, err := p.stages.copy.countEnds(p.parse, &x.haul.pinned, b.stage.memory.Address, b.to-b.from)
		if err != nil {
			return err
		}
		r := p.result()
		r.LineEnds = append(r.LineEnds, runtime.LineEnds{From: b.from, To: b.to, Piece: endsPiece, N: counts})
	}
	if err := f.release(b, p.parse); err != nil {
		return err
	}
	x.fused = n > 0 && (p.transpose.length > 0 || p.fused.due()) // of nothing there is no tile, which would look at the end of the input
	return p.order(x)
}

// copySymbols has a flight's symbols copied to its slot: those that were not parsed with the flight before, and a block
// behind them.
func (p *parser) copySymbols(f *feed, b feedBlock, before, x *flight) error {
	var carried, block uint64
	if b.from > x.from {
		carried = before.slot.job.Data + uint64(x.from-before.from)
	}
	var tail int // bytes behind which the caller's memory may end
	switch {
	case b.stage != nil:
		block = b.stage.memory.Address
		if err := p.parse.Wait(b.stage.there); err != nil {
			return err
		}
	case f.device != 0:
		block, tail = f.device+uint64(b.from), min(copyPadding, b.to-b.from)
	}
	to := x.slot.own
	if err := p.stages.copy.join(p.parse, to, carried, b.from-x.from, block, b.to-b.from-tail); err != nil {
		return err
	}
	return p.parse.Copy(to+uint64(len(x.part.Data)-tail), block+uint64(b.to-b.from-tail), tail) // join rounds up
}

// order orders the stages, and then what they counted.
func (p *parser) order(x *flight) (err error) {
	s := x.slot
	x.lines = x.fused && p.fused.lines != nil
	if err = p.ordering(x.fused)(s, &x.part, unmarked); err != nil {
		return err
	}
	rows := min(s.rows, len(x.part.Data)+1)
	if !p.stays {
		if err := p.stages.narrow.launch(p.parse, s.jobAddress, &s.narrow, rows, s.rows); err != nil {
			return err
		}
		if err := p.narrowMaps(s); err != nil {
			return err
		}
	}
	if x.report, err = x.haul.pinned.take(s.cleared.size); err != nil {
		return err
	}
	if err := p.stages.copy.download(p.parse, x.report, s.cleared.address); err != nil {
		return err
	}
	if x.parsed, err = p.events.take(); err != nil {
		return err
	}
	return p.parse.Record(x.parsed)
}

// ordering is what orders the stages of flights that are read by a path of their own, or not.
func (p *parser) ordering(fused bool) func(*slot, *runtime.Partition, mark) error {
	switch {
	case p.transpose.length > 0:
		return p.runTransposed
	case fused:
		return p.runFused
	}
	return p.run
}

// slot is one of the two slots, not that of the flight before, with room for a
// flight of n symbols; a new one has room for so many that come usually.
func (p *parser) slot(before *flight, n, usual int) (*slot, error) {
	i := 0
	if before != nil && before.slot == p.slots[0] {
		i = 1
	}
	if s := p.slots[i]; s != nil {
		if s.symbols >= n && s.rows >= n/p.leastRecord() { // of a binding with more fields, records are longer
			return s, nil
		}
		s.close()
		p.slots[i] = nil
	}
	return p.newSlot(i, max(n, usual))
}

// newSlot makes slot i, for flights of about n symbols.
func (p *parser) newSlot(i, n int) (*slot, error) {
	n, rows := p.slotRoom(n)
	s, err := newSlot(p.device, p.slotShape(), n, rows)
	if err != nil {
		return nil, fmt.Errorf("gpu: tables for flights of %d bytes: %w", n, err)
	}
	p.slots[i] = s
	if err := s.uploadMaps(p.parse); err != nil {
		return nil, err
	}
	return s, p.parse.Upload(uint64(s.narrow.table), bytesOf(s.narrow.columns))
}

// enlarge reads a flight again, whose records are shorter than those of the input's head, with tables for
// as many as there may be.
func (p *parser) enlarge(x *flight) error {
	p.sampled = 0
	i, old, n := 0, x.slot, len(x.part.Data)
	if old == p.slots[1] {
		i = 1
	}
	s, err := p.newSlot(i, n)
	if p.slots[i] != old {
		defer old.keep()
	}
	if err != nil {
		return err
	}
	if old.job.Data != old.own {
		s.read(old.job.Data)
	} else if err := p.parse.Copy(s.own, old.own, n); err != nil {
		return err
	}
	x.slot = s
	if err := p.order(x); err != nil {
		return err
	}
	return p.parse.Synchronize()
}

// slotRoom is for how many symbols and rows a slot for flights of n symbols has
// room: flights grow.
func (p *parser) slotRoom(n int) (symbols, rows int) {
	n = max(n+n/4, leastSlot)
	return n, n/p.leastRecord() + 1024
}

// leastRecord is how many symbols a record mostly has at least.
func (p *parser) leastRecord() int {
	if p.transpose.length > 0 {
		return p.transpose.length
	}
	least := max(len(p.columns.images), 2)
	if b := p.binding; b != nil {
		least = max(least, b.MinFields)
	}
	return max(least, p.sampled)
}

func unmarked(string) error { return nil }

func (p *parser) slotShape() *shape {
	var views []bool
	if p.views {
		views = p.columns.viewable
	}
	return &shape{views: views, flags: p.program.Image.Flags, columns: p.columns.nspans, parts: p.columns.nparts, tagging: p.tagging, outputs: p.columns.images, splits: p.columns.splits, splitOf: p.columns.splitOf,
		transposed: p.transpose.size(), text: p.columns.text, tokens: p.columns.tokens, maps: p.columns.maps, defaults: p.columns.defaults, texts: p.columns.texts, scratch: p.stages.scratch}
}

// count has the CPU convert what is its, waits for the kernels, decides who converts what, and
// orders the values. What the next flight needs is known after it.
func (p *parser) count(ctx context.Context, x *flight) error {
	if len(p.theirs) > 0 {
		if err := p.readOthers(ctx, x); err != nil {
			return err
		}
	}
	err := p.decide(ctx, x)
	if err != nil || p.stays {
		x.joined.Wait() // elsewhere the lander does
	}
	return err
}

// decide is what count does after the CPU's outputs.
func (p *parser) decide(ctx context.Context, x *flight) error {
	start := time.Now()
	if err := x.parsed.Synchronize(); err != nil {
		return err
	}
	p.spent.Kernels += time.Since(start)
	left := x.read(x.report)
	if x.counts.Unfused != 0 && p.transpose.length > 0 { // the last record is cut off
		return p.readWhole(ctx, x)
	}
	if x.fused && x.counts.Unfused != 0 {
		p.fused.noteMissed()
		p.counted.FlightsMissed++
		x.fused = false
		if err := p.order(x); err != nil {
			return err
		}
		return p.decide(ctx, x)
	}
	rows := int(x.counts.Rows)
	if rows > x.slot.rows && p.sampled > 0 {
		if err := p.enlarge(x); err != nil {
			return err
		}
		return p.decide(ctx, x)
	}
	many := left > x.slot.listed || left > fewLeft && left > rows/leftShare
	if many && x.lines { // the general path may take more of such records
		p.fused.ready, p.fused.why = false, "it leaves too many rows"
		x.fused = false
		if err := p.order(x); err != nil {
			return err
		}
		return p.decide(ctx, x)
	}
	p.counted.Flights++
	if x.fused {
		p.counted.FlightsFused++
		p.fused.missed, p.fused.after = max(p.fused.missed-1, 0), 0
		if p.fused.byMasks(&x.part) {
			p.counted.FlightsByMasks++
			if p.fused.byQuotes() {
				p.counted.FlightsQuoted++
			}
			p.fused.noteTiles(int(x.counts.Reserved[notedQuotedTiles]), len(x.part.Data))
		}
		if x.lines {
			p.counted.FlightsByLines++
			text := 0
			for _, i := range p.fused.texts {
				if p.columns.mapOf(i) == nil { // of which that is the entries
					text = max(text, x.counter(i, 2))
				}
			}
			p.fused.noteLines(rows, len(x.part.Data), text)
		}
	}
	p.counted.Rows += int64(rows)
	if rows > x.slot.rows || many || x.counts.Directives > 0 && !p.standing(x) || p.surplus(x) || p.overflown(x) {
		p.counted.RowsLeft += int64(rows)
		return p.readWhole(ctx, x)
	}
	p.counted.RowsLeft += int64(left)
	x.consumed, x.state, x.binding = int(x.counts.Consumed), stateID(x.counts.Resume), x.part.Binding
	if x.part.Final {
		x.consumed, x.state = len(x.part.Data), stateID(x.counts.EndState)
	}
	x.extents = x.count()
	if x.left = left; p.stays {
		return nil
	}
	start = time.Now()
	err := p.fetch(x, rows, left)
	p.spent.Ordering += time.Since(start)
	return err
}

// host has the symbols of the flight from up to to be there for the host.
func (x *flight) host(from, to int) error {
	if x.bring == nil {
		return nil
	}
	return x.bring(symbolRange{from, to})
}

// read takes what the kernels counted from report, and gives the rows left.
func (x *flight) read(report []byte) (left int) {
	x.report, x.counts = report, *valueOf[kernels.Counts](report)
	return int(*valueOf[uint32](report[sizeOf[kernels.Counts]():]))
}

// counter is a word of an output's counters.
func (x *flight) counter(output, i int) int {
	at := sizeOf[kernels.Counts]() + leftCount + output*counterSize + 4*i
	return int(*valueOf[uint32](x.report[at:]))
}

// count gives the extents of a flight, of which no record is dropped where some are directives.
func (x *flight) count() (t runtime.Extents) {
	t.Data = int64(x.counts.Consumed)
	if others := x.counts.Records - x.counts.Rows; others > 0 {
		t.Data = int64(x.counts.RowBytes)
		of := &t.Dropped
		if x.counts.Directives > 0 {
			of = &t.Directives
		}
		of.Add(int64(others), int64(x.counts.Consumed)-t.Data)
	}
	t.Tail = int64(x.consumed) - int64(x.counts.Consumed)
	return t
}

// surplus reports whether records may have fields that have to be dropped, and
// told of: the kernels do not say which have.
func (p *parser) surplus(x *flight) bool {
	b := x.part.Binding
	return b.Truncate && b.Rest < 0 && x.counts.Malformed > 0
}

// overflown reports whether some text did not fit.
func (p *parser) overflown(x *flight) bool {
	for i, text := range p.columns.text {
		if text && x.counter(i, textOverflow) != 0 {
			return true
		}
	}
	return x.counts.Rows > 0 && x.overfull()
}

// readWhole gives the flight to the CPU.
func (p *parser) readWhole(ctx context.Context, x *flight) error {
	p.counted.FlightsOnCPU++
	r := p.result()
	if r.nwhole == len(r.whole) {
		parser, err := p.cpu(nil, threadsOf(p.plan, &p.cfg, len(p.results)))
		if err != nil {
			return err
		}
		r.whole = append(r.whole, parser)
	}
	if err := x.host(0, len(x.part.Data)); err != nil {
		return err
	}
	result, err := r.whole[r.nwhole].Parse(ctx, &x.part)
	r.nwhole++ // its result lasts as long as ours
	if err != nil {
		return err
	}
	x.onCPU = result
	x.consumed, x.extents, x.state, x.binding, x.refused, x.directed = result.Consumed, result.Extents, result.State, result.Binding, result.Err, result.Directed
	return nil
}

// others converts the outputs that no kernel does.
type others struct {
	parser runtime.Parser
	last   *flight // that it has read
}

// readOthers converts the outputs that no kernel does, on the host's cores, each of which has rows of
// its own; then all of them bring these together, beside what comes next.
func (p *parser) readOthers(ctx context.Context, x *flight) error {
	if err := x.host(0, len(x.part.Data)); err != nil {
		return err
	}
	if p.turnOthers = 1 - p.turnOthers; x.from == 0 {
		p.turnOthers = 0
	}
	o := &p.others[p.turnOthers]
	if o.last != nil {
		o.last.joined.Wait()
	}
	if o.parser == nil {
		var err error
		if o.parser, err = p.cpu(p.theirs, p.cfg.Threads); err != nil {
			return err
		}
	}
	o.last = x
	result, err := o.parser.Parse(ctx, &x.part)
	if err != nil {
		return err
	}
	x.other = x.haul.othersOf(p)
	n, parts := 0, make([][]*columns.Column, len(x.other))
	for i := range result.Rows {
		rows := &result.Rows[i]
		for c, column := range rows.Columns {
			parts[c] = append(parts[c], column)
		}
		for _, problem := range rows.Problems {
			problem.Row += n
			x.found = append(x.found, problem)
		}
		for _, note := range rows.Notes {
			if note.Row += n; note.What != runtime.SurplusFields { // those have been read as a whole
				x.notes = append(x.notes, note)
			}
		}
		n += rows.N
	}
	var left []func()
	for c, column := range x.other {
		left = append(left, column.Concat(parts[c])...)
	}
	x.joined.Go(func() { spread.Over(p.cfg.Threads, len(left), func(i int) { left[i]() }) })
	return nil
}
