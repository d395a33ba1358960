package cpu

import "github.com/dfaparse/dfaparse/internal/convert"

// What a field in quotes or brackets stands for may depend on that it is enclosed: of tokens that are null in bare fields
// alone, "NA" in quotes is a value. The automaton says so by a symbol of an escape that opens it. Masks find such fields as
// others, and leave what they hold where it lies: hardly any holds something that bare would be a token, and these few
// are decoded, and settled, as those with escapes are.

// escapeOpens reports whether a field that ends at m is opened by a symbol of an escape.
func (k *masked) escapeOpens(m mark) bool {
	x := k.masks.Bracket
	if m&markQuoted != 0 {
		x = k.masks.Quote
	}
	return m > markOffset && x != nil && x.Escape
}

// settleEnclosed settles the enclosed fields of the next nrows marked records, whose places are in the rows from w.nrows
// on.
func (w *worker) settleEnclosed(ck *chunk, nrows int) {
	k := w.masked
	if !k.settled {
		return
	}
	last, data := k.last, ck.part.Data[w.base:]
	for i, number := range k.records[k.passed:][:nrows] {
		row := w.nrows + i
		n := min(int(number)-last, len(w.plainColumns))
		for c, m := range k.marks[last+1:][:n] {
			if m <= markOffset || w.dest[c] < 0 {
				continue
			}
			col, s := &w.fields[w.dest[c]], w.settlers[w.dest[c]]
			start := col.Start[row]
			if s == nil || start >= convert.InDecoded || !k.escapeOpens(m) {
				continue
			}
			if m >= markDoubled || !s.SettleEnclosed(col, row, data[start-1]) {
				w.decodeEnclosed(ck, col, row, s)
			}
		}
		last = int(number)
	}
}

// decodeEnclosed decodes the enclosed field of a row, whose place is in col, and settles it.
func (w *worker) decodeEnclosed(ck *chunk, col *convert.Fields, row int, s *convert.Settler) {
	at := w.base + int(col.Start[row]) - 1
	w.field = field{end: -1, open: at, from: at, row: w.machine.Row(w.masked.masks.Next)}
	w.decodeField(ck, col, row, s)
}
