package convert

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/guard"
)

// vectored are types that have kernels, with fields that these are made for.
var vectored = []struct {
	typ   dfa.Type
	plain func(r *rand.Rand) string
}{
	{dfa.Type{Kind: dfa.Int8}, plainInteger(4)},
	{dfa.Type{Kind: dfa.Int16}, plainInteger(6)},
	{dfa.Type{Kind: dfa.Int32}, plainInteger(11)},
	{dfa.Type{Kind: dfa.Int64}, plainInteger(17)},
	{dfa.Type{Kind: dfa.Uint8}, plainInteger(3)},
	{dfa.Type{Kind: dfa.Uint16}, plainInteger(5)},
	{dfa.Type{Kind: dfa.Uint32}, plainInteger(11)},
	{dfa.Type{Kind: dfa.Uint64}, plainInteger(17)},
	{dfa.Type{Kind: dfa.Float32}, plainNumber(8)},
	{dfa.Type{Kind: dfa.Float32}, plainNumber(17)},
	{dfa.Type{Kind: dfa.Float64}, plainNumber(8)},
	{dfa.Type{Kind: dfa.Float64}, plainNumber(17)},
	{dfa.Type{Kind: dfa.Float32}, longNumber},
	{dfa.Type{Kind: dfa.Float64}, longNumber},
	{dfa.Type{Kind: dfa.Float64, Point: ','}, pointedBy(",", longNumber)},
	{dfa.Type{Kind: dfa.Float64}, either(longNumber, plainNumber(17))},
	{dfa.Type{Kind: dfa.Decimal, Precision: 12, Scale: 2}, plainNumber(9)},
	{dfa.Type{Kind: dfa.Decimal, Precision: 5, Scale: 5}, plainNumber(7)},
	{dfa.Type{Kind: dfa.Decimal, Precision: 30, Scale: 14}, plainNumber(17)},
	{dfa.Type{Kind: dfa.Decimal, Precision: 18, Scale: 0}, plainInteger(17)},
	{dfa.Type{Kind: dfa.Float32, Point: ','}, pointedBy(",", plainNumber(8))},
	{dfa.Type{Kind: dfa.Float64, Point: ','}, pointedBy(",", plainNumber(17))},
	{dfa.Type{Kind: dfa.Float64, Point: 0xb7, Thousands: '.'}, pointedBy("\xb7", plainNumber(8))},
	{dfa.Type{Kind: dfa.Decimal, Precision: 12, Scale: 2, Point: ','}, pointedBy(",", plainNumber(9))},
	{dfa.Type{Kind: dfa.Decimal, Precision: 30, Scale: 14, Point: ' '}, pointedBy(" ", plainNumber(17))},
	{dfa.Type{Kind: dfa.Duration, CountUnit: dfa.Second}, plainNumber(9)},
	{dfa.Type{Kind: dfa.Duration, Unit: dfa.Nanosecond, CountUnit: dfa.Millisecond}, plainNumber(15)},
	{dfa.Type{Kind: dfa.Timestamp, Epoch: true, Unit: dfa.Millisecond, CountUnit: dfa.Second}, plainNumber(10)},
	{dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Microsecond}, plainInteger(15)},
	{dfa.Type{}, plainText(3)},
	{dfa.Type{}, plainText(40)},
	{dfa.Type{}, plainText(200)},
	{dfa.Type{Kind: dfa.Date}, plainClock("%04d-%02d-%02d")},
	{dfa.Type{Kind: dfa.Date, Layout: "%Y%m%d"}, plainClock("%04d%02d%02d")},
	{dfa.Type{Kind: dfa.Date, Layout: "%d.%m.%Y"}, plainClock("%02[3]d.%02[2]d.%04[1]d")},
	{dfa.Type{Kind: dfa.Date, Layout: "%m/%d/%Y"}, plainClock("%02[2]d/%02[3]d/%04[1]d")},
	{dfa.Type{Kind: dfa.Date, Layout: "%Y -%m -%d of"}, plainClock("%04d -%02d -%02d of")},
	{dfa.Type{Kind: dfa.Date, Layout: "on%m%Y, at %d!"}, plainClock("on%02[2]d%04[1]d, at %02[3]d!")},
	{dfa.Type{Kind: dfa.Time}, plainClock("%02[4]d:%02[5]d:%02[6]d")},
	{dfa.Type{Kind: dfa.Time, Unit: dfa.Millisecond}, plainClock("%02[4]d:%02[5]d:%02[6]d")},
	{dfa.Type{Kind: dfa.Timestamp, NoZone: true}, plainClock("%04d-%02d-%02d %02d:%02d:%02d")},
	{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Second, NoZone: true}, plainClock("%04d-%02d-%02dT%02d:%02d:%02d")},
	{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Nanosecond, Layout: "%Y-%m-%d_%T"}, plainClock("%04d-%02d-%02d_%02d:%02d:%02d")},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T", Zone: "Europe/Berlin"}, plainClock("%04d-%02d-%02d %02d:%02d:%02d")},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%T %z"}, plainClock("%02[3]d/%[7]s/%04[1]d:%02[4]d:%02[5]d:%02[6]d %[8]s")},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%T %z", Unit: dfa.Nanosecond}, plainClock("%02[3]d/%[7]s/%04[1]d:%02[4]d:%02[5]d:%02[6]d %[8]s")},
	{dfa.Type{Kind: dfa.IP}, plainAddress},
	{dfa.Type{Kind: dfa.UUID}, plainUUID},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T"}, sameDates(7, plainClock("%[7]s %2[3]d %02[4]d:%02[5]d:%02[6]d"))},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%T.%L"}, sameDates(12, plainClock("%02[3]d/%[7]s/%04[1]d:%02[4]d:%02[5]d:%02[6]d.%03[9]d"))},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T.%L %Z"}, sameDates(11, plainClock("%04d-%02d-%02d %02d:%02d:%02d.%03[9]d UTC"))},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T,%L", Zone: "Europe/Berlin", Unit: dfa.Nanosecond}, sameDates(11, plainClock("%04d-%02d-%02d %02d:%02d:%02d,%03[9]d"))},
	{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Second}, sameDates(11, plainClock("%04d-%02d-%02dT%02d:%02d:%02d.000%[8]s"))},
	{dfa.Type{Kind: dfa.Timestamp}, sameDates(11, plainClock("%04d-%02d-%02dT%02d:%02d:%02d.%06[10]dZ"))},
	{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Nanosecond}, sameDates(11, plainClock("%04d-%02d-%02dT%02d:%02d:%02d.%08[11]d0Z"))},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%S.%M.%H of %Y-%m-%d"}, plainClock("%02[6]d.%02[5]d.%02[4]d of 2024-05-06")},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%Y%m%d%H%M%S"}, sameDates(8, plainClock("%04d%02d%02d%02d%02d%02d"))},
	{dfa.Type{Kind: dfa.Time, Layout: "%T.%f"}, plainClock("%02[4]d:%02[5]d:%02[6]d.%06[10]d")},
	{dfa.Type{Kind: dfa.Time, Unit: dfa.Millisecond, Layout: "at %H%M%S,%f"}, plainClock("at %02[4]d%02[5]d%02[6]d,%03[9]d000")},
	{dfa.Type{Kind: dfa.Time, Unit: dfa.Nanosecond, Layout: "%f %T"}, either(plainClock("%06[10]d %02[4]d:%02[5]d:%02[6]d"), plainClock("5%06[10]d %02[4]d:%02[5]d:%02[6]d"))},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%f %T %F"}, plainClock("%03[9]d %02[4]d:%02[5]d:%02[6]d 2024-05-06")},
	{dfa.Type{Kind: dfa.Timestamp}, either(sameDates(11, plainClock("%04d-%02d-%02dT%02d:%02d:%02d.%06[10]d+02:00")), sameDates(11, plainClock("%04d-%02d-%02dT%02d:%02d:%02d.%03[9]dZ")))},
	{dfa.Type{Kind: dfa.Timestamp, Unit: dfa.Nanosecond}, either(sameDates(11, plainClock("%04d-%02d-%02dT%02d:%02d:%02d.%08[11]d0Z")), sameDates(11, plainClock("%04d-%02d-%02dT%02d:%02d:%02dZ")))},
	{dfa.Type{Kind: dfa.Time, Unit: dfa.Millisecond, Layout: "at %H%M%S,%f"}, either(plainClock("at %02[4]d%02[5]d%02[6]d,%03[9]d000"), plainClock("at %02[4]d%02[5]d%02[6]d,%03[9]d"))},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%d.%m.%Y %H:%M"}, either(sameDates(10, plainClock("%02[3]d.%02[2]d.%04[1]d %02[4]d:%02[5]d")), sameDates(10, plainClock("%02[3]d.%02[2]d.%04[1]d %02[4]d:%02[5]d")))},
	{dfa.Type{Kind: dfa.Timestamp, NoZone: true}, sameDates(11, plainClock("%04d-%02d-%02d %02d:%02d:%02d"))},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%T %z"}, sameDates(12, plainClock("%02[3]d/%[7]s/%04[1]d:%02[4]d:%02[5]d:%02[6]d %[8]s"))},
}

