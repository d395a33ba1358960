//go:build cuda

package gpu

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file prepares the fused path, see kernels/fused.cu and kernels/tiles.cu, and
// that of lines, see kernels/lines.cu: which Programs and bindings they are for, and
// their tables.

// fusedStates is how many states a step of the fused path can tell apart.
const fusedStates = 8

// fusedSteps are the steps of an automaton, for each symbol the 8 bytes of its
// states, and the state after every record; ok is false if the fused path is
// not for it. Whatever a step does not say - errors, records that are no rows,
// lags, columns, decoded symbols - it marks as other, which ends the path.
func fusedSteps(a *dfa.Automaton) (steps [256]uint64, resume dfa.StateID, ok bool) {
	if a.NStates() > fusedStates {
		return steps, 0, false
	}
	for symbol := range steps {
		var fields, records bool
		for s := range a.NStates() {
			next, e := a.Step(dfa.StateID(s), byte(symbol))
			step := uint64(next)
			switch {
			case e.Code != 0 || e.Kind == dfa.Error || e.Sub != dfa.Itself || e.Lag != 0 || e.Record != dfa.DataRecord,
				e.Boundary() && e.Column != dfa.NextColumn:
				step |= stepOther
			case e.Kind == dfa.Record:
				if ok && next != resume {
					return steps, 0, false
				}
				resume, ok, records = next, true, true
				step |= stepField | stepRecord
			case e.Kind == dfa.Field:
				fields = true
				step |= stepField
			case e.Kind == dfa.Skip:
				step |= stepSkip
			}
			steps[symbol] |= step << (8 * s)
		}
		if fields && records { // the symbol has to tell which it is
			return steps, 0, false
		}
	}
	return steps, resume, ok
}

// lineSteps are the steps of an automaton whose records one symbol ends, whatever
// the state, as kernels/lines.cu takes them. What a step does not say leaves the
// record's row.
type lineSteps struct {
	exits     []uint64 // of states: the symbols that leave it, four times each, see LineExits
	steps     []uint32 // [state*groups + group]
	groups    int      // a state
	told      int      // not 0: the group of a record's last symbol, which is told by its place
	symbol    int      // that ends records
	resume    dfa.StateID
	lastState uint32        // 1: the input may end after a record
	begins    *recordBegins // not nil: records may have several lines, and the last two groups are those of their last symbol
	skips     bool          // some symbols are neither data nor a boundary
	guessed   bool          // the symbol may be within a record, which ends the path for a flight
}

// newLineSteps makes them, or says why the path of lines is not for a.
func newLineSteps(a *dfa.Automaton, analysis *dfa.Analysis) (*lineSteps, error) {
	x := &lineSteps{groups: a.NGroups}
	var err error
	if x.symbol, x.resume, err = syncSymbol(a, analysis); err != nil {
		begins, why := newRecordBegins(a)
		symbol := onlyEnd(a)
		switch {
		case begins != nil:
			x.begins, x.symbol = begins, begins.symbol
			x.groups += 2
			x.told = a.NGroups
		case symbol >= 0:
			x.symbol, x.guessed = symbol, true
		default:
			return nil, cmp.Or(why, err)
		}
		x.resume = a.Start
	}
	n := a.NStates()
	if n*x.groups > lineTransitions {
		return nil, fmt.Errorf("%d states of %d symbol groups, more than %d transitions", n, x.groups, lineTransitions)
	}
	x.steps = make([]uint32, n*x.groups)
	if x.begins != nil || a.EOF(x.resume).Kind == dfa.Skip {
		x.lastState = 1
	}
	for s := range n {
		own := x.steps[s*x.groups:][:x.groups]
		for g := range dfa.GroupID(a.NGroups) {
			next, e := a.Next[int(g)*n+s], &a.Emissions[a.Emit[int(g)*n+s]]
			step := uint32(lineEvent | lineOther) // a record ends where it should not
			if x.begins == nil || e.Kind != dfa.Record {
				ends := x.begins == nil && g == a.Group[x.symbol]
				if x.guessed && ends && e.Kind != dfa.Record {
					step |= lineRecord
				} else if step, err = lineStep(e, ends); err != nil {
					return nil, err
				}
			}
			x.skips = x.skips || step&lineWhat == lineSkip
			own[g] = uint32(next)*uint32(x.groups) | step
		}
		for g := a.NGroups; g < x.groups; g++ {
			step, err := x.begins.last(dfa.StateID(s), g > a.NGroups)
			if err != nil {
				return nil, err
			}
			next, _ := x.begins.step(dfa.StateID(s), x.begins.group)
			own[g] = uint32(next)*uint32(x.groups) | step
		}
		x.exits = append(x.exits, x.exitsOf(a, s))
	}
	return x, nil
}

