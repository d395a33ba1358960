package convert

import (
	"encoding/binary"
	"math/bits"
)

// trimmed is f without the blanks around its fields but literals, in memory of c's.
func (c *Converter) trimmed(f *Fields) *Fields {
	t := &c.cut
	if n := f.Len(); cap(t.Start) < n {
		t.Start, t.End = make([]uint32, n), make([]uint32, n)
	}
	t.Src, t.Decoded, t.Start, t.End = f.Src, f.Decoded, t.Start[:f.Len()], t.End[:f.Len()]
	ends, src := f.End[:len(f.Start)], f.Src
	starts, cuts := t.Start[:len(f.Start)], t.End[:len(f.Start)]
	for i := 0; i < len(starts); i++ {
		if i += trimRows(src, f.Start[i:], ends[i:], starts[i:], cuts[i:]); i == len(starts) {
			break
		}
		for ; i < len(starts)-1 && f.Start[i] == Absent; i++ { // in some rows of many shapes most are
			starts[i], cuts[i] = Absent, ends[i]
		}
		s, e := f.Start[i], ends[i]
		switch {
		case s >= InDecoded:
			if s != Absent {
				s, e = trim(f.Decoded, s&^InDecoded, e)
				s |= InDecoded
			}
		case s < e && src[s] > ' ' && src[e-1] > ' ':
		default:
			s, e = trim(src, s, e)
		}
		starts[i], cuts[i] = s, e
	}
	t.Literal = t.Literal[:0]
	for _, l := range f.Literal { // the last may be of a record that is left out
		if int(l.Row) < len(starts) && f.Start[l.Row] == l.Start {
			starts[l.Row], cuts[l.Row] = l.Start, ends[l.Row]
			t.Literal = append(t.Literal, l)
		}
	}
	return t
}

// trim cuts blanks off b[s:e], as trimBlanks does.
func trim(b []byte, s, e uint32) (uint32, uint32) {
	field := b[s:e]
	for len(field) >= 8 {
		if text := notBlank(binary.LittleEndian.Uint64(field[len(field)-8:])); text != 0 {
			field = field[:len(field)-bits.LeadingZeros64(text)/8]
			break
		}
		field = field[:len(field)-8]
	}
	for len(field) >= 8 {
		if text := notBlank(binary.LittleEndian.Uint64(field)); text != 0 {
			n := bits.TrailingZeros64(text) / 8
			s, field = s+uint32(n), field[n:]
			break
		}
		s, field = s+8, field[8:]
	}
	e = s + uint32(len(field))
	for s < e && blank(b[e-1]) {
		e--
	}
	for s < e && blank(b[s]) {
		s++
	}
	return s, e
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// notBlank has the top bit of each byte of x that is neither a space nor a tab.
func notBlank(x uint64) uint64 {
	const ones, low, top = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	space, tab := x^ones*' ', x^ones*'\t'
	return ((space & low) + low | space) & ((tab & low) + low | tab) & top
}
