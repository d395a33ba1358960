package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// fewTogether records are indexed as fast one by one.
const fewTogether = 4

// together indexes records from w.at on as if none were odd, and takes those out again that are, if they are malformed
// for certain: of these nothing but the size is asked for. It ends before the first that is for others, and reports
// whether there are records before.
func (w *worker) together(ck *chunk, limit int) bool {
	k, x := w.masked, w.masked.near
	if w.at < x.oneByOne || !w.brief || !w.isDropped(&malformedFor) {
		return false
	}
	// Of few columns are short records, and there are many gaps. A strip that is longer than records may be would be marked
	// again for each of them.
	if (x.blocks || x.mapped && (x.quoted || len(w.plainColumns) > fewColumns)) && w.plan.MaxRecord >= nearBlocks*blockSize {
		return w.aroundGaps(ck, limit)
	}
	x.lookUp(k, ck.part.Data)
	if k.masks.OddFirst.Has(ck.part.Data[w.at]) {
		return false
	}
	if x.quoted && x.opensFirst(k, ck.part.Data, w.at) {
		k.reach = x.enough()
		return false
	}
	x.findBare()
	n, nrows := x.mark(k, w.at)
	nrows = min(nrows, w.maxRows-max(w.nrows, len(w.omitted)))
	for nrows > 0 && x.end(k, nrows) >= limit {
		nrows--
	}
	if nrows < fewTogether || n <= w.fewest || n > len(w.plainColumns) || !w.plainColumns[0].wanted || !w.plainColumns[n-1].wanted || x.end(k, nrows)-w.at > w.plan.MaxRecord {
		if x.oneByOne = x.to; w.at == x.from {
			k.reach = x.enough()
		}
		return false
	}
	first, columns := w.nrows, w.plainColumns[:n]
	scatter(columns, k.columns[:n], k.marks, first, nrows, uint32(x.from-1-w.base))
	gone, before, known, laid := x.gone.Rows[:0], 0, 0, first
	begin, nblocks := k.masks.Begin, (x.to-x.from)/blockSize
blocks:
	for block := (w.at - x.from) / blockSize; block < nblocks; block++ {
		lasts, odd := x.lasts[block], x.odd[block]
		for special := odd | x.returned[block]; special != 0; special &= special - 1 {
			symbol := special & -special
			i := before + bits.OnesCount64(lasts&(symbol-1)) // the record that it is in
			if i < known {
				continue
			}
			if known = i + 1; i >= nrows {
				break blocks
			}
			start, end := x.end(k, i)+1, x.end(k, i+1)
			w.nrows = first + i - len(gone)
			r := &w.rows[w.nrows]
			r.set(start, end, begin, 0)
			r.about |= k.line
			switch {
			case odd&symbol != 0:
				if !w.isFaulty(ck.part.Data, start, x.from+block*blockSize+bits.TrailingZeros64(symbol), end) {
					nrows = i
					break blocks
				}
				w.reject(ck, end+1, &malformedFor)
				gone = append(gone, i)
				x.until = end + 1 + w.reach()
			case end > start: // it ends behind a return
				w.lay(laid, w.nrows, n)
				if columns[n-1].end[first+i]--; k.masks.ReturnEnds {
					r.set(start, end-1, begin, 0)
				}
				laid = w.nrows + 1
			}
		}
		before += bits.OnesCount64(lasts)
	}
	w.nrows = first + nrows - len(gone)
	w.lay(laid, w.nrows, n)
	if x.gone.Rows = gone; len(gone) > 0 {
		x.gone.Prepare(nrows, packer())
		for i := range columns {
			if c := &columns[i]; c.wanted {
				x.gone.Pack(c.start[first : first+nrows])
				x.gone.Pack(c.end[first : first+nrows])
			}
		}
	}
	w.lacksBehind(n, first, w.nrows-first)
	switch {
	case nrows == k.nrecords-1: // what is left is no record
		x.to = x.from
	case nrows < fewTogether:
		x.oneByOne, k.reach = x.to, x.enough()
	}
	w.leave(ck, x.end(k, nrows)+1, w.row)
	return nrows > 0
}

// lay notes that rows of n fields, from one of the round to another, are where their columns are.
func (w *worker) lay(from, to, n int) {
	if from < to {
		w.laid = append(w.laid, laid{first: from, nrows: to - from, begin: w.plainColumns[0].start, end: w.plainColumns[n-1].end})
	}
}

// malformedFor is what is wrong with records of which nothing but the size is asked for.
var malformedFor = runtime.Problem{What: runtime.Lexical, Output: -1, Field: -1}

