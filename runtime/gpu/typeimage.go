//go:build cuda

package gpu

import (
	"encoding/binary"
	"math"
	"math/big"
	"sync"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// typeImage sets Options and typ of x as the kind's converter in
// kernels/convert reads them. It is false if no kernel knows the options of t.
type typeImage func(x *outputImage, t *dfa.Type, o convert.Options) bool

// typeImages are by kernel; a type of another is left to the host.
var typeImages = map[convert.Kernel]typeImage{
	convert.KernelText:     stringImage,
	convert.KernelBool:     boolImage,
	convert.KernelInteger:  integerImage,
	convert.KernelFloat:    floatImage,
	convert.KernelDecimal:  decimalImage,
	convert.KernelClock:    clockImage,
	convert.KernelDuration: durationImage,
	convert.KernelAddress:  addressImage,
	convert.KernelTokens:   enumImage,
	convert.KernelBinary:   binaryImage,
}

// stringImage is that of dictionaries, too: kernels/dictionary.cu makes numbers of their texts.
func stringImage(x *outputImage, _ *dfa.Type, _ convert.Options) bool {
	x.Kind, x.Width = uint32(dfa.String), 0
	return true
}

// integerImage: see kernels/convert/integer.cuh.
func integerImage(x *outputImage, t *dfa.Type, _ convert.Options) bool {
	nbits := 8 * convert.ByteWidth(t)
	most := uint64(math.MaxUint64) >> (64 - nbits)
	if t.Kind < dfa.Uint8 {
		x.Options[0], x.Options[1] = most>>1, most>>1+1
	} else {
		x.Options[0] = most
	}
	x.Options[2] = uint64(t.Thousands)
	if t.Base16 {
		x.Options[3] = 1
	}
	return true
}

// numberOptions are the separators of floats and decimals.
func numberOptions(x *outputImage, t *dfa.Type) {
	x.Options[0], x.Options[1] = uint64(t.Point), uint64(t.Thousands)
	if t.Point == 0 {
		x.Options[0] = '.'
	}
}

// floatImage: see kernels/convert/float.cuh.
func floatImage(x *outputImage, t *dfa.Type, _ convert.Options) bool {
	numberOptions(x, t)
	x.typ = floatTables()
	return true
}

// floatTables are FloatTables of kernels/convert/rounding.cuh.
var floatTables = sync.OnceValue(func() []byte {
	var b []byte
	power := 1.0
	for range exactPowers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(power))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(1/power))
		power *= 10
	}
	for q := smallestFive; q <= largestFive; q++ {
		hi, lo := fivePower(q)
		b = binary.LittleEndian.AppendUint64(b, lo)
		b = binary.LittleEndian.AppendUint64(b, hi)
	}
	return b
})

// fivePower is 5^q times the power of two that makes it 128 bits, as the proof
// of the algorithm has it (Lemire, "Number parsing at a gigabyte per second",
// 2021, sections 5 to 7): cut off, but for -27 <= q < 0 rounded up.
func fivePower(q int) (hi, lo uint64) {
	v := new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(max(q, -q))), nil)
	if n := v.BitLen(); q < 0 {
		shift := n + 127
		if q < -27 {
			shift = 2*n + 128
		}
		v.Div(new(big.Int).Lsh(big.NewInt(1), uint(shift)), v)
		v.Add(v, big.NewInt(1))
	}
	if n := v.BitLen(); n <= 128 {
		v.Lsh(v, uint(128-n))
	} else {
		v.Rsh(v, uint(n-128))
	}
	var b [16]byte
	v.FillBytes(b[:])
	return binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
}

// decimalOptions are those of kernels/convert/decimal.cuh: numbers as integers of
// 10^-scale, of at most so many digits.
func decimalOptions(x *outputImage, t *dfa.Type, scale, precision int) {
	numberOptions(x, t)
	x.Options[2], x.Options[3] = uint64(scale), uint64(precision)
	x.typ = powersOf10()
}

func decimalImage(x *outputImage, t *dfa.Type, _ convert.Options) bool {
	decimalOptions(x, t, t.Scale, t.Precision)
	return true
}

// powersOf10 are those up to 10^38, 128 bits each.
var powersOf10 = sync.OnceValue(func() []byte {
	var b []byte
	power, mask := big.NewInt(1), new(big.Int).SetUint64(math.MaxUint64)
	for range mostDigits + 1 {
		b = binary.LittleEndian.AppendUint64(b, new(big.Int).And(power, mask).Uint64())
		b = binary.LittleEndian.AppendUint64(b, new(big.Int).Rsh(power, 64).Uint64())
		power.Mul(power, big.NewInt(10))
	}
	return b
})

// boolImage: see kernels/convert/bool.cuh.
func boolImage(x *outputImage, t *dfa.Type, _ convert.Options) bool {
	if len(t.True)+len(t.False) == 0 {
		return true
	}
	var table tokenTable
	for _, s := range t.True {
		table.add(s, 1)
	}
	for _, s := range t.False {
		table.add(s, 0)
	}
	x.Options[0] = 1
	x.typ = table.image()
	return true
}

// enumImage: see kernels/convert/tokens.cuh.
func enumImage(x *outputImage, t *dfa.Type, _ convert.Options) bool {
	var table tokenTable
	for i, s := range t.Tokens {
		table.add(s, uint32(i))
	}
	x.typ = table.image()
	return true
}
