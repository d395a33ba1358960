package dfa

import "bytes"

// An automaton reads a value from its beginning, and where some values end is known only by what
// comes later. Of host:port the last colon counts, which is looked for from the end. Of pairs that
// end before a key a pass over the value finds which of its symbols mean something, and all others
// are to the automaton no more than data, as if they had been escaped:
//
//	a=x y b=1
//	 .   . .      what means something

// KeyAhead says that pairs of a Map end before a key only, whatever their values hold.
type KeyAhead struct {
	Pair, Sign byte // what stands between pairs, and behind keys
	Run        bool // Pair may be repeated
	Lead       byte // of escapes: the symbol behind it means nothing; 0: there are none
}

// opaque says of each symbol of value, which was written as w, whether it means nothing,
// in memory of buffer.
func (k *KeyAhead) opaque(value []byte, w *Written, buffer []bool) []bool {
	o := buffer[:0]
	escaped := false
	key := 0 // where the key would begin whose sign came next, -1: there can be none
	for i, c := range value {
		own := !escaped && (w == nil || !w.Escaped(value, i))
		escaped = own && k.Lead != 0 && c == k.Lead
		o = append(o, own && (c == k.Pair || c == k.Sign))
		switch {
		case own && c == k.Pair:
			key = i + 1
		case own && c == k.Sign:
			if key >= 0 && key < i {
				o[i] = false
				for b := key - 1; b >= 0 && o[b] && value[b] == k.Pair; b-- { // between pairs, if a value was before
					if o[b] = false; !k.Run {
						break
					}
				}
			}
			key = -1
		case !own || !OfKey(c):
			key = -1
		}
	}
	if k.Run { // before the first key, and after the last value
		for i := 0; i < len(o) && o[i] && value[i] == k.Pair; i++ {
			o[i] = false
		}
		for i := len(o) - 1; i >= 0 && o[i] && value[i] == k.Pair; i-- {
			o[i] = false
		}
	}
	return o
}

// OfKey reports whether keys may have the symbol.
func OfKey(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '.' || c == '-' || c == '[' || c == ']'
}

// Opaque says of each symbol of a value of the Map, which was written as w, whether it means
// nothing to Lex, in memory of buffer; nil if all mean what they are.
func (t *Type) Opaque(value []byte, w *Written, buffer []bool) []bool {
	if t.Ahead == nil {
		return nil
	}
	return t.Ahead.opaque(value, w, buffer)
}

// PiecesFromEnd appends the parts of a value, which was written as w, where its texts are
// looked for from the end. It is false where these are not there.
func (s *Split) PiecesFromEnd(value []byte, w *Written, pieces []Piece) ([]Piece, bool) {
	n := len(s.FromEnd) - 1
	first, last := s.FromEnd[0], s.FromEnd[n]
	end := len(value) - len(last)
	if end < len(first) || !isAt(value, 0, first, w) || !isAt(value, end, last, w) {
		return pieces, false
	}
	at := len(pieces)
	for range n {
		pieces = append(pieces, Piece{})
	}
	for k := n - 1; k >= 0; k-- {
		from := len(first)
		if k > 0 {
			from = lastAt(value[:end], len(first), s.FromEnd[k], w)
			if from < 0 {
				return pieces[:at], false
			}
		}
		start := from
		if k > 0 {
			start += len(s.FromEnd[k])
		}
		pieces[at+k] = Piece{Column: int32(k), Start: uint32(start), End: uint32(end)}
		end = from
	}
	return pieces, true
}

// lastAt is where text stands last in value, from byte from on, and nothing of it was escaped;
// -1 if it does not.
func lastAt(value []byte, from int, text string, w *Written) int {
	for end := len(value); ; {
		at := bytes.LastIndex(value[from:end], []byte(text))
		if at < 0 || isAt(value, from+at, text, w) {
			if at >= 0 {
				at += from
			}
			return at
		}
		end = from + at + len(text) - 1
	}
}

// isAt reports whether text stands at byte at of value, and none of it was escaped.
func isAt(value []byte, at int, text string, w *Written) bool {
	if at < 0 || at+len(text) > len(value) || string(value[at:at+len(text)]) != text {
		return false
	}
	for i := at; w != nil && i < at+len(text); i++ {
		if w.Escaped(value, i) {
			return false
		}
	}
	return true
}
