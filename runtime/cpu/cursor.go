package cpu

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// cursor is how far a worker has come in its chunk, and what it knows of the
// record and the field that it is in.
type cursor struct {
	at     int    // the first symbol that was not read
	row    uint32 // of the state there
	record record
	field  field
}

// beginField begins a field at symbol p, with nothing odd about it.
func (c *cursor) beginField(p int, row uint32) {
	c.at, c.row = p, row
	f := &c.field
	f.raw, f.value, f.end, f.open, f.from, f.row, f.decode, f.led = p, p, -1, p, p, row, false, false
}

// field is the one being read. Its value is data[value:end], or up to its
// boundary if end < 0, unless it has to be decoded.
type field struct {
	raw    int  // its first symbol
	value  int  // its first data symbol, or what could still become it
	end    int  // the control symbol after the last data symbol; -1: none so far
	decode bool // its data symbols do not lie side by side as they are, or some are escaped
	led    bool // the symbol before open is the lead of an escape that it begins with

	// Where decoding begins: [open, from) is data as it is; from there on the
	// automaton says, beginning in row.
	open, from int
	row        uint32
}

// bare reports whether there is nothing but data in the field so far.
func (f *field) bare() bool { return f.end < 0 && !f.decode && f.value == f.raw }

// record is the one being read.
type record struct {
	start  int
	begin  dfa.StateID
	column int // of the next field
	rest   int // first symbol of the field from which on the record is one field; -1: not there yet

	// The first column that is not enclosed as it should be, and the first
	// beyond those of the binding, each with the field's first symbol; -1: none.
	wrong, faulty   int
	excess, surplus int

	code      dfa.ErrorCode
	at        int         // symbol without a transition
	offset    int         // where that is reported
	state     dfa.StateID // before it
	codeField int

	line uint32 // rowLine, if that is known of it
}

// special reports whether the record's end needs more than its place noted.
func (r *record) special() bool { return r.code != 0 || r.wrong >= 0 || r.rest >= 0 || r.excess >= 0 }

// rowPlace is the record of a row.
type rowPlace struct {
	start, end int    // end is the boundary
	about      uint32 // the state in which it begins, the class of the field that ends it, rowBad, rowLine: written at once
}

// rowBad says that the record of a row has a structural problem.
const rowBad = 1 << 24

// rowLine says that the only \n of a record, before the next, is at its boundary.
const rowLine = 1 << 25

// set notes a record, whose shape is the class of the field that ends it, where the Program has shapes.
func (p *rowPlace) set(start, end int, begin dfa.StateID, shape uint8) {
	p.start, p.end, p.about = start, end, uint32(begin)|uint32(shape)<<16
}

func (p *rowPlace) begin() dfa.StateID { return dfa.StateID(p.about & 0xffff) }
func (p *rowPlace) shape() uint8       { return uint8(p.about >> 16) }
func (p *rowPlace) bad() bool          { return p.about&rowBad != 0 }

// laid are rows whose records lie one behind the other: each is noted when somebody asks for it.
type laid struct {
	first, nrows int      // in the round
	start        int      // where the first record begins
	distance     int      // from one beginning to the next, 0 if end says where they are
	begin, end   []uint32 // by row of the round, from worker.base: its first symbol, nil if that is right behind the row before, and its boundary
}

// mostAhead is how many are looked at one by one, of what is asked for in order, before they are halved.
const mostAhead = 12

// laidOf is what a row of the round is laid in, nil if nothing.
func (w *worker) laidOf(row int) *laid {
	n := len(w.laid)
	if n == 0 || row >= w.laid[n-1].first+w.laid[n-1].nrows {
		return nil
	}
	i := w.asked // most rows that are asked for are in order
	for more := mostAhead; i < n && more > 0 && row >= w.laid[i].first+w.laid[i].nrows; more-- {
		i++
	}
	if i >= n || row >= w.laid[i].first+w.laid[i].nrows || i > 0 && row < w.laid[i-1].first+w.laid[i-1].nrows {
		i, _ = slices.BinarySearchFunc(w.laid, row, func(l laid, row int) int { return l.first + l.nrows - 1 - row })
	}
	w.asked = i
	if l := &w.laid[i]; row >= l.first {
		return l
	}
	return nil
}

// place is where the record of a row lies, of places that are base before the data's.
func (l *laid) place(row, base int) (start, end int) {
	switch {
	case l.distance > 0:
		start = l.start + (row-l.first)*l.distance
		return start, start + l.distance - 1
	case l.begin != nil:
		return base + int(l.begin[row]), base + int(l.end[row])
	case row > l.first:
		return base + int(l.end[row-1]) + 1, base + int(l.end[row])
	}
	return l.start, base + int(l.end[row])
}

// placeOf is the record of a row of the round.
func (w *worker) placeOf(row int) *rowPlace {
	r, l := &w.rows[row], w.laidOf(row)
	if l == nil {
		return r
	}
	begin := w.machine.Start
	if w.strides == nil {
		begin = w.masked.masks.Begin
	}
	start, end := l.place(row, w.base)
	r.set(start, end, begin, 0)
	if l.distance == 0 {
		r.about |= w.masked.line
	}
	return r
}

// addSizes adds chunk.sizeOf of the records of rows, numbered from from on, which are left out.
func (w *worker) addSizes(ck *chunk, to *runtime.Left, rows []int, from int) {
	for len(rows) > 0 {
		l := w.laidOf(from + rows[0])
		if l == nil || l.distance > 0 || w.masked.line == 0 || !ck.part.Lines {
			size := ck.sizeOf(w.placeOf(from+rows[0]), 0)
			to.Add(&size)
			rows = rows[1:]
			continue
		}
		n := 0
		for ; n < len(rows) && from+rows[n] < l.first+l.nrows; n++ {
			start, end := l.place(from+rows[n], w.base)
			to.Bytes += int64(end + 1 - start)
		}
		to.Records, to.Lines, rows = to.Records+int64(n), to.Lines+int64(n), rows[n:]
	}
}
