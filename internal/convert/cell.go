package convert

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"time"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// Cells converts the numbers of one column of binary records. What a number means is what
// its decimal notation does: AppendFields makes a text of each, which the column's Converter
// reads. Append comes to the same without texts, where it can.
type Cells struct {
	converter *Converter
	cell      *dfa.Cell
	width     int
	bits      bool // a float is taken as its bits are
	form      CellForm
	floats    bool   // an integer is taken as the float next to it
	sure      bool   // every number has a value by the form
	fill      Filler // nil unless every number has a value
	texts     Fields
	integers  []int64 // see gathered
}

// NewCells is a Cells for numbers of so many bytes of col, of which c is the Converter. Cells
// of text need none: they are fields like others.
func NewCells(c *Converter, col *dfa.Column, cell *dfa.Cell, width int) *Cells {
	x := &Cells{converter: c, cell: cell, width: width}
	x.bits = cell.Kind == dfa.FloatCell && naturalOf(cell, width) == col.Type.Kind
	if len(col.Type.In) > 0 || len(col.NullTokens()) > 0 && (cell.Kind == dfa.FloatCell || col.HasDefault || col.Required) {
		return x
	}
	if x.form = x.formOf(&col.Type); x.form.Kind != CellText {
		x.form.Nulls = nullNumbers(col, cell)
		x.sure = x.form.holds(cell, width)
	}
	float := col.Type.Kind == dfa.Float64 || col.Type.Kind == dfa.Float32
	x.floats = float && cell.Kind != dfa.FloatCell && cell.Since == 0 && len(col.NullTokens()) == 0 && !col.Type.Base16 && col.Type.Thousands == 0
	x.fill = x.fillerOf()
	return x
}

// nullNumbers are the numbers of a cell whose notation is a null token.
func nullNumbers(col *dfa.Column, cell *dfa.Cell) (numbers []int64) {
	for _, token := range col.NullTokens() {
		v, err := strconv.ParseInt(token, 10, 64)
		if u, uerr := strconv.ParseUint(token, 10, 64); err != nil && uerr == nil && cell.Kind == dfa.UnsignedCell {
			v, err = int64(u), nil
		}
		known := strconv.AppendInt(nil, v, 10)
		if cell.Kind == dfa.UnsignedCell {
			known = strconv.AppendUint(nil, uint64(v), 10)
		}
		if err == nil && string(known) == token && cell.Since == 0 && col.Type.Kind != dfa.Date {
			numbers = append(numbers, v)
		}
	}
	return numbers
}

// naturalOf is the kind of values that a number is.
func naturalOf(cell *dfa.Cell, width int) dfa.TypeKind {
	log := dfa.TypeKind(bits.TrailingZeros(uint(width)))
	switch cell.Kind {
	case dfa.SignedCell:
		return dfa.Int8 + log
	case dfa.UnsignedCell:
		return dfa.Uint8 + log
	}
	return dfa.Float32 + log - 2
}

// Append converts n cells: the first one begins src, the others follow at equal distances. Rows
// that fail are null and reported, as by a Converter.
func (x *Cells) Append(dst *columns.Column, src []byte, stride, n int, errs []FieldError) []FieldError {
	if n == 0 {
		return errs
	}
	if x.directly(dst, src[:(n-1)*stride+x.width], stride, n) {
		for _, null := range x.form.Nulls {
			x.setNulls(dst, src, stride, n, null)
		}
		return errs
	}
	return x.append(dst, n, func(i int) ([]byte, bool) { return src[i*stride:][:x.width], true }, errs)
}

// Steady reports whether every number has a value and none is null. Then Append comes to Reserve,
// and Filler for what it gives.
func (x *Cells) Steady() bool { return x.fill != nil && len(x.form.Nulls) == 0 }

// Reserve appends n rows, whose values are not defined before a Filler has written them, and gives
// their bytes.
func (x *Cells) Reserve(dst *columns.Column, n int) []byte {
	had := len(dst.Fixed)
	dst.Fixed = dst.Grow(dst.Fixed, n*dst.Form.Width)
	dst.AppendValid(n)
	return dst.Fixed[had:]
}

