package aggregate

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/expr"
)

// Shape is what a Plan does, for who groups rows elsewhere, as on a device, and hands the
// groups over by Partial.Append. There a key is words of 64 bits:
//
//	a word whose bit k says that the k-th column of the key is null, then of each that is not:
//	whole numbers, and decimals of up to 18 digits   one, with their sign
//	floats                                           one, see expr.OrderOf64, of -0 that of 0
//	decimals of more digits                          two, low words first
//	texts                                            how many bytes they have, and these, eight a word, low ones first
//	bytes of a fixed width                           these, likewise
//
// and a state is words, too: how many rows there were if Counted, otherwise 0; then of each tally
//
//	how many values were not null
//	of Sums: of 64 bits the sum in two words, low ones first; of TallyUnsigned, TallyWide in three;
//	of TallyFloat a word of MetInf, MetMinusInf, MetNaN, then FloatDigits signed numbers, of
//	which the i-th counts 2^(32i-1074)
//	of Bounds: the least and the greatest, as numbers of 64 bits; of floats by expr.OrderOf64
type Shape struct {
	Values  []*expr.Value
	Keys    []ShapeKey
	Tallies []ShapeTally
	Counted bool
	Where   []expr.Step
}

// ShapeKey is a column of the key, the number of one of Values.
type ShapeKey struct{ Of int }

// ShapeTally is what is kept of one of Values.
type ShapeTally struct {
	Of           int
	Kind         ShapeKind
	Sums, Bounds bool
}

// ShapeKind is the kind of a tally.
type ShapeKind uint8

const (
	TallyCount    ShapeKind = iota
	TallyWhole              // whole numbers of 64 bits
	TallyUnsigned           // the same without a sign
	TallyWide               // of 128 bits
	TallyFloat
)

// What a sum of floats has met.
const (
	MetInf = 1 << iota
	MetMinusInf
	MetNaN
)

// FloatDigits is how many digits there are of a sum of floats.
const FloatDigits = 70

// Words is how many a tally has.
func (t *ShapeTally) Words() int {
	n := 1
	if t.Sums {
		n += map[ShapeKind]int{TallyWhole: 2, TallyUnsigned: 3, TallyWide: 3, TallyFloat: 1 + FloatDigits}[t.Kind]
	}
	if t.Bounds {
		n += 2
	}
	return n
}

// Words is how many a state has.
func (s *Shape) Words() int {
	n := 1
	for i := range s.Tallies {
		n += s.Tallies[i].Words()
	}
	return n
}

// Shape is that of the plan, or why it has none: what has none is grouped here alone.
func (p *Plan) Shape() (s *Shape, why string) {
	if len(p.distincts) > 0 {
		return nil, "distinct values are counted on the host"
	}
	s = &Shape{Values: p.values, Counted: p.main.counted}
	var ok bool
	if s.Where, ok = p.where.Steps(); !ok {
		return nil, "two columns are compared"
	}
	for i := range p.main.keys {
		s.Keys = append(s.Keys, ShapeKey{p.main.keys[i].of})
	}
	for i, t := range p.main.tallies {
		x := ShapeTally{Of: p.main.of[i]}
		switch t := t.(type) {
		case *countTally:
		case *wholeTally:
			x.Kind, x.Sums, x.Bounds = TallyWhole, t.sums, t.bounds
		case *wideTally:
			x.Kind, x.Sums, x.Bounds = TallyWide, t.sums, t.bounds
			if p.values[x.Of].Field.Type.ID() == arrow.UINT64 {
				x.Kind = TallyUnsigned
			} else if t.bounds {
				return nil, "decimals of more than 18 digits are compared on the host"
			}
		case *floatTally:
			x.Kind, x.Sums, x.Bounds = TallyFloat, t.sums, t.bounds
		case *textTally:
			if t.bounds {
				return nil, "the least and the greatest text are found on the host"
			}
		default:
			return nil, "approximate numbers of values are found on the host"
		}
		if !x.Sums && !x.Bounds {
			x.Kind = TallyCount
		}
		s.Tallies = append(s.Tallies, x)
	}
	return s, ""
}

