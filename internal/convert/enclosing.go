package convert

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// enclosing passes over values in brackets, of which an automaton only counts brackets that are in no string, with
// a state for each depth:
//
//	{"b": [1, "}"], "c": {}}
//	1     2      1       2 10
//
// Quotes and what does not leave the states are looked for 64 symbols at a time. What is an error, or deeper than
// the states are alike, is left to them.
type enclosing struct {
	quote, marks *symbols.Set
	outside      [256]enclosed // what a symbol does outside of strings
	inside       [256]bool     // symbols that are nothing but data in strings
	lead         int           // of escapes, -1: there are none
	escaped      [256]bool     // what may stand behind it
	deep         int           // how many brackets may be open
	after        uint32        // the row behind the last one
}

// enclosed is what a symbol does between brackets.
type enclosed uint8

const (
	isOdd enclosed = iota
	isInside
	isQuote
	isOpen
	isClose
)

// enclosingBlocks are looked at at once.
const enclosingBlocks = 4

// findEnclosing finds the states in which a value in brackets begins behind the first of them.
func (x *lexer) findEnclosing(plain []bool) {
	x.enclosing = make([]*enclosing, len(plain))
	deeper := make([]bool, len(plain)) // states of others
	for s := range plain {
		if plain[s] && !deeper[s] && !x.smooth[s] {
			x.enclosing[s] = x.enclosingAt(dfa.StateID(s), deeper)
		}
	}
}

// enclosingAt is nil if no such value begins in state s.
func (x *lexer) enclosingAt(s dfa.StateID, deeper []bool) *enclosing {
	t := x.table
	r := enclosing{lead: -1}
	in := dfa.StateID(0)
	var others []dfa.StateID // states behind brackets
	quotes := 0
	for c := range 256 {
		e := t.Entry(s, byte(c))
		next := e.Next()
		switch {
		case !isData(e, next):
		case next == s:
			r.outside[c] = isInside
		case x.smooth[next] && isData(t.Entry(next, byte(c)), s):
			r.outside[c], in = isQuote, next
			r.quote = symbols.NewSet(dfa.Bytes(byte(c)))
			quotes++
		default:
			k := 0
			for k < len(others) && others[k] != next {
				k++
			}
			if k == len(others) {
				others = append(others, next)
			}
			r.outside[c] = isOpen + enclosed(min(k, 2))
		}
	}
	if quotes != 1 || len(others) != 2 || !r.findStrings(t, in) {
		return nil
	}
	swapped := r
	for c, is := range r.outside {
		if is >= isOpen {
			swapped.outside[c] = isOpen + isClose - is
		}
	}
	if r.findDepths(x, s, in, others[0], others[1], deeper); r.deep < 2 {
		r = swapped
		if r.findDepths(x, s, in, others[1], others[0], deeper); r.deep < 2 {
			return nil
		}
	}
	var marks dfa.Set
	for c, is := range r.outside {
		if is != isInside && is != isQuote {
			marks = marks.Union(dfa.Bytes(byte(c)))
		}
	}
	r.marks = symbols.NewSet(marks)
	return &r
}

// findStrings finds what symbols do in strings, which are read in state in. It is false if there are too many kinds.
func (r *enclosing) findStrings(t *dfa.Table, in dfa.StateID) bool {
	for c := range 256 {
		e := t.Entry(in, byte(c))
		switch {
		case isData(e, in):
			r.inside[c] = true
		case r.outside[c] == isQuote || !isData(e, e.Next()):
		case r.lead >= 0:
			return false
		default:
			r.lead = c
			for d := range 256 {
				r.escaped[d] = isData(t.Entry(e.Next(), byte(d)), in)
			}
		}
	}
	return true
}

// findDepths finds how deep brackets nest in states that are alike, from s on, whose strings are read in state in:
// an opening bracket leads from there to open, a closing one to after.
func (r *enclosing) findDepths(x *lexer, s, in, open, after dfa.StateID, deeper []bool) {
	t := x.table
	r.after = t.Row(after)
	for back := after; r.deep <= len(deeper) && x.smooth[in] && r.alike(t, s, in, back); r.deep++ {
		deeper[s] = deeper[s] || r.deep > 0
		for c, is := range r.outside {
			if is == isOpen && !isData(t.Entry(s, byte(c)), open) {
				r.deep++
				return
			}
		}
		back, s = s, open
		for c, is := range r.outside {
			switch e := t.Entry(s, byte(c)); is {
			case isQuote:
				in = e.Next()
			case isOpen:
				open = e.Next()
			}
		}
	}
}

