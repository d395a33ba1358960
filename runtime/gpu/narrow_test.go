//go:build cuda

package gpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

// rangeOf is the twin of dfa_narrow_range.
func (c *narrowColumn) rangeOf(t *testColumn) (r narrowRange) {
	for i := range t.values {
		if c.Lengths == 0 && (!t.valid[i] || t.todo[i]) {
			continue
		}
		v := t.values[i]
		if t.high[i] != int64(v)>>63 {
			r.Misfit |= narrowTooLong
		}
		r.Top, r.Bottom = max(r.Top, v^narrowBias), max(r.Bottom, ^(v^narrowBias))
		for k, unit := range narrowUnits {
			if c.Units > 0 && int64(v)%int64(unit) != 0 {
				r.Misfit |= 1 << k
			}
		}
	}
	return r
}

// testColumn is what a column of a test holds, in 64 bits and what is above.
type testColumn struct {
	kind        dfa.Type
	values      []uint64
	high        []int64 // 0 where the values are lengths
	valid, todo []bool
}

// narrowTypes are types that may come narrow, one of each width and unit.
var narrowTypes = []dfa.Type{{Kind: dfa.Int32}, {Kind: dfa.Uint64}, {Kind: dfa.Timestamp}, {Kind: dfa.Decimal, Precision: 30}, {Kind: dfa.String}}

// narrowWidth is the bytes of a value, or of an offset.
func narrowWidth(t *dfa.Type) int {
	if t.Kind == dfa.String {
		return 4
	}
	return convert.ByteWidth(t)
}

// newTestColumn makes a column of so many rows: of values that are close or far
// apart, about any base, with any unit, or at the ends of what there is.
func newTestColumn(r *rand.Rand, rows int) *testColumn {
	t := &testColumn{kind: narrowTypes[r.IntN(len(narrowTypes))]}
	bases := []uint64{0, 1, ^uint64(0), 1 << 31, 1<<32 - 1, 1 << 63, 1<<63 - 1, 1 << 62, 1 << 40, r.Uint64()}
	spans := []uint64{0, 1, 255, 256, 65535, 65536, 1<<32 - 1, 1 << 32, 1 << 48, math.MaxUint64}
	units := []uint64{1, 1, 2, 1e3, 1e6, 1e9, 60e6, 1e12}
	base, span, unit := bases[r.IntN(len(bases))], spans[r.IntN(len(spans))], units[r.IntN(len(units))]
	base -= uint64(int64(base) % int64(unit))
	nulls, left := r.IntN(4), r.IntN(4) // 0: none; 1: some; 2: most; 3: all, or none
	one := func(which int) bool {
		return which == 1 && r.IntN(10) == 0 || which == 2 && r.IntN(10) > 0 || which == 3 && nulls == 3
	}
	for i := range rows {
		null, todo := one(nulls), one(left)
		v := base
		switch r.IntN(4) {
		case 0:
			v += span * unit
		case 1, 2:
			v += unit * min(span, r.Uint64()%max(span, 1))
		}
		if null || todo { // nobody may look
			v = r.Uint64()
		}
		high := int64(v) >> 63
		switch {
		case t.kind.Kind == dfa.String: // so many rows, so long texts: offsets have 31 bits
			v = base>>56 + r.Uint64()%(min(span, 70_000)+1)
			high = 0
		case t.kind.Kind == dfa.Int32:
			v = uint64(int32(v))
			high = int64(v) >> 63
		case t.kind.Kind == dfa.Decimal && ((null || todo) && r.IntN(2) == 0 || span > 1<<40 && i == rows/2):
			high = r.Int64()
		}
		t.values, t.high = append(t.values, v), append(t.high, high)
		t.valid, t.todo = append(t.valid, !null && (!todo || r.IntN(2) == 0)), append(t.todo, todo)
	}
	return t
}

// count counts what is set.
func count(bits []bool) (n int) {
	for _, b := range bits {
		if b {
			n++
		}
	}
	return n
}

// bitmapOf is a bitmap with rubbish behind its end.
func bitmapOf(bits []bool) []byte {
	b := make([]byte, 4*(len(bits)/32+2))
	for i := range b {
		b[i] = rubbish
	}
	for i, on := range bits {
		setBit(b, i, on)
	}
	return b
}