// shortly are dates whose numbers need not have two digits: kernels leave them but for AVX-512.
var shortly = []struct {
	typ   dfa.Type
	plain func(r *rand.Rand) string
}{
	{dfa.Type{Kind: dfa.Date, Layout: "%m/%d/%Y"}, shortClock("%[2]d/%[3]d/%04[1]d")},
	{dfa.Type{Kind: dfa.Date, Layout: "%d.%m.%Y"}, either(shortClock("%[3]d.%02[2]d.%04[1]d"), shortClock("%02[3]d.%[2]d.%04[1]d"))},
	{dfa.Type{Kind: dfa.Date, Layout: "%-d %-m %Y"}, shortClock("%[3]d %[2]d %04[1]d")},
	{dfa.Type{Kind: dfa.Date, Layout: "%m-%d-%y"}, shortClock("%[2]d-%[3]d-%02[12]d")},
	{dfa.Type{Kind: dfa.Date, Layout: "%d/%m-%y"}, shortClock("%02[3]d/%[2]d-%02[12]d")},
}

// shortClock is plainClock, with a symbol too many or too few in some.
func shortClock(form string) func(r *rand.Rand) string {
	plain := plainClock(form)
	return func(r *rand.Rand) string {
		s := plain(r)
		at := r.IntN(len(s))
		switch r.IntN(40) {
		case 0:
			return s[:at] + s[at+1:]
		case 1:
			return s[:at] + "0123/.- "[r.IntN(8):][:1] + s[at:]
		}
		return s
	}
}