// mark marks the ends of fields from at on, of which the first record has n, and gives how many records have as many.
func (x *near) mark(k *masked, at int) (n, nrows int) {
	nblocks, block, first := (x.to-x.from)/blockSize, (at-x.from)/blockSize, uint((at-x.from)%blockSize)
	for _, bits := range []*uint64{&x.ends[block], &x.lasts[block], &x.returned[block], &x.odd[block]} {
		*bits = *bits >> first << first
	}
	k.next = -1 // its marks are others
	k.marks[0], k.records[0] = mark(at-x.from), 0
	k.nmarks, k.number, k.nrecords, k.offset = 1, 1, 1, block*blockSize+1
	x.emit(k, x.ends[block:nblocks], x.lasts[block:nblocks])
	if k.nrecords == 1 {
		return 0, 0
	}
	n = int(k.records[1])
	return n, alike(k.records[1:k.nrecords], uint32(n))
}

// emitGeneric writes the marks of ends, from the block at k.offset on, and the numbers of those that end records.
func (x *near) emitGeneric(k *masked, ends, lasts []uint64) {
	k.nmarks += emit(k.marks[1:], ends, mark(k.offset))
	for i, last := range lasts {
		for ; last != 0; last &= last - 1 {
			k.records[k.nrecords] = uint32(k.number + bits.OnesCount64(ends[i]&(last-1)&^last))
			k.nrecords++
		}
		k.number += bits.OnesCount64(ends[i])
	}
}

// end is the offset of the symbol that ends record number i of those marked, from 1 on.
func (x *near) end(k *masked, i int) int { return x.from - 1 + k.marks[k.records[i]].offset() }

// fieldAt is where the field begins in which the symbol at offset p is, of the record at start.
func (x *near) fieldAt(start, p int) int {
	block := (p - x.from) / blockSize
	set := x.ends[block] & (1<<((p-x.from)%blockSize) - 1)
	for set == 0 {
		if block--; block < 0 || x.from+(block+1)*blockSize <= start {
			return start
		}
		set = x.ends[block]
	}
	return max(start, x.from+block*blockSize+bits.Len64(set))
}

// isFaulty reports whether the record at start, of which the symbol at odd is the first that is, is malformed for certain,
// and ends at end.
func (w *worker) isFaulty(data []byte, start, odd, end int) bool {
	k, m, f := w.masked, w.machine, w.machine.fates()
	if odd > start && k.masks.Return.Has(data[odd-1]) && f.behind[data[odd]] {
		return true
	}
	p := k.near.fieldAt(start, odd)
	row := m.Row(k.masks.Next)
	if p == start {
		row = m.Row(k.masks.Begin)
	}
	for ; p < end; p++ {
		e := m.Entries[row|uint32(data[p])]
		row = e.Row()
		switch e.Kind() {
		case dfa.Data, dfa.Skip:
			p = max(p, odd-2) // behind the first, up to what may be a return, all is content
		case dfa.Error:
			return m.Emission(e).Code != 0 && f.lost[state(row)]
		default:
			return false
		}
	}
	return false
}

// fates says of states whether a record is malformed once it is in them, and of symbols.
type fates struct {
	lost   []bool    // everything leads back, up to what ends the record, before the state in which others begin
	behind [256]bool // symbols behind a return by which a record is malformed and lost, whatever was before
}

func (m *machine) newFates() *fates {
	f, k := &fates{lost: make([]bool, len(m.AtEOF))}, m.roles.masks
	for s := range f.lost {
		row := m.Row(dfa.StateID(s))
		lost := true
		for c, e := range m.Entries[row : row+256] {
			if k.Records.Has(byte(c)) {
				lost = lost && e.Kind() == dfa.Record && isPlain(m.Emission(e)) && m.resume(m.Emission(e), e) == k.Begin
			} else {
				lost = lost && !e.Boundary() && e.Row() == row
			}
		}
		f.lost[s] = lost
	}
	f.findBehind(m)
	return f
}

// findBehind finds the symbols of f.behind: a return is where a record begins, or a field, or in one.
func (f *fates) findBehind(m *machine) {
	k := m.roles.masks
	before := []uint32{m.Row(k.Begin), m.Row(k.Next)}
	for c, e := range m.Entries[before[0] : before[0]+256] {
		if m.roles.of(byte(c)) == 0 {
			before = append(before, e.Row())
			break
		}
	}
	if len(before) == 2 {
		return
	}
	for c := range f.behind {
		f.behind[c] = true
		for _, row := range before {
			for symbol := range 256 {
				if k.Return.Has(byte(symbol)) {
					e := m.Entries[m.Entries[row|uint32(symbol)].Row()|uint32(c)]
					f.behind[c] = f.behind[c] && e.Kind() == dfa.Error && m.Emission(e).Code != 0 && f.lost[state(e.Row())]
				}
			}
		}
	}
}
