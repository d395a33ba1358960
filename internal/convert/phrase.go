package convert

import (
	"encoding/binary"

	"github.com/dfaparse/dfaparse/dfa"
)

// phrase is what comes of up to four symbols in a state: those between two values of JSON are mostly
// the same. They end a field at most once, and do nothing else but that the first and the last one
// may be data.
//
//	"level": "warn", "n": 17}
//	      └─┬┘    └┬─┘
//
// A lexer keeps those that it met last.
type phrase struct {
	word, mask uint32 // the symbols, little-endian; mask 0: none
	n          uint8  // how many
	leads      bool   // the first is data
	trails     bool   // the last is data
	ends       bool   // the one at ends a field
	at         uint8
	record     bool // which ends its record
	class      uint8
	column     int16
	row        uint32 // after all
	behind     uint32 // after the one that ends a field
}

const (
	phraseSize    = 4
	mostVain      = 64 // more misses than hits
	phrasesAState = 3  // the long ones first: the symbols of a short one may go on as those of a long one
)

// phraseAt is the phrase of four symbols in the state of row, nil if there is none worth while.
// Where in a state there is rarely one, it is not asked for a while.
func (x *lexer) phraseAt(row uint32, symbols []byte) *phrase {
	word := binary.LittleEndian.Uint32(symbols)
	kept, vain := x.phrases[row>>8*phrasesAState:][:phrasesAState], &x.vain[row>>8]
	for i := range kept {
		if ph := &kept[i]; word&ph.mask == ph.word && ph.mask != 0 {
			*vain = max(*vain, 1) - 1
			return ph
		}
	}
	*vain++
	if e := x.table.Entries[row|word&0xff]; e.Kind() == dfa.Data && (!x.smooth[row>>8] || e.Row() == row) {
		return nil // within a value
	}
	ph := x.phraseOf(row, word)
	if ph.n < 2 {
		return nil
	}
	at := 0
	for at < phrasesAState-1 && kept[at].n > ph.n {
		at++
	}
	copy(kept[at+1:], kept[at:])
	kept[at] = ph
	return &kept[at]
}

// phraseOf is the longest phrase that begins with symbols of word and ends where a smooth state begins, or
// before a value in another state.
func (x *lexer) phraseOf(row, word uint32) (ph phrase) {
	ph.row = row
	for ph.n < phraseSize && (ph.n == 0 || !x.smooth[ph.row>>8]) {
		i := ph.row | word>>(8*ph.n)&0xff
		e := x.table.Entries[i]
		em := x.table.Emission(e)
		if x.careful[i] || e.Coded() {
			break
		}
		switch e.Kind() {
		case dfa.Data:
			if ph.n > 0 && !x.smooth[e.Next()] {
				return ph
			}
			ph.leads, ph.trails = ph.leads || ph.n == 0, ph.n > 0
		case dfa.Field, dfa.Record:
			if ph.ends || em.Lag != 0 || em.Open != 0 || em.Touch {
				return ph
			}
			ph.ends, ph.at, ph.record, ph.class, ph.column, ph.behind = true, ph.n, e.Kind() == dfa.Record, em.Class, em.Column, e.Row()
		}
		ph.row = e.Row()
		ph.mask |= 0xff << (8 * ph.n)
		ph.word = word & ph.mask
		ph.n++
	}
	return ph
}
