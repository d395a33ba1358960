package convert

import (
	"strings"
	"unsafe"
)

// frame is all of a time that stays the same from one field to the next: its
// length, where the digits of the clock stand, and the symbols that are none of
// them, the date and the offset above all. What the symbols mean is found by the
// parser, once. A field in the frame differs in digits of the clock alone, and so
// would the parser read it: each number has as many digits as in the field before,
// and what comes after it is the same.
type frame struct {
	length               int
	form                 [maxFrame]byte // the symbols; '0' for the digits of the clock
	most                 [maxFrame]byte // that x^form may be: 0 for what stays the same
	hour, minute, second int            // second is -1 if there is none
	year, month, day     int            // where the digits of the date stand; year is -1 if they are not all there, or say not all
	fraction, places     int            // of the second; no places: there is none

	base  int64 // the first second of the day, in UTC or what the column has for it
	zoned bool  // base is by the clock of the zone, which may be changed on that day

	words [maxFrame / 8]frameWord
	// The clock is written 15:04:05.
	colons bool

	// Of frames that runFrames reads by itself, else length is noLength: there are colons, at
	// most eight digits of a fraction, none of them for nothing, and no changes of the clock.
	quick struct {
		length   uint32
		hour     uint32
		fraction uint32 // where the word begins that ends with it
		mask     uint64 // of its digits in there
		scale    int64  // units of the last of them
	}
}

// Fields of so many symbols can have a frame.
const (
	minFrame = 8
	maxFrame = 32
)

// frameWord is eight symbols of a frame.
type frameWord struct {
	at         int
	form, same uint64
}

// differs is not 0 if a symbol is another one in the field at s.
func (w *frameWord) differs(src eights, s uint32) uint64 {
	return (src.at(s+uint32(w.at)) ^ w.form) & w.same
}

// frames converts fields of a clock that are in a frame. It remembers two: some
// files have times of two lengths.
type frames struct {
	*clockReader
	digits int   // of a fraction in units
	lo, hi int64 // seconds that certainly fit, hi not included

	// Of one of several forms: whether some form before it may read b, whose digits of the
	// clock are 0. nil: there is none.
	earlier func(b []byte) bool

	known [2]frame // that of the last row first; of length 0: none

	// Of the kernel that reads dates as well: the frame that params are of, without the digits of the date.
	dated      frame
	datedRest  int  // rounds to come in which none is made
	datesKnown bool // the layout has nothing but numbers, the date in full, and each once

	hits   int // rows in a frame since one was made
	wasted int // frames that were of no use, one after the other
	rest   int // rows to come of which none is made
}

// newFrames is nil if fields have no clock with digits in known places.
func newFrames(r *clockReader) *frames {
	if l := r.layout; l != nil && (l.hasAny("Ips"+string(unpaddedMillis)) || !l.has['H'] || !l.has['M'] || !l.has['S'] && !r.isDate) {
		return nil
	}
	f := &frames{clockReader: r, lo: minSeconds, hi: endSeconds}
	f.known[0].quick.length, f.known[1].quick.length = noLength, noLength
	for n := r.perSecond; n > 1; n /= 10 {
		f.digits++
	}
	if f.digits == 9 {
		f.lo, f.hi = -9223372036, 9223372036
	}
	f.datesKnown = r.isDate && (r.layout == nil || r.layout.numbersOnce())
	return f
}

// numbersOnce reports whether year, month, day and what there is of the time of day are numbers, and in the layout once.
func (l *layout) numbersOnce() bool {
	var seen [128]bool
	for i := range l.ops {
		o := &l.ops[i]
		if o.directive == 0 {
			continue
		}
		if o.words != nil || seen[o.directive] || strings.IndexByte("YmdHMSfLz", o.directive) < 0 {
			return false
		}
		seen[o.directive] = true
	}
	return seen['Y'] && seen['m'] && seen['d']
}

// in is the frame that b is in, nil if there is none.
func (f *frames) in(b []byte) *frame {
	if f.known[0].holds(b) {
		return &f.known[0]
	}
	if f.known[1].holds(b) {
		f.known[0], f.known[1] = f.known[1], f.known[0]
		return &f.known[0]
	}
	return nil
}