// newValueSteps makes those of an automaton that takes values apart; nil: there are too many. What
// is behind a value is a symbol group of its own, the last.
func newValueSteps(a *dfa.Automaton) *lineSteps {
	n := a.NStates()
	x := &lineSteps{groups: a.NGroups + 1, told: a.NGroups, resume: a.Start}
	if n*x.groups > lineTransitions {
		return nil
	}
	x.steps = make([]uint32, n*x.groups)
	for s := range n {
		own := x.steps[s*x.groups:][:x.groups]
		for g := range a.NGroups {
			next, e := a.Next[g*n+s], &a.Emissions[a.Emit[g*n+s]]
			step, err := lineStep(e, false)
			if err != nil { // a record ends, or there are too many columns
				step = lineEvent | lineBad
			}
			own[g] = uint32(next)*uint32(x.groups) | step
		}
		own[x.told] = lineEvent | lineBad
		if e := a.EOF(dfa.StateID(s)); e.Kind == dfa.Record && e.Code == 0 {
			end := *e
			end.Open = end.Lag // nothing follows
			if step, err := lineStep(&end, true); err == nil {
				own[x.told] = step
			}
		}
	}
	return x
}

// onlyEnd is the only symbol that ends records, each of which the next one follows as the first does,
// -1 if there is none. It may also be within a record.
func onlyEnd(a *dfa.Automaton) int {
	symbol := -1
	for c := range 256 {
		for s := range a.NStates() {
			if next, e := a.Step(dfa.StateID(s), byte(c)); e.Kind == dfa.Record {
				if symbol >= 0 && symbol != c || next != a.Start || e.Open != e.Lag {
					return -1
				}
				symbol = c
			}
		}
	}
	return symbol
}

// exitsOf marks the steps that leave state s as it is, if few others do not, and gives
// the symbols of these.
func (x *lineSteps) exitsOf(a *dfa.Automaton, s int) uint64 {
	own := x.steps[s*x.groups:][:x.groups]
	stay := uint32(s * x.groups)
	var exits []uint32
	for symbol, g := range a.Group {
		if (symbol != x.symbol || x.begins != nil) && own[g] != stay {
			exits = append(exits, uint32(symbol)*0x01010101)
		}
	}
	if len(exits) > 2 {
		return 0
	}
	for g := range own {
		if own[g] == stay {
			own[g] |= lineStays
		}
	}
	exits = append(exits, uint32(x.symbol)*0x01010101, uint32(x.symbol)*0x01010101) // where there is none
	return uint64(exits[1])<<32 | uint64(exits[0])
}

