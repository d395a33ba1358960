//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file has columns of maps made on the device, see kernels/pairs.cu. To the kernels of texts a
// map is a text, up to its span; its keys and values are texts of deliveries of their own,
// one for each level of keys, whose rows are entries.

// mapColumn is an output of mine that is a column of maps.
type mapColumn struct {
	output  int
	levels  int  // of keys
	lists   bool // of values
	program *program
	runs    mapRuns
	signs   convert.PairSigns
	bySigns bool // keys and values are found by these
}

// addMap has the entries of output of mine, of maps of type t, placed.
func (c *columnSet) addMap(d *device.Device, t *dfa.Type, output int) error {
	a := t.Lex
	program, err := newProgramOf(d, a, chooseTrack(a, dfa.Analyse(a), d.Info().MaxShared))
	if err != nil {
		return err
	}
	levels, _ := convert.MapShape(t)
	m := mapColumn{output: output, levels: levels, lists: t.Duplicates == dfa.ListDuplicates, program: program, runs: runsOf(a)}
	m.signs, m.bySigns = convert.PairSignsOf(t)
	c.maps = append(c.maps, m)
	return nil
}

// mapOf is the column of maps that output of mine is, nil if it is none.
func (c *columnSet) mapOf(output int) *mapColumn {
	for i := range c.maps {
		if c.maps[i].output == output {
			return &c.maps[i]
		}
	}
	return nil
}

// symbolsPerEntry is for how many entries of maps a slot has room: one for so many symbols. Of a flight with
// more the maps are the host's.
const symbolsPerEntry = 6

// mapSlot is what a slot has for a column of maps.
type mapSlot struct {
	of      *mapColumn
	levels  []mapLevel
	texts   []pairTextsImage // keys of the last level, values, and keys of the level before
	image   pairsImage
	address pointer[pairsImage]
	anyOdd  int // where Pairs.any_odd is in slot.cleared
}

// mapLevel is what it has for a level of keys.
type mapLevel struct {
	image    pairLevelImage
	job      kernels.Job // whose rows are entries
	delivery kernels.Delivery
	outputs  []kernels.Output // keys, and of the last level values
	narrow   narrowSlot       // of these, and of how many entries of the next level each has
	heap     region

	jobAddress   pointer[kernels.Job]
	deliveryAddr pointer[kernels.Delivery]

	counts   int // where Counts is in slot.cleared
	counters int // where those of begins are, and then of outputs
}

// mapOf is what the slot has for an output of maps, nil if it is none.
func (x *slot) mapOf(output int) *mapSlot {
	for i := range x.maps {
		if x.maps[i].of.output == output {
			return &x.maps[i]
		}
	}
	return nil
}

// capacity is how many entries there is room for.
func (l *mapLevel) capacity() int { return int(l.delivery.Capacity) }

// planMaps adds to cleared what columns of maps need there.
func (x *slot) planMaps(s *shape, cleared int) int {
	take := func(n int) int {
		at := (cleared + 15) &^ 15
		cleared = at + n
		return at
	}
	x.maps = nil
	for i := range s.maps {
		m := mapSlot{of: &s.maps[i], anyOdd: take(16)}
		for k := range m.of.levels {
			l := mapLevel{outputs: make([]kernels.Output, 1)}
			if k == m.of.levels-1 {
				l.outputs = make([]kernels.Output, 2)
			}
			l.counts = take(sizeOf[kernels.Counts]())
			l.counters = take(counterSize * (1 + len(l.outputs)))
			l.narrow.at = take(3 * sizeOf[narrowRange]())
			m.levels = append(m.levels, l)
		}
		x.maps = append(x.maps, m)
	}
	return cleared
}