// holds reports whether b has the frame's symbols; those of the clock may be
// anything.
func (m *frame) holds(b []byte) bool {
	if len(b) != m.length || len(b) < minFrame {
		return false
	}
	for i := range m.words {
		w := &m.words[i]
		if (word(b[w.at:], 0)^w.form)&w.same != 0 {
			return false
		}
	}
	return true
}

// learn makes the frame of b the first one, if b has one and is in it: digits that
// the column's unit has no place for are not.
func (f *frames) learn(b []byte) bool {
	if f.rest > 0 {
		f.rest--
		return false
	}
	if f.wasted++; f.hits > 2 {
		f.wasted = 0
	}
	if f.wasted > 4 { // every row has another date
		f.wasted, f.rest = 0, 100
	}
	f.hits = 0
	var m frame
	if !f.read(b, &m) {
		return false
	}
	f.known[0], f.known[1] = m, f.known[0]
	return m.holds(b)
}

// read makes m the frame of b.
func (f *frames) read(b []byte, m *frame) bool {
	if len(b) < minFrame || len(b) > maxFrame {
		return false
	}
	if !f.spans(b, m) || m.places > 9 || f.m.finer {
		return false
	}
	if f.isDate {
		if f.without && f.m.hasOffset || f.must && !f.m.hasOffset {
			return false
		}
		first, code := f.days(&f.m, 0)
		last, lastCode := f.days(&f.m, secondsPerDay)
		if code != OK || lastCode != OK || first != last {
			return false // the year is known only with the time of day
		}
		m.base = first * secondsPerDay
		switch {
		case f.m.hasOffset:
			m.base -= int64(f.m.offset)
		case f.zone != nil:
			utc := f.zone.utc(m.base)
			if m.zoned = m.base < f.zone.lo || m.base+secondsPerDay > f.zone.hi; !m.zoned {
				m.base = utc
			}
		}
		if m.base-secondsPerDay < f.lo || m.base+2*secondsPerDay > f.hi { // a day for the zone
			return false
		}
	}
	m.length = len(b)
	copy(m.form[:], b)
	for _, at := range m.clock() {
		m.form[at], m.form[at+1] = '0', '0'
		m.most[at], m.most[at+1] = 5, 9
	}
	m.most[m.hour] = 2
	for i := range m.places {
		m.form[m.fraction+i] = '0'
		if i < f.digits {
			m.most[m.fraction+i] = 9
		}
	}
	if f.earlier != nil && f.earlier(m.form[:m.length]) {
		return false
	}
	m.findWords()
	m.colons = m.minute == m.hour+3 && m.second == m.hour+6 && b[m.hour+2] == ':' && b[m.minute+2] == ':'
	f.hurry(m)
	return true
}

// findWords sets the words to the symbols that stay the same.
func (m *frame) findWords() {
	for i := range m.words {
		w := &m.words[i]
		w.at = min(8*i, m.length-8)
		w.form, w.same = word(m.form[:], uint32(w.at)), 0
		for k := range 8 {
			if m.most[w.at+k] == 0 {
				w.same |= 0xff << (8 * k)
			}
		}
	}
}

// clock is where the numbers of the clock stand, those that there are.
func (m *frame) clock() []int {
	all := []int{m.hour, m.minute, m.second}
	if m.second < 0 {
		return all[:2]
	}
	return all
}