// alike reports whether in state s symbols but opening brackets do what r says, closing ones leading to back, as
// they do in strings, in state in.
func (r *enclosing) alike(t *dfa.Table, s, in, back dfa.StateID) bool {
	lead := t.Entry(in, byte(r.lead))
	if r.lead >= 0 && !isData(lead, lead.Next()) {
		return false
	}
	for c, is := range r.outside {
		e, ok := t.Entry(s, byte(c)), true
		switch is {
		case isInside:
			ok = isData(e, s)
		case isQuote:
			ok = isData(e, in) && isData(t.Entry(in, byte(c)), s)
		case isClose:
			ok = isData(e, back)
		}
		if !ok || r.inside[c] && !isData(t.Entry(in, byte(c)), in) || r.lead >= 0 && r.escaped[c] && !isData(t.Entry(lead.Next(), byte(c)), in) {
			return false
		}
	}
	return true
}

// enclosed is end of r, which is not asked again before the place where it gave up: behind each string in brackets is
// the state that they begin in, and from each it would go as far.
func (x *lexer) enclosed(r *enclosing, value []byte, p int) (end int, ok bool) {
	if p < x.gaveUp {
		return 0, false
	}
	if end, ok = r.end(x, value, p); !ok {
		x.gaveUp = end
	}
	return end, ok
}

// end is where a value ends of which value[p:] is what stands behind its first bracket, whose special symbols are
// marked. It is not ok if that is left to the automaton, at least up to end.
func (r *enclosing) end(x *lexer, value []byte, p int) (end int, ok bool) {
	n, memory := len(value), value[:cap(value)]
	var quotes, marks [enclosingBlocks]uint64
	depth, within, behindLead := 1, uint64(0), false
	known, from := 0, 0 // blocks whose masks are known end there, and begin here
	for b, off := p/maskBlock, p%maskBlock; b*maskBlock < n; b, off = b+1, 0 {
		if b >= known {
			from, known = b, min(b+enclosingBlocks, len(x.masks))
			if known*maskBlock > len(memory) {
				return b * maskBlock, false
			}
			r.quote.FindBlocks(quotes[:known-from], memory[from*maskBlock:])
			r.marks.FindBlocks(marks[:known-from], memory[from*maskBlock:])
		}
		have := ^uint64(0) << off
		if rest := n - b*maskBlock; rest < maskBlock {
			have &= 1<<rest - 1
		}
		q, events, odd := quotes[b-from]&have, marks[b-from]&have, uint64(0)
		if rare := x.masks[b] & have &^ q; rare != 0 || behindLead {
			q, odd, behindLead = r.escapes(value, b*maskBlock, q, rare, behindLead)
		}
		in := symbols.PrefixXor(q) ^ within
		within = uint64(int64(in) >> 63)
		for m := (events &^ in) | odd&in; m != 0; m &= m - 1 {
			at := b*maskBlock + bits.TrailingZeros64(m)
			switch is := r.outside[value[at]]; {
			case m&-m&odd&in != 0:
				return at, false
			case is == isClose:
				if depth--; depth == 0 {
					return at + 1, true
				}
			case is == isOpen && depth < r.deep:
				depth++
			default:
				return at, false
			}
		}
	}
	return n, false
}

// escapes takes those quotes out of a block of value that begins at base whose mask follows a lead, and finds odd symbols in
// strings.
func (r *enclosing) escapes(value []byte, base int, quotes, rare uint64, behindLead bool) (_, odd uint64, _ bool) {
	behind := func(i int) { // the symbol behind a lead
		bit := uint64(1) << i
		quotes, rare = quotes&^bit, rare&^bit
		if at := base + i; at < len(value) && !r.escaped[value[at]] {
			odd |= bit
		}
	}
	if behindLead {
		behind(0)
	}
	behindLead = false
	for rare != 0 {
		i := bits.TrailingZeros64(rare)
		rare &= rare - 1
		switch c := value[base+i]; {
		case int(c) != r.lead:
			if !r.inside[c] {
				odd |= 1 << i
			}
		case i == maskBlock-1:
			behindLead = true
		default:
			behind(i + 1)
		}
	}
	return quotes, odd, behindLead
}
