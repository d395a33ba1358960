package convert

import "github.com/dfaparse/dfaparse/dfa"

// PairSigns are the symbols that tell the keys and values of maps apart, where a pairing or a nesting finds them.
type PairSigns struct {
	Nested bool      // of maps of maps
	Signs  [6]byte   // separator, key's end, quote, lead of escapes, and, if nested, what ends a map, and what begins one
	Quotes bool      // there are quotes
	Leads  bool      // there are leads
	Barred bool      // what ends a map is an error in a value
	Itself [256]bool // a symbol stands for itself behind a lead
}

// PairSignsOf finds those of maps of type t; false: there are none, or not of single symbols, which are ASCII.
func PairSignsOf(t *dfa.Type) (signs PairSigns, ok bool) {
	levels, _ := MapShape(t)
	var p *pairing
	switch levels {
	case 1:
		if p = newPairing(t.Lex.Table()); p == nil || p.two || p.around[0] != 0 {
			return signs, false
		}
	case 2:
		x := newNesting(t.Lex.Table())
		if x == nil {
			return signs, false
		}
		p, signs.Nested, signs.Barred = &x.pairing, true, x.barred != 0
	default:
		return signs, false
	}
	for i, sign := range p.signs {
		if p.have[i] != 0 && sign >= 0x80 {
			return signs, false
		}
	}
	signs.Signs, signs.Itself = p.signs, p.itself
	signs.Quotes, signs.Leads = p.have[signQuote] != 0, p.have[signLead] != 0
	return signs, true
}
