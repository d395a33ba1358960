package cpu

import (
	"bytes"
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// This file reads fields in which something is escaped. What a lead makes of the symbol behind
// it is known by masks: of leads side by side every second is one, and the others are what
// these lead, as is what follows them. A block of nothing but leads is odd, so that this
// never depends on more than the block before.
//
//	symbols  a \ , b , \ \ \ n ,
//	leads    . 1 . . . 1 . 1 . .
//	ends     . . . . 1 . . . . 1
//
// Fields with leads are noted, and decoded one by one. Their records are read by masks if all of their
// escapes are of two symbols. Longer ones in quotes are stepped: to masks, what they have behind two
// symbols is data like any other, so it has to be such that quotes, leads and the like are no part of it.

// evenSymbols are the bits of every second symbol of a block.
const evenSymbols = 0x5555555555555555

// leadsOf is which of the symbols that may lead do, where the first one of the block may. Adding
// the first symbol of a run to it carries it away: runs that begin at even symbols.
func leadsOf(may uint64) uint64 {
	return may & (may + may&^(may<<1)&evenSymbols ^ evenSymbols)
}

// ledField is the number of the mark of a field with a lead in it.
//
//	bit  31       30       29..0
//	     wrong    wrong    number
//	     if bare  in quotes
//
// It may be wrong if one of its escapes is none, or longer than two symbols.
type ledField uint32

const (
	wrongBare   = ledField(1) << 31
	wrongQuoted = ledField(1) << 30
)

func (f ledField) number() int { return int(f &^ (wrongBare | wrongQuoted)) }

// wrong reports whether an escape may be wrong in the field that ends at m.
func (f ledField) wrong(m mark) bool {
	if m&markQuoted != 0 {
		return f&wrongQuoted != 0
	}
	return f&wrongBare != 0
}

// ledBlock is a block with leads in fields.
type ledBlock struct {
	leads, ends uint64
	number      int // of the mark of its first end
	offset      int // from the marker's base
}

// leads is what a marker notes of leads.
type leads struct {
	blocks [stripBlocks]ledBlock // of the last strip
	n      int                   // of them

	nulls  [256]bool  // what behind a lead makes a field of two symbols null, so that it is left as it is
	fields []ledField // in order
	passed int        // those before are of records that have been read
}

// note notes the fields of the last strip that have leads: symbols are those of the strip, and of
// what comes behind it, and begin at offset from.
func (l *leads) note(symbols []byte, from int, wrong *[256]ledField) {
	for i := range l.blocks[:l.n] {
		b := &l.blocks[i]
		behind := symbols[b.offset-from+1:]
		two := b.leads & (b.ends << 1) & (b.ends >> 2) // fields of two symbols, those that begin and end in the block
		for set := b.leads; set != 0; set &= set - 1 {
			k := bits.TrailingZeros64(set)
			if two>>k&1 != 0 && l.nulls[behind[k]] {
				continue
			}
			f := ledField(b.number + bits.OnesCount64(b.ends&(1<<k-1)))
			is := wrongBare | wrongQuoted
			if k < len(behind) {
				is = wrong[behind[k]]
			}
			if last := len(l.fields) - 1; last >= 0 && l.fields[last].number() == int(f) {
				l.fields[last] |= is
			} else {
				l.fields = append(l.fields, f|is)
			}
		}
	}
	l.n = 0
}

// findNulls finds what behind a lead is a null token in all columns that have fields, and no wrong escape.
func (l *leads) findNulls(w *worker) {
	l.nulls = [256]bool{}
	text := []byte{w.masked.lead, 0}
symbols:
	for symbol := range l.nulls {
		if w.masked.wrong[symbol]&wrongBare != 0 {
			continue
		}
		text[1] = byte(symbol)
		for _, d := range w.dest {
			if d >= 0 && (d == w.shapes || w.settlers[d] == nil || !w.settlers[d].LeavesNull(text)) {
				continue symbols
			}
		}
		l.nulls[symbol] = len(w.plainColumns) > 0
	}
}

// forget forgets the fields up to mark number last, which is then number 0.
func (l *leads) forget(last int) {
	n := 0
	for _, f := range l.fields[l.passed:] {
		if f.number() > last {
			l.fields[n] = f - ledField(last)
			n++
		}
	}
	l.fields, l.passed = l.fields[:n], 0
}

// of is the noted fields of marks behind last, up to number to.
func (l *leads) of(last, to int) []ledField {
	for l.passed < len(l.fields) && l.fields[l.passed].number() <= last {
		l.passed++
	}
	fields := l.fields[l.passed:]
	n := 0
	for n < len(fields) && fields[n].number() <= to {
		n++
	}
	return fields[:n]
}

// unspoilt is how many of the next marked records, of n fields each, come before one with a wrong
// escape.
func (w *worker) unspoilt(data []byte, nrows, n int) int {
	k := w.masked
	for _, f := range k.leads.of(k.last, k.last+nrows*n) {
		if i := f.number(); f.wrong(k.marks[i]) && !k.escapes(w.machine, data[k.base+k.marks[i-1].offset()+1:k.base+k.marks[i].offset()], k.marks[i]) {
			return (i - k.last - 1) / n
		}
	}
	return nrows
}

// escapes reports whether all escapes in a field that ends at m are right: it is in quotes, and each leads
// back into them, over symbols that are data there but for the first two.
func (k *masked) escapes(m *machine, field []byte, end mark) bool {
	if end&markQuoted == 0 || k.masks.Quote.Led == nil {
		return false
	}
	inside := k.inside(m)
	for p := 0; ; {
		n := bytes.IndexByte(field[p:], k.lead)
		if n < 0 {
			return true
		}
		p += n + 1
		row := m.Entries[inside|uint32(k.lead)].Row()
		for first := p; row != inside; p++ {
			if p == len(field) {
				return false
			}
			e := m.Entries[row|uint32(field[p])]
			if e.Boundary() || e.Kind() == dfa.Error {
				return false
			}
			if own := m.Entries[inside|uint32(field[p])]; p > first && (own.Kind() != dfa.Data || own.Coded() || own.Row() != inside) {
				return false
			}
			row = e.Row()
		}
	}
}

// inside is the row of the state in quotes.
func (k *masked) inside(m *machine) uint32 {
	return m.Entries[m.Row(k.masks.Begin)|uint32(k.masks.Quote.Open)].Row()
}

// decodeLed decodes the fields with escapes of the next marked records, of n fields each.
func (w *worker) decodeLed(ck *chunk, n, nrows int) {
	k := w.masked
	for _, f := range k.leads.of(k.last, k.last+nrows*n) {
		i := uint32(f.number() - k.last - 1) // which is quicker to divide
		record := i / uint32(n)
		d := w.dest[i-record*uint32(n)]
		if d < 0 {
			continue
		}
		m, row, col := k.marks[f.number()], w.nrows+int(record), &w.fields[d]
		if f.wrong(m) || k.escapeOpens(m) { // it has escapes of more than two symbols, or one that opens it
			w.decodeEnclosed(ck, col, row, w.settlers[d])
			continue
		}
		raw := ck.part.Data[w.base+int(col.Start[row]) : w.base+int(col.End[row])]
		s := w.settlers[d]
		if s != nil && s.IsNull(raw) {
			col.Start[row], col.End[row] = convert.Absent, 0
			continue
		}
		led, doubled := k.masks.Led, m >= markDoubled
		if m&markQuoted != 0 {
			led = k.masks.Quote.Led
		}
		start := len(col.Decoded)
		if doubled {
			col.Decoded = k.appendDoubled(col.Decoded, raw, led)
		} else {
			col.Decoded = appendLed(col.Decoded, raw, k.lead, led)
		}
		col.Start[row], col.End[row] = uint32(start)|convert.InDecoded, uint32(len(col.Decoded))
		if s == nil || !doubled && s.SettleText(col, row, raw) {
			continue
		}
		k.write(&w.written, raw, doubled)
		s.Settle(col, row, &w.written)
	}
}

// appendLed appends what value decodes to, of which all escapes are of led.
func appendLed(dst, value []byte, lead byte, led *dfa.Led) []byte {
	for {
		i := bytes.IndexByte(value, lead)
		if i < 0 {
			return append(dst, value...)
		}
		dst = append(append(dst, value[:i]...), byte(led[value[i+1]]))
		value = value[i+2:]
	}
}

// appendDoubled is appendLed where quotes are doubled.
func (k *masked) appendDoubled(dst, value []byte, led *dfa.Led) []byte {
	for i := 0; i < len(value); i++ {
		switch symbol := value[i]; symbol {
		case k.lead:
			i++
			dst = append(dst, byte(led[value[i]]))
		case k.masks.Quote.Open:
			i++
			fallthrough
		default:
			dst = append(dst, symbol)
		}
	}
	return dst
}

// write makes x how a field was written of which value is what lies between its enclosures.
func (k *masked) write(x *dfa.Written, value []byte, doubled bool) {
	x.Text, x.End = x.Text[:0], x.End[:0]
	for i := 0; i < len(value); i++ {
		if symbol := value[i]; symbol == k.lead {
			x.Text = append(x.Text, symbol)
			i++
		} else if doubled && symbol == k.masks.Quote.Open {
			i++
		}
		x.Text = append(x.Text, value[i])
		x.End = append(x.End, uint32(len(x.Text)))
	}
}
