package output

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/render"
)

// binaryRows writes columns as the records of a format that is binary: what reading by the format
// made of them, the other way round.
type binaryRows struct {
	w      io.Writer
	cells  []binaryCell
	stride int
	rows   int64
	buf    []byte
}

// binaryCell is one column, on its way into records.
type binaryCell struct {
	name   string
	column int // of the records of Arrow
	field  arrow.Field
	def    *dfa.Column
	cell   *dfa.Cell
	at     int // in a record
	width  int
	null   []byte // what null is written as; nil: it cannot be
	put    func(c *binaryCell, a arrow.Array, row int, to []byte) error
	move   bool // numbers as they lie in the column
}

func newBinary(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	p := o.Layout
	if p == nil || len(p.Cells) == 0 {
		return nil, errors.New("binary output has the layout of the format that the input is read by, and this format is not binary: its spec has no binary { … }")
	}
	b := &binaryRows{w: w, stride: p.Stride()}
	used := 0
	at := 0
	for i := range p.Cells {
		c := binaryCell{name: p.Columns[i].Name, def: &p.Columns[i], cell: &p.Cells[i], at: at, width: p.Widths[i]}
		at += c.width
		if c.def.Hidden {
			continue
		}
		found := schema.FieldIndices(c.name)
		if len(found) != 1 {
			return nil, fmt.Errorf("binary records of format %s have a column %q, and it is not among those to be written", p.Name, c.name)
		}
		used++
		c.column, c.field = found[0], schema.Field(found[0])
		if want := convert.ArrowType(&c.def.Type); !arrow.TypeEqual(c.field.Type, want) {
			return nil, fmt.Errorf("column %q is %s, and in binary records of format %s it is %s", c.name, c.field.Type, p.Name, want)
		}
		if err := c.prepare(); err != nil {
			return nil, err
		}
		b.cells = append(b.cells, c)
	}
	if used != schema.NumFields() {
		for _, f := range schema.Fields() {
			found := false
			for i := range b.cells {
				found = found || b.cells[i].name == f.Name
			}
			if !found {
				return nil, fmt.Errorf("binary records of format %s have no column %q", p.Name, f.Name)
			}
		}
	}
	preface := make([]byte, p.Preface)
	copy(preface, p.Magic)
	_, err := w.Write(preface)
	return b, err
}

// prepare finds out how values of the column are written.
func (c *binaryCell) prepare() error {
	t := &c.def.Type
	refuse := func(why string) error {
		return fmt.Errorf("column %q cannot be written to binary records: %s", c.name, why)
	}
	if c.cell.Kind == dfa.TextCell {
		switch t.Kind {
		case dfa.String, dfa.Dictionary, dfa.Enum:
		case dfa.Binary:
			if t.Encoding != dfa.Raw {
				return refuse("it was written in hexadecimal or base64, in a way that is not known any more")
			}
		default:
			return refuse(fmt.Sprintf("it was a text, and how a %s was written in it is not known any more; as str it can be", convert.Name(t)))
		}
		if c.put = putText; len(c.def.Nulls) > 0 {
			return c.nullAs([]byte(c.def.Nulls[0]))
		}
		return nil
	}
	natural := false
	switch {
	case t.Kind >= dfa.Int8 && t.Kind <= dfa.Uint64:
		c.put = putInteger
		size := 1 << ((t.Kind - dfa.Int8) % 4)
		natural = size == c.width && (t.Kind >= dfa.Uint8) == (c.cell.Kind == dfa.UnsignedCell) && c.cell.Kind != dfa.FloatCell
	case t.Kind == dfa.Float32 || t.Kind == dfa.Float64:
		c.put = putFloat
		natural = c.cell.Kind == dfa.FloatCell && c.width == map[dfa.TypeKind]int{dfa.Float32: 4, dfa.Float64: 8}[t.Kind]
	case t.Kind == dfa.Date || t.Kind == dfa.Timestamp || t.Kind == dfa.Duration:
		c.put = putMoment
	case t.Kind == dfa.Decimal:
		c.put = putDecimal
	case t.Kind == dfa.Bool:
		c.put = putBool
	default:
		c.put = putNumberText
	}
	c.move = natural
	if len(c.def.Nulls) > 0 {
		n, ok := new(big.Int).SetString(c.def.Nulls[0], 10)
		null := make([]byte, c.width)
		if c.cell.Kind == dfa.FloatCell {
			f, err := strconv.ParseFloat(c.def.Nulls[0], 64)
			if err != nil {
				return nil // no number is null
			}
			c.bits(floatBits(f, c.width), null)
		} else if !ok || c.number(n, null) != nil {
			return nil
		}
		c.null = null
	}
	return nil
}

