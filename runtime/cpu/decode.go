package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// decode puts the decoded data symbols of the field that ends at boundary into
// col: runs of filler at once, special symbols one by one.
func (w *worker) decode(ck *chunk, boundary int, col *convert.Fields) {
	data, f, m := ck.part.Data, &w.field, w.machine
	start := len(col.Decoded)
	out := append(col.Decoded, data[min(f.open, boundary):min(f.from, boundary)]...)
	row := f.row
	for from := f.from; from < boundary; from += stripSize {
		to := min(from+stripSize, boundary)
		m.special.Find(w.mask[:], data[from:to])
		p := from
		for b := 0; from+b*blockSize < to; b++ {
			for set := w.mask[b]; set != 0; set &= set - 1 {
				q := from + b*blockSize + bits.TrailingZeros64(set)
				if p < q {
					out, row = m.decodeRun(out, data, p, q, row)
				}
				out, row = m.decodeSymbol(out, data, q, row)
				p = q + 1
			}
		}
		if p < to {
			out, row = m.decodeRun(out, data, p, to, row)
		}
	}
	col.Decoded = out
	col.Start[w.nrows] = uint32(start) | convert.InDecoded
	col.End[w.nrows] = uint32(len(out))
}

// decodeField is decode for w.field as a field of a row, whose place is in col, and settles it.
func (w *worker) decodeField(ck *chunk, col *convert.Fields, row int, s *convert.Settler) {
	boundary := w.base + int(col.End[row])
	nrows := w.nrows
	w.nrows = row
	w.decode(ck, boundary, col)
	if s != nil && w.asWritten(ck, boundary) {
		s.Settle(col, row, &w.written)
	}
	w.nrows = nrows
}

// asWritten reports whether something is escaped in the field that ends at boundary,
// and puts how it was written into w.written.
func (w *worker) asWritten(ck *chunk, boundary int) (escaped bool) {
	data, f, m, x := ck.part.Data, &w.field, w.machine, &w.written
	x.Text, x.End = x.Text[:0], x.End[:0]
	if escaped = f.led; escaped {
		x.Text = append(x.Text, data[f.open-1])
	}
	for p := f.open; p < min(f.from, boundary); p++ {
		x.Text = append(x.Text, data[p])
		x.End = append(x.End, uint32(len(x.Text)))
	}
	row := f.row
	for p := f.from; p < boundary; p++ {
		e := m.Entries[row|uint32(data[p])]
		row = e.Row()
		switch {
		case e.Kind() == dfa.Data:
			x.Text = append(x.Text, data[p])
			x.End = append(x.End, uint32(len(x.Text)))
			escaped = escaped || e.Coded()
		case e.Kind() == dfa.Skip && e.Coded():
			x.Text = append(x.Text, data[p])
			escaped = true
		}
	}
	return escaped
}

// decodeRun appends what the filler data[p:q] decodes to.
func (m *machine) decodeRun(out, data []byte, p, q int, row uint32) ([]byte, uint32) {
	for ; p < q; p++ {
		if m.smooth(row) {
			return append(out, data[p:q]...), m.after[state(row)]
		}
		out, row = m.decodeSymbol(out, data, p, row)
	}
	return out, row
}

// decodeSymbol appends what data[p] decodes to, if it is data.
func (m *machine) decodeSymbol(out, data []byte, p int, row uint32) ([]byte, uint32) {
	e := m.Entries[row|uint32(data[p])]
	if e.Kind() == dfa.Data {
		if e.Coded() {
			out = append(out, dfa.Decode(data, p, m.Emission(e)))
		} else {
			out = append(out, data[p])
		}
	}
	return out, e.Row()
}