// layMaps gives columns of maps their memory.
func (x *slot) layMaps(take func(int) uint64) {
	capacity := x.symbols/symbolsPerEntry + 1024
	bitmap := 4 * (capacity/32 + 2)
	for i := range x.maps {
		m := &x.maps[i]
		o := &x.outputs[m.of.output]
		span := uint64(4 * x.rows * int(o.Column))
		words := markWords
		if len(m.levels) > 1 {
			words = nestedMarkWords
		}
		m.image = pairsImage{
			Program: uint64(m.of.program.Address), Source: x.job.Data, Start: x.delivery.SpanStart + span, End: x.delivery.SpanEnd + span,
			Valid: o.Valid, Todo: o.Todo, Counters: o.Counters, Marks: take(8 * words * (x.symbols/markBlock + x.rows + 2)), Odd: take(4 * (x.rows/32 + 2)),
			AnyOdd: x.counts + uint64(m.anyOdd), Levels: uint64(len(m.levels)),
			Run: m.of.runs.next, SteppedMask: m.of.runs.mask, SteppedValue: m.of.runs.value,
		}
		m.image.setSigns(m.of)
		m.texts = make([]pairTextsImage, 1+len(m.levels))
		for k := range m.levels {
			l := &m.levels[k]
			last := k == len(m.levels)-1
			l.job = kernels.Job{
				Data: x.job.Data, Value: x.job.Data, Size: uint32(x.symbols),
				Counts: x.counts + uint64(l.counts), Scratch: x.scratch.address, ScratchSize: uint64(x.scratch.size),
			}
			counters := x.counts + uint64(l.counters)
			n := len(l.outputs)
			l.image = pairLevelImage{Begins: o.Offsets, Counters: o.Counters, Counts: l.job.Counts, Capacity: uint32(capacity)}
			if k > 0 {
				l.image.Begins, l.image.Counters = take(4*(x.rows+1)), counters
			}
			if !last {
				l.image.Inner = take(4 * (capacity + 1))
			}
			for c := range l.outputs {
				l.outputs[c] = kernels.Output{
					Kind: uint32(dfa.String), Column: uint32(c), Flags: kernels.KeepUTF8, // the map is UTF-8, or is as it is
					Source: x.job.Data, Valid: take(bitmap), Todo: take(bitmap), Offsets: take(4 * (capacity + 1)), Counters: counters + uint64(counterSize*(1+c)),
				}
			}
			l.heap.size = x.symbols + 64*(n+1)
			l.heap.address = take(l.heap.size)
			l.delivery = kernels.Delivery{
				RowTo: 1<<32 - 1, Capacity: uint32(capacity), NColumns: uint32(n), NOutputs: uint32(n),
				Outputs: take(n * sizeOf[kernels.Output]()), Heap: l.heap.address, HeapSize: uint64(l.heap.size),
			}
			for c := range l.outputs {
				text := &m.texts[c]
				if !last {
					text = &m.texts[len(m.levels)] // kPairOuterKeys
				}
				*text = pairTextsImage{Bytes: take(4 * (x.rows + 4)), Offsets: l.outputs[c].Offsets, Counters: l.outputs[c].Counters, Heap: l.heap.address}
			}
			if last {
				m.image.ValueValid = l.outputs[1].Valid
			}
			l.jobAddress, l.deliveryAddr = pointer[kernels.Job](take(sizeOf[kernels.Job]())), pointer[kernels.Delivery](take(sizeOf[kernels.Delivery]()))
			l.narrow.columns, l.narrow.values.size = l.narrow.columns[:0], 0
			for c := range l.outputs {
				column, _ := canNarrow(&l.outputs[c])
				l.narrow.columns = append(l.narrow.columns, column)
			}
			if !last {
				l.narrow.columns = append(l.narrow.columns, narrowColumn{Values: l.image.Inner, Width: 4, Lengths: 1})
			}
			for _, c := range l.narrow.columns {
				l.narrow.values.size += narrowSize(capacity, int(c.Width)/2)
			}
			l.narrow.table, l.narrow.values.address = pointer[narrowColumn](take(len(l.narrow.columns)*sizeOf[narrowColumn]())), take(l.narrow.values.size)
			l.narrow.ranges = pointer[narrowRange](x.counts + uint64(l.narrow.at))
		}
		m.image.Level, m.image.Texts = take(len(m.levels)*sizeOf[pairLevelImage]()), take(len(m.texts)*sizeOf[pairTextsImage]())
		m.address = pointer[pairsImage](take(sizeOf[pairsImage]()))
	}
}

