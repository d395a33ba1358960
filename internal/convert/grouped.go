package convert

import (
	"encoding/binary"
	"math/bits"
)

// grouped copies the fields of a column without the separators of thousands, for the loops and kernels that know none.
// It does so while enough rows have some.
//
//	symbols      - 1 . 2 3 4 , 5
//	digits       0 1 0 1 1 1 0 1
//	separators   0 0 1 0 0 0 0 0    between two digits each,
//	others       0 0 0 0 0 0 1 0    and before all of these; a sign in front is none
type grouped struct {
	separators uint64 // eight
	rows       int    // of the last round,
	some       int    // and those of them that have separators, or that parse has read
	bare       Fields
}

const (
	mostGrouped = 24 // symbols of a field that is copied
	fewGrouped  = 16 // fields are copied after a round where more than one in so many has separators
)

// group makes the loops of p read numbers with separators of thousands.
func (p *fixed[T]) group(separator byte, opt Options) {
	if separator != 0 && opt.Look == nil { // who looks is to see them
		p.grouped = &grouped{separators: uint64(separator) * eachByte}
	}
}

// without is f, or the fields of f without separators. Of these, those that are left to parse are absent.
func (g *grouped) without(f *Fields) *Fields {
	copied := g.some*fewGrouped > g.rows
	g.some, g.rows = 0, f.Len()
	if !copied {
		return f
	}
	g.copy(f)
	return &g.bare
}

func (g *grouped) copy(f *Fields) {
	n, b := f.Len(), &g.bare
	if n > cap(b.Start) {
		*b = Fields{Src: make([]byte, n*mostGrouped+2*fewestBytes), Start: make([]uint32, n), End: make([]uint32, n)}
	}
	starts, ends := b.Start[:n], b.End[:n]
	b.Start, b.End = starts, ends
	src, at := eights{f.Src}, uint32(fewestBytes)
	for i, s := range f.Start {
		n := f.End[i] - s
		starts[i], ends[i] = Absent, 0
		if n-1 >= mostGrouped || !src.has(s) || !src.has(s+mostGrouped-8) { // nor is what is not in Src, which starts beyond its end
			continue
		}
		// Whether they are more than eight is no branch, as lengths differ.
		first, second, third := src.at(s), src.at(s+8), uint64(0)
		digits := digitsOf(first) | digitsOf(second)<<8
		inFirst, inSecond, inThird := zerosOf(first^g.separators), zerosOf(second^g.separators), uint64(0)
		separators := maskOf(inFirst) | maskOf(inSecond)<<8
		if n > 16 {
			third = src.at(s + 16)
			inThird = zerosOf(third ^ g.separators)
			digits |= digitsOf(third) << 16
			separators |= maskOf(inThird) << 16
		}
		inside := uint64(1)<<n - 1
		digits, separators = digits&inside, separators&inside
		others := inside &^ (separators | digits)
		if byte(first) == '-' {
			others &^= 1
		}
		if separators&^(digits<<1&(digits>>1)&(others-1)&^others) != 0 {
			continue
		}
		starts[i] = at
		to := b.Src[at:][:mostGrouped]
		behind := 8 - countOf(inFirst)
		both := behind + 8 - countOf(inSecond)
		first, inFirst = withoutFirst(withoutFirst(first, inFirst))
		second, inSecond = withoutFirst(withoutFirst(second, inSecond))
		if inFirst|inSecond != 0 { // more than groups of three digits have
			first, second = withoutAll(first, inFirst), withoutAll(second, inSecond)
		}
		binary.LittleEndian.PutUint64(to, first)
		binary.LittleEndian.PutUint64(to[behind:], second)
		if n > 16 {
			binary.LittleEndian.PutUint64(to[both:], withoutAll(third, inThird))
		}
		at += n - uint32(bits.OnesCount64(separators))
		ends[i] = at
		g.some += asBit(separators != 0)
	}
}

// maskOf has, of the highest bit of each byte of x, which has no other, bit i for byte i.
func maskOf(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }

// digitsOf has bit i for symbol i of w if that is a digit; one behind a symbol beyond ASCII may count as none.
func digitsOf(w uint64) uint64 { return maskOf(^notDigits(w^asciiZero) & asciiHigh) }

// countOf is how many bytes of x have their highest bit, which has no other.
func countOf(x uint64) int { return int(x >> 7 * eachByte >> 56) }

// zerosOf has the highest bit of each byte of x that is 0.
func zerosOf(x uint64) uint64 { return ^((x&^asciiHigh + ^uint64(asciiHigh)) | x) & asciiHigh }

// withoutAll is the symbols of w but for those of whose byte in separators the highest bit is set.
func withoutAll(w, separators uint64) uint64 {
	for separators != 0 {
		w, separators = withoutFirst(w, separators)
	}
	return w
}

// withoutFirst takes the first separator out, if there is one: the symbols behind it move down.
func withoutFirst(w, separators uint64) (_, left uint64) {
	before := separators&-separators>>7 - 1
	return w&before | w>>8&^before, separators & (separators - 1) >> 8
}