// lineStep is a transition but for its next state; ends: its symbol is the one that
// ends records.
func lineStep(e *dfa.Emission, ends bool) (uint32, error) {
	step := uint32(lineEvent)
	if ends {
		step |= lineRecord
	}
	opens := e.Kind == dfa.Field && e.Column == dfa.NextColumn && !e.Escape && e.Lag == e.Open+1
	switch {
	case ends && (e.Kind != dfa.Record || e.Open != e.Lag):
		return 0, errors.New("no symbol ends a record in every state")
	case !ends && e.Kind == dfa.Record:
		return 0, errors.New("records have several ends")
	case ends && e.Record != dfa.DataRecord:
		return step | lineOther, nil
	case e.Code != 0, e.Kind == dfa.Error, e.Sub != dfa.Itself, e.Boundary() && (e.Lag > lineMostLag || e.Open != e.Lag && !opens || e.Class > lineMostClass):
		return step | lineBad, nil
	case e.Kind == dfa.Data:
		return 0, nil
	case e.Kind == dfa.Skip && e.Escape:
		return step | lineSkip | lineEscape, nil
	case e.Kind == dfa.Skip:
		return step | lineSkip, nil
	}
	column := uint32(lineNextColumn)
	if e.Column != dfa.NextColumn {
		if column = uint32(e.Column); column >= lineOpens {
			return 0, fmt.Errorf("more than %d columns", lineOpens)
		}
	} else if opens {
		column = lineOpens
	}
	return step | lineField | column<<lineColumn | uint32(e.Lag)<<lineLag | uint32(e.Class)<<lineClass, nil
}

// tileMasks are the symbols by which kernels/tiles.cu finds fields.
type tileMasks struct {
	field, record, quote, carriage uint32 // four times each
	marks                          uint32 // which of the last two there are
	begin                          dfa.StateID
}

// newTileMasks gives them, nil if there are none for a: where fields are bare or
// quoted, a quote doubles, and nothing else is odd than quotes in bare fields and
// empty lines.
func newTileMasks(a *dfa.Automaton, analysis *dfa.Analysis) *tileMasks {
	m := analysis.Masks
	if m == nil || m.Bracket != nil || m.Fields.Len() != 1 || m.Records.Len() != 1 || m.ReturnEnds || !m.Lead.Empty() || a.EOF(m.Begin).Kind != dfa.Skip {
		return nil
	}
	lineEnds := m.Records.Union(m.Return)
	if !m.Odd.Empty() || !m.OddNext.Empty() || !m.OddFirst.Minus(lineEnds).Empty() {
		return nil
	}
	four := func(s dfa.Set) uint32 {
		for symbol := range 256 {
			if s.Has(byte(symbol)) {
				return uint32(symbol) * 0x01010101
			}
		}
		return 0
	}
	x := &tileMasks{field: four(m.Fields), record: four(m.Records), begin: m.Begin}
	if q := m.Quote; q != nil {
		if !q.Doubled || q.Escape || !q.Odd.Empty() {
			return nil
		}
		x.quote = uint32(q.Open) * 0x01010101
		x.marks |= tileHasQuote
	}
	if !m.Return.Empty() {
		x.carriage = four(m.Return)
		x.marks |= tileHasReturn
	}
	// Counting takes all for symbols below 0x80, and has zeros behind those of a tile.
	if (x.field|x.record|x.quote|x.carriage)&0x80 != 0 || x.field == 0 || x.record == 0 {
		return nil
	}
	return x
}

// quotedTiles is in how many tiles of some symbols there are quotes, or returns, as dfa_tiles counts them.
func (x *tileMasks) quotedTiles(symbols []byte) (n int) {
	var odd []byte
	if x.marks&tileHasQuote != 0 {
		odd = append(odd, byte(x.quote))
	}
	if x.marks&tileHasReturn != 0 {
		odd = append(odd, byte(x.carriage))
	}
	for tile := range slices.Chunk(symbols, tileSymbols) {
		if bytes.ContainsAny(tile, string(odd)) { // which are ASCII
			n++
		}
	}
	return n
}

// formCost orders forms by how long a field takes: what takes long is begun
// first, so that the warps of a block end together.
var formCost = [...]int{
	formOther: 9, formDouble: 4, formInt32: 3, formInt64: 3, formUint32: 3, formUint64: 3, formDecimal: 5, formClock32: 6, formClock64: 6,
	formInt8: 3, formInt16: 3, formUint8: 3, formUint16: 3, formIP: 7, formEnum: 6, formLayout32: 8, formLayout64: 8, formPlaced32: 7, formPlaced64: 7,
}

