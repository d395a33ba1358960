package convert

import (
	"fmt"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// directives are those that stand for a part of a time; the package
// documentation says which.
const directives = "YymbBdejaAHIpMSfLszZ"

// unpadded are the numbers that may be written %-d: without leading zeros, or with
// them. These are never full. %-L is a directive of its own, a number of milliseconds.
const (
	unpadded       = "mdjHIMSL"
	unpaddedMillis = 'l'
)

// composed are the directives that stand for others.
var composed = map[byte]string{
	'F': "%Y-%m-%d", 'T': "%H:%M:%S", 'D': "%m/%d/%y", 'R': "%H:%M",
}

// op is one step of a layout: a directive, or text that has to be there.
type op struct {
	directive byte       // 0: text
	bare      bool       // written %-d
	words     []timeName // it reads one of these, nil: what it usually does
	// full: a digit may stand beside the number, which therefore has all of its
	// digits. Others may come without leading zeros.
	full bool
	text string
}

// layout is a compiled layout.
type layout struct {
	ops   []op
	steps []step    // of ops
	has   [128]bool // directives that occur
	// canonical is the layout with composed directives written out.
	canonical string
}

func compileLayout(s string) (*layout, error) {
	l := &layout{}
	err := l.compile(s)
	if err == nil {
		err = l.delimit()
	}
	if err != nil {
		return nil, fmt.Errorf("layout %q: %w", s, err)
	}
	l.steps = stepsOf(l.ops)
	return l, nil
}

// layoutOf is the compiled Layout of t, with the names that t has.
func layoutOf(t *dfa.Type) (*layout, error) {
	l, err := compileLayout(t.Layout)
	if err != nil || t.Names.None() {
		return l, err
	}
	for i := range l.ops {
		o := &l.ops[i]
		if o.words = wordsOf(&t.Names, o.directive); o.words != nil {
			l.canonical = "" // no layout that is usual
		}
	}
	l.steps = stepsOf(l.ops)
	return l, nil
}

// What may have a digit in front, and at the end.
const (
	digitFirst = "YymdejHIMSfLls"
	digitLast  = "YymdejHIMSfLlsz"
)

// delimit finds the numbers that stand beside digits. One whose digits are not
// counted cannot stand before one.
func (l *layout) delimit() error {
	for i := range l.ops {
		o := &l.ops[i]
		after := i+1 < len(l.ops) && l.ops[i+1].begins(digitFirst)
		if after && (o.directive == 'f' || o.directive == 's' || o.directive == 'z') {
			return fmt.Errorf("nothing says where %%%c ends: a digit may come next", o.directive)
		}
		o.full = after || i > 0 && l.ops[i-1].ends(digitLast)
		if o.full && o.bare {
			return fmt.Errorf("nothing says where %%-%c begins or ends: it stands beside a digit", o.directive)
		}
	}
	return nil
}

// begins reports whether the first symbol may be a digit; digits are the
// directives of which it may be.
func (o *op) begins(digits string) bool {
	if o.directive == 0 {
		return o.text[0]-'0' <= 9
	}
	return strings.IndexByte(digits, o.directive) >= 0
}

// ends is begins of the last symbol.
func (o *op) ends(digits string) bool {
	if o.directive == 0 {
		return o.text[len(o.text)-1]-'0' <= 9
	}
	return strings.IndexByte(digits, o.directive) >= 0
}

func (l *layout) compile(s string) error {
	for s != "" {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			i = len(s)
		}
		l.literal(s[:i])
		if s = s[i:]; s == "" {
			return nil
		}
		if len(s) < 2 {
			return fmt.Errorf("a %% at the end")
		}
		d := s[1]
		s = s[2:]
		switch d {
		case '%':
			l.literal("%")
		case 'n':
			l.literal("\n")
		case 't':
			l.literal("\t")
		case 'F', 'T', 'D', 'R':
			if err := l.compile(composed[d]); err != nil {
				return err
			}
		case '-':
			if s == "" || strings.IndexByte(unpadded, s[0]) < 0 {
				return fmt.Errorf("unknown directive %%-%.1s", s)
			}
			if d, s = s[0], s[1:]; d == 'L' {
				d = unpaddedMillis
			}
			l.ops = append(l.ops, op{directive: d, bare: true})
			l.has[d] = true
			l.canonical += "%" + string(d)
		default:
			if strings.IndexByte(directives, d) < 0 {
				return fmt.Errorf("unknown directive %%%c", d)
			}
			l.ops = append(l.ops, op{directive: d})
			l.has[d] = true
			l.canonical += "%" + string(d)
		}
	}
	return nil
}