// mapScratch is the bytes of scratch memory that columns of maps need.
func (x *slot) mapScratch(rows int) int {
	if len(x.maps) == 0 {
		return 0
	}
	return stringsScratch(rows, 2*pairLevels+1)
}

// uploadMaps puts on the device what kernels are told of columns of maps.
func (x *slot) uploadMaps(s *device.Stream) error {
	for i := range x.maps {
		m := &x.maps[i]
		var levels []pairLevelImage
		for k := range m.levels {
			l := &m.levels[k]
			levels = append(levels, l.image)
			for _, part := range []struct {
				to uint64
				b  []byte
			}{
				{uint64(l.jobAddress), bytesOf([]kernels.Job{l.job})},
				{uint64(l.deliveryAddr), bytesOf([]kernels.Delivery{l.delivery})},
				{l.delivery.Outputs, bytesOf(l.outputs)},
				{uint64(l.narrow.table), bytesOf(l.narrow.columns)},
			} {
				if err := s.Upload(part.to, part.b); err != nil {
					return err
				}
			}
		}
		if err := s.Upload(m.image.Level, bytesOf(levels)); err != nil {
			return err
		}
		if err := s.Upload(m.image.Texts, bytesOf(m.texts)); err != nil {
			return err
		}
		if err := s.Upload(uint64(m.address), bytesOf([]pairsImage{m.image})); err != nil {
			return err
		}
	}
	return nil
}

// pairsStage makes the keys and values of maps: the twin is in internal/convert.
type pairsStage struct {
	device                                      *device.Device
	mark, walk, offsets, pack, packNested, keys pairsKernel
}

