//go:build cuda

package gpu

import (
	"errors"
	"slices"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file reads flights by the fused path, by that of masks or by that of lines: which one is tried,
// and what it needs.

// mostUntried is how many flights at most are not tried, after some in a row that the path was not for.
const mostUntried = 15

// due reports whether the next flight is tried.
func (f *fused) due() bool {
	if f.ready && f.untried > 0 {
		f.untried--
		return false
	}
	return f.ready
}

// noteMissed notes that the path was not for a flight: the more there are in a row, the fewer are tried.
func (f *fused) noteMissed() {
	f.untried, f.after = f.after, min(2*f.after+1, mostUntried)
	if f.lines == nil || !f.lines.guessed {
		return
	}
	if f.missed++; f.missed > mostMissed {
		f.ready, f.why = false, "what ends records is often within them"
	}
}

// mostMissed is how many flights may be read in vain before lines are guessed no more.
const mostMissed = 2

// linePools is how the warps of a block of dfa_lines, which has a multiprocessor, share its memory.
type linePools struct {
	warps, shared      int // of a block; its bytes
	rows, fields, pool int // as in fusedImage
}

// usualLine is how long a record is thought to be before there has been one, and
// leastLinePools the shared memory without which the path of lines is not taken.
const (
	usualLine      = 128
	leastLinePools = 64 << 10
	leastLineWarps = 16 // so that while one waits, others work
)

// linePools finds them for the binding in force.
func (f *fused) linePools() linePools {
	tables := lineBlockSize + (2*len(f.lines.steps)+15)&^15
	if n := len(f.numbers) + len(f.texts); n <= lineOutputs {
		tables += (n*sizeOf[kernels.Output]()+4*len(f.numbers)+15)&^15 + int(f.image.Ntexts)*lineTextSize
	}
	tables += int(f.image.HopCount) * sizeOf[hopImage]()
	return newLinePools(f.device.Info().MaxShared, tables, int(f.image.LinePitch), f.length)
}

// newLinePools finds them where a block may have `most` bytes, of which so many are
// tables, for records of so many columns, each a little longer or shorter than length:
// as many warps as have room for 32 records each, but leastLineWarps at least, and of short
// records several times 32.
func newLinePools(most, tables, columns, length int) linePools {
	const least = 2048 // of a warp's fields and symbols
	records := 32 * (4*columns + length + length/8)
	x := linePools{warps: (most - tables) / (lineFixed + 32 + records)}
	x.warps = min(max(x.warps, leastLineWarps), (most-tables)/(lineFixed+32+least), lineWarps)
	x.pool = min((most-tables)/x.warps, lineScattered-1) &^ 15
	x.shared = tables + x.warps*x.pool
	own := x.pool - lineFixed - 32
	x.rows = 32 * min(max(own/records, 1), 16)
	x.fields = (max(min(x.rows*columns, own/8), columns) + 3) &^ 3
	return x
}

// fusedHeader is the bytes before the status words.
const fusedHeader = 64

// tileTables says where the tables of kernels/tiles.cu lie for so many symbols,
// counted from their scratch memory, of which so many bytes are zeroed.
func tileTables(symbols int) (zeroed, counts, starts int) {
	tiles := ceil(symbols, tileSymbols)
	zeroed, scratch := lookBackScratch(ceil(tiles, tileScanTiles), tileCountSize)
	counts = (scratch + 63) &^ 63
	return zeroed, counts, counts + (tiles*tileCountSize+63)&^63
}

// allBy has flights that are read by masks read by kernels/tiles.cu or by kernels/quoted.cu,
// whatever they hold, as some tests want it.
var allBy struct{ tiles, quoted bool }

// byMasks reports whether a flight is read by masks.
func (f *fused) byMasks(part *runtime.Partition) bool {
	return f.masks != nil && f.image.Columns > 1 && part.State == f.masks.begin
}

// byQuotes reports whether such a flight is read by kernels/quoted.cu, since there are quotes
// in most tiles.
func (f *fused) byQuotes() bool { return (f.quoted || allBy.quoted) && !allBy.tiles }

// noteTiles is told of symbols that are read by masks: in how many tiles there were quotes.
func (f *fused) noteTiles(quoted, symbols int) { f.quoted = quoted*2 > ceil(symbols, tileSymbols) }

// noteLines is told of a flight that was read by lines: how many records there were, and how many
// bytes the text that has most.
func (f *fused) noteLines(records, symbols, text int) {
	if records == 0 {
		return
	}
	f.longest = text / records
	length := ceil(symbols, records)
	if off := length - f.length; off*32 > f.length || -off*8 > f.length {
		f.length = length
		f.pools = f.linePools()
	}
}

// longText is how many bytes strings of some text have on average where blocks copy them that have
// all symbols of their records. Where all are shorter, to read each where it lies takes less time.
const longText = 16

// sideBySide are the records that texts are copied of, which end there; none, if the texts are short.
func (f *fused) sideBySide(ends uint64) sideBySide {
	if f.lines == nil || f.longest < longText {
		return sideBySide{}
	}
	return sideBySide{ends, f.length}
}

// findHops finds the hops of the binding in force, from a flight, once there are some, or takes
// those that another parser has found.
func (f *fused) findHops(s *device.Stream, part *runtime.Partition) error {
	if f.hops == nil {
		return nil
	}
	found := f.learnt.of.Load()
	if found == nil || found.binding != f.binding {
		if found = f.learnHops(part); found == nil {
			return nil
		}
		f.learnt.of.Store(found)
	}
	for i, hop := range found.splits {
		f.splits[i].image.Hop = hop
	}
	f.device.FreeMemory(f.hopped)
	memory, err := upload(f.device, s, slices.Concat(bytesOf(found.images), bytesOf(f.splitImages())))
	if err != nil {
		return err
	}
	f.hopped, f.image.Hops, f.image.HopCount, f.image.LineOdd = memory, memory.Address, uint32(len(found.images)), uint32(found.odd)*0x01010101
	f.image.Splits = memory.Address + uint64(len(bytesOf(found.images)))
	f.hops, f.pools = nil, f.linePools()
	return nil
}

// learnHops finds hops from a flight, nil if there are none.
func (f *fused) learnHops(part *runtime.Partition) *boundHops {
	records := f.hops.sample(part.Data, part.State)
	images := f.hops.images()
	if len(images) == 0 {
		return nil
	}
	var splits []uint32
	for i := range f.splits[:min(len(f.splits), lineSplits)] {
		x := &f.splits[i]
		splits = append(splits, x.image.Hop)
		hops := newValueHops(x.split.Automaton, len(x.split.Columns))
		if hops == nil {
			continue
		}
		hops.sampleValues(f.hops, int(x.image.Field), records)
		if more := hops.imagesFrom(len(images)); len(more) > 0 {
			splits[i] = uint32(len(images))
			images = append(images, more...)
		}
	}
	return &boundHops{f.binding, images, splits, f.hops.odd}
}

// fusedStatus is the bytes that the look-back over so many symbols needs. They
// lie in a table of the general path's, since Job.Scratch is others' before the
// last of them has been read.
func fusedStatus(symbols int) int { return fusedHeader + 8*(symbols/fusedTile+1) }

// runFused orders the stages over a flight whose symbols are in s, on the fused
// path. The outputs of numbers come first in what it sends, then the texts.
func (p *parser) runFused(s *slot, part *runtime.Partition, mark mark) error {
	n := len(part.Data)
	rows := p.fill(s, part)
	x, stream, program, f := p.stages, p.parse, p.program.Address, &p.fused
	s.job.DataBefore = s.before
	if f.lines != nil { // few symbols are no data
		s.job.DataBefore = 0
	}
	if err := f.findHops(stream, part); err != nil {
		return err
	}
	size := sizeOf[kernels.Output]()
	allAddr := s.deliveryAddr
	numbersAddr := allAddr + pointer[kernels.Delivery](sizeOf[kernels.Delivery]())
	textsAddr := numbersAddr + pointer[kernels.Delivery](sizeOf[kernels.Delivery]())
	imageAddr := pointer[fusedImage](textsAddr + pointer[kernels.Delivery](sizeOf[kernels.Delivery]()))
	outputs := uint64(imageAddr) + uint64(sizeOf[fusedImage]())
	all, numbers, texts := s.delivery, s.delivery, s.delivery
	all.Outputs, numbers.Outputs = outputs, outputs
	numbers.NOutputs = uint32(len(f.numbers))
	numbers.Splits = outputs + uint64(size*len(s.outputs))
	texts.Outputs, texts.NOutputs = outputs+uint64(size*len(f.numbers)), uint32(len(f.texts))
	image := f.image
	image.Ticket, image.Control, image.Untrimmed, image.Status = s.job.Mark, s.job.Mark+4, s.job.Mark+8, s.job.Mark+fusedHeader
	image.RecordEnd, image.LineBefore, image.LineTold = s.job.Found, s.job.Mark+fusedHeader, s.job.RecordLast
	image.LineRows, image.LineFields, image.LinePool = uint32(f.pools.rows), uint32(f.pools.fields), uint32(f.pools.pool)
	zeroed, counts, starts := tileTables(n)
	malformed := region{s.delivery.Malformed, 4 * ((s.rows + 31) / 32)} // of texts that must be there, and by lines
	cleared := []region{s.cleared, s.bitmaps, malformed}
	masks := f.byMasks(part) && n > 0
	units, sums := 0, 0 // bytes of a text's sums by unit, and of all; they lie before the tables of tiles
	if masks && !f.byQuotes() {
		units = (4*ceil(rows, unitRows) + 63) &^ 63
		if sums = units * len(f.texts); fusedHeader+sums+starts+tileStartSize*ceil(n, tileSymbols) > 4*s.symbols {
			units, sums = 0, 0
		}
	}
	tables := image.Status + uint64(sums)
	image.TileScratch, image.TileCounts, image.TileStarts = tables, tables+uint64(counts), tables+uint64(starts)

	if masks || f.lines != nil && n > 0 { // which clears those of the rows that there are
		cleared = cleared[:1]
		pitch := pitchOf(s.rowWords())
		image.Bitmaps, image.BitmapPitch = malformed.address, uint32(pitch)
		image.BitmapCount = uint32((s.bitmaps.address + uint64(s.bitmaps.size) - malformed.address) / uint64(pitch))
	}

	job := s.job
	job.Value = job.Data // no symbol here stands for another one

	b := s.pinned[:0]
	b = append(b, bytesOf([]kernels.Job{job})...)
	b = append(b, bytesOf([]kernels.Delivery{all, numbers, texts})...)
	b = append(b, bytesOf([]fusedImage{image})...)
	for k, i := range slices.Concat(f.numbers, f.texts) {
		o := s.outputs[i]
		o.Source = job.Data
		if (f.lines != nil || masks) && slices.Contains(f.direct, uint32(k)) {
			o.Flags |= convertPartly
			if o.Views != 0 && !(masks && f.byQuotes()) {
				o.Flags |= viewed
			}
			if units > 0 && o.Flags&kernels.OfMaps == 0 && o.Views == 0 {
				o.Options[unitBytes] = image.Status + uint64(units*(k-len(f.numbers)))
			}
		}
		b = append(b, bytesOf([]kernels.Output{o})...)
	}
	for _, x := range s.splits {
		x.Source = job.Data
		b = append(b, bytesOf([]kernels.Split{x})...)
	}
	o := &orders{mark: mark}
	o.give("", func() error { return x.copy.upload(stream, s.params, b) })
	for _, r := range cleared {
		o.give("", func() error { return stream.Fill(r.address, 0, r.size) })
	}
	multiprocessors := x.device.Info().Multiprocessors
	if f.lines != nil {
		o.give("",
			func() error {
				if !f.lines.skips {
					return nil
				}
				return errors.Join(stream.Fill(image.Control, 0, 4), stream.Fill(s.job.IsData, 0xff, 4*ceil(n, 32)))
			})
		tiles := ceil(n, lineTile)
		if n > 0 {
			grid := device.Grid{min(tiles, lineCountBlocks*multiprocessors)}
			count := func(k linesCountKernel) func() error {
				return func() error { return k.launch(stream, grid, lineCountThreads, 0, s.jobAddress, imageAddr) }
			}
			if f.lines.begins == nil {
				o.give("count", count(x.linesCount))
				o.give("ends", count(x.linesJoin))
			} else {
				o.give("count", count(x.linesBegins), func() error {
					return x.linesScan.launch(stream, device.Grid{1}, lineScanThreads, 0, s.jobAddress, imageAddr)
				})
				o.give("ends", count(x.linesEnds))
			}
			o.give("", func() error {
				lines := x.lines
				if f.pools.warps <= fewLineThreads/32 {
					lines = x.linesFew
				}
				return lines.launch(stream, device.Grid{multiprocessors}, 32*f.pools.warps, f.pools.shared, s.jobAddress, numbersAddr, imageAddr)
			})
		}
	} else if masks {
		tiles := ceil(n, tileSymbols)
		o.give("count",
			func() error { return stream.Fill(image.Ticket, 0, fusedHeader+sums+zeroed) },
			func() error {
				if f.byQuotes() {
					return x.quotedCount.launch(stream, device.Grid{min(tiles, quotedCountBlocks*multiprocessors)}, tileThreads, 0, s.jobAddress, imageAddr)
				}
				return x.tilesCount.launch(stream, device.Grid{min(tiles, tileCountBlocks*multiprocessors)}, tileThreads, 0, s.jobAddress, imageAddr)
			},
			func() error {
				return x.tilesScan.launch(stream, device.Grid{min(ceil(tiles, tileScanTiles), multiprocessors)}, tileScanThreads, 0, s.jobAddress, imageAddr)
			},
			func() error {
				return x.tilesClear.launch(stream, device.Grid{multiprocessors}, tileScanThreads, 0, s.jobAddress, imageAddr)
			})
		o.give("", func() error {
			grid := device.Grid{min(tiles, tileBlocks*multiprocessors)}
			if f.byQuotes() {
				return x.quoted.launch(stream, grid, tileThreads, quotedShared, program, s.jobAddress, numbersAddr, imageAddr)
			}
			return x.tiles.launch(stream, grid, tileThreads, tileShared, program, s.jobAddress, numbersAddr, imageAddr)
		})
	} else {
		o.give("context", func() error { return x.context.launch(stream, s.jobAddress, &s.job) })
		o.give("", func() error { return stream.Fill(image.Ticket, 0, fusedStatus(n)) })
		if n > 0 {
			o.give("", func() error {
				grid := device.Grid{min(ceil(n, fusedTile), fusedBlocks*multiprocessors)}
				return x.fused.launch(stream, grid, fusedThreads, fusedShared, program, s.jobAddress, numbersAddr, imageAddr)
			})
		}
	}
	o.give("fused", func() error { return x.fusedCheck.launch(stream, device.Grid{1}, 1, 0, s.jobAddress) })
	if len(f.texts) > 0 {
		zeroed, _ := lookBackScratch(recountTiles(n), 4)
		o.give("",
			func() error {
				if f.lines != nil {
					return nil
				}
				return errors.Join(stream.Fill(s.scratch.address, 0, zeroed),
					x.recount.launch(stream, recountGrid(multiprocessors, n), recountThreads, 0, s.jobAddress, image.Control))
			},
			func() error {
				if f.lines != nil { // what is no data is cut off
					return nil
				}
				grid := device.Grid{strides(x.device, rows, rowThreads), int(image.Ntexts)}
				return x.fusedTrim.launch(stream, grid, rowThreads, 0, s.jobAddress, numbersAddr, imageAddr)
			})
		p.orderValues(o, "texts", s, textsAddr, n, rows, len(f.texts), len(f.texts), f.sideBySide(image.RecordEnd))
	}
	o.give("", func() error {
		grid := device.Grid{strides(x.device, rows, rowThreads)}
		return x.fusedRows.launch(stream, grid, rowThreads, 0, program, s.jobAddress, allAddr, imageAddr, pointer[kernels.Leftover](s.list.address), s.left, uint64(s.listed))
	})
	return o.err
}