func (l *layout) literal(s string) {
	if s == "" {
		return
	}
	l.canonical += s
	if n := len(l.ops); n > 0 && l.ops[n-1].directive == 0 {
		l.ops[n-1].text += s
		return
	}
	l.ops = append(l.ops, op{text: s})
}

// hasAny reports whether a directive of the set occurs.
func (l *layout) hasAny(set string) bool {
	for i := range len(set) {
		if l.has[set[i]] {
			return true
		}
	}
	return false
}

// layoutHasOffset reports whether fields in the layout say which instant they
// mean.
func layoutHasOffset(s string) bool {
	l, err := compileLayout(s)
	return err == nil && l.hasAny("zZs")
}

// read reads as many of the layout's ops as b has, and gives what is left.
func (l *layout) read(b []byte, m *moment) (nops int, rest []byte) {
	for i := range l.ops {
		o := &l.ops[i]
		if o.directive == 0 {
			if len(b) < len(o.text) || string(b[:len(o.text)]) != o.text {
				return i, b
			}
			b = b[len(o.text):]
			continue
		}
		after, ok := o.read(m, b)
		if !ok {
			return i, b
		}
		b = after
	}
	return len(l.ops), b
}

// read takes what o reads from the front of b.
func (o *op) read(m *moment, b []byte) (rest []byte, ok bool) {
	if o.words != nil {
		return m.readWord(o, b)
	}
	return m.read(o.directive, o.full, b)
}

// read takes what a directive means from the front of b; full: a number has all
// of its digits.
func (m *moment) read(directive byte, full bool, b []byte) (rest []byte, ok bool) {
	least, leastOfYear := 1, 1
	if full {
		least, leastOfYear = 2, 3
	}
	switch directive {
	case 'Y':
		m.year, b, ok = number(b, 4, 4)
	case 'y':
		if m.year, b, ok = number(b, 2, 2); m.year < 69 {
			m.year += 100
		}
		m.year += 1900
	case 'm':
		m.month, b, ok = number(b, least, 2)
	case 'b':
		m.month, b, ok = name(b, monthNames[:], false)
	case 'B':
		m.month, b, ok = name(b, monthNames[:], true)
	case 'a':
		_, b, ok = name(b, dayNames[:], false)
	case 'A':
		_, b, ok = name(b, dayNames[:], true)
	case 'e':
		if len(b) > 1 && b[0] == ' ' {
			m.day, b, ok = number(b[1:], 1, 1)
			break
		}
		fallthrough
	case 'd':
		m.day, b, ok = number(b, least, 2)
	case 'j':
		m.yearDay, b, ok = number(b, leastOfYear, 3)
	case 'H', 'I':
		m.hour, b, ok = number(b, least, 2)
	case 'p':
		m.half, b, ok = half(b)
	case 'M':
		m.minute, b, ok = number(b, least, 2)
	case 'S':
		m.second, b, ok = number(b, least, 2)
	case 'f':
		return m.fraction(b, 9)
	case 'L':
		m.nanos, b, ok = number(b, 3, 3)
		m.nanos *= 1e6
	case unpaddedMillis:
		m.nanos, b, ok = number(b, 1, 3)
		m.nanos *= 1e6
	case 's':
		return m.readEpoch(b)
	case 'z':
		return m.readOffset(b)
	case 'Z':
		return m.readZoneName(b)
	}
	return b, ok
}