// bytes are the values as the device has them.
func (t *testColumn) bytes() (b []byte) {
	if t.kind.Kind == dfa.String {
		at := uint32(0)
		b = make([]byte, 4)
		for _, v := range t.values {
			at += uint32(v)
			b = binary.LittleEndian.AppendUint32(b, at)
		}
		return b
	}
	for i, v := range t.values {
		switch narrowWidth(&t.kind) {
		case 4:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case 8:
			b = binary.LittleEndian.AppendUint64(b, v)
		default:
			b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, v), uint64(t.high[i]))
		}
	}
	return b
}

// TestNarrow compares what the kernels make of columns with their twin, and what
// becomes of that with the columns.
func TestNarrow(t *testing.T) {
	b := newBench(t)
	stage, err := newNarrowStage(b.d)
	b.ok(err)
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []int{0, 1, 31, 32, 33, 255, 256, 257, narrowRows - 1, narrowRows, narrowRows + 1, 3*narrowRows + 77}
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	widths := map[[2]int]int{}
	for round := range rounds {
		rows := sizes[round%len(sizes)]
		columns := make([]*testColumn, 1+r.IntN(6))
		for i := range columns {
			columns[i] = newTestColumn(r, rows)
		}
		b.narrow(stage, columns, rows, fmt.Sprintf("round %d", round), widths)
	}
	for width, narrow := range map[int][]int{4: {0, 1, 2, 4}, 8: {0, 1, 2, 4, 8}, 16: {0, 1, 2, 4, 8, 16}} {
		for _, n := range narrow {
			if widths[[2]int{width, n}] == 0 {
				t.Errorf("no column of %d bytes has come in %d", width, n)
			}
		}
	}
}

func (b *bench) narrow(stage *narrowStage, all []*testColumn, rows int, name string, widths map[[2]int]int) {
	b.t.Helper()
	var memory []device.Memory
	alloc := func(content []byte, n int) uint64 {
		m, err := b.d.Alloc(max(n, 1))
		b.ok(err)
		memory = append(memory, m)
		b.ok(b.s.Fill(m.Address, rubbish, m.Size))
		b.ok(b.s.Upload(m.Address, content))
		return m.Address
	}
	defer func() {
		for _, m := range memory {
			b.ok(b.d.FreeMemory(m))
		}
	}()
	n := &narrowSlot{}
	var outputs []kernels.Output
	for i, c := range all {
		values := alloc(c.bytes(), len(c.bytes()))
		outputs = append(outputs, kernels.Output{
			Kind: uint32(c.kind.Kind), Width: uint32(convert.ByteWidth(&c.kind)), Fixed: values, Offsets: values, Valid: alloc(bitmapOf(c.valid), len(bitmapOf(c.valid))), Todo: alloc(bitmapOf(c.todo), len(bitmapOf(c.todo))),
			Counters: alloc(bytesOf([]uint32{uint32(rows - count(c.valid)), uint32(count(c.todo))}), 8),
		})
		n.of = append(n.of, i)
	}
	n.lay(outputs, rows, func(size int) uint64 { return alloc(nil, size) })
	b.ok(b.s.Upload(uint64(n.table), bytesOf(n.columns)))
	n.ranges = pointer[narrowRange](alloc(make([]byte, len(all)*sizeOf[narrowRange]()), len(all)*sizeOf[narrowRange]()))
	counts := kernels.Counts{Rows: uint32(rows)}
	job := kernels.Job{Counts: alloc(bytesOf([]kernels.Counts{counts}), sizeOf[kernels.Counts]())}
	address := pointer[kernels.Job](alloc(bytesOf([]kernels.Job{job}), sizeOf[kernels.Job]()))
	b.ok(stage.launch(b.s, address, n, rows, rows))
	ranges, packed := make([]narrowRange, len(all)), make([]byte, n.values.size)
	b.ok(b.s.Download(bytesOf(ranges), uint64(n.ranges)))
	b.ok(b.s.Download(packed, n.values.address))
	b.ok(b.s.Synchronize())

	var came []wide
	for i, c := range all {
		if want := n.columns[i].rangeOf(c); ranges[i] != want {
			b.t.Fatalf("%s, column %d, %s of %d rows: range %+v, want %+v", name, i, &c.kind, rows, ranges[i], want)
		}
		became := n.columns[i].decide(ranges[i])
		widths[[2]int{int(n.columns[i].Width), became.width}]++
		if became.width == int(n.columns[i].Width) {
			continue
		}
		valid := bitmapOf(c.valid)[:(rows+7)/8]
		column := &columns.Column{Form: convert.FormOf(&c.kind), Len: rows, Nulls: rows - count(c.valid), Valid: valid}
		values := make([]byte, len(c.bytes()))
		if c.kind.Kind == dfa.String {
			column.Offsets = wordsOf(values)
		} else {
			column.Fixed = values
		}
		size := narrowSize(rows, became.width)
		came = append(came, wide{narrowed: became, column: column, n: packed[:rows*became.width]})
		packed = packed[size:]
		defer func() {
			want := c.bytes()
			if c.kind.Kind == dfa.String {
				if string(values) != string(want) {
					b.t.Fatalf("%s, column %d: offsets of %d rows differ", name, i, rows)
				}
				return
			}
			for row := range rows {
				width := int(n.columns[i].Width)
				got, want := values[row*width:][:width], want[row*width:][:width]
				if !c.valid[row] {
					want = make([]byte, width)
				}
				if !c.todo[row] && string(got) != string(want) {
					b.t.Fatalf("%s, column %d, %s: row %d of %d is %x, want %x; %+v", name, i, &c.kind, row, rows, got, want, became)
				}
			}
		}()
	}
	widen(came, rows, 3)
}

