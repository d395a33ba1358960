package convert

// fastClock reads the layouts that most files use, a word at a time: those of
// ISO 8601, and the one of web servers, 17/May/2015:10:05:03 +0000. Rows next
// to each other mostly have the same date, and nearly all the same offset, so
// that both are compared with the last ones before they are read.
type fastClock struct {
	*clock
	run     func(out []int64, f *Fields, i int) int
	vectors vectors

	// The words of the last date, and its first second since 1970. It is set
	// from the start: no field is taken for the date that was not read.
	key     [2]uint64
	seconds int64

	zeroes    bool // days of one digit come after a zero, not a space
	separator byte // between date and time of the ISO form; 0: T, t or a space
	point     byte // before a fraction; 0: there is none
	places    int  // of a fraction that has just so many; 0: any number
	optional  bool // the fraction may be left out
	hasOffset bool // an offset may follow
	bare      bool // it may be left out

	offsetKey uint64 // the last offset: its symbols and, but of runWeb, their number in the top byte; 0: Z
	offset    int64

	digits int   // of a fraction in units
	lo, hi int64 // seconds that certainly fit, hi not included
}

// fastClock is nil if the layout is not one of those.
func (r *clockReader) fastClock() *fastClock {
	f := &fastClock{clock: r.clock, lo: minSeconds, hi: endSeconds}
	for n := r.perSecond; n > 1; n /= 10 {
		f.digits++
	}
	if f.digits == 9 {
		f.lo, f.hi = -9223372036, 9223372036
	}
	f.run = f.runISO
	if r.layout == nil {
		f.optional, f.point, f.hasOffset, f.bare = true, '.', !r.without, !r.must
		f.isoDay([]byte("1970-01-01 "))
		if f.bare {
			f.isoVectors()
		}
		return f
	}
	s := r.layout.canonical
	if s == "%d/%b/%Y:"+isoTimeLayout+" %z" {
		f.run = f.runWeb
		f.webDay([]byte("01/Jan/1970:"))
		f.readOffset([]byte("+0000"))
		f.webVectors()
		return f
	}
	if s == "%b %e "+isoTimeLayout || s == "%b %d "+isoTimeLayout {
		f.run = f.runSyslog
		f.zeroes = s[4] == 'd'
		return f
	}
	if len(s) < len(isoDayLayout)+1+len(isoTimeLayout) || s[:len(isoDayLayout)] != isoDayLayout || s[len(isoDayLayout)] == '%' {
		return nil
	}
	if f.separator = s[len(isoDayLayout)]; f.separator == 0 {
		return nil
	}
	if s = s[len(isoDayLayout)+1:]; s[:len(isoTimeLayout)] != isoTimeLayout {
		return nil
	}
	switch s = s[len(isoTimeLayout):]; s {
	case "":
	case ".%f", ".%f%z":
		f.point = '.'
	case ",%f", ",%f%z":
		f.point = ','
	case ".%L", ".%L%z":
		f.point, f.places = '.', 3
	case ",%L", ",%L%z":
		f.point, f.places = ',', 3
	case "%z":
	default:
		return nil
	}
	f.hasOffset = len(s) > 1 && s[len(s)-1] == 'z'
	f.bare = !f.hasOffset
	f.isoDay(append([]byte("1970-01-01"), f.separator))
	if f.point == 0 && !f.hasOffset {
		f.isoVectors()
	}
	return f
}

const (
	isoDayLayout  = "%Y-%m-%d"
	bareDayLayout = "%Y%m%d"
	isoTimeLayout = "%H:%M:%S"
)

// runISO reads 2006-01-02T15:04:05 and what may follow.
func (f *fastClock) runISO(out []int64, fields *Fields, i int) int {
	src := fields.Src
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	plain := f.bare && (f.optional || f.point == 0)
	for again := i; i < len(start); i++ {
		if i == again {
			if plain && f.zone == nil {
				if i = f.runISODay(out, fields, i); i == len(start) {
					break
				}
			}
			again = i + strideRows
		}
		s, e := start[i], end[i]
		n := e - s
		if n-19 > 16 || s >= InDecoded {
			return i
		}
		// Symbols 0 to 7 and 3 to 10: the date and what separates it.
		a, b := word(src, s), word(src, s+3)
		if a != f.key[0] || b != f.key[1] {
			if !f.isoDay(src[s : s+11]) {
				return i
			}
		}
		second, ok := clockWord(word(src, s+11))
		if !ok {
			return i
		}
		v := f.seconds + second
		var fraction int64
		hasOffset := false
		if n != 19 {
			if fraction, hasOffset, ok = f.tail(src[s+19 : e]); !ok {
				return i
			}
		} else if !plain {
			return i
		}
		if hasOffset {
			v -= f.offset
		} else if f.zone != nil {
			v = f.zone.utc(v)
		}
		if v < f.lo || v >= f.hi {
			return i
		}
		out[i] = v*f.perSecond + fraction
	}
	return i
}