// Filler writes the values of steady cells to out, which has room for them and no more: the first
// cell begins src, the others follow at equal distances.
type Filler func(out, src []byte, stride int)

// Filler is that of x, which is steady.
func (x *Cells) Filler() Filler { return x.fill }

// fillerOf is the Filler for cells that all have a value, or nil.
func (x *Cells) fillerOf() Filler {
	switch f := &x.form; {
	case x.floats && x.converter.typ.Kind == dfa.Float64:
		return func(out, src []byte, stride int) { fillFloats(x, columns.ValuesOf[float64](out), src, stride) }
	case x.floats:
		return func(out, src []byte, stride int) { fillFloats(x, columns.ValuesOf[float32](out), src, stride) }
	case f.Kind == CellBits:
		log := bits.TrailingZeros(uint(x.width))
		if x.cell.BigEndian {
			return [4]Filler{fillBits[uint8], fillSwapped[uint16], fillSwapped[uint32], fillSwapped[uint64]}[log]
		}
		return [4]Filler{fillBits[uint8], fillBits[uint16], fillBits[uint32], fillBits[uint64]}[log]
	case !x.sure:
		return nil
	case f.Kind == CellDecimal:
		return func(out, src []byte, stride int) {
			to := columns.ValuesOf[decimal128](out)
			for i, v := range x.gathered(src, stride, len(to))[:len(to)] {
				to[i] = decimal128{uint64(v), uint64(v >> 63)}
			}
		}
	case f.Width == 8 && f.Since == 0 && f.Times == 1:
		return func(out, src []byte, stride int) { x.gather(columns.ValuesOf[int64](out), src, stride) }
	case f.Width == 8:
		return func(out, src []byte, stride int) { fillScaled(x, columns.ValuesOf[int64](out), src, stride) }
	case f.Width == 4:
		return func(out, src []byte, stride int) { fillScaled(x, columns.ValuesOf[int32](out), src, stride) }
	case f.Width == 2:
		return func(out, src []byte, stride int) { fillScaled(x, columns.ValuesOf[int16](out), src, stride) }
	default:
		return func(out, src []byte, stride int) { fillScaled(x, columns.ValuesOf[int8](out), src, stride) }
	}
}

// setNulls makes those of the last n rows null whose number is null.
func (x *Cells) setNulls(dst *columns.Column, src []byte, stride, n int, null int64) {
	first, width := dst.Len-n, dst.Form.Width
	for i, v := range x.gathered(src, stride, n) {
		if v == null {
			dst.SetNull(first + i)
			clear(dst.Fixed[(first+i)*width:][:width])
		}
	}
}

// AppendFields converts cells that are fields of so many bytes.
func (x *Cells) AppendFields(dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	return x.append(dst, f.Len(), f.At, errs)
}

func (x *Cells) append(dst *columns.Column, n int, at func(i int) ([]byte, bool), errs []FieldError) []FieldError {
	x.texts.Reset(nil)
	var text []byte
	for i := range n {
		b, ok := at(i)
		if !ok {
			x.texts.PushAbsent()
			continue
		}
		text = AppendCellText(text[:0], x.cell, x.converter.typ, b)
		x.texts.PushDecoded(text)
	}
	first := dst.Len
	errs = x.converter.Append(dst, &x.texts, errs)
	if !x.bits {
		return errs
	}
	for i := range n { // the bits of a NaN are not in its text
		b, ok := at(i)
		if ok && dst.IsValid(first+i) && !isNull(x.converter, &x.texts, i) {
			v := cellBits(x.cell, b)
			if to := dst.Fixed[(first+i)*x.width:]; x.width == 4 {
				binary.LittleEndian.PutUint32(to, uint32(v))
			} else {
				binary.LittleEndian.PutUint64(to, v)
			}
		}
	}
	return errs
}

// isNull reports whether row i is valid for the column's default alone.
func isNull(c *Converter, f *Fields, i int) bool {
	_, ok := c.value(f, i)
	return !ok
}

