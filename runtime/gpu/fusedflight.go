//go:build cuda

package gpu

import (
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