// plainInteger gives up to n symbols.
func plainInteger(n int) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		var s []byte
		if r.IntN(4) == 0 {
			s = append(s, '-')
		}
		for range 1 + r.IntN(n) {
			s = append(s, byte('0'+r.IntN(10)))
		}
		return string(s[:min(len(s), n)])
	}
}

func plainNumber(n int) func(r *rand.Rand) string {
	digits := plainInteger(n)
	return func(r *rand.Rand) string {
		s := []byte(digits(r))
		if r.IntN(3) > 0 {
			s[r.IntN(len(s))] = '.'
		}
		return string(s)
	}
}

// longNumber gives floats as programs write them that keep all digits, with exponents and without, some halfway between
// two, and some of few digits.
func longNumber(r *rand.Rand) string {
	v := math.Float64frombits(r.Uint64())
	switch r.IntN(6) {
	case 0:
		return strconv.FormatFloat(r.NormFloat64()*1000, 'f', -1, 64)
	case 1:
		return strconv.FormatFloat(r.Float64(), 'g', -1, 64)
	case 2:
		return strings.ToUpper(strconv.FormatFloat(v, 'e', r.IntN(20), 64))
	case 3:
		return strconv.FormatInt(1<<53+r.Int64N(1<<20), 10) + []string{"", "e0", "E+1", "e-1", ".0", ".5", ".50"}[r.IntN(7)]
	case 4:
		return strings.Repeat("0", r.IntN(10)) + strconv.FormatFloat(r.ExpFloat64()*math.Pow10(-r.IntN(10)), 'f', r.IntN(24), 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// pointedBy are numbers with another point.
func pointedBy(point string, plain func(r *rand.Rand) string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string { return strings.Replace(plain(r), ".", point, 1) }
}

func plainText(n int) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		s := make([]byte, 1+r.IntN(n))
		for i := range s {
			s[i] = byte('a' + r.IntN(26))
		}
		switch r.IntN(100) {
		case 0:
			return []string{"-", "NA"}[r.IntN(2)]
		case 1:
			s[r.IntN(len(s))] = 0x80
		}
		return string(s)
	}
}

// plainAddress gives addresses of version 4, some of them wrong.
func plainAddress(r *rand.Rand) string {
	octet := func() string {
		switch r.IntN(60) {
		case 0:
			return []string{"256", "00", "01", "007", "1000", "", "299", "999"}[r.IntN(8)]
		default:
			return fmt.Sprint(r.IntN(256) >> r.IntN(8))
		}
	}
	s := octet() + "." + octet() + "." + octet() + "." + octet()
	switch r.IntN(60) {
	case 0:
		return s + "." + octet()
	case 1:
		return s[:1+r.IntN(len(s)-1)]
	}
	return s
}

// plainUUID gives UUIDs in letters of both cases, some without hyphens and some wrong.
func plainUUID(r *rand.Rand) string {
	s := fmt.Sprintf([]string{"%08x-%04x-%04x-%04x-%012x", "%08X-%04X-%04X-%04X-%012X"}[r.IntN(2)], r.Uint32(), r.IntN(1<<16), r.IntN(1<<16), r.IntN(1<<16), r.Uint64()>>16)
	switch r.IntN(20) {
	case 0:
		return strings.ReplaceAll(s, "-", "")
	case 1:
		b := []byte(s)
		b[r.IntN(len(b))] = byte(r.IntN(256))
		return string(b)
	case 2:
		return s[:1+r.IntN(len(s)-1)]
	}
	return s
}

// plainClock gives times mostly, some at the limits, and some beyond them.
func plainClock(form string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		year, month, day := 1600+r.IntN(600), 1+r.IntN(12), 1+r.IntN(31)
		hour, minute, second := r.IntN(24), r.IntN(60), r.IntN(60)
		switch r.IntN(40) {
		case 0:
			year = []int{0, 1, 9999, 1677, 1678, 2262, 1582}[r.IntN(7)]
		case 1:
			month, day = 2, 28+r.IntN(2)
			year = []int{1900, 2000, 2024, 2023, 4, 100, 400}[r.IntN(7)]
		case 2:
			month, day = r.IntN(20), r.IntN(40)
		case 3:
			hour = 20 + r.IntN(10)
		case 4:
			minute, second = 55+r.IntN(10), 55+r.IntN(10)
		}
		name := time.Month(max(min(month, 12), 1)).String()[:3]
		offset := []string{"+0000", "+0000", "+0000", "-0730"}[r.IntN(4)]
		s := fmt.Sprintf(form, year, month, day, hour, minute, second, name, offset, r.IntN(1000), r.IntN(1e6), r.IntN(1e8), year%100)
		s, _, _ = strings.Cut(s, "%!(EXTRA")
		return s
	}
}