func (c *binaryCell) nullAs(token []byte) error {
	c.null = make([]byte, c.width)
	if err := c.fill(token, c.null); err != nil {
		c.null = nil
	}
	return nil
}

func (b *binaryRows) Write(rec arrow.Record) error {
	n := int(rec.NumRows())
	const block = 1 << 20
	for from := 0; from < n; {
		to := min(n, from+max(block/b.stride, 1))
		size := (to - from) * b.stride
		if cap(b.buf) < size {
			b.buf = make([]byte, size)
		}
		b.buf = b.buf[:size]
		clear(b.buf)
		for i := range b.cells {
			c := &b.cells[i]
			if row, err := c.scatter(rec.Column(c.column), from, to, b.buf[c.at:], b.stride); err != nil {
				return fmt.Errorf("row %d, column %q: %w", b.rows+int64(row-from)+1, c.name, err)
			}
		}
		if _, err := b.w.Write(b.buf); err != nil {
			return err
		}
		b.rows += int64(to - from)
		from = to
	}
	return nil
}

func (b *binaryRows) Close() error { return nil }

// scatter puts the rows from up to to into their records, the first of which has its cell at
// the beginning of buf. An error says which row it is of.
func (c *binaryCell) scatter(a arrow.Array, from, to int, buf []byte, stride int) (row int, err error) {
	if c.move && a.NullN() == 0 {
		values := a.Data().Buffers()[1].Bytes()[(a.Data().Offset()+from)*c.width:]
		for i := range to - from {
			c.bits(loadBits(values[i*c.width:], c.width), buf[i*stride:][:c.width])
		}
		return 0, nil
	}
	for row := from; row < to; row++ {
		cell := buf[(row-from)*stride:][:c.width]
		if a.IsNull(row) {
			if c.null == nil {
				return row, errors.New("it is null, and no value of binary records is; null in the format says which one stands for it")
			}
			copy(cell, c.null)
			continue
		}
		if err := c.put(c, a, row, cell); err != nil {
			return row, err
		}
	}
	return 0, nil
}

func loadBits(b []byte, width int) uint64 {
	switch width {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// bits writes the lowest bytes of v in the order of the cell.
func (c *binaryCell) bits(v uint64, to []byte) {
	if c.cell.BigEndian {
		switch len(to) {
		case 2:
			binary.BigEndian.PutUint16(to, uint16(v))
			return
		case 4:
			binary.BigEndian.PutUint32(to, uint32(v))
			return
		case 8:
			binary.BigEndian.PutUint64(to, v)
			return
		}
	}
	for i := range to {
		to[i] = byte(v >> (8 * i))
	}
}

// number writes an integer that the cell stands for, as far as it holds it.
func (c *binaryCell) number(n *big.Int, to []byte) error {
	if c.cell.Kind == dfa.FloatCell {
		f, exact := new(big.Float).SetInt(n).Float64()
		if bits := floatBits(f, len(to)); exact == big.Exact && (len(to) == 8 || float64(math.Float32frombits(uint32(bits))) == f) {
			c.bits(bits, to)
			return nil
		}
		return fmt.Errorf("%d is no float of %d bytes", n, len(to))
	}
	n = new(big.Int).Sub(n, big.NewInt(c.cell.Since))
	bits, fits := 8*len(to), false
	if c.cell.Kind == dfa.UnsignedCell {
		fits = n.Sign() >= 0 && n.BitLen() <= bits
	} else if fits = n.IsInt64(); fits {
		v := n.Int64()
		fits = v<<(64-bits)>>(64-bits) == v
	}
	if !fits {
		return fmt.Errorf("%d is no integer that %d bytes hold", n, len(to))
	}
	v := n.Uint64()
	if n.Sign() < 0 {
		v = uint64(n.Int64())
	}
	c.bits(v, to)
	return nil
}

func floatBits(f float64, width int) uint64 {
	if width == 4 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

func putInteger(c *binaryCell, a arrow.Array, row int, to []byte) error {
	return c.number(integerOf(a, row), to)
}

// integerOf is an integer of Arrow, a day or a count among them.
func integerOf(a arrow.Array, row int) *big.Int {
	switch a := a.(type) {
	case *array.Int8:
		return big.NewInt(int64(a.Value(row)))
	case *array.Int16:
		return big.NewInt(int64(a.Value(row)))
	case *array.Int32:
		return big.NewInt(int64(a.Value(row)))
	case *array.Int64:
		return big.NewInt(a.Value(row))
	case *array.Uint8:
		return big.NewInt(int64(a.Value(row)))
	case *array.Uint16:
		return big.NewInt(int64(a.Value(row)))
	case *array.Uint32:
		return big.NewInt(int64(a.Value(row)))
	case *array.Uint64:
		return new(big.Int).SetUint64(a.Value(row))
	case *array.Date32:
		return big.NewInt(int64(a.Value(row)))
	case *array.Timestamp:
		return big.NewInt(int64(a.Value(row)))
	case *array.Duration:
		return big.NewInt(int64(a.Value(row)))
	}
	panic(fmt.Sprintf("no integers: %T", a))
}

func putFloat(c *binaryCell, a arrow.Array, row int, to []byte) error {
	var f float64
	switch a := a.(type) {
	case *array.Float32:
		f = float64(a.Value(row))
	case *array.Float64:
		f = a.Value(row)
	}
	if c.cell.Kind == dfa.FloatCell {
		bits := floatBits(f, len(to))
		if len(to) == 4 && float64(math.Float32frombits(uint32(bits))) != f && f == f {
			return fmt.Errorf("%v is no float of 4 bytes", f)
		}
		c.bits(bits, to)
		return nil
	}
	n, exact := new(big.Float).SetPrec(64).SetFloat64(finite(f)).Int(nil)
	if exact != big.Exact || f != finite(f) {
		return fmt.Errorf("%v is no integer", f)
	}
	return c.number(n, to)
}

func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0.5
	}
	return f
}

// putMoment writes a date, a time stamp or a duration as the count that it was.
func putMoment(c *binaryCell, a arrow.Array, row int, to []byte) error {
	n := integerOf(a, row)
	if t := &c.def.Type; t.Kind != dfa.Date {
		power := digitsOf(t.Unit) - digitsOf(t.CountUnit)
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(power, -power))), nil)
		if power >= 0 {
			var rest big.Int
			if n.QuoRem(n, scale, &rest); rest.Sign() != 0 {
				return errors.New("it is finer than the unit that the cell counts")
			}
		} else {
			n.Mul(n, scale)
		}
	}
	return c.number(n, to)
}

