//go:build cuda

package gpu

import (
	"cmp"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// stages are the kernels of a plan, on one device.
type stages struct {
	device    *device.Device
	context   *contextStage
	index     *indexStage
	utf8      *utf8Stage
	partition *partitionStage
	css       *cssStage
	split     *splitStage
	convert   *convertStage
	strings   *stringsStage
	tokens    *dictionaryStage
	pairs     *pairsStage
	narrow    *narrowStage
	copy      *copyStage
	patch     *patchStage
	addresses *addressStage
	leftover  leftoverKernel

	lines       linesKernel
	linesFew    linesKernel
	linesCount  linesCountKernel
	linesJoin   linesCountKernel
	linesBegins linesCountKernel
	linesScan   linesCountKernel
	linesEnds   linesCountKernel
	tiles       tilesKernel
	tilesCount  tilesCountKernel
	tilesScan   tilesCountKernel
	quoted      quotedKernel
	quotedCount quotedCountKernel
	tilesClear  tilesCountKernel
	fused       fusedKernel
	fusedCheck  fusedCheckKernel
	fusedRows   fusedRowsKernel
	fusedTrim   fusedTrimKernel
	recount     recountKernel
}

func newStages(d *device.Device, p *program, plan *runtime.Plan) (*stages, error) {
	x := &stages{device: d}
	err := cmp.Or(
		into(&x.context)(newContextStage(d, p)),
		into(&x.index)(newIndexStage(d, plan.Program.Automaton)),
		into(&x.utf8)(newUTF8Stage(d, plan)),
		into(&x.partition)(newPartitionStage(d)),
		into(&x.css)(newCSSStage(d, plan)),
		into(&x.split)(newSplitStage(d)),
		into(&x.convert)(newConvertStage(d)),
		into(&x.strings)(newStringsStage(d)),
		into(&x.tokens)(newDictionaryStage(d)),
		into(&x.pairs)(newPairsStage(d)),
		into(&x.narrow)(newNarrowStage(d)),
		into(&x.copy)(newCopyStage(d)),
		into(&x.patch)(newPatchStage(d)),
		into(&x.addresses)(newAddressStage(d)),
		into(&x.leftover)(findLeftoverKernel(d, "dfa_leftover")),
		into(&x.lines)(findLinesKernel(d, "dfa_lines")),
		into(&x.linesFew)(findLinesKernel(d, "dfa_lines_few")),
		into(&x.linesCount)(findLinesCountKernel(d, "dfa_lines_count")),
		into(&x.linesJoin)(findLinesCountKernel(d, "dfa_lines_count_join")),
		into(&x.linesBegins)(findLinesCountKernel(d, "dfa_lines_count_begins")),
		into(&x.linesEnds)(findLinesCountKernel(d, "dfa_lines_count_ends")),
		into(&x.linesScan)(findLinesCountKernel(d, "dfa_lines_count_scan")),
		into(&x.tiles)(findTilesKernel(d, "dfa_tiles")),
		into(&x.tilesCount)(findTilesCountKernel(d, "dfa_tiles_count")),
		into(&x.tilesScan)(findTilesCountKernel(d, "dfa_tiles_count_scan")),
		into(&x.quoted)(findQuotedKernel(d, "dfa_quoted")),
		into(&x.quotedCount)(findQuotedCountKernel(d, "dfa_quoted_count")),
		into(&x.tilesClear)(findTilesCountKernel(d, "dfa_tiles_count_clear")),
		into(&x.fused)(findFusedKernel(d, "dfa_fused")),
		into(&x.fusedCheck)(findFusedCheckKernel(d, "dfa_fused_check")),
		into(&x.fusedRows)(findFusedRowsKernel(d, "dfa_fused_rows")),
		into(&x.fusedTrim)(findFusedTrimKernel(d, "dfa_fused_trim")),
		into(&x.recount)(findRecountKernel(d, "dfa_recount")),
	)
	if err != nil {
		return nil, err
	}
	return x, nil
}

// into puts what is found where it belongs.
func into[T any](to *T) func(found T, err error) error {
	return func(found T, err error) error {
		*to = found
		return err
	}
}

// scratch is the bytes of Job.Scratch that so many symbols, rows and outputs need.
func (x *stages) scratch(symbols, rows, outputs int) int {
	return max(x.context.scratch(symbols), x.index.scratch(symbols), stringsScratch(rows, outputs), stringsList(symbols))
}

// mark is told when a stage has been ordered; measuring records events there.
type mark func(stage string) error

// orders are given one after the other, until one fails.
type orders struct {
	mark mark
	err  error
}

// give gives some orders, which make up a stage; "" is none that is marked.
func (o *orders) give(stage string, orders ...func() error) {
	for _, order := range orders {
		if o.err == nil {
			o.err = order()
		}
	}
	if o.err == nil && stage != "" {
		o.err = o.mark(stage)
	}
}

// run orders the stages over a flight whose symbols are in s, on the general
// path.
func (p *parser) run(s *slot, part *runtime.Partition, mark mark) error {
	n, rows := len(part.Data), p.fill(s, part)
	s.job.DataBefore = s.before
	x, stream, program := p.stages, p.parse, p.program.Address
	o := &orders{mark: mark}
	o.give("", func() error { return p.send(s) }, func() error { return stream.Fill(s.cleared.address, 0, s.cleared.size) })
	o.give("context", func() error { return x.context.launch(stream, s.jobAddress, &s.job) })
	o.give("index",
		func() error { return x.index.launch(stream, program, s.jobAddress, &s.job) },
		func() error { return x.utf8.launch(stream, s.jobAddress, &s.job) })
	o.give("partition", func() error { return x.partition.launch(stream, program, s.jobAddress, s.deliveryAddr, rows) })
	if p.tagging != TaggingNone {
		o.give("css", func() error {
			return x.css.launch(stream, s.jobAddress, s.deliveryAddr, s.cssAddress, &s.css, s.scratch.address, rows, s.rows)
		})
	}
	o.give("", func() error { return x.split.launch(stream, s.jobAddress, s.deliveryAddr, rows, len(s.splits)) })
	p.orderValues(o, "convert", s, s.deliveryAddr, n, rows, len(s.outputs), p.textOutputs(), sideBySide{})
	o.give("", func() error {
		grid := device.Grid{strides(x.device, (rows+31)/32, rowThreads)}
		return x.leftover.launch(stream, grid, rowThreads, 0, program, s.jobAddress, s.deliveryAddr, pointer[kernels.Leftover](s.list.address), s.left, uint64(s.listed))
	})
	return o.err
}

// orderValues orders the values of a delivery's outputs, so many, of so many symbols
// and rows: converting, which is a stage of this name, and the texts among them.
func (p *parser) orderValues(o *orders, stage string, s *slot, delivery pointer[kernels.Delivery], symbols, rows, outputs, texts int, of sideBySide) {
	x := p.stages
	o.give(stage, func() error {
		return x.convert.launch(p.parse, p.program.Address, s.jobAddress, delivery, rows, outputs)
	})
	if p.columns.numbered() {
		o.give("dictionary", func() error { return x.tokens.launch(p.parse, s.jobAddress, delivery, rows, outputs) })
	}
	o.give("strings", func() error {
		if p.views && texts > 0 {
			return x.strings.launchViews(p.parse, s.jobAddress, delivery, s.scratch.address, s.rows, texts, p.textBytes(symbols, rows))
		}
		return x.strings.launch(p.parse, s.jobAddress, delivery, s.scratch.address, s.rows, texts, p.textBytes(symbols, rows), of)
	})
	p.orderMaps(o, s, delivery, rows)
}

// fill completes a slot's structures for a flight, and gives the rows that it
// may have at most.
func (p *parser) fill(s *slot, part *runtime.Partition) (rows int) {
	s.job.Size, s.job.State, s.job.Final = uint32(len(part.Data)), uint32(part.State), 0
	if part.Final {
		s.job.Final = 1
	}
	s.job.ChunkUTF8 = 0
	if p.stages.utf8.useful && p.columns.ntexts > 0 && p.tagging == TaggingNone { // it is of symbols where they were
		s.job.ChunkUTF8 = s.chunkUTF8
	}
	b, t := part.Binding, &p.tables
	s.delivery.RowFrom, s.delivery.RowTo = 0, 1<<32-1
	s.delivery.MaxRecord = uint32(p.plan.MaxRecord)
	s.delivery.MinFields, s.delivery.MaxFields, s.delivery.Rest = uint32(b.MinFields), uint32(b.MaxFields), int32(b.Rest)
	s.delivery.Truncate = 0 // records with surplus fields are not for the kernels: see parser.surplus
	s.delivery.NFields, s.delivery.FieldColumn, s.delivery.FieldClass = uint32(t.nfields), t.fieldColumn, t.class
	s.delivery.NWidths, s.delivery.Widths, s.delivery.ColumnField = uint32(t.nwidths), t.widths, t.columnField
	for i := range s.outputs {
		o := &s.outputs[i]
		o.Source, o.Flags = s.job.Value, p.columns.images[i].Flags
		if p.isRaw(b, p.plan.Outputs[p.mine[i]].Column) {
			o.Source, o.Flags = s.job.Data, o.Flags|kernels.Raw
		}
		if t := p.columns.tokens[i]; t != nil {
			o.Options[0] = t.address()
		}
	}
	for i := range s.splits {
		x := &s.splits[i]
		x.Source = s.job.Value
		if p.isRaw(b, p.columns.splits[i].of) {
			x.Source = s.job.Data
		}
	}
	rows = min(s.rows, len(part.Data)+1)
	if p.tagging != TaggingNone {
		s.css.Size = uint64(cssSize(len(part.Data), rows, len(s.raw)))
		for c, span := range p.columns.span {
			if span >= 0 {
				s.raw[span] = 0
				if p.isRaw(b, c) {
					s.raw[span] = 1
				}
			}
		}
	}
	return rows
}

// isRaw reports whether the values of a column are as they are written.
func (p *parser) isRaw(b *runtime.Binding, column int) bool {
	return len(p.plan.Program.Widths) > 0 || b.Rest >= 0 && b.Source[column] == b.Rest
}

// send puts a slot's structures on the device.
func (p *parser) send(s *slot) error {
	b := s.pinned[:0]
	b = append(b, bytesOf([]kernels.Job{s.job})...)
	b = append(b, bytesOf([]kernels.Delivery{s.delivery})...)
	b = append(b, bytesOf(s.outputs)...)
	b = append(b, bytesOf(s.splits)...)
	if p.tagging != TaggingNone {
		b = append(append(b, bytesOf([]kernels.Css{s.css})...), s.raw...)
	}
	return p.stages.copy.upload(p.parse, s.params, b)
}

// textBytes is how many bytes the texts of a flight have at most, about.
func (p *parser) textBytes(symbols, rows int) int {
	return p.columns.texts*symbols + p.columns.defaults*rows
}

// textOutputs is how many outputs the stage of texts has to look at.
func (p *parser) textOutputs() int {
	if p.columns.ntexts == 0 {
		return 0
	}
	return len(p.columns.images)
}