// number reads lo to hi digits, as many as there are.
func number(b []byte, lo, hi int) (v int, rest []byte, ok bool) {
	n := 0
	for n < hi && n < len(b) {
		d := b[n] - '0'
		if d > 9 {
			break
		}
		v = v*10 + int(d)
		n++
	}
	return v, b[n:], n >= lo
}

var monthNames = [...]string{"january", "february", "march", "april", "may", "june", "july",
	"august", "september", "october", "november", "december"}

var dayNames = [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// name reads one of names, from 1, in any case: its first three letters, or
// all of them if whole.
func name(b []byte, names []string, whole bool) (i int, rest []byte, ok bool) {
	if len(b) < 3 {
		return 0, b, false
	}
	const lower = 0x20 | 0x20<<8 | 0x20<<16
	key := (uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16) | lower
	for i, s := range names {
		if key != uint32(s[0])|uint32(s[1])<<8|uint32(s[2])<<16 || !equalFold(b[:3], s[:3]) {
			continue
		}
		n := 3
		if whole {
			n = len(s)
		}
		if len(b) < n || !equalFold(b[:n], s[:n]) {
			return 0, b, false
		}
		return i + 1, b[n:], true
	}
	return 0, b, false
}

func half(b []byte) (h int8, rest []byte, ok bool) {
	if len(b) < 2 || b[1]|0x20 != 'm' {
		return 0, b, false
	}
	switch b[0] | 0x20 {
	case 'a':
		return 1, b[2:], true
	case 'p':
		return 2, b[2:], true
	}
	return 0, b, false
}

// fraction reads 1 to most digits after the decimal point of a second.
func (m *moment) fraction(b []byte, most int) (rest []byte, ok bool) {
	n := 0
	m.nanos = 0
	for n < most && n < len(b) && b[n]-'0' <= 9 {
		if n < 9 {
			m.nanos = m.nanos*10 + int(b[n]-'0')
		} else if b[n] != '0' {
			m.finer = true
		}
		n++
	}
	for k := n; k < 9; k++ {
		m.nanos *= 10
	}
	return b[n:], n > 0
}

func (m *moment) readEpoch(b []byte) (rest []byte, ok bool) {
	if m.before = len(b) > 0 && b[0] == '-'; m.before {
		b = b[1:]
	}
	n := 0
	m.epoch = 0
	for n < len(b) && b[n]-'0' <= 9 {
		if m.epoch < 1<<50 { // beyond what a year of 4 digits needs
			m.epoch = m.epoch*10 + int64(b[n]-'0')
		}
		n++
	}
	if m.before {
		m.epoch = -m.epoch
	}
	m.hasEpoch = true
	return b[n:], n > 0
}

// readOffset reads +hh:mm, +hhmm, +hh or Z.
func (m *moment) readOffset(b []byte) (rest []byte, ok bool) {
	m.hasOffset = true
	if len(b) == 0 {
		return b, false
	}
	switch b[0] {
	case 'Z', 'z':
		m.offset = 0
		return b[1:], true
	case '+', '-':
	default:
		return b, false
	}
	h, rest, ok := number(b[1:], 2, 2)
	if !ok {
		return b, false
	}
	minutes := 0
	if len(rest) > 2 && rest[0] == ':' {
		if v, after, ok := number(rest[1:], 2, 2); ok {
			minutes, rest = v, after
		}
	} else if v, after, ok := number(rest, 2, 2); ok {
		minutes, rest = v, after
	}
	m.offset = h*3600 + minutes*60
	if b[0] == '-' {
		m.offset = -m.offset
	}
	return rest, h < 24 && minutes < 60
}

func (m *moment) readZoneName(b []byte) (rest []byte, ok bool) {
	m.hasOffset, m.offset = true, 0
	if len(b) >= 3 && (equalFold(b[:3], "utc") || equalFold(b[:3], "gmt")) {
		return b[3:], true
	}
	if len(b) > 0 && b[0]|0x20 == 'z' {
		return b[1:], true
	}
	return b, false
}