func digitsOf(u dfa.Unit) int {
	return [...]int{dfa.Microsecond: 6, dfa.Second: 0, dfa.Millisecond: 3, dfa.Nanosecond: 9}[u]
}

func putDecimal(c *binaryCell, a arrow.Array, row int, to []byte) error {
	n := a.(*array.Decimal128).Value(row).BigInt()
	if t := &c.def.Type; !t.Implied {
		var rest big.Int
		if n.QuoRem(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil), &rest); rest.Sign() != 0 {
			return errors.New("it has a fraction, and the cell counts whole ones")
		}
	}
	return c.number(n, to)
}

func putBool(c *binaryCell, a arrow.Array, row int, to []byte) error {
	is := a.(*array.Boolean).Value(row)
	tokens, usual := c.def.Type.False, "0"
	if is {
		tokens, usual = c.def.Type.True, "1"
	}
	if len(c.def.Type.True)+len(c.def.Type.False) > 0 {
		usual = ""
		if len(tokens) > 0 {
			usual = tokens[0]
		}
	}
	return c.numberText(usual, to)
}

func putNumberText(c *binaryCell, a arrow.Array, row int, to []byte) error {
	return c.numberText(string(render.AppendText(nil, c.field, a, row)), to)
}

// numberText writes the number whose decimal notation is text.
func (c *binaryCell) numberText(text string, to []byte) error {
	if c.cell.Kind == dfa.FloatCell {
		f, err := strconv.ParseFloat(text, 8*len(to))
		if err != nil {
			return fmt.Errorf("%q is no number", text)
		}
		c.bits(floatBits(f, len(to)), to)
		return nil
	}
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return fmt.Errorf("%q is no integer", text)
	}
	return c.number(n, to)
}

func putText(c *binaryCell, a arrow.Array, row int, to []byte) error {
	switch a := a.(type) {
	case *array.String:
		return c.fill(unsafe.Slice(unsafe.StringData(a.Value(row)), len(a.Value(row))), to)
	case *array.Binary:
		return c.fill(a.Value(row), to)
	}
	return c.fill(render.AppendText(nil, c.field, a, row), to)
}

// fill writes a text, and fills up what is left of its cell.
func (c *binaryCell) fill(text, to []byte) error {
	pad := byte(' ')
	switch {
	case c.cell.Pad != "":
		if pad = c.cell.Pad[0]; len(text) > 0 && text[len(text)-1] == pad {
			return fmt.Errorf("%q ends in %q, which fills texts up and is no data", text, c.cell.Pad)
		}
	case len(text) < len(to) && !c.def.Trim:
		return fmt.Errorf("%q has %d bytes, and the cell has %d, which nothing fills up; pad in the format says what does", text, len(text), len(to))
	}
	if len(text) > len(to) {
		return fmt.Errorf("%q has %d bytes, and the cell has %d", text, len(text), len(to))
	}
	for i := copy(to, text); i < len(to); i++ {
		to[i] = pad
	}
	return nil
}