// sameDates keeps the first n symbols for some rows.
func sameDates(n int, plain func(r *rand.Rand) string) func(r *rand.Rand) string {
	var date string
	return func(r *rand.Rand) string {
		s := plain(r)
		if date == "" || r.IntN(30) == 0 {
			date = s[:n]
		}
		return date + s[n:]
	}
}

// either gives what one of two does.
func either(plain, other func(r *rand.Rand) string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		if r.IntN(2) == 0 {
			return plain(r)
		}
		return other(r)
	}
}

// column makes n fields in src, which is at the front or the end of memory that
// may be read, with nothing or something like a field between them.
func column(r *rand.Rand, n int, plain func(r *rand.Rand) string, strange float64) (*Fields, func()) {
	const symbols = "0123456789012345678901234567890123456789.-+:/ eTZ,\x00\xff\x2f\x3a\xb0\xb9"
	text := func(n int) []byte {
		s := make([]byte, n)
		for i := range s {
			s[i] = symbols[r.IntN(len(symbols))]
		}
		return s
	}
	var src []byte
	f := new(Fields)
	for range n {
		src = append(src, text(r.IntN(3))...)
		s := []byte(plain(r))
		if r.Float64() < strange {
			switch r.IntN(4) {
			case 0:
				s[r.IntN(len(s))] = symbols[r.IntN(len(symbols))]
			case 1:
				s = text(r.IntN(40))
			case 2:
				f.PushDecoded(s)
				continue
			case 3:
				f.PushAbsent()
				continue
			}
		}
		f.Push(uint32(len(src)), uint32(len(src)+len(s)))
		src = append(src, s...)
	}
	memory, free := guard.Bytes(len(src), r.IntN(2) == 0)
	copy(memory, src)
	f.Src = memory
	return f, free
}

