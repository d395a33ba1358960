//go:build cuda

package gpu

import (
	"errors"
	"slices"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// fusedRun is a flight whose stages are ordered on the fused path, with what its kernels are given.
//
// The parameters that it sends are the job, the deliveries of all outputs, of numbers and of texts, the image, the
// outputs, those of numbers first, and the splits.
type fusedRun struct {
	*orders
	*parser
	s             *slot
	symbols, rows int
	masks         bool // it is read by masks

	job                    kernels.Job
	all, numbers, texts    kernels.Delivery
	image                  fusedImage
	numbersAddr, textsAddr pointer[kernels.Delivery]
	imageAddr              pointer[fusedImage]

	units, sums int // bytes of a text's sums by unit, and of all; they lie before the tables of tiles
	zeroed      int // bytes of these tables
}

// runFused orders the stages over a flight whose symbols are in s, on the fused path.
func (p *parser) runFused(s *slot, part *runtime.Partition, mark mark) error {
	r := &fusedRun{orders: &orders{mark: mark}, parser: p, s: s, symbols: len(part.Data), rows: p.fill(s, part)}
	s.job.DataBefore = s.before
	if p.fused.lines != nil { // few symbols are no data
		s.job.DataBefore = 0
	}
	if err := p.fused.findHops(p.parse, part); err != nil {
		return err
	}
	r.masks = p.fused.byMasks(part) && r.symbols > 0
	r.layDeliveries()
	r.layImage()
	r.send()
	switch {
	case p.fused.lines != nil:
		r.readLines()
	case r.masks:
		r.readTiles()
	default:
		r.readStates()
	}
	x, stream := p.stages, p.parse
	r.give("fused", func() error { return x.fusedCheck.launch(stream, device.Grid{1}, 1, 0, s.jobAddress) })
	if len(p.fused.texts) > 0 {
		r.orderTexts()
	}
	r.give("", func() error {
		grid := device.Grid{strides(x.device, r.rows, rowThreads)}
		all, list := s.deliveryAddr, pointer[kernels.Leftover](s.list.address)
		return x.fusedRows.launch(stream, grid, rowThreads, 0, p.program.Address, s.jobAddress, all, r.imageAddr, list, s.left, uint64(s.listed))
	})
	return r.err
}

// layDeliveries makes the job and the deliveries, and says where all that is sent will lie.
func (r *fusedRun) layDeliveries() {
	s, f := r.s, &r.fused
	r.job = s.job
	r.job.Value = r.job.Data // no symbol here stands for another one
	delivery := pointer[kernels.Delivery](sizeOf[kernels.Delivery]())
	r.numbersAddr = s.deliveryAddr + delivery
	r.textsAddr = r.numbersAddr + delivery
	r.imageAddr = pointer[fusedImage](r.textsAddr + delivery)
	outputs := uint64(r.imageAddr) + uint64(sizeOf[fusedImage]())
	size := sizeOf[kernels.Output]()
	r.all, r.numbers, r.texts = s.delivery, s.delivery, s.delivery
	r.all.Outputs, r.numbers.Outputs = outputs, outputs
	r.numbers.NOutputs = uint32(len(f.numbers))
	r.numbers.Splits = outputs + uint64(size*len(s.outputs))
	r.texts.Outputs, r.texts.NOutputs = outputs+uint64(size*len(f.numbers)), uint32(len(f.texts))
}

// layImage makes the image: where the path's own tables lie in the job's memory.
func (r *fusedRun) layImage() {
	s, f := r.s, &r.fused
	r.image = f.image
	image := &r.image
	image.Ticket, image.Control, image.Untrimmed, image.Status = s.job.Mark, s.job.Mark+4, s.job.Mark+8, s.job.Mark+fusedHeader
	image.RecordEnd, image.LineBefore, image.LineTold = s.job.Found, s.job.Mark+fusedHeader, s.job.RecordLast
	image.LineRows, image.LineFields, image.LinePool = uint32(f.pools.rows), uint32(f.pools.fields), uint32(f.pools.pool)
	zeroed, counts, starts := tileTables(r.symbols)
	if r.zeroed = zeroed; r.masks && !f.byQuotes() {
		r.units = (4*ceil(r.rows, unitRows) + 63) &^ 63
		if r.sums = r.units * len(f.texts); fusedHeader+r.sums+starts+tileStartSize*ceil(r.symbols, tileSymbols) > 4*s.symbols {
			r.units, r.sums = 0, 0
		}
	}
	tables := image.Status + uint64(r.sums)
	image.TileScratch, image.TileCounts, image.TileStarts = tables, tables+uint64(counts), tables+uint64(starts)
	if r.clears() {
		malformed, pitch := r.malformed(), pitchOf(s.rowWords())
		image.Bitmaps, image.BitmapPitch = malformed.address, uint32(pitch)
		image.BitmapCount = uint32((s.bitmaps.address + uint64(s.bitmaps.size) - malformed.address) / uint64(pitch))
	}
}

// clears reports whether a kernel clears the bitmaps, of the rows that there are.
func (r *fusedRun) clears() bool { return r.masks || r.fused.lines != nil && r.symbols > 0 }

// malformed are the bits of rows whose texts must be there and are not, or that are malformed by lines.
func (r *fusedRun) malformed() region {
	return region{r.s.delivery.Malformed, 4 * ((r.s.rows + 31) / 32)}
}

// send orders that the parameters are uploaded, and that memory is cleared.
func (r *fusedRun) send() {
	b := r.s.pinned[:0]
	b = append(b, bytesOf([]kernels.Job{r.job})...)
	b = append(b, bytesOf([]kernels.Delivery{r.all, r.numbers, r.texts})...)
	b = append(b, bytesOf([]fusedImage{r.image})...)
	for k, i := range slices.Concat(r.fused.numbers, r.fused.texts) {
		b = append(b, bytesOf([]kernels.Output{r.output(k, i)})...)
	}
	for _, x := range r.s.splits {
		x.Source = r.job.Data
		b = append(b, bytesOf([]kernels.Split{x})...)
	}
	r.give("", func() error { return r.stages.copy.upload(r.parse, r.s.params, b) })
	cleared := []region{r.s.cleared}
	if !r.clears() {
		cleared = append(cleared, r.s.bitmaps, r.malformed())
	}
	for _, region := range cleared {
		r.give("", func() error { return r.parse.Fill(region.address, 0, region.size) })
	}
}

// output is the slot's output i as it is sent, as number k.
func (r *fusedRun) output(k, i int) kernels.Output {
	o, f := r.s.outputs[i], &r.fused
	o.Source = r.job.Data
	if (f.lines != nil || r.masks) && slices.Contains(f.direct, uint32(k)) {
		o.Flags |= convertPartly
		if o.Views != 0 && !(r.masks && f.byQuotes()) {
			o.Flags |= viewed
		}
		if r.units > 0 && o.Flags&kernels.OfMaps == 0 && o.Views == 0 {
			o.Options[unitBytes] = r.image.Status + uint64(r.units*(k-len(f.numbers)))
		}
	}
	return o
}

// readLines orders what reads symbols by lines.
func (r *fusedRun) readLines() {
	x, stream, s, f := r.stages, r.parse, r.s, &r.fused
	if f.lines.skips {
		r.give("", func() error {
			return errors.Join(stream.Fill(r.image.Control, 0, 4), stream.Fill(s.job.IsData, 0xff, 4*ceil(r.symbols, 32)))
		})
	}
	if r.symbols == 0 {
		return
	}
	multiprocessors := x.device.Info().Multiprocessors
	count := func(k linesCountKernel) func() error {
		grid := device.Grid{min(ceil(r.symbols, lineTile), lineCountBlocks*multiprocessors)}
		return func() error { return k.launch(stream, grid, lineCountThreads, 0, s.jobAddress, r.imageAddr) }
	}
	if f.lines.begins == nil {
		r.give("count", count(x.linesCount))
		r.give("ends", count(x.linesJoin))
	} else {
		r.give("count", count(x.linesBegins), func() error {
			return x.linesScan.launch(stream, device.Grid{1}, lineScanThreads, 0, s.jobAddress, r.imageAddr)
		})
		r.give("ends", count(x.linesEnds))
	}
	r.give("", func() error {
		lines := x.lines
		if f.pools.warps <= fewLineThreads/32 {
			lines = x.linesFew
		}
		return lines.launch(stream, device.Grid{multiprocessors}, 32*f.pools.warps, f.pools.shared, s.jobAddress, r.numbersAddr, r.imageAddr)
	})
}

// readTiles orders what reads symbols by masks.
func (r *fusedRun) readTiles() {
	x, stream, s := r.stages, r.parse, r.s
	quotes, program, multiprocessors := r.fused.byQuotes(), r.program.Address, x.device.Info().Multiprocessors
	tiles := ceil(r.symbols, tileSymbols)
	r.give("count",
		func() error { return stream.Fill(r.image.Ticket, 0, fusedHeader+r.sums+r.zeroed) },
		func() error {
			if quotes {
				return x.quotedCount.launch(stream, device.Grid{min(tiles, quotedCountBlocks*multiprocessors)}, tileThreads, 0, s.jobAddress, r.imageAddr)
			}
			return x.tilesCount.launch(stream, device.Grid{min(tiles, tileCountBlocks*multiprocessors)}, tileThreads, 0, s.jobAddress, r.imageAddr)
		},
		func() error {
			return x.tilesScan.launch(stream, device.Grid{min(ceil(tiles, tileScanTiles), multiprocessors)}, tileScanThreads, 0, s.jobAddress, r.imageAddr)
		},
		func() error {
			return x.tilesClear.launch(stream, device.Grid{multiprocessors}, tileScanThreads, 0, s.jobAddress, r.imageAddr)
		})
	r.give("", func() error {
		grid := device.Grid{min(tiles, tileBlocks*multiprocessors)}
		if quotes {
			return x.quoted.launch(stream, grid, tileThreads, quotedShared, program, s.jobAddress, r.numbersAddr, r.imageAddr)
		}
		return x.tiles.launch(stream, grid, tileThreads, tileShared, program, s.jobAddress, r.numbersAddr, r.imageAddr)
	})
}

// readStates orders what reads symbols by the automaton's states.
func (r *fusedRun) readStates() {
	x, stream, s := r.stages, r.parse, r.s
	r.give("context", func() error { return x.context.launch(stream, s.jobAddress, &s.job) })
	r.give("", func() error { return stream.Fill(r.image.Ticket, 0, fusedStatus(r.symbols)) })
	if r.symbols > 0 {
		r.give("", func() error {
			grid := device.Grid{min(ceil(r.symbols, fusedTile), fusedBlocks*x.device.Info().Multiprocessors)}
			return x.fused.launch(stream, grid, fusedThreads, fusedShared, r.program.Address, s.jobAddress, r.numbersAddr, r.imageAddr)
		})
	}
}

// orderTexts orders what is done with texts once their places are known.
func (r *fusedRun) orderTexts() {
	x, stream, s, f := r.stages, r.parse, r.s, &r.fused
	if f.lines == nil { // by lines, what is no data is cut off
		zeroed, _ := lookBackScratch(recountTiles(r.symbols), 4)
		r.give("",
			func() error { return stream.Fill(s.scratch.address, 0, zeroed) },
			func() error {
				return x.recount.launch(stream, recountGrid(x.device.Info().Multiprocessors, r.symbols), recountThreads, 0, s.jobAddress, r.image.Control)
			},
			func() error {
				grid := device.Grid{strides(x.device, r.rows, rowThreads), int(r.image.Ntexts)}
				return x.fusedTrim.launch(stream, grid, rowThreads, 0, s.jobAddress, r.numbersAddr, r.imageAddr)
			})
	}
	r.orderValues(r.orders, "texts", s, r.textsAddr, r.symbols, r.rows, len(f.texts), len(f.texts), f.sideBySide(r.image.RecordEnd))
}