// spans reads b into f.m, and where the numbers of its clock stand into m. It is
// false if b is not in the layout, or has a number of fewer digits than others may
// have.
func (f *frames) spans(b []byte, m *frame) bool {
	if f.layout == nil {
		if !f.understand(b) {
			return false
		}
		at := 0
		if m.year = -1; f.isDate {
			m.year, m.month, m.day = 0, 5, 8
			at = len("2006-01-02T")
		}
		m.hour, m.minute, m.second = at, at+3, at+6
		if at += len("15:04:05"); at < len(b) && b[at] == '.' {
			m.fraction = at + 1
			for at = m.fraction; at < len(b) && b[at]-'0' <= 9; at++ {
				m.places++
			}
		}
		return true
	}
	f.m.clear()
	m.hour, m.minute, m.second = -1, -1, -1
	m.year, m.month, m.day = -1, -1, -1
	rest := b
	whole := true // numbers of the date have all their digits
	for i := range f.layout.ops {
		o := &f.layout.ops[i]
		at := len(b) - len(rest)
		if o.directive == 0 {
			if len(rest) < len(o.text) || string(rest[:len(o.text)]) != o.text {
				return false
			}
			rest = rest[len(o.text):]
			continue
		}
		after, ok := o.read(&f.m, rest)
		if !ok {
			return false
		}
		var place *int
		switch o.directive {
		case 'Y':
			m.year, whole = at, whole && len(rest)-len(after) == 4
		case 'm':
			m.month, whole = at, whole && len(rest)-len(after) == 2
		case 'd':
			m.day, whole = at, whole && len(rest)-len(after) == 2
		case 'H':
			place = &m.hour
		case 'M':
			place = &m.minute
		case 'S':
			place = &m.second
		case 'f', 'L':
			if m.places > 0 {
				return false
			}
			m.fraction, m.places = at, len(rest)-len(after)
		}
		if place != nil {
			if *place >= 0 || len(rest)-len(after) != 2 {
				return false
			}
			*place = at
		}
		rest = after
	}
	if !whole {
		m.year = -1
	}
	return len(rest) == 0 && m.hour >= 0 && m.minute >= 0 && (m.second >= 0 || !f.layout.has['S'])
}

// hurry prepares for runFrames.
func (f *frames) hurry(m *frame) {
	q := &m.quick
	if q.length = noLength; !m.colons || m.zoned || m.places > min(f.digits, 8) || m.fraction+m.places < 8 && m.places > 0 {
		return
	}
	q.length, q.hour = uint32(m.length), uint32(m.hour)
	if m.places > 0 {
		q.fraction, q.mask = uint32(m.fraction+m.places-8), ^uint64(0)<<(64-8*m.places)
		q.scale = 1
		for range f.digits - m.places {
			q.scale *= 10
		}
	}
}

// noLength is the length of no field.
const noLength = ^uint32(0)

// runFrames converts rows in a frame, see fixed.run.
func runFrames[T int32 | int64](f *frames, out []T, fields *Fields, i int) int {
	src := eights{fields.Src}
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	for ; i < len(start); i++ {
		s := start[i]
		if s >= InDecoded {
			return i
		}
		which := 0 // without a branch: times of two lengths come in any order
		if end[i]-s != f.known[0].quick.length {
			which = 1
		}
		m := &f.known[which]
		if q := &m.quick; end[i]-s == q.length && uint64(end[i]) <= uint64(len(fields.Src)) {
			w := &m.words
			differs := w[0].differs(src, s) | w[1].differs(src, s) | w[2].differs(src, s) | w[3].differs(src, s)
			second, ok := clockWord(src.at(s + q.hour))
			x := (src.at(s+q.fraction) ^ asciiZero) & q.mask
			if differs|notDigits(x) == 0 && ok {
				f.hits++
				out[i] = T((m.base+second)*f.perSecond + int64(digits8(x))*q.scale)
				continue
			}
		}
		b := fields.Src[s:end[i]]
		in := f.in(b)
		if in == nil {
			if !f.learn(b) {
				return i
			}
			in = &f.known[0]
		}
		v, ok := f.value(in, b)
		if !ok {
			return i
		}
		f.hits++
		out[i] = T(v)
	}
	return i
}

// value is the time b, which m holds.
func (f *frames) value(m *frame, b []byte) (v int64, ok bool) {
	if m.colons {
		v, ok = clockWord(word(b[m.hour:], 0))
	} else {
		v, ok = twoDigits(b, m.clock())
	}
	if !ok {
		return 0, false
	}
	var fraction int64
	for i := range m.places {
		d := b[m.fraction+i] - '0'
		if d > 9 {
			return 0, false
		}
		if i < f.digits { // those after are 0, as in the frame
			fraction = fraction*10 + int64(d)
		}
	}
	for i := m.places; i < f.digits; i++ {
		fraction *= 10
	}
	v += m.base
	if m.zoned {
		v = f.zone.utc(v)
	}
	return v*f.perSecond + fraction, true
}