// TestVectorLegs says what the tests of vector code run here: make vectors.
func TestVectorLegs(t *testing.T) {
	sets(t, func(*testing.T, func(func())) {})
	t.Run("Go", func(*testing.T) {})
}

// sets runs a test with each instruction set that the machine has. What it has
// not is skipped.
func sets(t *testing.T, test func(t *testing.T, without func(func()))) {
	for _, set := range instructionSets() {
		t.Run(set.name, func(t *testing.T) {
			if !set.have {
				t.Skip("this machine has no " + set.name)
			}
			set.use(true)
			defer set.use(false)
			test(t, func(f func()) {
				set.none()
				f()
				set.use(true)
			})
		})
	}
}

// TestKernelTwins compares kernels with the loops in Go: values, validity and
// errors.
func TestKernelTwins(t *testing.T) {
	sets(t, func(t *testing.T, without func(func())) {
		for i, v := range slices.Concat(vectored, shortly) {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for round := range 400 {
				col := &dfa.Column{Type: v.typ, Required: round&1 == 1, Trim: round&2 == 2}
				if round&4 == 4 {
					col.Nulls = []string{"-", "NA"}
				}
				f, free := column(r, r.IntN(150), v.plain, []float64{0, 0.02, 0.5}[round%3])
				fast, fastErrs := appendFuzzed(t, col, Options{BaseTime: base}, f)
				var slow *columns.Column
				var slowErrs []FieldError
				without(func() { slow, slowErrs = appendFuzzed(t, col, Options{BaseTime: base}, f) })
				if !sameColumn(fast, slow) || !slices.Equal(fastErrs, slowErrs) {
					t.Fatalf("%s: %s", Name(&v.typ), difference(f, fast, slow, fastErrs, slowErrs))
				}
				var copies Fields
				for row := range f.Len() {
					if b, ok := f.At(row); ok {
						copies.PushDecoded(b)
					} else {
						copies.PushAbsent()
					}
				}
				slow, slowErrs = appendFuzzed(t, col, Options{BaseTime: base}, &copies)
				if !sameColumn(fast, slow) || !slices.Equal(fastErrs, slowErrs) {
					t.Fatalf("%s, against fields elsewhere: %s", Name(&v.typ), difference(f, fast, slow, fastErrs, slowErrs))
				}
				free()
			}
		}
	})
}

// difference says where two Columns differ.
func difference(f *Fields, a, b *columns.Column, errsA, errsB []FieldError) string {
	for i := range f.Len() {
		if a.IsValid(i) != b.IsValid(i) || a.Fixed != nil && fmt.Sprint(cell(a, i)) != fmt.Sprint(cell(b, i)) {
			field, _ := f.At(i)
			return fmt.Sprintf("row %d of %d, %q: %v, without the kernel %v", i, f.Len(), field, cell(a, i), cell(b, i))
		}
	}
	return fmt.Sprintf("%+v %v, without the kernel %+v %v", a, errsA, b, errsB)
}