// runISODay is runISO for rows that are just 2006-01-02T15:04:05 and have the last date, up to the first that is another.
// It calls nothing, so that all it needs stays in registers.
func (f *fastClock) runISODay(out []int64, fields *Fields, i int) int {
	if f.seconds < f.lo || f.seconds+secondsPerDay > f.hi {
		return i
	}
	src := eights{fields.Src}
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	a, b, day, unit := f.key[0], f.key[1], f.seconds*f.perSecond, f.perSecond
	for ; uint(i) < uint(len(start)); i++ {
		s := start[i]
		if end[i]-s != 19 || !src.has(s+11) || s >= InDecoded || src.at(s) != a || src.at(s+3) != b {
			break
		}
		second, ok := clockWord(src.at(s + 11))
		if !ok {
			break
		}
		out[i] = day + second*unit
	}
	return i
}

// tail reads a fraction and an offset, as the layout has them.
func (f *fastClock) tail(b []byte) (fraction int64, hasOffset, ok bool) {
	if f.point != 0 && b[0] == f.point {
		k := 1
		for k < len(b) && b[k]-'0' <= 9 {
			fraction = fraction*10 + int64(b[k]-'0')
			k++
		}
		if k == 1 || k-1 > f.digits || f.places != 0 && k-1 != f.places {
			return 0, false, false
		}
		for range f.digits - (k - 1) {
			fraction *= 10
		}
		b = b[k:]
	} else if f.point != 0 && !f.optional {
		return 0, false, false
	}
	if len(b) == 0 {
		return fraction, false, f.bare
	}
	return fraction, true, f.hasOffset && f.readOffset(b)
}

// readOffset reads all of b as an offset into f.offset.
func (f *fastClock) readOffset(b []byte) bool {
	if len(b) == 1 && b[0] == 'Z' {
		f.offset, f.offsetKey = 0, 0
		return true
	}
	if len(b) > 7 {
		return false
	}
	// With the length an offset that NULs follow has another key, and none is one of runWeb.
	key := uint64(len(b)) << 56
	for i, c := range b {
		key |= uint64(c) << (8 * i)
	}
	if key == f.offsetKey {
		return true
	}
	var m moment
	if rest, ok := m.readOffset(b); !ok || len(rest) != 0 {
		return false
	}
	f.offset, f.offsetKey = int64(m.offset), key
	return true
}

// runWeb reads 17/May/2015:10:05:03 +0000.
func (f *fastClock) runWeb(out []int64, fields *Fields, i int) int {
	src := fields.Src
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	for ; i < len(start); i++ {
		s, e := start[i], end[i]
		if e-s != 26 || s >= InDecoded {
			return i
		}
		// Symbols 0 to 7 and 4 to 11: the date and the colon.
		a, b := word(src, s), word(src, s+4)
		if a != f.key[0] || b != f.key[1] {
			if !f.webDay(src[s : s+12]) {
				return i
			}
		}
		second, ok := clockWord(word(src, s+12))
		if !ok {
			return i
		}
		// Symbols 20 to 25: the space and the offset.
		if key := word(src, s+18) >> 16; key != f.offsetKey {
			if src[s+20] != ' ' || !f.readOffset(src[s+21:e]) {
				return i
			}
			f.offsetKey = key
		}
		v := f.seconds + second - f.offset
		if v < f.lo || v >= f.hi {
			return i
		}
		out[i] = v * f.perSecond
	}
	return i
}

// clockWord reads 15:04:05 as seconds.
func clockWord(x uint64) (int64, bool) {
	const colons = 0x0000FF0000FF0000
	x ^= asciiZero ^ (':'^'0')*0x0000010000010000
	if notDigits(x)|x&colons != 0 {
		return 0, false
	}
	x = x * (10<<8 + 1) >> 8 // pairs
	h, m, s := x&0xff, x>>24&0xff, x>>48&0xff
	return int64(h*3600 + m*60 + s), h < 24 && m < 60 && s < 60
}

// isoDay reads 2006-01-02 and the separator, and remembers them.
func (f *fastClock) isoDay(b []byte) bool {
	days, ok := isoDayNumber(b)
	sep := b[10]
	separates := sep == f.separator
	if f.separator == 0 {
		separates = sep|0x20 == 't' || sep == ' '
	}
	if !ok || !separates {
		return false
	}
	f.key = [2]uint64{word(b, 0), word(b, 3)}
	f.seconds = days * secondsPerDay
	return true
}