// formOf is how an output is converted: by the usual notation of its kind, or
// each field on its own. lines: by kernels/lines.cu, which cuts blanks off and knows null
// tokens; digits: one of these has a digit, so that it may be a value, too.
func formOf(o *kernels.Output, lines, digits bool) uint32 {
	const eightDigits = 99_999_999
	point, kind := o.Options[0], dfa.TypeKind(o.Kind)
	byOps := (kind == dfa.Date || kind == dfa.Time || kind == dfa.Timestamp) && o.Options[0]&0xff == clockOps && o.Options[7] == 0
	if o.Flags&kernels.Trim != 0 && !lines || o.NTokens != 0 && (!lines || digits || kind == dfa.Enum || byOps) {
		return formOther
	}
	switch kind {
	case dfa.Float64:
		if point < 0x80 {
			return formDouble
		}
	case dfa.Decimal:
		if point < 0x80 && o.Width == 16 {
			return formDecimal
		}
	case dfa.Int32, dfa.Int64, dfa.Uint32, dfa.Uint64:
		if o.Options[3] != 0 || o.Options[0] < eightDigits || o.Options[1] != 0 && o.Options[1] < eightDigits {
			break // hexadecimal, or less than the type's range
		}
		switch negatives := o.Options[1] != 0; {
		case o.Width == 4 && negatives:
			return formInt32
		case o.Width == 4:
			return formUint32
		case negatives:
			return formInt64
		default:
			return formUint64
		}
	case dfa.Int8, dfa.Int16, dfa.Uint8, dfa.Uint16:
		if o.Options[3] != 0 {
			break
		}
		return map[dfa.TypeKind]uint32{dfa.Int8: formInt8, dfa.Int16: formInt16, dfa.Uint8: formUint8, dfa.Uint16: formUint16}[kind]
	case dfa.IP:
		if o.Width == 16 {
			return formIP
		}
	case dfa.Enum:
		if o.Width == 4 {
			return formEnum
		}
	case dfa.Date, dfa.Time, dfa.Timestamp:
		switch {
		case o.Width == 4 && byOps && lines && o.Options[6] != 0:
			return formPlaced32
		case o.Width == 8 && byOps && lines && o.Options[6] != 0:
			return formPlaced64
		case o.Width == 4 && byOps:
			return formLayout32
		case o.Width == 4:
			return formClock32
		case o.Width == 8 && byOps:
			return formLayout64
		case o.Width == 8:
			return formClock64
		}
	}
	return formOther
}

// fusedWay is one of the paths that this file is for.
type fusedWay struct {
	memory    device.Memory // steps
	steps     uint64
	resume    dfa.StateID
	lines     *lineSteps     // not nil: the path of lines, steps are these, and groups behind them
	automaton *dfa.Automaton // of lines
	masks     *tileMasks     // not nil: tiles wait for nobody, unless a flight begins within a record
}

// fused is the fused path of a plan, or that of lines.
type fused struct {
	ways     []fusedWay // those that are for the Program, the one first that is taken unless a binding rules it out
	fusedWay            // the first, or that of the binding in force

	length  int  // of records, of the last flight that was read by lines
	longest int  // bytes of a string, on average, of the text of that flight that has most
	missed  int  // flights that guessed lines were not for, beyond those since that they were for
	untried int  // the next so many flights are read by the general path at once,
	after   int  // and so many after another one for which that of f was tried in vain
	quoted  bool // most tiles of the last flight that was read by masks have quotes, or returns
	noMasks bool // flights are not read by masks, where there are some

	device *device.Device

	why string // no way is for the Program, or for the binding in force

	// For the binding in force.
	binding *runtime.Binding
	ready   bool
	image   fusedImage
	tables  device.Memory
	numbers []int // outputs that dfa_fused converts; the others are texts
	texts   []int // and parts of columns
	direct  []uint32
	pools   linePools
	splits  []valueSplit  // columns that are taken apart by kernels/lines.cu
	hops    *lineHops     // not nil: to be found, from the first flight
	hopped  device.Memory // those that were, and splits behind them

	learnt *learntHops // of the parser that this one is a fork of, and of all its forks
}

