package convert

import "unsafe"

// step is one op of a layout as parse takes it: numbers of one or two digits, years, text of one symbol and
// short names of months without a call, all else as the op reads it.
type step struct {
	kind   stepKind
	symbol byte
	full   bool    // the number has two digits
	number uintptr // where in a moment it is
	op     *op
}

type stepKind uint8

const (
	opStep stepKind = iota
	symbolStep
	numberStep
	yearStep
	monthStep
)

// stepsOf are the steps of ops.
func stepsOf(ops []op) (steps []step) {
	for i := range ops {
		o := &ops[i]
		s := step{op: o, full: o.full, kind: numberStep}
		switch {
		case o.words != nil:
			s.kind = opStep
		case o.directive == 0 && len(o.text) == 1:
			s.kind, s.symbol = symbolStep, o.text[0]
		case o.directive == 'Y':
			s.kind = yearStep
		case o.directive == 'b':
			s.kind = monthStep
		case o.directive == 'm':
			s.number = unsafe.Offsetof(moment{}.month)
		case o.directive == 'd':
			s.number = unsafe.Offsetof(moment{}.day)
		case o.directive == 'H' || o.directive == 'I':
			s.number = unsafe.Offsetof(moment{}.hour)
		case o.directive == 'M':
			s.number = unsafe.Offsetof(moment{}.minute)
		case o.directive == 'S':
			s.number = unsafe.Offsetof(moment{}.second)
		default:
			s.kind = opStep
		}
		steps = append(steps, s)
	}
	return steps
}

// parse reads b, all of it. It is false if b is not in the layout.
func (l *layout) parse(b []byte, m *moment) bool {
	for i := range l.steps {
		s := &l.steps[i]
		if len(b) == 0 {
			return false // nothing reads nothing
		}
		first := b[0] - '0'
		switch s.kind {
		case symbolStep:
			if b[0] != s.symbol {
				return false
			}
			b = b[1:]
		case numberStep:
			if first > 9 {
				return false
			}
			n, v := 1, int(first)
			if len(b) > 1 && b[1]-'0' <= 9 {
				n, v = 2, 10*v+int(b[1]-'0')
			} else if s.full {
				return false
			}
			*(*int)(unsafe.Add(unsafe.Pointer(m), s.number)) = v
			b = b[n:]
		case yearStep:
			if len(b) < 4 {
				return false
			}
			second, third, fourth := b[1]-'0', b[2]-'0', b[3]-'0'
			if first > 9 || second > 9 || third > 9 || fourth > 9 {
				return false
			}
			m.year = 1000*int(first) + 100*int(second) + 10*int(third) + int(fourth)
			b = b[4:]
		case monthStep:
			if len(b) < 3 {
				return false
			}
			if m.month = shortMonth(b); m.month == 0 {
				return false
			}
			b = b[3:]
		default:
			o := s.op
			if o.directive == 0 {
				if len(b) < len(o.text) || string(b[:len(o.text)]) != o.text {
					return false
				}
				b = b[len(o.text):]
				continue
			}
			var ok bool
			if b, ok = o.read(m, b); !ok {
				return false
			}
		}
	}
	return len(b) == 0
}

// shortMonths has months by three letters in any case: see shortMonth.
var shortMonths, monthFactor = func() (t [64]struct{ letters, month uint32 }, factor uint32) {
next:
	for factor = 1; ; factor += 2 {
		clear(t[:])
		for i, name := range monthNames {
			letters := uint32(name[0]) | uint32(name[1])<<8 | uint32(name[2])<<16
			at := letters * factor >> 26
			if t[at].month != 0 {
				continue next
			}
			t[at].letters, t[at].month = letters, uint32(i+1)
		}
		return t, factor
	}
}()

// shortMonth is the month whose name in three letters b begins with, 0 if it does with none.
func shortMonth(b []byte) int {
	letters := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | 0x202020
	if m := &shortMonths[letters*monthFactor>>26]; m.letters == letters {
		return int(m.month) // only a letter becomes a small one
	}
	return 0
}
