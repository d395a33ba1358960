package convert

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// lexer takes values apart as Table.Fields does. In a smooth state all symbols but
// the special ones are data and leave it, so that they are passed over at once. What
// it does not take, errors above all, it leaves to Table.Fields.
type lexer struct {
	table   *dfa.Table
	special symbolSet
	smooth  []bool // by state
	careful []bool // by entry: it is left to Table.Fields
	// turns are by state and special symbol: what comes of it and of the ordinary
	// symbol behind it.
	turns []turn
	// doubles are by state and two special symbols: what comes of the first, of the
	// second and of the ordinary symbol behind them.
	doubles   []double
	enclosing []*enclosing // by state: passes over what follows up to a bracket; mostly nil
	stays     []dfa.Entry  // by state: data that does not leave it, noEntry if there is none
	nspecial  int
	phrases   []phrase // by state
	vain      []uint8  // by state: how much more often there was no phrase than one
	again     int      // values until phrases are asked for again in all states
	gaveUp    int      // in the value looked at no value in brackets is passed over that begins before it
	// Scratch memory of find.
	masks  []uint64
	places []uint32
}

// turn is two steps from a smooth state: a special symbol ends a field, or the
// ordinary one behind it says that it has; that is data of the next field.
type turn struct {
	row    uint32 // after both, of a smooth state
	is     bool
	stays  bool // the special symbol alone is data and leaves the state
	leads  bool // it is data, and does not: it may lead back there with the symbol behind it
	record bool
	class  uint8
	column int16
}

// double is three steps from a smooth state: a special symbol ends a field, the next one is
// passed over, and the ordinary one behind it is data of the next field.
type double struct {
	row     uint32 // after all, of a smooth state
	between uint32 // after the first
	is      bool
	record  bool
	class   uint8
	column  int16
}

// maxSpecial bounds the classes of a lexer's special symbols.
const maxSpecial = 32

// symbolSet is a set of symbols below 128.
type symbolSet struct {
	*symbols.Set
	has [256]bool
	// number is that of the class of a symbol in the set, counted from 0: those of one are alike
	// in every state.
	number  [256]uint8
	classes []byte // a symbol of each
}

func newSymbolSet(has [256]bool, t *dfa.Table) symbolSet {
	s := symbolSet{has: has}
	var set dfa.Set
	for b := range 128 {
		if !has[b] {
			continue
		}
		set = set.Union(dfa.Bytes(byte(b)))
		class := slices.IndexFunc(s.classes, func(c byte) bool { return alike(t, c, byte(b)) })
		if class < 0 {
			class = len(s.classes)
			s.classes = append(s.classes, byte(b))
		}
		s.number[b] = uint8(class)
	}
	s.Set = symbols.NewSet(set)
	return s
}

// alike reports whether two symbols do the same in every state of t.
func alike(t *dfa.Table, a, b byte) bool {
	for s := range t.AtEOF {
		row := t.Row(dfa.StateID(s))
		if t.Entries[row|uint32(a)] != t.Entries[row|uint32(b)] {
			return false
		}
	}
	return true
}

const maskBlock = symbols.Block

// newLexer is nil if values of t cannot be read so.
func newLexer(t *dfa.Table) *lexer {
	x := lastLexer.Load()
	if x == nil || x.table != t {
		if x = prepareLexer(t); x == nil {
			return nil
		}
		lastLexer.Store(x)
	}
	own := *x
	own.phrases, own.vain = make([]phrase, len(x.smooth)*phrasesAState), make([]uint8, len(x.smooth))
	return &own
}

// lastLexer is the one that was prepared last, which none but newLexer uses: each worker of a reader, and
// readers one after the other, want the same.
var lastLexer atomic.Pointer[lexer]