// Append adds a group whose key and state are as Shape has them.
func (x *Partial) Append(p *Plan, s *Shape, key, state []uint64) {
	if len(x.Ends) == 0 {
		x.Ends = append(x.Ends, 0)
	}
	x.Keys = p.main.appendWords(x.Keys, key)
	x.Ends = append(x.Ends, len(x.Keys))
	at := len(x.States)
	x.States = append(x.States, make([]uint64, p.main.words)...)
	dst := x.States[at:]
	if s.Counted {
		dst[0] = state[0]
	}
	state = state[1:]
	for i := range s.Tallies {
		t := &s.Tallies[i]
		from, to := state[:t.Words()], dst[p.main.at[i]:]
		state = state[len(from):]
		to[0] = from[0]
		from, to = from[1:], to[1:]
		if t.Sums && t.Kind == TallyFloat {
			if sum := p.main.tallies[i].(*floatTally).far(dst[p.main.at[i]:]); dst[p.main.at[i]] > 0 {
				x.Bytes = putDigits(sum, x.Bytes, from[0], from[1:1+FloatDigits])
			}
			from = from[1+FloatDigits:]
		} else if t.Sums {
			n := 3
			if t.Kind == TallyWhole {
				n = 2
			}
			copy(to[:n], from)
			from, to = from[n:], to[n:]
		}
		switch {
		case t.Bounds && t.Kind == TallyUnsigned:
			to[0], to[1], to[2], to[3] = from[0], 0, from[1], 0
		case t.Bounds:
			copy(to[:2], from)
		}
	}
}

// putDigits makes a far sum of digits, whose words it appends to b.
func putDigits(sum []uint64, b []byte, met uint64, digits []uint64) []byte {
	for bit, is := range map[uint64]uint64{MetInf: sumInf, MetMinusInf: sumMinus, MetNaN: sumNaN} {
		if met&bit != 0 {
			sum[0] |= is
		}
	}
	total := new(big.Int)
	for i := len(digits) - 1; i >= 0; i-- {
		total.Lsh(total, 32)
		total.Add(total, big.NewInt(int64(digits[i])))
	}
	if total.Sign() == 0 {
		return b
	}
	if total.Sign() < 0 { // the complement
		total.Add(total, new(big.Int).Lsh(big.NewInt(1), 64*wideWords))
	}
	words := total.FillBytes(make([]byte, 8*wideWords))
	sum[0] |= farAny
	sum[1], sum[2], sum[3] = uint64(len(b)), uint64(len(words)), uint64(len(words))
	for i := len(words); i > 0; i -= 8 {
		b = binary.LittleEndian.AppendUint64(b, binary.BigEndian.Uint64(words[i-8:]))
	}
	return b
}

// appendWords appends the key that words are.
func (g *grouping) appendWords(dst []byte, words []uint64) []byte {
	nulls := words[0]
	words = words[1:]
	for i := range g.keys {
		k := &g.keys[i]
		if nulls>>i&1 == 1 {
			dst = append(dst, 1)
			continue
		}
		dst = append(dst, 0)
		var b []byte
		taken := 1
		switch k.kind {
		case textKey:
			n := int(words[0])
			b, taken = bytesOfWords(words[1:], n), 1+(n+7)/8
			if i == len(g.keys)-1 && !g.terminated {
				dst = append(dst, b...)
			} else {
				dst = appendText(dst, b)
			}
		case bytesKey:
			taken = (k.width + 7) / 8
			dst = append(dst, bytesOfWords(words, k.width)...)
		case decimalKey:
			low, high := words[0], uint64(int64(words[0])>>63)
			if k.gives.(*arrow.Decimal128Type).Precision > 18 {
				high, taken = words[1], 2
			}
			dst = binary.BigEndian.AppendUint64(dst, high^1<<63)
			dst = binary.BigEndian.AppendUint64(dst, low)
		case floatKey:
			if k.width == 4 {
				dst = binary.BigEndian.AppendUint32(dst, expr.OrderOf32(float32(expr.FloatOf64(words[0]))+0))
			} else {
				dst = binary.BigEndian.AppendUint64(dst, words[0])
			}
		default:
			word := words[0]
			if k.kind == signedKey {
				word ^= 1 << (8*k.width - 1)
			}
			dst = append(dst, binary.BigEndian.AppendUint64(nil, word<<(64-8*k.width))[:k.width]...)
		}
		words = words[taken:]
	}
	return dst
}

func bytesOfWords(words []uint64, n int) []byte {
	b := make([]byte, 0, n+7)
	for i := 0; len(b) < n; i++ {
		b = binary.LittleEndian.AppendUint64(b, words[i])
	}
	return b[:n]
}

// Begin is what a state of no rows is.
func (s *Shape) Begin() []uint64 {
	begin := make([]uint64, 1, s.Words())
	for i := range s.Tallies {
		t := &s.Tallies[i]
		words := make([]uint64, t.Words())
		if t.Bounds {
			least, greatest := uint64(math.MaxUint64), uint64(0)
			if t.Kind == TallyWhole {
				low, high := int64(greatest64), int64(least64)
				least, greatest = uint64(low), uint64(high)
			}
			words[len(words)-2], words[len(words)-1] = least, greatest
		}
		begin = append(begin, words...)
	}
	return begin
}

// Elsewhere is the error of who groups for others and leaves it to them.
type Elsewhere struct{ Why string }

func (e *Elsewhere) Error() string { return "grouped on the host: " + e.Why }