// isoDayNumber reads 2006-01-02 at the front of b.
func isoDayNumber(b []byte) (int64, bool) {
	x := word(b, 0) ^ asciiZero
	y := uint64(b[8]-'0') | uint64(b[9]-'0')<<8
	const dash = '-' ^ '0'
	if b[4]^'0' != dash || b[7]^'0' != dash || notDigits(x&^(0xff<<32|0xff<<56))|notDigits(y) != 0 {
		return 0, false
	}
	year := int(x&0xff)*1000 + int(x>>8&0xff)*100 + int(x>>16&0xff)*10 + int(x>>24&0xff)
	month := int(x>>40&0xff)*10 + int(x>>48&0xff)
	day := int(y&0xff)*10 + int(y>>8)
	return dayNumber(year, month, day)
}

// webDay reads 02/Jan/2006: and remembers it.
func (f *fastClock) webDay(b []byte) bool {
	if b[2] != '/' || b[6] != '/' || b[11] != ':' {
		return false
	}
	day, _, ok1 := number(b, 2, 2)
	month, _, ok2 := name(b[3:], monthNames[:], false)
	year, _, ok3 := number(b[7:], 4, 4)
	days, ok := dayNumber(year, month, day)
	if !ok1 || !ok2 || !ok3 || !ok {
		return false
	}
	f.key = [2]uint64{word(b, 0), word(b, 4)}
	f.seconds = days * secondsPerDay
	return true
}

// runDates reads 2006-01-02. Rows next to each other mostly have the same date.
func runDates(out []int32, fields *Fields, i int) int {
	src := fields.Src
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	const epoch = "1970-01-01"
	first, last, days := word([]byte(epoch), 0), word([]byte(epoch), 2), int32(0)
	for ; i < len(start); i++ {
		s := start[i]
		if end[i]-s != 10 || s >= InDecoded {
			return i
		}
		date := (*[10]byte)(src[s:end[i]])
		if a, b := word(date[:], 0), word(date[:], 2); a != first || b != last {
			d, ok := isoDayNumber(date[:])
			if !ok {
				return i
			}
			first, last, days = a, b, int32(d)
		}
		out[i] = days
	}
	return i
}

// runBareDates reads 20060102. Rows next to each other mostly have the same date.
func runBareDates(out []int32, fields *Fields, i int) int {
	src := fields.Src
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	last, days := uint64(0), int32(0) // no date is 0
	for ; i < len(start); i++ {
		s := start[i]
		if end[i]-s != 8 || s >= InDecoded {
			return i
		}
		x := word(src[:end[i]], s)
		if x != last {
			v := x ^ asciiZero
			if notDigits(v) != 0 {
				return i
			}
			n := int(digits8(v))
			d, ok := dayNumber(n/10000, n/100%100, n%100)
			if !ok {
				return i
			}
			last, days = x, int32(d)
		}
		out[i] = days
	}
	return i
}

// runSyslog reads May 17 10:05:03.
func (f *fastClock) runSyslog(out []int64, fields *Fields, i int) int {
	src := fields.Src
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	for ; i < len(start); i++ {
		s := start[i]
		if end[i]-s != 15 || s >= InDecoded {
			return i
		}
		// Symbols 0 to 6: the day and the space after it.
		if a := word(src, s) << 8; a != f.key[0] {
			if !f.syslogDay(src[s:end[i]]) {
				return i
			}
		}
		second, ok := clockWord(word(src, s+7))
		if !ok {
			return i
		}
		v := f.seconds + second
		if f.zone != nil {
			v = f.zone.utc(v)
		}
		if v < f.lo || v >= f.hi {
			return i
		}
		out[i] = v * f.perSecond
	}
	return i
}

// syslogDay reads Jan 02 and remembers it, if its year is the same from its
// first second to its last.
func (f *fastClock) syslogDay(b []byte) bool {
	var m moment
	m.clear()
	var ok bool
	if m.month, _, ok = name(b, monthNames[:], false); !ok || b[3] != ' ' || b[6] != ' ' {
		return false
	}
	tens := b[4]
	if tens == ' ' && !f.zeroes {
		tens = '0'
	}
	if tens-'0' > 9 || b[5]-'0' > 9 {
		return false
	}
	m.day = int(tens-'0')*10 + int(b[5]-'0')
	days, code := f.days(&m, 0)
	last, lastCode := f.days(&m, secondsPerDay)
	if code != OK || lastCode != OK || days != last {
		return false
	}
	f.key[0] = word(b, 0) << 8
	f.seconds = days * secondsPerDay
	return true
}

// runTimes reads 15:04:05.
func runTimes[T int32 | int64](out []T, fields *Fields, i int, perSecond T) int {
	src := fields.Src
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	for ; i < len(start); i++ {
		s := start[i]
		if end[i]-s != 8 || s >= InDecoded {
			return i
		}
		second, ok := clockWord(word(src, s))
		if !ok {
			return i
		}
		out[i] = T(second) * perSecond
	}
	return i
}