// twoDigits is the time of day whose hour, minute and second, if there is one, stand in b.
func twoDigits(b []byte, clock []int) (int64, bool) {
	var v [3]int64
	for i, at := range clock {
		tens, ones := b[at]-'0', b[at+1]-'0'
		if tens > 9 || ones > 9 {
			return 0, false
		}
		v[i] = int64(tens)*10 + int64(ones)
	}
	return v[0]*3600 + v[1]*60 + v[2], v[0] < 24 && v[1] < 60 && v[2] < 60
}

// The params of kernels of frames. A field lies in two windows of 16 symbols: one
// ends with it, the other span symbols before its end.
const (
	frameLength = iota // of a field
	frameSpan          // in both halves: 16, or length if that is more
	frameBase          // units
	framePer           // units a second
	frameScale         // units of the fraction that eight digits are
	frameLeast         // of datedFrame: the first day that certainly fits
	frameForm   = 6    // of either window, twice: 16 bytes in each half of a vector
	frameMost   = 14   // the same
	frameDigits = 22   // the places of digits in either window, the same: two each of hour, minute, second; two of nothing; eight of the fraction
	frameDates  = 30   // of datedFrame, the same: four of the year, two each of month and day
	frameLast   = 38   // of datedFrame: the last such day

	datedFrame = 40 // where the params of times whose date is read begin
)

// nothing as the place of a digit says that there is none.
const nothing = 0x80

// vectors are those of values of so many bytes.
func (f *frames) vectors(width int) vectors {
	v := vectors{kernel: frameKernel(width), prepare: f.prepare, again: f.again, second: second{width: width}}
	v.params[frameLength] = noFrame
	return v
}

// addDates adds to v, of time stamps, what converts those in a frame that has no digits of a date either, wherever
// these stand. There are no forms before that of f.
func (f *frames) addDates(v *vectors) {
	if v.finish != nil || !f.datesKnown { // finish takes what it is given for something else
		return
	}
	if v.longer = datedKernel(); v.longer == nil {
		return
	}
	v.params[datedFrame+frameLength] = noFrame
	v.params[datedFrame+frameSpan] = 16 | 16<<32
	prepare := v.prepare
	v.prepare = func(p *params, fields *Fields) {
		prepare(p, fields)
		f.prepareDates(p, fields)
	}
}

// prepareDates sets the params of that to a frame that the first row is in, if they are not of such a one.
func (f *frames) prepareDates(p *params, fields *Fields) {
	s, e := fields.Start[0], fields.End[0]
	if s >= InDecoded || s > e || e > uint32(len(fields.Src)) {
		return
	}
	b := fields.Src[s:e]
	if f.dated.length > 0 && f.dated.holds(b) {
		return
	}
	if f.datedRest > 0 {
		f.datedRest--
		return
	}
	f.datedRest = pause
	var m frame
	if !f.read(b, &m) || m.year < 0 || f.zone != nil && !f.m.hasOffset {
		return
	}
	for _, at := range [...]int{m.year, m.year + 2, m.month, m.day} {
		for i := range 2 {
			m.form[at+i], m.most[at+i] = '0', 9
		}
	}
	m.findWords()
	own := p[datedFrame:]
	f.fill(own, &m)
	m.fillDate(own)
	own[frameBase] = uint64((-epochSeconds - int64(f.m.offset)) * f.perSecond) // which need not fit before the seconds of a date are added
	const epochDay = epochSeconds / secondsPerDay
	own[frameLeast] = uint64(epochDay + f.lo/secondsPerDay + 2)
	own[frameLast] = uint64(epochDay + f.hi/secondsPerDay - 2)
	f.dated = m
}