// learntHops are the hops that the first of several parsers has found, which the others take.
type learntHops struct{ of atomic.Pointer[boundHops] }

// boundHops are the hops of a binding.
type boundHops struct {
	binding *runtime.Binding
	images  []hopImage
	splits  []uint32 // by column that is taken apart: where its hops begin among these
	odd     int
}

// open puts the steps of all ways on the device: those of p, which is what escapesLeft has made of a
// plan's Program, or, on the path of lines, of that itself, which is for more bindings. Where there are
// masks, they come first; where there are none, but one symbol always ends a record, lines do.
func (f *fused) open(d *device.Device, s *device.Stream, plan *runtime.Plan, p *dfa.Program) error {
	f.device = d
	err := f.openSteps(s, p)
	if err != nil {
		return err
	}
	if decodesEscapes(plan) {
		p = plan.Program
	}
	if err := f.openLines(s, p); err != nil {
		return err
	}
	if len(f.ways) == 2 && f.ways[0].masks == nil && !f.noMasks {
		if x := f.ways[1].lines; x.begins == nil && !x.guessed {
			slices.Reverse(f.ways)
		}
	}
	if len(f.ways) > 0 {
		f.fusedWay = f.ways[0]
	}
	return nil
}

// openSteps does so for the fused path.
func (f *fused) openSteps(s *device.Stream, p *dfa.Program) error {
	steps, resume, ok := fusedSteps(p.Automaton)
	if !ok || len(p.Widths) > 0 {
		return nil
	}
	if fusedShared > f.device.Info().MaxShared {
		f.why = "the device has too little shared memory"
		return nil
	}
	replicas := make([]uint64, 0, len(steps)*fusedReplicas)
	for _, step := range steps {
		for range fusedReplicas {
			replicas = append(replicas, step)
		}
	}
	memory, err := upload(f.device, s, bytesOf(replicas))
	if err != nil {
		return err
	}
	way := fusedWay{memory: memory, steps: memory.Address, resume: resume}
	if x := newTileMasks(p.Automaton, p.Analysis()); !f.noMasks && x != nil && x.begin == resume {
		way.masks = x
	}
	f.ways = append(f.ways, way)
	return nil
}

// openLines does so for the path of lines.
func (f *fused) openLines(s *device.Stream, p *dfa.Program) error {
	if leastLinePools > f.device.Info().MaxShared {
		f.why = "the device has too little shared memory"
		return nil
	}
	lines, err := newLineSteps(p.Automaton, p.Analysis())
	if err != nil {
		f.why = err.Error()
		return nil
	}
	tables := slices.Concat(bytesOf(lines.exits), bytesOf(lines.steps), groupBytes(p.Automaton))
	if lines.begins != nil {
		tables = append(tables, bytesOf(lines.begins.next)...)
	}
	memory, err := upload(f.device, s, tables)
	if err != nil {
		return err
	}
	f.ways = append(f.ways, fusedWay{memory: memory, steps: memory.Address, resume: lines.resume, lines: lines, automaton: p.Automaton})
	f.length, f.longest = usualLine, longText
	return nil
}