// cellBits is the bits of a cell, those of a signed one extended.
func cellBits(cell *dfa.Cell, b []byte) (v uint64) {
	for i := range b {
		at := len(b) - 1 - i
		if cell.BigEndian {
			at = i
		}
		v = v<<8 | uint64(b[at])
	}
	if cell.Kind == dfa.SignedCell {
		shift := 64 - 8*len(b)
		v = uint64(int64(v<<shift) >> shift)
	}
	return v
}

// AppendCellText appends the text that a number in b stands for in a column of type t: see dfa.Cell.
func AppendCellText(dst []byte, cell *dfa.Cell, t *dfa.Type, b []byte) []byte {
	v := cellBits(cell, b)
	if cell.Kind == dfa.FloatCell {
		if len(b) == 4 {
			return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
		}
		return strconv.AppendFloat(dst, math.Float64frombits(v), 'g', -1, 64)
	}
	switch {
	case t.Kind == dfa.Date || cell.Since != 0:
	case cell.Kind == dfa.SignedCell:
		return strconv.AppendInt(dst, int64(v), 10)
	default:
		return strconv.AppendUint(dst, v, 10)
	}
	n := new(big.Int).SetUint64(v)
	if cell.Kind == dfa.SignedCell {
		n.SetInt64(int64(v))
	}
	n.Add(n, big.NewInt(cell.Since))
	if t.Kind == dfa.Date && n.IsInt64() {
		if day := n.Int64(); day >= minSeconds/secondsPerDay && day < endSeconds/secondsPerDay {
			return time.Unix(day*secondsPerDay, 0).UTC().AppendFormat(dst, time.DateOnly)
		}
	}
	return n.Append(dst, 10)
}

// CellForm is how numbers become values of a type where no texts are made of them.
type CellForm struct {
	Kind  CellFormKind
	Width int     // bytes of a value
	Nulls []int64 // numbers that are null

	// A value is (cell + Since)·Times, where cell + Since is from Lo to Hi; of other cells, and
	// of unsigned ones from 2^63 on, nothing is said. Since and Times of a decimal are 0 and 1.
	Since, Times, Lo, Hi int64
}

// CellFormKind is what a CellForm does.
type CellFormKind uint8

const (
	CellText    CellFormKind = iota // by its text
	CellBits                        // the bits are the value
	CellScaled                      // an integer of Width bytes, by Since and Times
	CellDecimal                     // a decimal of 16 bytes, of which the cell has the digits
)

// Form is how cells become values. Where its Kind is CellText the rest is not said.
func (x *Cells) Form() CellForm { return x.form }

// formOf is the form for a column's type, without nulls.
func (x *Cells) formOf(t *dfa.Type) CellForm {
	if t.Base16 || t.Thousands != 0 {
		return CellForm{}
	}
	if t.Kind == naturalOf(x.cell, x.width) && x.cell.Since == 0 {
		return CellForm{Kind: CellBits, Width: x.width}
	}
	f := CellForm{Kind: CellScaled, Width: ByteWidth(t), Since: x.cell.Since, Times: 1, Lo: math.MinInt64, Hi: math.MaxInt64}
	if x.cell.Kind == dfa.FloatCell {
		return CellForm{}
	}
	switch t.Kind {
	case dfa.Int8, dfa.Int16, dfa.Int32, dfa.Int64:
		f.Hi = math.MaxInt64 >> (64 - 8*f.Width)
		f.Lo = -f.Hi - 1
	case dfa.Uint8, dfa.Uint16, dfa.Uint32, dfa.Uint64:
		f.Lo, f.Hi = 0, int64(min(uint64(math.MaxUint64)>>(64-8*f.Width), math.MaxInt64))
	case dfa.Date:
		f.Lo, f.Hi = minSeconds/secondsPerDay, endSeconds/secondsPerDay-1
	case dfa.Decimal:
		if !t.Implied {
			return CellForm{}
		}
		f.Kind, f.Hi = CellDecimal, int64(math.MaxInt64)
		if t.Precision <= 18 {
			f.Hi = int64(tens[t.Precision].lo) - 1
		}
		f.Lo = -f.Hi
	case dfa.Timestamp, dfa.Duration:
		power := powerOf(t.Unit) - powerOf(t.CountUnit)
		if power < 0 {
			return CellForm{}
		}
		f.Times = int64(tens[power].lo)
		if per := perSecond(t.Unit); t.Kind == dfa.Timestamp && per < 1e9 {
			f.Lo, f.Hi = minSeconds*per, endSeconds*per-1
		}
		f.Lo, f.Hi = f.Lo/f.Times, f.Hi/f.Times
	default:
		return CellForm{}
	}
	return f
}