// TestKernelsConvert wants kernels to leave no plain row but those near the
// front of src, and after the last whole group.
func TestKernelsConvert(t *testing.T) {
	sets(t, func(t *testing.T, _ func(func())) {
		for _, v := range vectored {
			c, err := NewConverter(&dfa.Column{Type: v.typ}, Options{BaseTime: base})
			if err != nil {
				t.Fatal(err)
			}
			h, ok := c.impl.(interface{ kernels() *vectors })
			if !ok {
				continue // text has no rows that are left
			}
			if (v.typ.Kind == dfa.IP || v.typ.Kind == dfa.UUID) && h.kernels().kernel == nil {
				continue // that is for AVX-512, or rows one by one
			}
			r := rand.New(rand.NewPCG(3, 4))
			good := func(r *rand.Rand) string {
				for range 1000 {
					s := v.plain(r)
					if _, code := one(t, &dfa.Column{Type: v.typ}, Options{BaseTime: base}, s); code == OK && (len(s) <= 16 && !strings.ContainsAny(s, "eE") || v.typ.Kind >= dfa.Date) && s != "-0" && !strings.HasSuffix(s, "-0730") {
						return s
					}
				}
				t.Fatal("no plain field")
				return ""
			}
			f, free := column(r, 203, good, 0)
			out := make([]byte, 203*16+64)
			framed := framesOf(t, &v.typ)
			if framed != nil {
				first, _ := f.At(0)
				if !framed.learn(first) {
					t.Fatalf("%s: %q has no frame", Name(&v.typ), first)
				}
			}
			todo := h.kernels().convert(unsafe.Pointer(&out[0]), f)
			if todo == nil {
				t.Fatalf("%s: the kernel did not run", Name(&v.typ))
			}
			for i := todo.next(0, none); i < 200; i = todo.next(i+1, none) {
				field, _ := f.At(i)
				if framed != nil && framed.in(field) == nil {
					continue // another date than that of the first row
				}
				point := "."
				if p := v.typ.Point; p != 0 {
					point = string([]byte{p})
				}
				before, after, _ := strings.Cut(strings.TrimPrefix(string(field), "-"), point)
				scale := v.typ.Scale
				if v.typ.Kind == dfa.Duration || v.typ.Epoch {
					scale = powerOf(v.typ.Unit) - powerOf(v.typ.CountUnit)
				}
				fits := v.typ.Kind != dfa.Decimal && scale == 0 || len(after) <= scale && len(before)+scale <= maxDigits64
				// A float64 in the middle between two float32 is left too.
				if leapDay.Match(field) || strings.Contains(string(field), ":60") {
					continue // some 29 February, and leap seconds
				}
				if f.End[i] >= fewestBytes && fits && v.typ.Kind != dfa.Float32 {
					t.Errorf("%s: %q is left", Name(&v.typ), field)
				}
			}
			free()
		}
	})
}