// bind takes the first way that a binding does not rule out, and makes its tables. The fused path is
// for records that all have the same number of fields, each its own column, whatever encloses it.
func (f *fused) bind(s *device.Stream, plan *runtime.Plan, c *columnSet, b *runtime.Binding) error {
	if len(f.ways) == 0 || f.binding == b {
		return nil
	}
	f.binding, f.ready, f.hops = b, false, nil
	if f.why = f.choose(plan, c, b); f.why != "" {
		return nil
	}
	f.numbers, f.texts = f.numbers[:0], f.texts[:0]
	var outputField, textField, textColumn []uint32
	listed := make([]bool, c.nspans)
	list := func(field int, column uint32) {
		if !listed[column] {
			listed[column] = true
			textField, textColumn = append(textField, uint32(field)), append(textColumn, column)
		}
	}
	f.splits = f.splits[:0]
	fields := f.columns(b)
	for i := range c.splits {
		x := &c.splits[i]
		f.splits = append(f.splits, valueSplit{lineSplit{Field: uint32(b.Source[x.of]), First: uint32(fields), Ntokens: x.image.NTokens}, plan.Columns[x.of].Split})
		fields += len(x.column)
	}
	field := func(i int) uint32 { // a part is one behind those of the record
		if k := c.splitOf(i); k >= 0 {
			part := slices.IndexFunc(c.splits[k].parts, func(p splitPart) bool { return p.output == i })
			return f.splits[k].image.First + uint32(c.splits[k].parts[part].part)
		}
		return uint32(b.Source[plan.Outputs[c.mine[i]].Column])
	}
	for i, o := range c.images {
		if c.text[i] {
			f.texts = append(f.texts, i)
			list(int(field(i)), o.Column)
		} else {
			f.numbers = append(f.numbers, i)
		}
	}
	form := func(i int) uint32 { return formOf(&c.images[i], f.lines != nil, c.digits[i]) }
	slices.SortStableFunc(f.numbers, func(i, j int) int { return formCost[form(j)] - formCost[form(i)] })
	for _, i := range f.numbers {
		outputField = append(outputField, form(i)<<formShift|field(i))
	}
	textOutput := f.directTexts(c, textColumn)
	f.direct = textOutput
	f.device.FreeMemory(f.tables)
	all := bytesOf(append(append(append(append(outputField, textField...), textColumn...), textOutput...), 0))
	splits := (len(all) + 15) &^ 15
	all = append(append(all, make([]byte, splits-len(all))...), bytesOf(f.splitImages())...)
	memory, err := upload(f.device, s, all)
	if err != nil {
		return err
	}
	f.tables, f.ready = memory, true
	f.image = fusedImage{
		Steps: f.steps, Columns: uint32(f.columns(b)), Resume: uint32(f.resume), Ntexts: uint64(len(textField)),
		OutputField: memory.Address, TextField: memory.Address + uint64(4*len(outputField)),
		TextColumn: memory.Address + uint64(4*(len(outputField)+len(textField))),
		TextOutput: memory.Address + uint64(4*(len(outputField)+len(textField)+len(textColumn))),
	}
	if x := f.lines; x != nil {
		f.image.LineExits, f.image.Lines = f.steps, f.steps+uint64(8*len(x.exits))
		f.image.LineGroups = f.image.Lines + uint64(4*len(x.steps))
		f.image.LineCount, f.image.Groups = uint32(len(x.steps)), uint32(x.groups)
		f.image.LineEnd, f.image.LastState = uint32(x.symbol)*0x01010101, x.lastState
		f.image.LineTexts = uint32(len(f.texts))
		f.image.Splits, f.image.SplitCount, f.image.LinePitch = memory.Address+uint64(splits), uint32(len(f.splits)), uint32(fields)|1
		if x.begins != nil {
			f.image.Begins, f.image.BeginCount = f.image.LineGroups+256, uint32(len(x.begins.next))
			f.image.LastGroup = uint32(x.groups) - 2
		}
		f.hops = newLineHops(f.automaton, x, plan, b)
		f.pools = f.linePools()
	}
	if x := f.masks; x != nil {
		f.image.FieldEnd, f.image.LineEnd, f.image.Quote, f.image.Carriage, f.image.Marks = x.field, x.record, x.quote, x.carriage, x.marks
	}
	return nil
}

// choose takes the first way that a binding does not rule out, or says why none is for it.
func (f *fused) choose(plan *runtime.Plan, c *columnSet, b *runtime.Binding) (why string) {
	for _, f.fusedWay = range f.ways {
		own := f.ruledOut(plan, c, b)
		if own == "" {
			return ""
		}
		if why == "" || f.lines != nil { // which is for most
			why = own
		}
	}
	return why
}