// prepareLexer is newLexer but for what a value changes.
func prepareLexer(t *dfa.Table) *lexer {
	x := &lexer{table: t, smooth: make([]bool, len(t.AtEOF)), careful: make([]bool, len(t.Entries))}
	plain := make([]bool, len(t.AtEOF)) // states that are reached without a careful entry
	todo := []dfa.StateID{t.Start}
	plain[t.Start] = true
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for c := range 256 {
			i := t.Row(s) | uint32(c)
			e := t.Entries[i]
			em := t.Emission(e)
			switch e.Kind() {
			case dfa.Data, dfa.Skip:
			case dfa.Field:
				x.careful[i] = em.Escape || em.Code != 0
			case dfa.Record:
				x.careful[i] = em.Escape || em.Code != 0 || em.Record != dfa.DataRecord
			default:
				x.careful[i] = true
			}
			if next := e.Next(); !x.careful[i] && !plain[next] {
				plain[next] = true
				todo = append(todo, next)
			}
		}
	}
	for _, ordinary := range []byte("z~Z") {
		if x.prepare(plain, ordinary) {
			x.findEnclosing(plain)
			x.findStays()
			return x
		}
	}
	return nil
}

// noEntry is none of a table's entries.
const noEntry = ^dfa.Entry(0)

// findStays finds what does not leave the states that are not smooth.
func (x *lexer) findStays() {
	x.stays = make([]dfa.Entry, len(x.smooth))
	for s := range x.stays {
		x.stays[s] = noEntry
		for c := range 256 {
			if e := x.table.Entry(dfa.StateID(s), byte(c)); isData(e, dfa.StateID(s)) {
				x.stays[s] = e
				break
			}
		}
	}
}

// prepare finds the smooth states, and the symbols that are not like an ordinary
// one there. It is false if there are none, or too many. A state in which symbols beyond
// ASCII are special is not smooth.
func (x *lexer) prepare(plain []bool, ordinary byte) bool {
	t := x.table
	var special [256]bool
	found := false
	for s := range plain {
		row := t.Row(dfa.StateID(s))
		e := t.Entries[row|uint32(ordinary)]
		unlike := func(c uint32) bool { return t.Entries[row|c] != e }
		x.smooth[s] = plain[s] && e.Kind() == dfa.Data && !e.Coded() && e.Row() == row
		for c := uint32(128); c < 256 && x.smooth[s]; c++ {
			x.smooth[s] = !unlike(c)
		}
		for c := uint32(0); c < 128 && x.smooth[s]; c++ {
			special[c] = special[c] || unlike(c)
		}
		found = found || x.smooth[s]
	}
	if !found {
		return false
	}
	x.special = newSymbolSet(special, t)
	n := len(x.special.classes)
	if n > maxSpecial {
		return false
	}
	x.nspecial = n
	x.turns, x.doubles = make([]turn, len(plain)*maxSpecial), make([]double, len(plain)*n*n)
	for s := range plain {
		if !x.smooth[s] {
			continue
		}
		for _, c := range x.special.classes {
			i := t.Row(dfa.StateID(s)) | uint32(c)
			x.turns[s*maxSpecial+int(x.special.number[c])] = x.turn(i, ordinary)
			for _, d := range x.special.classes {
				x.doubles[x.double(s, c, d)] = x.doubled(i, d, ordinary)
			}
		}
	}
	return true
}

// double is the place of two special symbols in doubles.
func (x *lexer) double(state int, first, second byte) int {
	return (state*x.nspecial+int(x.special.number[first]))*x.nspecial + int(x.special.number[second])
}

// doubled is that of entry i, a special symbol and an ordinary one.
func (x *lexer) doubled(i uint32, next, ordinary byte) (r double) {
	t := x.table
	first := t.Entries[i]
	em := t.Emission(first)
	k := first.Row() | uint32(next)
	second := t.Entries[k]
	third := t.Entries[second.Row()|uint32(ordinary)]
	if x.careful[i] || x.careful[k] || !first.Boundary() || em.Lag != 0 || em.Open != 0 || em.Touch ||
		second.Kind() != dfa.Skip || second.Coded() || third.Kind() != dfa.Data || third.Coded() || !x.smooth[third.Next()] {
		return r
	}
	for c, special := range x.special.has {
		if !special && t.Entries[second.Row()|uint32(c)] != third {
			return r
		}
	}
	return double{row: third.Row(), between: first.Row(), is: true, record: first.Kind() == dfa.Record, class: em.Class, column: em.Column}
}

