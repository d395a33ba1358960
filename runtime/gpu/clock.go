//go:build cuda

package gpu

import (
	"encoding/binary"
	"math"
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// The options of dates, times of day, time stamps and durations, see
// kernels/convert/clock.cuh and duration.cuh.

// Of an option that says which form it is.
const (
	clockOptional  = 1 << 32 // the fraction may be left out
	clockMayOffset = 1 << 33 // an offset may follow
	clockBare      = 1 << 34 // it may be left out
)

// directives are the numbers that ops have for them.
var directives = map[byte]uint32{
	'm': directiveMonth, 'd': directiveDay, 'H': directiveHour, 'I': directiveHour, 'M': directiveMinute, 'S': directiveSecond,
	'Y': directiveYear, 'y': directiveShortYear, 'b': directiveMonthName, 'B': directiveMonthWord, 'a': directiveDayName, 'A': directiveDayWord,
	'e': directiveSpacedDay, 'j': directiveYearDay, 'p': directiveHalf, 'f': directiveFraction, 'L': directiveMillis, 's': directiveEpoch,
	'z': directiveOffset, 'Z': directiveZoneName,
}

// Times of zones that change the clock are known to the device until then.
var zoneEnd = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// clockImage: see kernels/convert/clock.cuh. Of several forms kernels read the first, as it is tried
// first: rows with others are left.
func clockImage(x *outputImage, t *dfa.Type, o convert.Options) bool {
	if !t.Names.None() {
		return false // kernels read English
	}
	t = &t.Forms()[0]
	if t.Kind == dfa.Timestamp && t.Epoch {
		lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
		if per := perSecond(t.Unit); per < 1e9 {
			lo, hi = firstSecond*per, endSecond*per-1
		}
		countImage(x, t, digitsOf(t.Unit)-digitsOf(t.CountUnit), lo, hi)
		x.Options[7] = 1
		return true
	}
	form, err := convert.NewClockForm(t, o)
	if err != nil {
		return false // the host says what is wrong
	}
	layout := form.Canonical()
	x.Options[0] = usualForm(t, layout)
	places := digitsOf(t.Unit)
	if t.Kind == dfa.Date {
		places = 9 // of a date, no fraction is too fine
	}
	x.Options[1] = uint64(form.PerSecond) | uint64(places)<<32
	ops, ok := clockOpWords(form.Ops)
	if !ok {
		return false
	}
	x.Options[2] = uint64(len(ops))
	for _, op := range ops {
		x.typ = binary.LittleEndian.AppendUint32(x.typ, op)
	}
	if strings.Contains(layout, "%B") || strings.Contains(layout, "%A") {
		x.Options[2] |= uint64(len(x.typ)) << 32
		x.typ = appendNames(x.typ)
	}
	if placed, ok := placeLayout(ops, t.Kind, places); ok {
		x.Options[6] = uint64(len(x.typ))
		x.typ = append(x.typ, bytesOf([]placedLayout{placed})...)
	}
	if periods, whole := form.ZonePeriods(zoneEnd); len(periods) == 1 && whole {
		x.Options[3] = uint64(uint32(periods[0].Offset))
	} else if len(periods) > 0 {
		// Not at 0, which says that there is no table.
		x.typ = append(x.typ, make([]byte, max(8-len(x.typ), -len(x.typ)&7))...)
		x.Options[3] = uint64(len(x.typ)) << 32
		x.typ = appendZone(x.typ, periods, whole)
	}
	x.Options[4] = uint64(form.Base)
	x.Options[5] = uint64(uint32(form.BaseYear)) | uint64(form.Year)<<32
	return true
}

// usualForm is option 0 of a layout, "" being the ISO form of the kind.
func usualForm(t *dfa.Type, layout string) uint64 {
	kind := t.Kind
	const day, second, web = "%Y-%m-%d", "%H:%M:%S", "%d/%b/%Y:%H:%M:%S %z"
	switch {
	case kind == dfa.Date && (layout == "" || layout == day):
		return clockISODate
	case kind == dfa.Time && layout == "":
		return clockISOTime | '.'<<16 | clockOptional
	case kind == dfa.Time && strings.HasPrefix(layout, second):
		if tail, ok := usualTail(layout[len(second):]); ok && tail&clockMayOffset == 0 {
			return clockISOTime | tail
		}
	case kind == dfa.Timestamp && layout == "" && t.NoZone:
		return clockISOStamp | '.'<<16 | clockOptional
	case kind == dfa.Timestamp && layout == "" && t.Zone == "":
		return clockISOStamp | '.'<<16 | clockOptional | clockMayOffset
	case kind == dfa.Timestamp && layout == "":
		return clockISOStamp | '.'<<16 | clockOptional | clockMayOffset | clockBare
	case kind == dfa.Timestamp && layout == web:
		return clockWebStamp
	case kind == dfa.Timestamp && strings.HasPrefix(layout, day) && len(layout) > len(day):
		// A separator of NUL would say that there are several.
		separator := layout[len(day)]
		rest, ok := strings.CutPrefix(layout[len(day)+1:], second)
		if !ok || separator == '%' || separator == 0 {
			break
		}
		if tail, ok := usualTail(rest); ok {
			return clockISOStamp | uint64(separator)<<8 | tail
		}
	}
	return clockOps
}

// usualTail is what option 0 says of the part of a layout after the second.
func usualTail(layout string) (option uint64, ok bool) {
	if rest, found := strings.CutSuffix(layout, "%z"); found {
		layout, option = rest, clockMayOffset
	}
	if layout == "" {
		return option | clockOptional, true // the second may be the last, as where a fraction is left out
	}
	if layout[0] != '.' && layout[0] != ',' {
		return 0, false
	}
	option |= uint64(layout[0]) << 16
	switch layout[1:] {
	case "%f":
		return option, true
	case "%L":
		return option | 3<<24, true
	}
	return 0, false
}

// clockOpWords packs the ops of a layout: a directive and the symbol after
// it are one. It is false if there is one that no kernel knows.
func clockOpWords(ops []convert.ClockOp) (words []uint32, ok bool) {
	for _, op := range ops {
		switch d := op.Directive; d {
		case 0:
			for i := range len(op.Text) {
				if n := len(words); n == 0 || words[n-1]&opFollowed != 0 {
					words = append(words, directiveText)
				}
				words[len(words)-1] |= opFollowed | uint32(op.Text[i])<<opFollowShift
			}
		default:
			word, known := directives[d]
			if !known {
				return nil, false
			}
			if op.Full {
				word |= opFull
			}
			words = append(words, word)
		}
	}
	return words, true
}

// placeLayout gives each part of a layout its place, if all have one; places: the digits of a unit
// after the point.
func placeLayout(ops []uint32, kind dfa.TypeKind, places int) (x placedLayout, ok bool) {
	const name = "\x00\x00\x00" // letters
	parts := map[uint32]struct {
		of     *uint32 // where its place belongs
		at     int     // in that
		digits string
	}{
		directiveYear: {&x.Date, 0, "0000"}, directiveMonth: {&x.Date, 1, "00"}, directiveDay: {&x.Date, 2, "00"}, directiveMonthName: {&x.Date, 3, name},
		directiveHour: {&x.Time, 0, "00"}, directiveMinute: {&x.Time, 1, "00"}, directiveSecond: {&x.Time, 2, "00"}, directiveMillis: {&x.Time, 3, "000"},
	}
	x.Date, x.Time = math.MaxUint32, math.MaxUint32
	var symbols, expected []byte
	for _, op := range ops {
		if d := op & 0xff; d != directiveText {
			p, known := parts[d]
			if !known || *p.of>>(8*p.at)&0xff != noPlace || len(symbols) >= mostPlaced {
				return x, false
			}
			*p.of ^= (noPlace ^ uint32(len(symbols))) << (8 * p.at)
			for _, c := range []byte(p.digits) {
				symbols = append(symbols, c)
				expected = append(expected, map[byte]byte{'0': placedDigit}[c])
			}
		}
		if op&opFollowed != 0 {
			symbols, expected = append(symbols, byte(op>>opFollowShift)), append(expected, placedLiteral)
		}
	}
	has := func(places uint32, at int) bool { return places>>(8*at)&0xff != noPlace }
	date := has(x.Date, 0) && has(x.Date, 2) && has(x.Date, 1) != has(x.Date, 3)
	if kind == dfa.Time {
		date = x.Date == math.MaxUint32
	}
	if !date || len(symbols) == 0 || len(symbols) > mostPlaced || has(x.Time, 3) && places < 3 {
		return x, false
	}
	copy(bytesOf(x.Symbols[:]), symbols)
	copy(bytesOf(x.Expected[:]), expected)
	x.Length, x.Units = uint32(len(symbols)), 1
	for range places - 3 {
		x.Units *= 10
	}
	return x, true
}

// appendNames appends the names of months and days.
func appendNames(typ []byte) []byte {
	for _, names := range [][]string{convert.MonthNames(), convert.DayNames()} {
		for _, name := range names {
			x := nameImage{N: uint32(len(name))}
			copy(bytesOf(x.Words[:]), name)
			typ = append(typ, bytesOf([]nameImage{x})...)
		}
	}
	return typ
}

// appendZone appends a ZoneTable, see kernels/convert/calendar.cuh. There are
// two periods at least.
func appendZone(typ []byte, periods []convert.ZonePeriod, whole bool) []byte {
	if len(periods) == 1 {
		periods = append(periods, convert.ZonePeriod{From: zoneEnd, Offset: periods[0].Offset})
	}
	le := binary.LittleEndian
	first, last, end := periods[1].From, periods[len(periods)-1].From, zoneEnd
	if whole {
		end = math.MaxInt64
	}
	buckets := (last-first)>>zoneBucketBits + 2
	typ = append(typ, bytesOf([]zoneHead{{First: first, End: end, N: uint32(len(periods)), Buckets: uint32(buckets)}})...)
	for _, p := range periods {
		typ = le.AppendUint64(typ, uint64(p.From))
	}
	for _, p := range periods {
		typ = le.AppendUint32(typ, uint32(p.Offset))
	}
	period := 1
	for i := range buckets {
		for period+1 < len(periods) && periods[period+1].From <= first+i<<zoneBucketBits {
			period++
		}
		typ = le.AppendUint32(typ, uint32(period))
	}
	return typ
}

// durationImage: see kernels/convert/duration.cuh.
func durationImage(x *outputImage, t *dfa.Type, _ convert.Options) bool {
	switch t.Layout {
	case "go":
		x.Options[6] = durationGo
	case "clock":
		x.Options[6] = durationClock
	default:
		countImage(x, t, digitsOf(t.Unit)-digitsOf(t.CountUnit), math.MinInt64, math.MaxInt64)
		return true
	}
	x.Options[0] = uint64(digitsOf(t.Unit))
	return true
}

// countImage sets the options of numbers that count 10^-scale of a unit, and
// have to lie between lo and hi.
func countImage(x *outputImage, t *dfa.Type, scale int, lo, hi int64) {
	const precision = 19
	decimalOptions(x, t, scale, precision)
	x.Options[4], x.Options[5] = uint64(lo), uint64(hi)
}

// addressImage: see kernels/convert/address.cuh.
func addressImage(*outputImage, *dfa.Type, convert.Options) bool { return true }

// digitsOf is how many digits a second has after the point in units.
func digitsOf(u dfa.Unit) int {
	return [...]int{dfa.Microsecond: 6, dfa.Second: 0, dfa.Millisecond: 3, dfa.Nanosecond: 9}[u]
}

func perSecond(u dfa.Unit) int64 {
	per := int64(1)
	for range digitsOf(u) {
		per *= 10
	}
	return per
}
