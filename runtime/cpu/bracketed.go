package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// bracketed finds records that are one value in brackets, as the objects of a list of JSON are, of which
// the automaton only counts brackets that are in no string, with a state for each depth:
//
//	[ {"a": [1, "}"]}, {"b": {}} ]
//	  1     2     1 0  1     2 10
//
// Quotes, marks (which are brackets, and what is odd at some depths alone) and what is odd are looked for 64
// symbols at a time, and only marks outside of strings are stepped. From what is odd on, and where brackets lie
// deeper than the automaton goes, the record is left to others.
type bracketed struct {
	start uint32    // the row in which records begin
	first uint32    // behind the bracket that opens one
	end   uint32    // behind the one that closes it; start: not found yet
	in    []bool    // by state: it is one in brackets
	text  []uint32  // by such a state: the row in a string there
	blank [256]bool // symbols that are passed over before a record
	ends  [256]bool // those behind its last bracket that end it
	class uint8     // of its field

	usable bool // for the records of the segment

	sets [nbracketed]*symbols.Set

	// Masks of blocks of the data from block from on, of which so many are known.
	masks       [nbracketed][bracketedStrip]uint64
	from, known int
}

// What is looked for.
const (
	atQuote    = iota
	atMark     // what does not do the same in all brackets
	atLead     // of an escape in a string
	oddInText  // in a string
	oddOutside // in brackets, outside of strings
	nbracketed
)

const (
	// bracketedStrip is how many blocks are looked at at once.
	bracketedStrip = 32
	// maxBracketed is how many states in brackets there are at most.
	maxBracketed = 64
)

// newBracketed is nil if the records of m are not such values.
func newBracketed(m *machine) *bracketed {
	start := m.Row(m.Start)
	x := &bracketed{start: start, end: start, in: make([]bool, len(m.AtEOF)), text: make([]uint32, len(m.AtEOF))}
	opens := false
	for c := range 256 {
		switch e := m.Entries[x.start|uint32(c)]; {
		case e.Kind() == dfa.Skip && !e.Coded() && e.Row() == x.start:
			x.blank[c] = true
		case isOwn(e) && opens && e.Row() != x.first:
			return nil
		case isOwn(e):
			x.first, opens = e.Row(), true
		}
	}
	if !opens || x.first == x.start {
		return nil
	}
	rows, does := x.findBrackets(m)
	if rows == nil || !x.findEnd(m) {
		return nil
	}
	var sets [nbracketed]dfa.Set
	quote := byte(0)
	for c, is := range does {
		switch one := dfa.Bytes(byte(c)); {
		case is == 1<<bracketStays:
		case is == 1<<bracketQuotes:
			quote, sets[atQuote] = byte(c), sets[atQuote].Union(one)
		case is&(1<<bracketQuotes) != 0: // at some depths alone, in strings that are none of those
			return nil
		case is == 1<<bracketOdd:
			sets[oddOutside] = sets[oddOutside].Union(one)
		default:
			sets[atMark] = sets[atMark].Union(one)
		}
	}
	if sets[atQuote].Len() != 1 {
		return nil
	}
	for i, row := range rows {
		x.text[state(row)] = m.Entries[row|uint32(quote)].Row()
		if !x.findText(m, row, quote, &sets, i == 0) {
			return nil
		}
	}
	for i := range sets {
		x.sets[i] = symbols.NewSet(sets[i])
	}
	return x
}

// isOwn reports whether e is data that stands for itself.
func isOwn(e dfa.Entry) bool { return e.Kind() == dfa.Data && !e.Coded() }

// What a symbol does in brackets.
const (
	bracketStays = iota
	bracketQuotes
	bracketMoves
	bracketOdd
)

// findBrackets finds the rows in brackets, nil if there are too many, and what each symbol does there: a bit for each
// of these.
func (x *bracketed) findBrackets(m *machine) (rows []uint32, does [256]uint8) {
	rows = []uint32{x.first}
	x.in[state(x.first)] = true
	for i := 0; i < len(rows); i++ {
		row := rows[i]
		for c := range 256 {
			e := m.Entries[row|uint32(c)]
			next, is := e.Row(), bracketMoves
			switch back := m.Entries[next|uint32(c)]; {
			case !isOwn(e):
				is = bracketOdd
			case next == row:
				is = bracketStays
			case isOwn(back) && back.Row() == row:
				is = bracketQuotes
			case x.in[state(next)]:
			case endsRecords(m, next):
				if x.end != x.start && x.end != next {
					return nil, does
				}
				x.end = next
			case len(rows) == maxBracketed || next == x.start:
				return nil, does
			default:
				rows = append(rows, next)
				x.in[state(next)] = true
			}
			does[c] |= 1 << is
		}
	}
	return rows, does
}

// endsRecords reports whether there are symbols that end records in a row, and none that is data.
func endsRecords(m *machine, row uint32) (ends bool) {
	for c := range 256 {
		switch m.Entries[row|uint32(c)].Kind() {
		case dfa.Record:
			ends = true
		case dfa.Data:
			return false
		}
	}
	return ends
}

// findEnd finds the symbols that end a record behind its last bracket.
func (x *bracketed) findEnd(m *machine) (found bool) {
	if x.end == x.start {
		return false
	}
	for c := range 256 {
		e := m.Entries[x.end|uint32(c)]
		if em := m.Emission(e); e.Kind() == dfa.Record && isPlain(em) && e.Row() == x.start && (!found || em.Class == x.class) {
			x.ends[c], x.class, found = true, em.Class, true
		}
	}
	return found
}