func newPairsStage(d *device.Device) (x *pairsStage, err error) {
	x = &pairsStage{device: d}
	for name, k := range map[string]*pairsKernel{
		"dfa_pairs_mark": &x.mark, "dfa_pairs_walk": &x.walk, "dfa_pairs_offsets": &x.offsets, "dfa_pairs_pack": &x.pack, "dfa_pairs_pack_nested": &x.packNested, "dfa_pairs_keys": &x.keys,
	} {
		if *k, err = findPairsKernel(d, name); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// setSigns tells the kernels by which signs m is taken apart.
func (x *pairsImage) setSigns(m *mapColumn) {
	if !m.bySigns {
		return
	}
	x.Notation = flatSigns
	if m.signs.Nested {
		x.Notation = nestedSigns
	}
	for _, f := range []struct {
		is   bool
		flag uint32
	}{{m.signs.Quotes, hasQuoteSign}, {m.signs.Leads, hasLeadSign}, {m.signs.Barred, barredSign}} {
		if f.is {
			x.Flags |= f.flag
		}
	}
	for i, sign := range m.signs.Signs {
		x.Sign[i] = 0x01010101 * uint32(sign)
	}
	for c, is := range m.signs.Itself {
		if is {
			x.Itself[c/32] |= 1 << (c % 32)
		}
	}
}

// orderMaps orders the entries of columns of maps, of at most so many rows of a delivery, whose texts have
// been converted.
func (p *parser) orderMaps(o *orders, s *slot, delivery pointer[kernels.Delivery], rows int) {
	x, stream := p.stages.pairs, p.parse
	for i := range s.maps {
		m := &s.maps[i]
		launch := func(k pairsKernel, threads int) func() error {
			return func() error {
				return k.launch(stream, device.Grid{strides(x.device, rows, threads)}, threads, 0, s.jobAddress, delivery, m.address)
			}
		}
		sets, values := 2*len(m.levels)+1, &m.levels[len(m.levels)-1]
		o.give("pairs", launch(x.mark, markThreads), launch(x.walk, pairThreads))
		o.give("begins",
			func() error { return stream.Fill(s.scratch.address, 0, stringsScratch(s.rows, sets)) },
			func() error { return stream.Fill(m.image.ValueValid, 0xff, 4*ceil(values.capacity(), 32)) },
			func() error {
				return x.offsets.launch(stream, offsetsGrid(x.device, rows, sets), offsetsThreads, 0, s.jobAddress, delivery, m.address)
			})
		pack := x.pack
		if len(m.levels) > 1 {
			pack = x.packNested
		}
		o.give("entries", launch(pack, packThreads))
		o.give("keys", launch(x.keys, keysThreads))
	}
}

// narrowMaps orders what of their entries goes out narrow.
func (p *parser) narrowMaps(s *slot) error {
	for i := range s.maps {
		for k := range s.maps[i].levels {
			l := &s.maps[i].levels[k]
			if err := p.stages.narrow.launch(p.parse, l.jobAddress, &l.narrow, l.capacity(), l.capacity()); err != nil {
				return err
			}
		}
	}
	return nil
}

// word is a word of what the kernels counted.
func (x *flight) word(at int) int { return int(*valueOf[uint32](x.report[at:])) }

// entries is how many entries a level has in a flight.
func (m *mapSlot) entries(x *flight, level int) int {
	if level == 0 {
		return x.counter(m.of.output, 2)
	}
	return x.word(m.levels[level].counters + 4*2)
}

// overfull reports whether there was no room for the entries of some column of maps.
func (x *flight) overfull() bool {
	for i := range x.slot.maps {
		m := &x.slot.maps[i]
		for k := range m.levels {
			l := &m.levels[k]
			if m.entries(x, k) > l.capacity() {
				return true
			}
			for c := range l.outputs {
				if x.word(l.counters+counterSize*(1+c)+4*textOverflow) != 0 {
					return true
				}
			}
		}
	}
	return false
}

// wideEntries are columns of entries that came narrow.
type wideEntries struct {
	of      []wide
	entries int
	ones    [][]int32 // offsets of lists that have one value each
}

// fetchMaps wants the entries of the maps of column c, which is output of mine. What it gives is to be called
// when all that is wanted has its memory.
func (x *flight) fetchMaps(m *mapSlot, c *columns.Column, want func(to *[]byte, from uint64, size, pitch int)) (func() error, error) {
	var left []func() error
	of := c
	for k := range m.levels {
		l := &m.levels[k]
		last := k == len(m.levels)-1
		n := m.entries(x, k)
		if n == 0 { // nor are there any of the next level
			break
		}
		w := &wideEntries{entries: n}
		x.entries = append(x.entries, w)
		var valid []*columns.Column // columns without a null
		keys, values := of.Children[0], of.Children[1]
		all := []*columns.Column{keys}
		if last {
			if m.of.lists {
				values.Len = n
				valid = append(valid, values)
				b, err := x.haul.widened.take(4 * (n + 1))
				if err != nil {
					return nil, err
				}
				values.Offsets = wordsOf(b)
				w.ones = append(w.ones, values.Offsets)
				values = values.Children[0]
			}
			all = append(all, values)
		} else {
			values.Len = n
			valid = append(valid, values)
			of = values
		}
		texts := region{size: -1}
		offsets := make([][]byte, len(all))
		places := make([]region, len(all))
		for i, column := range all {
			at := l.counters + counterSize*(1+i)
			column.Len, column.Nulls = n, x.word(at)
			if column.Nulls == 0 {
				valid = append(valid, column)
			} else {
				want(&column.Valid, l.outputs[i].Valid, (n+7)/8, 0)
			}
			places[i] = region{uint64(x.word(at+4*3)) | uint64(x.word(at+4*4))<<32, x.word(at + 4*2)}
			if places[i].size > 0 {
				texts.add(places[i])
			}
		}
		// What becomes of lengths, and of numbers of entries, as narrowOf says it.
		nbytes := 0
		found := make([]*wide, len(l.narrow.columns))
		for i := range l.narrow.columns {
			narrow := &l.narrow.columns[i]
			column := values
			if i < len(all) {
				column = all[i]
			}
			became := narrow.decide(*valueOf[narrowRange](x.report[l.narrow.at+i*sizeOf[narrowRange]():]))
			if became.width == int(narrow.Width) { // never of numbers of entries, which are no more than a map has symbols
				want(&offsets[i], l.outputs[i].Offsets, 4*(n+1), 0)
				continue
			}
			b, err := x.haul.widened.take(4 * (n + 1))
			if err != nil {
				return nil, err
			}
			column.Offsets = wordsOf(b)
			found[i] = &wide{narrowed: became, values: b, column: column}
			nbytes += narrowSize(n, became.width)
		}
		var packed, heap []byte
		want(&packed, l.narrow.values.address, nbytes, 0)
		want(&heap, l.heap.address+texts.address, max(texts.size, 0), 0)
		fill := func() error {
			for i, column := range all {
				if offsets[i] != nil {
					column.Offsets = wordsOf(offsets[i])
				}
				if t := places[i]; t.size > 0 {
					column.Data = heap[t.address-texts.address:][:t.size:t.size]
				}
			}
			for _, f := range found {
				if f != nil {
					size := narrowSize(n, f.width)
					f.n, packed = packed[:n*f.width], packed[size:]
					w.of = append(w.of, *f)
				}
			}
			return fillValid(&x.haul.pinned, valid, n)
		}
		left = append(left, fill)
	}
	return func() error {
		for _, f := range left {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// widenings are pieces of work that make the columns wide.
func (w *wideEntries) widenings() []func() {
	all := widenings(w.of, w.entries)
	for _, ones := range w.ones {
		overRows(len(ones), func(_, from, to int) {
			all = append(all, func() {
				for i := from; i < to; i++ {
					ones[i] = int32(i)
				}
			})
		})
	}
	return all
}

// patchMaps makes a column of maps anew, with what the host has read in place of the rows of the runs.
func (p *parser) patchMaps(pool *pool, h *haul, c *columns.Column, runs []run, output int) *columns.Column {
	var parts []columns.Range
	at := 0
	for i := range runs {
		x := &runs[i]
		for j, row := range x.rows {
			parts = append(parts, columns.Range{Of: c, From: at, To: row.row}, columns.Range{Of: x.columns[output].column, From: x.first + j, To: x.first + j + 1})
			at = row.row + 1
		}
	}
	parts = append(parts, columns.Range{Of: c, From: at, To: c.Len})
	made := h.mapsOf(p, output)
	for _, f := range made.ConcatRanges(parts) {
		pool.add(f)
	}
	return made
}

// mapsOf is an empty column for output of mine, of maps.
func (h *haul) mapsOf(p *parser, output int) *columns.Column {
	if h.maps == nil {
		h.maps = make([]*columns.Column, len(p.mine))
	}
	if h.maps[output] == nil {
		h.maps[output] = convert.NewColumn(&p.plan.Def(p.plan.Outputs[p.mine[output]]).Type)
	}
	return h.maps[output]
}

// newMapImage describes output o of plan, a column of maps, as a text.
func newMapImage(plan *runtime.Plan, o runtime.Output) (*outputImage, error) {
	x, err := newOutputImage(plan, o)
	if err != nil {
		return nil, err
	}
	col := plan.Def(o)
	stringImage(x, &col.Type, convert.Options{})
	x.Flags = x.Flags&^kernels.OnHost | kernels.OfMaps
	x.NTokens = uint32(len(col.NullTokens()))
	x.tokens = tokenBytes(col.NullTokens())
	return x, nil
}