// again sets the params to the frame of the first of the rows that are left that has one, if it is another one and
// many rows are left: some files have times of two lengths, and with a new day begins another frame.
func (f *frames) again(p *params, fields *Fields, todo rowSet) bool {
	n := fields.Len()
	if p[frameLength] == noFrame || todo.len() < n/8+groupRows {
		return false
	}
	var start, end [groupRows]uint32
	k := 0
	for i := todo.next(0, none); i < n && k < groupRows; i = todo.next(i+1, none) {
		start[k], end[k] = fields.Start[i], fields.End[i]
		k++
	}
	first, form := p[frameLength], [frameMost - frameForm]uint64(p[frameForm:])
	f.prepare(p, &Fields{Src: fields.Src, Start: start[:k], End: end[:k]})
	return p[frameLength] != noFrame && (p[frameLength] != first || [frameMost - frameForm]uint64(p[frameForm:]) != form)
}

// noFrame is longer than any field.
const noFrame = 1 << 40

// prepare sets the params to the frame of the first row that has one.
func (f *frames) prepare(p *params, fields *Fields) {
	var m *frame
	for i, s := range fields.Start[:min(len(fields.Start), groupRows)] {
		e := fields.End[i]
		if s >= InDecoded || s > e || e > uint32(len(fields.Src)) {
			continue
		}
		b := fields.Src[s:e]
		if m = f.in(b); m == nil && f.learn(b) {
			m = &f.known[0]
		}
		if m != nil {
			break
		}
	}
	p[frameLength] = noFrame
	p[frameSpan] = 16 | 16<<32
	if m == nil || m.zoned {
		return
	}
	f.hits += groupRows
	f.fill(p[:], m)
	p[frameBase] = uint64(m.base * f.perSecond)
}

// frameWindows are the bytes of both windows, each twice, of frameForm and the like.
type frameWindows = [2][32]byte

// fill sets params to a frame, but for frameBase.
func (f *frames) fill(p []uint64, m *frame) {
	span := max(m.length, 16)
	p[frameLength], p[frameSpan] = uint64(m.length), uint64(span)|uint64(span)<<32
	p[framePer], p[frameScale] = uint64(f.perSecond), 1
	digits := f.digits
	if digits == 9 {
		digits, p[frameScale] = 8, 10
	}
	form := (*frameWindows)(unsafe.Pointer(&p[frameForm]))
	most := (*frameWindows)(unsafe.Pointer(&p[frameMost]))
	places := (*frameWindows)(unsafe.Pointer(&p[frameDigits]))
	for w := range 2 {
		for k := range 16 {
			form[w][k], most[w][k], places[w][k] = 0, 0xff, nothing
			if at := m.length - span + k + w*(span-16); at >= 0 {
				form[w][k], most[w][k] = m.form[at], m.most[at]
			}
		}
	}
	for i, at := range m.clock() {
		m.place(places, 2*i, at)
		m.place(places, 2*i+1, at+1)
	}
	for i := range m.places {
		if i < digits {
			m.place(places, 16-digits+i, m.fraction+i)
			continue
		}
		// Of nine digits the kernel takes those that end in 0.
		at := m.fraction + i + span - m.length
		if at < 16 {
			most[0][at] = 0
		}
		if at -= span - 16; at >= 0 {
			most[1][at] = 0
		}
	}
	for _, both := range [...]*frameWindows{form, most, places} {
		for w := range both {
			copy(both[w][16:], both[w][:16])
		}
	}
}

// place has symbol `at` of a field become byte `to` of what is made of its windows.
func (m *frame) place(places *frameWindows, to, at int) {
	span := max(m.length, 16)
	at += span - m.length
	if at < 16 {
		places[0][to] = byte(at)
	} else {
		places[1][to] = byte(at - (span - 16))
	}
}

// fillDate sets frameDates of the params.
func (m *frame) fillDate(p []uint64) {
	places := (*frameWindows)(unsafe.Pointer(&p[frameDates]))
	for w := range places {
		for k := range places[w] {
			places[w][k] = nothing
		}
	}
	for i, at := range [...]int{m.year, m.year + 1, m.year + 2, m.year + 3, m.month, m.month + 1, m.day, m.day + 1} {
		m.place(places, i, at)
	}
	for w := range places {
		copy(places[w][16:], places[w][:16])
	}
}
