package expr

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/big"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/dfaparse/dfaparse/internal/convert"
)

// literal is what values of a column are compared with: one of the four.
type literal struct {
	exact *big.Rat // of integers, decimals, dates and times: in the column's own unit
	float float64
	text  []byte
	truth bool
	kind  literalKind
}

type literalKind uint8

const (
	exactLiteral literalKind = iota
	floatLiteral
	textLiteral
	truthLiteral
)

// literal reads a literal as a value of field f, or says what is wanted.
func (s Source) literal(o *Operand, f *arrow.Field) (*literal, error) {
	if o.Name != nil {
		if f.Type.ID() == arrow.BOOL {
			return &literal{truth: *o.Name == "true", kind: truthLiteral}, nil
		}
		return nil, s.faultf(o.Pos, "%s is %s, which is not compared with true or false; expected %s", f.Name, TypeName(f), expected(f))
	}
	wrong := func() error {
		return s.faultf(o.Pos, "%s is %s, which is not compared with %s; expected %s", f.Name, TypeName(f), o, expected(f))
	}
	if o.Number != nil {
		return s.number(o, f, wrong)
	}
	text, err := s.text(o)
	if err != nil {
		return nil, err
	}
	if facts := convert.FactsOfField(f); facts != nil {
		b, ok := wordOf(facts.Name, f, text)
		if !ok {
			return nil, wrong()
		}
		return &literal{text: b, kind: textLiteral}, nil
	}
	var ticks int64
	switch t := f.Type.(type) {
	case *arrow.StringType, *arrow.BinaryType, *arrow.DictionaryType:
		return &literal{text: []byte(text), kind: textLiteral}, nil
	case *arrow.FixedSizeBinaryType:
		b, err := hex.DecodeString(text)
		if err != nil {
			return nil, wrong()
		}
		return &literal{text: b, kind: textLiteral}, nil
	case *arrow.Date32Type:
		d, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return nil, wrong()
		}
		return &literal{exact: big.NewRat(d.Unix()/86400, 1)}, nil
	case *arrow.DurationType:
		d, err := time.ParseDuration(text)
		if err != nil {
			return nil, wrong()
		}
		return &literal{exact: big.NewRat(int64(d), int64(t.Unit.Multiplier()))}, nil
	case *arrow.TimestampType:
		zone := time.UTC
		if t.TimeZone != "" {
			if zone, err = time.LoadLocation(t.TimeZone); err != nil {
				return nil, s.faultf(o.Pos, "%v", err)
			}
		}
		at, ok := moment(text, zone)
		if !ok {
			return nil, wrong()
		}
		nanos := new(big.Int).Add(new(big.Int).Mul(big.NewInt(at.Unix()), big.NewInt(1e9)), big.NewInt(int64(at.Nanosecond())))
		return &literal{exact: new(big.Rat).SetFrac(nanos, big.NewInt(int64(t.Unit.Multiplier())))}, nil
	case *arrow.Time32Type:
		ticks = int64(t.Unit.Multiplier())
	case *arrow.Time64Type:
		ticks = int64(t.Unit.Multiplier())
	default:
		return nil, wrong()
	}
	at, ok := parseAny(text, time.UTC, "15:04:05", "15:04")
	if !ok {
		return nil, wrong()
	}
	return &literal{exact: big.NewRat(int64(at.Sub(at.Truncate(24*time.Hour))), ticks)}, nil
}

func (s Source) number(o *Operand, f *arrow.Field, wrong func() error) (*literal, error) {
	if exponent := strings.IndexAny(*o.Number, "eE"); exponent >= 0 {
		if n, err := strconv.Atoi((*o.Number)[exponent+1:]); err != nil || n < -400 || n > 400 {
			return nil, s.faultf(o.Pos, "%s is out of range", *o.Number)
		}
	}
	exact, ok := new(big.Rat).SetString(*o.Number)
	if !ok {
		return nil, wrong()
	}
	switch t := f.Type.(type) {
	case *arrow.Float32Type:
		v, _ := strconv.ParseFloat(*o.Number, 32)
		return &literal{float: v, kind: floatLiteral}, nil
	case *arrow.Float64Type:
		v, _ := strconv.ParseFloat(*o.Number, 64)
		return &literal{float: v, kind: floatLiteral}, nil
	case *arrow.Decimal128Type:
		return &literal{exact: exact.Mul(exact, new(big.Rat).SetInt(decimal128.GetScaleMultiplier(int(t.Scale)).BigInt()))}, nil
	}
	if arrow.IsInteger(f.Type.ID()) {
		return &literal{exact: exact}, nil
	}
	return nil, wrong()
}

