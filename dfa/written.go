package dfa

import "strings"

// Written is how a field was written in which something was escaped: what lies
// between the symbols that enclose it, escapes as they stand. Those symbols are no
// part of it, and neither is the first of two quotes that are one: doubling belongs
// to the enclosure. Of \x2d,a under an escape that \ leads:
//
//	text   \x2d,a
//	value  -,a
//	end    4 5 6
//
// What a field means is found there, null tokens, and the separators, signs and
// quotes of a value that is taken apart: they are not what was escaped.
type Written struct {
	Text []byte
	End  []uint32 // per byte of the value: after what was written for it, in Text
}

// Begin is where in Text begins what was written for byte i of value.
func (w *Written) Begin(i int) int {
	if i == 0 {
		return 0
	}
	return int(w.End[i-1])
}

// Escaped reports whether byte i of value was escaped.
func (w *Written) Escaped(value []byte, i int) bool {
	from := w.Begin(i)
	return int(w.End[i]) != from+1 || w.Text[from] != value[i]
}

// Of is what was written for value[from:to], up to the end of the field if to is
// the value's.
func (w *Written) Of(from, to int) []byte {
	end := len(w.Text)
	if to < len(w.End) {
		end = w.Begin(to)
	}
	return w.Text[w.Begin(from):end]
}

// Kept is an escape of which a field keeps the lead in pairs that decode to nothing else: they
// stand for themselves, both symbols. An automaton delivers a symbol at most for each that it
// reads, so it says that such a lead is skipped, and Restore puts it back.
type Kept struct {
	Lead   byte
	Itself string // symbols that after the lead stand for themselves alone, sorted
}

// Restore is value and w with such leads; it shares memory with neither where it differs. k may
// be nil.
func (k *Kept) Restore(value []byte, w *Written) ([]byte, *Written) {
	if k == nil || len(w.Text) == 0 {
		return value, w
	}
	out := &Written{Text: w.Text}
	var whole []byte
	for i, b := range value {
		if from := w.Begin(i); int(w.End[i]) == from+2 && w.Text[from] == k.Lead && w.Text[from+1] == b && strings.IndexByte(k.Itself, b) < 0 {
			whole = append(whole, k.Lead)
			out.End = append(out.End, uint32(from+1))
		}
		whole = append(whole, b)
		out.End = append(out.End, w.End[i])
	}
	if len(whole) == len(value) {
		return value, w
	}
	return whole, out
}

// Slice is w for value[from:to]. It shares no memory with w.End.
func (w *Written) Slice(from, to int) *Written {
	begin := w.Begin(from)
	part := &Written{Text: w.Of(from, to)}
	for _, end := range w.End[from:to] {
		part.End = append(part.End, end-uint32(begin))
	}
	return part
}