// TestLongFloats wants next to no float that keeps all digits to be left, whether most rows of the column are such or
// few, in a first round and in later ones.
func TestLongFloats(t *testing.T) {
	sets(t, func(t *testing.T, _ func(func())) {
		if longFloatKernel() == nil {
			t.Skip("that is for AVX-512")
		}
		for _, share := range []int{1, 2, 5} {
			c, err := NewConverter(&dfa.Column{Type: dfa.Type{Kind: dfa.Float64}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(3, 4))
			f, free := column(r, 4000, func(r *rand.Rand) string {
				if r.IntN(share) > 0 {
					return strconv.Itoa(r.IntN(1000))
				}
				return strconv.FormatFloat(r.NormFloat64()*math.Pow10(r.IntN(40)-20), 'g', -1, 64)
			}, 0)
			out := make([]float64, f.Len())
			for range 2*pause + 3 {
				todo := c.impl.(*fixed[float64]).vectors.convert(unsafe.Pointer(&out[0]), f)
				if left := todo.len(); todo == nil || left > 40 {
					t.Fatalf("one of %d floats is long: %d of %d rows are left", share, left, f.Len())
				}
				for i := todo.next(0, all); i < f.Len(); i = todo.next(i+1, all) {
					field, _ := f.At(i)
					if want, _ := strconv.ParseFloat(string(field), 64); out[i] != want {
						t.Fatalf("%q is %v, want %v", field, out[i], want)
					}
				}
			}
			free()
		}
	})
}

// TestShortDates wants no such date to be left but some 29 February, by itself or where there are kernels for longer ones.
func TestShortDates(t *testing.T) {
	sets(t, func(t *testing.T, _ func(func())) {
		if shortDateKernel() == nil {
			t.Skip("that is for AVX-512")
		}
		for _, v := range shortly {
			c, err := NewConverter(&dfa.Column{Type: v.typ}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			f, free := column(rand.New(rand.NewPCG(3, 4)), 203, func(r *rand.Rand) string {
				for {
					s := v.plain(r)
					if _, code := one(t, &dfa.Column{Type: v.typ}, Options{}, s); code == OK {
						return s
					}
				}
			}, 0)
			out := make([]int32, f.Len())
			todo := c.impl.(*fixed[int32]).vectors.convert(unsafe.Pointer(&out[0]), f)
			if todo == nil {
				t.Fatalf("%s: the kernel did not run", Name(&v.typ))
			}
			for i := range 200 {
				field, _ := f.At(i)
				if todo.next(i, none) != i {
					if want, _ := one(t, &dfa.Column{Type: v.typ}, Options{}, string(field)); fmt.Sprint(out[i]) != fmt.Sprint(want) {
						t.Errorf("%s: %q is %d, want %v", Name(&v.typ), field, out[i], want)
					}
				} else if f.End[i] >= fewestBytes && !strings.Contains(string(field), "29") {
					t.Errorf("%s: %q is left", Name(&v.typ), field)
				}
			}
			free()
		}
	})
}

// leapDay is 29 February in the layouts of vectored.
var leapDay = regexp.MustCompile(`02( ?[-/])?29|29\.02|^29/Feb|^on02.*29!`)

// framesOf gives the frames of a column that has them, nil if it has none.
func framesOf(t *testing.T, typ *dfa.Type) *frames {
	t.Helper()
	iso := map[dfa.TypeKind]func([]byte, *moment) bool{dfa.Time: isoTime, dfa.Timestamp: isoTimestamp}[typ.Kind]
	if iso == nil || typ.Epoch {
		return nil
	}
	r, err := newClockReader(typ, Options{BaseTime: base}, iso)
	if err != nil {
		t.Fatal(err)
	}
	if fast := r.fastClock(); typ.Kind == dfa.Time && typ.Layout == "" || typ.Kind == dfa.Timestamp && fast != nil && fast.vectors.kernel != nil {
		return nil
	}
	return newFrames(r)
}

// BenchmarkRounds converts columns of 4096 rows of lengths that change from row
// to row, by each instruction set.
func BenchmarkRounds(b *testing.B) {
	taxi := func(r *rand.Rand) string {
		return []string{"5.8", ".50", "0", "-2.5", "17.3", "0.3", "1", "14.16", "8"}[r.IntN(9)]
	}
	for _, c := range []struct {
		name  string
		typ   dfa.Type
		field func(r *rand.Rand) string
	}{
		{"i32/1-3", dfa.Type{Kind: dfa.Int32}, func(r *rand.Rand) string { return fmt.Sprint([]int{1, 10, 100}[r.IntN(3)] + r.IntN(9)) }},
		{"i64/1-8", dfa.Type{Kind: dfa.Int64}, func(r *rand.Rand) string { return fmt.Sprint(r.Uint32N(1e8) >> r.IntN(26)) }},
		{"i64/1-16", dfa.Type{Kind: dfa.Int64}, func(r *rand.Rand) string { return fmt.Sprint(r.Uint64N(1e16) >> r.IntN(50)) }},
		{"f64/taxi", dfa.Type{Kind: dfa.Float64}, taxi},
		{"f64/coordinate", dfa.Type{Kind: dfa.Float64}, func(r *rand.Rand) string { return fmt.Sprintf("%.*f", 5+r.IntN(4), -r.Float64()*180) }},
		{"f64/digits", dfa.Type{Kind: dfa.Float64}, func(r *rand.Rand) string { return strconv.FormatFloat(r.NormFloat64(), 'g', -1, 64) }},
		{"f64/exponent", dfa.Type{Kind: dfa.Float64}, func(r *rand.Rand) string { return strconv.FormatFloat(r.NormFloat64()*1e-9, 'g', -1, 64) }},
		{"f32/taxi", dfa.Type{Kind: dfa.Float32}, taxi},
		{"dec/price", dfa.Type{Kind: dfa.Decimal, Precision: 12, Scale: 2}, func(r *rand.Rand) string { return fmt.Sprintf("%.2f", r.Float64()*1e5) }},
		{"ts/epoch", dfa.Type{Kind: dfa.Timestamp, Epoch: true, Unit: dfa.Millisecond, CountUnit: dfa.Second}, func(r *rand.Rand) string {
			return fmt.Sprintf("%.3f", 1.7e9+r.Float64()*1e8)
		}},
		{"ts/iso", dfa.Type{Kind: dfa.Timestamp, Layout: "%Y-%m-%d %H:%M:%S"}, scattered("2006-01-02 15:04:05")},
		{"ts/web", dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%H:%M:%S %z"}, scattered("02/Jan/2006:15:04:05 -0700")},
		{"ts/frame", dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%T.%L"}, func(r *rand.Rand) string {
			return time.UnixMilli(1714953600000 + r.Int64N(86400000)).UTC().Format("02/Jan/2006:15:04:05.000")
		}},
		{"ts/fraction", dfa.Type{Kind: dfa.Timestamp}, scattered("2006-01-02T15:04:05.000000Z")},
		{"ts/dated", dfa.Type{Kind: dfa.Timestamp, Layout: "%m/%d/%Y %H:%M:%S"}, scattered("01/02/2006 15:04:05")},
		{"date", dfa.Type{Kind: dfa.Date}, scattered("2006-01-02")},
		{"date/short", dfa.Type{Kind: dfa.Date, Layout: "%m/%d/%Y"}, scattered("1/2/2006")},
		{"date/placed", dfa.Type{Kind: dfa.Date, Layout: "%d.%m.%Y"}, scattered("02.01.2006")},
		{"time", dfa.Type{Kind: dfa.Time}, scattered("15:04:05")},
		{"ip/v4", dfa.Type{Kind: dfa.IP}, func(r *rand.Rand) string {
			return fmt.Sprintf("%d.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256))
		}},
		{"uuid", dfa.Type{Kind: dfa.UUID}, func(r *rand.Rand) string {
			return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<16), r.IntN(1<<16), r.Uint64()>>16)
		}},
		{"str/1", dfa.Type{}, func(r *rand.Rand) string { return []string{"Y", "N"}[r.IntN(2)] }},
		{"str/1-24", dfa.Type{}, func(r *rand.Rand) string { return "abcdefghijklmnopqrstuvwxyz"[:1+r.IntN(24)] }},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		const rows = 4096
		var f Fields
		for range rows {
			f.Src = append(f.Src, "1,2018-01-01 00:21:05,"...)
			s := c.field(r)
			f.Push(uint32(len(f.Src)), uint32(len(f.Src)+len(s)))
			f.Src = append(append(f.Src, s...), ",N,3.5,0.5,7.54,0.2,7.3\n"...)
		}
		measure := func(b *testing.B) {
			conv, err := NewConverter(&dfa.Column{Type: c.typ}, Options{})
			if err != nil {
				b.Fatal(err)
			}
			dst := NewColumn(&c.typ)
			best := time.Hour
			for b.Loop() {
				began := time.Now()
				for range 4 {
					dst.Reset()
					conv.Append(dst, &f, nil)
				}
				best = min(best, time.Since(began))
			}
			b.ReportMetric(float64(best.Nanoseconds())/(4*rows), "ns/value")
		}
		for _, set := range instructionSets() {
			if !set.have {
				continue
			}
			b.Run(c.name+"/"+set.name, func(b *testing.B) {
				set.use(true)
				defer set.use(false)
				measure(b)
			})
		}
		b.Run(c.name+"/Go", func(b *testing.B) {
			set := noInstructions()
			defer set()
			measure(b)
		})
	}
}

// scattered are times from 1970 to 2023 in a layout of package time.
func scattered(layout string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string { return time.Unix(r.Int64N(1.7e9), 0).UTC().Format(layout) }
}

// TestFramesOfTwoDates: where the date changes within a round, vector code converts the rows of either date.
func TestFramesOfTwoDates(t *testing.T) {
	sets(t, func(t *testing.T, _ func(func())) {
		typ := dfa.Type{Kind: dfa.Timestamp, Layout: "%d.%m.%Y %H:%M"}
		c, err := NewConverter(&dfa.Column{Type: typ}, Options{BaseTime: base})
		if err != nil {
			t.Fatal(err)
		}
		vectors := c.impl.(interface{ kernels() *vectors }).kernels()
		f := &Fields{Src: make([]byte, fewestBytes)}
		const n = 160
		for row := range n {
			at := uint32(len(f.Src))
			f.Src = fmt.Appendf(f.Src, "%02d.05.2024 %02d:%02d", 6+row/(n/2), row%24, row%60)
			f.Push(at, uint32(len(f.Src)))
		}
		out := make([]int64, n)
		todo := vectors.convert(unsafe.Pointer(&out[0]), f)
		if todo == nil || todo.len() > 0 {
			t.Fatalf("rows %b are left", todo)
		}
		first := time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)
		for row, v := range out {
			want := first.AddDate(0, 0, row/(n/2)).Add(time.Duration(row%24)*time.Hour + time.Duration(row%60)*time.Minute)
			if v != want.UnixMicro() {
				t.Fatalf("row %d is %d, want %d", row, v, want.UnixMicro())
			}
		}
	})
}