// wordOf is the value of a type that Arrow has no name for.
func wordOf(name string, f *arrow.Field, text string) ([]byte, bool) {
	switch name {
	case "ip":
		a, err := netip.ParseAddr(text)
		if err != nil {
			return nil, false
		}
		if f.Type.ID() == arrow.STRING {
			return []byte(a.String()), true
		}
		b := a.As16()
		return b[:], true
	case "uuid":
		b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		return b, err == nil && len(b) == 16
	}
	return []byte(text), f.Type.ID() == arrow.STRING
}

// moment is a time as RFC 3339 has it, with a blank for the T, or before the offset, which may have no colon or be UTC or
// GMT, without seconds or the time of the day, or without the offset: then it is in the zone.
func moment(text string, zone *time.Location) (time.Time, bool) {
	if at := len(time.DateOnly); len(text) > at && text[at] == 'T' {
		text = text[:at] + " " + text[at+1:]
	}
	for _, name := range []string{" UTC", " GMT"} {
		if before, ok := strings.CutSuffix(text, name); ok {
			text = before + "Z"
		}
	}
	layouts := []string{time.DateOnly}
	for _, clock := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04"} {
		for _, offset := range []string{"", "Z07:00", " Z07:00", "Z0700", " Z0700"} {
			layouts = append(layouts, clock+offset)
		}
	}
	return parseAny(text, zone, layouts...)
}

func parseAny(text string, zone *time.Location, layouts ...string) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// expected is which literals the values of a field are compared with.
func expected(f *arrow.Field) string {
	if facts := convert.FactsOfField(f); facts != nil {
		return facts.Name + " as a text, e.g. '" + facts.Examples[0].Field + "'"
	}
	switch f.Type.(type) {
	case *arrow.StringType, *arrow.BinaryType, *arrow.DictionaryType:
		return "a text, e.g. 'abc'"
	case *arrow.BooleanType:
		return "true or false"
	case *arrow.Date32Type:
		return "a date, e.g. '2018-01-31'"
	case *arrow.Time32Type, *arrow.Time64Type:
		return "a time, e.g. '15:04:05'"
	case *arrow.TimestampType:
		return "a time, e.g. '2018-01-31 15:04:05'"
	case *arrow.DurationType:
		return "a duration, e.g. '1.5s' or '2h30m'"
	case *arrow.ListType, *arrow.MapType:
		return "is null or is not null"
	}
	return "a number"
}

// span are the whole numbers from low to high.
type span struct{ low, high *big.Int }

// within are the whole numbers x for which x op the literal holds; for != those for
// which it does not.
func (l *literal) within(op string) span {
	floor := new(big.Int)
	_, rest := floor.DivMod(l.exact.Num(), l.exact.Denom(), new(big.Int)) // Euclid's: down, for the divisor is positive
	whole := rest.Sign() == 0
	far := new(big.Int).Lsh(big.NewInt(1), 130)
	s := span{new(big.Int).Neg(far), far}
	one := big.NewInt(1)
	switch op {
	case "<":
		if s.high = floor; whole {
			s.high = new(big.Int).Sub(floor, one)
		}
	case "<=":
		s.high = floor
	case ">":
		s.low = new(big.Int).Add(floor, one)
	case ">=":
		if s.low = floor; !whole {
			s.low = new(big.Int).Add(floor, one)
		}
	default:
		if s.low, s.high = floor, floor; !whole {
			s.low = new(big.Int).Add(floor, one) // none
		}
	}
	return s
}

// clamp is s as numbers of a type that has those from least to most; ok reports
// whether there are any.
func (s span) clamp(least, most *big.Int) (low, high *big.Int, ok bool) {
	low, high = s.low, s.high
	if low.Cmp(least) < 0 {
		low = least
	}
	if high.Cmp(most) > 0 {
		high = most
	}
	return low, high, low.Cmp(high) <= 0
}

// holds reports whether an order (negative, 0, positive) is what op asks for.
func holds(op string, order int) bool {
	switch op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// compareFloats orders floats: NaN is the largest, and like itself.
func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	}
	return -1
}

func compareTexts(a, b []byte) int { return bytes.Compare(a, b) }