// turn is that of entry i and an ordinary symbol.
func (x *lexer) turn(i uint32, ordinary byte) (r turn) {
	t := x.table
	first := t.Entries[i]
	if first.Kind() == dfa.Data && !first.Coded() && first.Row() == i&^0xff {
		return turn{stays: true}
	}
	if first.Kind() == dfa.Data && !first.Coded() && !x.smooth[first.Next()] {
		return turn{leads: true, row: first.Row()}
	}
	k := first.Row() | uint32(ordinary)
	second := t.Entries[k]
	if x.careful[i] || x.careful[k] || second.Coded() || !x.smooth[second.Next()] {
		return r
	}
	for c, special := range x.special.has {
		if !special && t.Entries[first.Row()|uint32(c)] != second {
			return r // there is nothing like an ordinary symbol in between
		}
	}
	ends := first
	switch em := t.Emission(second); {
	case first.Boundary() && t.Emission(first).Lag == 0 && t.Emission(first).Open == 0 && !t.Emission(first).Touch && second.Kind() == dfa.Data:
	case first.Kind() == dfa.Skip && !t.Emission(first).Escape && second.Boundary() && em.Lag == 1 && em.Open == 0:
		ends = second
	default:
		return r
	}
	em := t.Emission(ends)
	return turn{row: second.Row(), is: true, record: ends.Kind() == dfa.Record, class: em.Class, column: em.Column}
}

// fields is Table.Fields; ok is false if the value is left to that.
func (x *lexer) fields(value []byte, pieces []dfa.Piece, decoded []byte) (_ []dfa.Piece, _ []byte, ok bool) {
	n := len(value)
	if x.again--; x.again < 0 {
		clear(x.vain)
		x.again = triedAgain
	}
	places := x.find(value) // of special symbols, and n three times
	k := len(pieces)
	if cap(pieces)-k <= n {
		pieces = slices.Grow(pieces, n+1) // no symbol ends two fields
	}
	all := pieces[:cap(pieces)]
	t := x.table
	entries, careful, smooth, turns, number := t.Entries, x.careful, x.smooth, x.turns, &x.special.number
	row, column := t.Row(t.Start), int32(0)
	f := lexed{fromRow: row}
	j := 0
	for p := 0; p < n; {
		for int(places[j]) < p {
			j++
		}
		if q := int(places[j]); q > p && smooth[row>>8] {
			f.data(p)
			// Fields from start on, each up to a special symbol.
			for q < n && !f.copied {
				r := &turns[int(row>>8)*maxSpecial+int(number[value[q]])]
				after := int(places[j+1])
				if r.stays { // data like any other in this state
					j++
					q = after
					continue
				}
				if after == q+1 && after < n {
					behind := int(places[j+2])
					d := &x.doubles[x.double(int(row>>8), value[q], value[after])]
					if !d.is || behind == after+1 {
						break
					}
					if d.column != dfa.NextColumn {
						column = int32(d.column)
					}
					set(&all[k], column, d.class, f.start, q)
					k++
					if column++; d.record {
						column = 0
					}
					row = d.row
					f.begin(q+2, 0, q+1, q+1, d.between)
					j += 2
					q = behind
					continue
				}
				if !r.is || after == q+1 {
					break
				}
				if r.column != dfa.NextColumn {
					column = int32(r.column)
				}
				set(&all[k], column, r.class, f.start, q)
				k++
				if column++; r.record {
					column = 0
				}
				row = r.row
				f.begin(q+1, 0, q+1, q+2, row)
				j++
				q = after
			}
			if f.end = q; q == n {
				break
			}
			p = q
		}
		if x.vain[row>>8] < mostVain && n-p >= phraseSize {
			if ph := x.phraseAt(row, value[p:]); ph != nil {
				if ph.leads {
					f.data(p)
					f.end = p + 1
				}
				if ph.ends {
					at := p + int(ph.at)
					if ph.column != dfa.NextColumn {
						column = int32(ph.column)
					}
					decoded = x.piece(&all[k], column, ph.class, &f, value, at, at, decoded)
					k++
					f.begin(at+1, at+1, at+1, at+1, ph.behind)
					if column++; ph.record {
						column = 0
					}
				}
				row = ph.row
				p += int(ph.n)
				if ph.trails {
					f.data(p - 1)
					f.end = p
				}
				continue
			}
		}
		i := row | uint32(value[p])
		if careful[i] {
			return pieces, decoded, false
		}
		e := entries[i]
		row = e.Row()
		switch e.Kind() {
		case dfa.Data:
			f.data(p)
			f.copied = f.copied || e.Coded()
			if r := x.enclosing[row>>8]; r != nil && e != x.stays[row>>8] {
				if end, ok := x.enclosed(r, value, p+1); ok {
					p, row, f.end = end-1, r.after, end
					break
				}
			}
			for p+1 < n && entries[row|uint32(value[p+1])] == e { // and so on, as digits do
				p++
			}
			f.end = p + 1
		case dfa.Field, dfa.Record:
			em := t.Emission(e)
			if em.Column != dfa.NextColumn {
				column = int32(em.Column)
			}
			boundary := p - int(em.Lag)
			decoded = x.piece(&all[k], column, em.Class, &f, value, p, boundary, decoded)
			k++
			opens := em.Opens(p)
			f.begin(opens, p+1, opens, p+1, row)
			if column++; e.Kind() == dfa.Record {
				column = 0
			}
		}
		p++
	}
	em := t.EOF(dfa.StateID(row >> 8))
	if em.Kind != dfa.Record {
		return all[:k], decoded, em.Code == 0
	}
	if em.Code != 0 || em.Record != dfa.DataRecord {
		return pieces, decoded, false
	}
	if em.Column != dfa.NextColumn {
		column = int32(em.Column)
	}
	decoded = x.piece(&all[k], column, em.Class, &f, value, n, n-int(em.Lag), decoded)
	return all[:k+1], decoded, true
}