// holds reports whether all numbers of a cell of so many bytes are within the bounds.
func (f *CellForm) holds(cell *dfa.Cell, width int) bool {
	const far = math.MaxInt64 / 2
	if width == 8 || f.Since < -far || f.Since > far {
		return false
	}
	lo, hi := int64(0), int64(1)<<(8*width)-1
	if cell.Kind == dfa.SignedCell {
		hi >>= 1
		lo = -hi - 1
	}
	return lo+f.Since >= f.Lo && hi+f.Since <= f.Hi
}

// directly appends cells by their form, or says that it has none of them: one has no value.
func (x *Cells) directly(dst *columns.Column, src []byte, stride, n int) bool {
	switch f := &x.form; {
	case x.fill != nil:
		x.fill(x.Reserve(dst, n), src, stride)
		return true
	case f.Kind == CellText:
		return false
	case f.Kind == CellDecimal:
		return x.decimals(f.Hi, dst, src, stride, n)
	case f.Width == 8:
		return scaled[int64](x, f, dst, src, stride, n)
	case f.Width == 4:
		return scaled[int32](x, f, dst, src, stride, n)
	case f.Width == 2:
		return scaled[int16](x, f, dst, src, stride, n)
	default:
		return scaled[int8](x, f, dst, src, stride, n)
	}
}

// fillScaled writes numbers that are all within the form's bounds.
func fillScaled[T int8 | int16 | int32 | int64](x *Cells, out []T, src []byte, stride int) {
	for i, v := range x.gathered(src, stride, len(out))[:len(out)] {
		out[i] = T((v + x.form.Since) * x.form.Times)
	}
}

// scaled appends cells by a form, or none where one is out of its bounds.
func scaled[T int8 | int16 | int32 | int64](x *Cells, f *CellForm, dst *columns.Column, src []byte, stride, n int) bool {
	had := len(dst.Fixed)
	out := columns.AppendValues[T](dst, n)
	bad, unsigned := false, x.cell.Kind == dfa.UnsignedCell
	for i, v := range x.gathered(src, stride, n)[:len(out)] {
		sum := v + f.Since
		out[i] = T(sum * f.Times)
		if sum < f.Lo || sum > f.Hi || (v^sum)&(f.Since^sum) < 0 || v < 0 && unsigned {
			bad = true
		}
	}
	if bad {
		dst.Fixed = dst.Fixed[:had]
		return false
	}
	dst.AppendValid(n)
	return true
}

// fillFloats writes integers as the floats next to them, which their notation stands for.
func fillFloats[T float32 | float64](x *Cells, out []T, src []byte, stride int) {
	if x.width == 8 && x.cell.Kind == dfa.UnsignedCell {
		for i, v := range x.gathered(src, stride, len(out))[:len(out)] {
			out[i] = T(uint64(v))
		}
		return
	}
	for i, v := range x.gathered(src, stride, len(out))[:len(out)] {
		out[i] = T(v)
	}
}

// decimals appends cells as decimals that have no digits beyond most, or none where one has.
func (x *Cells) decimals(most int64, dst *columns.Column, src []byte, stride, n int) bool {
	had := len(dst.Fixed)
	out := columns.AppendValues[decimal128](dst, n)
	bad, unsigned := false, x.cell.Kind == dfa.UnsignedCell
	for i, v := range x.gathered(src, stride, n)[:len(out)] {
		out[i] = decimal128{uint64(v), uint64(v >> 63)}
		if v > most || v < -most || v < 0 && unsigned {
			bad = true
		}
	}
	if bad {
		dst.Fixed = dst.Fixed[:had]
		return false
	}
	dst.AppendValid(n)
	return true
}