// findText reports whether strings in brackets of a row are read as those in others: first says that there are
// no others yet.
func (x *bracketed) findText(m *machine, row uint32, quote byte, sets *[nbracketed]dfa.Set, first bool) bool {
	text, escape := x.text[state(row)], uint32(0)
	if x.in[state(text)] {
		return false
	}
	for c := range 256 {
		e, one := m.Entries[text|uint32(c)], dfa.Bytes(byte(c))
		switch lead := sets[atLead].Has(byte(c)); {
		case byte(c) == quote: // findBrackets has seen that it leads back
		case isOwn(e) && e.Row() == text:
			if lead || sets[oddInText].Has(byte(c)) {
				return false
			}
		case isOwn(e) && (lead || first && sets[atLead].Empty()) && sets[oddOutside].Has(byte(c)):
			sets[atLead], escape = one, e.Row()
		case first:
			sets[oddInText] = sets[oddInText].Union(one)
		case !sets[oddInText].Has(byte(c)):
			return false
		}
	}
	for c := range 256 {
		if e := m.Entries[escape|uint32(c)]; escape != 0 && !sets[oddInText].Has(byte(c)) && !(isOwn(e) && e.Row() == text) {
			return false
		}
	}
	return escape != 0 || sets[atLead].Empty()
}

// bind is worker.bind: records may have to be no more than the value.
func (x *bracketed) bind(w *worker) {
	x.usable = !w.sparse && !w.fixed && w.rest < 0 && len(w.dest) == 1 && w.binding.MinFields <= 1 && (w.classes[0] == 0 || w.classes[0] == x.class)
}

// look finds the masks of block b of data, and of some behind it.
func (x *bracketed) look(data []byte, b int) {
	x.from, x.known = b, min(bracketedStrip, (len(data)-b*blockSize+blockSize-1)/blockSize)
	part := data[b*blockSize : min((b+x.known)*blockSize, len(data))]
	for i, set := range x.sets {
		set.Find(x.masks[i][:], part)
	}
}

// byBrackets is byHops for records that are one value in brackets.
func (w *worker) byBrackets(ck *chunk, limit int) (until int, why ended) {
	for w.row == w.bracketed.start {
		odd, why := w.bracketed.records(w, ck, limit)
		switch {
		case why != goOn:
			return 0, why
		case odd.at < 0: // the data ends
			return limit, goOn
		}
		why, ok := w.stepMalformed(ck, limit, odd.at+maxFaultless, odd)
		if !ok {
			break
		} else if why != goOn {
			return 0, why
		}
	}
	return w.at, goOn
}

// records reads records from w.at on, where one begins, up to one in which something is odd, which is given: it is
// before 0 if there is none.
func (x *bracketed) records(w *worker, ck *chunk, limit int) (odd unread, why ended) {
	data, entries := ck.part.Data, w.machine.Entries
	field := w.dest[0]
	for {
		p := w.at
		for p < len(data) && x.blank[data[p]] {
			p++
		}
		if p == len(data) {
			return unread{at: -1}, goOn
		}
		if !isOwn(entries[x.start|uint32(data[p])]) {
			return unread{p, x.start, 0, -1}, goOn
		}
		end, row, ok := x.close(data, entries, p+1)
		switch {
		case end == len(data):
			return unread{at: -1}, goOn
		case !ok:
			return unread{end, row, 0, -1}, goOn
		case end-w.at > w.plan.MaxRecord:
			return unread{w.at, x.start, 0, -1}, goOn
		}
		w.rows[w.nrows].set(w.at, end, state(x.start), x.class)
		if field >= 0 {
			w.fields[field].Start[w.nrows], w.fields[field].End[w.nrows] = uint32(p-w.base), uint32(end-w.base)
		}
		w.nrows++
		w.leave(ck, end+1, x.start)
		switch {
		case end >= ck.end || w.at >= ck.stop:
			return odd, chunkDone
		case end >= limit || w.nrows == w.maxRows:
			return odd, roundFull
		}
	}
}

// close is where a record ends of which data[p:] is what stands behind its first bracket: at the symbol behind
// its last one. If it is not ok, something is odd there, before which the automaton is in row; at the end of the
// data it may go on.
func (x *bracketed) close(data []byte, entries []dfa.Entry, p int) (end int, row uint32, ok bool) {
	row = x.first
	inside, escaped, have := uint64(0), uint64(0), ^uint64(0)<<(p%blockSize)
	for b := p / blockSize; b*blockSize < len(data); b, have = b+1, ^uint64(0) {
		if uint(b-x.from) >= uint(x.known) {
			x.look(data, b)
		}
		k := (b - x.from) % bracketedStrip
		quotes, by := x.masks[atQuote][k]&have, uint64(0)
		if leads := x.masks[atLead][k] & have; leads|escaped != 0 {
			by, escaped = symbols.EscapedBy(leads, escaped)
			quotes &^= by
		}
		text := symbols.PrefixXor(quotes) ^ inside // an opening quote and what follows, up to its closer
		inside = uint64(int64(text) >> 63)
		odd := (x.masks[oddInText][k]&text | x.masks[oddOutside][k]&^text) & have
		for m := x.masks[atMark][k]&^text&have | odd; m != 0; m &= m - 1 {
			at := b*blockSize + bits.TrailingZeros64(m)
			if bit := m & -m; bit&odd != 0 {
				if bit&text != 0 {
					row = x.text[state(row)]
				}
				if bit&text&by != 0 { // the lead is stepped as well
					at--
				}
				return at, row, false
			}
			e := entries[row|uint32(data[at])]
			if !isOwn(e) {
				return at, row, false
			}
			if row = e.Row(); row == x.end {
				end = at + 1
				return end, row, end < len(data) && x.ends[data[end]]
			}
		}
	}
	return len(data), row, false
}