// lexed is the field being read: see dfa.Table.Fields.
type lexed struct {
	start, end   int // its data, if start < end
	copied       bool
	opened, from int
	fromRow      uint32
}

// data notes that symbols from p on are data.
func (f *lexed) data(p int) {
	if f.start == f.end {
		f.start = p
	} else if f.end != p {
		f.copied = true
	}
}

// begin begins another field. It and set write one by one what is read one by one soon after: what
// is written at once, by way of a copy, is waited for.
func (f *lexed) begin(start, end, opened, from int, fromRow uint32) {
	f.start, f.end, f.copied, f.opened, f.from, f.fromRow = start, end, false, opened, from, fromRow
}

func set(p *dfa.Piece, column int32, class uint8, start, end int) {
	p.Column, p.Class, p.Decoded, p.Start, p.End = column, class, false, uint32(start), uint32(end)
}

// piece makes to the field that ends at boundary, as symbol p tells.
func (x *lexer) piece(to *dfa.Piece, column int32, class uint8, f *lexed, value []byte, p, boundary int, decoded []byte) []byte {
	if !f.copied {
		end := min(f.end, boundary)
		set(to, column, class, min(f.start, end), end)
		return decoded
	}
	start := len(decoded)
	if f.opened < boundary {
		decoded = append(decoded, value[f.opened:min(f.from, boundary)]...)
	}
	row := f.fromRow
	for q := f.from; q < min(p, boundary); q++ {
		e := x.table.Entries[row|uint32(value[q])]
		if e.Kind() == dfa.Data {
			decoded = append(decoded, dfa.Decode(value, q, x.table.Emission(e)))
		}
		row = e.Row()
	}
	set(to, column, class, start, len(decoded))
	to.Decoded = true
	return decoded
}

// mark finds the special symbols of value, in masks.
func (x *lexer) mark(value []byte) {
	x.gaveUp = 0
	n := len(value)
	nblocks := (n + maskBlock - 1) / maskBlock
	if nblocks > cap(x.masks) {
		x.masks = make([]uint64, 2*nblocks)
	}
	x.masks = x.masks[:nblocks]
	if cap(value) >= nblocks*maskBlock {
		x.special.FindBlocks(x.masks, value[:nblocks*maskBlock])
		if rest := n % maskBlock; rest > 0 {
			x.masks[nblocks-1] &= 1<<rest - 1
		}
	} else {
		x.special.Find(x.masks, value)
	}
}

// find gives the places of the special symbols of value, in order, and then its
// length, three times.
func (x *lexer) find(value []byte) []uint32 {
	n := len(value)
	x.mark(value)
	if n+3 > len(x.places) {
		x.places = make([]uint32, 2*n+16)
	}
	k := 0
	for b, m := range x.masks {
		for ; m != 0; m &= m - 1 {
			x.places[k] = uint32(b*maskBlock + bits.TrailingZeros64(m))
			k++
		}
	}
	x.places[k], x.places[k+1], x.places[k+2] = uint32(n), uint32(n), uint32(n)
	return x.places[:k+3]
}