// gathered are the integers of cells, side by side.
func (x *Cells) gathered(src []byte, stride, n int) []int64 {
	if cap(x.integers) < n {
		x.integers = make([]int64, n)
	}
	out := x.integers[:n]
	x.gather(out, src, stride)
	return out
}

// gather fills out with the integers of cells.
func (x *Cells) gather(out []int64, src []byte, stride int) {
	base := unsafe.Pointer(unsafe.SliceData(src))
	signed, swap := x.cell.Kind == dfa.SignedCell, x.cell.BigEndian && x.width > 1
	switch {
	case swap && x.width == 2:
		gatherSwapped[uint16](out, base, stride, signed)
	case swap && x.width == 4:
		gatherSwapped[uint32](out, base, stride, signed)
	case swap:
		gatherSwapped[uint64](out, base, stride, signed)
	case x.width == 1 && signed:
		gather[int8](out, base, stride)
	case x.width == 1:
		gather[uint8](out, base, stride)
	case x.width == 2 && signed:
		gather[int16](out, base, stride)
	case x.width == 2:
		gather[uint16](out, base, stride)
	case x.width == 4 && signed:
		gather[int32](out, base, stride)
	case x.width == 4:
		gather[uint32](out, base, stride)
	default:
		gather[int64](out, base, stride)
	}
}

func gather[T integer](out []int64, base unsafe.Pointer, stride int) {
	i := 0
	for ; i+4 <= len(out); i += 4 {
		p := unsafe.Add(base, i*stride)
		to := out[i : i+4 : i+4]
		to[0] = int64(*(*T)(p))
		to[1] = int64(*(*T)(unsafe.Add(p, stride)))
		to[2] = int64(*(*T)(unsafe.Add(p, 2*stride)))
		to[3] = int64(*(*T)(unsafe.Add(p, 3*stride)))
	}
	for ; i < len(out); i++ {
		out[i] = int64(*(*T)(unsafe.Add(base, i*stride)))
	}
}

// gatherSwapped is gather of integers whose highest byte comes first.
func gatherSwapped[T uint16 | uint32 | uint64](out []int64, base unsafe.Pointer, stride int, signed bool) {
	shift := 64 - 8*int(unsafe.Sizeof(T(0)))
	for i := range out {
		v := bits.ReverseBytes64(uint64(*(*T)(unsafe.Add(base, i*stride))))
		if signed {
			out[i] = int64(v) >> shift
		} else {
			out[i] = int64(v >> shift)
		}
	}
}

// fillSwapped is fillBits of cells whose highest byte comes first.
func fillSwapped[T uint16 | uint32 | uint64](to, src []byte, stride int) {
	out := columns.ValuesOf[T](to)
	base, shift := unsafe.Pointer(unsafe.SliceData(src)), 64-8*int(unsafe.Sizeof(T(0)))
	for i := range out {
		out[i] = T(bits.ReverseBytes64(uint64(*(*T)(unsafe.Add(base, i*stride)))) >> shift)
	}
}

// fillBits copies cells as they are.
func fillBits[T uint8 | uint16 | uint32 | uint64](to, src []byte, stride int) {
	out := columns.ValuesOf[T](to)
	base := unsafe.Pointer(unsafe.SliceData(src))
	i := 0
	for ; i+4 <= len(out); i += 4 {
		p := unsafe.Add(base, i*stride)
		to := out[i : i+4 : i+4]
		to[0] = *(*T)(p)
		to[1] = *(*T)(unsafe.Add(p, stride))
		to[2] = *(*T)(unsafe.Add(p, 2*stride))
		to[3] = *(*T)(unsafe.Add(p, 3*stride))
	}
	for ; i < len(out); i++ {
		out[i] = *(*T)(unsafe.Add(base, i*stride))
	}
}