// TestWiden makes values on several goroutines, of more rows than one takes, in
// memory that vectors can be written to and in memory that is not aligned.
func TestWiden(t *testing.T) {
	const rows = 3*widenRows + 65
	r := rand.New(rand.NewPCG(3, 4))
	for _, kind := range narrowTypes {
		width := narrowWidth(&kind)
		for _, narrow := range []int{0, 1, 2, 4, 8} {
			for round := range 4 {
				if narrow > width/2 {
					continue
				}
				w := wide{narrowed: narrowed{base: ^uint64(4), unit: 1, width: narrow}}
				switch {
				case kind.Kind == dfa.String:
					w.base = 3
				case width == 8:
					w.unit = narrowUnits[r.IntN(len(narrowUnits))]
				}
				valid := make([]bool, rows)
				want := &testColumn{kind: kind}
				for i := range valid {
					valid[i] = round < 2 || r.IntN(3) > 0
					n := r.Uint64() >> (64 - 8*narrow)
					w.n = binary.LittleEndian.AppendUint64(w.n, n)[:(i+1)*narrow]
					v := w.base + w.unit*n
					if !valid[i] && kind.Kind != dfa.String {
						v = 0
					}
					want.values, want.high = append(want.values, v), append(want.high, int64(v)>>63)
				}
				w.column = &columns.Column{Form: convert.FormOf(&kind), Len: rows, Nulls: rows - count(valid), Valid: bitmapOf(valid)[:(rows+7)/8]}
				memory := make([]byte, len(want.bytes())+2*arenaAlign)
				at := int(-uintptr(unsafe.Pointer(unsafe.SliceData(memory)))&(arenaAlign-1)) + round%2*16
				values := memory[at:][:len(want.bytes())]
				if kind.Kind == dfa.String {
					w.column.Offsets = wordsOf(values)
				} else {
					w.column.Fixed = values
				}
				widen([]wide{w}, rows, 4)
				if string(values) != string(want.bytes()) {
					t.Errorf("%d bytes of %d differ, round %d", narrow, width, round)
				}
				for i, b := range memory {
					if (i < at || i >= at+len(values)) && b != 0 {
						t.Fatalf("%d bytes of %d: something is written around the values", narrow, width)
					}
				}
			}
		}
	}
}

// BenchmarkWiden makes more values than caches hold, on one goroutine.
func BenchmarkWiden(b *testing.B) {
	const rows = 8 << 20
	for _, kind := range narrowTypes {
		width := narrowWidth(&kind)
		memory := make([]byte, (rows+1)*width)
		for narrow := 1; narrow <= width/2; narrow *= 2 {
			w := wide{narrowed: narrowed{base: 1, unit: 1, width: narrow}, n: make([]byte, rows*narrow), column: &columns.Column{Form: convert.FormOf(&kind), Len: rows}}
			if kind.Kind == dfa.String {
				w.column.Offsets = wordsOf(memory)
			} else {
				w.column.Fixed = memory
			}
			b.Run(fmt.Sprintf("%s/%d-%d", kind.Kind, narrow, width), func(b *testing.B) {
				b.SetBytes(int64(rows * width))
				for range b.N {
					widen([]wide{w}, rows, 1)
				}
			})
		}
	}
}
