package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
)

// index reads records from w.at on, until the batch is full or pc's last
// record is read; it reports whether there may be more. Fields go straight to
// their columns: partition is part of it.
//
// The loop takes the special symbols one by one. Most of them do one of four
// simple things, which it does itself; for all else it calls step, handing
// over and taking back what it keeps in registers.
func (w *worker) index(pc *piece) (more bool) {
	data, m := pc.part.Data, w.machine
	n, direct, gap := len(data), m.direct, m.gap
	row := m.Row(w.state)
	w.open(w.at, row)

	// The record and the field being read: see the types of the same names.
	start, begin, column := w.at, row, 0
	raw, value, end, decode, from := w.at, w.at, -1, false, row
	slow := false // the record is not plain, or not good
	nrows, base, columns := 0, w.base, w.plainColumns
	limit := w.limit(pc) // a record that ends at or after this offset is the last
	p := w.at            // the first symbol that was not read

	mask, block := w.mask.seek(data, m.special, p)
	for {
		for mask == 0 {
			block += blockSize
			if block >= n {
				break
			}
			mask = w.mask.at(data, m.special, block)
		}
		q := n
		if mask != 0 {
			q = block + bits.TrailingZeros64(mask)
			mask &= mask - 1
		} else if p == n {
			w.give(start, begin, column, raw, value, end, decode, from, nrows)
			w.endOfData(pc, row)
			return false
		}
		var e dfa.Entry
		switch {
		case q == n:
			e = careful
		case q == p:
			e = direct[row|uint32(data[q])]
		default:
			e = gap[row|uint32(data[q])]
			decode = decode || end >= 0
		}
		if e&careful != 0 {
			w.give(start, begin, column, raw, value, end, decode, from, nrows)
			row = w.run(data, p, q, row)
			value, end, decode = w.field.value, w.field.end, w.field.decode
			slow = w.record.special()
			p = q
			if q == n {
				continue
			}
			e = direct[row|uint32(data[q])]
		}
		switch e.Kind() {
		case dfa.Data:
			if e&coded == 0 {
				decode = decode || end >= 0
				row = e.Row()
				p = q + 1
				continue
			}
			decode = true
			row = e.Row()
			p = q + 1
			continue
		case dfa.Skip:
			if value == q {
				value = q + 1
			} else if end < 0 {
				end = q
			}
			row = e.Row()
			p = q + 1
			continue
		case dfa.Field:
			if e&plain == 0 || decode || column >= len(columns) {
				break
			}
			c := &columns[column]
			if end < 0 {
				end = q
			}
			c.start[nrows] = uint32(min(value, end) - base)
			c.end[nrows] = uint32(end - base)
			if c.class != class(e) && c.class != 0 && w.record.wrong < 0 {
				w.record.wrong, w.record.faulty, slow = column, raw, true
			}
			column++
			row = e.Row()
			p = q + 1
			raw, value, end, from = p, p, -1, row
			continue
		case dfa.Record:
			if e&plain == 0 || decode || column >= len(columns) || slow || column < w.fewest || q-start > w.plan.MaxRecord {
				break
			}
			c := &columns[column]
			if c.class != class(e) && c.class != 0 {
				break
			}
			if end < 0 {
				end = q
			}
			c.start[nrows] = uint32(min(value, end) - base)
			c.end[nrows] = uint32(end - base)
			if column+1 < w.width {
				w.nrows = nrows
				w.pad(column + 1)
			}
			w.rows[nrows] = rowPlace{start: start, end: q, begin: state(begin)}
			nrows++
			row = e.Row()
			p = q + 1
			start, begin, column = p, row, 0
			raw, value, end, from = p, p, -1, row
			if q >= limit || nrows == w.maxRows {
				w.leave(pc, start, begin, nrows)
				return q < pc.end && p < pc.stop
			}
			if w.sparse {
				w.nrows = nrows
				w.absent()
			}
			continue
		}
		if q != p {
			row = m.after[state(row)]
		}
		w.give(start, begin, column, raw, value, end, decode, from, nrows)
		ended := w.step(pc, q, row, e)
		if ended != goOn {
			return ended == batchFull
		}
		row, p = w.row, w.at
		start, begin, column = w.record.start, m.Row(w.record.begin), w.record.column
		raw, value, end, decode, from = w.field.raw, w.field.value, w.field.end, w.field.decode, w.field.row
		nrows, slow = w.nrows, w.record.special()
		if columns = w.plainColumns; w.record.rest >= 0 {
			columns = nil // what follows is the rest, whatever its columns
		}
		if p != q+1 {
			mask, block = w.mask.seek(data, m.special, p)
		}
	}
}

// limit is the offset from which on a record that ends is the last to be read.
func (w *worker) limit(pc *piece) int {
	return min(pc.end, pc.stop-1, w.base+maxBatchBytes)
}

// give hands the loop's registers to the worker.
func (w *worker) give(start int, begin uint32, column, raw, value, end int, decode bool, from uint32, nrows int) {
	w.record.start, w.record.begin, w.record.column = start, state(begin), column
	f := &w.field
	if f.raw != raw {
		f.open, f.from = raw, raw
	}
	f.raw, f.value, f.end, f.decode, f.row = raw, value, end, decode, from
	w.nrows = nrows
}

// leave notes where the next record begins.
func (w *worker) leave(pc *piece, start int, begin uint32, nrows int) {
	w.at, w.state, w.nrows = start, state(begin), nrows
	pc.next, pc.resume = w.at, w.state
}

// masks are the special symbols of a stretch of the data, a bit each.
type masks struct {
	from, to int // the stretch
	bits     [64]uint64
}

// at is the mask of the block at offset block.
func (k *masks) at(data []byte, special *nibbles, block int) uint64 {
	if block < k.from || block >= k.to {
		k.from, k.to = block, min(block+len(k.bits)*blockSize, len(data))
		members(k.bits[:], data[k.from:k.to], special)
	}
	return k.bits[uint(block-k.from)/blockSize%64]
}

// seek is the block of offset p and its mask from p on.
func (k *masks) seek(data []byte, special *nibbles, p int) (mask uint64, block int) {
	block = p &^ (blockSize - 1)
	if block >= len(data) {
		return 0, block
	}
	return k.at(data, special, block) &^ (1<<(p-block) - 1), block
}
