package cpu

import (
	"maps"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// role is what a symbol may be to a marker. The sets are those of dfa.Masks.
type role uint8

const (
	fieldRole role = iota
	recordRole
	returnRole
	oddRole
	oddFirstRole
	oddNextRole
	quoteRole
	oddQuotedRole
	openRole
	closeRole
	oddBracketedRole
	leadRole
	nroles
)

// roles is the sets of symbols that a marker looks for, also as the vector code
// looks them up: each symbol has a byte, the AND of a byte for its low nibble and
// one for its high nibble, and is in the set of a role if it has one of its bits.
//
//	bit    7 … 0
//	       symbols l+16·h, for the l and h of the bit
type roles struct {
	low, high [16]byte
	bits      [16]byte // by role
	nibble    byte     // 0x0F
	_         [15]byte
	wide      [nroles][32]byte // of bits, each 32 times

	sets    [nroles]dfa.Set
	masks   *dfa.Masks
	runs    *dfa.Runs // of which masks are, nil if there are none
	quote   bool
	bracket bool
	leading bool          // there is a lead
	lead    byte          // it, if so
	wrong   [256]ledField // by symbol behind it
	vectors bool          // eight bits are enough

	symbolClasses []symbolClass // as code in Go looks for them

	// classes has the bytes of the symbols below 127, if the others are all as 127
	// is: few reports whether they are.
	classes [128]byte
	few     bool

	// Where records that begin with one of OddFirst are passed over, these are the same but for blank lines, of which
	// nothing is odd: they are records of one field. Nil if there are no such lines.
	blankless *roles
}

func newRoles(m *dfa.Masks) *roles {
	r := rolesFor(m)
	if first := m.OddFirst.Minus(m.Records.Union(m.Return)); m.Passes && first != m.OddFirst {
		others := *m
		others.OddFirst = first
		if of := rolesFor(&others); of.vectors {
			r.blankless = of
		}
	}
	return r
}

// rolesFor is newRoles without blankless.
func rolesFor(m *dfa.Masks) *roles {
	r := &roles{nibble: 0x0F, masks: m}
	r.sets = [nroles]dfa.Set{fieldRole: m.Fields, recordRole: m.Records, returnRole: m.Return,
		oddRole: m.Odd, oddFirstRole: m.OddFirst, oddNextRole: m.OddNext}
	if q := m.Quote; q != nil {
		r.quote, r.sets[quoteRole], r.sets[oddQuotedRole] = true, dfa.Bytes(q.Open), q.Odd
	}
	if b := m.Bracket; b != nil {
		r.bracket = true
		r.sets[openRole], r.sets[closeRole], r.sets[oddBracketedRole] = dfa.Bytes(b.Open), dfa.Bytes(b.Close), b.Odd
	}
	r.findLead()
	r.symbolClasses = r.findClasses()
	r.vectors = r.assign()
	for i, b := range r.bits[:nroles] {
		for j := range r.wide[i] {
			r.wide[i][j] = b
		}
	}
	r.few = true
	for symbol := range 256 {
		class := r.low[symbol&15] & r.high[symbol>>4]
		if symbol < len(r.classes) {
			r.classes[symbol] = class
		}
		r.few = r.few && (symbol < len(r.classes) || class == r.classes[len(r.classes)-1])
	}
	return r
}

// findLead finds the lead, and what behind it is no escape.
func (r *roles) findLead() {
	r.sets[leadRole] = r.masks.Lead
	for symbol := range 256 {
		if r.masks.Lead.Has(byte(symbol)) {
			r.leading, r.lead = true, byte(symbol)
		}
		if r.masks.Led == nil || r.masks.Led[symbol] < 0 {
			r.wrong[symbol] |= wrongBare
		}
		if q := r.masks.Quote; q == nil || q.Led == nil || q.Led[symbol] < 0 {
			r.wrong[symbol] |= wrongQuoted
		}
	}
}

// assign gives bits to the symbols: one to those of the same roles that are all
// combinations of some low nibbles and some high ones. It reports whether there
// are bits enough.
func (r *roles) assign() bool {
	type product struct {
		roles uint16
		low   uint16 // the low nibbles, as bits
	}
	bit := map[product]int{}
	for h := range 16 {
		row := map[uint16]uint16{} // roles -> low nibbles
		for l := range 16 {
			if of := r.of(byte(h<<4 | l)); of != 0 {
				row[of] |= 1 << l
			}
		}
		for of, low := range row {
			p := product{of, low}
			b, ok := bit[p]
			if !ok {
				if b = len(bit); b == 8 {
					return false
				}
				bit[p] = b
				for l := range 16 {
					r.low[l] |= byte(low>>l&1) << b
				}
				for i := range nroles {
					r.bits[i] |= byte(of>>i&1) << b
				}
			}
			r.high[h] |= 1 << b
		}
	}
	return true
}

// findClasses gives the symbols that have roles, each class once.
func (r *roles) findClasses() (classes []symbolClass) {
	sets := map[uint16]dfa.Set{}
	for symbol := range 256 {
		if of := r.of(byte(symbol)); of != 0 {
			sets[of] = sets[of].Union(dfa.Bytes(byte(symbol)))
		}
	}
	for _, of := range slices.Sorted(maps.Keys(sets)) {
		classes = append(classes, symbolClass{of, symbols.NewWords(sets[of])})
	}
	return classes
}

// of is the roles of a symbol, as bits.
func (r *roles) of(symbol byte) (of uint16) {
	for i, set := range r.sets {
		if set.Has(symbol) {
			of |= 1 << i
		}
	}
	return of
}
