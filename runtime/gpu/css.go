//go:build cuda

package gpu

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// Tagging is whether the symbols of each column are moved together, and how
// fields are then told apart: the tagging modes of ParPaRaw (section 4.1).
type Tagging int

const (
	TaggingNone Tagging = iota // fields are found where they are
	Tagged                     // each symbol has the number of its row
	Terminated                 // behind each field comes a symbol that is in none
	Delimited                  // behind each field comes a symbol, and a bit says that it is one
)

// unitSeparator comes behind each field. Where a value has it, Terminated leaves
// the symbols of a flight where they are.
const unitSeparator = 0x1f

// cssStage moves the symbols of each column together and makes an index of what
// tells its fields apart: the twin is Tag, SortByColumn and FieldIndex of
// runtime/reference. It changes where values lie, never what they are.
type cssStage struct {
	device                *device.Device
	offsets, gather, long cssKernel
	utf8                  cssUtf8Kernel
	index                 cssIndexKernel
	findUTF8              bool // of the symbols that have been moved
}

func newCSSStage(d *device.Device, plan *runtime.Plan) (x *cssStage, err error) {
	isText := func(o runtime.Output) bool { return plan.Def(o).Type.Kind == dfa.String }
	x = &cssStage{device: d, findUTF8: plan.UTF8 != dfa.KeepUTF8 && slices.ContainsFunc(plan.Outputs, isText)}
	for _, k := range []struct {
		kernel *cssKernel
		name   string
	}{{&x.offsets, "dfa_css_offsets"}, {&x.gather, "dfa_css_gather"}, {&x.long, "dfa_css_gather_long"}} {
		if *k.kernel, err = findCssKernel(d, k.name); err != nil {
			return nil, err
		}
	}
	if x.utf8, err = findCssUtf8Kernel(d, "dfa_css_utf8"); err != nil {
		return nil, err
	}
	x.index, err = findCssIndexKernel(d, "dfa_css_index")
	return x, err
}

// cssSize is the most bytes that the symbols of so many columns come to, of so
// many symbols and rows. Behind them there have to be kernels.Padding more.
func cssSize(symbols, rows, columns int) int {
	return symbols + columns*(rows+64)
}

// cssSymbols is the bytes of Css.Symbols for so many of them, with what is behind:
// padding, and which chunks are UTF-8. For that, Job.Data and Css.Symbols are
// multiples of kernels.Chunk.
func cssSymbols(size int) int {
	return (size+kernels.Padding+kernels.Chunk-1)&^(kernels.Chunk-1) + chunkUTF8Size(size)
}

// cssEnds is the bytes of Css.Ends for so many symbols.
func cssEnds(size int) int { return size/8 + 8 }

// cssPitch is Css.Pitch for so many rows.
func cssPitch(rows int) int { return (rows + 1 + 3) &^ 3 }

// cssScratch is how much scratch memory the stage needs, in bytes.
func cssScratch(rows, columns, size int) int {
	return max(stringsScratch(rows, columns), stringsList(size), cssIndexScratch(size))
}

// cssIndexScratch is how much of it is zero before the index is made.
func cssIndexScratch(size int) int {
	zeroed, _ := lookBackScratch((size+cssTile-1)/cssTile, 4)
	return zeroed
}

// layCSS gives the tables of the stage css their addresses; all columns but those
// that splits make are in x.raw.
func (x *slot) layCSS(tagging Tagging, take func(int) uint64) {
	columns, pitch := len(x.raw), cssPitch(x.rows)
	size := cssSize(x.symbols, x.rows, columns)
	x.css = kernels.Css{
		Tagging: uint32(tagging - Tagged), Terminator: unitSeparator, NColumns: uint32(columns), Pitch: uint32(pitch),
		Offsets: take(4 * pitch * columns), Counters: take(32 * columns), Failed: take(4),
		Symbols: take(cssSymbols(size)), Size: uint64(size),
	}
	x.cssAddress = pointer[kernels.Css](x.delivery.Splits + uint64(len(x.splits)*sizeOf[kernels.Split]()))
	x.css.Raw = uint64(x.cssAddress) + uint64(sizeOf[kernels.Css]())
	switch tagging {
	case Tagged:
		x.css.Tags = take(4 * (size + 16))
	case Delimited:
		x.css.Ends = take(cssEnds(size))
	}
}

// launch runs the stage over a delivery of at most so many rows, and of a capacity,
// after the stage partition. css is the structure at cssAddress; scratch is what
// the Job has.
func (x *cssStage) launch(s *device.Stream, job pointer[kernels.Job], delivery pointer[kernels.Delivery], cssAddress pointer[kernels.Css], css *kernels.Css, scratch uint64, rows, capacity int) error {
	columns := int(css.NColumns)
	if columns == 0 {
		return nil
	}
	if err := s.Fill(css.Counters, 0, 32*columns); err != nil {
		return err
	}
	if err := s.Fill(css.Failed, 0, 4); err != nil {
		return err
	}
	if css.Tagging == kernels.Delimited {
		if err := s.Fill(css.Ends, 0, cssEnds(int(css.Size))); err != nil {
			return err
		}
	}
	y := min(columns, 1<<16-1)
	if err := s.Fill(scratch, 0, stringsScratch(capacity, columns)); err != nil {
		return err
	}
	if err := x.offsets.launch(s, offsetsGrid(x.device, rows, columns), offsetsThreads, 0, job, delivery, cssAddress); err != nil {
		return err
	}
	if err := x.gather.launch(s, device.Grid{strides(x.device, rows, unitRows)}, gatherThreads, 0, job, delivery, cssAddress); err != nil {
		return err
	}
	if err := x.long.launch(s, device.Grid{longBlocks(x.device, int(css.Size))}, gatherThreads, 0, job, delivery, cssAddress); err != nil {
		return err
	}
	knowsUTF8 := uint64(0)
	if x.findUTF8 {
		knowsUTF8 = 1
		blocks := strides(x.device, int(css.Size)/(kernels.Chunk/2), utf8Threads)
		if err := x.utf8.launch(s, device.Grid{blocks}, utf8Threads, 0, cssAddress); err != nil {
			return err
		}
	}
	if err := s.Fill(scratch, 0, cssIndexScratch(int(css.Size))); err != nil {
		return err
	}
	grid := device.Grid{strides(x.device, int(css.Size), cssTile)}
	if css.Tagging == kernels.Tagged {
		grid = device.Grid{strides(x.device, int(css.Size)/columns, 4*cssThreads), y}
	}
	return x.index.launch(s, grid, cssThreads, 0, job, delivery, cssAddress, knowsUTF8)
}