// directTexts are, of each text's column, the output, counted as fusedRun sends them,
// that is the text itself: kernels/tiles.cu and lines.cu know its lengths. noOutput:
// there is none, or there are several.
func (f *fused) directTexts(c *columnSet, columns []uint32) (outputs []uint32) {
	for _, column := range columns {
		of := uint32(noOutput)
		n := 0
		for k, i := range f.texts {
			o := &c.images[i]
			if o.Column != column {
				continue
			}
			n++
			never := uint32(kernels.OnHost)
			if f.lines == nil {
				never |= kernels.Trim | kernels.EmptyIsNull
			}
			if dfa.TypeKind(o.Kind) == dfa.String && (o.NTokens == 0 || f.lines != nil) && o.Flags&never == 0 {
				of = uint32(len(f.numbers) + k)
			}
		}
		if n != 1 {
			of = noOutput
		}
		outputs = append(outputs, of)
	}
	return outputs
}

// columns are the fields that are looked at of a record; of lines, the last may go
// to its end.
func (f *fused) columns(b *runtime.Binding) int {
	if b.Rest >= 0 {
		return b.Rest + 1
	}
	return b.MaxFields
}

// parts are the fields that columns are taken apart into.
func (f *fused) parts(c *columnSet) (n int) {
	for i := range c.splits {
		n += len(c.splits[i].column)
	}
	return n
}

// valueSplit is a column that is taken apart on the path of lines.
type valueSplit struct {
	image lineSplit
	split *dfa.Split
}

// splitImages are those of the binding in force.
func (f *fused) splitImages() []lineSplit {
	images := make([]lineSplit, len(f.splits))
	for i := range images {
		images[i] = f.splits[i].image
	}
	return images
}

// ruledOut is why a binding cannot be fused, "" if it can.
func (f *fused) ruledOut(plan *runtime.Plan, c *columnSet, b *runtime.Binding) string {
	switch {
	case f.lines == nil && b.MinFields != b.MaxFields:
		return "records may have different numbers of fields"
	case f.columns(b) == 0 || f.columns(b) >= 1<<formShift || f.lines != nil && f.columns(b) >= lineOpens:
		return "records have too many fields, or none"
	case b.Rest >= 0 && f.lines == nil:
		return "the last field goes to the end of the record, whatever it holds"
	case b.Truncate && f.lines == nil:
		return "surplus fields are dropped"
	case len(plan.Program.Widths) > 0 && f.columns(b) != len(plan.Program.Widths):
		return "some columns of fixed width are not read"
	case c.nparts > 0 && f.lines == nil:
		return "columns are taken apart"
	case f.lines != nil && f.columns(b)+f.parts(c) >= lineOpens:
		return "columns are taken apart, into too many parts"
	}
	for column, field := range b.Source {
		switch {
		case f.lines == nil && plan.Columns[column].Class != 0 && field >= 0:
			return "it counts how fields are enclosed"
		case field >= f.columns(b) || field < 0 && c.span[column] >= 0:
			return "a column has no field"
		}
	}
	return ""
}

func (f *fused) close() {
	if f.device != nil {
		for i := range f.ways {
			f.device.KeepMemory(f.ways[i].memory)
		}
		f.device.KeepMemory(f.tables)
		f.device.KeepMemory(f.hopped)
	}
	*f = fused{why: f.why, noMasks: f.noMasks}
}

// syncSymbol is a symbol that leads to one state from every state, and the only
// one of its group.
func syncSymbol(a *dfa.Automaton, analysis *dfa.Analysis) (symbol int, state dfa.StateID, err error) {
	sync, ok := analysis.LocalSync()
	if !ok {
		return 0, 0, errors.New("no symbol of valid input leads to one state from every state")
	}
	for _, s := range a.Row(sync.Group) { // those that Start does not lead to count here: any may be the first of a partition
		if s != sync.State {
			return 0, 0, fmt.Errorf("group %d leads to one state from those that are reached only", sync.Group)
		}
	}
	symbol = -1
	for i, g := range a.Group {
		switch {
		case g != sync.Group:
		case symbol >= 0:
			return 0, 0, fmt.Errorf("group %d, which synchronises, has more than one symbol", sync.Group)
		default:
			symbol = i
		}
	}
	return symbol, sync.State, nil
}
